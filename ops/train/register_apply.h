#pragma once
// Generates the four ops of an optimizer (reference and resource variables, dense and sparse) from
// a rule that updates one element. A rule has this form:
//
//   struct Rule {
//     static constexpr int kVars = 3, kGrad = 6;  // number of variables, gradient input
//     static constexpr const char* kNames[] = {"var", …, "grad"};  // of the variables and the gradient, for errors
//     static constexpr NamedInput kScalars[] = {{"lr", 3}, …};
//     template <class T>
//     static void Update(const T* s, T* const* v, int64_t i, T g, bool flag);
//   };
//
// The variables are the first inputs. Update receives the scalars `s` in the order of kScalars, the
// data of the variables `v`, the index `i` of the element, its gradient `g`, and the value of the
// op's boolean attribute in `flag`. A rule may name another one, `Usual`, that is faster for the scalars for which
// IsUsual(s) is true. In the sparse ops the indices follow the gradient.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "ops/state/variable_shape.h"
#include "ops/support/complex_types.h"
#include "ops/support/isa.h"
#include "ops/train/apply_inputs.h"
#include "runtime/core/op_registry.h"

namespace tensh::ops {

struct ApplyFlagState : KernelState {
  bool flag = false;
};
template <class Name>
Result<std::unique_ptr<KernelState>> PrepareFlag(PrepareCtx& c) {
  auto state = std::make_unique<ApplyFlagState>();
  if (const AttrValue* flag = c.attrs().Find(Name::kFlag)) state->flag = *flag->Find<bool>();
  return std::unique_ptr<KernelState>(std::move(state));
}

// The texts of an op's registration; see RegisterApply.
struct ApplyText {
  const char* name;       // "Adadelta"
  const char* slots;      // "accum, accum_update"
  const char* rest;       // "lr: T, rho: T, grad: T", as in the signature of the dense op
  const char* doc;        // describes the update in one sentence
  const char* arguments;  // "accum=0., lr=0.5, grad=1." of the example; var is 1
  const char* result;     // the value of var in the example after the update
  const char* grad = "grad";
};
// One of the ops of a rule.
struct ApplyForm {
  std::string_view flag;  // the boolean attribute, or empty
  bool flag_default;
  bool resource, sparse;
  std::span<const NamedInput> scalars;
};
// Returns the definition without a shape function. Its texts are written when they are needed.
OpSpec ApplySpec(const ApplyText& text, const ApplyForm& form);

template <class Rule, class T>
void ReadScalars(KernelCtx& c, bool sparse, T* out) {
  for (const NamedInput& s : Rule::kScalars) {
    const Tensor& t = c.in(s.index + (sparse && s.index > Rule::kGrad));
    *out++ = t.dtype() == DType::kInt64 && kDTypeOf<T> != DType::kInt64
                 ? static_cast<T>(*t.data<int64_t>())
                 : *t.data<T>();
  }
}

// Updates n elements, whose gradients are `grad`. The variables `v` do not overlap.
template <class Rule, bool flag>
struct ApplyRange {
  template <class T>
  TENSH_ALWAYS_INLINE static void Run(const T* scalars, T* const* v, const T* grad, int64_t n) {
    Loop(scalars, v, grad, n, std::make_index_sequence<Rule::kVars>());
  }

 private:
  // The elements of one index are copied, so that compilers see that updates are independent. Loops over the variables, which
  // they may keep, would prevent the vectorization.
  template <class T, size_t... k>
  TENSH_ALWAYS_INLINE static void Loop(const T* scalars, T* const* v, const T* grad, int64_t n,
                                       std::index_sequence<k...>) {
    T s[std::size(Rule::kScalars)];
    std::copy_n(scalars, std::size(s), s);
    T* const var[] = {v[k]...};
    TENSH_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      T element[] = {var[k][i]...};
      T* const at[] = {&element[k]...};
      Rule::Update(s, at, 0, grad[i], flag);
      ((var[k][i] = element[k]), ...);
    }
  }
};

// Updates n elements by the loop for the flag and for this CPU. Only floats, which nearly all variables are, have a version
// for each instruction set.
template <class Rule, class Flag, class T>
void ApplyAll(bool flag, const T* s, T* const* v, const T* grad, int64_t n) {
  if constexpr (requires { typename Rule::Usual; })
    if constexpr (!std::is_same_v<typename Rule::Usual, Rule>)
      if (Rule::IsUsual(s)) return ApplyAll<typename Rule::Usual, Flag>(flag, s, v, grad, n);
  if constexpr (!std::is_same_v<T, float>) {
    flag ? ApplyRange<Rule, true>::Run(s, v, grad, n) : ApplyRange<Rule, false>::Run(s, v, grad, n);
  } else {
    if constexpr (Flag::kFlag[0] != 0)
      if (flag) return Dispatch<ApplyRange<Rule, true>>(s, v, grad, n);
    Dispatch<ApplyRange<Rule, false>>(s, v, grad, n);
  }
}

template <class Rule, class Flag>
struct DenseApply {
  template <class T>
  Status operator()(KernelCtx& c) const {
    LockedVariables<Rule::kVars> vars(c);
    TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
    T* v[Rule::kVars];
    for (int i = 0; i < Rule::kVars; ++i) {
      TENSH_RETURN_IF_ERROR(CheckSameShape("var", vars[0], Rule::kNames[i], vars[i]));
      if (vars[i].dtype() != kDTypeOf<T>)
        return InvalidArgument("the dtype of a variable differs from the op's");
      v[i] = vars[i].template data<T>();
    }
    TENSH_RETURN_IF_ERROR(
        CheckSameShape("var", vars[0], Rule::kNames[Rule::kVars], c.in(Rule::kGrad)));
    T scalars[std::size(Rule::kScalars)];
    ReadScalars<Rule>(c, false, scalars);
    const Tensor& gradient = c.in(Rule::kGrad);
    const T* grad = gradient.data<T>();
    const bool flag = c.state<ApplyFlagState>().flag;
    c.ParallelForAll(vars[0].num_elements(), 2, [&](int64_t begin, int64_t end) {
      T* from[Rule::kVars];
      for (int i = 0; i < Rule::kVars; ++i) from[i] = v[i] + begin;
      ApplyAll<Rule, Flag>(flag, scalars, from, grad + begin, end - begin);
    });
    c.ForwardRef(0, 0);
    return {};
  }
};

// CheckRowShapes checks that the gradient has one row for each index. CheckRows also checks that
// the indices, which must be in host memory, are valid rows of the variable.
Status CheckRowShapes(const Tensor& var, const Tensor& grad, const Tensor& indices);
Status CheckRows(const Tensor& var, const Tensor& grad, const Tensor& indices);

template <class Rule, class Flag>
struct SparseApply {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &grad = c.in(Rule::kGrad), &indices = c.in(Rule::kGrad + 1);
    LockedVariables<Rule::kVars> vars(c);
    TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
    T* v[Rule::kVars];
    for (int i = 0; i < Rule::kVars; ++i) {
      TENSH_RETURN_IF_ERROR(CheckSameShape("var", vars[0], Rule::kNames[i], vars[i]));
      if (vars[i].dtype() != kDTypeOf<T>)
        return InvalidArgument("the dtype of a variable differs from the op's");
      v[i] = vars[i].template data<T>();
    }
    TENSH_RETURN_IF_ERROR(CheckRows(vars[0], grad, indices));
    T scalars[std::size(Rule::kScalars)];
    ReadScalars<Rule>(c, true, scalars);
    const bool flag = c.state<ApplyFlagState>().flag;
    const T* g = grad.data<T>();
    const int64_t row = vars[0].dim(0) ? vars[0].num_elements() / vars[0].dim(0) : 0;
    for (int64_t k = 0; k < indices.num_elements(); ++k) {
      const int64_t first = IndexAt(indices, k) * row;
      for (int64_t j = 0; j < row; ++j) Rule::Update(scalars, v, first + j, g[k * row + j], flag);
    }
    c.ForwardRef(0, 0);
    return {};
  }
};

template <class Rule, bool kSparse>
Status ApplyRuleShape(ShapeCtx& c) {
  Shape var = VariableShapeAt(c, 0);
  for (int i = 1; i < Rule::kVars; ++i) {
    TENSH_ASSIGN(var, MergeShapes(var, VariableShapeAt(c, i)));
  }
  if (kSparse) {
    // The gradient has one row per index, and its rows have the shape of the variable's rows.
    Shape rows = var;
    if (rows.rank() > 0) rows.set_dim(0, -1);
    TENSH_ASSIGN(rows, MergeShapes(rows, c.in(Rule::kGrad)));
    const Shape& indices = c.in(Rule::kGrad + 1);
    if (rows.rank() > 0 && indices.rank() == 1)
      TENSH_RETURN_IF_ERROR(MergeShapes(Shape({rows[0]}), indices).status());
  } else {
    TENSH_ASSIGN(var, MergeShapes(var, c.in(Rule::kGrad)));
  }
  if (c.num_outputs() > 0) c.Set(0, var);
  return {};
}

// The ops of a rule, as a sum of 1 (dense, ref), 2 (dense, resource), 4 (sparse, ref) and 8 (sparse, resource).
inline constexpr int kDense = 3, kSparse = 12, kAllForms = 15;

// Registers the ops of a rule. `Flag` is a struct with kFlag, the name of the boolean attribute
// (empty if the op has none), and kDefault, its default. `which` selects the ops. If `complex` is
// true, kernels for complex types are registered as well.
template <class Rule, class Flag, int which = kAllForms, bool complex = false>
void RegisterApply(OpRegistry& r, const ApplyText& text) {
  const auto add = [&]<bool sparse>(auto kernel, std::bool_constant<sparse>) {
    constexpr int kForms = sparse ? which / 4 : which % 4;
    for (const bool resource : {false, true}) {
      if (!(kForms >> resource & 1)) continue;
      OpSpec spec =
          ApplySpec(text, {Flag::kFlag, Flag::kDefault, resource, sparse, Rule::kScalars});
      spec.shape = ApplyRuleShape<Rule, sparse>;
      auto entry = r.Op(std::move(spec));
      const KernelOptions options = {.prepare = PrepareFlag<Flag>};
      entry.template Cpu<float, double>(kernel, options);
      if constexpr (complex) entry.template Cpu<Complex64, Complex128>(kernel, options);
    }
  };
  if constexpr ((which & kDense) != 0) add(DenseApply<Rule, Flag>{}, std::false_type{});
  if constexpr ((which & kSparse) != 0) add(SparseApply<Rule, Flag>{}, std::true_type{});
}

struct NoFlag {
  static constexpr char kFlag[] = "";
  static constexpr bool kDefault = false;
};
struct NesterovFlag {
  static constexpr char kFlag[] = "use_nesterov";
  static constexpr bool kDefault = false;
};
struct UpdateSlotsFlag {
  static constexpr char kFlag[] = "update_slots";
  static constexpr bool kDefault = true;
};
struct MultiplyFlag {
  static constexpr char kFlag[] = "multiply_linear_by_lr";
  static constexpr bool kDefault = false;
};

}  // namespace tensh::ops
