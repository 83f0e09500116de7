#include "ops/support/tiles/tiles.h"

#include <algorithm>

namespace tensh::ops {
namespace {

#if TENSH_ISA_VARIANTS
namespace avx512 {
#define TENSH_TILE_TARGET __attribute__((target(TENSH_TARGET_AVX512)))
#define TENSH_TILE_BYTES 64
#define TENSH_TILE_VECTORS 4
#include "ops/support/tiles/tile_loops.inc"
}  // namespace avx512

namespace avx2 {
#define TENSH_TILE_TARGET __attribute__((target("avx2,fma")))
#define TENSH_TILE_BYTES 32
#define TENSH_TILE_VECTORS 2
#include "ops/support/tiles/tile_loops.inc"
}  // namespace avx2
#endif

namespace base {
#define TENSH_TILE_TARGET
#define TENSH_TILE_BYTES 16
#define TENSH_TILE_VECTORS 2
#include "ops/support/tiles/tile_loops.inc"
}  // namespace base

// Depthwise convolutions of fewer channels than a vector has.
void DepthwiseNarrow(const DepthwiseLine& l) {
  for (int64_t q = 0; q < l.count; ++q)
    for (int64_t c = 0; c < l.channels; ++c) {
      const float *in = l.in + q * l.in_step + c, *filter = l.filter + c;
      float sum = 0;
      for (int64_t i = 0; i < l.rows; ++i)
        for (int64_t j = 0; j < l.columns; ++j)
          sum +=
              in[i * l.in_row + j * l.in_column] * filter[i * l.filter_row + j * l.filter_column];
      l.out[q * l.out_step + c] = sum;
    }
}

void DepthwiseTapNarrow(const DepthwiseTap& t) {
  for (int64_t c = 0; c < t.channels; ++c) {
    float sum = 0;
    for (int64_t q = 0; q < t.count; ++q) sum += t.in[q * t.in_step + c] * t.dy[q * t.dy_step + c];
    t.out[c] += sum;
  }
}

float MaxOfChannel(const PoolWindow& w, int64_t c) {
  float most = -__builtin_inff();
  for (int64_t k = 0; k < w.planes; ++k)
    for (int64_t i = 0; i < w.rows; ++i)
      for (int64_t j = 0; j < w.columns; ++j) {
        const float x = w.in[k * w.in_plane + i * w.in_row + j * w.in_column + c];
        most = x > most ? x : most;
      }
  return most;
}

void MaxPoolNarrow(const PoolWindow& w) {
  for (int64_t c = 0; c < w.channels; ++c) w.out[c] = MaxOfChannel(w, c);
}

void MaxPoolGradNarrow(const PoolWindow& w) {
  for (int64_t c = 0; c < w.channels; ++c) {
    const float most = MaxOfChannel(w, c);
    float left = w.dy[c];
    for (int64_t i = 0; i < w.rows; ++i)
      for (int64_t j = 0; j < w.columns; ++j) {
        const int64_t at = i * w.in_row + j * w.in_column + c;
        if (w.in[at] != most) continue;
        w.out[at] += left;
        left = 0;
      }
  }
}

// Transposes four rows of four elements.
void TransposeFour(const float* from, int64_t from_row, float* to, int64_t to_row) {
  const auto row = [&](int64_t i) -> base::Vector { return base::Read(from + i * from_row); };
  const base::Vector a = row(0), b = row(1), c = row(2), d = row(3);
  const base::Vector ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                     cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
                     ab_end = __builtin_shufflevector(a, b, 2, 6, 3, 7),
                     cd_end = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  base::Write(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
  base::Write(to + to_row, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
  base::Write(to + 2 * to_row, __builtin_shufflevector(ab_end, cd_end, 0, 1, 4, 5));
  base::Write(to + 3 * to_row, __builtin_shufflevector(ab_end, cd_end, 2, 3, 6, 7));
}

constexpr TileLoops kNarrow = {.lanes = 1,
                               .max_vectors = 0,
                               .outer = {},
                               .product = {},
                               .row = nullptr,
                               .dots = {},
                               .depthwise = DepthwiseNarrow,
                               .depthwise_tap = DepthwiseTapNarrow,
                               .max_pool = MaxPoolNarrow,
                               .max_pool_grad = MaxPoolGradNarrow,
                               .winograd_input = {},
                               .winograd_output = nullptr,
                               .winograd_output_grad = nullptr,
                               .winograd_filter = {},
                               .winograd_filter_grad = {}};

}  // namespace

const TileLoops& BestTileLoops() { return TileLoopsFor(INT64_MAX); }

const TileLoops& TileLoopsFor(int64_t channels) {
#if TENSH_ISA_VARIANTS
  const Isa isa = CpuIsa();
  if (isa == Isa::kAvx512 && channels >= avx512::kLanes) return avx512::kLoops;
  if (isa != Isa::kBase && channels >= avx2::kLanes) return avx2::kLoops;
#endif
  return channels >= base::kLanes ? base::kLoops : kNarrow;
}

void PackTransposed(const float* from, int64_t from_row, int64_t depth, int64_t columns,
                    int64_t width, float* to) {
  int64_t j = 0;
  for (; j + 4 <= columns; j += 4, from += 4 * from_row) {
    int64_t k = 0;
    for (; k + 4 <= depth; k += 4) TransposeFour(from + k, from_row, to + k * width + j, width);
    for (; k < depth; ++k)
      for (int64_t i = 0; i < 4; ++i) to[k * width + j + i] = from[i * from_row + k];
  }
  for (; j < columns; ++j, from += from_row)
    for (int64_t k = 0; k < depth; ++k) to[k * width + j] = from[k];
  if (columns < width)
    for (int64_t k = 0; k < depth; ++k)
      std::fill_n(to + k * width + columns, width - columns, 0.0f);
}

}  // namespace tensh::ops
