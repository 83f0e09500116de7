// MatrixBandPart on GPUs. The other ops on diagonals use the CPU's kernels (array.cu).
#include "devices/cuda/cuda_kernel.h"
#include "ops/array/band_part.h"

namespace tensh::cuda {
namespace {

struct BandPart {
  using TakesHalves = void;
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const ops::Band band, ops::BandOf(c));
    TENSH_OUTPUT(y, c.Output(0, c.in(0).shape()));
    const auto in = In<T>(c.in(0));
    const auto out = Out<T>(y);
    return ForEach(c, y->num_elements(), [=] TENSH_DEVICE(int64_t i) {
      const int64_t row = i / band.columns % band.rows, column = i % band.columns;
      const bool stays = column >= band.Begin(row) && column < band.End(row);
      out[i] = stays ? in[i] : T();
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(array_diag) {
  r.Add<float, double, Half, Bfloat16, int64_t, bool>("MatrixBandPart", BandPart(),
                                                      {.host = "num_lower num_upper"});
  r.OnHost<int32_t>("MatrixBandPart");
}

}  // namespace tensh::cuda
