// tf.train: the optimizers' classes and the functions beside them.
#include <cmath>
#include <set>

#include "shell/lang/library.h"
#include "shell/tf/build.h"
#include "shell/tf/context.h"
#include "shell/tf/names.h"
#include "shell/tf/queue.h"
#include "shell/tf/rows.h"
#include "shell/tf/saver.h"
#include "shell/tf/server.h"
#include "shell/tf/summary.h"
#include "shell/tf/train.h"
#include "shell/tf/variable_scope.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell::tf {
namespace {

const OptimizerKind kGradientDescent{
    "GradientDescentOptimizer", "GradientDescent", "ApplyGradientDescent", {}, {"learning_rate"}};
const OptimizerKind kMomentum{"MomentumOptimizer",
                              "Momentum",
                              "ApplyMomentum",
                              {{"momentum"}},
                              {"learning_rate", "momentum"}};
const OptimizerKind kAdagrad{"AdagradOptimizer",
                             "Adagrad",
                             "ApplyAdagrad",
                             {{"accumulator", SlotKind::kConstant}},
                             {"learning_rate"}};
const OptimizerKind kAdam{"AdamOptimizer",
                          "Adam",
                          "ApplyAdam",
                          {{"m"}, {"v"}},
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

const OptimizerKind kAdadelta{"AdadeltaOptimizer",
                              "Adadelta",
                              "ApplyAdadelta",
                              {{"accum"}, {"accum_update"}},
                              {"lr", "rho", "epsilon"}};
const OptimizerKind kRmsProp{"RMSPropOptimizer",
                             "RMSProp",
                             "ApplyRMSProp",
                             {{"rms", SlotKind::kOnes}, {"momentum"}},
                             {"learning_rate", "decay", "momentum", "epsilon"}};
const OptimizerKind kCenteredRmsProp{"RMSPropOptimizer",
                                     "RMSProp",
                                     "ApplyCenteredRMSProp",
                                     {{"rms", SlotKind::kOnes}, {"mg"}, {"momentum"}},
                                     {"learning_rate", "decay", "momentum", "epsilon"},
                                     false,
                                     {"mg", "rms", "momentum"}};
#define TENSH_L1_L2 "l1_regularization_strength", "l2_regularization_strength"
const OptimizerKind kFtrl{
    "FtrlOptimizer",
    "Ftrl",
    "ApplyFtrl",
    {{"accum", SlotKind::kConstantNode}, {"linear"}},
    {"learning_rate", TENSH_L1_L2, "l2_shrinkage_regularization_strength", "learning_rate_power"}};
const OptimizerKind kFtrlV2{
    "FtrlOptimizer",
    "Ftrl",
    "ApplyFtrlV2",
    {{"accum", SlotKind::kConstantNode}, {"linear"}},
    {"learning_rate", TENSH_L1_L2, "l2_shrinkage_regularization_strength", "learning_rate_power"}};
const OptimizerKind kProximalGradientDescent{"ProximalGradientDescentOptimizer",
                                             "ProximalGradientDescent",
                                             "ApplyProximalGradientDescent",
                                             {},
                                             {"learning_rate", TENSH_L1_L2}};
const OptimizerKind kProximalAdagrad{"ProximalAdagradOptimizer",
                                     "ProximalAdagrad",
                                     "ApplyProximalAdagrad",
                                     {{"accumulator", SlotKind::kConstantNode}},
                                     {"learning_rate", TENSH_L1_L2}};

const OptimizerKind kAdagradDa{"AdagradDAOptimizer",
                               "AdagradDA",
                               "ApplyAdagradDA",
                               {{"gradient_accumulator", SlotKind::kZerosNode},
                                {"gradient_squared_accumulator", SlotKind::kConstantNode}},
                               {"learning_rate"}};

extern const TypeInfo kAdagradDaType;
extern const TypeInfo kGradientDescentType, kMomentumType, kAdagradType, kAdamType, kAdadeltaType,
    kRmsPropType, kFtrlType, kProximalGradientDescentType, kProximalAdagradType;

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

Value NewAdadelta(Args& a) {
  Ref<OptimizerObject> made = Make(kAdadeltaType, kAdadelta, a[4], a[3]);
  made->hyper["lr"] = a[0];
  made->hyper["rho"] = a[1];
  made->hyper["epsilon"] = a[2];
  return made;
}
Value NewRmsProp(Args& a) {
  const bool centered = Truth(a[5]);
  Ref<OptimizerObject> made =
      Make(kRmsPropType, centered ? kCenteredRmsProp : kRmsProp, a[6], a[4]);
  static constexpr const char* kNames[] = {"learning_rate", "decay", "momentum", "epsilon"};
  for (size_t i = 0; i < std::size(kNames); ++i) made->hyper[kNames[i]] = a[i];
  return made;
}

// A strength that must not be negative.
Value Strength(const Value& v, const char* name) {
  if (ToDouble(v) >= 0) return v;
  throw ValueError(std::string(name) + " " + std::to_string(ToDouble(v)) +
                   " needs to be greater than or equal to zero");
}

Value NewFtrl(Args& a) {
  const bool shrinks = ToDouble(a[9]) > 0;
  Ref<OptimizerObject> made = Make(kFtrlType, shrinks ? kFtrlV2 : kFtrl, a[6], a[5]);
  made->initial_accumulator = ToDouble(a[2]);
  if (made->initial_accumulator < 0) {
    throw ValueError("initial_accumulator_value " + std::to_string(made->initial_accumulator) +
                     " needs to be positive or zero");
  }
  if (ToDouble(a[1]) > 0) {
    throw ValueError("learning_rate_power " + std::to_string(ToDouble(a[1])) +
                     " needs to be negative or zero");
  }
  made->hyper["learning_rate"] = a[0];
  made->hyper["learning_rate_power"] = a[1];
  made->hyper["l1_regularization_strength"] = Strength(a[3], "l1_regularization_strength");
  made->hyper["l2_regularization_strength"] = Strength(a[4], "l2_regularization_strength");
  made->hyper["l2_shrinkage_regularization_strength"] =
      Strength(a[9], "l2_shrinkage_regularization_strength");
  return made;
}
Value NewProximalGradientDescent(Args& a) {
  Ref<OptimizerObject> made =
      Make(kProximalGradientDescentType, kProximalGradientDescent, a[4], a[3]);
  made->hyper["learning_rate"] = a[0];
  made->hyper["l1_regularization_strength"] = a[1];
  made->hyper["l2_regularization_strength"] = a[2];
  return made;
}
Value NewProximalAdagrad(Args& a) {
  Ref<OptimizerObject> made = Make(kProximalAdagradType, kProximalAdagrad, a[5], a[4]);
  made->initial_accumulator = ToDouble(a[1]);
  if (made->initial_accumulator <= 0) {
    throw ValueError("initial_accumulator_value must be positive: " + Repr(a[1]));
  }
  made->hyper["learning_rate"] = a[0];
  made->hyper["l1_regularization_strength"] = a[2];
  made->hyper["l2_regularization_strength"] = a[3];
  return made;
}

Value NewAdagradDa(Args& a) {
  Ref<OptimizerObject> made = Make(kAdagradDaType, kAdagradDa, a[6], a[5]);
  made->initial_accumulator = ToDouble(a[2]);
  if (made->initial_accumulator <= 0) {
    throw ValueError("initial_gradient_squared_accumulator_value must be positive: " + Repr(a[2]));
  }
  made->hyper["learning_rate"] = a[0];
  made->hyper["global_step"] = a[1];
  made->hyper["l1"] = a[3];
  made->hyper["l2"] = a[4];
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
  std::set<std::string> sorted;
  for (const SlotKind& s : Self(a).kind.slots) sorted.insert(s.name);
  for (const std::string& s : sorted) names.push_back(MakeStr(s));
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

const FunctionRow kNewAdadelta = {
    "AdadeltaOptimizer",
    "learning_rate=0.001, rho=0.95, epsilon=1e-08, use_locking=False, name='Adadelta'", NewAdadelta,
    "The Adadelta method."};
const FunctionRow kNewRmsProp = {
    "RMSPropOptimizer",
    "learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False, "
    "name='RMSProp'",
    NewRmsProp, "The RMSProp method."};
const FunctionRow kNewAdagradDa = {
    "AdagradDAOptimizer",
    "learning_rate, global_step, initial_gradient_squared_accumulator_value=0.1, "
    "l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, "
    "name='AdagradDA'",
    NewAdagradDa, "Adagrad by dual averaging."};
const FunctionRow kNewFtrl = {
    "FtrlOptimizer",
    "learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1, "
    "l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, "
    "name='Ftrl', accum_name=None, linear_name=None, l2_shrinkage_regularization_strength=0.0",
    NewFtrl, "Follow the regularised leader."};
const FunctionRow kNewProximalGradientDescent = {
    "ProximalGradientDescentOptimizer",
    "learning_rate, l1_regularization_strength=0.0, l2_regularization_strength=0.0, "
    "use_locking=False, name='ProximalGradientDescent'",
    NewProximalGradientDescent, "Gradient descent with penalties."};
const FunctionRow kNewProximalAdagrad = {
    "ProximalAdagradOptimizer",
    "learning_rate, initial_accumulator_value=0.1, l1_regularization_strength=0.0, "
    "l2_regularization_strength=0.0, use_locking=False, name='ProximalAdagrad'",
    NewProximalAdagrad, "Adagrad with penalties."};

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
const TypeInfo kAdadeltaType = OptimizerType("AdadeltaOptimizer", &kNewAdadelta);
const TypeInfo kRmsPropType = OptimizerType("RMSPropOptimizer", &kNewRmsProp);
const TypeInfo kFtrlType = OptimizerType("FtrlOptimizer", &kNewFtrl);
const TypeInfo kAdagradDaType = OptimizerType("AdagradDAOptimizer", &kNewAdagradDa);
const TypeInfo kProximalGradientDescentType =
    OptimizerType("ProximalGradientDescentOptimizer", &kNewProximalGradientDescent);
const TypeInfo kProximalAdagradType =
    OptimizerType("ProximalAdagradOptimizer", &kNewProximalAdagrad);

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
  // Its own, whatever initializer the variable scope has.
  spec.initializer = New<InitializerObject>(InitializerObject::Kind::kZeros);
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
    {"SummaryWriter", FileWriterType},
    {"Optimizer", [] { return TypeValue(OptimizerObject::kType); }},
    {"GradientDescentOptimizer", [] { return TypeValue(kGradientDescentType); }},
    {"MomentumOptimizer", [] { return TypeValue(kMomentumType); }},
    {"AdagradOptimizer", [] { return TypeValue(kAdagradType); }},
    {"AdamOptimizer", [] { return TypeValue(kAdamType); }},
    {"AdadeltaOptimizer", [] { return TypeValue(kAdadeltaType); }},
    {"RMSPropOptimizer", [] { return TypeValue(kRmsPropType); }},
    {"FtrlOptimizer", [] { return TypeValue(kFtrlType); }},
    {"AdagradDAOptimizer", [] { return TypeValue(kAdagradDaType); }},
    {"ProximalGradientDescentOptimizer", [] { return TypeValue(kProximalGradientDescentType); }},
    {"ProximalAdagradOptimizer", [] { return TypeValue(kProximalAdagradType); }},
};

Value Missing(StrObject* name) {
  for (const ConstantRow& row : QueueRunnerTypes()) {
    if (name->view() == row.name) return row.make();
  }
  static constexpr const char* files[] = {
      "input",   "train",     "hooks", "monitored_session",
      "cluster", "train_more"};  // which takes of the others, so is last
  if (name->view() == kDirName) return LibraryDir(files);
  if (name->view() == "summary_iterator") return FromLibrary("messages", name);
  for (const char* message :
       {"Example", "Features", "Feature", "BytesList", "FloatList", "Int64List", "FeatureList",
        "FeatureLists", "SequenceExample", "_Message", "_shown"}) {
    if (name->view() == message) return FromLibrary("example", name);
  }
  for (const char* file : files) {
    if (Value found = FromLibrary(file, name); !found.is_null()) return found;
  }
  return Value();
}

}  // namespace

const TypeInfo OptimizerObject::kType = {.name = "Optimizer",
                                         .module = "tensorflow.python.training.optimizer",
                                         .doc = "Changes variables to make a loss smaller.",
                                         .methods = kMethods};

const ModuleDef& TrainModule() {
  static const ModuleDef module = {
      .name = "tensorflow.train",
      .functions = kRows,
      .constants = kConstants,
      .missing = Missing,
      .short_name = "tf.train",
      .more_functions = {CheckpointRows(), MetaGraphRows(), QueueRunnerRows(), ServerRows()}};
  return module;
}

}  // namespace tensh::shell::tf
