// Creation of queues: FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue and PriorityQueue.
#include "ops/data_flow/queue.h"
#include "ops/op_file.h"
#include "ops/support/philox.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct QueueState : KernelState {
  Tensor handle;
};

class FifoQueue : public Queue {
 public:
  using Queue::Queue;
};

class PaddingQueue : public Queue {
 public:
  using Queue::Queue;
  bool pads() const override { return true; }
};

// Dequeues elements in random order, and only while enough of them remain for mixing.
class ShuffleQueue : public Queue {
 public:
  ShuffleQueue(QueueSpec spec, uint64_t seed, uint64_t seed2)
      : Queue(std::move(spec)), random_(Philox(seed, seed2)) {}

 protected:
  void Put(QueueRow row) override { items_.push_back(std::move(row)); }
  QueueRow Take() override {
    const size_t i = random_.Next() % items_.size();
    QueueRow row = std::move(items_[i]);
    items_[i] = std::move(items_.back());
    items_.pop_back();
    return row;
  }
  void PutBack(std::vector<QueueRow> rows) override {
    for (QueueRow& row : rows) items_.push_back(std::move(row));
  }
  size_t Size() const override { return items_.size(); }
  bool CanTake() const override {
    return closed_ ? !items_.empty()
                   : items_.size() > static_cast<size_t>(spec().min_after_dequeue);
  }

 private:
  Philox32 random_;
  std::vector<QueueRow> items_;
};

// Dequeues the element with the smallest first component. Ties are in order of arrival.
class PriorityQueue : public Queue {
 public:
  using Queue::Queue;

 protected:
  void Put(QueueRow row) override {
    const int64_t priority = row[0].num_elements() ? row[0].data<int64_t>()[0] : 0;
    items_.emplace(std::pair(priority, next_++), std::move(row));
  }
  QueueRow Take() override {
    QueueRow row = std::move(items_.begin()->second);
    items_.erase(items_.begin());
    return row;
  }
  void PutBack(std::vector<QueueRow> rows) override {
    for (QueueRow& row : rows) Put(std::move(row));
  }
  size_t Size() const override { return items_.size(); }
  bool takes_at_once() const override { return true; }

 private:
  uint64_t next_ = 0;
  std::map<std::pair<int64_t, uint64_t>, QueueRow> items_;
};

Result<QueueSpec> SpecOf(PrepareCtx& c, const char* kind) {
  QueueSpec spec;
  spec.kind = kind;
  const std::string& shared = c.attrs().String("shared_name");
  spec.name = shared.empty() ? std::string(c.node_name()) : shared;
  spec.types = c.attrs().Get<AttrValue::Types>("component_types");
  spec.shapes = c.attrs().Get<AttrValue::Shapes>("shapes");
  spec.capacity = c.attrs().Int("capacity");
  if (spec.capacity < 0) spec.capacity = INT32_MAX;
  return spec;
}

Status CheckShapes(const QueueSpec& spec, bool known) {
  if (!spec.shapes.empty() && spec.shapes.size() != spec.types.size())
    return InvalidArgument("Different number of component types.  Types: ", spec.types.size(),
                           ", Shapes: ", spec.shapes.size());
  for (const Shape& shape : spec.shapes)
    if (known ? !shape.IsFullyKnown() : !shape.has_rank())
      return InvalidArgument("All shapes must be ", known ? "fully specified" : "of known rank",
                             ", but got ", shape);
  return {};
}

template <class Items, class Print>
std::string List(const Items& items, Print print) {
  std::string text;
  for (const auto& item : items) text += StrCat(text.empty() ? "" : ", ", print(item));
  return text;
}

// Checks that a queue of the same shared name has the attributes that a node requests.
Status CheckShared(const QueueSpec& have, const QueueSpec& want) {
  const auto differ = [&](const char* what, const char* verb, const auto& a, const auto& b) {
    return InvalidArgument("Shared queue '", want.name, "' has ", what, " ", a, " but requested ",
                           what, " ", verb, " ", b);
  };
  const auto types = [](const QueueSpec& q) { return List(q.types, SignatureName); };
  const auto shapes = [](const QueueSpec& q) {
    return StrCat("[", List(q.shapes, [](const Shape& shape) { return shape.ToString(); }), "]");
  };
  if (have.kind != want.kind) return differ("type", "was", have.kind, want.kind);
  if (have.capacity != want.capacity)
    return differ("capacity", "was", have.capacity, want.capacity);
  if (have.min_after_dequeue != want.min_after_dequeue)
    return differ("min_after_dequeue", "was", have.min_after_dequeue, want.min_after_dequeue);
  if (have.types != want.types) return differ("component types", "were", types(have), types(want));
  if (!(have.shapes == want.shapes))
    return differ("component shapes", "were", shapes(have), shapes(want));
  return {};
}

template <class Make>
Result<std::unique_ptr<KernelState>> MakeState(PrepareCtx& c, const QueueSpec& spec, Make make) {
  const std::string name = InContainer(c.attrs(), spec.name);
  auto queue = c.resources().FindOrMake<Queue>(name, make);
  if (!queue) return InvalidArgument("the resource '", name, "' is not a queue");
  TENSH_RETURN_IF_ERROR(CheckShared(queue->spec(), spec));
  auto state = std::make_unique<QueueState>();
  if (c.op_name().ends_with("V2")) {
    state->handle = Tensor::Scalar(ResourceHandle{std::move(queue), name});
    return std::unique_ptr<KernelState>(std::move(state));
  }
  auto reference = std::make_shared<QueueReference>();
  reference->name = name;
  reference->dtype = DType::kString;
  const std::string parts[] = {c.attrs().String("container"), name};
  reference->value = Tensor::Vector<std::string>(parts);
  reference->queue = std::move(queue);
  state->handle = Tensor::Scalar(ResourceHandle{std::move(reference), name});
  return std::unique_ptr<KernelState>(std::move(state));
}

Result<std::unique_ptr<KernelState>> PrepareFifo(PrepareCtx& c) {
  TENSH_ASSIGN(const QueueSpec spec, SpecOf(c, "FIFOQueue"));
  TENSH_RETURN_IF_ERROR(CheckShapes(spec, true));
  return MakeState(c, spec, [&] { return std::make_shared<FifoQueue>(spec); });
}

Result<std::unique_ptr<KernelState>> PreparePadding(PrepareCtx& c) {
  TENSH_ASSIGN(const QueueSpec spec, SpecOf(c, "PaddingFIFOQueue"));
  TENSH_RETURN_IF_ERROR(CheckShapes(spec, false));
  if (spec.shapes.size() != spec.types.size())
    return InvalidArgument("Shapes must be provided for all components");
  return MakeState(c, spec, [&] { return std::make_shared<PaddingQueue>(spec); });
}

Result<std::unique_ptr<KernelState>> PrepareShuffle(PrepareCtx& c) {
  TENSH_ASSIGN(QueueSpec spec, SpecOf(c, "RandomShuffleQueue"));
  TENSH_RETURN_IF_ERROR(CheckShapes(spec, true));
  const int64_t min_after_dequeue = c.attrs().Int("min_after_dequeue");
  spec.min_after_dequeue = min_after_dequeue;
  if (min_after_dequeue < 0)
    return InvalidArgument("min_after_dequeue ", min_after_dequeue, " must be >= 0");
  if (min_after_dequeue >= spec.capacity)
    return InvalidArgument("min_after_dequeue ", min_after_dequeue, " must be < capacity ",
                           spec.capacity);
  const SeedPair seeds = SeedsOrSystems(c.attrs().Int("seed"), c.attrs().Int("seed2"));
  return MakeState(c, spec,
                   [&] { return std::make_shared<ShuffleQueue>(spec, seeds.first, seeds.second); });
}

// The priority is an additional component before those of the signature.
Result<std::unique_ptr<KernelState>> PreparePriority(PrepareCtx& c) {
  TENSH_ASSIGN(QueueSpec spec, SpecOf(c, "PriorityQueue"));
  if (spec.shapes.empty() && spec.types.empty()) spec.shapes.clear();
  spec.types.insert(spec.types.begin(), DType::kInt64);
  spec.shapes.insert(spec.shapes.begin(), Shape());
  TENSH_RETURN_IF_ERROR(CheckShapes(spec, true));
  return MakeState(c, spec, [&] { return std::make_shared<PriorityQueue>(spec); });
}

Status Handle(KernelCtx& c) {
  c.SetOutput(0, c.state<QueueState>().handle);
  return {};
}

constexpr char kAttrs[] =
    "component_types: list(type) >= 1, shapes: list(shape) >= 0 = [], capacity: int = -1, ";
constexpr char kNames[] = "container: string = '', shared_name: string = ''";
constexpr char kDoc[] =
    " handle refers to it. An element has one tensor for each of component_types, with the given "
    "shapes. capacity: the maximum number of elements; -1 means no limit. Nodes with the same "
    "shared_name in the same container refer to the same queue.";

Status ReferenceShape(ShapeCtx& c) {
  c.Set(0, Shape({2}));
  return {};
}

// Registers an op and its older form without V2, whose handle is a reference.
void Add(OpRegistry& r, const char* name, const std::string& attrs, const std::string& doc,
         const char* example, PrepareFn prepare) {
  for (bool now : {false, true}) {
    const std::string full = StrCat(name, now ? "V2" : "");
    const bool priority = std::string_view(name) == "PriorityQueue";
    r.Op({.name = full,
          .outputs = StrCat("handle: ", now ? "resource" : "Ref(string)"),
          .attrs = attrs,
          .doc = doc + kDoc,
          .shape = now ? ScalarOutput : ReferenceShape,
          .no_gradient = true,
          .stateful = true,
          .examples = {{now ? std::string(example)
                            : StrCat("tf.raw_ops.QueueSize(handle=tf.raw_ops.", full,
                                     "(component_types=[tf.float32]",
                                     priority || full == "PaddingFIFOQueue" ? ", shapes=[[]]" : "",
                                     "))"),
                        "0"}}})
        .CpuAny(Handle, prepare);
  }
}

}  // namespace

TENSH_OPS(data_flow_make_queue) {
  Add(r, "FIFOQueue", StrCat(kAttrs, kNames), "A first-in first-out queue.",
      "tf.FIFOQueue(10, tf.float32).size()", PrepareFifo);
  Add(r, "RandomShuffleQueue",
      StrCat(kAttrs, "min_after_dequeue: int = 0, seed: int = 0, seed2: int = 0, ", kNames),
      "A queue that returns its elements in random order. min_after_dequeue: the number of "
      "elements that must remain, for good mixing. seed and seed2 determine the order; if both are "
      "0, it is random.",
      "tf.RandomShuffleQueue(10, 2, tf.float32).size()", PrepareShuffle);
  Add(r, "PaddingFIFOQueue", StrCat(kAttrs, kNames),
      "A queue whose elements may differ in dimensions given as -1. Elements that are dequeued "
      "together are padded with zeros.",
      "tf.PaddingFIFOQueue(10, tf.float32, [[None]]).size()", PreparePadding);
  Add(r, "PriorityQueue",
      StrCat("component_types: list(type) >= 0 = [], shapes: list(shape) >= 0, "
             "capacity: int = -1, ",
             kNames),
      "A queue that returns its elements by priority, the smallest first. The priority is an int64 "
      "before the other components.",
      "tf.PriorityQueue(10, tf.float32, [[]]).size()", PreparePriority);
}

}  // namespace tensh::ops
