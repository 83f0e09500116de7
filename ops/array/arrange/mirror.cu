// MirrorPadGrad on GPUs. MirrorPad itself uses the CPU's kernel (array.cu).
#include "devices/cuda/cuda_view.h"
#include "ops/array/arrange/mirror.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::cuda {
namespace {

// The extents of a padded tensor and of the tensor within, innermost first, without those of 1.
struct Borders {
  Borders(const Shape& padded_shape, const Shape& inner_shape, const Tensor& paddings) {
    int64_t step = 1;
    for (int d = padded_shape.rank() - 1; d >= 0; --d) {
      if (padded_shape[d] == 1) continue;
      padded[rank] = Divider(padded_shape[d]);
      inner[rank] = inner_shape[d];
      before[rank] = ops::IndexAt(paddings, 2 * d);
      stride[rank++] = step;
      step *= inner_shape[d];
    }
  }
  // Returns the element of the inner tensor that element p of the padded one mirrors.
  TENSH_DEVICE int64_t At(int64_t p, int64_t skip) const {
    int64_t at = 0;
    for (int d = 0; d < rank; ++d)
      at += ops::MirrorPlace(padded[d].Take(p) - before[d], inner[d], skip) * stride[d];
    return at;
  }

  int rank = 0;
  Divider padded[Shape::kMaxLoopRank];
  int64_t inner[Shape::kMaxLoopRank];
  int64_t before[Shape::kMaxLoopRank], stride[Shape::kMaxLoopRank];
};

struct MirrorPadGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &in = c.in(0), &paddings = c.in(1);
    const int64_t skip = c.state<ops::MirrorState>().skip;
    TENSH_ASSIGN(const Shape shape, ops::MirrorShapeOf(in.shape(), paddings, skip, -1));
    TENSH_OUTPUT(dx, c.Output(0, shape));
    const auto from = In<T>(in);
    const auto out = Out<T>(dx);
    TENSH_RETURN_IF_ERROR(
        ForEach(c, dx->num_elements(), [=] TENSH_DEVICE(int64_t i) { out[i] = T(0); }));
    if (!in.num_elements()) return {};
    const Borders borders(in.shape(), shape, paddings);
    return ForEach(c, in.num_elements(), [=] TENSH_DEVICE(int64_t p) {
      AtomicAdd(&out[borders.At(p, skip)], from[p]);
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(array_arrange_mirror) {
  r.Add<float, double, Half, Bfloat16, int64_t>(
      "MirrorPadGrad", MirrorPadGrad(),
      {.host = "paddings", .prepare = ops::PrepareFrom<ops::MirrorState>});
  r.OnHost<int32_t>("MirrorPadGrad");
}

}  // namespace tensh::cuda
