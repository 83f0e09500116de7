#include "runtime/graph/function_gradient.h"

#include <set>

namespace tensh {
namespace {

constexpr int kMaxNesting = 16;         // Limits gradients of gradients.
constexpr size_t kMostFunctions = 100;  // Limits the functions searched for a variable.

bool Carries(DType t) {
  return IsFloating(t) || IsComplex(t) || t == DType::kResource || t == DType::kVariant;
}

const FuncAttr* Derived(const FuncAttr& function) {
  const AttrValue* f = function.attrs ? Attrs(*function.attrs).Find("f") : nullptr;
  return f ? f->Find<FuncAttr>() : nullptr;
}

// Returns the type of the variable behind `handle` if the node uses it; otherwise kInvalid.
DType VariableType(const Graph& g, NodeId node, uint32_t input,
                   const std::function<DType(const FuncAttr&, int)>& in_function) {
  const OpDef& op = g.op(node);
  const Attrs attrs = g.attrs(node);
  if (op.variable_type) return attrs.Type(op.variable_type);
  if (op.id >= kFunctionOps) return in_function({op.name, nullptr}, static_cast<int>(input));
  const int arg = static_cast<int>(input) - op.first_call_input;
  for (const NamedAttr& a : attrs.all()) {
    if (arg < 0) break;
    std::vector<const FuncAttr*> called;
    if (const FuncAttr* f = a.value.Find<FuncAttr>()) called.push_back(f);
    if (const auto* list = a.value.Find<AttrValue::Funcs>())
      for (const FuncAttr& f : *list) called.push_back(&f);
    for (const FuncAttr* f : called)
      if (DType t = in_function(*f, arg); t != DType::kInvalid) return t;
  }
  return DType::kInvalid;
}

DType HandleTypeAt(const OpRegistry& ops, const std::shared_ptr<FunctionLibrary>& functions,
                   const FuncAttr& function, int arg, std::set<std::string>* seen) {
  if (seen->size() > kMostFunctions || !seen->insert(StrCat(function.name, ":", arg)).second)
    return DType::kInvalid;
  if (function.name == kGradientFunction) {
    const FuncAttr* f = Derived(function);
    return f ? HandleTypeAt(ops, functions, *f, arg, seen) : DType::kInvalid;
  }
  Result<FunctionBody> body = MakeFunctionBody(ops, functions, function);
  if (!body.ok() || static_cast<size_t>(arg) >= body->args.size()) return DType::kInvalid;
  const Graph& g = *body->graph;
  std::set<uint32_t> handles = {Index(g.output(body->args[static_cast<size_t>(arg)].node, 0))};
  for (uint32_t n = 0; n < g.size(); ++n) {
    const NodeId node{n};
    for (uint32_t i = 0; i < g.num_inputs(node); ++i) {
      if (!handles.contains(Index(g.input(node, i)))) continue;
      const DType type = VariableType(g, node, i, [&](const FuncAttr& f, int a) {
        return HandleTypeAt(ops, functions, f, a, seen);
      });
      if (type != DType::kInvalid) return type;
      for (uint32_t o = 0; o < g.num_outputs(node); ++o)  // Identity, Enter, Switch.
        if (g.dtype(g.output(node, o)) == DType::kResource)
          handles.insert(Index(g.output(node, o)));
    }
  }
  return DType::kInvalid;
}

class GradientMaker {
 public:
  GradientMaker(FunctionBody body, const OpRegistry& ops,
                const std::shared_ptr<FunctionLibrary>& functions, const FuncAttr& f)
      : b_(std::move(body)), g_(*b_.graph), ops_(ops), functions_(functions), f_(f) {}

  Result<FunctionBody> Run() {
    std::vector<Output> xs, ys, dys;
    const size_t n_args = b_.args.size();
    for (size_t i = 0; i < n_args; ++i) xs.push_back(b_.args[i]);
    for (size_t i = 0; i < b_.rets.size(); ++i) {
      const DType type = TypeOf(b_.rets[i]);
      TENSH_ASSIGN(const DType given, GradientType(type, i));
      TENSH_ASSIGN(const NodeId dy, Add("Placeholder", StrCat("grad_", i), {}, {{"dtype", given}}));
      b_.args.push_back({dy, 0});
      if (!Carries(type)) continue;
      ys.push_back(b_.rets[i]);
      dys.push_back({dy, 0});
    }
    std::vector<Output> dxs(n_args);
    if (!ys.empty()) {
      GradientRequest request{
          .ys = ys, .xs = xs, .grad_ys = dys, .scope = g_.UniqueName("gradients", true)};
      TENSH_ASSIGN(dxs, AddGradients(g_, request));
    }
    b_.rets.clear();
    b_.effects.clear();  // The effects took place when the function itself ran.
    for (size_t i = 0; i < n_args; ++i) {
      if (dxs[i].node == kNoNode) {
        TENSH_ASSIGN(dxs[i], ZerosFor(xs[i], static_cast<int>(i)));
      }
      b_.rets.push_back(dxs[i]);
    }
    return std::move(b_);
  }

 private:
  DType TypeOf(const Output& o) const { return BaseType(g_.dtype(g_.output(o.node, o.index))); }

  // The gradient of a handle has the type of the variable.
  Result<DType> GradientType(DType type, size_t ret) const {
    if (type != DType::kResource) return type;
    for (size_t i = 0; i < b_.args.size(); ++i)
      if (Source(b_.rets[ret]) == Source(b_.args[i]))
        if (DType t = HandleTypeOf(ops_, functions_, f_, static_cast<int>(i)); t != DType::kInvalid)
          return t;
    return DType::kFloat;
  }
  NodeId Source(const Output& o) const {
    NodeId node = o.node;
    while (g_.op(node).role == OpRole::kIdentity) node = g_.node_of(g_.input(node, 0));
    return node;
  }

  Result<NodeId> Add(std::string_view op, std::string_view name, std::vector<Output> inputs,
                     std::vector<NamedAttr> attrs) {
    const std::string unique = g_.UniqueName(name, false);
    const NodeSpec spec{
        .op = op, .name = unique, .device = {}, .inputs = inputs, .controls = {}, .attrs = attrs};
    return g_.Append({&spec, 1});
  }

  Result<Output> ZerosFor(const Output& x, int arg) {
    const DType type = TypeOf(x);
    Output value = x;
    if (type == DType::kString) return x;  // A string has no zero.
    if (type == DType::kResource) {
      const DType held = HandleTypeOf(ops_, functions_, f_, arg);
      if (held == DType::kInvalid) {
        TENSH_ASSIGN(const NodeId none,
                     Add("Const", "zeros", {},
                         {{"dtype", DType::kFloat}, {"value", Tensor::Scalar<float>(0)}}));
        return Output{none, 0};
      }
      TENSH_ASSIGN(value.node, Add("ReadVariableOp", "read", {x}, {{"dtype", held}}));
    }
    TENSH_ASSIGN(const NodeId zeros, Add("ZerosLike", "zeros_like", {value}, {}));
    return Output{zeros, 0};
  }

  FunctionBody b_;
  Graph& g_;
  const OpRegistry& ops_;
  const std::shared_ptr<FunctionLibrary>& functions_;
  const FuncAttr& f_;
};

}  // namespace

Result<FunctionBody> MakeGradientBody(const OpRegistry& ops,
                                      const std::shared_ptr<FunctionLibrary>& functions,
                                      const FuncAttr& function) {
  int nesting = 0;
  const FuncAttr* f = Derived(function);
  for (const FuncAttr* inner = f; inner && inner->name == kGradientFunction;
       inner = Derived(*inner))
    if (++nesting > kMaxNesting)
      return InvalidArgument("a gradient of more than ", kMaxNesting, " gradients");
  if (!f) return InvalidArgument("SymbolicGradient needs the function it derives, attribute 'f'");
  const std::string gradient = functions->GradientOf(f->name);
  if (!gradient.empty()) return MakeFunctionBody(ops, functions, {gradient, f->attrs});
  TENSH_ASSIGN(FunctionBody body, MakeFunctionBody(ops, functions, *f));
  return GradientMaker(std::move(body), ops, functions, *f).Run();
}

DType HandleTypeOf(const OpRegistry& ops, const std::shared_ptr<FunctionLibrary>& functions,
                   const FuncAttr& function, int arg) {
  std::set<std::string> seen;
  return HandleTypeAt(ops, functions, function, arg, &seen);
}

}  // namespace tensh
