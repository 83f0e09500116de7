// What is done with queues.
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/before_v2.h"
#include "ops/support/queue.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Status NoQueue() { return InvalidArgument("Trying to access a resource that is not a queue"); }

Status Enqueue(KernelCtx& c) {
  Queue* queue = QueueAt(c, 0);
  if (!queue) return NoQueue();
  QueueRow row;
  for (int i = 1; i < c.num_inputs(); ++i) {
    // A variable's value would change under the queue.
    row.push_back(c.in(i).unique() ? c.TakeInput(i) : c.in(i).DeepCopy());
    if (!row.back()) return ResourceExhausted("out of memory for an element of a queue");
  }
  return queue->Enqueue(c, std::move(row));
}

Status EnqueueMany(KernelCtx& c) {
  Queue* queue = QueueAt(c, 0);
  if (!queue) return NoQueue();
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
  return InvalidArgument("the queue's components are of other types than asked for");
}

Status DequeueOne(KernelCtx& c) {
  Queue* queue = QueueAt(c, 0);
  if (!queue) return NoQueue();
  TENSH_RETURN_IF_ERROR(CheckTypes(c, *queue));
  std::vector<QueueRow> rows;
  TENSH_RETURN_IF_ERROR(queue->Dequeue(c, 1, false, &rows));
  for (int i = 0; i < c.num_outputs(); ++i)
    c.SetOutput(i, std::move(rows[0][static_cast<size_t>(i)]));
  return {};
}

// The shape that holds component i of each row.
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

// Output i: component i of all rows, one after the other.
Status Batch(KernelCtx& c, const Queue& queue, const std::vector<QueueRow>& rows, int output) {
  const size_t i = static_cast<size_t>(output);
  Shape inner = rows.empty() ? queue.spec().shapes[i] : Largest(rows, i);
  for (int d = 0; d < inner.rank(); ++d) inner.set_dim(d, std::max<int64_t>(inner[d], 0));
  if (inner.rank() >= Shape::kMaxRank) return InvalidArgument("a batch of too high a rank");
  Shape shape({static_cast<int64_t>(rows.size())});
  for (int64_t d : inner.dims()) shape.Append(d);
  TENSH_OUTPUT(out, c.Output(output, shape));
  if (queue.pads()) ZeroElements(out->dtype(), out->raw(), out->num_elements());
  for (size_t k = 0; k < rows.size(); ++k) CopyInto(c, rows[k][i], *out, static_cast<int64_t>(k));
  return {};
}

template <bool kLessWillDo>
Status DequeueMany(KernelCtx& c) {
  Queue* queue = QueueAt(c, 0);
  if (!queue) return NoQueue();
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

// TensorFlow looks at n here for DequeueMany only.
Status ManyShape(ShapeCtx& c) {
  const Tensor* n = c.constant(1);
  if (n && n->num_elements() == 1 && n->IntScalar() < 0)
    return InvalidArgument("Input 'n' must be >= 0, but is ", n->IntScalar());
  return {};
}

struct CloseState : KernelState {
  bool cancel_pending_enqueues;
};

Result<std::unique_ptr<KernelState>> PrepareClose(PrepareCtx& c) {
  auto state = std::make_unique<CloseState>();
  state->cancel_pending_enqueues = c.attrs().Bool("cancel_pending_enqueues");
  return std::unique_ptr<KernelState>(std::move(state));
}

Status Close(KernelCtx& c) {
  Queue* queue = QueueAt(c, 0);
  if (!queue) return NoQueue();
  return queue->Close(c.state<CloseState>().cancel_pending_enqueues);
}

Status Size(KernelCtx& c) {
  Queue* queue = QueueAt(c, 0);
  if (!queue) return NoQueue();
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<int32_t>() = static_cast<int32_t>(std::min<int64_t>(queue->size(), INT32_MAX));
  return {};
}

Status IsClosed(KernelCtx& c) {
  Queue* queue = QueueAt(c, 0);
  if (!queue) return NoQueue();
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<bool>() = queue->closed();
  return {};
}

Status UnknownOutputs(ShapeCtx&) { return {}; }

constexpr char kTimeout[] = " timeout_ms is not used: a step's own time limit holds.";

// The op as it is now, and as graphs from before resources have it: without V2, its handle a
// reference. `old`: what the older one's example goes on with, and its result, empty: the op's
// name.
void Add(OpRegistry& r, const OpSpec& now, KernelFn fn, PrepareFn prepare, const char* old,
         const std::string& result = {}) {
  OpSpec before = BeforeV2(
      now, StrCat("(handle=tf.raw_ops.FIFOQueue(component_types=[tf.float32])", old), result);
  if (before.shape == ManyShape) before.shape = UnknownOutputs;
  r.Op(now).CpuAny(fn, prepare);
  r.Op(std::move(before)).CpuAny(fn, prepare);
}

void RegisterMoves(OpRegistry& r) {
  Add(r,
      {.name = "QueueEnqueueV2",
       .inputs = "handle: resource, components: Tcomponents",
       .attrs = "Tcomponents: list(type) >= 1, timeout_ms: int = -1",
       .doc = StrCat("Puts one element into the queue that handle stands for, and waits while it "
                     "is full: components are its tensors, of the types Tcomponents.",
                     kTimeout),
       .shape = NoOutputs,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.FIFOQueue(10, tf.float32).enqueue(1.).type", "QueueEnqueueV2"}}},
      Enqueue, nullptr, ", components=[1.]).type");
  Add(r,
      {.name = "QueueEnqueueManyV2",
       .inputs = "handle: resource, components: Tcomponents",
       .attrs = "Tcomponents: list(type) >= 1, timeout_ms: int = -1",
       .doc = StrCat("Puts elements into the queue that handle stands for, one for each row of "
                     "components, of the types Tcomponents.",
                     kTimeout),
       .shape = NoOutputs,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.FIFOQueue(10, tf.float32).enqueue_many([[1., 2.]]).type",
                     "QueueEnqueueManyV2"}}},
      EnqueueMany, nullptr, ", components=[[1., 2.]]).type");
  Add(r,
      {.name = "QueueDequeueV2",
       .inputs = "handle: resource",
       .outputs = "components: component_types",
       .attrs = "component_types: list(type) >= 1, timeout_ms: int = -1",
       .doc = StrCat("Takes one element from the queue that handle stands for, and waits for it: "
                     "components are its tensors, of component_types.",
                     kTimeout),
       .shape = UnknownOutputs,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.FIFOQueue(10, tf.float32).dequeue().op.type", "QueueDequeueV2"}}},
      DequeueOne, nullptr, ", component_types=[tf.float32])[0].op.type");
}

template <bool kLessWillDo>
void RegisterMany(OpRegistry& r, const char* name, const char* call, const char* what) {
  Add(r,
      {.name = name,
       .inputs = "handle: resource, n: int32",
       .outputs = "components: component_types",
       .attrs = "component_types: list(type) >= 1, timeout_ms: int = -1",
       .doc = StrCat("Takes n elements from the queue that handle stands for, and waits for "
                     "them",
                     what,
                     ": components are their tensors, of component_types, one below the "
                     "other.",
                     kTimeout),
       .shape = kLessWillDo ? UnknownOutputs : ManyShape,
       .no_gradient = true,
       .stateful = true,
       .examples = {{call, name}}},
      DequeueMany<kLessWillDo>, nullptr, ", n=2, component_types=[tf.float32])[0].op.type");
}

}  // namespace

TENSH_OPS(data_flow_queue_ops) {
  RegisterMoves(r);
  RegisterMany<false>(r, "QueueDequeueManyV2",
                      "tf.FIFOQueue(10, tf.float32, [[]]).dequeue_many(2).op.type", "");
  RegisterMany<true>(r, "QueueDequeueUpToV2",
                     "tf.FIFOQueue(10, tf.float32, [[]]).dequeue_up_to(2).op.type",
                     "; fewer when the queue is closed");
  Add(r,
      {.name = "QueueCloseV2",
       .inputs = "handle: resource",
       .attrs = "cancel_pending_enqueues: bool = false",
       .doc = "Closes the queue that handle stands for: nothing more can be put into it. "
              "cancel_pending_enqueues: who waits to put something in fails.",
       .shape = NoOutputs,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.FIFOQueue(10, tf.float32).close().type", "QueueCloseV2"}}},
      Close, PrepareClose, ").type");
  Add(r,
      {.name = "QueueSizeV2",
       .inputs = "handle: resource",
       .outputs = "size: int32",
       .doc = "How many elements are in the queue that handle stands for: size is a scalar.",
       .shape = ScalarOutput,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.FIFOQueue(10, tf.float32).size()", "0"}}},
      Size, nullptr, ")", "0");
  Add(r,
      {.name = "QueueIsClosedV2",
       .inputs = "handle: resource",
       .outputs = "is_closed: bool",
       .doc = "Whether the queue that handle stands for is closed: is_closed is a scalar.",
       .shape = ScalarOutput,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.FIFOQueue(10, tf.float32).is_closed()", "False"}}},
      IsClosed, nullptr, ")", "False");
}

}  // namespace tensh::ops
