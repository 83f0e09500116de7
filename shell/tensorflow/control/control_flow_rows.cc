// The Python signatures of tf.cond, tf.case and tf.while_loop.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/control/nest.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/control_flow.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

// Wraps a Python function.
MakeValue Function(const Value& fn) {
  return [fn] { return Call(fn, {}); };
}
LoopFn LoopFunction(const Value& fn) {
  return [fn](std::span<const Value> args) { return Call(fn, args); };
}

// Returns true_fn or its old name fn1. Throws if both are given.
Value EitherName(const Value& value, const Value& old, const char* name, const char* old_name) {
  if (!old.is_none()) {
    if (!value.is_none()) {
      throw TypeError(std::string("cond(): ") + name + " and " + old_name +
                      " may not be set simultaneously.");
    }
    return old;
  }
  if (value.is_none()) throw TypeError(std::string("cond(): ") + name + " argument required");
  return value;
}

// Arguments: pred, true_fn, false_fn, strict, name, fn1, fn2.
Value CondFn(Args& a) {
  const Value true_fn = EitherName(a[1], a[5], "true_fn", "fn1");
  const Value false_fn = EitherName(a[2], a[6], "false_fn", "fn2");
  if (!IsCallable(true_fn)) throw TypeError("true_fn must be callable.");
  if (!IsCallable(false_fn)) throw TypeError("false_fn must be callable.");
  return Cond(GraphOf({&a[0]}), a[0], Function(true_fn), Function(false_fn), Truth(a[3]), a[4]);
}

struct Case {
  Value pred, fn;
};

std::vector<Case> CasePairs(const Value& pairs) {
  std::vector<Case> cases;
  if (auto* dict = As<DictObject>(pairs)) {
    for (size_t i = 0; const Dict::Entry* e = dict->dict.At(&i);)
      cases.push_back({e->key, e->value});
  } else if (Sequence(pairs)) {
    for (const Value& pair : *Sequence(pairs)) {
      const auto* items = Sequence(pair);
      if (!items || !As<TupleObject>(pair) || items->size() != 2)
        throw TypeError("Each entry in pred_fn_pairs must be a 2-tuple");
      cases.push_back({(*items)[0], (*items)[1]});
    }
  } else {
    throw TypeError("fns must be a list, tuple, or dict");
  }
  for (const Case& c : cases) {
    if (!FindGraphOf(c.pred) && !c.pred.is_bool())
      throw TypeError("pred must be Tensor or Variable, got " + Repr(c.pred));
    if (!IsCallable(c.fn)) throw TypeError("fn for pred " + Str(c.pred) + " must be callable.");
  }
  return cases;
}

// Tests the predicates in turn; the first one that is true selects its function.
Value CaseFrom(GraphObject& g, std::span<const Case> cases, size_t i, const MakeValue& fallback,
               bool strict) {
  if (i == cases.size()) return fallback();
  RecursionGuard guard;
  return Cond(
      g, cases[i].pred, Function(cases[i].fn),
      [&, i] { return CaseFrom(g, cases, i + 1, fallback, strict); }, strict, MakeStr("cond"));
}

Out PackPredicates(GraphObject& g, std::span<const Case> cases) {
  std::vector<Value> preds;
  for (const Case& c : cases) preds.push_back(c.pred);
  OpCall stack(g, "Pack", "preds_c");
  return stack.InList(std::span<const Value>(preds)).Add();
}

// Adds an assertion that at most `most` predicates are true.
Node AssertAtMost(GraphObject& g, std::span<const Case> cases, int most, const std::string& what) {
  std::string names;
  for (const Case& c : cases) {
    names +=
        (names.empty() ? "" : ", ") + (FindGraphOf(c.pred) ? Str(GetAttr(c.pred, "name")) : "?");
  }
  const Out all = PackPredicates(g, cases);
  const Out held =
      ReduceOut(g, "Sum", Cast(g, all, TSH_INT32), Value::None(), false, "num_true_conds");
  const Out limit = Constant(g, TensorHandle::Int32(most), "n_true_conds");
  const Out fine = Op(g, "LessEqual", {held, limit});
  const Value text = MakeStr(what + ": more than " + std::to_string(most) + " conditions (" +
                             names + ") evaluated as True:");
  return AssertNode(g, g.Tensor(fine), MakeList({text, g.Tensor(all)}),
                    Value::Int(static_cast<int64_t>(cases.size())), Value::None());
}

// Without a default, the last function is used, and an assertion checks its predicate.
Value LastCase(GraphObject& g, std::span<const Case> cases) {
  const Case& last = cases.back();
  const Value all = g.Tensor(PackPredicates(g, cases));
  std::vector<Node> checks;
  if (cases.size() > 1) {
    checks.push_back(AssertAtMost(g, cases.first(cases.size() - 1), 0,
                                  "Implementation error: selected default action #" +
                                      std::to_string(cases.size() - 1) +
                                      " was called, but some of other predicates are True: "));
  }
  const Value text = MakeStr("Input error: None of conditions evaluated as True:");
  checks.push_back(AssertNode(g, last.pred, MakeList({text, all}), Value::None(), Value::None()));
  ControlScope wait(g, std::move(checks));
  return Call(last.fn, {});
}

// Arguments: pred_fn_pairs, default, exclusive, strict, name.
Value CaseFn(Args& a) {
  const std::vector<Case> cases = CasePairs(a[0]);
  Value fallback = a[1];
  if (cases.empty() && fallback.is_none())
    throw ValueError("Must specify at least one of pred_fn_pairs");
  if (!fallback.is_none() && !IsCallable(fallback)) throw TypeError("default must be callable.");
  GraphObject* found = nullptr;
  for (const Case& c : cases) {
    if (!found) found = FindGraphOf(c.pred);
  }
  GraphObject& g = found ? *found : DefaultGraph();
  NameScope scope(g, NameOr(a[4], "case"));
  std::span<const Case> tried(cases);
  MakeValue otherwise = Function(fallback);
  if (fallback.is_none()) {
    tried = tried.first(cases.size() - 1);
    otherwise = [&] { return LastCase(g, cases); };
  }
  if (!Truth(a[2])) return CaseFrom(g, tried, 0, otherwise, Truth(a[3]));
  ControlScope wait(g, {AssertAtMost(g, cases, 1, "Input error: exclusive=True")});
  return CaseFrom(g, tried, 0, otherwise, Truth(a[3]));
}

// Arguments: cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory,
// name, maximum_iterations, return_same_structure.
Value WhileFn(Args& a) {
  if (!IsCallable(a[0])) throw TypeError("cond must be callable.");
  if (!IsCallable(a[1])) throw TypeError("body must be callable.");
  WhileOptions options;
  options.parallel_iterations = ToIndex(a[4]);
  if (options.parallel_iterations < 1)
    throw TypeError("parallel_iterations must be a positive integer.");
  options.shape_invariants = a[3];
  options.name = a[7];
  options.maximum_iterations = a[8];
  options.return_same_structure = Truth(a[9]);
  options.back_prop = Truth(a[5]);
  GraphObject* found = nullptr;
  for (const Value& leaf : Flatten(a[2])) {
    if (!found) found = FindGraphOf(leaf);
  }
  return WhileLoop(found ? *found : DefaultGraph(), LoopFunction(a[0]), LoopFunction(a[1]), a[2],
                   options);
}

const FunctionRow kRows[] = {
    {"cond", "pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None",
     CondFn, "Runs true_fn if pred is true, and otherwise false_fn."},
    {"case", "pred_fn_pairs, default=None, exclusive=False, strict=False, name='case'", CaseFn,
     "Runs the function of the first predicate that is true."},
    {"while_loop",
     "cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, "
     "swap_memory=False, name=None, maximum_iterations=None, return_same_structure=False",
     WhileFn, "Repeats body on the loop variables while cond is true."},
};

}  // namespace

std::span<const FunctionRow> FlowRows() { return kRows; }

Node AssertNode(GraphObject& g, const Value& condition, const Value& data, const Value& summarize,
                const Value& name) {
  NameScope scope(g, NameOr(name, "Assert"));
  bool plain = true;  // strings and int32 need no branch
  for (const Value& v : ToVector(data)) {
    const int dtype = BaseType(g.handle().DType(Convert(g, v, {})));
    plain &= dtype == TSH_STRING || dtype == TSH_INT32;
  }
  auto make = [&](const Value& holds) {
    OpCall call(g, "Assert");
    call.In(holds).In(data);
    if (!summarize.is_none()) call.attrs().Int("summarize", ToIndex(summarize));
    return call.AddNode();
  };
  if (plain) return make(condition);
  const Value holds = g.Tensor(Convert(g, condition, "Condition"));
  const Value guarded = Cond(
      g, holds, [&] { return g.Operation(NoOp(g, {})); }, [&] { return g.Operation(make(holds)); },
      false, MakeStr("AssertGuard"));
  return NodeOf(guarded);
}

}  // namespace tensh::shell::tf
