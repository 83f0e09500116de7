// Shuffled datasets. The random numbers and the buffering are those of TensorFlow.
#include <deque>

#include "ops/data/dataset.h"
#include "ops/op_file.h"
#include "ops/support/philox.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

using Element = std::vector<Tensor>;

// Yields a pair of seeds for each iteration over the dataset. Thread-safe.
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

// The random numbers of successive iterations. Without a shared Seeds, every iteration has the same
// order.
struct Order {
  uint64_t seed, seed2;
  std::shared_ptr<Seeds> seeds;
  Philox32 Next() const {
    const auto [a, b] = seeds ? seeds->Next() : std::pair(seed, seed2);
    return Philox32(Philox(a, b));
  }
};

// Shuffles within a buffer. The buffer may hold elements of several repetitions of the input at the
// same time, which are not mixed.
class ShuffleIterator : public DatasetIterator {
 public:
  ShuffleIterator(const Dataset::Inputs& in, int64_t buffer, int64_t times, Order order)
      : source_(in[0]),
        size_(static_cast<size_t>(buffer)),
        left_(times),
        order_(std::move(order)),
        random_(order_.Next()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    TENSH_RETURN_IF_ERROR(Fill(c));
    *end = held_ == 0;
    if (*end) return {};
    for (; rounds_.front().empty(); rounds_.pop_front()) random_ = order_.Next();
    // The selected element is replaced by the first one, whose slot is filled next.
    std::deque<Element>& round = rounds_.front();
    const size_t i = random_.Next() % round.size();
    *element = std::move(round[i]);
    if (i != 0) round[i] = std::move(round.front());
    round.pop_front();
    --held_;
    return {};
  }

 private:
  Status Fill(KernelCtx& c) {
    while (held_ < size_ && (in_ || left_ != 0)) {
      if (c.cancelled()) return c.cancel()->Why();
      if (!in_) {
        if (left_ > 0) --left_;  // negative: repeats forever
        in_ = source_->Iterate();
        rounds_.emplace_back();
        fresh_ = true;
      }
      Element next;
      bool over = false;
      TENSH_RETURN_IF_ERROR(in_->Next(c, &next, &over));
      if (over) {
        in_ = nullptr;
        if (fresh_) left_ = 0;  // an empty input repeated forever is still empty
        continue;
      }
      fresh_ = false;
      rounds_.back().push_back(std::move(next));
      ++held_;
    }
    return {};
  }

  const std::shared_ptr<const Dataset> source_;
  const size_t size_;
  int64_t left_;
  const Order order_;
  Philox32 random_;
  std::unique_ptr<DatasetIterator> in_;
  std::deque<std::deque<Element>> rounds_;
  size_t held_ = 0;
  bool fresh_ = false;
};

struct ShuffleState : KernelState {
  bool reshuffles = true, repeats = false;
  void Read(PrepareCtx& c) {
    reshuffles = c.attrs().Bool("reshuffle_each_iteration");
    repeats =
        c.op_name() == "ShuffleAndRepeatDataset" || c.op_name() == "ShuffleAndRepeatDatasetV2";
  }
};

Status MakeShuffle(KernelCtx& c) {
  TENSH_ASSIGN(auto input, DatasetIn(c, 0));
  TENSH_ASSIGN(const int64_t buffer, CountIn(c, 1, "buffer_size"));
  TENSH_ASSIGN(const int64_t seed, CountIn(c, 2, "seed"));
  TENSH_ASSIGN(const int64_t seed2, CountIn(c, 3, "seed2"));
  if (buffer <= 0) return InvalidArgument("buffer_size must be greater than zero.");
  int64_t times = 1;
  if (c.state<ShuffleState>().repeats) {
    TENSH_ASSIGN(times, CountIn(c, 4, "count"));
    if (times < -1 || times == 0)
      return InvalidArgument("count must be greater than zero or equal to -1.");
  }
  const auto [a, b] = SeedsOrSystems(seed, seed2);
  Order order{a, b, nullptr};
  if (c.state<ShuffleState>().reshuffles) order.seeds = std::make_shared<Seeds>(a, b);
  return GiveDataset(c, std::make_shared<Made<ShuffleIterator, int64_t, int64_t, Order>>(
                            Dataset::Inputs{std::move(input)}, buffer, times, std::move(order)));
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

constexpr char kCacheExample[] =
    "tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.CacheDatasetV2(filename='', "
    "cache=tf.raw_ops.DummyMemoryCache(), input_dataset=tf.raw_ops.RangeDataset(start=5, stop=6, "
    "step=1, "
    "output_types=[tf.int64], output_shapes=[[]]), output_types=[tf.int64], output_shapes=[[]]), "
    "output_types=[tf.int64], output_shapes=[[]])[0]";

}  // namespace

TENSH_OPS(data_shuffle) {
  const std::string doc =
      "The elements of input_dataset in random order: each is drawn at random from a buffer of "
      "buffer_size elements. seed and seed2 determine the order. With reshuffle_each_iteration, "
      "every iteration has another order.";
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
      .CpuAny(MakeShuffle, PrepareFrom<ShuffleState>);
  std::string v3 = kExample;
  v3.replace(v3.find("ShuffleDataset("), 15,
             "ShuffleDatasetV3(seed_generator=tf.raw_ops.DummySeedGenerator(), ");
  r.Op({.name = "ShuffleDatasetV3",
        .inputs = inputs + ", seed_generator: resource",
        .outputs = "handle: variant",
        .attrs = attrs,
        .doc = doc + " seed_generator holds the position in TensorFlow's sequence of seeds." +
               kDatasetDoc,
        .shape = DatasetShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{v3, "5"}}})
      .CpuAny(MakeShuffle, PrepareFrom<ShuffleState>);
  const std::string repeat = doc +
                             " The dataset is repeated count times, or forever if count is -1; "
                             "elements of the next repetition fill free positions of the buffer.";
  std::string example = kExample;
  example.replace(example.find("ShuffleDataset("), 15, "ShuffleAndRepeatDataset(count=1, ");
  std::string repeat_v2 = v3;
  repeat_v2.replace(v3.find("ShuffleDatasetV3("), 17, "ShuffleAndRepeatDatasetV2(count=1, ");
  r.Op({.name = "ShuffleAndRepeatDataset",
        .inputs = inputs + ", count: int64",
        .outputs = "handle: variant",
        .attrs =
            TENSH_DATASET_ATTRS ", reshuffle_each_iteration: bool = true, metadata: string = ''",
        .doc = repeat + kDatasetDoc,
        .shape = DatasetShape,
        .no_gradient = true,
        .examples = {{example, "5"}}})
      .CpuAny(MakeShuffle, PrepareFrom<ShuffleState>);
  r.Op({.name = "ShuffleAndRepeatDatasetV2",
        .inputs = inputs + ", count: int64, seed_generator: resource",
        .outputs = "handle: variant",
        .attrs = attrs,
        .doc = repeat + " seed_generator holds the position in TensorFlow's sequence of seeds." +
               kDatasetDoc,
        .shape = DatasetShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{repeat_v2, "5"}}})
      .CpuAny(MakeShuffle, PrepareFrom<ShuffleState>);
  for (const bool seeds : {true, false})
    r.Op({.name = seeds ? "DummySeedGenerator" : "DummyMemoryCache",
          .outputs = "handle: resource",
          .doc = seeds ? "A handle for the input seed_generator of ShuffleDatasetV3."
                       : "A handle for the input cache of CacheDatasetV2.",
          .shape = DatasetShape,
          .no_gradient = true,
          .stateful = true,
          .examples = {{seeds ? v3 : std::string(kCacheExample), "5"}}})
        .CpuAny(MakeSeedGenerator);
}

}  // namespace tensh::ops
