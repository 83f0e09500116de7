#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/var_update.h"

namespace tensh::ops {
namespace {

// updates is one slice of params for each index, or a scalar for all of them.
Status CheckScatter(const Tensor& params, const Tensor& indices, const Tensor& updates) {
  if (params.rank() < 1)
    return InvalidArgument("params must be at least 1-D, got shape ", params.shape());
  bool fits = updates.rank() == 0 || updates.rank() == indices.rank() + params.rank() - 1;
  for (int i = 0; fits && i < updates.rank(); ++i)
    fits = updates.dim(i) ==
           (i < indices.rank() ? indices.dim(i) : params.dim(i - indices.rank() + 1));
  if (!fits)
    return InvalidArgument(
        "Must have updates.shape = indices.shape + params.shape[1:] or "
        "updates.shape = [], got updates.shape ",
        updates.shape(), ", indices.shape ", indices.shape(), ", params.shape ", params.shape());
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    int64_t at = IndexAt(indices, i);
    if (at < 0 || at >= params.dim(0))
      return InvalidArgument("indices[", i, "] = ", at, " is not in [0, ", params.dim(0), ")");
  }
  return {};
}

// fn(slice of the variable, index of its update's first element) for each index.
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

Status ScatterUpdate(KernelCtx& c) noexcept {
  const Tensor& updates = c.in(2);
  bool scalar = updates.rank() == 0;
  return ForEachSlice(c, [&](void* to, int64_t from, int64_t run) {
    if (scalar)
      FillElements(updates.dtype(), to, updates.raw(), run);
    else
      CopyElements(updates.dtype(), to, At(updates, from), run);
  });
}

template <bool kSubtract>
struct ScatterAdd {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const T* by = c.in(2).data<T>();
    bool scalar = c.in(2).rank() == 0;
    return ForEachSlice(c, [&](void* to, int64_t from, int64_t run) {
      T* y = static_cast<T*>(to);
      for (int64_t k = 0; k < run; ++k) {
        T x = by[scalar ? 0 : from + k];
        if constexpr (std::is_integral_v<T>) {
          uint64_t a = static_cast<uint64_t>(y[k]), b = static_cast<uint64_t>(x);
          y[k] = static_cast<T>(kSubtract ? a - b : a + b);
        } else {
          y[k] = kSubtract ? y[k] - x : y[k] + x;
        }
      }
    });
  }
};

Status ScatterShape(ShapeCtx& c) {
  c.Set(0, c.in(0));
  return {};
}

OpSpec ScatterSpec(const char* name, std::string types, const char* locking, const char* what,
                   Example example) {
  return {
      .name = name,
      .inputs = "ref: Ref(T), indices: Tindices, updates: T",
      .outputs = "output_ref: Ref(T)",
      .attrs = StrCat("T: ", types, ", Tindices: {int32, int64}, use_locking: bool = ", locking),
      .doc = StrCat(what,
                    " ref is the variable, of type T; indices, of type Tindices, name "
                    "slices along its first dimension; updates has one slice for each, or is a "
                    "scalar for all. output_ref is ref again. use_locking: the update excludes "
                    "others, which it always does here."),
      .shape = ScatterShape,
      .no_gradient = true,
      .examples = {std::move(example)}};
}

}  // namespace

TENSH_OPS(state_scatter) {
  r.Op(ScatterSpec("ScatterUpdate", "type", "true", "Sets slices of a variable.",
                   {"tf.scatter_update(tf.assign(tf.Variable([1, 2, 3]), [1, 2, 3]), [0], [9])",
                    "[9 2 3]"}))
      .CpuAny(ScatterUpdate);
  r.Op(ScatterSpec("ScatterAdd", kNumberTypes, "false", "Adds to slices of a variable.",
                   {"tf.scatter_add(tf.assign(tf.Variable([1, 2, 3]), [1, 2, 3]), [0, 0], [5, 5])",
                    "[11  2  3]"}))
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           std::complex<float>, std::complex<double>>(ScatterAdd<false>{});
  r.Op(ScatterSpec(
           "ScatterSub", kNumberTypes, "false", "Subtracts from slices of a variable.",
           {"tf.scatter_sub(tf.assign(tf.Variable([1, 2, 3]), [1, 2, 3]), [0], 5)", "[-4  2  3]"}))
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           std::complex<float>, std::complex<double>>(ScatterAdd<true>{});
}

}  // namespace tensh::ops
