#include "ops/nn/conv/tiles.h"

namespace tensh::ops {
namespace {

#if TENSH_ISA_VARIANTS
namespace avx512 {
#define TENSH_TILE_TARGET __attribute__((target(TENSH_TARGET_AVX512)))
#define TENSH_TILE_BYTES 64
#define TENSH_TILE_VECTORS 4
#include "ops/nn/conv/tile_loops.inc"
}  // namespace avx512

namespace avx2 {
#define TENSH_TILE_TARGET __attribute__((target("avx2,fma")))
#define TENSH_TILE_BYTES 32
#define TENSH_TILE_VECTORS 2
#include "ops/nn/conv/tile_loops.inc"
}  // namespace avx2
#endif

namespace base {
#define TENSH_TILE_TARGET
#define TENSH_TILE_BYTES 16
#define TENSH_TILE_VECTORS 2
#include "ops/nn/conv/tile_loops.inc"
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
  for (int64_t i = 0; i < w.rows; ++i)
    for (int64_t j = 0; j < w.columns; ++j) {
      const float x = w.in[i * w.in_row + j * w.in_column + c];
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

constexpr TileLoops kNarrow = {.lanes = 1,
                               .max_vectors = 0,
                               .product = {},
                               .outer = {},
                               .depthwise = DepthwiseNarrow,
                               .depthwise_tap = DepthwiseTapNarrow,
                               .max_pool = MaxPoolNarrow,
                               .max_pool_grad = MaxPoolGradNarrow};

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

}  // namespace tensh::ops
