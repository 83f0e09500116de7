// tf.cond, tf.case and tf.while_loop.
#include <algorithm>

#include "shell/python/values/class.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/control/nest.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/control_flow.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

// For nodes, a tf.TensorArray is represented by its flow value. The class is in
// python/tensor_array.py.
bool IsArrayObject(const Value& v) {
  static StrObject* const mark = Intern("_tensor_array");
  return v.is_object() && UserClass::Of(v) && !FindAttr(v, mark).is_null();
}
Value FlowOfArray(const Value& v) { return IsArrayObject(v) ? GetAttr(v, "flow") : v; }
Value ArrayWithFlow(const Value& like, Value flow) {
  return IsArrayObject(like) ? CallMethod(like, "_with_flow", {std::move(flow)}) : flow;
}

// ---- cond ----

// The result of one branch: the value of its function, and the outputs that the Merges take.
struct Branch {
  Value original;
  std::vector<Out> outs;
};

Out BranchTensor(GraphObject& g, FlowContext& context, const Value& v) {
  if (As<OperationObject>(v)) {  // the pivot represents it
    NameScope scope(g, "control_dependency");
    ColocateScope with(g, context.pivot.node);
    ControlScope wait(g, {NodeOf(v)});
    return Op(g, "Identity", {context.pivot}, g.scope);
  }
  return context.BranchOutput(Convert(g, FlowOfArray(v), {}));
}

Branch BuildBranch(GraphObject& g, Out pred, Out pivot, bool branch, const MakeValue& fn,
                   const char* what) {
  auto context = std::make_shared<FlowContext>(g, false);
  g.UniqueName("cond_text");
  context->pred = pred;
  context->pivot = pivot;
  context->branch = branch;
  context->AddName(pred);
  context->AddName(pivot);
  g.flow_of[pivot.node] = context;
  Branch made;
  {
    FlowScope inside(g, context);
    made.original = fn();
    if (made.original.is_none()) throw ValueError(std::string(what) + " must have a return value.");
    for (const Value& leaf : Flatten(made.original))
      made.outs.push_back(BranchTensor(g, *context, leaf));
  }
  for (Out out : made.outs) {
    if (context->outer) context->outer->AddName(out);
  }
  return made;
}

Value UnpackSingle(const Value& v) {
  const auto* items = Sequence(v);
  return items && items->size() == 1 ? (*items)[0] : v;
}

void CheckBranches(GraphObject& g, const Branch& t, const Branch& f) {
  const Value &a = t.original, &b = f.original;
  try {
    CheckSameStructure(a, b);
  } catch (const PyError& e) {
    if (e.Is(kTypeError))
      throw TypeError("Incompatible return types of true_fn and false_fn: " + e.Message());
    if (e.Is(kValueError))
      throw ValueError("Incompatible return values of true_fn and false_fn: " + e.Message());
    throw;
  }
  if (t.outs.empty()) throw ValueError("true_fn and false_fn must return at least one result.");
  for (size_t i = 0; i < t.outs.size(); ++i) {
    const int x = BaseType(g.handle().DType(t.outs[i]));
    const int y = BaseType(g.handle().DType(f.outs[i]));
    if (x == y) continue;
    throw ValueError("Outputs of true_fn and false_fn must have the same type: " + DTypeName(x) +
                     ", " + DTypeName(y))
        .Hint("Convert one with tf.cast");
  }
}

}  // namespace

Value Cond(GraphObject& g, const Value& pred, const MakeValue& true_fn, const MakeValue& false_fn,
           bool strict, const Value& name) {
  NameScope scope(g, NameOr(name, "cond"));
  if (pred.is_bool()) throw TypeError("pred must not be a Python bool");
  Out p = Convert(g, pred, "pred");
  const Switched pivots = Switch(g, p, p);
  const Out yes = Op(g, "Identity", {pivots.yes}, "switch_t");
  const Out no = Op(g, "Identity", {pivots.no}, "switch_f");
  p = Op(g, "Identity", {p}, "pred_id");
  for (Out o : {pivots.yes, yes, no, p}) g.not_fetchable.insert(o.node);
  Branch t = BuildBranch(g, p, yes, true, true_fn, "true_fn");
  Branch f = BuildBranch(g, p, no, false, false_fn, "false_fn");
  if (!strict) {
    t.original = UnpackSingle(t.original);
    f.original = UnpackSingle(f.original);
  }
  CheckBranches(g, t, f);
  const std::vector<Value> leaves = Flatten(t.original);
  std::vector<Value> merged;
  for (size_t i = 0; i < t.outs.size(); ++i) {
    const Out pair[] = {f.outs[i], t.outs[i]};
    merged.push_back(ArrayWithFlow(leaves[i], g.Tensor(Merge(g, pair))));
  }
  const Value packed = PackAs(t.original, merged);
  return strict ? packed : UnpackSingle(packed);
}

// ---- while_loop ----

namespace {

struct Loop {
  GraphObject& g;
  std::shared_ptr<FlowContext> context;
  const WhileOptions& options;
  Value vars;                 // as given, and converted
  std::vector<Value> leaves;  // tensors, and arrays of tensors
  std::vector<Out> merges, switched_no, switched_yes;

  // Returns the loop variables in the structure that the user's functions expect.
  std::vector<Value> Pack(std::span<const Out> outs) const {
    std::vector<Value> values;
    for (size_t i = 0; i < outs.size(); ++i)
      values.push_back(ArrayWithFlow(leaves[i], g.Tensor(outs[i])));
    const Value packed = PackAs(vars, values);
    return *Sequence(packed);
  }
};

bool LessOrEqual(const ShapeInfo& a, const ShapeInfo& b) {
  if (b.rank < 0) return true;
  if (a.rank != b.rank) return false;
  for (int i = 0; i < a.rank; ++i) {
    if (b.extents[static_cast<size_t>(i)] >= 0 &&
        a.extents[static_cast<size_t>(i)] != b.extents[static_cast<size_t>(i)])
      return false;
  }
  return true;
}

std::string OutName(GraphObject& g, Out o) {
  return std::string(g.handle().NodeName(o.node)) + ":" + std::to_string(o.index);
}

void SetInvariant(GraphObject& g, Out real, Out enter, const Value& wanted) {
  Ref<ShapeObject> shape = ToShape(wanted);
  const ShapeInfo want{shape->rank(), {shape->dims().begin(), shape->dims().end()}};
  const ShapeInfo have = g.handle().Shape(real);
  if (!LessOrEqual(have, want)) {
    throw ValueError("The shape invariant specified for " + OutName(g, real) +
                     " is not compatible with the initial shape of the loop variable. It enters "
                     "the loop with shape " +
                     ShapeText(have) + ", but the specified shape invariant is " + ShapeText(want) +
                     ".");
  }
  g.handle().NarrowShape(enter, want);
}

// Returns the shape invariants, one per leaf. They are nested like the variables, and a shape is a
// leaf.
std::vector<Value> InvariantLeaves(const Value& vars, const Value& invariants) {
  if (!IsNested(vars)) return {invariants};
  if (Sequence(vars) && Sequence(invariants) &&
      Sequence(vars)->size() == Sequence(invariants)->size()) {
    std::vector<Value> all;
    for (size_t i = 0; i < Sequence(vars)->size(); ++i) {
      for (Value& v : InvariantLeaves((*Sequence(vars))[i], (*Sequence(invariants))[i]))
        all.push_back(std::move(v));
    }
    return all;
  }
  CheckSameStructure(vars, invariants);
  return Flatten(invariants);
}

// In the body of an outer loop, constants of that loop wait for its body.
Node OuterPivot(FlowContext* outer) {
  for (; outer; outer = outer->outer.get()) {
    if (Exists(outer->Pivot())) return outer->Pivot().node;
  }
  return TSH_NO_NODE;
}

Out EnterVariable(Loop& loop, Out out) {
  GraphObject& g = loop.g;
  const bool keep_shape = loop.options.shape_invariants.is_none();
  const Node pivot = OuterPivot(loop.context->outer.get());
  std::vector<Node> waits = loop.context->OuterWaits(out);
  if (pivot != TSH_NO_NODE && g.constant_enters.count(out.node)) waits.push_back(pivot);
  ControlScope none(g);
  ControlScope wait(g, std::move(waits));
  FlowScope outside(g, nullptr);
  return Enter(g, out, *loop.context, false, keep_shape);
}

void EnterVariables(Loop& loop, std::vector<Out> outs) {
  GraphObject& g = loop.g;
  FlowContext& context = *loop.context;
  context.SetValues(outs);
  if (context.outer) {
    for (Out& out : outs) out = context.outer->AddValue(out);
  }
  const bool free_shapes = !loop.options.shape_invariants.is_none();
  std::vector<Out> enters;
  for (Out out : outs) enters.push_back(EnterVariable(loop, out));
  for (Out enter : enters) {
    SeenByWaits(g, enter.node);
    g.not_feedable.insert(enter.node);
    g.flow_of[enter.node] = loop.context;
  }
  if (free_shapes) {
    const std::vector<Value> shapes = InvariantLeaves(loop.vars, loop.options.shape_invariants);
    if (shapes.size() != enters.size())
      throw ValueError("The two structures don't have the same nested structure.");
    for (size_t i = 0; i < enters.size(); ++i) SetInvariant(g, outs[i], enters[i], shapes[i]);
  }
  context.SetValues(enters);
  for (Out enter : enters) {
    const Out both[] = {enter, enter};
    loop.merges.push_back(Merge(g, both));
  }
  context.pivot_for_pred = loop.merges[0];
}

void CheckInvariant(GraphObject& g, Out merge, Out next) {
  const ShapeInfo m = g.handle().Shape(merge), n = g.handle().Shape(next);
  if (LessOrEqual(n, m)) return;
  const Out enter = g.handle().Input(merge.node, 0);
  const Out input = g.handle().Input(enter.node, 0);
  throw ValueError(
      "Input tensor '" + OutName(g, input) + "' enters the loop with shape " +
      ShapeText(g.handle().Shape(input)) + ", but has shape " + ShapeText(n) +
      " after one iteration. To allow the shape to vary across iterations, use the "
      "`shape_invariants` argument of tf.while_loop to specify a less-specific shape.");
}

// Builds the body and returns its result, whose values feed the next iteration.
Value BuildBody(Loop& loop, const LoopFn& body) {
  GraphObject& g = loop.g;
  std::vector<Out> inside;
  for (Out yes : loop.switched_yes) inside.push_back(Op(g, "Identity", {yes}));
  loop.context->pivot_for_body = inside[0];
  const std::vector<Value> given = loop.Pack(inside);
  Value result = body(given);
  if (!IsNested(result)) result = MakeList({result});
  CheckSameStructure(MakeList(given),
                     Sequence(result) ? MakeList(*Sequence(result)) : MakeList({result}));
  std::vector<Out> outs;
  for (const Value& leaf : Flatten(result)) outs.push_back(Convert(g, FlowOfArray(leaf), {}));
  if (outs.size() != loop.merges.size())
    throw ValueError("Number of inputs and outputs of body must match loop_vars: " +
                     std::to_string(loop.merges.size()) + ", " + std::to_string(outs.size()));
  for (size_t i = 0; i < outs.size(); ++i) {
    const Out next = Unary(g, "NextIteration", "RefNextIteration", outs[i]);
    CheckInvariant(g, loop.merges[i], next);
    SetBackEdge(g, loop.merges[i], next);
  }
  return result;
}

Value BuildLoop(GraphObject& g, const LoopFn& cond, const LoopFn& body, const Value& loop_vars,
                const WhileOptions& options) {
  Loop loop{g, std::make_shared<FlowContext>(g, true), options, {}, {}, {}, {}, {}};
  loop.context->frame = g.UniqueName("while_context");
  loop.context->parallel_iterations = options.parallel_iterations;
  loop.context->back_prop = options.back_prop;
  std::vector<Out> outs;
  for (const Value& leaf : Flatten(loop_vars)) {
    loop.leaves.push_back(leaf);
    outs.push_back(Convert(g, FlowOfArray(leaf), {}));
  }
  loop.vars = loop_vars;
  Value result;
  std::vector<Out> exits;
  {
    FlowScope inside(g, loop.context);
    EnterVariables(loop, std::move(outs));
    const Value go_on = cond(loop.Pack(loop.merges));
    loop.context->cond = Op(g, "LoopCond", {Convert(g, go_on, {})});
    for (Out merge : loop.merges) {
      const Switched both = SwitchColocated(g, merge, loop.context->cond);
      loop.switched_no.push_back(both.no);
      loop.switched_yes.push_back(both.yes);
    }
    result = BuildBody(loop, body);
    for (Out no : loop.switched_no) exits.push_back(Unary(g, "Exit", "RefExit", no));
  }
  std::vector<Value> values;
  const std::vector<Value> leaves = Flatten(result);
  for (size_t i = 0; i < exits.size(); ++i) {
    if (loop.context->outer) loop.context->outer->AddName(exits[i]);
    values.push_back(ArrayWithFlow(leaves[i], g.Tensor(exits[i])));
  }
  const Value packed = PackAs(result, values);
  const auto* items = Sequence(packed);
  return !options.return_same_structure && exits.size() == 1 && items ? (*items)[0] : packed;
}

// A limit on the iterations adds a counter as the first loop variable.
Value BuildBounded(GraphObject& g, const LoopFn& cond, const LoopFn& body, const Value& loop_vars,
                   WhileOptions options) {
  const Out limit = Convert(g, options.maximum_iterations, "maximum_iterations");
  if (g.handle().Shape(limit).rank != 0)
    throw ValueError("maximum_iterations must be a scalar, saw shape: " +
                     ShapeText(g.handle().Shape(limit)));
  const Out counter = ScalarConstant(g, 0, BaseType(g.handle().DType(limit)), "iteration_counter");
  const bool single = Len(loop_vars) == 1 && !options.return_same_structure;
  const Value inner = single ? (*Sequence(loop_vars))[0] : loop_vars;
  const Value vars = MakeTuple({g.Tensor(counter), inner});
  if (!options.shape_invariants.is_none()) {
    const Value rest = single ? (*Sequence(options.shape_invariants))[0] : options.shape_invariants;
    options.shape_invariants = MakeTuple({ShapeValue({.rank = 0, .extents = {}}), rest});
  }
  auto call = [single](const LoopFn& fn, const Value& packed) {
    return single ? fn(std::span(&packed, 1)) : fn(*Sequence(packed));
  };
  options.maximum_iterations = Value::None();
  const Value limit_value = g.Tensor(limit);
  const Value result = BuildLoop(
      g,
      [&](std::span<const Value> v) {
        const Value below = Compare(CompareOp::kLt, v[0], limit_value);
        const Value more = call(cond, v[1]);
        return g.Tensor(Op(g, "LogicalAnd", {below, more}));
      },
      [&](std::span<const Value> v) {
        const Value next = Binary(BinaryOp::kAdd, v[0], Value::Int(1));
        return MakeTuple({next, call(body, v[1])});
      },
      vars, options);
  return (*Sequence(result))[1];
}

}  // namespace

Value WhileLoop(GraphObject& g, const LoopFn& cond, const LoopFn& body, const Value& loop_vars,
                const WhileOptions& options) {
  NameScope scope(g, NameOr(options.name, "while"));
  const auto* items = Sequence(loop_vars);
  if (!items || items->empty()) throw ValueError("No loop variables provided");
  if (options.maximum_iterations.is_none()) return BuildLoop(g, cond, body, loop_vars, options);
  return BuildBounded(g, cond, body, loop_vars, options);
}

}  // namespace tensh::shell::tf
