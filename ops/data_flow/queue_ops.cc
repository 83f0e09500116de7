// Operations on queues.
#include "ops/data_flow/before_v2.h"
#include "ops/data_flow/queue.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Status Enqueue(KernelCtx& c) {
  TENSH_ASSIGN(Queue* const queue, QueueAt(c, 0));
  QueueRow row;
  for (int i = 1; i < c.num_inputs(); ++i) {
    // The value of a variable would change while it is in the queue, so it is copied.
    row.push_back(c.in(i).unique() ? c.TakeInput(i) : c.in(i).DeepCopy());
    if (!row.back()) return ResourceExhausted("out of memory for an element of a queue");
  }
  return queue->Enqueue(c, std::move(row));
}

Status EnqueueMany(KernelCtx& c) {
  TENSH_ASSIGN(Queue* const queue, QueueAt(c, 0));
  int64_t n = 0;
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.in(i).rank() < 1)
      return InvalidArgument("Input ", i - 1, " must be at least a vector, got a scalar");
    if (i > 1 && c.in(i).dim(0) != n)
      return InvalidArgument(
          "All input tensors must have the same size in the 0th dimension. "
          "Component ",
          i - 1, " has ", c.in(i).dim(0), ", and should have ", n);
    n = c.in(i).dim(0);
  }
  for (int64_t k = 0; k < n; ++k) {
    QueueRow row;
    for (int i = 1; i < c.num_inputs(); ++i) {
      const Tensor& all = c.in(i);
      Shape shape;
      for (int d = 1; d < all.rank(); ++d) shape.Append(all.dim(d));
      TENSH_ASSIGN(Tensor part, Tensor::Make(all.dtype(), shape));
      CopyElements(all.dtype(), part.raw(), At(all, k * part.num_elements()), part.num_elements());
      row.push_back(std::move(part));
    }
    TENSH_RETURN_IF_ERROR(queue->Enqueue(c, std::move(row)));
  }
  return {};
}

Status CheckTypes(KernelCtx& c, const Queue& queue) {
  const std::vector<DType>& types = queue.spec().types;
  bool fits = static_cast<size_t>(c.num_outputs()) == types.size();
  for (int i = 0; fits && i < c.num_outputs(); ++i)
    fits = types[static_cast<size_t>(i)] == c.out_dtype(i);
  if (fits) return {};
  return InvalidArgument("the types of the queue's components differ from those requested");
}

Status DequeueOne(KernelCtx& c) {
  TENSH_ASSIGN(Queue* const queue, QueueAt(c, 0));
  TENSH_RETURN_IF_ERROR(CheckTypes(c, *queue));
  std::vector<QueueRow> rows;
  TENSH_RETURN_IF_ERROR(queue->Dequeue(c, 1, false, &rows));
  for (int i = 0; i < c.num_outputs(); ++i)
    c.SetOutput(i, std::move(rows[0][static_cast<size_t>(i)]));
  return {};
}

// Returns the smallest shape that contains component i of each row.
Shape Largest(const std::vector<QueueRow>& rows, size_t i) {
  Shape shape = rows[0][i].shape();
  for (const QueueRow& row : rows)
    for (int d = 0; d < shape.rank(); ++d) shape.set_dim(d, std::max(shape[d], row[i].dim(d)));
  return shape;
}

void CopyInto(KernelCtx& c, const Tensor& part, const Tensor& all, int64_t k) {
  Shape inner;
  for (int d = 1; d < all.rank(); ++d) inner.Append(all.dim(d));
  const Strides from(part.shape()), to(inner);
  BoxCopy box;
  for (int d = 0; d < part.rank(); ++d) box.Add(part.dim(d), from[d], to[d]);
  if (part.num_elements())
    CopyBox(c, part.dtype(), At(all, k * inner.num_elements()), part.raw(), box);
}

// Stores component i of all rows, one after the other, as output i.
Status Batch(KernelCtx& c, const Queue& queue, const std::vector<QueueRow>& rows, int output) {
  const size_t i = static_cast<size_t>(output);
  Shape inner = rows.empty() ? queue.spec().shapes[i] : Largest(rows, i);
  for (int d = 0; d < inner.rank(); ++d) inner.set_dim(d, std::max<int64_t>(inner[d], 0));
  if (inner.rank() >= Shape::kMaxRank) return InvalidArgument("the rank of the batch is too high");
  Shape shape({static_cast<int64_t>(rows.size())});
  for (int64_t d : inner.dims()) shape.Append(d);
  TENSH_OUTPUT(out, c.Output(output, shape));
  if (queue.pads()) ZeroElements(out->dtype(), out->raw(), out->num_elements());
  for (size_t k = 0; k < rows.size(); ++k) CopyInto(c, rows[k][i], *out, static_cast<int64_t>(k));
  return {};
}

template <bool kLessWillDo>
Status DequeueMany(KernelCtx& c) {
  TENSH_ASSIGN(Queue* const queue, QueueAt(c, 0));
  TENSH_RETURN_IF_ERROR(CheckTypes(c, *queue));
  if (c.in(1).num_elements() != 1) return InvalidArgument("n must be a scalar");
  const int64_t n = *c.in(1).data<int32_t>();
  if (n < 0) return InvalidArgument("DequeueManyOp requested ", n, " < 0 elements");
  if (queue->spec().shapes.empty())
    return InvalidArgument(queue->spec().kind,
                           "'s DequeueMany and DequeueUpTo require the components to have "
                           "specified shapes.");
  std::vector<QueueRow> rows;
  TENSH_RETURN_IF_ERROR(queue->Dequeue(c, n, kLessWillDo, &rows));
  for (int i = 0; i < c.num_outputs(); ++i) TENSH_RETURN_IF_ERROR(Batch(c, *queue, rows, i));
  return {};
}

// TensorFlow checks n here only for DequeueMany.
Status ManyShape(ShapeCtx& c) {
  const Tensor* n = c.constant(1);
  if (n && n->num_elements() == 1 && n->IntScalar() < 0)
    return InvalidArgument("Input 'n' must be >= 0, but is ", n->IntScalar());
  return {};
}

struct CloseState : KernelState {
  bool cancel_pending_enqueues;
  void Read(PrepareCtx& c) { cancel_pending_enqueues = c.attrs().Bool("cancel_pending_enqueues"); }
};

Status Close(KernelCtx& c) {
  TENSH_ASSIGN(Queue* const queue, QueueAt(c, 0));
  return queue->Close(c.state<CloseState>().cancel_pending_enqueues);
}

Status Size(KernelCtx& c) {
  TENSH_ASSIGN(Queue* const queue, QueueAt(c, 0));
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<int32_t>() = static_cast<int32_t>(std::min<int64_t>(queue->size(), INT32_MAX));
  return {};
}

Status IsClosed(KernelCtx& c) {
  TENSH_ASSIGN(Queue* const queue, QueueAt(c, 0));
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<bool>() = queue->closed();
  return {};
}

Status UnknownOutputs(ShapeCtx&) { return {}; }

constexpr char kTimeout[] = " timeout_ms is ignored; the step's own time limit applies.";

constexpr char kOldQueue[] = "tf.raw_ops.FIFOQueue(component_types=[tf.float32])";

// An example that puts 1 and 2 into a queue and takes elements out again, by the ops without V2.
// `take` begins the name of the op and `arguments` its further arguments.
Example OldTakeExample(const char* take, const char* arguments, const char* taken) {
  return {StrCat("[tf.raw_ops.QueueEnqueueMany(handle=(q := ", kOldQueue,
                 "), components=[[1., 2.]]), tf.raw_ops.", take, "(handle=q", arguments,
                 ", component_types=[tf.float32])]"),
          StrCat("[None, ", taken, "]")};
}

// Registers an op and its older form without V2, whose handle is a reference and whose example is
// `old`.
void Add(OpRegistry& r, const OpSpec& now, KernelFn fn, PrepareFn prepare, Example old) {
  OpSpec before = BeforeV2(now, old);
  if (before.shape == ManyShape) before.shape = UnknownOutputs;
  r.Op(now).CpuAny(fn, prepare);
  r.Op(std::move(before)).CpuAny(fn, prepare);
}

void RegisterMoves(OpRegistry& r) {
  Add(r,
      {.name = "QueueEnqueueV2",
       .inputs = "handle: resource, components: Tcomponents",
       .attrs = "Tcomponents: list(type) >= 1, timeout_ms: int = -1",
       .doc = StrCat("Enqueues one element in the queue of handle, and waits while it is full. "
                     "components are its tensors, of the types Tcomponents.",
                     kTimeout),
       .shape = NoOutputs,
       .no_gradient = true,
       .stateful = true,
       .waits_for = WaitsFor::kRoom,
       .examples = {{"tf.FIFOQueue(10, tf.float32).enqueue(1.)", ""}}},
      Enqueue, nullptr,
      {StrCat("tf.raw_ops.QueueEnqueue(handle=", kOldQueue, ", components=[1.])"), ""});
  Add(r,
      {.name = "QueueEnqueueManyV2",
       .inputs = "handle: resource, components: Tcomponents",
       .attrs = "Tcomponents: list(type) >= 1, timeout_ms: int = -1",
       .doc = StrCat("Enqueues several elements in the queue of handle, one for each row of "
                     "components, of the types Tcomponents.",
                     kTimeout),
       .shape = NoOutputs,
       .no_gradient = true,
       .stateful = true,
       .waits_for = WaitsFor::kRoom,
       .examples = {{"tf.FIFOQueue(10, tf.float32).enqueue_many([[1., 2.]])", ""}}},
      EnqueueMany, nullptr,
      {StrCat("tf.raw_ops.QueueEnqueueMany(handle=", kOldQueue, ", components=[[1., 2.]])"), ""});
  Add(r,
      {.name = "QueueDequeueV2",
       .inputs = "handle: resource",
       .outputs = "components: component_types",
       .attrs = "component_types: list(type) >= 1, timeout_ms: int = -1",
       .doc = StrCat("Dequeues one element from the queue of handle, and waits for it. components "
                     "are its tensors, of component_types.",
                     kTimeout),
       .shape = UnknownOutputs,
       .no_gradient = true,
       .stateful = true,
       .waits_for = WaitsFor::kElements,
       .examples = {{"[(q := tf.FIFOQueue(10, tf.float32)).enqueue(1.), q.dequeue()]",
                     "[None, 1.0]"}}},
      DequeueOne, nullptr, OldTakeExample("QueueDequeue", "", "[1.0]"));
}

template <bool kLessWillDo>
void RegisterMany(OpRegistry& r, const char* name, const char* method, const char* what) {
  Add(r,
      {.name = name,
       .inputs = "handle: resource, n: int32",
       .outputs = "components: component_types",
       .attrs = "component_types: list(type) >= 1, timeout_ms: int = -1",
       .doc =
           StrCat("Dequeues n elements from the queue of handle, and waits for them", what,
                  ": components are their tensors, of component_types, stacked as rows.", kTimeout),
       .shape = kLessWillDo ? UnknownOutputs : ManyShape,
       .no_gradient = true,
       .stateful = true,
       .waits_for = WaitsFor::kElements,
       .examples = {{StrCat(
                         "[(q := tf.FIFOQueue(10, tf.float32, [[]])).enqueue_many([[1., 2.]]), q.",
                         method, "(2)]"),
                     "[None, array([1., 2.], dtype=float32)]"}}},
      DequeueMany<kLessWillDo>, nullptr,
      {StrCat("[tf.raw_ops.QueueEnqueueMany(handle=(q := tf.raw_ops.FIFOQueue(component_types="
              "[tf.float32], shapes=[[]])), components=[[1., 2.]]), tf.raw_ops.",
              std::string_view(name).substr(0, std::string_view(name).size() - 2),
              "(handle=q, n=2, component_types=[tf.float32])]"),
       "[None, [array([1., 2.], dtype=float32)]]"});
}

}  // namespace

TENSH_OPS(data_flow_queue_ops) {
  RegisterMoves(r);
  RegisterMany<false>(r, "QueueDequeueManyV2", "dequeue_many", "");
  RegisterMany<true>(r, "QueueDequeueUpToV2", "dequeue_up_to", "; fewer if the queue is closed");
  Add(r,
      {.name = "QueueCloseV2",
       .inputs = "handle: resource",
       .attrs = "cancel_pending_enqueues: bool = false",
       .doc = "Closes the queue of handle, which then accepts no more elements. "
              "cancel_pending_enqueues: waiting enqueues fail.",
       .shape = NoOutputs,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.FIFOQueue(10, tf.float32).close()", ""}}},
      Close, PrepareFrom<CloseState>,
      {StrCat("tf.raw_ops.QueueClose(handle=", kOldQueue, ")"), ""});
  Add(r,
      {.name = "QueueSizeV2",
       .inputs = "handle: resource",
       .outputs = "size: int32",
       .doc = "The number of elements in the queue of handle: size is a scalar.",
       .shape = ScalarOutput,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.FIFOQueue(10, tf.float32).size()", "0"}}},
      Size, nullptr, {StrCat("tf.raw_ops.QueueSize(handle=", kOldQueue, ")"), "0"});
  Add(r,
      {.name = "QueueIsClosedV2",
       .inputs = "handle: resource",
       .outputs = "is_closed: bool",
       .doc = "True if the queue of handle is closed: is_closed is a scalar.",
       .shape = ScalarOutput,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.FIFOQueue(10, tf.float32).is_closed()", "False"}}},
      IsClosed, nullptr, {StrCat("tf.raw_ops.QueueIsClosed(handle=", kOldQueue, ")"), "False"});
}

}  // namespace tensh::ops
