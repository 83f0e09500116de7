// Datasets whose functions see more than one element: scan, take_while, group_by_window,
// group_by_reducer and map_and_batch.
#include <deque>
#include <map>

#include "ops/control/called_functions.h"
#include "ops/data/dataset.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

using Element = std::vector<Tensor>;
using Source = std::shared_ptr<const Dataset>;

// The functions of a node, with the number of state tensors and of captured inputs of each
// function.
struct GroupState : CallState {
  ElementSpec spec;
  size_t n_state = 0;
  std::vector<size_t> captured;
};

template <class... Attrs>
Result<std::unique_ptr<KernelState>> PrepareFor(PrepareCtx& c, Attrs... functions) {
  auto state = std::make_unique<GroupState>();
  TENSH_ASSIGN(state->spec, SpecOf(c));
  if (c.attrs().Find("Tstate")) state->n_state = c.attrs().Get<AttrValue::Types>("Tstate").size();
  for (const char* function : {functions...}) {
    TENSH_ASSIGN(CalledFunction * f, FindFunction(c, c.attrs().Func(function)));
    state->functions.push_back(f);
    const std::string types = c.attrs().Find("Targuments")
                                  ? std::string("Targuments")
                                  : StrCat("T", function, "_other_arguments");
    state->captured.push_back(c.attrs().Get<AttrValue::Types>(types).size());
  }
  return std::unique_ptr<KernelState>(std::move(state));
}
Result<std::unique_ptr<KernelState>> PrepareMap(PrepareCtx& c) { return PrepareFor(c, "f"); }
Result<std::unique_ptr<KernelState>> PrepareWhile(PrepareCtx& c) {
  return PrepareFor(c, "predicate");
}
Result<std::unique_ptr<KernelState>> PrepareWindows(PrepareCtx& c) {
  return PrepareFor(c, "key_func", "reduce_func", "window_size_func");
}
Result<std::unique_ptr<KernelState>> PrepareReducer(PrepareCtx& c) {
  return PrepareFor(c, "key_func", "init_func", "reduce_func", "finalize_func");
}

// Returns function i of the node with its captured inputs, which begin at input *input. Advances
// *input.
ElementFunction Captured(KernelCtx& c, size_t i, size_t results, int* input) {
  const auto& state = c.state<GroupState>();
  ElementFunction f{state.functions[i], {}, results};
  for (size_t k = 0; k < state.captured[i]; ++k) f.captured.push_back(c.in((*input)++));
  return f;
}

template <class T>
Result<T> ScalarOf(const Element& out, const char* what) {
  if (out[0].dtype() == kDTypeOf<T> && out[0].num_elements() == 1) return *out[0].data<T>();
  return InvalidArgument(what, " must return a scalar ", Name(kDTypeOf<T>), ", but its result is ",
                         Name(out[0].dtype()), " of shape ", out[0].shape(), ".");
}

// ---- one element after the other ----

class WhileIterator : public DatasetIterator {
 public:
  WhileIterator(const Dataset::Inputs& in, ElementFunction predicate)
      : predicate_(std::move(predicate)), in_(in[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    *end = over_;
    if (*end) return {};
    TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
    if (*end) return {};
    Element out;
    TENSH_RETURN_IF_ERROR(predicate_.Call(c, *element, &out));
    TENSH_ASSIGN(const bool goes_on, ScalarOf<bool>(out, "`predicate`"));
    *end = over_ = !goes_on;
    return {};
  }

 private:
  const ElementFunction predicate_;
  const std::unique_ptr<DatasetIterator> in_;
  bool over_ = false;
};

class ScanIterator : public DatasetIterator {
 public:
  ScanIterator(const Dataset::Inputs& in, ElementFunction f, Element state, ElementSpec spec)
      : f_(std::move(f)), state_(std::move(state)), spec_(std::move(spec)), in_(in[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
    if (*end) return {};
    Element arguments = state_, out;
    arguments.insert(arguments.end(), element->begin(), element->end());
    TENSH_RETURN_IF_ERROR(f_.Call(c, std::move(arguments), &out));
    const auto split = out.begin() + static_cast<std::ptrdiff_t>(state_.size());
    for (size_t i = 0; i < state_.size(); ++i)
      if (out[i].dtype() != state_[i].dtype())
        return InvalidArgument("Got wrong type for scan_func return value ", i, " (expected ",
                               Name(state_[i].dtype()), ", got ", Name(out[i].dtype()), ").");
    state_.assign(out.begin(), split);
    element->assign(split, out.end());
    return CheckElement(spec_, *element);
  }

 private:
  const ElementFunction f_;
  Element state_;
  const ElementSpec spec_;
  const std::unique_ptr<DatasetIterator> in_;
};

// ---- by key ----

// Emits a dataset of the elements with the same key as soon as there are enough of them.
struct Windowing {
  ElementFunction key, reduce, size;
};

class GroupIterator : public DatasetIterator {
 public:
  GroupIterator(const Dataset::Inputs& in, Windowing w) : w_(std::move(w)), in_(in[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    for (;;) {
      if (c.cancelled()) return c.cancel()->Why();
      if (out_) {
        TENSH_RETURN_IF_ERROR(out_->Next(c, element, end));
        if (!*end) return {};
        out_ = nullptr;
      }
      if (over_) {
        *end = groups_.empty();
        if (*end) return {};
        auto last = groups_.extract(groups_.begin());
        TENSH_RETURN_IF_ERROR(Give(c, last.key(), std::move(last.mapped().elements)));
        continue;
      }
      TENSH_RETURN_IF_ERROR(in_->Next(c, element, &over_));
      if (!over_) TENSH_RETURN_IF_ERROR(Take(c, std::move(*element)));
    }
  }

 private:
  struct Group {
    int64_t size;
    std::vector<Element> elements;
  };

  Status Take(KernelCtx& c, Element element) {
    Element out;
    TENSH_RETURN_IF_ERROR(w_.key.Call(c, element, &out));
    TENSH_ASSIGN(const int64_t key, ScalarOf<int64_t>(out, "`key_func`"));
    auto at = groups_.find(key);
    if (at == groups_.end()) {
      TENSH_RETURN_IF_ERROR(w_.size.Call(c, {Tensor::Scalar(key)}, &out));
      TENSH_ASSIGN(const int64_t size, ScalarOf<int64_t>(out, "`window_size_func`"));
      if (size <= 0)
        return InvalidArgument("Window size must be greater than zero, but got ", size, ".");
      at = groups_.emplace(key, Group{size, {}}).first;
    }
    at->second.elements.push_back(std::move(element));
    if (static_cast<int64_t>(at->second.elements.size()) < at->second.size) return {};
    auto full = groups_.extract(at);
    return Give(c, key, std::move(full.mapped().elements));
  }

  Status Give(KernelCtx& c, int64_t key, std::vector<Element> elements) {
    Element out;
    TENSH_RETURN_IF_ERROR(w_.reduce.Call(
        c, {Tensor::Scalar(key), VariantTensor(ListData(std::move(elements)))}, &out));
    TENSH_ASSIGN(out_, IterateResult(out[0], "`reduce_func` must return a Dataset."));
    return {};
  }

  const Windowing w_;
  const std::unique_ptr<DatasetIterator> in_;
  std::map<int64_t, Group> groups_;
  std::unique_ptr<DatasetIterator> out_;
  bool over_ = false;
};

// Reduces the elements of each key to one state and emits it at the end.
struct Reducer {
  ElementFunction key, init, reduce, finalize;
};

class ReducerIterator : public DatasetIterator {
 public:
  ReducerIterator(const Dataset::Inputs& in, Reducer r, ElementSpec spec)
      : r_(std::move(r)), spec_(std::move(spec)), in_(in[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    TENSH_RETURN_IF_ERROR(TakeAll(c));
    *end = states_.empty();
    if (*end) return {};
    auto first = states_.extract(states_.begin());
    TENSH_RETURN_IF_ERROR(r_.finalize.Call(c, std::move(first.mapped()), element));
    return CheckElement(spec_, *element);
  }

 private:
  Status TakeAll(KernelCtx& c) {
    while (!over_) {
      if (c.cancelled()) return c.cancel()->Why();
      Element element, out;
      TENSH_RETURN_IF_ERROR(in_->Next(c, &element, &over_));
      if (over_) break;
      TENSH_RETURN_IF_ERROR(r_.key.Call(c, element, &out));
      TENSH_ASSIGN(const int64_t key, ScalarOf<int64_t>(out, "`key_func`"));
      auto [at, fresh] = states_.try_emplace(key);
      if (fresh) TENSH_RETURN_IF_ERROR(r_.init.Call(c, {Tensor::Scalar(key)}, &at->second));
      Element arguments = at->second;
      arguments.insert(arguments.end(), element.begin(), element.end());
      TENSH_RETURN_IF_ERROR(r_.reduce.Call(c, std::move(arguments), &at->second));
    }
    return {};
  }

  const Reducer r_;
  const ElementSpec spec_;
  const std::unique_ptr<DatasetIterator> in_;
  std::map<int64_t, Element> states_;
  bool over_ = false;
};

// ---- kernels ----

Status MakeWhile(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  int at = 1;
  return GiveDataset(c, std::make_shared<Made<WhileIterator, ElementFunction>>(
                            Dataset::Inputs{std::move(input)}, Captured(c, 0, 1, &at)));
}

Status MakeScan(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  const auto& state = c.state<GroupState>();
  Element values;
  int at = 1;
  while (values.size() < state.n_state) values.push_back(c.in(at++));
  ElementFunction f = Captured(c, 0, state.n_state + state.spec.types.size(), &at);
  return GiveDataset(
      c, std::make_shared<Made<ScanIterator, ElementFunction, Element, ElementSpec>>(
             Dataset::Inputs{std::move(input)}, std::move(f), std::move(values), state.spec));
}

Status MakeMapAndBatch(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  int at = 1;
  ElementFunction f = Captured(c, 0, c.state<GroupState>().spec.types.size(), &at);
  TENSH_ASSIGN(const int64_t size, CountIn(c, at, "batch_size"));
  TENSH_ASSIGN(const int64_t calls, CountIn(c, at + 1, "num_parallel_calls"));
  if (size <= 0) return InvalidArgument("batch_size must be greater than zero.");
  if (calls <= 0 && calls != -1)
    return InvalidArgument("num_parallel_calls must be greater than zero.");
  if (c.in(at + 2).rank() != 0) return InvalidArgument("drop_remainder must be a scalar");
  ElementSpec spec = c.state<GroupState>().spec;  // of batches; shapes of elements are not given
  spec.shapes.assign(spec.types.size(), Shape::Unknown());
  auto mapped = MappedData(std::move(input), std::move(f), std::move(spec));
  return GiveDataset(c, BatchedData(std::move(mapped), size, *c.in(at + 2).data<bool>()));
}

Status MakeGroups(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  int at = 1;
  Windowing w;
  w.key = Captured(c, 0, 1, &at);
  w.reduce = Captured(c, 1, 1, &at);
  w.size = Captured(c, 2, 1, &at);
  return GiveDataset(c, std::make_shared<Made<GroupIterator, Windowing>>(
                            Dataset::Inputs{std::move(input)}, std::move(w)));
}

Status MakeReducer(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  const auto& state = c.state<GroupState>();
  TENSH_ASSIGN(const size_t parts, state.functions[1]->NumResults());
  int at = 1;
  Reducer r;
  r.key = Captured(c, 0, 1, &at);
  r.init = Captured(c, 1, parts, &at);
  r.reduce = Captured(c, 2, parts, &at);
  r.finalize = Captured(c, 3, state.spec.types.size(), &at);
  return GiveDataset(c, std::make_shared<Made<ReducerIterator, Reducer, ElementSpec>>(
                            Dataset::Inputs{std::move(input)}, std::move(r), state.spec));
}

// ---- definitions ----

constexpr char kArguments[] =
    " takes the components of an element of input_dataset, followed by other_arguments, of the "
    "types Targuments.";

OpSpec Spec(const char* name, const char* inputs, const std::string& attrs,
            const std::string& doc) {
  return {.name = name,
          .inputs = StrCat("input_dataset: variant", inputs),
          .outputs = "handle: variant",
          .attrs = attrs,
          .doc = doc,
          .shape = DatasetShape,
          .no_gradient = true,
          .examples = {{StrCat("tf.raw_ops.", name, ".__name__"), name}}};
}

// The texts that describe several functions: as inputs, as attributes, their types and the doc.
struct Parts {
  std::string inputs, functions, types, doc;
};
Parts PartsOf(std::initializer_list<const char*> functions) {
  Parts parts;
  for (const std::string f : functions) {
    parts.inputs += StrCat(", ", f, "_other_arguments: T", f, "_other_arguments");
    parts.functions += StrCat(f, ": func, ");
    parts.types += StrCat("T", f, "_other_arguments: list(type) >= 0, ");
    parts.doc += StrCat(parts.doc.empty() ? " " : ", ", f, "_other_arguments of the types T", f,
                        "_other_arguments");
  }
  parts.doc += " are passed to these functions as their last arguments.";
  return parts;
}

void RegisterGroups(OpRegistry& r) {
  const Parts windows = PartsOf({"key_func", "reduce_func", "window_size_func"});
  r.Op(Spec(
           "GroupByWindowDataset", windows.inputs.c_str(),
           StrCat(windows.functions, windows.types, TENSH_DATASET_ATTRS, ", metadata: string = ''"),
           StrCat("Groups elements by key and reduces each group. key_func returns the key of an "
                  "element of input_dataset, and window_size_func the size of the groups of a key. "
                  "reduce_func takes a key and the dataset of a group and returns a dataset, whose "
                  "elements are the result.",
                  windows.doc, kDatasetDoc)))
      .CpuAny(MakeGroups, PrepareWindows);
  const Parts reducer = PartsOf({"key_func", "init_func", "reduce_func", "finalize_func"});
  OpSpec groups = Spec(
      "GroupByReducerDataset", reducer.inputs.c_str(),
      StrCat(reducer.functions, reducer.types, TENSH_DATASET_ATTRS),
      StrCat("Reduces the elements of each key to one element. key_func returns the key of an "
             "element of input_dataset, init_func the initial state of a key, reduce_func the next "
             "state for a state and an element, and finalize_func the result for the last state.",
             reducer.doc, " Elements have the types output_types and the shapes output_shapes."));
  groups.stateful = true;
  r.Op(std::move(groups)).CpuAny(MakeReducer, PrepareReducer);
}

}  // namespace

TENSH_OPS(data_groups) {
  const std::string common = "Targuments: list(type) >= 0, " TENSH_DATASET_ATTRS;
  const std::string metadata = ", metadata: string = ''";
  RegisterGroups(r);
  r.Op(Spec("TakeWhileDataset", ", other_arguments: Targuments",
            "predicate: func, " + common + metadata,
            StrCat("The elements of input_dataset before the first one for which predicate is "
                   "false. predicate",
                   kArguments, kDatasetDoc)))
      .CpuAny(MakeWhile, PrepareWhile);
  r.Op(Spec("ScanDataset", ", initial_state: Tstate, other_arguments: Targuments",
            "f: func, Tstate: list(type) >= 1, " + common +
                ", preserve_cardinality: bool = false, use_default_device: bool = true" + metadata,
            StrCat("The results of f for each element, with a state that is carried along. f takes "
                   "the state, which begins as initial_state, of the types Tstate, the components "
                   "of an element of input_dataset and other_arguments, of the types Targuments. "
                   "It returns the next state and an element. preserve_cardinality and "
                   "use_default_device are hints for TensorFlow's runtime.",
                   kDatasetDoc)))
      .CpuAny(MakeScan, PrepareMap);
  r.Op(Spec("MapAndBatchDataset",
            ", other_arguments: Targuments, batch_size: int64, num_parallel_calls: int64, "
            "drop_remainder: bool",
            "f: func, " + common + ", preserve_cardinality: bool = false" + metadata,
            StrCat(
                "Batches of batch_size results of f. drop_remainder drops a smaller last batch. f",
                kArguments,
                " num_parallel_calls and preserve_cardinality are hints for TensorFlow's runtime.",
                kDatasetDoc)))
      .CpuAny(MakeMapAndBatch, PrepareMap);
  for (const char* name : {"GroupByWindowDataset", "GroupByReducerDataset", "TakeWhileDataset",
                           "ScanDataset", "MapAndBatchDataset"})
    r.Alias(StrCat("Experimental", name), name);
}

}  // namespace tensh::ops
