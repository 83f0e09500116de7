#include "runtime/api/c_types.h"
#include "runtime/core/run_kernel.h"

using namespace tensh;
using namespace tensh::api;

namespace tensh::api {
namespace {

AttrValue ListIn(const tsh_attr& a, Status& status) {
  size_t n = a.n;
  switch (a.kind) {
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
      for (size_t i = 0; i < n; ++i) list.push_back(static_cast<DType>(a.ints[i]));
      return list;
    }
    case TSH_ATTR_STRING: {
      AttrValue::Strings list;
      for (size_t i = 0; i < n; ++i) list.emplace_back(a.strings[i], a.lengths[i]);
      return list;
    }
    case TSH_ATTR_SHAPE: {
      AttrValue::Shapes list;
      const int64_t* dims = a.dims;
      for (size_t i = 0; i < n; ++i) {
        auto rank = static_cast<size_t>(std::max<int64_t>(a.ints[i], 0));
        auto shape =
            a.ints[i] < 0 ? Result<Shape>(Shape::Unknown()) : Shape::Make({dims, rank}, false);
        if (!shape.ok()) {
          status = shape.status();
          return {};
        }
        list.push_back(*shape);
        dims += rank;
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
  switch (a.kind) {
    case TSH_ATTR_INT:
      return a.i;
    case TSH_ATTR_FLOAT:
      return static_cast<float>(a.f);
    case TSH_ATTR_BOOL:
      return a.i != 0;
    case TSH_ATTR_TYPE:
      return static_cast<DType>(a.i);
    case TSH_ATTR_STRING:
      return std::string(a.string, a.length);
    case TSH_ATTR_TENSOR:
      return FromHandle(a.tensor);
    case TSH_ATTR_SHAPE: {
      if (a.rank < 0) return Shape::Unknown();
      auto shape = Shape::Make({a.dims, static_cast<size_t>(a.rank)}, false);
      if (shape.ok()) return *shape;
      status = shape.status();
      return {};
    }
  }
  status = InvalidArgument("attribute ", a.name, " has no kind");
  return {};
}

}  // namespace

std::vector<NamedAttr> AttrsIn(const tsh_attr* attrs, size_t n, Status& status) {
  std::vector<NamedAttr> out;
  out.reserve(n);
  for (size_t i = 0; i < n && status.ok(); ++i)
    out.push_back({attrs[i].name, ValueIn(attrs[i], status)});
  return out;
}

}  // namespace tensh::api

namespace {

std::string_view View(const char* text) {
  return text ? std::string_view(text) : std::string_view();
}
bool Has(const tsh_graph* g, tsh_node n) { return n < G(g).size(); }
bool Has(const tsh_graph* g, tsh_output o) {
  return Has(g, o.node) && o.index < G(g).num_outputs(NodeId{o.node});
}
ValueId Value(const tsh_graph* g, tsh_output o) { return G(g).output(NodeId{o.node}, o.index); }

// A spec's arrays converted, kept alive while Append runs.
struct SpecIn {
  SpecIn(const tsh_node_spec& spec, Status& status)
      : inputs(spec.inputs, spec.n_inputs),
        controls(spec.controls, spec.n_controls),
        attrs(AttrsIn(spec.attrs, spec.n_attrs, status)) {}
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
void tsh_graph_ref(tsh_graph* g) { G(g).Ref(); }
void tsh_graph_unref(tsh_graph* g) {
  if (g) G(g).Unref();
}
uint64_t tsh_graph_id(const tsh_graph* g) { return G(g).id(); }

int tsh_graph_add(tsh_graph* g, const tsh_node_spec* specs, size_t n, tsh_node* first,
                  tsh_status* status) {
  return Guard(status, [&]() -> Status {
    Status attr_status;
    if (n == 1) {  // the common case, without a vector
      SpecIn in(specs[0], attr_status);
      TENSH_RETURN_IF_ERROR(std::move(attr_status));
      NodeSpec spec{View(specs[0].op), View(specs[0].name), View(specs[0].device),
                    in.inputs.span(),  in.controls.span(),  in.attrs,
                    specs[0].source};
      TENSH_ASSIGN(NodeId node, G(g).Append({&spec, 1}));
      *first = Index(node);
      return {};
    }
    std::vector<std::unique_ptr<SpecIn>> ins;
    std::vector<NodeSpec> list;
    for (size_t i = 0; i < n; ++i) {
      ins.push_back(std::make_unique<SpecIn>(specs[i], attr_status));
      TENSH_RETURN_IF_ERROR(std::move(attr_status));
      list.push_back({View(specs[i].op), View(specs[i].name), View(specs[i].device),
                      ins[i]->inputs.span(), ins[i]->controls.span(), ins[i]->attrs,
                      specs[i].source});
    }
    TENSH_ASSIGN(NodeId node, G(g).Append(list));
    *first = Index(node);
    return {};
  });
}

int tsh_graph_set_input(tsh_graph* g, tsh_node merge, uint32_t i, tsh_output from,
                        tsh_status* status) {
  return Guard(status, [&]() -> Status {
    return G(g).SetInput(NodeId{merge}, i, {NodeId{from.node}, from.index});
  });
}

size_t tsh_graph_size(const tsh_graph* g) { return G(g).size(); }
uint64_t tsh_graph_version(const tsh_graph* g) { return G(g).version(); }
void tsh_graph_begin(tsh_graph* g) { G(g).Begin(); }
void tsh_graph_commit(tsh_graph* g) { G(g).Commit(); }
void tsh_graph_rollback(tsh_graph* g) { G(g).Rollback(); }
uint32_t tsh_graph_generation(const tsh_graph* g) { return G(g).generation(); }
uint32_t tsh_graph_valid_below(const tsh_graph* g, uint32_t generation) {
  return G(g).valid_below(generation);
}
void tsh_graph_finalize(tsh_graph* g) { G(g).Finalize(); }

char* tsh_graph_unique_name(tsh_graph* g, const char* name, int mark_as_used) {
  char* text = nullptr;
  Guard(nullptr, [&]() -> Status {
    text = TextOut(G(g).UniqueName(View(name), mark_as_used != 0));
    return {};
  });
  return text;
}

tsh_node tsh_graph_find(const tsh_graph* g, const char* name) {
  return Index(G(g).Find(View(name)));
}

// Names and devices are null-terminated where they are stored.
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
  for (int i = 0; i < shape.rank(); ++i) dims[i] = shape[i];
  return shape.rank();
}

int tsh_output_set_shape(tsh_graph* g, tsh_output o, const int64_t* dims, int rank,
                         tsh_status* status) {
  return Guard(status, [&]() -> Status {
    if (!Has(g, o)) return NotFound("there is no output ", o.index, " of node ", o.node);
    if (rank < 0) return {};
    TENSH_ASSIGN(Shape shape, Shape::Make({dims, static_cast<size_t>(rank)}, false));
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

int tsh_graph_gradients(tsh_graph* g, const tsh_output* ys, size_t n_ys, const tsh_output* xs,
                        size_t n_xs, const tsh_output* grad_ys, const char* scope, int gate_ops,
                        uint32_t source, tsh_output* dxs, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    OutputIds y(ys, n_ys), x(xs, n_xs), dy(grad_ys, grad_ys ? n_ys : 0);
    GradientRequest request{y.span(),      x.span(), dy.span(), std::string(View(scope)),
                            gate_ops != 0, source};
    TENSH_ASSIGN(std::vector<Output> out, AddGradients(G(g), request));
    for (size_t i = 0; i < n_xs; ++i) dxs[i] = {Index(out[i].node), out[i].index};
    return {};
  });
}

int tsh_graph_gradient_rows(tsh_graph* g, const tsh_output* ys, size_t n_ys, const tsh_output* xs,
                            size_t n_xs, const tsh_output* grad_ys, const tsh_output* stops,
                            size_t n_stops, const char* scope, int gate_ops, uint32_t source,
                            tsh_gradient* dxs, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    OutputIds y(ys, n_ys), x(xs, n_xs), dy(grad_ys, grad_ys ? n_ys : 0), stop(stops, n_stops);
    std::vector<GradientRequest::Rows> rows;
    GradientRequest request{.ys = y.span(),
                            .xs = x.span(),
                            .grad_ys = dy.span(),
                            .scope = std::string(View(scope)),
                            .gate_ops = gate_ops != 0,
                            .source = source,
                            .stops = stop.span(),
                            .rows = &rows};
    TENSH_ASSIGN(std::vector<Output> out, AddGradients(G(g), request));
    const auto c_output = [](const Output& o) { return tsh_output{Index(o.node), o.index}; };
    for (size_t i = 0; i < n_xs; ++i)
      dxs[i] = {c_output(out[i]), c_output(rows[i].indices), c_output(rows[i].dense_shape)};
    return {};
  });
}

const char* tsh_op_name(const char* op) {
  const OpDef* def = Ops().Find(View(op));
  return def ? def->name.c_str() : nullptr;
}

int tsh_op_signature(const char* op, const char** inputs, const char** outputs,
                     const char** attrs) {
  const OpSpec* spec = Ops().FindSpec(View(op));
  if (!spec) return 0;
  *inputs = spec->inputs.c_str();
  *outputs = spec->outputs.c_str();
  *attrs = spec->attrs.c_str();
  return 1;
}

int tsh_op_run(const char* op, tsh_tensor* const* inputs, size_t n_inputs, const tsh_attr* attrs,
               size_t n_attrs, tsh_tensor** outputs, size_t max_outputs, size_t* n_outputs,
               tsh_status* status) {
  return Guard(status, [&]() -> Status {
    const OpDef* def = Ops().Find(View(op));
    if (!def) return NotFound("there is no op '", View(op), "'");
    if (def->stateful) return InvalidArgument(def->name, " keeps state: it runs in a session only");
    std::vector<Tensor> in;
    std::vector<DType> types;
    for (size_t i = 0; i < n_inputs; ++i) {
      in.push_back(FromHandle(inputs[i]));
      types.push_back(in.back().dtype());
    }
    Status attr_status;
    std::vector<NamedAttr> given = AttrsIn(attrs, n_attrs, attr_status);
    TENSH_RETURN_IF_ERROR(std::move(attr_status));
    TENSH_ASSIGN(std::vector<NamedAttr> resolved, ResolveAttrs(*def, types, given));
    std::vector<DType> out_types = OutputTypes(*def, Attrs(resolved));
    if (out_types.size() > max_outputs)
      return InvalidArgument(def->name, " has ", out_types.size(), " outputs");
    TENSH_ASSIGN(std::vector<Tensor> out, RunKernel(*def, Attrs(resolved), in, out_types));
    for (size_t i = 0; i < out.size(); ++i) outputs[i] = Handle(std::move(out[i]));
    *n_outputs = out.size();
    return {};
  });
}
