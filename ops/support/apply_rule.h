#pragma once
// One optimiser step as a rule for one element, and the four ops made of it: on reference and on
// resource variables, dense and for some rows. A rule is
//   struct Rule {
//     static constexpr int kVars = 3, kGrad = 6;   // variables come first; where the gradient
//     stands static constexpr NamedInput kScalars[] = {{"lr", 3}, …}; template <class T> static
//     void Update(const T* s, T* const* v, int64_t i, T g, bool flag);
//   };
// with s the scalars in that order, v the variables' elements, and flag the value of the attribute
// the op is registered with. For some rows, the indices stand behind the gradient.
#include <cmath>
#include <string>

#include "ops/support/apply.h"
#include "ops/support/complex.h"
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

// What the text of an op's row says; see RegisterApply.
struct ApplyText {
  const char* name;       // "Adadelta"
  const char* slots;      // "accum, accum_update"
  const char* rest;       // "lr: T, rho: T, grad: T": as the dense op's signature has it
  const char* doc;        // what happens, one sentence
  const char* arguments;  // "accum=0., lr=0.5, grad=1." of the example; var is 1
  const char* result;     // and what var becomes
  const char* grad = "grad";
};
OpSpec ApplySpec(const ApplyText& text, std::string_view flag, bool flag_default, bool resource,
                 bool sparse);

template <class Rule, class T>
void ReadScalars(KernelCtx& c, bool sparse, T* out) {
  for (const NamedInput& s : Rule::kScalars) {
    const Tensor& t = c.in(s.index + (sparse && s.index > Rule::kGrad));
    *out++ = t.dtype() == DType::kInt64 && kDTypeOf<T> != DType::kInt64
                 ? static_cast<T>(*t.data<int64_t>())
                 : *t.data<T>();
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
      TENSH_RETURN_IF_ERROR(CheckSameShape("var", vars[0], i ? "slot" : "var", vars[i]));
      if (vars[i].dtype() != kDTypeOf<T>) return InvalidArgument("a variable of another dtype");
      v[i] = vars[i].template data<T>();
    }
    TENSH_RETURN_IF_ERROR(CheckSameShape("var", vars[0], "grad", c.in(Rule::kGrad)));
    T scalars[std::size(Rule::kScalars)];
    ReadScalars<Rule>(c, false, scalars);
    const Tensor& gradient = c.in(Rule::kGrad);
    const T* grad = gradient.data<T>();
    const bool flag = c.state<ApplyFlagState>().flag;
    c.ParallelForAll(vars[0].num_elements(), 2, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) Rule::Update(scalars, v, i, grad[i], flag);
    });
    c.ForwardRef(0, 0);
    return {};
  }
};

// One row of the gradient an index; CheckRows: and the indices, in host memory, name rows there
// are.
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
      TENSH_RETURN_IF_ERROR(CheckSameShape("var", vars[0], i ? "slot" : "var", vars[i]));
      if (vars[i].dtype() != kDTypeOf<T>) return InvalidArgument("a variable of another dtype");
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
  if (c.in_dtype(0) == DType::kResource) return {};
  Shape var = c.in(0);
  for (int i = 1; i < Rule::kVars; ++i) {
    TENSH_ASSIGN(var, MergeShapes(var, c.in(i)));
  }
  if (kSparse) {
    // One row of the gradient for each index; the rows are the variable's.
    Shape rows = var;
    if (rows.rank() > 0) rows.set_dim(0, -1);
    TENSH_ASSIGN(rows, MergeShapes(rows, c.in(Rule::kGrad)));
    const Shape& indices = c.in(Rule::kGrad + 1);
    if (rows.rank() > 0 && indices.rank() == 1)
      TENSH_RETURN_IF_ERROR(MergeShapes(Shape({rows[0]}), indices).status());
  } else {
    TENSH_ASSIGN(var, MergeShapes(var, c.in(Rule::kGrad)));
  }
  c.Set(0, var);
  return {};
}

// Flag: struct with kFlag, the attribute's name ("" : none), and kDefault. Which: 1 dense ref,
// 2 dense resource, 4 sparse ref, 8 sparse resource, added up. complex: for complex numbers too.
template <class Rule, class Flag, bool complex = false>
void RegisterApply(OpRegistry& r, const ApplyText& text, int which = 15) {
  for (int kind = 0; kind < 4; ++kind) {
    if (!(which >> kind & 1)) continue;
    const bool resource = kind & 1, sparse = kind & 2;
    OpSpec spec = ApplySpec(text, Flag::kFlag, Flag::kDefault, resource, sparse);
    spec.contract = sparse ? "indices: vector" : "";
    for (const NamedInput& scalar : Rule::kScalars)
      spec.contract += StrCat(spec.contract.empty() ? "" : ", ", scalar.name, ": scalar");
    spec.shape = sparse ? ApplyRuleShape<Rule, true> : ApplyRuleShape<Rule, false>;
    auto entry = r.Op(std::move(spec));
    auto add = [&]<class Kernel>(Kernel kernel) {
      const KernelOptions options = {.prepare = PrepareFlag<Flag>};
      entry.template Cpu<float, double>(kernel, options);
      if constexpr (complex) entry.template Cpu<Complex64, Complex128>(kernel, options);
    };
    if (sparse)
      add(SparseApply<Rule, Flag>{});
    else
      add(DenseApply<Rule, Flag>{});
  }
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
