// ApplyGradientDescent on dense reference variables; the other forms are in optimizer_ops.cc.
// Computes var -= alpha * delta.
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/isa.h"
#include "ops/train/apply_inputs.h"

namespace tensh::ops {
namespace {

template <class T>
struct DescentRange {
  TENSH_ALWAYS_INLINE static void Run(T* var, const T* delta, T alpha, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) var[i] -= alpha * delta[i];
  }
};

struct GradientDescent {
  template <class T>
  Status operator()(KernelCtx& c) const {
    LockedVariables<1> vars(c);
    TENSH_RETURN_IF_ERROR(PrepareApply(c, vars, {"delta", 2}));
    T* var = vars[0].template data<T>();
    const T alpha = *c.in(1).data<T>();
    const T* delta = c.in(2).data<T>();
    c.ParallelForAll(vars[0].num_elements(), 0.3, [&](int64_t begin, int64_t end) {
      DispatchFor<T, DescentRange<T>>(var + begin, delta + begin, alpha, end - begin);
    });
    c.ForwardRef(0, 0);
    return {};
  }
};

Status ApplyShape(ShapeCtx& c) { return UpdateShape<2>(c); }

}  // namespace

TENSH_OPS(train_apply_gradient_descent) {
  r.Op({.name = "ApplyGradientDescent",
        .inputs = "var: Ref(T), alpha: T, delta: T",
        .outputs = "out: Ref(T)",
        .attrs = StrCat("T: ", kNumberTypes, ", use_locking: bool = false"),
        .doc = "One step of gradient descent: var -= alpha * delta. var is the variable, alpha the "
               "learning rate, a scalar, delta the gradient, all of type T; out is var. "
               "use_locking: ignored; updates always exclude each other.",
        .contract = "alpha: scalar",
        .shape = ApplyShape,
        .no_gradient = true,
        .examples = {{"apply_gradient_descent(tf.assign(tf.Variable(1.), 1.), 0.1, 2.)", "0.8"}}})
      .Cpu<float, double, Complex64, Complex128>(GradientDescent{});
}

}  // namespace tensh::ops
