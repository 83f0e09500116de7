// ApplyAdam on dense reference variables; the other forms are in optimizer_ops.cc. Uses running
// averages of the gradient and of its square.
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/isa.h"
#include "ops/support/prepare.h"
#include "ops/train/apply_inputs.h"

namespace tensh::ops {
namespace {

template <class T>
struct AdamArgs {
  T *var, *m, *v;
  const T* grad;
  T alpha, one_minus_beta1, one_minus_beta2, beta1, epsilon;
};

template <bool kNesterov, class T>
struct AdamRange {
  TENSH_ALWAYS_INLINE static void Run(const AdamArgs<T>& a, int64_t begin, int64_t end);
};

template <bool kNesterov, class T>
void AdamRange<kNesterov, T>::Run(const AdamArgs<T>& a, int64_t begin, int64_t end) {
  T* __restrict var = a.var, * __restrict m = a.m, * __restrict v = a.v;
  const T* __restrict grad = a.grad;
  for (int64_t i = begin; i < end; ++i) {
    T g = grad[i];
    m[i] += (g - m[i]) * a.one_minus_beta1;
    v[i] += (g * g - v[i]) * a.one_minus_beta2;
    T direction = kNesterov ? g * a.one_minus_beta1 + a.beta1 * m[i] : m[i];
    var[i] -= direction * a.alpha / (std::sqrt(v[i]) + a.epsilon);
  }
}

struct Adam {
  template <class T>
  Status operator()(KernelCtx& c) const {
    LockedVariables<3> vars(c);
    TENSH_RETURN_IF_ERROR(PrepareApply(c, vars, {"grad", 9}, {"m", "v"}));
    auto scalar = [&](int i) { return *c.in(i).data<T>(); };
    const T beta1 = scalar(6), beta2 = scalar(7);
    AdamArgs<T> args = {vars[0].template data<T>(),
                        vars[1].template data<T>(),
                        vars[2].template data<T>(),
                        c.in(9).data<T>(),
                        scalar(5) * std::sqrt(T(1) - scalar(4)) / (T(1) - scalar(3)),
                        T(1) - beta1,
                        T(1) - beta2,
                        beta1,
                        scalar(8)};
    const bool nesterov = c.state<NesterovState>().use_nesterov;
    c.ParallelForAll(vars[0].num_elements(), 1.5, [&](int64_t begin, int64_t end) {
      if (nesterov)
        DispatchFor<T, AdamRange<true, T>>(args, begin, end);
      else
        DispatchFor<T, AdamRange<false, T>>(args, begin, end);
    });
    c.ForwardRef(0, 0);
    return {};
  }
};

Status ApplyShape(ShapeCtx& c) {
  for (int i = 1; i <= 2; ++i) TENSH_RETURN_IF_ERROR(MergeShapes(c.in(0), c.in(i)).status());
  return UpdateShape<9>(c);
}

}  // namespace

TENSH_OPS(train_apply_adam) {
  r.Op({.name = "ApplyAdam",
        .inputs = "var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, "
                  "beta1: T, beta2: T, epsilon: T, grad: T",
        .outputs = "out: Ref(T)",
        .attrs =
            StrCat("T: ", kNumberTypes, ", use_locking: bool = false, use_nesterov: bool = false"),
        .doc = "One step of Adam. var is the variable; m and v are its running averages of the "
               "gradient and of its square, with the weights beta1 and beta2; var -= lr * sqrt(1 - "
               "beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon). beta1_power and "
               "beta2_power are beta1 and beta2 to the power of the step; grad is the gradient; "
               "all have type T. out is var. use_nesterov: use Nesterov's momentum. use_locking: "
               "ignored; updates always exclude each other.",
        .contract = "beta1_power: scalar, beta2_power: scalar, lr: scalar, beta1: scalar, beta2: "
                    "scalar, epsilon: scalar",
        .shape = ApplyShape,
        .no_gradient = true,
        .examples = {{"apply_adam(tf.assign(tf.Variable(1.), 1.), tf.assign(tf.Variable(0.), 0.), "
                      "tf.assign(tf.Variable(0.), 0.), 0.9, 0.999, 0.5, 0.9, 0.999, 1e-08, 1.)",
                      "0.5000002"}}})
      .Cpu<float, double, Complex64, Complex128>(Adam{}, {.prepare = PrepareFrom<NesterovState>});
}

}  // namespace tensh::ops
