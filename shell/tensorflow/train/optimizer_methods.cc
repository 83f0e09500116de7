// tf.train.Optimizer: its public methods, and the protected ones that a user's class may override.
#include "shell/python/values/class.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/indexed_slices.h"
#include "shell/tensorflow/graph/names.h"
#include "shell/tensorflow/graph/op_call.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/train/train.h"
#include "shell/tensorflow/train/variable_scope.h"

namespace tensh::shell::tf {
namespace {

OptimizerObject& Self(Args& a) { return *As<OptimizerObject>(a.self()); }

// ---- construction ----

void Begin(OptimizerObject& made, Args& a) {
  made.use_locking = Truth(a[0]);
  if (!Truth(a[1])) throw ValueError("Must specify the optimizer name");
  made.name = ToText(a[1], "name");
}

Value NewOptimizer(Args& a) {
  Ref<OptimizerObject> made = New<OptimizerObject>(OptimizerObject::kType);
  Begin(*made, a);
  return made;
}
const FunctionRow kNewOptimizer = {"Optimizer", "use_locking, name", NewOptimizer,
                                   "The base class of optimizers."};

Value Init(Args& a) {
  Begin(Self(a), a);
  return Value::None();
}

Value SubclassNew(const TypeInfo& cls, const CallArgs&) {
  return New<Extended<OptimizerObject>>(cls);
}

// ---- public methods ----

// Calls a method of the object's class, which may be a user's class, with named arguments.
Value CallByName(Args& a, const char* method, const Value& first,
                 const std::vector<std::pair<const char*, Value>>& named) {
  std::vector<Value> args = {first}, names;
  for (auto& [name, value] : named) {
    names.push_back(MakeStr(name));
    args.push_back(value);
  }
  const Value keywords = MakeTuple(std::move(names));
  return Call(GetAttr(a.self(), method), CallArgs{args, As<TupleObject>(keywords)});
}

// Arguments: loss, global_step, var_list, gate_gradients, aggregation_method, colocate, name,
// grad_loss.
Value Minimize(Args& a) {
  OptimizerObject& self = Self(a);
  const Value pairs = self.is_users()
                          ? CallByName(a, "compute_gradients", a[0],
                                       {{"var_list", a[2]},
                                        {"gate_gradients", a[3]},
                                        {"aggregation_method", a[4]},
                                        {"colocate_gradients_with_ops", a[5]},
                                        {"grad_loss", a[7]}})
                          : self.ComputeGradients(a[0], a[2], a[7], ToIndex(a[3]) > 0, Truth(a[5]));
  bool any = false;
  for (const Value& pair : ToVector(pairs)) any |= !ToVector(pair).at(0).is_none();
  if (!any) {
    throw ValueError(
        "No gradients provided for any variable, check your graph for ops that do not support "
        "gradients, between variables and loss " +
        Str(a[0]) + ".");
  }
  if (!self.is_users()) return self.ApplyGradients(pairs, a[1], a[6]);
  return CallByName(a, "apply_gradients", pairs, {{"global_step", a[1]}, {"name", a[6]}});
}

Value ComputeGradients(Args& a) {
  return Self(a).ComputeGradients(a[0], a[1], a[5], ToIndex(a[2]) > 0, Truth(a[4]));
}
Value ApplyGradients(Args& a) { return Self(a).ApplyGradients(a[0], a[1], a[2]); }
Value GetSlot(Args& a) { return Self(a).Slot(a[0], ToText(a[1], "name")); }

Value SlotNames(Args& a) {
  std::vector<Value> names;
  for (std::string& name : Self(a).SlotNames()) names.push_back(MakeStr(std::move(name)));
  return MakeList(std::move(names));
}

// ---- overridable parts ----

VariableObject& VariableIn(const Value& v) {
  auto* var = As<VariableObject>(v);
  if (!var) throw TypeError("Argument is not a tf.Variable: " + Repr(v));
  return *var;
}

Value CreateSlots(Args& a) {
  std::vector<VariableObject*> variables;
  for (const Value& v : ToVector(a[0])) variables.push_back(&VariableIn(v));
  if (!variables.empty()) Self(a).CreateSlots(variables[0]->graph(), variables);
  return Value::None();
}

Value Prepare(Args& a) {
  Self(a).Prepare(DefaultGraph());
  return Value::None();
}

Value ApplyDense(Args& a) {
  VariableObject& var = VariableIn(a[1]);
  GraphObject& g = var.graph();
  return g.Operation(Self(a).ApplyDense(var, Convert(g, a[0], "grad")));
}

const IndexedSlicesObject& SlicesIn(const Value& v) {
  auto* rows = As<IndexedSlicesObject>(v);
  if (!rows) throw TypeError("grad must be a tf.IndexedSlices, got " + Repr(v));
  return *rows;
}

using ApplyRowsFn = Node (OptimizerObject::*)(VariableObject&, Out, Out);

// Arguments: grad, var.
template <ApplyRowsFn kApply>
Value ApplySparse(Args& a) {
  VariableObject& var = VariableIn(a[1]);
  GraphObject& g = var.graph();
  const IndexedSlicesObject& rows = SlicesIn(a[0]);
  return g.Operation((Self(a).*kApply)(var, AsOut(g, rows.values()), AsOut(g, rows.indices())));
}

// Arguments: grad, handle, indices.
template <ApplyRowsFn kApply>
Value ResourceApplySparse(Args& a) {
  VariableObject& var = VariableIn(a[1]);
  GraphObject& g = var.graph();
  return g.Operation((Self(a).*kApply)(var, Convert(g, a[0], "grad"), Convert(g, a[2], "indices")));
}

Value Finish(Args& a) {
  std::vector<Node> nodes;
  for (const Value& v : ToVector(a[0])) nodes.push_back(NodeOf(v));
  GraphObject& g = DefaultGraph();
  return g.Operation(Self(a).Finish(g, std::move(nodes), ToText(a[1], "name_scope")));
}

// ---- slots and other state ----

// Arguments: var, slot_name, op_name.
Value ZerosSlot(Args& a) {
  VariableObject& var = VariableIn(a[0]);
  GraphObject& g = var.graph();
  const int dtype = BaseType(var.DType());
  const ShapeInfo shape = var.Shape();
  const std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  const Ref<InitializerObject> zeros = New<InitializerObject>(InitializerObject::Kind::kZeros);
  VariableSpec spec;
  spec.make_initial = [&g, dims, dtype, zeros] { return zeros->Make(g, dims, dtype); };
  return Self(a).KeepSlot(var, ToText(a[1], "slot_name"), ToText(a[2], "op_name"), spec);
}

// Arguments: var, val, slot_name, op_name.
Value SlotOfValue(Args& a) {
  VariableSpec spec;
  spec.initial = a[1];
  return Self(a).KeepSlot(VariableIn(a[0]), ToText(a[2], "slot_name"), ToText(a[3], "op_name"),
                          spec);
}

// Arguments: var, initializer, shape, dtype, slot_name, op_name.
Value SlotOfInitializer(Args& a) {
  VariableObject& var = VariableIn(a[0]);
  GraphObject& g = var.graph();
  VariableSpec spec;
  spec.dtype = BaseType(ToDType(a[3]));
  const Value initializer = a[1], shape = a[2];
  const int dtype = spec.dtype;
  spec.make_initial = [&g, initializer, shape, dtype] {
    const Value keywords = MakeTuple({MakeStr("dtype")});
    const Value args[] = {shape, DTypeValue(dtype)};
    return Convert(g, Call(initializer, CallArgs{args, As<TupleObject>(keywords)}), "initial_value",
                   {.dtype = dtype});
  };
  return Self(a).KeepSlot(var, ToText(a[4], "slot_name"), ToText(a[5], "op_name"), spec);
}

// Arguments: initial_value, name, colocate_with.
Value CreateNonSlot(Args& a) {
  VariableObject& beside = VariableIn(a[2]);
  return Self(a).KeepNonSlot(beside.graph(), ToText(a[1], "name"), a[0], beside);
}

Value GetNonSlot(Args& a) {
  auto* given = As<GraphObject>(a[1]);
  return Self(a).NonSlot(given ? *given : DefaultGraph(), ToText(a[0], "name"));
}

Value BetaAccumulators(Args& a) {
  GraphObject& g = DefaultGraph();
  return MakeTuple({Self(a).NonSlot(g, "beta1_power"), Self(a).NonSlot(g, "beta2_power")});
}

constexpr const char* kUpdateDoc = "Returns the operation that applies a gradient to a variable.";
constexpr const char* kRowsDoc = "Returns the operation that updates distinct rows of a variable.";
constexpr const char* kDuplicatesDoc =
    "Returns the operation that updates rows, which may be repeated.";
const FunctionRow kMethods[] = {
    {"__init__", "use_locking, name", Init, "Sets the name of the optimizer and its slots."},
    {"minimize",
     "loss, global_step=None, var_list=None, gate_gradients=1, aggregation_method=None, "
     "colocate_gradients_with_ops=False, name=None, grad_loss=None",
     Minimize, "Returns an operation that minimizes loss."},
    {"compute_gradients",
     "loss, var_list=None, gate_gradients=1, aggregation_method=None, "
     "colocate_gradients_with_ops=False, grad_loss=None",
     ComputeGradients, "Returns (gradient, variable) pairs."},
    {"apply_gradients", "grads_and_vars, global_step=None, name=None", ApplyGradients,
     "Returns an operation that applies gradients to variables."},
    {"get_slot", "var, name", GetSlot, "Returns a variable that the optimizer keeps for another."},
    {"get_slot_names", "", SlotNames, "Returns the names of the slots."},
    {"get_name", "", [](Args& a) -> Value { return MakeStr(Self(a).name); }, "Returns the name."},
    {"variables", "", [](Args& a) -> Value { return MakeList(Self(a).Variables(DefaultGraph())); },
     "Returns the optimizer's variables, sorted by name."},
    {"_create_slots", "var_list", CreateSlots, "Creates the slots for these variables."},
    {"_prepare", "", Prepare, "Converts the parameters to tensors."},
    {"_apply_dense", "grad, var", ApplyDense, kUpdateDoc},
    {"_resource_apply_dense", "grad, handle", ApplyDense, kUpdateDoc},
    {"_apply_sparse", "grad, var", ApplySparse<&OptimizerObject::ApplyRows>, kRowsDoc},
    {"_resource_apply_sparse", "grad, handle, indices",
     ResourceApplySparse<&OptimizerObject::ApplyRows>, kRowsDoc},
    {"_apply_sparse_duplicate_indices", "grad, var",
     ApplySparse<&OptimizerObject::ApplyDuplicateRows>, kDuplicatesDoc},
    {"_resource_apply_sparse_duplicate_indices", "grad, handle, indices",
     ResourceApplySparse<&OptimizerObject::ApplyDuplicateRows>, kDuplicatesDoc},
    {"_finish", "update_ops, name_scope", Finish, "Groups all updates into one operation."},
    {"_zeros_slot", "var, slot_name, op_name", ZerosSlot,
     "Returns a slot that is initialized with zeros."},
    {"_get_or_make_slot", "var, val, slot_name, op_name", SlotOfValue,
     "Returns a slot that is initialized with a value."},
    {"_get_or_make_slot_with_initializer", "var, initializer, shape, dtype, slot_name, op_name",
     SlotOfInitializer, "Returns a slot with an initializer."},
    {"_create_non_slot_variable", "initial_value, name, colocate_with", CreateNonSlot,
     "Creates a variable that is shared by all slots."},
    {"_get_non_slot_variable", "name, graph=None", GetNonSlot, "Returns such a variable, or None."},
    {"_get_beta_accumulators", "", BetaAccumulators, "Returns Adam's powers of beta."},
    {"_call_if_callable", "param",
     [](Args& a) -> Value { return IsCallable(a[0]) ? Call(a[0], {}) : a[0]; },
     "Returns the value of a parameter that may be a function."},
};

const PropertyRow kProperties[] = {
    {"_name", [](const Value& v) -> Value { return MakeStr(As<OptimizerObject>(v)->name); },
     [](const Value& v, const Value& to) { As<OptimizerObject>(v)->name = ToText(to, "name"); }},
    {"_use_locking",
     [](const Value& v) -> Value { return Value::Bool(As<OptimizerObject>(v)->use_locking); },
     [](const Value& v, const Value& to) { As<OptimizerObject>(v)->use_locking = Truth(to); }},
};

}  // namespace

const TypeInfo OptimizerObject::kType = {.name = "Optimizer",
                                         .module = "tensorflow.python.training.optimizer",
                                         .doc = "Updates variables to minimize a loss.",
                                         .methods = kMethods,
                                         .properties = kProperties,
                                         .construct = &kNewOptimizer,
                                         .subclass_new = SubclassNew};

Value OptimizerType() {
  const Value type = TypeValue(OptimizerObject::kType);
  Dict& names = As<Type>(type)->dict();
  int64_t gate = 0;
  for (const char* name : {"GATE_NONE", "GATE_OP", "GATE_GRAPH"})
    names.Set(Value(Intern(name)), Value::Int(gate++));
  return type;
}

}  // namespace tensh::shell::tf
