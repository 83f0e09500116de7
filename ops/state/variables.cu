// Reference and resource variables on GPUs, whose values are in device memory. Scattered updates
// are added atomically, in any order. As in TensorFlow's GPU kernels, an index out of range is
// skipped.
#include "devices/cuda/cuda_view.h"
#include "ops/support/var_update.h"

namespace tensh::cuda {
namespace {

using ops::LockedVariables;

template <bool kSubtract>
struct Update {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& update = c.in(1);
    LockedVariables<1> vars(c);
    if (const Variable* v = c.variable(0); v && !v->value && c.in(0).dtype() == DType::kResource)
      return NotFound("Resource localhost/", v->name, "/N10tensorflow3VarE does not exist.");
    TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
    if (vars[0].dtype() != update.dtype())
      return InvalidArgument("Trying to update a variable of another dtype");
    const bool fits = vars[0].shape() == update.shape();
    if (!fits && c.in(0).dtype() != DType::kResource)
      return InvalidArgument(
          "Parameters and update must be the same size, got a variable of shape ", vars[0].shape(),
          " and an update of shape ", update.shape());
    if (!fits)
      return InvalidArgument("Cannot update variable with shape ", vars[0].shape(),
                             " using a Tensor with shape ", update.shape(),
                             ", shapes must be equal.");
    const auto var = Out<T>(vars[0]);
    const auto by = In<T>(update);
    c.ForwardRef(0, 0);
    return ForEach(c, update.num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const auto x = static_cast<Computed<T>>(var[i]), y = static_cast<Computed<T>>(by[i]);
      var[i] = static_cast<T>(kSubtract ? x - y : x + y);
    });
  }
};

enum class How { kUpdate, kAdd, kSub, kMul, kDiv, kMin, kMax };

// Updates rows of `to`, a matrix. The update of each index is a row, or one scalar for all.
template <How how, class T, class I>
Status ScatterRows(KernelCtx& c, const Tensor& to, const Tensor& indices, const Tensor& updates) {
  const int64_t rows = to.dim(0), run = rows ? to.num_elements() / rows : 0;
  const bool scalar = updates.rank() == 0;
  const auto out = Out<T>(to);
  const auto index = In<I>(indices);
  const auto by = In<T>(updates);
  return ForEach(c, indices.num_elements() * run, [=] TENSH_DEVICE(int64_t i) {
    const int64_t row = index[i / run];
    if (row < 0 || row >= rows) return;
    const T x = by[scalar ? 0 : i];
    AtomicAdd(&out[row * run + i % run], how == How::kSub ? -x : x);
  });
}

// The same for updates whose order matters.
template <How how, class T, class I>
Status ScatterInOrder(KernelCtx& c, const Tensor& to, const Tensor& indices,
                      const Tensor& updates) {
  const bool scalar = updates.rank() == 0;
  const auto out = Out<T>(to);
  const auto by = In<T>(updates);
  return ForNamedRows(c, In<I>(indices), indices.num_elements(), to.shape(),
                      [=] TENSH_DEVICE(int64_t at, int64_t from) {
                        const T x = by[scalar ? 0 : from], y = out[at];
                        out[at] = how == How::kMul   ? y * x
                                  : how == How::kDiv ? y / x
                                  : how == How::kMin ? (x < y ? x : y)
                                  : how == How::kMax ? (y < x ? x : y)
                                                     : x;
                      });
}

template <How how, class T, class I>
Status ScatterBy(KernelCtx& c, const Tensor& to, const Tensor& indices, const Tensor& updates) {
  if constexpr (how == How::kAdd || how == How::kSub)
    return ScatterRows<how, T, I>(c, to, indices, updates);
  else
    return ScatterInOrder<how, T, I>(c, to, indices, updates);
}

template <How how>
struct Scatter {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &indices = c.in(1), &updates = c.in(2);
    LockedVariables<1> vars(c);
    TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
    const Tensor& params = vars[0];
    TENSH_RETURN_IF_ERROR(ops::CheckUpdateShapes(params, indices, updates));
    c.ForwardRef(0, 0);
    return indices.dtype() == DType::kInt32
               ? ScatterBy<how, T, int32_t>(c, params, indices, updates)
               : ScatterBy<how, T, int64_t>(c, params, indices, updates);
  }
};

void RegisterVariables(KernelTable& r) {
  for (const char* op :
       {"VariableV2", "Variable", "VarHandleOp", "ReadVariableOp", "DestroyResourceOp"})
    r.Pass(op);
  r.Pass("IsVariableInitialized", "is_initialized");
  r.Pass("VarIsInitializedOp", "is_initialized");
  r.Pass("VariableShape", "output");
  // The kernels are the CPU's: they take over the value's buffer, or copy it within the device.
  r.AddAny("AssignVariableOp", nullptr, {.pass = "resource"});
  r.AddAny("Assign", nullptr);
}

}  // namespace

TENSH_CUDA_KERNELS(state_variables) {
  RegisterVariables(r);
  r.Add<float, double, Half, Bfloat16, int64_t>("AssignAdd", Update<false>());
  r.Add<float, double, Half, Bfloat16, int64_t>("AssignSub", Update<true>());
  const RowOptions resource{.type_attr = "dtype"};
  r.Add<float, double, Half, Bfloat16, int64_t>("AssignAddVariableOp", Update<false>(), resource);
  r.Add<float, double, Half, Bfloat16, int64_t>("AssignSubVariableOp", Update<true>(), resource);
  r.Add<float, double>("ScatterAdd", Scatter<How::kAdd>());
  r.Add<float, double>("ScatterSub", Scatter<How::kSub>());
  r.Add<float, double, int64_t>("ScatterUpdate", Scatter<How::kUpdate>());
  r.Add<float, double>("ResourceScatterAdd", Scatter<How::kAdd>(), resource);
  r.Add<float, double>("ResourceScatterSub", Scatter<How::kSub>(), resource);
  r.Add<float, double, int64_t>("ResourceScatterUpdate", Scatter<How::kUpdate>(), resource);
  r.Add<float, double>("ScatterMul", Scatter<How::kMul>());
  r.Add<float, double>("ScatterDiv", Scatter<How::kDiv>());
  r.Add<float, double>("ScatterMin", Scatter<How::kMin>());
  r.Add<float, double>("ScatterMax", Scatter<How::kMax>());
  r.Add<float, double>("ResourceScatterMul", Scatter<How::kMul>(), resource);
  r.Add<float, double>("ResourceScatterDiv", Scatter<How::kDiv>(), resource);
  r.Add<float, double>("ResourceScatterMin", Scatter<How::kMin>(), resource);
  r.Add<float, double>("ResourceScatterMax", Scatter<How::kMax>(), resource);
}

}  // namespace tensh::cuda
