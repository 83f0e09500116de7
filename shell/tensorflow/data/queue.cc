#include "shell/tensorflow/data/queue.h"

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/shape.h"

namespace tensh::shell::tf {

std::string QueueObject::Name() const {
  const std::string name = graph->handle().NodeName(ref.node);
  const size_t slash = name.rfind('/');
  return slash == name.npos ? name : name.substr(slash + 1);
}

namespace {

// Returns the tensors of one element in the order of the components.
std::vector<Value> Components(const QueueObject& q, const Value& vals) {
  if (auto* dict = As<DictObject>(vals)) {
    if (q.names.empty()) {
      throw ValueError("Queue must have names to enqueue a dictionary");
    }
    std::vector<Value> items;
    for (const std::string& name : q.names) {
      Value* found = dict->dict.Find(name);
      if (!found || dict->dict.size() != q.names.size()) {
        throw ValueError("Keys in dictionary to enqueue do not match names of Queue.");
      }
      items.push_back(*found);
    }
    return items;
  }
  if (!q.names.empty()) throw ValueError("You must enqueue a dictionary in a Queue with names");
  const auto* items = Sequence(vals);
  std::vector<Value> list = items ? *items : std::vector<Value>{vals};
  // A list may be the value of the only component, or contain it.
  return list;
}

}  // namespace

Node QueueObject::Enqueue(const Value& vals, bool many, std::string_view name) {
  const std::string scope_name =
      name.empty() ? Name() + (many ? "_EnqueueMany" : "_enqueue") : std::string(name);
  NameScope scope(*graph, scope_name);
  const std::vector<Value> items = Components(*this, vals);
  if (items.size() != dtypes.size()) {
    throw ValueError("Expected " + std::to_string(dtypes.size()) + " components to enqueue, got " +
                     std::to_string(items.size()) + ".");
  }
  std::vector<Out> tensors;
  for (size_t i = 0; i < items.size(); ++i) {
    ConvertOptions options;
    options.dtype = dtypes[i];
    tensors.push_back(Convert(*graph, items[i], "component_" + std::to_string(i), options));
    const ShapeInfo have = graph->handle().Shape(tensors.back());
    if (shapes.empty() || have.rank < 0 || shapes[i].rank < 0) continue;
    const size_t skip = many ? 1 : 0;
    bool fits = have.rank == shapes[i].rank + static_cast<int>(skip);
    for (int d = 0; fits && d < shapes[i].rank; ++d) {
      const int64_t got = have.extents[static_cast<size_t>(d) + skip];
      const int64_t want = shapes[i].extents[static_cast<size_t>(d)];
      fits = got < 0 || want < 0 || got == want;
    }
    if (!fits) {
      throw ValueError("Shapes " + ShapeText(have) + " and " + ShapeText(shapes[i]) +
                       " are incompatible");
    }
  }
  OpCall call(*graph, many ? "QueueEnqueueManyV2" : "QueueEnqueueV2", graph->scope);
  return call.In(ref).InList(std::span<const Out>(tensors)).AddNode();
}

std::vector<Out> QueueObject::Dequeue(const char* op, const Value* n, std::string_view name) {
  const std::string_view type = op;
  const char* end = type == "QueueDequeueV2"       ? "_Dequeue"
                    : type == "QueueDequeueManyV2" ? "_DequeueMany"
                                                   : "_DequeueUpTo";
  OpCall call(*graph, op, name.empty() ? Name() + end : std::string(name));
  call.In(ref);
  if (n) call.In(*n);
  std::vector<int64_t> types(dtypes.begin(), dtypes.end());
  call.attrs().Types("component_types", types);
  const Node node = call.AddNode();
  std::vector<Out> outs;
  int64_t batch = -1;
  if (n && type == "QueueDequeueManyV2") {
    const TensorHandle known = graph->handle().Constant(graph->handle().Input(node, 1));
    if (known && known.elements() == 1) batch = *known.data<int32_t>();
  }
  for (uint32_t i = 0; i < dtypes.size(); ++i) {
    outs.push_back({node, i});
    if (shapes.empty() || shapes[i].rank < 0) continue;
    std::vector<int64_t> dims;
    if (n) dims.push_back(batch);
    dims.insert(dims.end(), shapes[i].dims().begin(), shapes[i].dims().end());
    graph->handle().NarrowShape(outs.back(), dims);
  }
  return outs;
}

Value QueueObject::Result(const std::vector<Out>& outs) const {
  std::vector<Value> tensors;
  for (Out o : outs) tensors.push_back(graph->Tensor(o));
  if (!names.empty()) {
    Value dict = MakeDict();
    for (size_t i = 0; i < names.size(); ++i) SetItem(dict, MakeStr(names[i]), tensors[i]);
    return dict;
  }
  return tensors.size() == 1 ? tensors[0] : MakeList(std::move(tensors));
}

Node QueueObject::Close(bool cancel_pending, std::string_view name) {
  OpCall call(*graph, "QueueCloseV2", name.empty() ? Name() + "_Close" : std::string(name));
  call.In(ref).attrs().Bool("cancel_pending_enqueues", cancel_pending);
  return call.AddNode();
}

Out QueueObject::Size(std::string_view name) {
  return Op(*graph, "QueueSizeV2", {ref}, name.empty() ? Name() + "_Size" : std::string(name));
}

namespace {

tsh_attr ShapeList(const std::vector<ShapeInfo>& shapes, std::vector<int64_t>* ranks,
                   std::vector<int64_t>* dims) {
  for (const ShapeInfo& s : shapes) {
    ranks->push_back(s.rank);
    dims->insert(dims->end(), s.dims().begin(), s.dims().end());
  }
  tsh_attr attr{};
  attr.name = "shapes";
  attr.kind = TSH_ATTR_SHAPE;
  attr.is_list = 1;
  attr.n = shapes.size();
  attr.ints = ranks->data();
  attr.dims = dims->data();
  return attr;
}

}  // namespace

Ref<QueueObject> MakeQueue(GraphObject& g, const QueueSpec& spec) {
  const bool priority = spec.op == std::string_view("PriorityQueueV2");
  Attrs attrs;
  std::vector<int64_t> types(spec.dtypes.begin() + (priority ? 1 : 0), spec.dtypes.end());
  std::vector<ShapeInfo> shapes(spec.shapes.begin() + (priority && !spec.shapes.empty() ? 1 : 0),
                                spec.shapes.end());
  std::vector<int64_t> ranks, dims;
  attrs.Types("component_types", types).Int("capacity", spec.capacity);
  attrs.Add(ShapeList(shapes, &ranks, &dims)).String("shared_name", spec.shared_name);
  if (spec.op == std::string_view("RandomShuffleQueueV2")) {
    const Seeds seeds = NextSeeds(g, spec.seed);
    attrs.Int("min_after_dequeue", spec.min_after_dequeue);
    attrs.Int("seed", seeds.graph).Int("seed2", seeds.op);
  }
  Ref<QueueObject> made = New<QueueObject>(QueueObject::kType, g);
  made->ref = {g.Add(spec.op, spec.name, {}, attrs), 0};
  made->dtypes = spec.dtypes;
  made->shapes = spec.shapes;
  made->names = spec.names;
  return made;
}

namespace {

QueueObject& Self(Args& a) { return *As<QueueObject>(a.self()); }

std::vector<int> DTypes(const Value& v) {
  const auto* items = Sequence(v);
  std::vector<int> out;
  if (!items) return {BaseType(ToDType(v))};
  for (const Value& item : *items) out.push_back(BaseType(ToDType(item)));
  return out;
}

ShapeInfo InfoOf(const Value& v) {
  Ref<ShapeObject> shape = ToShape(v);
  return {shape->rank(), {shape->dims().begin(), shape->dims().end()}};
}

// Returns the shapes of the components. `v` is one shape for all components or a list of shapes.
std::vector<ShapeInfo> ShapesOf(const Value& v, size_t n) {
  if (v.is_none()) return {};
  const auto* items = Sequence(v);
  bool nested = items && items->size() == n;
  if (items) {
    for (const Value& item : *items) {
      nested &= Sequence(item) != nullptr || As<ShapeObject>(item) != nullptr;
    }
  }
  std::vector<ShapeInfo> shapes;
  if (nested) {
    for (const Value& item : *items) shapes.push_back(InfoOf(item));
    return shapes;
  }
  if (n != 1) {
    throw ValueError("Queue shapes must have the same length as dtypes, got " + Repr(v) + " for " +
                     std::to_string(n) + " components");
  }
  return {InfoOf(v)};
}

std::vector<std::string> Names(const Value& v, size_t n) {
  std::vector<std::string> names;
  if (v.is_none()) return names;
  const auto* items = Sequence(v);
  if (!items) names.push_back(ToText(v, "names"));
  for (size_t i = 0; items && i < items->size(); ++i) names.push_back(ToText((*items)[i], "names"));
  if (names.size() != n) {
    throw ValueError("List of queue names and list of dtypes must have the same length, got " +
                     std::to_string(names.size()) + " names, " + std::to_string(n) + " dtypes");
  }
  return names;
}

// capacity, [min_after_dequeue,] dtypes, shapes, names, [seed,] shared_name, name
Value NewQueue(Args& a) {
  QueueSpec spec;
  spec.op = static_cast<const char*>(a.row().data);
  const bool shuffle = spec.op == std::string_view("RandomShuffleQueueV2");
  const bool priority = spec.op == std::string_view("PriorityQueueV2");
  size_t i = 0;
  spec.capacity = ToIndex(a[i++]);
  if (shuffle) spec.min_after_dequeue = ToIndex(a[i++]);
  spec.dtypes = DTypes(a[i++]);
  spec.shapes = ShapesOf(a[i++], spec.dtypes.size());
  spec.names = Names(a[i++], spec.dtypes.size());
  if (shuffle) spec.seed = a[i++];
  if (!a[i].is_none()) spec.shared_name = ToText(a[i], "shared_name");
  spec.name = a[i + 1].is_none() ? spec.op : ToText(a[i + 1], "name");
  if (priority) {
    spec.dtypes.insert(spec.dtypes.begin(), TSH_INT64);
    ShapeInfo scalar;
    scalar.rank = 0;
    if (!spec.shapes.empty()) spec.shapes.insert(spec.shapes.begin(), scalar);
  }
  return MakeQueue(DefaultGraph(), spec);
}

Value EnqueueFn(Args& a) {
  return Self(a).graph->Operation(Self(a).Enqueue(a[0], a.row().data != nullptr, NameText(a[1])));
}
Value DequeueFn(Args& a) {
  return Self(a).Result(Self(a).Dequeue("QueueDequeueV2", nullptr, NameText(a[0])));
}
Value DequeueManyFn(Args& a) {
  return Self(a).Result(
      Self(a).Dequeue(static_cast<const char*>(a.row().data), &a[0], NameText(a[1])));
}

Value IsClosed(Args& a) {
  const std::string name = a[0].is_none() ? Self(a).Name() + "_Is_Closed" : ToText(a[0], "name");
  return Self(a).graph->Tensor(Op(*Self(a).graph, "QueueIsClosedV2", {Self(a).ref}, name));
}

const FunctionRow kMethods[] = {
    {"enqueue", "vals, name=None", EnqueueFn, "Adds one element."},
    {"enqueue_many", "vals, name=None", EnqueueFn, "Adds one element per row.", "many"},
    {"dequeue", "name=None", DequeueFn, "Removes one element."},
    {"dequeue_many", "n, name=None", DequeueManyFn, "Removes n elements as one tensor.",
     "QueueDequeueManyV2"},
    {"dequeue_up_to", "n, name=None", DequeueManyFn, "Removes up to n elements.",
     "QueueDequeueUpToV2"},
    {"close", "cancel_pending_enqueues=False, name=None",
     [](Args& a) { return Self(a).graph->Operation(Self(a).Close(Truth(a[0]), NameText(a[1]))); },
     "Closes the queue for new elements."},
    {"size", "name=None",
     [](Args& a) { return Self(a).graph->Tensor(Self(a).Size(NameText(a[0]))); },
     "The number of elements."},
    {"is_closed", "name=None", IsClosed, "Returns true if the queue is closed."},
};

QueueObject& Q(const Value& v) { return *As<QueueObject>(v); }

Value DTypeList(const Value& v) {
  std::vector<Value> items;
  for (int d : Q(v).dtypes) items.push_back(DTypeValue(d));
  return MakeList(std::move(items));
}

Value ShapeList(const Value& v) {
  std::vector<Value> items;
  for (const ShapeInfo& s : Q(v).shapes) items.push_back(ShapeValue(s));
  return MakeList(std::move(items));
}

const PropertyRow kProperties[] = {
    {"queue_ref", [](const Value& v) { return Q(v).graph->Tensor(Q(v).ref); }},
    {"name", [](const Value& v) { return MakeStr(QueueName(Q(v))); }},
    {"dtypes", DTypeList},
    {"shapes", ShapeList},
};

const FunctionRow kQueues[] = {
    {"FIFOQueue", "capacity, dtypes, shapes=None, names=None, shared_name=None, name='fifo_queue'",
     NewQueue, "A first-in, first-out queue.", "FIFOQueueV2"},
    {"RandomShuffleQueue",
     "capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, shared_name=None, "
     "name='random_shuffle_queue'",
     NewQueue, "A queue that returns its elements in random order.", "RandomShuffleQueueV2"},
    {"PaddingFIFOQueue",
     "capacity, dtypes, shapes, names=None, shared_name=None, name='padding_fifo_queue'", NewQueue,
     "A queue that pads elements of different sizes.", "PaddingFIFOQueueV2"},
    {"PriorityQueue",
     "capacity, types, shapes=None, names=None, shared_name=None, name='priority_queue'", NewQueue,
     "A queue that is ordered by priority.", "PriorityQueueV2"},
};

}  // namespace

std::string QueueName(const QueueObject& queue) {
  const std::string full = queue.graph->handle().NodeName(queue.ref.node);
  return full.substr(full.rfind('/') + 1);
}

const TypeInfo QueueObject::kType = {.name = "QueueBase",
                                     .module = "tensorflow.python.ops.data_flow_ops",
                                     .doc = "A queue of tensors.",
                                     .methods = kMethods,
                                     .properties = kProperties};

std::span<const FunctionRow> QueueRows() { return kQueues; }

}  // namespace tensh::shell::tf
