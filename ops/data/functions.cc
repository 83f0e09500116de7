// Datasets that apply a function to each element: map, filter, flat_map, interleave and reduce.
#include "ops/control/called_functions.h"
#include "ops/data/dataset.h"
#include "ops/op_file.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

using Element = std::vector<Tensor>;
using Source = std::shared_ptr<const Dataset>;

struct FunctionState : CallState {
  ElementSpec spec;
  Status ReadFunction(PrepareCtx& c, const char* attr) {
    TENSH_ASSIGN(spec, SpecOf(c));
    TENSH_ASSIGN(CalledFunction * f, FindFunction(c, c.attrs().Func(attr)));
    functions.push_back(f);
    return {};
  }
};
template <const char* const& kAttr>
struct FunctionOf : FunctionState {
  Status Read(PrepareCtx& c) { return ReadFunction(c, kAttr); }
};
constexpr const char* kF = "f";
constexpr const char* kPredicate = "predicate";

class FunctionData : public Dataset {
 public:
  enum Kind { kMap, kFilter, kFlatMap };
  FunctionData(Kind kind, Source input, ElementFunction f, ElementSpec spec)
      : Dataset({std::move(input)}), kind(kind), f(std::move(f)), spec(std::move(spec)) {}
  std::unique_ptr<DatasetIterator> Iterate() const override;

  const Kind kind;
  const ElementFunction f;
  const ElementSpec spec;
};

// Returns an iterator over the dataset that f returns for an element.
Result<std::unique_ptr<DatasetIterator>> IterateCall(KernelCtx& c, const ElementFunction& f,
                                                     const Element& element) {
  Element out;
  TENSH_RETURN_IF_ERROR(f.Call(c, element, &out));
  return IterateResult(out[0], "the function of a flat_map must return a dataset");
}

class FunctionIterator : public DatasetIterator {
 public:
  explicit FunctionIterator(const FunctionData& d)
      : kind_(d.kind), f_(d.f), spec_(d.spec), in_(d.inputs()[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    if (kind_ == FunctionData::kFlatMap) return NextFlat(c, element, end);
    for (;;) {
      if (c.cancelled()) return c.cancel()->Why();
      TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
      if (*end) return {};
      Element out;
      TENSH_RETURN_IF_ERROR(f_.Call(c, *element, &out));
      if (kind_ == FunctionData::kMap) {
        *element = std::move(out);
        return CheckElement(spec_, *element);
      }
      if (out[0].dtype() != DType::kBool || out[0].num_elements() != 1)
        return InvalidArgument("Filter predicate `f` must return a scalar bool, but its result is ",
                               Name(out[0].dtype()), " of shape ", out[0].shape(), ".");
      if (*out[0].data<bool>()) return {};
    }
  }

 private:
  Status NextFlat(KernelCtx& c, Element* element, bool* end) {
    for (;;) {
      if (c.cancelled()) return c.cancel()->Why();
      if (inner_) {
        TENSH_RETURN_IF_ERROR(inner_->Next(c, element, end));
        if (!*end) return {};
        inner_ = nullptr;
      }
      TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
      if (*end) return {};
      TENSH_ASSIGN(inner_, IterateCall(c, f_, *element));
    }
  }

  const FunctionData::Kind kind_;
  const ElementFunction f_;
  const ElementSpec spec_;
  const std::unique_ptr<DatasetIterator> in_;
  std::unique_ptr<DatasetIterator> inner_;
};

std::unique_ptr<DatasetIterator> FunctionData::Iterate() const {
  return std::make_unique<FunctionIterator>(*this);
}

// The inputs are the dataset, the captured tensors, and kAfter more.
template <FunctionData::Kind kKind, int kAfter = 0>
Status MakeWith(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  const auto& state = c.state<FunctionState>();
  ElementFunction f{
      state.functions[0], {}, kKind == FunctionData::kMap ? state.spec.types.size() : 1};
  for (int i = 1; i < c.num_inputs() - kAfter; ++i) f.captured.push_back(c.in(i));
  return GiveDataset(
      c, std::make_shared<FunctionData>(kKind, std::move(input), std::move(f), state.spec));
}

// Interleaves `cycle` datasets: takes `block` elements from each in turn.
class InterleaveIterator : public DatasetIterator {
 public:
  InterleaveIterator(const Dataset::Inputs& in, const ElementFunction& f, int64_t cycle,
                     int64_t block)
      : f_(f), cycle_(cycle), block_(block), in_(in[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    while (!over_ || open_ > 0) {
      if (c.cancelled()) return c.cancel()->Why();
      if (at_ < static_cast<int64_t>(places_.size()) && places_[static_cast<size_t>(at_)]) {
        auto& place = places_[static_cast<size_t>(at_)];
        TENSH_RETURN_IF_ERROR(place->Next(c, element, end));
        if (!*end) {
          if (++taken_ == block_) GoOn();
          return {};
        }
        place = nullptr;
        --open_;
        GoOn();
      } else if (!over_) {
        TENSH_RETURN_IF_ERROR(in_->Next(c, element, &over_));
        if (over_) continue;
        if (at_ == static_cast<int64_t>(places_.size())) places_.emplace_back();
        TENSH_ASSIGN(places_[static_cast<size_t>(at_)], IterateCall(c, f_, *element));
        ++open_;
      } else {
        GoOn();
      }
    }
    *end = true;
    return {};
  }

 private:
  // Advances to the next dataset of the cycle. Slots are created on demand, because a cycle may be
  // longer than the input.
  void GoOn() {
    taken_ = 0;
    const int64_t places = over_ ? static_cast<int64_t>(places_.size()) : cycle_;
    at_ = at_ + 1 < places ? at_ + 1 : 0;
  }

  const ElementFunction f_;
  const int64_t cycle_, block_;
  const std::unique_ptr<DatasetIterator> in_;
  std::vector<std::unique_ptr<DatasetIterator>> places_;
  int64_t at_ = 0, taken_ = 0, open_ = 0;
  bool over_ = false;  // the input is at its end
};

// The inputs are the dataset, the captured tensors, cycle_length, block_length, and kMore others.
template <int kMore>
Status MakeInterleave(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  const int last = c.num_inputs() - kMore;
  TENSH_ASSIGN(int64_t cycle, CountIn(c, last - 2, "cycle_length"));
  TENSH_ASSIGN(const int64_t block, CountIn(c, last - 1, "block_length"));
  constexpr int64_t kChosen = 4;  // the cycle length for -1, which leaves the choice to the runtime
  if (kMore > 0 && cycle == -1) cycle = kChosen;
  if (cycle <= 0) return InvalidArgument("`cycle_length` must be > 0, got ", cycle);
  if (block <= 0) return InvalidArgument("`block_length` must be > 0, got ", block);
  ElementFunction f{c.state<FunctionState>().functions[0], {}, 1};
  for (int i = 1; i < last - 2; ++i) f.captured.push_back(c.in(i));
  return GiveDataset(c,
                     std::make_shared<Made<InterleaveIterator, ElementFunction, int64_t, int64_t>>(
                         Dataset::Inputs{std::move(input)}, std::move(f), cycle, block));
}

struct ReduceState : FunctionState {
  size_t n_state = 0;
  Status Read(PrepareCtx& c) {
    TENSH_RETURN_IF_ERROR(ReadFunction(c, "f"));
    n_state = c.attrs().Get<AttrValue::Types>("Tstate").size();
    return {};
  }
};

Status Reduce(KernelCtx& c) {
  const auto& state = c.state<ReduceState>();
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  ElementFunction f{state.functions[0], {}, state.n_state};
  Element values, element;
  for (int i = 1; i < c.num_inputs(); ++i)
    (static_cast<size_t>(i) <= state.n_state ? values : f.captured).push_back(c.in(i));
  const std::unique_ptr<DatasetIterator> iterator = input->Iterate();
  for (bool end = false;;) {
    if (c.cancelled()) return c.cancel()->Why();
    TENSH_RETURN_IF_ERROR(iterator->Next(c, &element, &end));
    if (end) break;
    Element args = std::move(values);
    args.insert(args.end(), element.begin(), element.end());
    TENSH_RETURN_IF_ERROR(f.Call(c, std::move(args), &values));
  }
  TENSH_RETURN_IF_ERROR(CheckElement(state.spec, values));
  return GiveResults(c, *state.functions[0], values);
}

Status ShapesOfElements(ShapeCtx& c) {
  const auto& shapes = c.attrs().Get<AttrValue::Shapes>("output_shapes");
  for (int i = 0; i < c.num_outputs() && static_cast<size_t>(i) < shapes.size(); ++i)
    c.Set(i, shapes[static_cast<size_t>(i)]);
  return {};
}

OpSpec Spec(const char* name, const char* extra_input, OpText attrs, OpText doc) {
  return {
      .name = name,
      .inputs = std::string("input_dataset: variant, other_arguments: Targuments") + extra_input,
      .outputs = "handle: variant",
      .attrs = attrs,
      .doc = doc,
      .shape = DatasetShape,
      .no_gradient = true,
      .examples = {{StrCat("tf.raw_ops.", name, ".__name__"), name}}};
}

}  // namespace

std::shared_ptr<Dataset> MappedData(Source input, ElementFunction f, ElementSpec spec) {
  return std::make_shared<FunctionData>(FunctionData::kMap, std::move(input), std::move(f),
                                        std::move(spec));
}

TENSH_OPS(data_functions) {
  const std::string common = "Targuments: list(type) >= 0, " TENSH_DATASET_ATTRS;
  const std::string args =
      " takes the components of an element of input_dataset, followed by other_arguments, of the "
      "types Targuments.";
  const std::string map = "A dataset of the results of f for each element. f" + args;
  const std::string how = " are hints for TensorFlow's runtime.";
  r.Op(Spec("MapDataset", "",
            "f: func, " + common +
                ", use_inter_op_parallelism: bool = true, preserve_cardinality: bool = false, "
                "force_synchronous: bool = false, metadata: string = ''",
            map + " use_inter_op_parallelism, preserve_cardinality and force_synchronous" + how +
                kDatasetDoc))
      .CpuAny(MakeWith<FunctionData::kMap>, PrepareFrom<FunctionOf<kF>>);
  r.Op(Spec("ParallelMapDataset", ", num_parallel_calls: int32",
            "f: func, " + common +
                ", use_inter_op_parallelism: bool = true, sloppy: bool = false, "
                "preserve_cardinality: bool = false, metadata: string = ''",
            map + " num_parallel_calls, use_inter_op_parallelism, sloppy and preserve_cardinality" +
                how + kDatasetDoc))
      .CpuAny(MakeWith<FunctionData::kMap, 1>, PrepareFrom<FunctionOf<kF>>);
  r.Op(Spec("ParallelMapDatasetV2", ", num_parallel_calls: int64",
            "f: func, " + common +
                ", use_inter_op_parallelism: bool = true, deterministic: string = 'default', "
                "preserve_cardinality: bool = false, use_unbounded_threadpool: bool = false, "
                "metadata: string = ''",
            map +
                " num_parallel_calls, use_inter_op_parallelism, deterministic, "
                "preserve_cardinality and use_unbounded_threadpool" +
                how + kDatasetDoc))
      .CpuAny(MakeWith<FunctionData::kMap, 1>, PrepareFrom<FunctionOf<kF>>);
  r.Op(Spec(
           "FilterDataset", "", "predicate: func, " + common + ", metadata: string = ''",
           "A dataset of the elements for which predicate is true. predicate" + args + kDatasetDoc))
      .CpuAny(MakeWith<FunctionData::kFilter>, PrepareFrom<FunctionOf<kPredicate>>);
  r.Op(Spec("ParallelFilterDataset", ", num_parallel_calls: int64",
            "predicate: func, deterministic: string = 'default', " + common +
                ", metadata: string = ''",
            "A dataset of the elements for which predicate is true. predicate" + args +
                " num_parallel_calls and deterministic" + how + kDatasetDoc))
      .CpuAny(MakeWith<FunctionData::kFilter, 1>, PrepareFrom<FunctionOf<kPredicate>>);
  r.Op(Spec("FlatMapDataset", "", "f: func, " + common + ", metadata: string = ''",
            "The elements of the datasets that f returns, one dataset after the other. f" + args +
                kDatasetDoc))
      .CpuAny(MakeWith<FunctionData::kFlatMap>, PrepareFrom<FunctionOf<kF>>);
  const std::string interleave =
      "The elements of the datasets that f returns, interleaved: cycle_length datasets at a time, "
      "with block_length elements of each in turn. f" +
      args;
  const char* const cycle = ", cycle_length: int64, block_length: int64";
  const std::string parallel = StrCat(cycle, ", num_parallel_calls: int64");
  r.Op(Spec("InterleaveDataset", cycle, "f: func, " + common + ", metadata: string = ''",
            interleave + kDatasetDoc))
      .CpuAny(MakeInterleave<0>, PrepareFrom<FunctionOf<kF>>);
  r.Op(Spec("ParallelInterleaveDataset",
            StrCat(cycle,
                   ", sloppy: bool, buffer_output_elements: int64, prefetch_input_elements: int64")
                .c_str(),
            "f: func, " + common + ", metadata: string = ''",
            interleave + " sloppy, buffer_output_elements and prefetch_input_elements" + how +
                kDatasetDoc))
      .CpuAny(MakeInterleave<3>, PrepareFrom<FunctionOf<kF>>);
  r.Alias("ExperimentalParallelInterleaveDataset", "ParallelInterleaveDataset");
  r.Op(Spec("ParallelInterleaveDatasetV2", parallel.c_str(),
            "f: func, " + common + ", sloppy: bool = false, metadata: string = ''",
            interleave + " num_parallel_calls and sloppy" + how + kDatasetDoc))
      .CpuAny(MakeInterleave<1>, PrepareFrom<FunctionOf<kF>>);
  r.Op(Spec("ParallelInterleaveDatasetV3", parallel.c_str(),
            "f: func, deterministic: string = 'default', " + common + ", metadata: string = ''",
            interleave + " num_parallel_calls and deterministic" + how + kDatasetDoc))
      .CpuAny(MakeInterleave<1>, PrepareFrom<FunctionOf<kF>>);
  r.Op(Spec("ParallelInterleaveDatasetV4",
            StrCat(cycle,
                   ", buffer_output_elements: int64, prefetch_input_elements: int64, "
                   "num_parallel_calls: int64")
                .c_str(),
            "f: func, deterministic: string = 'default', " + common + ", metadata: string = ''",
            interleave +
                " buffer_output_elements, prefetch_input_elements, num_parallel_calls and "
                "deterministic" +
                how + kDatasetDoc))
      .CpuAny(MakeInterleave<3>, PrepareFrom<FunctionOf<kF>>);
  r.Op({.name = "ReduceDataset",
        .inputs = "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments",
        .outputs = "components: output_types",
        .attrs =
            "f: func, Tstate: list(type) >= 1, Targuments: list(type) >= 0, " TENSH_DATASET_ATTRS
            ", use_inter_op_parallelism: bool = true, metadata: string = ''",
        .doc = "Reduces a dataset to one state. The state begins as initial_state, of the types "
               "Tstate. For each element, f takes the state, the components of the element of "
               "input_dataset and other_arguments, of the types Targuments, and returns the next "
               "state. use_inter_op_parallelism is a hint for TensorFlow's runtime." +
               std::string(kDatasetDoc),
        .shape = ShapesOfElements,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.ReduceDataset.__name__", "ReduceDataset"}}})
      .CpuAny(Reduce, PrepareFrom<ReduceState>);
}

}  // namespace tensh::ops
