// The global step, the variable that counts training steps, and the learning rate that decays with
// it.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/names.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/types/context.h"
#include "shell/tensorflow/graph/variable.h"
#include "shell/tensorflow/train/variable_scope.h"

namespace tensh::shell::tf {
namespace {

// learning_rate * decay_rate ^ (step / decay_steps)
Value ExponentialDecay(Args& a) {
  if (a[1].is_none()) throw ValueError("global_step is required for exponential_decay.");
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2], &a[3]});
  NameScope scope(g, NameOr(a[5], "ExponentialDecay"));
  const Out rate = Convert(g, a[0], "learning_rate");
  const int dtype = BaseType(g.handle().DType(rate));
  const Out steps = Cast(g, Convert(g, a[2], "Cast/x"), dtype);
  const Out decay = Cast(g, Convert(g, a[3], "Cast_1/x"), dtype);
  const Out now = Cast(g, Convert(g, a[1], "Cast_2/x"), dtype);
  Out p = Operator(g, BinaryOp::kTrueDiv, now, steps);
  if (Truth(a[4])) p = Op(g, "Floor", {p});
  return g.Tensor(Op(g, "Mul", {rate, Op(g, "Pow", {decay, p})}, g.scope));
}

Value GetGlobalStep(Args& a) {
  GraphObject& g = a[0].is_none() ? DefaultGraph() : *As<GraphObject>(a[0]);
  for (const Value& v : g.Collection(kGlobalStep)) return v;
  return Value::None();
}

Value CreateGlobalStep(Args& a) {
  Value found = GetGlobalStep(a);
  if (!found.is_none()) {
    if (a.row().data) return found;
    throw ValueError("\"global_step\" already exists.");
  }
  GraphObject& g = a[0].is_none() ? DefaultGraph() : *As<GraphObject>(a[0]);
  GetVariableSpec spec;
  spec.name = "global_step";
  spec.shape = MakeList();
  spec.dtype = TSH_INT64;
  spec.trainable = Value::Bool(false);
  // It has a fixed initializer, regardless of the variable scope.
  spec.initializer = New<InitializerObject>(InitializerObject::Kind::kZeros);
  spec.collections = std::vector<std::string>{kGlobalVariables, kGlobalStep};
  return GetVariable(g, spec);
}

const FunctionRow kRows[] = {
    {"exponential_decay",
     "learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None",
     ExponentialDecay, "A learning rate that decays exponentially."},
    {"get_global_step", "graph=None", GetGlobalStep,
     "Returns the variable that counts steps, or None."},
    {"create_global_step", "graph=None", CreateGlobalStep,
     "Creates the variable that counts steps."},
    {"get_or_create_global_step", "graph=None", CreateGlobalStep,
     "Returns the variable that counts steps, and creates it if necessary.", "get"},
    {"global_step", "sess, global_step_tensor",
     [](Args& a) -> Value { return Call(GetAttr(a[0], "run"), {a[1]}); },
     "Returns the number of steps so far."},
};

}  // namespace

std::span<const FunctionRow> GlobalStepRows() { return kRows; }

}  // namespace tensh::shell::tf
