// Iterators: positions in datasets, which the session keeps between steps.
#include <atomic>
#include <mutex>
#include <thread>

#include "ops/control/called_functions.h"
#include "ops/control/optional_value.h"
#include "ops/data/dataset.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

class Iterator : public Resource {
 public:
  explicit Iterator(ElementSpec spec) : spec_(std::move(spec)) {}

  Status Start(KernelCtx& c, const std::shared_ptr<const Dataset>& dataset) {
    TENSH_RETURN_IF_ERROR(Lock(c));
    const Turn turn(*this);
    place_ = dataset->Iterate();
    return {};
  }
  // Stores the next element. Only one step at a time can advance an iterator.
  Status Next(KernelCtx& c, std::vector<Tensor>* element, bool* end) {
    TENSH_RETURN_IF_ERROR(Lock(c));
    {
      const Turn turn(*this);
      if (!place_)
        return FailedPrecondition(
            "GetNext() failed because the iterator has not been initialized. Ensure that you have "
            "run the initializer operation for this iterator before getting the next element.");
      TENSH_RETURN_IF_ERROR(place_->Next(c, element, end));
    }
    if (*end || spec_.types.empty()) return {};
    return CheckElement(spec_, *element);
  }
  // Starts the iterator with the dataset that `make` returns, unless it was started before.
  Status StartOnce(KernelCtx& c,
                   const std::function<Result<std::shared_ptr<const Dataset>>()>& make) {
    TENSH_RETURN_IF_ERROR(Lock(c));
    const Turn turn(*this);
    if (place_) return {};
    TENSH_ASSIGN(auto dataset, make());
    place_ = dataset->Iterate();
    return {};
  }
  const ElementSpec& spec() const { return spec_; }

 private:
  // Releases the lock that Lock acquired, even if a kernel exits by an exception.
  class Turn {
   public:
    explicit Turn(Iterator& of) : of_(of) {}
    ~Turn() { of_.Unlock(); }
    Turn(const Turn&) = delete;

   private:
    Iterator& of_;
  };
  // Acquires the lock. Functions run while it is held. Such a function may request this iterator,
  // which is detected, or one that waits for this one; polling lets a cancelled step end the wait.
  Status Lock(KernelCtx& c) {
    if (owner_.load() == std::this_thread::get_id())
      return FailedPrecondition(
          "an element of an iterator was requested while it is being computed");
    while (!mu_.try_lock_for(std::chrono::milliseconds(20))) {
      if (c.cancelled()) return c.cancel()->Why();
    }
    owner_.store(std::this_thread::get_id());
    return {};
  }
  void Unlock() {
    owner_.store(std::thread::id());
    mu_.unlock();
  }

  const ElementSpec spec_;
  std::timed_mutex mu_;
  std::atomic<std::thread::id> owner_{};
  std::unique_ptr<DatasetIterator> place_;  // guarded by mu_
};

struct IteratorState : KernelState {
  std::shared_ptr<Iterator> iterator;
  std::string name;
  CalledFunction* factory = nullptr;  // creates the dataset of a OneShotIterator
  ResourceTable* table = nullptr;
  ElementSpec spec;
};

Tensor HandleOf(std::shared_ptr<Iterator> iterator, const std::string& name) {
  return Tensor::Scalar<ResourceHandle>({std::move(iterator), name});
}

// The resource table belongs to the session, which outlives its plans.
Result<std::unique_ptr<KernelState>> PrepareIterator(PrepareCtx& c) {
  auto state = std::make_unique<IteratorState>();
  TENSH_ASSIGN(state->spec, SpecOf(c));
  const AttrValue* shared = c.attrs().Find("shared_name");
  const std::string* name = shared ? shared->Find<std::string>() : nullptr;
  state->name = name && !name->empty() ? *name : std::string(c.node_name());
  state->iterator = c.resources().FindOrMake<Iterator>(
      state->name, [&] { return std::make_shared<Iterator>(state->spec); });
  if (!state->iterator)
    return InvalidArgument("the resource '", state->name, "' is not an iterator");
  if (const AttrValue* factory = c.attrs().Find("dataset_factory")) {
    TENSH_ASSIGN(state->factory, FindFunction(c, *factory->Find<FuncAttr>()));
  }
  return std::unique_ptr<KernelState>(std::move(state));
}

Result<std::shared_ptr<const Dataset>> MadeBy(KernelCtx& c, CalledFunction& factory) {
  Tensor made;
  TENSH_RETURN_IF_ERROR(factory.Run(c, {}, {&made, 1}));
  const bool is_variant = made.dtype() == DType::kVariant && made.rank() == 0;
  auto dataset =
      is_variant ? std::dynamic_pointer_cast<const Dataset>(made.data<Variant>()->value) : nullptr;
  if (dataset) return dataset;
  return InvalidArgument(
      "The `dataset_factory` function must return a single scalar of dtype DT_VARIANT.");
}

Status GiveIterator(KernelCtx& c) {
  const auto& state = c.state<IteratorState>();
  if (state.factory)
    TENSH_RETURN_IF_ERROR(state.iterator->StartOnce(c, [&] { return MadeBy(c, *state.factory); }));
  c.SetOutput(0, HandleOf(state.iterator, state.name));
  return {};
}

Result<std::unique_ptr<KernelState>> PrepareSpec(PrepareCtx& c) {
  auto state = std::make_unique<IteratorState>();
  TENSH_ASSIGN(state->spec, SpecOf(c));
  return std::unique_ptr<KernelState>(std::move(state));
}

// Creates a new iterator in each step. It lives as long as its handle.
Status GiveAnonymous(KernelCtx& c) {
  c.SetOutput(
      0, HandleOf(std::make_shared<Iterator>(c.state<IteratorState>().spec), "AnonymousIterator"));
  if (c.num_outputs() > 1) c.SetOutput(1, VariantTensor(nullptr));
  return {};
}

Result<std::shared_ptr<Iterator>> IteratorIn(KernelCtx& c, int i) {
  if (c.in(i).num_elements() != 1)
    return InvalidArgument("the handle of an iterator must be a scalar, but has shape ",
                           c.in(i).shape());
  auto iterator = std::dynamic_pointer_cast<Iterator>(c.in(i).data<ResourceHandle>()->resource);
  if (!iterator) return InvalidArgument("the handle is not that of an iterator");
  return iterator;
}

Status MakeIterator(KernelCtx& c) {
  TENSH_ASSIGN(auto dataset, DatasetIn(c, 0));
  TENSH_ASSIGN(auto iterator, IteratorIn(c, 1));
  return iterator->Start(c, dataset);
}

Status GetNext(KernelCtx& c) {
  TENSH_ASSIGN(auto iterator, IteratorIn(c, 0));
  std::vector<Tensor> element;
  bool end = false;
  TENSH_RETURN_IF_ERROR(iterator->Next(c, &element, &end));
  if (end) return OutOfRange("End of sequence");
  TENSH_RETURN_IF_ERROR(CheckElement(c.state<IteratorState>().spec, element));
  for (size_t i = 0; i < element.size(); ++i)
    c.SetOutput(static_cast<int>(i), std::move(element[i]));
  return {};
}

Status GetNextOptional(KernelCtx& c) {
  TENSH_ASSIGN(auto iterator, IteratorIn(c, 0));
  std::vector<Tensor> element;
  bool end = false;
  TENSH_RETURN_IF_ERROR(iterator->Next(c, &element, &end));
  if (end) element.clear();
  c.SetOutput(0, VariantTensor(std::make_shared<OptionalValue>(!end, std::move(element))));
  return {};
}

Status ToSingleElement(KernelCtx& c) {
  TENSH_ASSIGN(auto dataset, DatasetIn(c, 0));
  const auto iterator = dataset->Iterate();
  std::vector<Tensor> element, more;
  bool end = false;
  TENSH_RETURN_IF_ERROR(iterator->Next(c, &element, &end));
  if (end) return InvalidArgument("Dataset was empty.");
  TENSH_RETURN_IF_ERROR(iterator->Next(c, &more, &end));
  if (!end) return InvalidArgument("Dataset had more than one element.");
  TENSH_RETURN_IF_ERROR(CheckElement(c.state<IteratorState>().spec, element));
  for (size_t i = 0; i < element.size(); ++i)
    c.SetOutput(static_cast<int>(i), std::move(element[i]));
  return {};
}

Status ToStringHandle(KernelCtx& c) {
  TENSH_ASSIGN(auto iterator, IteratorIn(c, 0));
  (void)iterator;
  c.SetOutput(0, Tensor::Scalar<std::string>(c.in(0).data<ResourceHandle>()->name));
  return {};
}

Result<std::unique_ptr<KernelState>> PrepareFromString(PrepareCtx& c) {
  auto state = std::make_unique<IteratorState>();
  TENSH_ASSIGN(state->spec, SpecOf(c));
  state->table = &c.resources();
  return std::unique_ptr<KernelState>(std::move(state));
}

Status FromStringHandle(KernelCtx& c) {
  const auto& state = c.state<IteratorState>();
  if (c.in(0).rank() != 0) return InvalidArgument("string_handle must be a scalar");
  const std::string& name = *c.in(0).data<std::string>();
  auto iterator = std::dynamic_pointer_cast<Iterator>(state.table->Find(name));
  if (!iterator)
    return InvalidArgument("Could not deserialize resource handle: there is no iterator '", name,
                           "'")
        .WithHint("feed the result of sess.run(iterator.string_handle())");
  const ElementSpec &mine = state.spec, &its = iterator->spec();
  if (!mine.types.empty() && mine.types != its.types)
    return InvalidArgument("the iterator '", name, "' has elements of types other than expected");
  for (size_t i = 0; i < mine.shapes.size() && i < its.shapes.size(); ++i)
    if (!mine.shapes[i].IsCompatibleWith(its.shapes[i]))
      return InvalidArgument("Incompatible shapes at component ", i, ": expected ", mine.shapes[i],
                             " but got ", its.shapes[i], ".");
  c.SetOutput(0, HandleOf(std::move(iterator), name));
  return {};
}

Status ShapesOfElements(ShapeCtx& c) {
  const auto& shapes = c.attrs().Get<AttrValue::Shapes>("output_shapes");
  for (int i = 0; i < c.num_outputs() && static_cast<size_t>(i) < shapes.size(); ++i)
    c.Set(i, shapes[static_cast<size_t>(i)]);
  return {};
}

constexpr char kElement[] = "output_types=[tf.int64], output_shapes=[[]]";
constexpr char kIterator[] =
    "IteratorV2(shared_name='', container='', output_types=[tf.int64], output_shapes=[[]])";

// Returns an expression for the iterator that `make` creates, at the start of a dataset with the
// single element 5.
std::string Begun(const std::string& make) {
  return StrCat("tf.tuple([(i := tf.raw_ops.", make,
                ")], control_inputs=[tf.raw_ops.MakeIterator(iterator=i, dataset=tf.raw_ops."
                "RangeDataset(start=5, stop=6, step=1, ",
                kElement, "))])[0]");
}

// An example that takes the element 5 from an iterator by the op `get`.
Examples GetExample(const std::string& iterator, const char* get = "IteratorGetNext") {
  return {{StrCat("tf.raw_ops.", get, "(iterator=", iterator, ", ", kElement, ")[0]"), "5"}};
}

// An iterator that went through a string.
std::string ByString(const char* from_string) {
  return StrCat("tf.raw_ops.", from_string, "(string_handle=tf.raw_ops.IteratorToStringHandle(",
                "resource_handle=", Begun(kIterator), "))");
}

constexpr char kElementDoc[] = " of the types output_types and the shapes output_shapes.";

void AddHandles(OpRegistry& r) {
  for (const char* name : {"Iterator", "IteratorV2"})
    r.Op({.name = name,
          .outputs = "handle: resource",
          .attrs = "shared_name: string, container: string, " TENSH_DATASET_ATTRS,
          .doc =
              std::string("An iterator over elements") + kElementDoc +
              " Iterators with the same shared_name in the same container are the same iterator.",
          .shape = DatasetShape,
          .no_gradient = true,
          .stateful = true,
          .examples =
              GetExample(Begun(StrCat(name, "(shared_name='', container='', ", kElement, ")")))})
        .CpuAny(GiveIterator, PrepareIterator);
  for (const char* name : {"AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3"})
    r.Op({.name = name,
          .outputs = std::string(name).ends_with("V2") ? "handle: resource, deleter: variant"
                                                       : "handle: resource",
          .attrs = TENSH_DATASET_ATTRS,
          .doc = std::string("A new iterator over elements") + kElementDoc,
          .shape = ScalarOutput,
          .no_gradient = true,
          .stateful = true,
          .examples = GetExample(Begun(StrCat(
              name, "(", kElement, ")", std::string(name).ends_with("V2") ? ".handle" : "")))})
        .CpuAny(GiveAnonymous, PrepareSpec);
  r.Op({.name = "OneShotIterator",
        .outputs = "handle: resource",
        .attrs = "dataset_factory: func, " TENSH_DATASET_ATTRS
                 ", container: string = '', shared_name: string = ''",
        .doc = std::string(
                   "An iterator over the dataset that dataset_factory returns, with elements") +
               kElementDoc +
               " Iterators with the same shared_name in the same container are the same iterator.",
        .shape = DatasetShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.OneShotIterator.__name__", "OneShotIterator"}}})
      .CpuAny(GiveIterator, PrepareIterator);
  r.Op({.name = "MakeIterator",
        .inputs = "dataset: variant, iterator: resource",
        .doc = "Moves iterator to the beginning of dataset.",
        .shape = NoOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = GetExample(Begun(kIterator))})
      .CpuAny(MakeIterator);
}

void AddStrings(OpRegistry& r) {
  r.Op({.name = "IteratorToStringHandle",
        .inputs = "resource_handle: resource",
        .outputs = "string_handle: string",
        .doc = "The handle of the iterator resource_handle, as a string that can be fed.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = true,
        .examples = GetExample(ByString("IteratorFromStringHandle"))})
      .CpuAny(ToStringHandle);
  for (const char* name : {"IteratorFromStringHandle", "IteratorFromStringHandleV2"})
    r.Op({.name = name,
          .inputs = "string_handle: string",
          .outputs = "resource_handle: resource",
          .attrs = "output_types: list(type) >= 0 = [], output_shapes: list(shape) >= 0 = []",
          .doc =
              std::string("The iterator that string_handle refers to, over elements") + kElementDoc,
          .shape = ScalarOutput,
          .no_gradient = true,
          .stateful = true,
          .examples = GetExample(ByString(name))})
        .CpuAny(FromStringHandle, PrepareFromString);
}

}  // namespace

TENSH_OPS(data_iterators) {
  AddHandles(r);
  AddStrings(r);
  for (const char* name : {"IteratorGetNext", "IteratorGetNextSync"})
    r.Op({.name = name,
          .inputs = "iterator: resource",
          .outputs = "components: output_types",
          .attrs = TENSH_DATASET_ATTRS,
          .doc = std::string("The next element of iterator,") + kElementDoc +
                 " Fails with OutOfRange at the end.",
          .shape = ShapesOfElements,
          .no_gradient = true,
          .stateful = true,
          .examples = GetExample(Begun(kIterator), name)})
        .CpuAny(GetNext, PrepareSpec);
  r.Op({.name = "IteratorGetNextAsOptional",
        .inputs = "iterator: resource",
        .outputs = "optional: variant",
        .attrs = TENSH_DATASET_ATTRS,
        .doc = std::string("An optional with the next element of iterator,") + kElementDoc,
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.OptionalHasValue(optional=tf.raw_ops."
                             "IteratorGetNextAsOptional(iterator=",
                             Begun(kIterator), ", ", kElement, "))"),
                      "True"}}})
      .CpuAny(GetNextOptional, PrepareSpec);
  r.Op({.name = "DatasetToSingleElement",
        .inputs = "dataset: variant",
        .outputs = "components: output_types",
        .attrs = TENSH_DATASET_ATTRS ", metadata: string = ''",
        .doc = std::string("The only element of dataset,") + kElementDoc +
               " metadata is for TensorFlow's own reports.",
        .shape = ShapesOfElements,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.TensorDataset("
                      "components=[3.], output_shapes=[[]]), output_types=[tf.float32], "
                      "output_shapes=[[]])[0]",
                      "3.0"}}})
      .CpuAny(ToSingleElement, PrepareSpec);
}

}  // namespace tensh::ops
