// ApplyAdagrad on dense reference variables; the other forms are in optimizer_ops.cc. The rate of
// each element is scaled by its accumulated squared gradients.
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/complex_types.h"
#include "ops/support/isa.h"
#include "ops/support/prepare.h"
#include "ops/train/apply_inputs.h"

namespace tensh::ops {
namespace {

struct AdagradState : KernelState {
  bool update_slots;
  void Read(PrepareCtx& c) { update_slots = c.attrs().Bool("update_slots"); }
};

template <class T>
struct AdagradRange {
  TENSH_ALWAYS_INLINE static void Run(T* var, T* accum, const T* grad, T lr, bool update,
                                      int64_t n) {
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      if (update) accum[i] += grad[i] * grad[i];
      var[i] -= grad[i] * lr * (T(1) / std::sqrt(accum[i]));
    }
  }
};

struct Adagrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    LockedVariables<2> vars(c);
    TENSH_RETURN_IF_ERROR(PrepareApply(c, vars, {"grad", 3}, {"accum"}));
    T *var = vars[0].template data<T>(), *accum = vars[1].template data<T>();
    const T lr = *c.in(2).data<T>();
    const T* grad = c.in(3).data<T>();
    const bool update = c.state<AdagradState>().update_slots;
    c.ParallelForAll(vars[0].num_elements(), 1.5, [&](int64_t begin, int64_t end) {
      DispatchFor<T, AdagradRange<T>>(var + begin, accum + begin, grad + begin, lr, update,
                                      end - begin);
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

TENSH_OPS(train_apply_adagrad) {
  r.Op({.name = "ApplyAdagrad",
        .inputs = "var: Ref(T), accum: Ref(T), lr: T, grad: T",
        .outputs = "out: Ref(T)",
        .attrs =
            StrCat("T: ", kNumberTypes, ", use_locking: bool = false, update_slots: bool = true"),
        .doc = "One step of Adagrad: accum += grad * grad, then var -= lr * grad / sqrt(accum). "
               "var and accum are variables, lr is a scalar, grad the gradient, all of type T; out "
               "is var. update_slots: whether to update accum. use_locking: ignored; updates "
               "always exclude each other.",
        .contract = "lr: scalar",
        .shape = ApplyShape,
        .no_gradient = true,
        .examples = {{"apply_adagrad(tf.assign(tf.Variable(1.), 1.), tf.assign(tf.Variable(1.), "
                      "1.), 0.5, 1.)",
                      "0.6464466"}}})
      .Cpu<float, double, Complex64, Complex128>(Adagrad{}, {.prepare = PrepareFrom<AdagradState>});
}

}  // namespace tensh::ops
