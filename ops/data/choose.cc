// Datasets that select elements of others: in turns, at random, without duplicates, or those
// without errors. Also datasets that only carry options, which do not affect the elements here.
#include <algorithm>
#include <set>

#include "ops/data/dataset.h"
#include "ops/op_file.h"
#include "ops/support/philox.h"
#include "ops/support/prepare.h"
#include "runtime/core/tensor_message.h"

namespace tensh::ops {
namespace {

using Element = std::vector<Tensor>;
using Source = std::shared_ptr<const Dataset>;

// Each element of the first input is the index of the dataset that the next element is taken from.
class DirectedIterator : public DatasetIterator {
 public:
  DirectedIterator(const Dataset::Inputs& in, bool stops) : stops_(stops) {
    for (const Source& source : in) in_.push_back(source->Iterate());
    left_ = in_.size() - 1;
  }
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    for (*end = in_[0] == nullptr; !*end;) {
      if (c.cancelled()) return c.cancel()->Why();
      TENSH_RETURN_IF_ERROR(in_[0]->Next(c, element, end));
      if (*end) break;
      if (element->empty() || (*element)[0].dtype() != DType::kInt64 ||
          (*element)[0].num_elements() != 1)
        return InvalidArgument("The selector dataset must give scalars of type int64.");
      const int64_t chosen = *(*element)[0].data<int64_t>();
      if (chosen < 0 || chosen >= static_cast<int64_t>(in_.size()) - 1)
        return InvalidArgument("Selector index out of range: ", chosen, " >= ", in_.size() - 1);
      auto& in = in_[static_cast<size_t>(chosen) + 1];
      if (!in) continue;
      bool over = false;
      TENSH_RETURN_IF_ERROR(in->Next(c, element, &over));
      if (!over) return {};
      in = nullptr;
      *end = --left_ == 0 || stops_;
    }
    in_[0] = nullptr;
    return {};
  }

 private:
  const bool stops_;
  std::vector<std::unique_ptr<DatasetIterator>> in_;
  size_t left_;
};

class SamplingIterator : public DatasetIterator {
 public:
  SamplingIterator(const Dataset::Inputs& in, float rate, SeedPair seeds)
      : rate_(rate), random_(Philox(seeds.first, seeds.second)), in_(in[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    do {
      if (c.cancelled()) return c.cancel()->Why();
      TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
    } while (!*end && !(UnitFloat(random_.Next()) < rate_));
    return {};
  }

 private:
  const float rate_;
  Philox32 random_;
  const std::unique_ptr<DatasetIterator> in_;
};

class RandomIterator : public DatasetIterator {
 public:
  RandomIterator(const Dataset::Inputs&, SeedPair seeds)
      : random_(Philox(seeds.first, seeds.second)) {}
  Status Next(KernelCtx&, Element* element, bool* end) override {
    *end = false;
    element->assign(1, Tensor::Scalar<int64_t>(random_.Next()));
    return {};
  }

 private:
  Philox32 random_;
};

class UniqueIterator : public DatasetIterator {
 public:
  explicit UniqueIterator(const Dataset::Inputs& in) : in_(in[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    for (;;) {
      if (c.cancelled()) return c.cancel()->Why();
      TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
      if (*end) return {};
      if (element->size() != 1)
        return InvalidArgument("UniqueDataset only supports inputs with a single component.");
      TENSH_ASSIGN(std::string message, ContentMessage((*element)[0]));
      if (seen_.insert(std::move(message)).second) return {};
    }
  }

 private:
  const std::unique_ptr<DatasetIterator> in_;
  std::set<std::string> seen_;
};

class NoErrorsIterator : public DatasetIterator {
 public:
  explicit NoErrorsIterator(const Dataset::Inputs& in) : in_(in[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    for (;;) {
      if (c.cancelled()) return c.cancel()->Why();
      *end = false;
      if (in_->Next(c, element, end).ok()) return {};
    }
  }

 private:
  const std::unique_ptr<DatasetIterator> in_;
};

class CountedIterator : public DatasetIterator {
 public:
  CountedIterator(const Dataset::Inputs& in, int64_t wanted)
      : wanted_(wanted), in_(in[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
    if (!*end) ++got_;
    if (*end && got_ != wanted_)
      return FailedPrecondition("Input dataset was expected to ", Contain(), " but contained only ",
                                got_, " elements.");
    if (!*end && wanted_ != kInfinite && got_ > wanted_)
      return FailedPrecondition("Input dataset was expected to ", Contain(),
                                " but contained at least ", got_, Elements(got_));
    return {};
  }

 private:
  static const char* Elements(int64_t n) { return n == 1 ? " element." : " elements."; }
  std::string Contain() const {
    return wanted_ == kInfinite
               ? "contain an infinite number of elements"
               : StrCat("contain ", wanted_, wanted_ == 1 ? " element" : " elements");
  }

  static constexpr int64_t kInfinite = -1;
  const int64_t wanted_;
  int64_t got_ = 0;
  const std::unique_ptr<DatasetIterator> in_;
};

// ---- kernels ----

template <class Iterator>
Status MakeOf(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  return GiveDataset(c, std::make_shared<Made<Iterator>>(Dataset::Inputs{std::move(input)}));
}

// The kernel of ops that change neither the elements nor their order: passes the dataset on.
Status GiveInput(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(DatasetIn(c, 0).status());
  c.SetOutput(0, c.in(0));
  return {};
}

template <int kCount>
Status GiveInputOfCount(KernelCtx& c) {
  TENSH_ASSIGN(const int64_t count, CountIn(c, kCount, "the number of threads"));
  if (count < 0) return InvalidArgument("the count of threads must be >= 0, got ", count);
  return GiveInput(c);
}

Result<SeedPair> SeedsIn(KernelCtx& c, int i) {
  TENSH_ASSIGN(const int64_t seed, CountIn(c, i, "seed"));
  TENSH_ASSIGN(const int64_t seed2, CountIn(c, i + 1, "seed2"));
  return SeedsOrSystems(seed, seed2);
}

struct StopState : KernelState {
  bool stops = false;
  void Read(PrepareCtx& c) { stops = c.attrs().Bool("stop_on_empty_dataset"); }
};

Status MakeDirected(KernelCtx& c) {
  Dataset::Inputs inputs;
  for (int i = 0; i < c.num_inputs(); ++i) {
    TENSH_ASSIGN(Source input, DatasetIn(c, i));
    inputs.push_back(std::move(input));
  }
  return GiveDataset(c, std::make_shared<Made<DirectedIterator, bool>>(std::move(inputs),
                                                                       c.state<StopState>().stops));
}

Status MakeSampling(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  TENSH_ASSIGN(const SeedPair seeds, SeedsIn(c, 2));
  return GiveDataset(c, std::make_shared<Made<SamplingIterator, float, SeedPair>>(
                            Dataset::Inputs{std::move(input)}, *c.in(1).data<float>(), seeds));
}

Status MakeRandom(KernelCtx& c) {
  TENSH_ASSIGN(const SeedPair seeds, SeedsIn(c, 0));
  return GiveDataset(c, std::make_shared<Made<RandomIterator, SeedPair>>(Dataset::Inputs{}, seeds));
}

Status MakeCounted(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  TENSH_ASSIGN(const int64_t count, CountIn(c, 1, "cardinality"));
  return GiveDataset(c, std::make_shared<Made<CountedIterator, int64_t>>(
                            Dataset::Inputs{std::move(input)}, count));
}

// ---- definitions ----

std::string Range(int stop) {
  return StrCat("tf.raw_ops.RangeDataset(start=0, stop=", stop,
                ", step=1, output_types=[tf.int64], output_shapes=[[]])");
}

std::string Example(const char* name, std::string_view arguments) {
  return StrCat("tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.", name, "(", arguments,
                ", output_types=[tf.int64], output_shapes=[[]]), output_types=[tf.int64], "
                "output_shapes=[[]])[0]");
}

OpSpec Spec(const char* name, const char* more, std::string_view before, std::string_view after,
            const std::string& doc, std::string_view arguments) {
  return {.name = name,
          .inputs = StrCat("input_dataset: variant", more),
          .outputs = "handle: variant",
          .attrs = StrCat(before, TENSH_DATASET_ATTRS, after),
          .doc = doc,
          .shape = DatasetShape,
          .no_gradient = true,
          .examples = {{Example(name, StrCat("input_dataset=", Range(1), arguments)), "0"}}};
}

constexpr char kMetadata[] = ", metadata: string = ''";
constexpr char kElementsDoc[] =
    " Elements have the types output_types and the shapes output_shapes.";

void RegisterNotes(OpRegistry& r) {
  const std::string same = "The elements of input_dataset. ";
  r.Op(Spec("OptionsDataset", "", "serialized_options: string, ", kMetadata,
            StrCat(same, "serialized_options are hints for TensorFlow's runtime.", kDatasetDoc),
            ", serialized_options=''"))
      .CpuAny(GiveInput);
  r.Op(Spec("AssertNextDataset", ", transformations: string", "", "",
            StrCat(same, "transformations are for TensorFlow's own tests.", kElementsDoc),
            ", transformations=['Range']"))
      .CpuAny(GiveInput);
  r.Op(Spec("MaxIntraOpParallelismDataset", ", max_intra_op_parallelism: int64", "", "",
            StrCat(same, "max_intra_op_parallelism is a hint for TensorFlow's runtime.",
                   kElementsDoc),
            ", max_intra_op_parallelism=1"))
      .CpuAny(GiveInputOfCount<1>);
  r.Op(Spec("PrivateThreadPoolDataset", ", num_threads: int64", "", "",
            StrCat(same, "num_threads is a hint for TensorFlow's runtime.", kElementsDoc),
            ", num_threads=1"))
      .CpuAny(GiveInputOfCount<1>);
  r.Op(Spec("FinalizeDataset", "", "has_captured_ref: bool = false, ", "",
            StrCat(same, "has_captured_ref is a hint for TensorFlow's runtime.", kElementsDoc), ""))
      .CpuAny(GiveInput);
}

}  // namespace

TENSH_OPS(data_choose) {
  RegisterNotes(r);
  OpSpec directed = Spec("DirectedInterleaveDataset", "", "",
                         ", N: int >= 1, stop_on_empty_dataset: bool = false", "", "");
  directed.inputs = "selector_input_dataset: variant, data_input_datasets: N * variant";
  directed.doc = StrCat(
      "Takes elements from N data_input_datasets; each element of selector_input_dataset is the "
      "number of the dataset to take the next one from. stop_on_empty_dataset: stop when one of "
      "them ends; otherwise it is skipped from then on.",
      kElementsDoc);
  directed.examples = {
      {Example("DirectedInterleaveDataset", StrCat("selector_input_dataset=", Range(1),
                                                   ", data_input_datasets=[", Range(1), "]")),
       "0"}};
  r.Op(std::move(directed)).CpuAny(MakeDirected, PrepareFrom<StopState>);
  OpSpec sampling = Spec("SamplingDataset", ", rate: float, seed: int64, seed2: int64", "", "",
                         StrCat("Elements of input_dataset, each of which is kept with the "
                                "probability rate. seed and seed2 determine the selection.",
                                kElementsDoc),
                         ", rate=1., seed=1, seed2=2");
  sampling.contract = "rate: scalar";
  r.Op(std::move(sampling)).CpuAny(MakeSampling);
  OpSpec random = Spec("RandomDataset", "", "", kMetadata, "", "");
  random.inputs = "seed: int64, seed2: int64";
  random.doc =
      StrCat("An infinite dataset of 32-bit random numbers. seed and seed2 determine the numbers.",
             kDatasetDoc);
  random.stateful = true;
  random.examples = {{Example("TakeDataset",
                              "count=1, input_dataset=tf.raw_ops.RandomDataset(seed=1, seed2=2, "
                              "output_types=[tf.int64], output_shapes=[[]])"),
                      "3878945999"}};
  r.Op(std::move(random)).CpuAny(MakeRandom);
  r.Op(Spec("UniqueDataset", "", "", kMetadata,
            StrCat("The elements of input_dataset without duplicates.", kDatasetDoc), ""))
      .CpuAny(MakeOf<UniqueIterator>);
  r.Op(Spec("IgnoreErrorsDataset", "", "", ", log_warning: bool = false",
            StrCat("The elements of input_dataset without those whose computation fails. "
                   "log_warning is for TensorFlow's own log.",
                   kElementsDoc),
            ""))
      .CpuAny(MakeOf<NoErrorsIterator>);
  r.Op(Spec("AssertCardinalityDataset", ", cardinality: int64", "", "",
            StrCat("The elements of input_dataset, after checking that their number is "
                   "cardinality, where -1 means infinitely many.",
                   kElementsDoc),
            ", cardinality=1"))
      .CpuAny(MakeCounted);
  for (const char* name :
       {"DirectedInterleaveDataset", "RandomDataset", "UniqueDataset", "IgnoreErrorsDataset",
        "AssertNextDataset", "MaxIntraOpParallelismDataset", "PrivateThreadPoolDataset"})
    r.Alias(StrCat("Experimental", name), name);
}

}  // namespace tensh::ops
