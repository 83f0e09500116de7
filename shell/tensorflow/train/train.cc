#include "shell/tensorflow/train/train.h"

#include <algorithm>
#include <set>

#include "shell/python/values/collections/set.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/control_flow.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/gradient_override.h"
#include "shell/tensorflow/graph/indexed_slices.h"
#include "shell/tensorflow/graph/names.h"
#include "shell/tensorflow/graph/op_call.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/train/initializers.h"
#include "shell/tensorflow/train/variable_scope.h"

namespace tensh::shell::tf {

// ---- gradients ----

std::vector<tsh_gradient> Gradients(GraphObject& g, const GradientsCall& call) {
  if (g.finalized)
    throw RuntimeError("Graph is finalized and cannot be modified.").Explain(kWhyFinalized);
  if (HasOverrides(g)) return SplitGradients(g, call);
  NameScope scope(g, call.name.empty() ? "gradients" : call.name);
  std::string path = g.scope;
  if (!path.empty() && path.back() == '/') path.pop_back();
  std::vector<tsh_gradient> found(call.xs.size(), {kNoOut, kNoOut, kNoOut});
  tsh_status* status = ScratchStatus();
  const ExtendTimer timer;
  const Node first = static_cast<Node>(g.handle().size());
  std::vector<Out> stops(call.stops.begin(), call.stops.end());
  for (const auto& [node, context] : g.flow_of)  // for loops with back_prop=False
    if (context && context->is_while && !context->back_prop &&
        g.handle().NodeOp(node) == std::string_view("Exit"))
      stops.push_back({node, 0});
  tsh_gradients request{};
  request.ys = call.ys.data();
  request.n_ys = call.ys.size();
  request.xs = call.xs.data();
  request.n_xs = call.xs.size();
  request.grad_ys = call.grad_ys.empty() ? nullptr : call.grad_ys.data();
  request.stops = stops.data();
  request.n_stops = stops.size();
  request.scope = path.c_str();
  request.gate_ops = call.gate_ops;
  request.colocate = call.colocate;
  request.rows = 1;
  request.source = State().source;
  if (!tsh_graph_gradients(g.raw(), &request, found.data(), status)) ThrowBuildStatus(status);
  NoteNodes(g, first);
  // A gradient is computed where the block of tf.device requests it, as every other node.
  if (!g.devices.empty())
    for (Node node = first; node < g.handle().size(); ++node) ApplyDeviceFunctions(g, node);
  return found;
}

namespace {

std::vector<Value> AsVector(const Value& v) {
  if (const auto* items = Sequence(v)) return *items;
  // The values or keys of a dict, or a set.
  const std::string_view type = TypeOf(v).name;
  if (As<SetObject>(v) || type.starts_with("dict_")) return ToVector(v);
  return {v};
}

Out TargetOut(GraphObject& g, const Value& v) {
  const Out known = AsOut(g, v, /*as_ref=*/false);
  return Exists(known) ? known : Convert(g, v, "y");
}

// A variable is differentiated with respect to its reference, the origin of all its reads.
Out SourceOut(GraphObject& g, const Value& v) {
  if (As<VariableObject>(v)) return AsOut(g, v, /*as_ref=*/true);
  const Out known = AsOut(g, v);
  if (Exists(known)) return known;
  return Convert(g, v, "x");
}

}  // namespace

namespace {

// ys, xs, grad_ys, name
std::vector<Out> GivenGradients(GraphObject& g, Args& a, const std::vector<Out>& ys) {
  std::vector<Out> grad_ys;
  if (a[2].is_none()) return grad_ys;
  const std::vector<Value> given = AsVector(a[2]);
  if (given.size() != ys.size())
    throw ValueError("Passed " + std::to_string(given.size()) + " grad_ys for " +
                     std::to_string(ys.size()) + " ys");
  NameScope scope(g, NameOr(a[3], "grad_ys"));
  for (size_t i = 0; i < ys.size(); ++i) {
    const int dtype = BaseType(g.handle().DType(ys[i]));
    grad_ys.push_back(given[i].is_none()
                          ? FilledLike(g, ys[i], 1, 0, "ones_like")
                          : Convert(g, given[i], "grad_ys_" + std::to_string(i), {.dtype = dtype}));
  }
  return grad_ys;
}

// ys, xs, grad_ys, name, colocate_gradients_with_ops, gate_gradients, aggregation_method,
// stop_gradients, unconnected_gradients
Value GradientsFn(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  std::vector<Out> ys, xs, stops;
  for (const Value& v : AsVector(a[0])) ys.push_back(TargetOut(g, v));
  for (const Value& v : AsVector(a[1])) xs.push_back(SourceOut(g, v));
  if (!a[7].is_none())
    for (const Value& v : AsVector(a[7])) stops.push_back(SourceOut(g, v));
  const std::vector<Out> grad_ys = GivenGradients(g, a, ys);
  const bool zeros = IsStr(a[8]) && StrView(a[8]) == "zero";  // UnconnectedGradients.ZERO
  if (!zeros && !a[8].is_none() && !(IsStr(a[8]) && StrView(a[8]) == "none"))
    throw ValueError("Unknown value for unconnected_gradients: '" + Str(a[8]) + "'");
  std::vector<Value> out;
  if (ys.empty() && !zeros) return MakeList(std::vector<Value>(xs.size(), Value::None()));
  for (const tsh_gradient& found : Gradients(g, {.ys = ys,
                                                .xs = xs,
                                                .grad_ys = grad_ys,
                                                .stops = stops,
                                                .name = NameText(a[3]),
                                                .gate_ops = Truth(a[5]),
                                                .colocate = Truth(a[4])})) {
    Value gradient = GradientValue(g, found);
    if (gradient.is_none() && zeros)
      gradient = g.Tensor(FilledLike(g, xs[out.size()], 0, 0, "zeros_like"));
    out.push_back(std::move(gradient));
  }
  return MakeList(std::move(out));
}

const FunctionRow kGradientsRows[] = {
    {"gradients",
     "ys, xs, grad_ys=None, name='gradients', colocate_gradients_with_ops=False, "
     "gate_gradients=False, "
     "aggregation_method=None, stop_gradients=None, unconnected_gradients=None",
     GradientsFn,
     "Adds nodes that compute the gradient of the sum of ys with respect to each of xs."},
};

}  // namespace

std::span<const FunctionRow> GradientsRows() { return kGradientsRows; }

// ---- optimizers ----

const OptimizerKind OptimizerObject::kOfUser{"Optimizer", "Optimizer", ""};

void OptimizerObject::DropRefs() {
  hyper.clear();
  slots_.clear();
  non_slots_.clear();
}

Value OptimizerObject::ComputeGradients(const Value& loss, const Value& variables,
                                        const Value& grad_loss, bool gate_ops, bool colocate) {
  if (IsCallable(loss) && !As<TensorObject>(loss)) {
    throw RuntimeError(
        "`loss` passed to Optimizer.compute_gradients should be a Tensor, not a function, "
        "when eager execution is disabled.");
  }
  GraphObject& g = GraphOf({&loss, &variables});
  std::vector<Value> vars =
      variables.is_none() ? VariablesOf(g, kTrainableVariables) : AsVector(variables);
  if (vars.empty())
    throw ValueError("No variables to optimize.").Hint("Make one: w = tf.Variable(0.)");
  const Out y = TargetOut(g, loss);
  const int dtype = BaseType(g.handle().DType(y));
  if (!IsFloating(dtype)) {
    throw ValueError("Invalid type " + Repr(DTypeValue(dtype)) + " for " +
                     g.handle().NodeName(y.node) +
                     ":0, expected: [tf.float32, tf.float64, tf.float16, tf.bfloat16].");
  }
  std::vector<Out> xs, grad_ys;
  for (const Value& v : vars) {
    if (!As<VariableObject>(v)) throw TypeError("Argument is not a tf.Variable: " + Repr(v));
    xs.push_back(SourceOut(g, v));
  }
  if (!grad_loss.is_none()) grad_ys.push_back(Convert(g, grad_loss, "grad_loss", {.dtype = dtype}));
  const std::vector<tsh_gradient> found = Gradients(
      g, {.ys = {&y, 1}, .xs = xs, .grad_ys = grad_ys, .gate_ops = gate_ops, .colocate = colocate});
  std::vector<Value> pairs;
  for (size_t i = 0; i < vars.size(); ++i)
    pairs.push_back(MakeTuple({GradientValue(g, found[i]), vars[i]}));
  return MakeList(std::move(pairs));
}

namespace {

std::string GraphKey(const GraphObject& g) { return std::to_string(g.handle().id()) + ":"; }

std::string SlotKey(const VariableObject& var, std::string_view slot) {
  return GraphKey(var.graph()) + var.OpName() + ":" + std::string(slot);
}

std::string VariableNames(const std::vector<Value>& pairs) {
  std::string out;
  for (const Value& p : pairs) {
    out += (out.empty() ? "" : ", ") + Repr(MakeStr(As<VariableObject>((*Sequence(p))[1])->Name()));
  }
  return "[" + out + "]";
}

Value Live(const std::map<std::string, Value>& kept, const std::string& key) {
  const auto found = kept.find(key);
  return found == kept.end() || !ValueIsLive(found->second) ? Value::None() : found->second;
}

}  // namespace

// ---- slots ----

Value OptimizerObject::Slot(const Value& variable, std::string_view slot) const {
  auto* var = As<VariableObject>(variable);
  if (!var) throw TypeError("Argument is not a tf.Variable: " + Repr(variable));
  return Live(slots_, SlotKey(*var, slot));
}

VariableObject& OptimizerObject::SlotOf(const VariableObject& var, const char* slot) {
  return *As<VariableObject>(slots_[SlotKey(var, slot)]);
}

std::vector<std::string> OptimizerObject::SlotNames() const {
  std::set<std::string> names;
  for (const auto& [key, slot] : slots_) names.insert(key.substr(key.rfind(':') + 1));
  return {names.begin(), names.end()};
}

Value OptimizerObject::NonSlot(const GraphObject& g, std::string_view name) const {
  return Live(non_slots_, GraphKey(g) + std::string(name));
}

Value OptimizerObject::KeepNonSlot(GraphObject& g, const std::string& name, const Value& initial,
                                   VariableObject& beside) {
  if (Value found = NonSlot(g, name); !found.is_none()) return found;
  ColocateScope with(g, beside.Reference().node);
  VariableSpec spec;
  spec.initial = initial;
  spec.name = name;
  spec.use_resource = beside.is_resource();
  spec.trainable = false;
  return non_slots_[GraphKey(g) + name] = MakeVariable(g, spec);
}

std::vector<Value> OptimizerObject::Variables(const GraphObject& g) const {
  std::map<std::string, Value> by_name;
  for (const auto* kept : {&slots_, &non_slots_}) {
    for (const auto& [key, var] : *kept) {
      if (key.rfind(GraphKey(g), 0) == 0 && ValueIsLive(var))
        by_name[As<VariableObject>(var)->Name()] = var;
    }
  }
  std::vector<Value> out;
  for (auto& [name, var] : by_name) out.push_back(std::move(var));
  return out;
}

void OptimizerObject::CreateSlots(GraphObject& g, const std::vector<VariableObject*>& variables) {
  ControlScope no_controls(g);
  if (kind->beta_powers && !variables.empty()) {
    // Colocates with the variable whose name sorts first.
    VariableObject& first =
        **std::min_element(variables.begin(), variables.end(),
                           [](const auto* a, const auto* b) { return a->Name() < b->Name(); });
    KeepNonSlot(g, "beta1_power", hyper["beta1"], first);
    KeepNonSlot(g, "beta2_power", hyper["beta2"], first);
  }
  for (VariableObject* var : variables) {
    const int dtype = BaseType(var->DType());
    const ShapeInfo shape = var->Shape();
    const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    for (const SlotKind& slot : kind->slots) {
      if (!Slot(Value(var), slot.name).is_none()) continue;
      VariableSpec spec;
      if (slot.start == SlotKind::kConstantNode || slot.start == SlotKind::kZerosNode) {
        ColocateScope with(g, var->Reference().node);
        const double start = slot.start == SlotKind::kZerosNode ? 0 : initial_accumulator;
        spec.initial = g.Tensor(Constant(g, ToConstant(Value::Float(start), dtype, dims), "Const"));
      } else {
        using Kind = InitializerObject::Kind;
        Ref<InitializerObject> init =
            New<InitializerObject>(slot.start == SlotKind::kZeros  ? Kind::kZeros
                                   : slot.start == SlotKind::kOnes ? Kind::kOnes
                                                                   : Kind::kConstant);
        if (slot.start == SlotKind::kConstant) init->value = Value::Float(initial_accumulator);
        spec.make_initial = [&g, dims, dtype, init] { return init->Make(g, dims, dtype); };
      }
      KeepSlot(*var, slot.name, name, spec);
    }
  }
}

Value OptimizerObject::KeepSlot(VariableObject& of, std::string_view slot,
                                const std::string& op_name, const VariableSpec& given) {
  if (Value found = Slot(Value(&of), slot); !found.is_none()) return found;
  GraphObject& g = of.graph();
  VariableScopeSpec scope;
  scope.default_name = of.OpName() + "/" + op_name;
  VariableScopeBlock block(g, scope);
  ColocateScope with(g, of.Reference().node);
  VariableSpec spec = given;
  spec.name = CurrentVariableScope(g).name + "/";  // the exact name
  spec.trainable = false;
  spec.use_resource = of.is_resource();
  if (!spec.dtype) spec.dtype = BaseType(of.DType());
  // A scope that shares its variables also shares slots.
  GetVariableSpec wanted;
  wanted.shape = ShapeValue(of.Shape());
  wanted.dtype = spec.dtype;
  if (Value shared = FindShared(g, spec.name, wanted); !shared.is_null())
    return slots_[SlotKey(of, slot)] = shared;
  struct Restore {
    GraphObject& g;
    std::string scope;
    ~Restore() { g.scope = std::move(scope); }
  } restore{g, std::exchange(g.scope, {})};
  return slots_[SlotKey(of, slot)] = g.variable_store[spec.name] = MakeVariable(g, spec);
}

// ---- parameters ----

// The name of the Python attribute for the parameter. A user's class may read and change it.
std::string OptimizerObject::AttributeOf(std::string_view hyper_name) const {
  return "_" +
         (kind->short_names && hyper_name == "learning_rate" ? "lr" : std::string(hyper_name));
}

void OptimizerObject::Prepare(GraphObject& g) {
  constants_.clear();
  for (const char* h : kind->hyper) {
    const std::string attribute = AttributeOf(h);
    Value given = hyper[h];
    if (is_users()) given = GetAttr(Value(this), attribute);
    if (IsCallable(given)) given = Call(given, {});
    constants_[h] = Convert(g, given, h);
    if (is_users()) {
      SetAttr(Value(this), Intern(attribute + (kind->short_names ? "_t" : "_tensor")),
              g.Tensor(constants_[h]));
    }
  }
  if (!hyper.contains("global_step")) return;
  // For AdagradDA, in addition to its rate.
  ColocateScope with(g, constants_["learning_rate"].node);
  const Out now = Op(g, "Identity", {Convert(g, hyper["global_step"], "global_step")});
  constants_["global_step"] = AddOp(g, now, Value::Int(1));
}

// Returns the constant for an argument of the update op.
Out OptimizerObject::HyperOf(std::string_view argument) const {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"lr", "learning_rate"},
      {"alpha", "learning_rate"},
      {"rho", "decay"},
      {"l1", "l1_regularization_strength"},
      {"l2", "l2_regularization_strength"},
      {"l2_shrinkage", "l2_shrinkage_regularization_strength"},
      {"lr_power", "learning_rate_power"}};
  if (auto it = constants_.find(argument); it != constants_.end()) return it->second;
  for (const auto& [from, to] : kNames) {
    if (from == argument) return constants_.find(to)->second;
  }
  throw NotImplementedError("the optimizer has no " + std::string(argument));
}

Node OptimizerObject::Finish(GraphObject& g, std::vector<Node> updates,
                             std::string_view node_name) {
  if (kind->beta_powers) {
    ControlScope after(g, updates);
    ColocateScope with(g, Power(g, "beta1").Reference().node);
    for (const char* beta : {"beta1", "beta2"}) {
      VariableObject* power = &Power(g, beta);
      const Out next = MulOp(g, power->Read(), constants_.find(std::string_view(beta))->second);
      OpCall assign(g, power->is_resource() ? "AssignVariableOp" : "Assign");
      assign.In(power->Reference()).In(next);
      if (!power->is_resource()) assign.attrs().Bool("use_locking", use_locking);
      updates.push_back(assign.AddNode());
    }
  }
  return Group(g, updates, node_name);
}

// ---- overridable parts, called through the class ----

Node OptimizerObject::CallPart(const char* part, std::initializer_list<Value> args) {
  const Value made = CallMethod(Value(this), part, args);
  const Node node = NodeOf(made);
  if (node == TSH_NO_NODE)
    throw TypeError(std::string(part) + " must return an Operation or a Tensor, got " + Repr(made));
  return node;
}

Node OptimizerObject::FinishAs(GraphObject& g, const std::vector<Node>& updates,
                               std::string_view node_name) {
  if (!is_users()) return Finish(g, updates, node_name);
  std::vector<Value> operations;
  for (Node n : updates) operations.push_back(g.Operation(n));
  return CallPart("_finish", {MakeList(std::move(operations)), MakeStr(std::string(node_name))});
}

void OptimizerObject::CreateSlotsFor(GraphObject& g, const std::vector<Pair>& pairs) {
  std::vector<VariableObject*> variables;
  for (const Pair& p : pairs) variables.push_back(p.variable);
  if (!is_users()) return CreateSlots(g, variables);
  std::vector<Value> values;
  for (VariableObject* var : variables) values.push_back(Value(var));
  CallMethod(Value(this), "_create_slots", {MakeList(std::move(values))});
}

namespace {

// Adds 1 to the global step after the updates; the new op has the name `path`.
Node CountStep(GraphObject& g, const Value& global_step, const Node& updated,
               const std::string& path) {
  auto* step = As<VariableObject>(global_step);
  if (!step) throw TypeError("global_step must be a tf.Variable, got " + Repr(global_step));
  ControlScope after(g, {updated});
  ColocateScope with(g, step->Reference().node);
  OpCall add(g, step->is_resource() ? "AssignAddVariableOp" : "AssignAdd", path);
  add.In(step->Reference());
  const Value one = Value::Int(1);
  if (step->is_resource()) {  // The handle does not say the type of the number.
    ConvertOptions options;
    options.dtype = BaseType(step->DType());
    add.In(Convert(g, one, "Const", options));
  } else {
    add.In(one);
  }
  return add.AddNode();
}

}  // namespace

Value OptimizerObject::ApplyGradients(const Value& pairs_value, const Value& global_step,
                                      const Value& given_name) {
  const std::vector<Value> items = ToVector(pairs_value);
  if (items.empty()) throw ValueError("No variables provided.");
  std::vector<Pair> pairs;
  GraphObject* found = nullptr;
  for (const Value& item : items) {
    const auto* parts = Sequence(item);
    if (!parts || parts->size() != 2)
      throw TypeError("grads_and_vars must be a list of (gradient, variable) pairs");
    auto* var = As<VariableObject>((*parts)[1]);
    if (!var) throw TypeError("Argument is not a tf.Variable: " + Repr((*parts)[1]));
    found = &var->graph();
    if ((*parts)[0].is_none()) continue;
    const Value& grad = (*parts)[0];
    const bool rows = As<IndexedSlicesObject>(grad) != nullptr;
    pairs.push_back({rows ? grad : found->Tensor(Convert(*found, grad, "grad")), var});
  }
  GraphObject& g = *found;
  if (pairs.empty()) {
    throw ValueError(
        "No gradients provided for any variable, check your graph for ops that do not support "
        "gradients, between variables " +
        VariableNames(items) + ".");
  }
  CreateSlotsFor(g, pairs);
  NameScope scope(g, given_name.is_none() ? std::string_view(name) : NameText(given_name));
  const std::string path = g.scope;
  if (is_users()) {
    CallMethod(Value(this), "_prepare", {});
  } else {
    Prepare(g);
  }
  std::vector<Node> updates;
  for (const Pair& p : pairs) updates.push_back(Update(g, p));
  const Node done = global_step.is_none()
                        ? FinishAs(g, updates, path)
                        : CountStep(g, global_step, FinishAs(g, updates, "update"), path);
  Value op = g.Operation(done);
  std::vector<Value>& train_ops = g.Collection(kTrainOp);
  train_ops.push_back(op);
  return op;
}

}  // namespace tensh::shell::tf
