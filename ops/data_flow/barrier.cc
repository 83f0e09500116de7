// Barriers. The values of a key arrive one by one; once all have arrived, the tuple can be taken.
// The handle of a barrier is a reference to a string, as was usual before resource handles.
#include <limits>
#include <map>

#include "ops/data_flow/step_wait.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shared_name.h"

namespace tensh::ops {
namespace {

class Barrier {
 public:
  std::string name;
  std::vector<DType> types;
  std::vector<Shape> shapes;  // one per component, or empty

  struct Tuple {
    int64_t index;
    std::string key;
    std::vector<Tensor> values;  // null if it has not arrived
    size_t missing;
  };

  Status Insert(int64_t component, const Tensor& keys, const Tensor& values);
  Status Take(KernelCtx& c, int64_t n, bool small_batch, std::vector<Tuple>* taken);
  void Close(bool cancel_pending);
  int64_t ready_size() {
    std::lock_guard lock(mu_);
    return static_cast<int64_t>(ready_.size());
  }
  int64_t incomplete_size() {
    std::lock_guard lock(mu_);
    return static_cast<int64_t>(incomplete_.size());
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  std::map<std::string, Tuple> incomplete_;
  std::multimap<int64_t, Tuple> ready_;  // by the number of the call that inserted the key
  int64_t next_ = std::numeric_limits<int64_t>::min();
  bool closed_ = false, cancelled_ = false;
};

Status Barrier::Insert(int64_t component, const Tensor& keys, const Tensor& values) {
  if (component < 0 || component >= static_cast<int64_t>(types.size()))
    return InvalidArgument("The component ID is out of range ", component, " >= num_components (",
                           types.size(), ")");
  const size_t at = static_cast<size_t>(component);
  if (values.dtype() != types[at])
    return InvalidArgument("component ", component, " is of type ", SignatureName(types[at]),
                           ", not ", SignatureName(values.dtype()));
  Shape element;
  for (int d = 1; d < values.rank(); ++d) element.Append(values.dim(d));
  if (!shapes.empty() && !(shapes[at] == element))
    return InvalidArgument("Shape mismatch in tuple component ", component, ". Expected ",
                           shapes[at], ", got ", element);
  std::lock_guard lock(mu_);
  if (cancelled_)
    return Cancelled("Barrier ", name, " is closed. Pending enqueues cancelled: true.");
  const int64_t call = next_;
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    const std::string& key = keys.data<std::string>()[i];
    auto found = incomplete_.find(key);
    if (found == incomplete_.end()) {
      if (closed_)
        return Cancelled("Barrier ", name,
                         " is closed, and incomplete keys cannot be inserted: ", key);
      next_ = call + 1;  // a call without new keys has no number
      found = incomplete_
                  .emplace(key, Tuple{call, key, std::vector<Tensor>(types.size()), types.size()})
                  .first;
    }
    Tuple& tuple = found->second;
    if (tuple.values[at])
      return InvalidArgument("Key ", key, " already has a value for component ", component,
                             " in barrier ", name);
    TENSH_ASSIGN(tuple.values[at], Tensor::Make(types[at], element));
    const int64_t run = element.num_elements();
    CopyElements(types[at], tuple.values[at].raw(), At(values, i * run), run);
    if (--tuple.missing) continue;
    const int64_t index = tuple.index;
    ready_.emplace(index, std::move(tuple));
    incomplete_.erase(found);
  }
  changed_.notify_all();
  return {};
}

Status Barrier::Take(KernelCtx& c, int64_t n, bool small_batch, std::vector<Tuple>* taken) {
  StepWait wait(c, mu_, changed_);
  std::unique_lock lock(mu_);
  const auto enough = [&] { return static_cast<int64_t>(ready_.size()) >= n; };
  // After the barrier is closed, incomplete tuples may still be completed. They are waited for,
  // unless a smaller batch is allowed.
  const auto hopeless = [&] {
    if (!closed_) return false;
    const size_t all = ready_.size() + (small_batch ? 0 : incomplete_.size());
    return static_cast<int64_t>(all) < std::max<int64_t>(small_batch ? 1 : n, 1);
  };
  TENSH_RETURN_IF_ERROR(
      wait.Until(lock, [&] { return hopeless() || enough() || (closed_ && small_batch); }));
  if (hopeless())
    return OutOfRange("Barrier '", name, "' is closed and has insufficient elements (requested ", n,
                      ", total size ", ready_.size() + (small_batch ? 0 : incomplete_.size()), ")");
  while (!ready_.empty() && static_cast<int64_t>(taken->size()) < n) {
    taken->push_back(std::move(ready_.begin()->second));
    ready_.erase(ready_.begin());
  }
  return {};
}

void Barrier::Close(bool cancel_pending) {
  std::lock_guard lock(mu_);
  closed_ = true;
  if (cancel_pending) {
    cancelled_ = true;
    incomplete_.clear();
  }
  changed_.notify_all();
}

// The string variable behind the handle, which also holds the barrier.
class BarrierHandle : public Variable {
 public:
  Barrier barrier;
  void Cancel() override { barrier.Close(true); }
};

struct BarrierState : KernelState {
  std::shared_ptr<BarrierHandle> handle;
  Status Read(PrepareCtx& c) {
    const Attrs a = c.attrs();
    const std::string name = SharedName(c);
    const auto& types = a.Get<AttrValue::Types>("component_types");
    const auto& shapes = a.Get<AttrValue::Shapes>("shapes");
    if (!shapes.empty() && shapes.size() != types.size())
      return InvalidArgument("All of the component shapes must be specified");
    for (const Shape& shape : shapes)
      if (!shape.IsFullyKnown() || shape.rank() >= Shape::kMaxRank)
        return InvalidArgument("component shapes must be fully known, got ", shape);
    if (a.Int("capacity") != -1)
      return InvalidArgument(
          "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier "
          "through a queue to enforce a limited capacity.");
    handle = c.resources().FindOrMake<BarrierHandle>(name, [&] {
      auto made = std::make_shared<BarrierHandle>();
      made->name = made->barrier.name = name;
      made->dtype = DType::kString;
      made->barrier.types = types;
      made->barrier.shapes = shapes;
      const std::string parts[] = {a.String("container"), name};
      made->value = Tensor::Vector<std::string>(parts);
      return made;
    });
    if (!handle || handle->barrier.types != types)
      return InvalidArgument("the resource '", name, "' is not a barrier of these types");
    return {};
  }
};

// The value of a reference is the address of the variable.
Status GiveHandle(KernelCtx& c) {
  Variable* variable = c.state<BarrierState>().handle.get();
  c.SetOutput(0,
              Tensor::Scalar<int64_t>(static_cast<int64_t>(reinterpret_cast<intptr_t>(variable))));
  return {};
}

Result<Barrier*> BarrierOf(KernelCtx& c) {
  if (auto* handle = dynamic_cast<BarrierHandle*>(c.variable(0))) return &handle->barrier;
  return InvalidArgument("the handle is not that of a barrier");
}

struct InsertState : KernelState {
  int64_t component;
  void Read(PrepareCtx& c) { component = c.attrs().Int("component_index"); }
};

Status InsertMany(KernelCtx& c) {
  TENSH_ASSIGN(Barrier* const barrier, BarrierOf(c));
  const Tensor &keys = c.in(1), &values = c.in(2);
  if (values.dim(0) != keys.dim(0))
    return InvalidArgument("values must have one row per key, got shapes ", keys.shape(), " and ",
                           values.shape());
  return barrier->Insert(c.state<InsertState>().component, keys, values);
}

struct TakeState : KernelState {
  bool small_batch;
  void Read(PrepareCtx& c) { small_batch = c.attrs().Bool("allow_small_batch"); }
};

Status GiveValues(KernelCtx& c, const Barrier& barrier, const std::vector<Barrier::Tuple>& tuples) {
  const int64_t n = static_cast<int64_t>(tuples.size());
  for (size_t i = 0; i < barrier.types.size(); ++i) {
    Shape shape({n}), element = barrier.shapes.empty() ? Shape() : barrier.shapes[i];
    if (!tuples.empty()) element = tuples[0].values[i].shape();
    for (int64_t d : element.dims()) shape.Append(d);
    TENSH_OUTPUT(out, c.Output(static_cast<int>(i) + 2, shape));
    const int64_t run = element.num_elements();
    for (int64_t k = 0; k < n; ++k) {
      const Tensor& value = tuples[static_cast<size_t>(k)].values[i];
      if (!(value.shape() == element))
        return InvalidArgument("the values of component ", i, " differ in shape: ", element,
                               " and ", value.shape());
      CopyElements(out->dtype(), At(*out, k * run), value.raw(), run);
    }
  }
  return {};
}

Status TakeMany(KernelCtx& c) {
  TENSH_ASSIGN(Barrier* const barrier, BarrierOf(c));
  if (c.in(1).num_elements() != 1) return InvalidArgument("num_elements must be a scalar.");
  const int64_t n = *c.in(1).data<int32_t>();
  if (n < 0) return InvalidArgument("num_elements must not be negative, got ", n);
  bool fits = c.num_outputs() == static_cast<int>(barrier->types.size()) + 2;
  for (size_t i = 0; fits && i < barrier->types.size(); ++i)
    fits = barrier->types[i] == c.out_dtype(static_cast<int>(i) + 2);
  if (!fits)
    return InvalidArgument("the types of the barrier's components differ from those requested");
  const auto& state = c.state<TakeState>();
  std::vector<Barrier::Tuple> tuples;
  TENSH_RETURN_IF_ERROR(barrier->Take(c, n, state.small_batch, &tuples));
  const int64_t got = static_cast<int64_t>(tuples.size());
  TENSH_OUTPUT(indices, c.Output(0, Shape({got})));
  TENSH_OUTPUT(keys, c.Output(1, Shape({got})));
  for (int64_t i = 0; i < got; ++i) {
    indices->data<int64_t>()[i] = tuples[static_cast<size_t>(i)].index;
    keys->data<std::string>()[i] = tuples[static_cast<size_t>(i)].key;
  }
  return GiveValues(c, *barrier, tuples);
}

template <bool kReady>
Status CountOf(KernelCtx& c) {
  TENSH_ASSIGN(Barrier* const barrier, BarrierOf(c));
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<int32_t>() =
      static_cast<int32_t>(kReady ? barrier->ready_size() : barrier->incomplete_size());
  return {};
}

struct CloseState : KernelState {
  bool cancel;
  void Read(PrepareCtx& c) { cancel = c.attrs().Bool("cancel_pending_enqueues"); }
};

Status CloseBarrier(KernelCtx& c) {
  TENSH_ASSIGN(Barrier* const barrier, BarrierOf(c));
  barrier->Close(c.state<CloseState>().cancel);
  return {};
}

Status HandleShape(ShapeCtx& c) {
  c.Set(0, Shape({2}));
  return {};
}

Status InsertShape(ShapeCtx& c) {
  if (!c.in(1).has_rank() || !c.in(2).has_rank() || c.in(1)[0] < 0 || c.in(2)[0] < 0) return {};
  if (c.in(1)[0] == c.in(2)[0]) return {};
  return InvalidArgument("Dimension 0 in both shapes must be equal, but are ", c.in(1)[0], " and ",
                         c.in(2)[0], ".");
}

constexpr char kMake[] = "(handle=tf.raw_ops.Barrier(component_types=[tf.float32])";

OpSpec Spec(const char* name, const char* inputs, const char* outputs, const char* attrs,
            const char* doc, ShapeFn shape, const char* arguments, const char* result,
            const char* contract = "") {
  return {.name = name,
          .inputs = StrCat("handle: Ref(string)", inputs),
          .outputs = outputs,
          .attrs = attrs,
          .doc = StrCat(doc, " handle refers to the barrier."),
          .contract = contract,
          .shape = shape,
          .no_gradient = true,
          .examples = {{StrCat("tf.raw_ops.", name, kMake, arguments), result}}};
}

}  // namespace

TENSH_OPS(data_flow_barrier) {
  r.Op({.name = "Barrier",
        .outputs = "handle: Ref(string)",
        .attrs = "component_types: list(type) >= 1, shapes: list(shape) >= 0 = [], "
                 "capacity: int = -1, container: string = '', shared_name: string = ''",
        .doc = "A store of tuples that are assembled by key. Once a key has a value for each of "
               "component_types, with the given shapes, its tuple can be taken. handle refers to "
               "the barrier. capacity must be -1. Nodes with the same shared_name in the same "
               "container refer to the same barrier.",
        .shape = HandleShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.BarrierReadySize(handle=tf.raw_ops.Barrier(component_types="
                      "[tf.float32]))",
                      "0"}}})
      .CpuAny(GiveHandle, PrepareFrom<BarrierState>);
  r.Op(Spec("BarrierInsertMany", ", keys: string, values: T", "", "T: type, component_index: int",
            "Adds the values, of type T, of keys for one component, component_index.", InsertShape,
            ", keys=['a'], values=[1.], component_index=0)", "",
            "handle: vector, keys: vector, values: rank 1+"))
      .CpuAny(InsertMany, PrepareFrom<InsertState>);
  OpSpec take =
      Spec("BarrierTakeMany", ", num_elements: int32",
           "indices: int64, keys: string, values: component_types",
           "component_types: list(type) >= 1, allow_small_batch: bool = false, "
           "wait_for_incomplete: bool = false, timeout_ms: int = -1",
           "Takes num_elements complete tuples, and waits for them. indices are the order in which "
           "keys arrived; values, of component_types, are the components. allow_small_batch: "
           "return fewer if the barrier is closed. wait_for_incomplete is ignored. timeout_ms is "
           "ignored; the step's own time limit applies.",
           UnknownOutputs, "", "");
  take.waits_for = WaitsFor::kElements;
  take.examples = {
      {"[tf.raw_ops.BarrierInsertMany(handle=(b := tf.raw_ops.Barrier(component_types="
       "[tf.float32])), keys=['a'], values=[1.], component_index=0), "
       "tf.raw_ops.BarrierTakeMany(handle=b, num_elements=1, component_types=[tf.float32]).keys]",
       "[None, array([b'a'], dtype=object)]"}};
  r.Op(std::move(take)).CpuAny(TakeMany, PrepareFrom<TakeState>);
  r.Op(Spec("BarrierReadySize", "", "size: int32", "", "The number of complete tuples: size.",
            ScalarOutput, ")", "0"))
      .CpuAny(CountOf<true>);
  r.Op(Spec("BarrierIncompleteSize", "", "size: int32", "",
            "The number of incomplete tuples: size.", ScalarOutput, ")", "0"))
      .CpuAny(CountOf<false>);
  r.Op(Spec("BarrierClose", "", "", "cancel_pending_enqueues: bool = false",
            "Closes a barrier for new keys. cancel_pending_enqueues: also for values of incomplete "
            "tuples.",
            NoOutputs, ")", ""))
      .CpuAny(CloseBarrier, PrepareFrom<CloseState>);
}

}  // namespace tensh::ops
