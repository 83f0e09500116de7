// tf.train: the optimizers' classes and the functions beside them.
#include <cmath>

#include "shell/tf/build.h"
#include "shell/tf/context.h"
#include "shell/lang/library.h"
#include "shell/tf/names.h"
#include "shell/tf/rows.h"
#include "shell/tf/saver.h"
#include "shell/tf/train.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {
namespace {

const OptimizerKind kGradientDescent{
    "GradientDescentOptimizer", "GradientDescent", "ApplyGradientDescent", {}, {"learning_rate"}};
const OptimizerKind kMomentum{
    "MomentumOptimizer", "Momentum", "ApplyMomentum", {"momentum"}, {"learning_rate", "momentum"}};
const OptimizerKind kAdagrad{
    "AdagradOptimizer", "Adagrad", "ApplyAdagrad", {"accumulator"}, {"learning_rate"}};
const OptimizerKind kAdam{"AdamOptimizer",
                          "Adam",
                          "ApplyAdam",
                          {"m", "v"},
                          {"learning_rate", "beta1", "beta2", "epsilon"},
                          true};

OptimizerObject& Self(Args& a) { return *As<OptimizerObject>(a.self()); }

Ref<OptimizerObject> Make(const TypeInfo& type, const OptimizerKind& kind, const Value& name,
                          const Value& locking) {
  Ref<OptimizerObject> made = New<OptimizerObject>(type, kind);
  made->name = name.is_none() ? kind.name : ToText(name, "name");
  made->use_locking = Truth(locking);
  return made;
}

extern const TypeInfo kGradientDescentType, kMomentumType, kAdagradType, kAdamType;

Value NewGradientDescent(Args& a) {
  Ref<OptimizerObject> made = Make(kGradientDescentType, kGradientDescent, a[2], a[1]);
  made->hyper["learning_rate"] = a[0];
  return made;
}
Value NewMomentum(Args& a) {
  Ref<OptimizerObject> made = Make(kMomentumType, kMomentum, a[3], a[2]);
  made->hyper["learning_rate"] = a[0];
  made->hyper["momentum"] = a[1];
  made->use_nesterov = Truth(a[4]);
  return made;
}
Value NewAdagrad(Args& a) {
  Ref<OptimizerObject> made = Make(kAdagradType, kAdagrad, a[3], a[2]);
  made->hyper["learning_rate"] = a[0];
  made->initial_accumulator = ToDouble(a[1]);
  if (made->initial_accumulator <= 0) {
    throw ValueError("initial_accumulator_value must be positive: " + Repr(a[1]));
  }
  return made;
}
Value NewAdam(Args& a) {
  Ref<OptimizerObject> made = Make(kAdamType, kAdam, a[5], a[4]);
  static constexpr const char* kNames[] = {"learning_rate", "beta1", "beta2", "epsilon"};
  for (size_t i = 0; i < std::size(kNames); ++i) made->hyper[kNames[i]] = a[i];
  return made;
}

// "loss, global_step, var_list, gate_gradients, aggregation_method, colocate, name, grad_loss"
Value Minimize(Args& a) {
  OptimizerObject& self = Self(a);
  const Value pairs = self.ComputeGradients(a[0], a[2], a[7], ToIndex(a[3]) > 0);
  bool any = false;
  for (const Value& pair : *Sequence(pairs)) any |= !(*Sequence(pair))[0].is_none();
  if (!any) {
    throw ValueError(
        "No gradients provided for any variable, check your graph for ops that do not support "
        "gradients, between variables and loss " +
        Str(a[0]) + ".");
  }
  return self.ApplyGradients(pairs, a[1], a[6]);
}

Value ComputeGradients(Args& a) {
  return Self(a).ComputeGradients(a[0], a[1], a[5], ToIndex(a[2]) > 0);
}
Value ApplyGradients(Args& a) { return Self(a).ApplyGradients(a[0], a[1], a[2]); }
Value GetSlot(Args& a) { return Self(a).Slot(a[0], ToText(a[1], "name")); }

Value SlotNames(Args& a) {
  std::vector<Value> names;
  for (const char* s : Self(a).kind.slots) names.push_back(MakeStr(s));
  return MakeList(std::move(names));
}

const FunctionRow kMethods[] = {
    {"minimize",
     "loss, global_step=None, var_list=None, gate_gradients=1, aggregation_method=None, "
     "colocate_gradients_with_ops=False, name=None, grad_loss=None",
     Minimize, "Changes variables to make loss smaller."},
    {"compute_gradients",
     "loss, var_list=None, gate_gradients=1, aggregation_method=None, "
     "colocate_gradients_with_ops=False, grad_loss=None",
     ComputeGradients, "(gradient, variable) pairs."},
    {"apply_gradients", "grads_and_vars, global_step=None, name=None", ApplyGradients,
     "Changes variables by these gradients."},
    {"get_slot", "var, name", GetSlot, "A variable that the optimizer keeps beside another."},
    {"get_slot_names", "", SlotNames, "The names of such variables."},
    {"get_name", "", [](Args& a) -> Value { return MakeStr(Self(a).name); }, "Its name."},
};

const FunctionRow kNewGradientDescent = {"GradientDescentOptimizer",
                                         "learning_rate, use_locking=False, name='GradientDescent'",
                                         NewGradientDescent, "w -= learning_rate * gradient."};
const FunctionRow kNewMomentum = {
    "MomentumOptimizer",
    "learning_rate, momentum, use_locking=False, name='Momentum', use_nesterov=False", NewMomentum,
    "Gradient descent with momentum."};
const FunctionRow kNewAdagrad = {
    "AdagradOptimizer",
    "learning_rate, initial_accumulator_value=0.1, use_locking=False, name='Adagrad'", NewAdagrad,
    "Gradient descent with a rate for each weight."};
const FunctionRow kNewAdam = {
    "AdamOptimizer",
    "learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08, use_locking=False, name='Adam'",
    NewAdam, "The Adam method."};

constexpr TypeInfo OptimizerType(const char* name, const FunctionRow* construct) {
  TypeInfo t;
  t.name = name;
  t.base = &OptimizerObject::kType;
  t.module = "tensorflow.python.training";
  t.construct = construct;
  return t;
}

const TypeInfo kGradientDescentType =
    OptimizerType("GradientDescentOptimizer", &kNewGradientDescent);
const TypeInfo kMomentumType = OptimizerType("MomentumOptimizer", &kNewMomentum);
const TypeInfo kAdagradType = OptimizerType("AdagradOptimizer", &kNewAdagrad);
const TypeInfo kAdamType = OptimizerType("AdamOptimizer", &kNewAdam);

// ---- functions ----

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
  spec.collections = std::vector<std::string>{kGlobalVariables, kGlobalStep};
  return GetVariable(g, spec);
}

const FunctionRow kRows[] = {
    {"exponential_decay",
     "learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None",
     ExponentialDecay, "A rate that falls with the step."},
    {"get_global_step", "graph=None", GetGlobalStep, "The variable that counts steps, or None."},
    {"create_global_step", "graph=None", CreateGlobalStep, "Makes the variable that counts steps."},
    {"get_or_create_global_step", "graph=None", CreateGlobalStep, "The variable that counts steps.",
     "get"},
    {"global_step", "sess, global_step_tensor",
     [](Args& a) -> Value { return Call(GetAttr(a[0], "run"), {a[1]}); },
     "How many steps there were."},
};

const ConstantRow kConstants[] = {
    {"Saver", [] { return TypeValue(SaverObject::kType); }},
    {"Optimizer", [] { return TypeValue(OptimizerObject::kType); }},
    {"GradientDescentOptimizer", [] { return TypeValue(kGradientDescentType); }},
    {"MomentumOptimizer", [] { return TypeValue(kMomentumType); }},
    {"AdagradOptimizer", [] { return TypeValue(kAdagradType); }},
    {"AdamOptimizer", [] { return TypeValue(kAdamType); }},
};

Value Missing(StrObject* name) {
  for (const char* known :
       {"RMSPropOptimizer", "AdadeltaOptimizer", "FtrlOptimizer", "Coordinator",
        "start_queue_runners",
        "MonitoredTrainingSession", "Supervisor"}) {
    if (name->view() == known) {
      throw NotImplementedError("tf.train." + name->text() + " is not part of tensh yet.");
    }
  }
  return FromLibrary("train", name);
}

}  // namespace

const TypeInfo OptimizerObject::kType = {.name = "Optimizer",
                                         .module = "tensorflow.python.training.optimizer",
                                         .doc = "Changes variables to make a loss smaller.",
                                         .methods = kMethods};

const ModuleDef& TrainModule() {
  static const ModuleDef module = {.name = "tensorflow.train",
                                   .functions = kRows,
                                   .constants = kConstants,
                                   .missing = Missing,
                                   .short_name = "tf.train",
                                   .more_functions = {CheckpointRows(), MetaGraphRows()}};
  return module;
}

}  // namespace tensh::shell::tf
