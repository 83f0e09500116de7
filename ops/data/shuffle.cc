// Elements in a random order: TensorFlow's generator, and its way to take from a buffer.
#include <deque>
#include <random>

#include "ops/op_file.h"
#include "ops/support/dataset.h"
#include "ops/support/philox.h"

namespace tensh::ops {
namespace {

using Element = std::vector<Tensor>;

// Seeds of one iteration after the other.
class Seeds : public Resource {
 public:
  Seeds(uint64_t seed, uint64_t seed2) : random_(Philox(seed, seed2)) {}
  std::pair<uint64_t, uint64_t> Next() {
    std::lock_guard lock(mu_);
    const uint64_t first = random_.Next();
    return {first, random_.Next()};
  }

 private:
  std::mutex mu_;
  Philox32 random_;  // guarded by mu_
};

class ShuffleData : public Dataset {
 public:
  ShuffleData(std::shared_ptr<const Dataset> input, int64_t buffer, uint64_t seed, uint64_t seed2,
              std::shared_ptr<Seeds> seeds)
      : Dataset({std::move(input)}),
        buffer(buffer),
        seed(seed),
        seed2(seed2),
        seeds(std::move(seeds)) {}
  std::unique_ptr<DatasetIterator> Iterate() const override;

  const int64_t buffer;
  const uint64_t seed, seed2;
  const std::shared_ptr<Seeds> seeds;  // null: every iteration in the same order
};

class ShuffleIterator : public DatasetIterator {
 public:
  ShuffleIterator(std::unique_ptr<DatasetIterator> in, int64_t buffer, uint64_t seed,
                  uint64_t seed2)
      : in_(std::move(in)), size_(static_cast<size_t>(buffer)), random_(Philox(seed, seed2)) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    while (!over_ && buffer_.size() < size_) {
      if (c.cancelled()) return Cancelled("the step was cancelled");
      Element next;
      TENSH_RETURN_IF_ERROR(in_->Next(c, &next, &over_));
      if (!over_) buffer_.push_back(std::move(next));
    }
    *end = buffer_.empty();
    if (*end) return {};
    // The one taken changes places with the first, whose place is the next to be filled.
    const size_t i = random_.Next() % buffer_.size();
    *element = std::move(buffer_[i]);
    if (i != 0) buffer_[i] = std::move(buffer_.front());
    buffer_.pop_front();
    return {};
  }

 private:
  const std::unique_ptr<DatasetIterator> in_;
  const size_t size_;
  Philox32 random_;
  std::deque<Element> buffer_;
  bool over_ = false;
};

std::unique_ptr<DatasetIterator> ShuffleData::Iterate() const {
  uint64_t a = seed, b = seed2;
  if (seeds) std::tie(a, b) = seeds->Next();
  return std::make_unique<ShuffleIterator>(inputs()[0]->Iterate(), buffer, a, b);
}

struct ShuffleState : KernelState {
  bool reshuffles = true;
};

Result<std::unique_ptr<KernelState>> PrepareShuffle(PrepareCtx& c) {
  auto state = std::make_unique<ShuffleState>();
  state->reshuffles = c.attrs().Bool("reshuffle_each_iteration");
  return std::unique_ptr<KernelState>(std::move(state));
}

Status MakeShuffle(KernelCtx& c) {
  TENSH_ASSIGN(auto input, DatasetIn(c, 0));
  TENSH_ASSIGN(const int64_t buffer, CountIn(c, 1, "buffer_size"));
  TENSH_ASSIGN(int64_t seed, CountIn(c, 2, "seed"));
  TENSH_ASSIGN(int64_t seed2, CountIn(c, 3, "seed2"));
  if (buffer <= 0) return InvalidArgument("buffer_size must be greater than zero.");
  if (seed == 0 && seed2 == 0) {
    std::random_device device;
    seed = static_cast<int64_t>(device());
    seed2 = static_cast<int64_t>(device());
  }
  const auto a = static_cast<uint64_t>(seed), b = static_cast<uint64_t>(seed2);
  std::shared_ptr<Seeds> seeds;
  if (c.state<ShuffleState>().reshuffles) seeds = std::make_shared<Seeds>(a, b);
  return GiveDataset(
      c, std::make_shared<ShuffleData>(std::move(input), buffer, a, b, std::move(seeds)));
}

class NoSeeds : public Resource {};

Status MakeSeedGenerator(KernelCtx& c) {
  c.SetOutput(0, Tensor::Scalar<ResourceHandle>({std::make_shared<NoSeeds>(), "seeds"}));
  return {};
}

constexpr char kExample[] =
    "tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.ShuffleDataset(buffer_size=3, seed=1, "
    "seed2=2, input_dataset=tf.raw_ops.RangeDataset(start=5, stop=6, step=1, "
    "output_types=[tf.int64], output_shapes=[[]]), output_types=[tf.int64], output_shapes=[[]]), "
    "output_types=[tf.int64], output_shapes=[[]])[0]";

}  // namespace

TENSH_OPS(data_shuffle) {
  const std::string doc =
      "The elements of input_dataset in a random order: each is taken at random from buffer_size "
      "of them. seed and seed2 decide the order, which is another in every iteration with "
      "reshuffle_each_iteration.";
  const std::string attrs =
      "reshuffle_each_iteration: bool = true, " TENSH_DATASET_ATTRS ", metadata: string = ''";
  const std::string inputs =
      "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64";
  r.Op({.name = "ShuffleDataset",
        .inputs = inputs,
        .outputs = "handle: variant",
        .attrs = attrs,
        .doc = doc + kDatasetDoc,
        .shape = DatasetShape,
        .no_gradient = true,
        .examples = {{kExample, "5"}}})
      .CpuAny(MakeShuffle, PrepareShuffle);
  r.Op({.name = "ShuffleDatasetV3",
        .inputs = inputs + ", seed_generator: resource",
        .outputs = "handle: variant",
        .attrs = attrs,
        .doc =
            doc + " seed_generator is where TensorFlow keeps its place in the seeds." + kDatasetDoc,
        .shape = DatasetShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{kExample, "5"}}})
      .CpuAny(MakeShuffle, PrepareShuffle);
  r.Op({.name = "DummySeedGenerator",
        .outputs = "handle: resource",
        .doc = "A handle for the input seed_generator of ShuffleDatasetV3.",
        .shape = DatasetShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.DummySeedGenerator().dtype", "<dtype: 'resource'>"}}})
      .CpuAny(MakeSeedGenerator);
}

}  // namespace tensh::ops
