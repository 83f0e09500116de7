#pragma once
// Convolution of float images and volumes on the loops of tiles.h. The matrix of windows is never
// made: a tile reads its windows where they are, and only lines that reach into the padding are copied.
// The filter is packed block by block. Large convolutions run on the step's threads. The
// order of each sum depends on the extents alone, so the result does not depend on the threads.
#include "ops/nn/conv/patches.h"
#include "runtime/core/joined.h"

namespace tensh::ops {

// A convolution of `batch` images. The element of the filter for (plane, row, column, channel, out)
// is at filter[plane * filter_plane + … + out * filter_out]; the steps may be negative.
struct TiledConv {
  Patches patches;
  int64_t batch = 0;
  const float* filter = nullptr;
  int64_t filter_plane = 0, filter_row = 0, filter_column = 0, filter_channel = 0, filter_out = 1;
  int64_t out_channels = 0;
  float* out = nullptr;
  int64_t out_image = 0, out_plane = 0, out_row = 0, out_column = 0;  // steps between outputs
  // The kernel's output 0, if it begins at `out` and has no gaps, so that others may take it in
  // parts. Otherwise null.
  const Tensor* output = nullptr;
};
void RunTiledConv(KernelCtx& c, const TiledConv& conv);
// Computes rows [begin, end) of the outputs, of which all images have patches.rows.out, in the calling
// thread. Images are not volumes.
void RunTiledRows(const KernelCtx& c, const TiledConv& conv, int64_t begin, int64_t end);

}  // namespace tensh::ops
