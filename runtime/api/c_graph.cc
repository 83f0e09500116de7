// The functions of tensh.h on graphs: adding nodes, reading them, gradients.
#include <cstring>

#include "runtime/api/c_types.h"
#include "runtime/core/run_kernel.h"

using namespace tensh;
using namespace tensh::api;

namespace tensh::api {
namespace {

// Returns the kind of an attribute as an integer. A C caller may store any number in the enum, and
// loading a value that the enum lacks would be undefined.
int KindOf(const tsh_attr& a) {
  static_assert(sizeof a.kind == sizeof(int));
  int kind = 0;
  std::memcpy(&kind, &a.kind, sizeof kind);
  return kind;
}

// DT_INVALID is a valid value of an attribute; a number that is not a dtype at all is an error.
DType TypeIn(int64_t type, const char* attr, Status& status) {
  const DType known = api::TypeIn(type);
  if (known == DType::kInvalid && type != 0)
    status = InvalidArgument("attribute ", attr, ": there is no type ", type);
  return known;
}

// Returns the name of the first array that is null although the list has elements, or null.
const char* MissingIn(const tsh_attr& a) {
  if (a.n == 0) return nullptr;
  switch (KindOf(a)) {
    case TSH_ATTR_FLOAT:
      return a.floats ? nullptr : "floats";
    case TSH_ATTR_STRING:
      return !a.strings ? "strings" : a.lengths ? nullptr : "lengths";
    default:
      return a.ints ? nullptr : "ints";
  }
}

AttrValue ListIn(const tsh_attr& a, Status& status) {
  const size_t n = a.n;
  if (const char* missing = MissingIn(a)) {
    status = InvalidArgument("attribute ", a.name, ": ", missing, " is null");
    return {};
  }
  switch (KindOf(a)) {
    case TSH_ATTR_INT:
      return AttrValue::Ints(a.ints, a.ints + n);
    case TSH_ATTR_BOOL:
      return AttrValue::Bools(a.ints, a.ints + n);
    case TSH_ATTR_FLOAT: {
      AttrValue::Floats list;
      for (size_t i = 0; i < n; ++i) list.push_back(static_cast<float>(a.floats[i]));
      return list;
    }
    case TSH_ATTR_TYPE: {
      AttrValue::Types list;
      for (size_t i = 0; i < n; ++i) list.push_back(TypeIn(a.ints[i], a.name, status));
      return list;
    }
    case TSH_ATTR_STRING: {
      AttrValue::Strings list;
      for (size_t i = 0; i < n; ++i)
        list.emplace_back(a.strings[i] ? std::string_view(a.strings[i], a.lengths[i]) : "");
      return list;
    }
    case TSH_ATTR_SHAPE: {
      AttrValue::Shapes list;
      const int64_t* dims = a.dims;
      for (size_t i = 0; i < n; ++i) {
        const int64_t rank = std::max<int64_t>(a.ints[i], 0);
        const auto shape =
            a.ints[i] < 0 ? Result<Shape>(Shape::Unknown()) : ShapeIn(dims, rank, false);
        if (!shape.ok()) {
          status = shape.status();
          return {};
        }
        list.push_back(*shape);
        if (dims) dims += rank;
      }
      return list;
    }
    default:
      status = InvalidArgument("attribute ", a.name, ": a list of tensors is not possible");
      return {};
  }
}

AttrValue ValueIn(const tsh_attr& a, Status& status) {
  if (a.is_list) return ListIn(a, status);
  switch (KindOf(a)) {
    case TSH_ATTR_INT:
      return a.i;
    case TSH_ATTR_FLOAT:
      return static_cast<float>(a.f);
    case TSH_ATTR_BOOL:
      return a.i != 0;
    case TSH_ATTR_TYPE:
      return TypeIn(a.i, a.name, status);
    case TSH_ATTR_STRING:
      if (a.string) return std::string(a.string, a.length);
      if (a.length == 0) return std::string();
      break;
    case TSH_ATTR_TENSOR:
      if (a.tensor) return FromHandle(a.tensor);
      break;
    case TSH_ATTR_SHAPE: {
      if (a.rank < 0) return Shape::Unknown();
      const auto shape = ShapeIn(a.dims, a.rank, false);
      if (shape.ok()) return *shape;
      status = shape.status();
      return {};
    }
  }
  status = InvalidArgument("attribute ", a.name, " has no value");
  return {};
}

// Returns a handle that does not hold a reference.
tsh_tensor* Borrowed(const Tensor& tensor) {
  tsh_tensor* handle = Handle(tensor);
  (void)Tensor::Adopt(handle);
  return handle;
}

// Sets the fields of a value that is neither a list nor a function.
void ScalarOut(const AttrValue& value, tsh_attr* out) {
  if (const int64_t* i = value.Find<int64_t>()) out->i = *i;
  if (const bool* b = value.Find<bool>()) out->i = *b;
  if (const float* f = value.Find<float>()) out->f = *f;
  if (const std::string* s = value.Find<std::string>())
    out->string = s->c_str(), out->length = s->size();
  if (const Tensor* t = value.Find<Tensor>()) out->tensor = Borrowed(*t);
  if (const DType* t = value.Find<DType>()) {
    const std::string_view name = SignatureName(*t);
    out->i = static_cast<int>(*t), out->string = name.data(), out->length = name.size();
  }
  if (const Shape* s = value.Find<Shape>()) out->dims = s->dims().data(), out->rank = s->rank();
}

// The kinds of the alternatives of AttrValue, and whether they are lists. A value is never "none".
struct AttrType {
  tsh_attr_kind kind;
  bool is_list;
};
constexpr AttrType kAttrTypes[] = {
    {TSH_ATTR_INT, false},   {TSH_ATTR_INT, false},    {TSH_ATTR_FLOAT, false},
    {TSH_ATTR_BOOL, false},  {TSH_ATTR_TYPE, false},   {TSH_ATTR_STRING, false},
    {TSH_ATTR_SHAPE, false}, {TSH_ATTR_TENSOR, false}, {TSH_ATTR_INT, true},
    {TSH_ATTR_FLOAT, true},  {TSH_ATTR_BOOL, true},    {TSH_ATTR_TYPE, true},
    {TSH_ATTR_STRING, true}, {TSH_ATTR_SHAPE, true},   {TSH_ATTR_FUNC, false},
    {TSH_ATTR_FUNC, true}};
static_assert(std::variant_size_v<decltype(AttrValue::value)> == std::size(kAttrTypes));

tsh_attr AttrOut(const NamedAttr& attr) {
  tsh_attr out = TSH_ATTR_INIT;
  const AttrType& type = kAttrTypes[attr.value.value.index()];
  out.name = attr.name.c_str();
  out.kind = type.kind;
  out.is_list = type.is_list ? 1 : 0;
  ScalarOut(attr.value, &out);
  return out;
}

}  // namespace

std::vector<NamedAttr> AttrsIn(const tsh_attr* attrs, size_t n, Status& status) {
  std::vector<NamedAttr> out;
  if (n > 0 && !attrs) {
    status = NullArgument("attrs");
    return out;
  }
  out.reserve(n);
  Sized<tsh_attr> attr;
  for (size_t i = 0; i < n && status.ok(); ++i) {
    status = attr.Read(SizedAt(attrs, i));
    if (status.ok() && !attr->name) status = NullArgument("the name of an attribute");
    if (status.ok()) out.push_back({attr->name, ValueIn(*attr, status)});
  }
  return out;
}

}  // namespace tensh::api

namespace {

bool Has(const tsh_graph* g, tsh_node n) { return g && n < G(g).size(); }
bool Has(const tsh_graph* g, tsh_output o) {
  return Has(g, o.node) && o.index < G(g).num_outputs(NodeId{o.node});
}
ValueId Value(const tsh_graph* g, tsh_output o) { return G(g).output(NodeId{o.node}, o.index); }

Status CheckArrays(const tsh_node_spec& spec) {
  TENSH_NEED(spec.op);
  TENSH_NEED(spec.inputs || spec.n_inputs == 0);
  TENSH_NEED(spec.controls || spec.n_controls == 0);
  return {};
}

// A spec's arrays converted, kept alive while Append runs.
struct SpecIn {
  SpecIn(const tsh_node_spec& spec, Status& status)
      : inputs(spec.inputs, spec.n_inputs),
        controls(spec.controls, spec.n_controls),
        attrs(AttrsIn(spec.attrs, spec.n_attrs, status)) {}
  NodeSpec Spec(const tsh_node_spec& spec) const {
    return {View(spec.op),   View(spec.name), View(spec.device), inputs.span(),
            controls.span(), attrs,           spec.source};
  }
  OutputIds inputs;
  NodeIds controls;
  std::vector<NamedAttr> attrs;
};

}  // namespace

tsh_graph* tsh_graph_new(void) {
  tsh_graph* made = nullptr;
  Guard(nullptr, [&]() -> Status {
    made = reinterpret_cast<tsh_graph*>(new Graph(Ops()));
    return {};
  });
  return made;
}
void tsh_graph_ref(tsh_graph* g) {
  if (g) G(g).Ref();
}
void tsh_graph_unref(tsh_graph* g) {
  if (g) G(g).Unref();
}
uint64_t tsh_graph_id(const tsh_graph* g) { return g ? G(g).id() : 0; }

int tsh_graph_add(tsh_graph* g, const tsh_node_spec* specs, size_t n, tsh_node* first,
                  tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(g);
    TENSH_NEED(specs || n == 0);
    TENSH_NEED(first);
    Status attr_status;
    Sized<tsh_node_spec> given;
    if (n == 1) {  // the common case, without a vector
      TENSH_RETURN_IF_ERROR(given.Read(specs));
      TENSH_RETURN_IF_ERROR(CheckArrays(*given));
      const SpecIn in(*given, attr_status);
      TENSH_RETURN_IF_ERROR(std::move(attr_status));
      const NodeSpec spec = in.Spec(*given);
      TENSH_ASSIGN(NodeId node, G(g).Append({&spec, 1}));
      *first = Index(node);
      return {};
    }
    std::vector<std::unique_ptr<SpecIn>> ins;
    std::vector<NodeSpec> list;
    for (size_t i = 0; i < n; ++i) {
      TENSH_RETURN_IF_ERROR(given.Read(SizedAt(specs, i)));
      TENSH_RETURN_IF_ERROR(CheckArrays(*given));
      ins.push_back(std::make_unique<SpecIn>(*given, attr_status));
      TENSH_RETURN_IF_ERROR(std::move(attr_status));
      list.push_back(ins[i]->Spec(*given));
    }
    TENSH_ASSIGN(NodeId node, G(g).Append(list));
    *first = Index(node);
    return {};
  });
}

int tsh_graph_set_input(tsh_graph* g, tsh_node merge, uint32_t i, tsh_output from,
                        tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(g);
    return G(g).SetInput(NodeId{merge}, i, {NodeId{from.node}, from.index});
  });
}

size_t tsh_graph_size(const tsh_graph* g) { return g ? G(g).size() : 0; }
uint64_t tsh_graph_version(const tsh_graph* g) { return g ? G(g).version() : 0; }
void tsh_graph_begin(tsh_graph* g) {
  if (g) G(g).Begin();
}
void tsh_graph_commit(tsh_graph* g) {
  if (g) G(g).Commit();
}
void tsh_graph_rollback(tsh_graph* g) {
  Guard(nullptr, [&]() -> Status {
    TENSH_NEED(g);
    G(g).Rollback();
    return {};
  });
}
uint32_t tsh_graph_generation(const tsh_graph* g) { return g ? G(g).generation() : 0; }
uint32_t tsh_graph_valid_below(const tsh_graph* g, uint32_t generation) {
  return g ? G(g).valid_below(generation) : 0;
}
void tsh_graph_finalize(tsh_graph* g) {
  if (g) G(g).Finalize();
}

char* tsh_graph_unique_name(tsh_graph* g, const char* name, int mark_as_used) {
  char* text = nullptr;
  Guard(nullptr, [&]() -> Status {
    TENSH_NEED(g);
    text = TextOut(G(g).UniqueName(View(name), mark_as_used != 0));
    return {};
  });
  return text;
}

tsh_node tsh_graph_find(const tsh_graph* g, const char* name) {
  return g ? Index(G(g).Find(View(name))) : TSH_NO_NODE;
}

// Names and devices are stored null-terminated.
const char* tsh_node_name(const tsh_graph* g, tsh_node n) {
  return Has(g, n) ? G(g).name(NodeId{n}).data() : "";
}
const char* tsh_node_op(const tsh_graph* g, tsh_node n) {
  return Has(g, n) ? G(g).op(NodeId{n}).name.c_str() : "";
}
const char* tsh_node_device(const tsh_graph* g, tsh_node n) {
  return Has(g, n) ? G(g).device(NodeId{n}).data() : "";
}

int tsh_node_set_device(tsh_graph* g, tsh_node n, const char* device, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    if (!Has(g, n)) return NotFound("there is no node ", n);
    return G(g).SetDevice(NodeId{n}, View(device));
  });
}

uint32_t tsh_node_source(const tsh_graph* g, tsh_node n) {
  return Has(g, n) ? G(g).source(NodeId{n}) : 0;
}
size_t tsh_node_num_inputs(const tsh_graph* g, tsh_node n) {
  return Has(g, n) ? G(g).num_inputs(NodeId{n}) : 0;
}
tsh_output tsh_node_input(const tsh_graph* g, tsh_node n, size_t i) {
  if (i >= tsh_node_num_inputs(g, n)) return {TSH_NO_NODE, 0};
  ValueId v = G(g).input(NodeId{n}, static_cast<uint32_t>(i));
  return {Index(G(g).node_of(v)), G(g).index_of(v)};
}
size_t tsh_node_num_controls(const tsh_graph* g, tsh_node n) {
  return Has(g, n) ? G(g).num_controls(NodeId{n}) : 0;
}
tsh_node tsh_node_control(const tsh_graph* g, tsh_node n, size_t i) {
  return i < tsh_node_num_controls(g, n) ? Index(G(g).control(NodeId{n}, static_cast<uint32_t>(i)))
                                         : TSH_NO_NODE;
}
size_t tsh_node_num_outputs(const tsh_graph* g, tsh_node n) {
  return Has(g, n) ? G(g).num_outputs(NodeId{n}) : 0;
}

int tsh_node_attr(const tsh_graph* g, tsh_node n, size_t i, tsh_attr* attr) {
  if (!Has(g, n) || attr == nullptr || attr->size < kFirstSize<tsh_attr>) return 0;
  const std::vector<NamedAttr>& attrs = G(g).attrs(NodeId{n}).all();
  if (i >= attrs.size()) return 0;
  tsh_attr out = AttrOut(attrs[i]);
  out.size = attr->size;
  std::memcpy(attr, &out, std::min(out.size, sizeof out));
  return 1;
}

tsh_tensor* tsh_node_attr_tensor(const tsh_graph* g, tsh_node n, const char* attr) {
  const AttrValue* value = Has(g, n) ? G(g).attrs(NodeId{n}).Find(View(attr)) : nullptr;
  const Tensor* tensor = value ? value->Find<Tensor>() : nullptr;
  return tensor ? Handle(*tensor) : nullptr;
}

int tsh_output_dtype(const tsh_graph* g, tsh_output o) {
  return Has(g, o) ? static_cast<int>(G(g).dtype(Value(g, o))) : 0;
}

int tsh_output_shape(const tsh_graph* g, tsh_output o, int64_t* dims) {
  if (!Has(g, o)) return -1;
  const Shape& shape = G(g).shape(Value(g, o));
  for (int i = 0; dims && i < shape.rank(); ++i) dims[i] = shape[i];
  return shape.rank();
}

int tsh_output_set_shape(tsh_graph* g, tsh_output o, const int64_t* dims, int rank,
                         tsh_status* status) {
  return Guard(status, [&]() -> Status {
    if (!Has(g, o)) return NotFound("there is no output ", o.index, " of node ", o.node);
    if (rank < 0) return {};
    TENSH_ASSIGN(Shape shape, ShapeIn(dims, rank, false));
    return G(g).SetShape(Value(g, o), shape);
  });
}

tsh_tensor* tsh_output_constant(const tsh_graph* g, tsh_output o) {
  tsh_tensor* value = nullptr;
  if (Has(g, o))
    Guard(nullptr, [&]() -> Status {
      if (Tensor t = G(g).Constant(Value(g, o))) value = Handle(std::move(t));
      return {};
    });
  return value;
}

int tsh_graph_gradients(tsh_graph* g, const tsh_gradients* given, tsh_gradient* dxs,
                        tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(g);
    Sized<tsh_gradients> r;
    TENSH_RETURN_IF_ERROR(r.Read(given));
    TENSH_NEED(r->ys);
    if (r->n_ys == 0) return InvalidArgument("there are no ys to differentiate");
    TENSH_NEED(r->xs || r->n_xs == 0);
    TENSH_NEED(r->stops || r->n_stops == 0);
    TENSH_NEED(dxs || r->n_xs == 0);
    const OutputIds ys(r->ys, r->n_ys), xs(r->xs, r->n_xs);
    const OutputIds dys(r->grad_ys, r->grad_ys ? r->n_ys : 0), stops(r->stops, r->n_stops);
    for (const auto list : {ys.span(), xs.span(), dys.span(), stops.span()})
      for (const Output& o : list) {
        const bool none = list.data() == dys.span().data() && o.node == kNoNode;  // stands for ones
        if (!none && !Has(g, {Index(o.node), o.index}))
          return NotFound("there is no output ", o.index, " of node ", Index(o.node));
      }
    std::string scope(View(r->scope));
    if (scope.empty()) scope = G(g).UniqueName("gradients", true);
    std::vector<GradientRequest::Rows> rows;
    const GradientRequest request{.ys = ys.span(),
                                  .xs = xs.span(),
                                  .grad_ys = dys.span(),
                                  .scope = std::move(scope),
                                  .gate_ops = r->gate_ops != 0,
                                  .colocate = r->colocate != 0,
                                  .source = r->source,
                                  .stops = stops.span(),
                                  .rows = r->rows ? &rows : nullptr};
    TENSH_ASSIGN(std::vector<Output> out, AddGradients(G(g), request));
    rows.resize(out.size());
    const auto c_output = [](const Output& o) { return tsh_output{Index(o.node), o.index}; };
    for (size_t i = 0; i < out.size(); ++i)
      dxs[i] = {c_output(out[i]), c_output(rows[i].indices), c_output(rows[i].dense_shape)};
    return {};
  });
}

const char* tsh_op_name(const char* op) {
  const OpDef* def = Ops().Find(View(op));
  return def ? def->name.c_str() : nullptr;
}

int tsh_op_run(const char* op, tsh_tensor* const* inputs, size_t n_inputs, const tsh_attr* attrs,
               size_t n_attrs, tsh_tensor** outputs, size_t max_outputs, size_t* n_outputs,
               tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(inputs || n_inputs == 0);
    TENSH_NEED(outputs || max_outputs == 0);
    TENSH_NEED(n_outputs);
    *n_outputs = 0;
    const OpDef* def = Ops().Find(View(op));
    if (!def) return NotFound("there is no op '", View(op), "'");
    if (def->stateful)
      return InvalidArgument(def->name, " is stateful, so it runs only in a session");
    std::vector<Tensor> in;
    std::vector<DType> types;
    for (size_t i = 0; i < n_inputs; ++i) {
      TENSH_NEED(inputs[i]);
      in.push_back(FromHandle(inputs[i]));
      types.push_back(in.back().dtype());
    }
    Status attr_status;
    std::vector<NamedAttr> given = AttrsIn(attrs, n_attrs, attr_status);
    TENSH_RETURN_IF_ERROR(std::move(attr_status));
    TENSH_ASSIGN(std::vector<NamedAttr> resolved, ResolveAttrs(*def, types, given));
    std::vector<DType> out_types = OutputTypes(*def, Attrs(resolved));
    *n_outputs = out_types.size();
    if (out_types.size() > max_outputs)
      return InvalidArgument(def->name, " has ", out_types.size(), " outputs");
    TENSH_ASSIGN(std::vector<Tensor> out, RunKernel(*def, Attrs(resolved), in, out_types));
    for (size_t i = 0; i < out.size(); ++i) outputs[i] = Handle(std::move(out[i]));
    return {};
  });
}
