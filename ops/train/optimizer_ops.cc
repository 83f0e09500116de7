// The ops of optimizers, which RegisterApply generates from their rules.
#include "ops/op_file.h"
#include "ops/train/update_rules.h"

namespace tensh::ops {
namespace {

void RegisterPlain(OpRegistry& r) {
  RegisterApply<GradientDescentRule, NoFlag, kDense, true>(
      r, {"GradientDescent", "", "alpha: T, delta: T",
          "One step of gradient descent: var -= alpha * delta.", "alpha=0.5, delta=1.", "0.5",
          "delta"});
  RegisterApply<MomentumRule, NesterovFlag, kAllForms, true>(
      r, {"Momentum", "accum", "lr: T, grad: T, momentum: T",
          "One step of gradient descent with momentum: accum = momentum * accum + grad, then var "
          "-= lr * accum. With "
          "Nesterov's momentum, var -= lr * (grad + momentum * accum).",
          "lr=0.5, grad=1., momentum=0.5", "0.25"});
  RegisterApply<KerasMomentumRule, NesterovFlag, 2 | 8>(
      r, {"KerasMomentum", "accum", "lr: T, grad: T, momentum: T",
          "accum = momentum * accum - lr * grad, then var += accum.",
          "lr=0.5, grad=1., momentum=0.5", "1.0"});
  RegisterApply<AdamRule, NesterovFlag, kDense, true>(
      r,
      {"Adam", "m, v",
       "beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T",
       "One step of Adam: m and v are running averages of grad and of its square, with the weights "
       "beta1 and beta2; var -= "
       "lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon), where "
       "beta1_power and beta2_power are beta1 and "
       "beta2 to the power of the step.",
       "beta1_power=0.9, beta2_power=0.999, lr=0.5, beta1=0.9, beta2=0.999, epsilon=1e-08, "
       "grad=1.",
       "0.8418872"});
  RegisterApply<AmsgradRule, NoFlag, 2>(
      r, {"AdamWithAmsgrad", "m, v, vhat",
          "beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T",
          "One step of Adam with the largest v so far, vhat, in place of v: var -= "
          "lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(vhat) + epsilon).",
          "beta1_power=0.9, beta2_power=0.999, lr=0.5, beta1=0.9, beta2=0.999, epsilon=1e-08, "
          "grad=1.",
          "0.8418872"});
  RegisterApply<ProximalGradientDescentRule, NoFlag>(
      r, {"ProximalGradientDescent", "", "alpha: T, l1: T, l2: T, delta: T",
          "Gradient descent with the penalties l1 * |var| and l2 * var * var.",
          "alpha=0.5, l1=0., l2=0., delta=1.", "0.5", "delta"});
  RegisterApply<SignRule<false>, NoFlag, kDense>(
      r, {"AddSign", "m", "lr: T, alpha: T, sign_decay: T, beta: T, grad: T",
          "var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad, where m is the running "
          "average of grad.",
          "lr=0.5, alpha=1., sign_decay=0., beta=0.5, grad=1.", "0.5"});
  RegisterApply<SignRule<true>, NoFlag, kDense>(
      r, {"PowerSign", "m", "lr: T, logbase: T, sign_decay: T, beta: T, grad: T",
          "var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad, where m is the "
          "running average of grad.",
          "lr=0.5, logbase=1., sign_decay=0., beta=0.5, grad=1.", "0.5"});
}

void RegisterRmsProp(OpRegistry& r) {
  RegisterApply<RmsPropRule, NoFlag>(
      r,
      {"RMSProp", "ms, mom", "lr: T, rho: T, momentum: T, epsilon: T, grad: T",
       "One step of RMSProp: ms is the running average of grad squared, with the weight rho; mom = "
       "momentum * mom + lr * grad / sqrt(ms + epsilon), var -= mom.",
       "lr=0.5, rho=0., momentum=0., epsilon=0., grad=2.", "0.5"});
  const ApplyText centered = {
      "CenteredRMSProp",
      "mg, ms, mom",
      "lr: T, rho: T, momentum: T, epsilon: T, grad: T",
      "RMSProp with the square of mg, the running average of the gradient, subtracted from ms.",
      "lr=0.5, rho=1., momentum=0., epsilon=1., grad=2.",
      "0.0"};
  RegisterApply<CenteredRmsPropRule<false>, NoFlag, kDense, true>(r, centered);
  RegisterApply<CenteredRmsPropRule<true>, NoFlag, kSparse, true>(r, centered);
  RegisterApply<AdadeltaRule, NoFlag, kAllForms, true>(
      r, {"Adadelta", "accum, accum_update", "lr: T, rho: T, epsilon: T, grad: T",
          "One step of Adadelta: accum and accum_update are running averages of the squares of "
          "grad and of the updates.",
          "lr=0.5, rho=1., epsilon=0., grad=1.", "0.5"});
  RegisterApply<AdaMaxRule, NoFlag, kDense>(
      r, {"AdaMax", "m, v", "beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T",
          "One step of AdaMax: m is the running average of grad, v the running maximum of its "
          "absolute value.",
          "beta1_power=0., lr=0.5, beta1=0., beta2=0., epsilon=0., grad=1.", "0.5"});
}

void RegisterAdagrad(OpRegistry& r) {
  RegisterApply<AdagradRule, UpdateSlotsFlag, kAllForms, true>(
      r, {"Adagrad", "accum", "lr: T, grad: T",
          "One step of Adagrad: accum += grad * grad, then var -= lr * grad / sqrt(accum).",
          "lr=0.5, grad=1.", "0.6464466"});
  RegisterApply<AdagradV2Rule, UpdateSlotsFlag, kAllForms, true>(
      r, {"AdagradV2", "accum", "lr: T, epsilon: T, grad: T",
          "accum += grad * grad, then var -= lr * grad / (sqrt(accum) + epsilon).",
          "lr=0.5, epsilon=0., grad=1.", "0.6464466"});
  RegisterApply<ProximalAdagradRule, NoFlag>(
      r, {"ProximalAdagrad", "accum", "lr: T, l1: T, l2: T, grad: T",
          "Adagrad with the penalties l1 * |var| and l2 * var * var.",
          "lr=0.5, l1=0., l2=0., grad=1.", "0.6464466"});
  RegisterApply<AdagradDaRule, NoFlag>(
      r, {"AdagradDA", "gradient_accumulator, gradient_squared_accumulator",
          "grad: T, lr: T, l1: T, l2: T, global_step: int64",
          "Adagrad by dual averaging: var depends only on the sums of grad and of its square.",
          "grad=1., lr=0.5, l1=0., l2=0., global_step=1", "-0.70710677"});
}

void RegisterFtrl(OpRegistry& r) {
  const ApplyText first = {"Ftrl",
                           "accum, linear",
                           "grad: T, lr: T, l1: T, l2: T, lr_power: T",
                           "One step of follow-the-regularized-leader.",
                           "grad=1., lr=0.5, l1=0., l2=0., lr_power=-0.5",
                           "-0.4142136"};
  RegisterApply<FtrlRule<false>, MultiplyFlag, kDense>(r, first);
  RegisterApply<FtrlRule<true>, MultiplyFlag, kSparse>(r, first);
  const ApplyText second = {
      "FtrlV2",
      "accum, linear",
      "grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T",
      "One step of follow-the-regularized-leader with a shrinkage on the gradient.",
      "grad=1., lr=0.5, l1=0., l2=0., l2_shrinkage=0., lr_power=-0.5",
      "-0.4142136"};
  RegisterApply<FtrlV2Rule<false>, MultiplyFlag, kDense>(r, second);
  RegisterApply<FtrlV2Rule<true>, MultiplyFlag, kSparse>(r, second);
}

}  // namespace

TENSH_OPS(train_optimizer_ops) {
  RegisterPlain(r);
  RegisterRmsProp(r);
  RegisterAdagrad(r);
  RegisterFtrl(r);
}

}  // namespace tensh::ops
