// ScatterUpdate, ScatterAdd and their relatives: update slices of a reference or resource variable
// by their index in the first dimension.
#include "ops/op_file.h"
#include "ops/state/handle_example.h"
#include "ops/state/scatter_rule.h"
#include "ops/state/variable_shape.h"
#include "ops/support/array_copy.h"
#include "ops/support/var_update.h"

namespace tensh::ops {
namespace {

Status CheckScatter(const Tensor& params, const Tensor& indices, const Tensor& updates) {
  if (params.dtype() != updates.dtype())
    return InvalidArgument("DType of variable handle and updates does not match: ",
                           SignatureName(params.dtype()), " vs. ", SignatureName(updates.dtype()));
  TENSH_RETURN_IF_ERROR(CheckUpdateShapes(params, indices, updates));
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    int64_t at = IndexAt(indices, i);
    if (at < 0 || at >= params.dim(0))
      return InvalidArgument("indices[", i, "] = ", at, " is not in [0, ", params.dim(0), ")");
  }
  return {};
}

// Calls fn(slice of the variable, offset of its update, number of elements) for each index.
template <class Fn>
Status ForEachSlice(KernelCtx& c, Fn fn) {
  const Tensor &indices = c.in(1), &updates = c.in(2);
  LockedVariables<1> vars(c);
  TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
  TENSH_RETURN_IF_ERROR(CheckScatter(vars[0], indices, updates));
  const Tensor& params = vars[0];
  int64_t run = params.dim(0) ? params.num_elements() / params.dim(0) : 0;
  for (int64_t i = 0; i < indices.num_elements(); ++i)
    fn(At(params, IndexAt(indices, i) * run), updates.rank() == 0 ? 0 : i * run, run);
  c.ForwardRef(0, 0);
  return {};
}

Status ScatterUpdate(KernelCtx& c) {
  const Tensor& updates = c.in(2);
  bool scalar = updates.rank() == 0;
  return ForEachSlice(c, [&](void* to, int64_t from, int64_t run) {
    if (scalar)
      FillElements(updates.dtype(), to, updates.raw(), run);
    else
      CopyElements(updates.dtype(), to, At(updates, from), run);
  });
}

template <class Rule>
struct Scatter {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const T* by = c.in(2).data<T>();
    bool scalar = c.in(2).rank() == 0;
    if constexpr (std::is_same_v<Rule, DivRule>) {
      // For floats, only the op on resource variables rejects a zero.
      if (std::is_integral_v<T> || c.in(0).dtype() == DType::kResource)
        for (T x : c.in(2).flat<T>())
          if (x == T(0)) return InvalidArgument("updates must not contain 0");
    }
    return ForEachSlice(c, [&](void* to, int64_t from, int64_t run) {
      T* y = static_cast<T*>(to);
      for (int64_t k = 0; k < run; ++k) Rule::template Apply<T>(y[k], by[scalar ? 0 : from + k]);
    });
  }
};

Status ScatterShape(ShapeCtx& c) {
  const Shape var = VariableShapeAt(c, 0), &indices = c.in(1), &updates = c.in(2);
  if (updates.has_rank() && updates.rank() > 0 && var.has_rank() && indices.has_rank()) {
    if (var.rank() == 0) return InvalidArgument("Shape must be at least rank 1 but is rank 0");
    bool fits = updates.rank() == indices.rank() + var.rank() - 1;
    for (int i = 0; fits && i < updates.rank(); ++i) {
      const int64_t want = i < indices.rank() ? indices[i] : var[i - indices.rank() + 1];
      fits = want < 0 || updates[i] < 0 || want == updates[i];
    }
    if (!fits)
      return InvalidArgument("updates of shape ", updates, " do not fit indices of shape ", indices,
                             " and a variable of shape ", var);
  }
  if (c.num_outputs() > 0) c.Set(0, var);
  return {};
}

struct Kind {
  const char* name;    // such as "Add"
  const char* what;    // such as "Adds to"
  const char* result;  // of the example, which applies 2 at index 0 of [6, 2, 3]
};

OpSpec RefSpec(const Kind& kind, OpText types, const char* locking) {
  return {
      .name = StrCat("Scatter", kind.name),
      .inputs = "ref: Ref(T), indices: Tindices, updates: T",
      .outputs = "output_ref: Ref(T)",
      .attrs = StrCat("T: ", types, ", Tindices: {int32, int64}, use_locking: bool = ", locking),
      .doc = StrCat(
          kind.what,
          " slices of a variable. ref is the variable, of type T; indices, of type Tindices, "
          "select slices along its first dimension; updates has one slice for each, or is a "
          "scalar. output_ref is ref. use_locking: ignored; updates always exclude each other."),
      .shape = ScatterShape,
      .no_gradient = true,
      .examples = {{StrCat("tf.raw_ops.Scatter", kind.name,
                           "(ref=tf.assign(tf.Variable([6, 2, 3]), [6, 2, 3]), indices=[0], "
                           "updates=[2])"),
                    kind.result}}};
}

OpSpec ResourceSpec(const Kind& kind, OpText types) {
  const std::string name = StrCat("ResourceScatter", kind.name);
  return {.name = name,
          .inputs = "resource: resource, indices: Tindices, updates: dtype",
          .attrs = StrCat("dtype: ", types, ", Tindices: {int32, int64}"),
          .doc = StrCat(kind.what,
                        " slices of a variable. resource is its handle, its type dtype; indices, "
                        "of type Tindices, select slices along its first dimension; updates has "
                        "one slice for each, or is a scalar."),
          .shape = ScatterShape,
          .no_gradient = true,
          .stateful = true,
          .variable_type = "dtype",
          .examples = {{StrCat("tf.raw_ops.", name, "(resource=", HandleExample("[6, 2]"),
                               ", indices=[0], updates=[2])"),
                        ""}}};
}

template <class Rule, bool kComplex = true, class Entry>
void AddKernels(Entry entry, const char* type_attr) {
  entry.template Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                     uint64_t>(Scatter<Rule>{}, {.type_attr = type_attr});
  if constexpr (kComplex)
    entry.template Cpu<std::complex<float>, std::complex<double>>(Scatter<Rule>{},
                                                                  {.type_attr = type_attr});
}

template <class Rule>
void RegisterArithmetic(OpRegistry& r, const Kind& kind) {
  AddKernels<Rule>(r.Op(RefSpec(kind, kNumberTypes, "false")), "T");
  AddKernels<Rule>(r.Op(ResourceSpec(kind, kNumberTypes)), "dtype");
}

template <class Rule>
void RegisterOrder(OpRegistry& r, const Kind& kind) {
  r.Op(RefSpec(kind, "{half, bfloat16, float, double, int32, int64}", "false"))
      .template Cpu<float, double, int32_t, int64_t>(Scatter<Rule>{});
  AddKernels<Rule, false>(r.Op(ResourceSpec(kind, kNumberTypes)), "dtype");
}

}  // namespace

TENSH_OPS(state_scatter) {
  const Kind update = {"Update", "Sets", "[2 2 3]"};
  r.Op(RefSpec(update, "type", "true")).CpuAny(ScatterUpdate);
  r.Op(ResourceSpec(update, "type")).CpuAny(ScatterUpdate);
  RegisterArithmetic<AddRule>(r, {"Add", "Adds to", "[8 2 3]"});
  RegisterArithmetic<SubRule>(r, {"Sub", "Subtracts from", "[4 2 3]"});
  RegisterArithmetic<MulRule>(r, {"Mul", "Multiplies", "[12  2  3]"});
  RegisterArithmetic<DivRule>(r, {"Div", "Divides", "[3 2 3]"});
  RegisterOrder<MinRule>(r, {"Min", "Lowers", "[2 2 3]"});
  RegisterOrder<MaxRule>(r, {"Max", "Raises", "[6 2 3]"});
}

}  // namespace tensh::ops
