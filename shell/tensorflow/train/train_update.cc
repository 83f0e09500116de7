// The nodes that an optimizer adds for one variable: the op that applies a dense gradient, or an
// update of the rows of an IndexedSlices.
#include "shell/python/values/error.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/indexed_slices.h"
#include "shell/tensorflow/graph/op_call.h"
#include "shell/tensorflow/graph/tensor.h"
#include "shell/tensorflow/train/train.h"

namespace tensh::shell::tf {
namespace {

// Sums rows with the same index, like optimizer._deduplicate_indexed_slices.
struct UniqueRows {
  Out values, indices;
};
UniqueRows Deduplicate(GraphObject& g, Out values, Out indices) {
  const Node node = Op(g, "Unique", {indices}).node;
  const Out positions{node, 1};
  const Out shape = ShapeOf(g, {node, 0});
  const Value first = TensorGetItem(g.Tensor(shape), Value::Int(0));
  return {Op(g, "UnsortedSegmentSum", {values, positions, first}), {node, 0}};
}

Out AssignOp(GraphObject& g, const char* op, VariableObject& var, Out value, bool locking) {
  if (var.is_resource()) {
    const Value made = UpdateResource(
        var, std::string_view(op) == "Assign" ? "AssignVariableOp" : "AssignSubVariableOp",
        g.Tensor(value), {}, true);
    return AsOut(g, made);
  }
  OpCall call(g, op);
  call.In(var.Reference()).In(value).attrs().Bool("use_locking", locking);
  return call.Add();
}

// Adds to rows of a slot and returns the slot's new value.
Out ScatterAddTo(GraphObject& g, VariableObject& slot, Out indices, Out values, bool locking) {
  Node added;
  {
    OpCall scatter(g, slot.is_resource() ? "ResourceScatterAdd" : "ScatterAdd");
    scatter.In(slot.Reference()).In(indices).In(values);
    if (!slot.is_resource()) scatter.attrs().Bool("use_locking", locking);
    added = scatter.AddNode();
  }
  if (!slot.is_resource()) return {added, 0};
  ControlScope after(g, {added});
  return slot.Read();
}

// Throws because a user's class does not implement this kind of update.
[[noreturn]] void RefuseUpdate(const std::string& class_name, bool resource, bool rows) {
  const std::string part =
      std::string(resource ? "_resource" : "") + "_apply_" + (rows ? "sparse" : "dense");
  const std::string takes = !resource ? "grad, var"
                            : rows    ? "grad, handle, indices"
                                      : "grad, handle";
  throw NotImplementedError("class '" + class_name + "' has no method " + part)
      .Hint("Define it: def " + part + "(self, " + takes +
            "): return the operation that changes the variable.");
}

}  // namespace

Out OptimizerObject::Hyper(GraphObject& g, std::string_view argument, int dtype) const {
  return Cast(g, HyperOf(argument), dtype);
}

Node OptimizerObject::ApplyOp(GraphObject& g, VariableObject& var, std::string_view prefix,
                              Out gradient, Out indices) {
  if (!*kind->update_op) RefuseUpdate(type().name, var.is_resource(), Exists(indices));
  const int dtype = BaseType(var.DType());
  OpCall call(g, (var.is_resource() ? "Resource" : "") + std::string(prefix) + kind->update_op);
  call.In(var.Reference());
  std::vector<const char*> op_slots = kind->op_slots;
  if (op_slots.empty()) {
    for (const SlotKind& slot : kind->slots) op_slots.push_back(slot.name);
  }
  for (const char* slot : op_slots) call.In(SlotOf(var, slot).Reference());
  if (kind->beta_powers) {
    for (const char* beta : {"beta1", "beta2"}) call.In(Cast(g, Power(g, beta).Read(), dtype));
  }
  // AdagradDA reads its step, and creates constants for its strengths for each variable.
  std::map<std::string_view, Out> own;
  if (hyper.contains("global_step")) {
    own["global_step"] = Op(g, "Identity", {HyperOf("global_step")});
    own["l1"] = Cast(g, Convert(g, hyper["l1"], "Cast_1/x"), dtype);
    own["l2"] = Cast(g, Convert(g, hyper["l2"], "Cast_2/x"), dtype);
  }
  // The gradient is inserted at its position in the op's signature.
  for (const OpArg& arg : call.info().inputs.subspan(call.given())) {
    const std::string_view name = arg.name;
    if (name == "grad" || name == "delta") {
      call.In(gradient);
    } else if (name == "indices") {
      call.In(indices);
    } else {
      const auto given = own.find(name);
      call.In(given != own.end() ? given->second : Hyper(g, arg.name, dtype));
    }
  }
  if (use_locking) call.attrs().Bool("use_locking", true);
  if (use_nesterov) call.attrs().Bool("use_nesterov", true);
  return call.AddNode();
}

Node OptimizerObject::ApplyDense(VariableObject& var, Out gradient) {
  return ApplyOp(var.graph(), var, "", gradient, kNoOut);
}

Node OptimizerObject::ApplyDuplicateRows(VariableObject& var, Out values, Out indices) {
  GraphObject& g = var.graph();
  if (kind->update_op == std::string_view("ApplyGradientDescent")) {
    // Subtraction works with repeated indices.
    if (!var.is_resource()) {
      const Out delta = MulOp(g, values, Hyper(g, "learning_rate", BaseType(var.DType())));
      OpCall scatter(g, "ScatterSub");
      scatter.In(var.Reference()).In(indices).In(delta).attrs().Bool("use_locking", use_locking);
      return scatter.AddNode();
    }
    const Out delta = MulOp(g, Op(g, "Neg", {values}), hyper["learning_rate"]);
    OpCall scatter(g, "ResourceScatterAdd");
    return scatter.In(var.Reference()).In(indices).In(delta).AddNode();
  }
  const UniqueRows rows = Deduplicate(g, values, indices);
  if (!is_users()) return ApplyRows(var, rows.values, rows.indices);
  const Value sum = g.Tensor(rows.values), unique = g.Tensor(rows.indices);
  if (var.is_resource()) return CallPart("_resource_apply_sparse", {sum, Value(&var), unique});
  const Value slices = New<IndexedSlicesObject>(sum, unique, Value::None());
  return CallPart("_apply_sparse", {slices, Value(&var)});
}

Node OptimizerObject::ApplyRows(VariableObject& var, Out values, Out indices) {
  if (kind->beta_powers) return AdamRows(var.graph(), var, values, indices);
  return ApplyOp(var.graph(), var, "Sparse", values, indices);
}

Node OptimizerObject::Update(GraphObject& g, const Pair& pair) {
  VariableObject& var = *pair.variable;
  NameScope scope(g, "update_" + var.OpName());
  ColocateScope with(g, var.Reference().node);
  if (!var.constraint.is_none() && As<IndexedSlicesObject>(pair.gradient))
    throw RuntimeError("Cannot use a constraint function on a sparse variable.");
  const Node updated = is_users() ? UsersUpdate(pair) : PlainUpdate(pair);
  if (var.constraint.is_none()) return updated;
  ControlScope after(g, {updated});
  return NodeOf(CallMethod(Value(&var), "assign", {Call(var.constraint, {Value(&var)})}));
}

Node OptimizerObject::PlainUpdate(const Pair& pair) {
  VariableObject& var = *pair.variable;
  GraphObject& g = var.graph();
  auto* rows = As<IndexedSlicesObject>(pair.gradient);
  if (!rows) return ApplyDense(var, AsOut(g, pair.gradient));
  return ApplyDuplicateRows(var, AsOut(g, rows->values()), AsOut(g, rows->indices()));
}

Node OptimizerObject::UsersUpdate(const Pair& pair) {
  const Value var(pair.variable);
  auto* rows = As<IndexedSlicesObject>(pair.gradient);
  if (!pair.variable->is_resource()) {
    return CallPart(rows ? "_apply_sparse_duplicate_indices" : "_apply_dense",
                    {pair.gradient, var});
  }
  if (!rows) return CallPart("_resource_apply_dense", {pair.gradient, var});
  return CallPart("_resource_apply_sparse_duplicate_indices",
                  {rows->values(), var, rows->indices()});
}

// Adam has no op for sparse updates; this follows AdamOptimizer._apply_sparse_shared. Rows without
// a gradient decay too.
Node OptimizerObject::AdamRows(GraphObject& g, VariableObject& var, Out values, Out indices) {
  const int dtype = BaseType(var.DType());
  const Value one = Value::Int(1);
  const Out beta1_power = Cast(g, Power(g, "beta1").Read(), dtype);
  const Out beta2_power = Cast(g, Power(g, "beta2").Read(), dtype);
  const Out rate = Hyper(g, "learning_rate", dtype);
  const Out beta1 = Hyper(g, "beta1", dtype), beta2 = Hyper(g, "beta2", dtype);
  const Out epsilon = Hyper(g, "epsilon", dtype);
  const Out root = Op(g, "Sqrt", {SubOp(g, one, beta2_power)});
  const Out scaled = MulOp(g, rate, root);
  const Out lr = Operator(g, BinaryOp::kTrueDiv, scaled, SubOp(g, one, beta1_power));
  const auto mean = [&](VariableObject& slot, Out beta, Out added) {
    const Out kept = AssignOp(g, "Assign", slot, MulOp(g, slot.Read(), beta), use_locking);
    ControlScope after(g, {kept.node});
    return ScatterAddTo(g, slot, indices, added, use_locking);
  };
  const Out m = mean(SlotOf(var, "m"), beta1, MulOp(g, values, SubOp(g, one, beta1)));
  const Out squares = MulOp(g, values, values);
  const Out v = mean(SlotOf(var, "v"), beta2, MulOp(g, squares, SubOp(g, one, beta2)));
  const Out v_root = Op(g, "Sqrt", {v});
  const Out step = Operator(g, BinaryOp::kTrueDiv, MulOp(g, lr, m), AddOp(g, v_root, epsilon));
  const Out done = AssignOp(g, "AssignSub", var, step, use_locking);
  const Node nodes[] = {done.node, m.node, v.node};
  return Group(g, nodes, {});
}

VariableObject& OptimizerObject::Power(GraphObject& g, const char* beta) {
  return *As<VariableObject>(NonSlot(g, std::string(beta) + "_power"));
}

}  // namespace tensh::shell::tf
