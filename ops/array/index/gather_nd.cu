// Slices addressed by rows of coordinates on GPUs: gathered, or scattered into zeros, tensors or
// variables. A row out of range reads zeros or is skipped: the step does not wait for the kernel,
// so it could not report an error.
#include "devices/cuda/cuda_view.h"
#include "ops/array/index/scatter_nd.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"
#include "ops/support/var_update.h"

namespace tensh::cuda {
namespace {

// The number of the slice of `shape` that each row of indices addresses, or -1 if it is out of
// range.
class SliceNumbers {
 public:
  SliceNumbers(const Tensor& indices, const Shape& shape)
      : index_(indices), depth_(static_cast<int>(indices.dim(indices.rank() - 1))) {
    for (int d = 0; d < depth_; ++d) dims_[d] = shape[d];
  }
  TENSH_DEVICE int64_t operator[](int64_t row) const {
    int64_t number = 0;
    for (int d = 0; d < depth_; ++d) {
      const int64_t at = index_[row * depth_ + d];
      if (at < 0 || at >= dims_[d]) return -1;
      number = number * dims_[d] + at;
    }
    return number;
  }

 private:
  Indices index_;
  int depth_;
  int64_t dims_[Shape::kMaxRank];
};

// `shape` seen as a matrix [slices, elements of a slice], and the number of rows of indices.
struct SliceSizes {
  SliceSizes(const Shape& shape, const Shape& indices) {
    const int depth = static_cast<int>(indices[indices.rank() - 1]);
    for (int d = 0; d < shape.rank(); ++d) (d < depth ? slices : run) *= shape[d];
    for (int d = 0; d + 1 < indices.rank(); ++d) rows *= indices[d];
  }
  int64_t slices = 1, run = 1, rows = 1;
};

template <class E>
Status GatherSlices(KernelCtx& c, const SliceNumbers& slices, int64_t run, const Tensor& params,
                    Tensor* y) {
  const auto from = In<E>(params);
  const auto out = Out<E>(y);
  return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
    const int64_t slice = slices[i / run];
    out[i] = slice < 0 ? E(0) : from[slice * run + i % run];
  });
}

Status GatherNdFrom(KernelCtx& c, const Tensor& params) {
  const Tensor& indices = c.in(1);
  TENSH_ASSIGN(const Shape shape, ops::GatherNdOutput(params.shape(), indices.shape()));
  TENSH_OUTPUT(y, c.Output(0, shape));
  const int64_t run = SliceSizes(params.shape(), indices.shape()).run;
  const SliceNumbers slices(indices, params.shape());
  return BySize(params.dtype(),
                [&]<class E>(E) { return GatherSlices<E>(c, slices, run, params, y); });
}

Status GatherNd(KernelCtx& c) { return GatherNdFrom(c, c.in(0)); }

// Gathers from a variable behind a handle, without copying the variable.
Status ResourceGatherNd(KernelCtx& c) {
  TENSH_ASSIGN(const Tensor value, ops::ReadForOutput(c));
  return GatherNdFrom(c, value);
}

enum class How : uint8_t { kAdd, kSub, kMin, kMax };

template <How how, class T>
Status CombineInto(KernelCtx& c, const Tensor& indices, const Tensor& updates, const Tensor& to) {
  const SliceNumbers numbers(indices, to.shape());
  const SliceSizes sizes(to.shape(), indices.shape());
  const auto by = In<T>(updates);
  const auto out = Out<T>(to);
  const int64_t run = sizes.run;
  if constexpr (how == How::kAdd || how == How::kSub) {
    return ForEach(c, sizes.rows * run, [=] TENSH_DEVICE(int64_t i) {
      const int64_t slice = numbers[i / run];
      if (slice >= 0)
        AtomicAdd(&out[slice * run + i % run], how == How::kSub ? static_cast<T>(-by[i]) : by[i]);
    });
  } else {
    return ForNamedRows(c, numbers, sizes.rows, Shape({sizes.slices, run}),
                        [=] TENSH_DEVICE(int64_t at, int64_t from) {
                          const T x = by[from], y = out[at];
                          out[at] = (how == How::kMin ? x < y : y < x) ? x : y;
                        });
  }
}

template <class E>
Status Replace(KernelCtx& c, const Tensor& indices, const Tensor& updates, const Tensor& to) {
  const SliceSizes sizes(to.shape(), indices.shape());
  const auto by = In<E>(updates);
  const auto out = Out<E>(to);
  return ForNamedRows(c, SliceNumbers(indices, to.shape()), sizes.rows,
                      Shape({sizes.slices, sizes.run}),
                      [=] TENSH_DEVICE(int64_t at, int64_t from) { out[at] = by[from]; });
}

// If several rows address the same slice, the last one wins.
Status ReplaceIn(KernelCtx& c, const Tensor& indices, const Tensor& updates, const Tensor& to) {
  return BySize(to.dtype(), [&]<class E>(E) { return Replace<E>(c, indices, updates, to); });
}

// The inputs are indices, updates and, in host memory, shape.
struct ScatterNd {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Shape shape, ops::ShapeFromTensor(c.in(2)));
    TENSH_RETURN_IF_ERROR(ops::CheckUpdatesNd(c.in(0).shape(), c.in(1).shape(), shape));
    TENSH_OUTPUT(y, c.Output(0, shape));
    ops::ZeroElements(c, y->dtype(), y->raw(), y->num_elements());
    return CombineInto<How::kAdd, T>(c, c.in(0), c.in(1), *y);
  }
};

// Makes output 0 a copy of input 0 for the updates, after checking the shapes.
Result<Tensor*> CopyForUpdates(KernelCtx& c) {
  const Tensor& x = c.in(0);
  TENSH_RETURN_IF_ERROR(ops::CheckScatterNd(x.shape(), c.in(1).shape(), c.in(2).shape()));
  TENSH_OUTPUT(y, c.Output(0, x.shape()));
  ops::CopyElements(c, x.dtype(), y->raw(), c.in(0).raw(), y->num_elements());
  return y;
}

template <How how>
struct TensorScatter {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Tensor * y, CopyForUpdates(c));
    return CombineInto<how, T>(c, c.in(1), c.in(2), *y);
  }
};

struct TensorScatterUpdate {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(Tensor * y, CopyForUpdates(c));
    return ReplaceIn(c, c.in(1), c.in(2), *y);
  }
};

// Calls update with the value of the variable, which is locked and writable.
template <class Update>
Status UpdateVariable(KernelCtx& c, Update update) {
  ops::LockedVariables<1> vars(c);
  TENSH_RETURN_IF_ERROR(vars.CheckInitialized());
  TENSH_RETURN_IF_ERROR(ops::CheckScatterNd(vars[0].shape(), c.in(1).shape(), c.in(2).shape()));
  c.ForwardRef(0, 0);
  return update(vars[0]);
}

template <How how>
struct ScatterNdVariable {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return UpdateVariable(
        c, [&](const Tensor& value) { return CombineInto<how, T>(c, c.in(1), c.in(2), value); });
  }
};

struct ScatterNdUpdate {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    return UpdateVariable(
        c, [&](const Tensor& value) { return ReplaceIn(c, c.in(1), c.in(2), value); });
  }
};

template <How how>
void RegisterScatter(KernelTable& r, const std::string& name) {
  r.Add<float, double>(("TensorScatter" + name).c_str(), TensorScatter<how>());
  r.Add<float, double>(("ScatterNd" + name).c_str(), ScatterNdVariable<how>());
  r.Add<float, double>(("ResourceScatterNd" + name).c_str(), ScatterNdVariable<how>());
}

}  // namespace

TENSH_CUDA_KERNELS(array_index_gather_nd) {
  using Gather = Same<GatherNd>;
  r.Add<float, double, Half, Bfloat16, int64_t, bool, std::complex<float>>(
      "GatherNd", Gather(), {.type_attr = "Tparams"});
  r.OnHost<int32_t>("GatherNd", "Tparams");
  r.Add<float, double, Half, Bfloat16, int64_t>("ResourceGatherNd", Same<ResourceGatherNd>(),
                                                {.type_attr = "dtype"});
  r.Add<float, double, int64_t>("ScatterNd", ScatterNd(), {.host = "shape"});
  r.OnHost<int32_t>("ScatterNd");
  r.Add<float, double>("ScatterNdNonAliasingAdd", TensorScatter<How::kAdd>());
  RegisterScatter<How::kAdd>(r, "Add");
  RegisterScatter<How::kSub>(r, "Sub");
  RegisterScatter<How::kMin>(r, "Min");
  RegisterScatter<How::kMax>(r, "Max");
  r.Add<float, double, Half, Bfloat16, int64_t>("TensorScatterUpdate", TensorScatterUpdate());
  r.Add<float, double, int64_t>("ScatterNdUpdate", ScatterNdUpdate());
  r.Add<float, double, int64_t>("ResourceScatterNdUpdate", ScatterNdUpdate());
}

}  // namespace tensh::cuda
