// Gather, OneHot and Select on GPUs. An index out of range gives zeros, as in TensorFlow's GPU
// kernels: the step does not wait for the kernel, so it could not report an error.
#include "devices/cuda/cuda_view.h"
#include "ops/support/shape_util.h"
#include "ops/support/var_update.h"

namespace tensh::cuda {
namespace {

struct GatherState : KernelState {
  int64_t batch_dims = 0;
};
Result<std::unique_ptr<KernelState>> PrepareGather(PrepareCtx& c) {
  auto state = std::make_unique<GatherState>();
  if (const AttrValue* batch_dims = c.attrs().Find("batch_dims"))
    state->batch_dims = *batch_dims->Find<int64_t>();
  return {std::move(state)};
}

// params [batch…, outer…, extent, inner…], indices [batch…, n…] → [batch…, outer…, n…, inner…].
struct GatherSizes {
  int64_t outer = 1, extent = 1, inner = 1, n = 1;
};

template <class E, class I>
Status RunGather(KernelCtx& c, const GatherSizes& s, const Tensor& params, Tensor* y) {
  const auto from = In<E>(params);
  const auto index = In<I>(c.in(1));
  const auto out = Out<E>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const int64_t k = i % s.inner, j = i / s.inner % s.n, row = i / s.inner / s.n;
    const int64_t at = index[row / s.outer * s.n + j];
    out[i] = at >= 0 && at < s.extent ? from[(row * s.extent + at) * s.inner + k] : E(0);
  });
}

Status GatherFrom(KernelCtx& c, const Tensor& values) {
  const Shape &params = values.shape(), &indices = c.in(1).shape();
  int64_t axis = 0, batch = c.state<GatherState>().batch_dims;
  if (c.num_inputs() == 3) {
    if (c.in(2).num_elements() != 1) return InvalidArgument("axis must be scalar");
    axis = c.in(2).IntScalar();
  }
  if (params.rank() == 0) return InvalidArgument("params must be at least 1 dimensional");
  if (axis < -params.rank() || axis >= params.rank())
    return InvalidArgument("Shape must be at least rank ", axis < 0 ? -axis : axis + 1,
                           " but is rank ", params.rank());
  if (axis < 0) axis += params.rank();
  if (batch < -indices.rank() || batch > indices.rank())
    return InvalidArgument("Expected batch_dims in the range [", -indices.rank(), ", ",
                           indices.rank(), "], but got ", batch);
  if (batch < 0) batch += indices.rank();
  if (batch > axis)
    return InvalidArgument("batch_dims (", batch, ") must be less than or equal to axis (", axis,
                           ").");
  GatherSizes s;
  std::vector<int64_t> dims;
  for (int i = 0; i < axis; ++i) {
    if (i < batch && params[i] != indices[i])
      return InvalidArgument("params.shape[", i, "]: ", params[i],
                             " should be equal to indices.shape[", i, "]: ", indices[i]);
    if (i >= batch) s.outer *= params[i];
    dims.push_back(params[i]);
  }
  for (int i = static_cast<int>(batch); i < indices.rank(); ++i)
    s.n *= indices[i], dims.push_back(indices[i]);
  for (int i = static_cast<int>(axis) + 1; i < params.rank(); ++i)
    s.inner *= params[i], dims.push_back(params[i]);
  s.extent = params[static_cast<int>(axis)];
  TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
  TENSH_OUTPUT(y, c.Output(0, shape));
  return BySize(values.dtype(), [&]<class E>(E) {
    return c.in(1).dtype() == DType::kInt32 ? RunGather<E, int32_t>(c, s, values, y)
                                            : RunGather<E, int64_t>(c, s, values, y);
  });
}

Status Gather(KernelCtx& c) { return GatherFrom(c, c.in(0)); }

// Gathers from a variable behind a handle, without copying the variable.
Status ResourceGather(KernelCtx& c) {
  TENSH_ASSIGN(const Tensor value, ops::ReadForOutput(c));
  return GatherFrom(c, value);
}

struct OneHotState : KernelState {
  int64_t axis;
};
Result<std::unique_ptr<KernelState>> PrepareOneHot(PrepareCtx& c) {
  auto state = std::make_unique<OneHotState>();
  state->axis = c.attrs().Int("axis");
  return {std::move(state)};
}

// The inputs on_value and off_value are in host memory.
struct OneHot {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    return c.in(0).dtype() == DType::kInt32 ? Run<T, int32_t>(c) : Run<T, int64_t>(c);
  }
  template <class T, class I>
  static Status Run(KernelCtx& c) {
    const Tensor& indices = c.in(0);
    const int64_t depth = *c.in(1).data<int32_t>(), axis = c.state<OneHotState>().axis;
    if (depth < 0) return InvalidArgument("depth must be non-negative, got: ", depth);
    if (axis < -1 || axis > indices.rank())
      return InvalidArgument("Expected axis to be -1 or between [0, ", indices.rank() + 1,
                             ").  But received: ", axis);
    const int at = axis == -1 ? indices.rank() : static_cast<int>(axis);
    std::vector<int64_t> dims(indices.shape().dims().begin(), indices.shape().dims().end());
    dims.insert(dims.begin() + at, depth);
    TENSH_ASSIGN(const Shape shape, Shape::Make(dims, true));
    int64_t inner = 1;
    for (int i = at; i < indices.rank(); ++i) inner *= indices.dim(i);
    const T on = *c.in(2).data<T>(), off = *c.in(3).data<T>();
    TENSH_OUTPUT(y, c.Output(0, shape));
    const auto index = In<I>(indices);
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t k = i % inner, hot = i / inner % depth, o = i / inner / depth;
      out[i] = index[o * inner + k] == hot ? on : off;
    });
  }
};

template <class E>
Status RunSelect(KernelCtx& c, int64_t row, Tensor* y) {
  const auto cond = In<bool>(c.in(0));
  const auto a = In<E>(c.in(1)), b = In<E>(c.in(2));
  const auto out = Out<E>(y);
  return ForEach(c, y->num_elements(),
                 [=] TENSH_DEVICE(int64_t i) { out[i] = cond[i / row] ? a[i] : b[i]; });
}

// The condition is a scalar, a vector with one entry per row of t, or a tensor of t's shape.
Status Select(KernelCtx& c) {
  const Tensor &condition = c.in(0), &t = c.in(1), &e = c.in(2);
  if (!(t.shape() == e.shape()))
    return InvalidArgument("'then' and 'else' must have the same size.  but received: ", t.shape(),
                           " vs. ", e.shape());
  const bool by_row = condition.rank() == 1 && t.rank() > 1;
  if (condition.rank() &&
      (by_row ? condition.dim(0) != t.dim(0) : !(condition.shape() == t.shape())))
    return InvalidArgument("'cond' must be the same shape as 'then' but received: ", t.shape(),
                           " vs. ", condition.shape());
  TENSH_OUTPUT(y, c.Output(0, t.shape()));
  const int64_t n = t.num_elements();
  const int64_t row = !n ? 1 : n / condition.num_elements();
  return BySize(t.dtype(), [&]<class E>(E) { return RunSelect<E>(c, row, y); });
}

struct Views {
  View condition, then, otherwise;
};

template <class E>
Status RunSelectV2(KernelCtx& c, const Views& at, Tensor* y) {
  const auto cond = In<bool>(c.in(0));
  const auto a = In<E>(c.in(1)), b = In<E>(c.in(2));
  const auto out = Out<E>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    out[i] = cond[at.condition.At(i)] ? a[at.then.At(i)] : b[at.otherwise.At(i)];
  });
}

Status SelectV2(KernelCtx& c) {
  ops::BroadcastPlan two, three;
  TENSH_RETURN_IF_ERROR(ops::MakeBroadcastPlan(c.in(1).shape(), c.in(2).shape(), two));
  TENSH_RETURN_IF_ERROR(ops::MakeBroadcastPlan(c.in(0).shape(), two.out, three));
  const Views at{BroadcastView(c.in(0).shape(), three.out),
                 BroadcastView(c.in(1).shape(), three.out),
                 BroadcastView(c.in(2).shape(), three.out)};
  TENSH_OUTPUT(y, c.Output(0, three.out));
  return BySize(c.in(1).dtype(), [&]<class E>(E) { return RunSelectV2<E>(c, at, y); });
}

}  // namespace

TENSH_CUDA_KERNELS(array_index_gather) {
  for (const char* op : {"Gather", "GatherV2"}) {
    const RowOptions options{.host = "axis", .type_attr = "Tparams", .prepare = PrepareGather};
    r.Add<float, double, Half, Bfloat16, int64_t, bool, std::complex<float>>(op, Same<Gather>(),
                                                                             options);
  }
  r.Add<float, double, Half, Bfloat16, int64_t, bool, std::complex<float>>(
      "ResourceGather", Same<ResourceGather>(), {.type_attr = "dtype", .prepare = PrepareGather});
  r.Add<float, double, Half, Bfloat16, int64_t, bool>(
      "OneHot", OneHot(), {.host = "depth on_value off_value", .prepare = PrepareOneHot});
  r.Add<float, double, Half, Bfloat16, int64_t, bool, std::complex<float>>("Select",
                                                                           Same<Select>());
  r.OnHost<int32_t>("Select");
  r.Add<float, double, Half, Bfloat16, int64_t, bool, std::complex<float>>("SelectV2",
                                                                           Same<SelectV2>());
  r.OnHost<int32_t>("SelectV2");
}

}  // namespace tensh::cuda
