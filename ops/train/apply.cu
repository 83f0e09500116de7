// Optimisers: one step for each element, on variables of both families. The scalars (rates, decays)
// are read where they lie, so that nothing waits for them.
#include "devices/cuda/cuda_kernel.h"
#include "ops/support/apply.h"

namespace tensh::cuda {
namespace {

using ops::LockedVariables;

struct FlagState : KernelState {
  bool flag = false;
};
// The attribute by which a rule differs, of those that have one.
Result<std::unique_ptr<KernelState>> PrepareFlag(PrepareCtx& c) {
  auto state = std::make_unique<FlagState>();
  for (const char* name : {"use_nesterov", "update_slots"})
    if (const AttrValue* flag = c.attrs().Find(name)) state->flag = *flag->Find<bool>();
  return {std::move(state)};
}

// A rule: how many variables come first, which inputs are scalars, where the gradient is, and what
// becomes of element i: v, its variables' elements; s, the scalars; g, the gradient.
struct GradientDescent {
  static constexpr int kVars = 1, kGrad = 2, kScalars = 1;
  static constexpr int kAt[] = {1};
  template <class T>
  static TENSH_DEVICE void Update(const T* s, T* const* v, T g, bool) {
    *v[0] -= s[0] * g;
  }
};
struct Momentum {
  static constexpr int kVars = 2, kGrad = 3, kScalars = 2;
  static constexpr int kAt[] = {2, 4};  // lr, momentum
  template <class T>
  static TENSH_DEVICE void Update(const T* s, T* const* v, T g, bool nesterov) {
    *v[1] = *v[1] * s[1] + g;
    *v[0] -= nesterov ? g * s[0] + *v[1] * s[1] * s[0] : *v[1] * s[0];
  }
};
struct Adagrad {
  static constexpr int kVars = 2, kGrad = 3, kScalars = 1;
  static constexpr int kAt[] = {2};  // lr
  template <class T>
  static TENSH_DEVICE void Update(const T* s, T* const* v, T g, bool update_slots) {
    if (update_slots) *v[1] += g * g;
    *v[0] -= g * s[0] * (T(1) / std::sqrt(*v[1]));
  }
};
struct Adam {
  static constexpr int kVars = 3, kGrad = 9, kScalars = 6;
  static constexpr int kAt[] = {3, 4, 5, 6, 7, 8};  // beta1_power, beta2_power, lr, beta1, beta2, ε
  template <class T>
  static TENSH_DEVICE void Update(const T* s, T* const* v, T g, bool nesterov) {
    const T alpha = s[2] * std::sqrt(T(1) - s[1]) / (T(1) - s[0]);
    *v[1] += (g - *v[1]) * (T(1) - s[3]);
    *v[2] += (g * g - *v[2]) * (T(1) - s[4]);
    const T direction = nesterov ? g * (T(1) - s[3]) + s[3] * *v[1] : *v[1];
    *v[0] -= direction * alpha / (std::sqrt(*v[2]) + s[5]);
  }
};
struct RmsProp {
  static constexpr int kVars = 3, kGrad = 7, kScalars = 4;
  static constexpr int kAt[] = {3, 4, 5, 6};  // lr, rho, momentum, epsilon
  template <class T>
  static TENSH_DEVICE void Update(const T* s, T* const* v, T g, bool) {
    *v[1] += (g * g - *v[1]) * (T(1) - s[1]);
    *v[2] = *v[2] * s[2] + g * s[0] / std::sqrt(*v[1] + s[3]);
    *v[0] -= *v[2];
  }
};

template <class T, int n>
struct Pointers {
  T* at[n];
};

template <class Rule>
struct Apply {
  template <class T>
  Status operator()(KernelCtx& c) const {
    LockedVariables<Rule::kVars> vars(c);
    TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
    for (const int at : Rule::kAt)
      if (c.in(at).rank() != 0)
        return InvalidArgument("input ", at, " is not a scalar: ", c.in(at).shape());
    const Tensor& gradient = c.in(Rule::kGrad);
    TENSH_RETURN_IF_ERROR(ops::CheckSameShape("var", vars[0], "grad", gradient));
    Pointers<T, Rule::kVars> v;
    Pointers<const T, Rule::kScalars> s;
    for (int i = 0; i < Rule::kVars; ++i) {
      TENSH_RETURN_IF_ERROR(ops::CheckSameShape("var", vars[0], i ? "slot" : "var", vars[i]));
      if (vars[i].dtype() != kDTypeOf<T>) return InvalidArgument("a variable of another dtype");
      v.at[i] = Out<T>(vars[i]).at;
    }
    for (int i = 0; i < Rule::kScalars; ++i) s.at[i] = In<T>(c.in(Rule::kAt[i])).at;
    const auto grad = In<T>(gradient);
    const bool flag = c.state<FlagState>().flag;
    c.ForwardRef(0, 0);
    return ForEach(c, gradient.num_elements(), [=] TENSH_DEVICE(int64_t i) {
      T scalars[Rule::kScalars];
      T* elements[Rule::kVars];
      for (int k = 0; k < Rule::kScalars; ++k) scalars[k] = *s.at[k];
      for (int k = 0; k < Rule::kVars; ++k) elements[k] = v.at[k] + i;
      Rule::Update(scalars, elements, grad[i], flag);
    });
  }
};

template <class Rule>
void Both(KernelTable& r, const char* reference, const char* resource) {
  r.Add<float, double>(reference, Apply<Rule>(), {.prepare = PrepareFlag});
  r.Add<float, double>(resource, Apply<Rule>(), {.prepare = PrepareFlag});
}

}  // namespace

TENSH_CUDA_KERNELS(train_apply) {
  Both<GradientDescent>(r, "ApplyGradientDescent", "ResourceApplyGradientDescent");
  Both<Momentum>(r, "ApplyMomentum", "ResourceApplyMomentum");
  Both<Adagrad>(r, "ApplyAdagrad", "ResourceApplyAdagrad");
  Both<Adam>(r, "ApplyAdam", "ResourceApplyAdam");
  Both<RmsProp>(r, "ApplyRMSProp", "ResourceApplyRMSProp");
}

}  // namespace tensh::cuda
