// Optimizers on GPUs: one update per element, for reference and resource variables, dense and
// sparse. Scalars such as rates are read from device memory, so that the step does not wait for
// them.
#include "devices/cuda/cuda_view.h"
#include "ops/train/update_rules.h"

namespace tensh::cuda {
namespace {

using ops::LockedVariables;

// The data that the update of one element reads and writes.
template <class Rule, class T>
struct Elements {
  T* var[Rule::kVars];
  const T* scalar[std::size(Rule::kScalars)];
  bool flag;

  TENSH_DEVICE void Update(int64_t at, T gradient) const {
    using C = Computed<T>;
    C s[std::size(Rule::kScalars)], v[Rule::kVars];
    C* pointers[Rule::kVars];
    for (size_t k = 0; k < std::size(Rule::kScalars); ++k) s[k] = static_cast<C>(*scalar[k]);
    for (int k = 0; k < Rule::kVars; ++k) v[k] = static_cast<C>(var[k][at]), pointers[k] = &v[k];
    Rule::template Update<C>(s, pointers, 0, static_cast<C>(gradient), flag);
    for (int k = 0; k < Rule::kVars; ++k) var[k][at] = static_cast<T>(v[k]);
  }
};

template <class Rule, class T>
Result<Elements<Rule, T>> ElementsOf(KernelCtx& c, LockedVariables<Rule::kVars>& vars,
                                     bool sparse) {
  TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
  Elements<Rule, T> e;
  for (int i = 0; i < Rule::kVars; ++i) {
    TENSH_RETURN_IF_ERROR(ops::CheckSameShape("var", vars[0], Rule::kNames[i], vars[i]));
    if (vars[i].dtype() != kDTypeOf<T>)
      return InvalidArgument("the dtype of a variable differs from the op's");
    e.var[i] = Out<T>(vars[i]).at;
  }
  size_t k = 0;
  for (const ops::NamedInput& s : Rule::kScalars)
    e.scalar[k++] = In<T>(c.in(s.index + (sparse && s.index > Rule::kGrad))).at;
  e.flag = c.state<ops::ApplyFlagState>().flag;
  return e;
}

template <class Rule>
struct Dense {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    LockedVariables<Rule::kVars> vars(c);
    TENSH_ASSIGN(const auto e, (ElementsOf<Rule, T>(c, vars, false)));
    const Tensor& gradient = c.in(Rule::kGrad);
    TENSH_RETURN_IF_ERROR(ops::CheckSameShape("var", vars[0], Rule::kNames[Rule::kVars], gradient));
    const auto grad = In<T>(gradient);
    c.ForwardRef(0, 0);
    return ForEach(c, gradient.num_elements(),
                   [=] TENSH_DEVICE(int64_t i) { e.Update(i, grad[i]); });
  }
};

// A row that occurs twice is updated twice, in order. Rows out of range are skipped.
template <class Rule>
struct Sparse {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    return c.in(Rule::kGrad + 1).dtype() == DType::kInt32 ? Run<T, int32_t>(c) : Run<T, int64_t>(c);
  }
  template <class T, class I>
  static Status Run(KernelCtx& c) {
    LockedVariables<Rule::kVars> vars(c);
    TENSH_ASSIGN(const auto e, (ElementsOf<Rule, T>(c, vars, true)));
    const Tensor &gradient = c.in(Rule::kGrad), &indices = c.in(Rule::kGrad + 1);
    TENSH_RETURN_IF_ERROR(ops::CheckRowShapes(vars[0], gradient, indices));
    const auto grad = In<T>(gradient);
    c.ForwardRef(0, 0);
    return ForNamedRows(c, In<I>(indices), indices.num_elements(), vars[0].shape(),
                        [=] TENSH_DEVICE(int64_t to, int64_t from) { e.Update(to, grad[from]); });
  }
};

enum Kinds { kDense = 3, kDenseResource = 2, kSparse = 12, kSparseResource = 8, kAll = 15 };

// Registers the ops of a rule. `kinds` is the sum of numbers that RegisterApply describes.
template <class Rule, class Flag>
void AddApply(KernelTable& r, const std::string& name, int kinds = kAll) {
  const RowOptions options{.prepare = ops::PrepareFlag<Flag>};
  for (int kind = 0; kind < 4; ++kind) {
    if (!(kinds >> kind & 1)) continue;
    const std::string op =
        (kind & 1 ? "Resource" : "") + std::string(kind & 2 ? "Sparse" : "") + "Apply" + name;
    if (kind & 2)
      r.Add<float, double, Half, Bfloat16>(op.c_str(), Sparse<Rule>(), options);
    else
      r.Add<float, double, Half, Bfloat16>(op.c_str(), Dense<Rule>(), options);
  }
}

void RegisterAdaptive(KernelTable& r) {
  using namespace ops;
  AddApply<AdagradRule, UpdateSlotsFlag>(r, "Adagrad");
  AddApply<AdagradV2Rule, UpdateSlotsFlag>(r, "AdagradV2");
  AddApply<ProximalAdagradRule, NoFlag>(r, "ProximalAdagrad");
  AddApply<RmsPropRule, NoFlag>(r, "RMSProp");
  AddApply<CenteredRmsPropRule<false>, NoFlag>(r, "CenteredRMSProp", kDense);
  AddApply<CenteredRmsPropRule<true>, NoFlag>(r, "CenteredRMSProp", kSparse);
  AddApply<AdadeltaRule, NoFlag>(r, "Adadelta");
  AddApply<AdaMaxRule, NoFlag>(r, "AdaMax", kDense);
  AddApply<FtrlRule<false>, MultiplyFlag>(r, "Ftrl", kDense);
  AddApply<FtrlRule<true>, MultiplyFlag>(r, "Ftrl", kSparse);
  AddApply<FtrlV2Rule<false>, MultiplyFlag>(r, "FtrlV2", kDense);
  AddApply<FtrlV2Rule<true>, MultiplyFlag>(r, "FtrlV2", kSparse);
}

}  // namespace

TENSH_CUDA_KERNELS(train_optimizer_ops) {
  using namespace ops;
  AddApply<GradientDescentRule, NoFlag>(r, "GradientDescent", kDense);
  AddApply<MomentumRule, NesterovFlag>(r, "Momentum");
  AddApply<KerasMomentumRule, NesterovFlag>(r, "KerasMomentum", kDenseResource | kSparseResource);
  AddApply<AdamRule, NesterovFlag>(r, "Adam", kDense);
  AddApply<ProximalGradientDescentRule, NoFlag>(r, "ProximalGradientDescent");
  AddApply<SignRule<false>, NoFlag>(r, "AddSign", kDense);
  AddApply<SignRule<true>, NoFlag>(r, "PowerSign", kDense);
  RegisterAdaptive(r);
}

}  // namespace tensh::cuda
