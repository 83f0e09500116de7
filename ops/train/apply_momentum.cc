// ApplyMomentum on dense reference variables, with or without Nesterov's variant; the other forms
// are in optimizer_ops.cc.
#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/isa.h"
#include "ops/support/prepare.h"
#include "ops/train/apply_inputs.h"

namespace tensh::ops {
namespace {

template <class T>
struct MomentumRange {
  TENSH_ALWAYS_INLINE static void Run(T* var, T* accum, const T* grad, T lr, T momentum,
                                      bool nesterov, int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      accum[i] = accum[i] * momentum + grad[i];
      var[i] -= nesterov ? grad[i] * lr + accum[i] * momentum * lr : accum[i] * lr;
    }
  }
};

struct Momentum {
  template <class T>
  Status operator()(KernelCtx& c) const {
    LockedVariables<2> vars(c);
    TENSH_RETURN_IF_ERROR(PrepareApply(c, vars, {"grad", 3}, {"accum"}));
    T *var = vars[0].template data<T>(), *accum = vars[1].template data<T>();
    const T lr = *c.in(2).data<T>(), momentum = *c.in(4).data<T>();
    const T* grad = c.in(3).data<T>();
    const bool nesterov = c.state<NesterovState>().use_nesterov;
    c.ParallelForAll(vars[0].num_elements(), 0.6, [&](int64_t begin, int64_t end) {
      DispatchFor<T, MomentumRange<T>>(var + begin, accum + begin, grad + begin, lr, momentum,
                                       nesterov, end - begin);
    });
    c.ForwardRef(0, 0);
    return {};
  }
};

Status ApplyShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(0), c.in(1)).status());
  return UpdateShape<3>(c);
}

}  // namespace

TENSH_OPS(train_apply_momentum) {
  r.Op({.name = "ApplyMomentum",
        .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T",
        .outputs = "out: Ref(T)",
        .attrs =
            StrCat("T: ", kNumberTypes, ", use_locking: bool = false, use_nesterov: bool = false"),
        .doc =
            "One step of gradient descent with momentum: accum = accum * momentum + grad, then var "
            "-= lr * accum. var and accum are variables, lr and momentum are scalars, grad is the "
            "gradient, all of type T; out is var. use_nesterov: var -= lr * (grad + momentum * "
            "accum) instead. use_locking: ignored; updates always exclude each other.",
        .contract = "lr: scalar, momentum: scalar",
        .shape = ApplyShape,
        .no_gradient = true,
        .examples = {{"apply_momentum(tf.assign(tf.Variable(1.), 1.), "
                      "tf.assign(tf.Variable(0.), 0.), 0.5, 1., 0.9)",
                      "0.5"}}})
      .Cpu<float, double, Complex64, Complex128>(Momentum{},
                                                 {.prepare = PrepareFrom<NesterovState>});
}

}  // namespace tensh::ops
