// The optimizers of tf.train: one table entry each, and the storage of their arguments.
#include <cmath>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/train/train.h"

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
                          true,
                          {},
                          true};

const OptimizerKind kAdadelta{"AdadeltaOptimizer",
                              "Adadelta",
                              "ApplyAdadelta",
                              {{"accum"}, {"accum_update"}},
                              {"lr", "rho", "epsilon"},
                              false,
                              {},
                              true};
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

extern const TypeInfo kGradientDescentType, kMomentumType, kAdagradType, kAdamType, kAdadeltaType,
    kRmsPropType, kFtrlType, kAdagradDaType, kProximalGradientDescentType, kProximalAdagradType;

void Begin(OptimizerObject& made, const OptimizerKind& kind, const Value& name,
           const Value& locking) {
  made.kind = &kind;
  made.name = name.is_none() ? kind.name : ToText(name, "name");
  made.use_locking = Truth(locking);
}

// Stores the arguments with these positions as hyperparameters with these names.
void SetHyper(OptimizerObject& made, Args& a,
              std::initializer_list<std::pair<const char*, size_t>> arguments) {
  for (const auto& [name, i] : arguments) made.hyper[name] = a[i];
}

void SetPositiveAccumulator(OptimizerObject& made, const Value& v, const char* name) {
  made.initial_accumulator = ToDouble(v);
  if (made.initial_accumulator <= 0)
    throw ValueError(std::string(name) + " must be positive: " + Repr(v));
}

void InitGradientDescent(OptimizerObject& made, Args& a) {
  Begin(made, kGradientDescent, a[2], a[1]);
  SetHyper(made, a, {{"learning_rate", 0}});
}
void InitMomentum(OptimizerObject& made, Args& a) {
  Begin(made, kMomentum, a[3], a[2]);
  SetHyper(made, a, {{"learning_rate", 0}, {"momentum", 1}});
  made.use_nesterov = Truth(a[4]);
}
void InitAdagrad(OptimizerObject& made, Args& a) {
  Begin(made, kAdagrad, a[3], a[2]);
  SetHyper(made, a, {{"learning_rate", 0}});
  SetPositiveAccumulator(made, a[1], "initial_accumulator_value");
}
void InitAdam(OptimizerObject& made, Args& a) {
  Begin(made, kAdam, a[5], a[4]);
  SetHyper(made, a, {{"learning_rate", 0}, {"beta1", 1}, {"beta2", 2}, {"epsilon", 3}});
}

void InitAdadelta(OptimizerObject& made, Args& a) {
  Begin(made, kAdadelta, a[4], a[3]);
  SetHyper(made, a, {{"lr", 0}, {"rho", 1}, {"epsilon", 2}});
}
void InitRmsProp(OptimizerObject& made, Args& a) {
  const bool centered = Truth(a[5]);
  Begin(made, centered ? kCenteredRmsProp : kRmsProp, a[6], a[4]);
  SetHyper(made, a, {{"learning_rate", 0}, {"decay", 1}, {"momentum", 2}, {"epsilon", 3}});
}

// Returns a regularization strength. Throws ValueError if it is negative.
Value Strength(const Value& v, const char* name) {
  if (ToDouble(v) >= 0) return v;
  throw ValueError(std::string(name) + " " + std::to_string(ToDouble(v)) +
                   " needs to be greater than or equal to zero");
}

void InitFtrl(OptimizerObject& made, Args& a) {
  const bool shrinks = ToDouble(a[9]) > 0;
  Begin(made, shrinks ? kFtrlV2 : kFtrl, a[6], a[5]);
  made.initial_accumulator = ToDouble(a[2]);
  if (made.initial_accumulator < 0) {
    throw ValueError("initial_accumulator_value " + std::to_string(made.initial_accumulator) +
                     " needs to be positive or zero");
  }
  if (ToDouble(a[1]) > 0) {
    throw ValueError("learning_rate_power " + std::to_string(ToDouble(a[1])) +
                     " needs to be negative or zero");
  }
  SetHyper(made, a, {{"learning_rate", 0}, {"learning_rate_power", 1}});
  made.hyper["l1_regularization_strength"] = Strength(a[3], "l1_regularization_strength");
  made.hyper["l2_regularization_strength"] = Strength(a[4], "l2_regularization_strength");
  made.hyper["l2_shrinkage_regularization_strength"] =
      Strength(a[9], "l2_shrinkage_regularization_strength");
}
void InitProximalGradientDescent(OptimizerObject& made, Args& a) {
  Begin(made, kProximalGradientDescent, a[4], a[3]);
  SetHyper(
      made, a,
      {{"learning_rate", 0}, {"l1_regularization_strength", 1}, {"l2_regularization_strength", 2}});
}
void InitProximalAdagrad(OptimizerObject& made, Args& a) {
  Begin(made, kProximalAdagrad, a[5], a[4]);
  SetPositiveAccumulator(made, a[1], "initial_accumulator_value");
  SetHyper(
      made, a,
      {{"learning_rate", 0}, {"l1_regularization_strength", 2}, {"l2_regularization_strength", 3}});
}

void InitAdagradDa(OptimizerObject& made, Args& a) {
  Begin(made, kAdagradDa, a[6], a[5]);
  SetPositiveAccumulator(made, a[2], "initial_gradient_squared_accumulator_value");
  SetHyper(made, a, {{"learning_rate", 0}, {"global_step", 1}, {"l1", 3}, {"l2", 4}});
}

// ---- classes ----

using Init = void (*)(OptimizerObject&, Args&);

template <const TypeInfo& kType, Init kInit>
Value Construct(Args& a) {
  Ref<OptimizerObject> made = New<OptimizerObject>(kType);
  kInit(*made, a);
  return made;
}

// The constructor for a user's class that derives from an optimizer.
template <Init kInit>
Value InitDerived(Args& a) {
  OptimizerObject& self = *As<OptimizerObject>(a.self());
  kInit(self, a);
  for (const auto& [name, value] : self.hyper)
    SetAttr(a.self(), Intern(self.AttributeOf(name)), value);
  return Value::None();
}

struct OptimizerRows {
  FunctionRow construct, init;
};
template <const TypeInfo& kType, Init kInit>
constexpr OptimizerRows Rows(const char* name, const char* signature, const char* doc) {
  return {{name, signature, Construct<kType, kInit>, doc},
          {"__init__", signature, InitDerived<kInit>, doc}};
}

const OptimizerRows kGradientDescentRows = Rows<kGradientDescentType, InitGradientDescent>(
    "GradientDescentOptimizer", "learning_rate, use_locking=False, name='GradientDescent'",
    "Gradient descent: w -= learning_rate * gradient.");
const OptimizerRows kMomentumRows = Rows<kMomentumType, InitMomentum>(
    "MomentumOptimizer",
    "learning_rate, momentum, use_locking=False, name='Momentum', use_nesterov=False",
    "Gradient descent with momentum.");
const OptimizerRows kAdagradRows = Rows<kAdagradType, InitAdagrad>(
    "AdagradOptimizer",
    "learning_rate, initial_accumulator_value=0.1, use_locking=False, name='Adagrad'",
    "Adagrad: divides the gradient by the root of the sum of its earlier squares.");
const OptimizerRows kAdamRows = Rows<kAdamType, InitAdam>(
    "AdamOptimizer",
    "learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08, use_locking=False, name='Adam'",
    "Adam: uses running averages of the gradient and of its square.");

const OptimizerRows kAdadeltaRows = Rows<kAdadeltaType, InitAdadelta>(
    "AdadeltaOptimizer",
    "learning_rate=0.001, rho=0.95, epsilon=1e-08, use_locking=False, name='Adadelta'",
    "Adadelta: scales updates by running averages of squared gradients and updates.");
const OptimizerRows kRmsPropRows = Rows<kRmsPropType, InitRmsProp>(
    "RMSPropOptimizer",
    "learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False, "
    "name='RMSProp'",
    "RMSProp: divides the gradient by the root of the running average of its square.");
const OptimizerRows kAdagradDaRows = Rows<kAdagradDaType, InitAdagradDa>(
    "AdagradDAOptimizer",
    "learning_rate, global_step, initial_gradient_squared_accumulator_value=0.1, "
    "l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, "
    "name='AdagradDA'",
    "Adagrad with dual averaging: the weights depend only on sums of gradients and squares.");
const OptimizerRows kFtrlRows = Rows<kFtrlType, InitFtrl>(
    "FtrlOptimizer",
    "learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1, "
    "l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, "
    "name='Ftrl', accum_name=None, linear_name=None, l2_shrinkage_regularization_strength=0.0",
    "FTRL (follow the regularized leader), with L1 and L2 regularization.");
const OptimizerRows kProximalGradientDescentRows =
    Rows<kProximalGradientDescentType, InitProximalGradientDescent>(
        "ProximalGradientDescentOptimizer",
        "learning_rate, l1_regularization_strength=0.0, l2_regularization_strength=0.0, "
        "use_locking=False, name='ProximalGradientDescent'",
        "Proximal gradient descent with L1 and L2 regularization.");
const OptimizerRows kProximalAdagradRows = Rows<kProximalAdagradType, InitProximalAdagrad>(
    "ProximalAdagradOptimizer",
    "learning_rate, initial_accumulator_value=0.1, l1_regularization_strength=0.0, "
    "l2_regularization_strength=0.0, use_locking=False, name='ProximalAdagrad'",
    "Proximal Adagrad with L1 and L2 regularization.");

constexpr TypeInfo TypeOf(const OptimizerRows& rows, const char* module) {
  TypeInfo t;
  t.name = rows.construct.name;
  t.base = &OptimizerObject::kType;
  t.module = module;
  t.methods = {&rows.init, 1};
  t.construct = &rows.construct;
  return t;
}

const TypeInfo kGradientDescentType =
    TypeOf(kGradientDescentRows, "tensorflow.python.training.gradient_descent");
const TypeInfo kMomentumType = TypeOf(kMomentumRows, "tensorflow.python.training.momentum");
const TypeInfo kAdagradType = TypeOf(kAdagradRows, "tensorflow.python.training.adagrad");
const TypeInfo kAdamType = TypeOf(kAdamRows, "tensorflow.python.training.adam");
const TypeInfo kAdadeltaType = TypeOf(kAdadeltaRows, "tensorflow.python.training.adadelta");
const TypeInfo kRmsPropType = TypeOf(kRmsPropRows, "tensorflow.python.training.rmsprop");
const TypeInfo kFtrlType = TypeOf(kFtrlRows, "tensorflow.python.training.ftrl");
const TypeInfo kAdagradDaType = TypeOf(kAdagradDaRows, "tensorflow.python.training.adagrad_da");
const TypeInfo kProximalGradientDescentType =
    TypeOf(kProximalGradientDescentRows, "tensorflow.python.training.proximal_gradient_descent");
const TypeInfo kProximalAdagradType =
    TypeOf(kProximalAdagradRows, "tensorflow.python.training.proximal_adagrad");

const ConstantRow kTypes[] = {
    {"Optimizer", [] { return OptimizerType(); }},
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

}  // namespace

std::span<const ConstantRow> OptimizerTypes() { return kTypes; }

}  // namespace tensh::shell::tf
