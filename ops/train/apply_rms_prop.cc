// ApplyRMSProp on dense reference variables; the other forms are in optimizer_ops.cc. The rate of
// each element is scaled by a running average of its squared gradients.
#include <cmath>

#include "ops/op_file.h"
#include "ops/train/apply_inputs.h"

namespace tensh::ops {
namespace {

struct RmsProp {
  template <class T>
  Status operator()(KernelCtx& c) const {
    LockedVariables<3> vars(c);
    TENSH_RETURN_IF_ERROR(PrepareApply(c, vars, {"grad", 7}, {"ms", "mom"}));
    T *var = vars[0].template data<T>(), *ms = vars[1].template data<T>();
    T* mom = vars[2].template data<T>();
    auto scalar = [&](int i) { return *c.in(i).data<T>(); };
    const T lr = scalar(3), rho = scalar(4), momentum = scalar(5), epsilon = scalar(6);
    const T* grad = c.in(7).data<T>();
    c.ParallelForAll(vars[0].num_elements(), 1.5, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        ms[i] += (grad[i] * grad[i] - ms[i]) * (T(1) - rho);
        mom[i] = mom[i] * momentum + grad[i] * lr / std::sqrt(ms[i] + epsilon);
        var[i] -= mom[i];
      }
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
