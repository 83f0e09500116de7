// ApplyRMSProp on dense reference variables; the other forms are in optimizer_ops.cc. The rate of
// each element is scaled by a running average of its squared gradients.
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/isa.h"
#include "ops/train/apply_inputs.h"

namespace tensh::ops {
namespace {

template <class T>
struct RmsPropArgs {
  T *var, *ms, *mom;
  const T* grad;
  T lr, rho, momentum, epsilon;
};

template <class T>
struct RmsPropRange {
  TENSH_ALWAYS_INLINE static void Run(const RmsPropArgs<T>& a, int64_t begin, int64_t end) {
    T *var = a.var, *ms = a.ms, *mom = a.mom;
    const T* grad = a.grad;
    TENSH_VECTORIZE
    for (int64_t i = begin; i < end; ++i) {
      ms[i] += (grad[i] * grad[i] - ms[i]) * (T(1) - a.rho);
      mom[i] = mom[i] * a.momentum + grad[i] * a.lr / std::sqrt(ms[i] + a.epsilon);
      var[i] -= mom[i];
    }
  }
};

struct RmsProp {
  template <class T>
  Status operator()(KernelCtx& c) const {
    LockedVariables<3> vars(c);
    TENSH_RETURN_IF_ERROR(PrepareApply(c, vars, {"grad", 7}, {"ms", "mom"}));
    auto scalar = [&](int i) { return *c.in(i).data<T>(); };
    const RmsPropArgs<T> args = {vars[0].template data<T>(),
                                 vars[1].template data<T>(),
                                 vars[2].template data<T>(),
                                 c.in(7).data<T>(),
                                 scalar(3),
                                 scalar(4),
                                 scalar(5),
                                 scalar(6)};
    c.ParallelForAll(vars[0].num_elements(), 1.5, [&](int64_t begin, int64_t end) {
      DispatchFor<T, RmsPropRange<T>>(args, begin, end);
    });
    c.ForwardRef(0, 0);
    return {};
  }
};

Status ApplyShape(ShapeCtx& c) {
  for (int i = 1; i <= 2; ++i) TENSH_RETURN_IF_ERROR(MergeShapes(c.in(0), c.in(i)).status());
  return UpdateShape<7>(c);
}

}  // namespace

TENSH_OPS(train_apply_rms_prop) {
  r.Op({.name = "ApplyRMSProp",
        .inputs = "var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, "
                  "grad: T",
        .outputs = "out: Ref(T)",
        .attrs = StrCat("T: ", kNumberTypes, ", use_locking: bool = false"),
        .doc =
            "One step of RMSProp: ms is the running average of grad squared, with the weight rho; "
            "mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom. var, ms and mom "
            "are variables, lr, rho, momentum and epsilon are scalars, grad is the gradient, all "
            "of type T; out is var. use_locking: ignored; updates always exclude each other.",
        .contract = "lr: scalar, rho: scalar, momentum: scalar, epsilon: scalar",
        .shape = ApplyShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ApplyRMSProp(var=tf.assign(tf.Variable(1.), 1.), "
                      "ms=tf.assign(tf.Variable(0.), 0.), mom=tf.assign(tf.Variable(0.), 0.), "
                      "lr=0.5, rho=0., momentum=0., epsilon=0., grad=2.)",
                      "0.5"}}})
      .Cpu<float, double>(RmsProp{});
}

}  // namespace tensh::ops
