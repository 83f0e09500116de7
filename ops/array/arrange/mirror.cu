// MirrorPadGrad on GPUs. MirrorPad itself uses the CPU's kernel (array.cu).
#include "devices/cuda/cuda_view.h"
#include "ops/array/arrange/mirror.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::cuda {
namespace {

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
    const View padded = DenseView(in.shape()), inner = DenseView(shape);
    View borders = inner;  // its strides are the sizes of the leading borders
    for (int d = 0; d < inner.rank; ++d) borders.stride[d] = ops::IndexAt(paddings, 2 * d);
    return ForEach(c, in.num_elements(), [=] TENSH_DEVICE(int64_t p) {
      int64_t rest = p, at = 0;
      for (int d = padded.rank - 1; d >= 0; --d) {
        const int64_t place = rest % padded.dims[d] - borders.stride[d];
        at += ops::MirrorPlace(place, inner.dims[d], skip) * inner.stride[d];
        rest /= padded.dims[d];
      }
      AtomicAdd(&out[at], from[p]);
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
