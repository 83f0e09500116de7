#pragma once
// The inner loops of convolutions of bytes on CPUs with AVX-512 VNNI, which multiply four bytes of two
// vectors and add the products in one instruction. On other CPUs, they must not be called. Builds without variants
// for CPUs have plain loops with the same results.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "ops/support/isa.h"

#if TENSH_ISA_VARIANTS
#include <immintrin.h>
#endif

namespace tensh::ops::bytes {

inline constexpr int64_t kLanes = 16;  // outputs of a vector
inline constexpr int64_t kQuad = 4;    // inputs that are added at once
inline constexpr int64_t kRows = 6;    // rows of a tile

// Rows of bytes, and weights in the order [vector of outputs][quad of inputs][output][input].
struct Product {
  const uint8_t* rows;
  int64_t quads;  // of inputs in a row
  const int8_t* weights;
  const int32_t* corrections;  // subtracted from the sums
  int32_t* out;
  int64_t columns;
};

#if TENSH_ISA_VARIANTS
#define TENSH_BYTES __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")))

// Multiplies `n_rows` rows with `n` vectors of outputs, from vector `first` on.
template <int n_rows, int n>
TENSH_BYTES void Tile(const Product& p, int64_t first) {
  const int64_t row_bytes = p.quads * kQuad, vector_bytes = row_bytes * kLanes;
  const int8_t* weights = p.weights + first * vector_bytes;
  __m512i sums[n_rows][n];
  for (int r = 0; r < n_rows; ++r)
    for (int v = 0; v < n; ++v) sums[r][v] = _mm512_setzero_si512();
  for (int64_t k = 0; k < p.quads; ++k) {
    __m512i w[n];
    for (int v = 0; v < n; ++v) w[v] = _mm512_loadu_si512(weights + v * vector_bytes + k * 64);
    for (int r = 0; r < n_rows; ++r) {
      int32_t quad;
      std::memcpy(&quad, p.rows + r * row_bytes + k * kQuad, sizeof(quad));
      const __m512i x = _mm512_set1_epi32(quad);
      for (int v = 0; v < n; ++v) sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], x, w[v]);
    }
  }
  for (int v = 0; v < n; ++v) {
    const int64_t column = (first + v) * kLanes;
    const int64_t count = std::min(p.columns - column, kLanes);
    const auto mask = static_cast<__mmask16>((1u << count) - 1);
    const __m512i correction = _mm512_loadu_si512(p.corrections + column);
    for (int r = 0; r < n_rows; ++r)
      _mm512_mask_storeu_epi32(p.out + r * p.columns + column, mask,
                               _mm512_sub_epi32(sums[r][v], correction));
  }
}

template <int n_rows>
void TileRow(const Product& p) {
  const int64_t vectors = (p.columns + kLanes - 1) / kLanes;
  int64_t v = 0;
  for (; v + 4 <= vectors; v += 4) Tile<n_rows, 4>(p, v);
  if (v + 2 <= vectors) Tile<n_rows, 2>(p, v), v += 2;
  if (v < vectors) Tile<n_rows, 1>(p, v);
}

inline void Multiply(Product p, int64_t rows) {
  for (; rows >= kRows; rows -= kRows) {
    TileRow<kRows>(p);
    p.rows += kRows * p.quads * kQuad;
    p.out += kRows * p.columns;
  }
  const auto rest = [&](int64_t n) {
    p.rows += n * p.quads * kQuad;
    p.out += n * p.columns;
    rows -= n;
  };
  if (rows >= 4) TileRow<4>(p), rest(4);
  if (rows >= 2) TileRow<2>(p), rest(2);
  if (rows > 0) TileRow<1>(p);
}
#else
inline void Multiply(const Product& p, int64_t rows) {
  const int64_t row_bytes = p.quads * kQuad;
  for (int64_t i = 0; i < rows * p.columns; ++i) {
    const int64_t column = i % p.columns;
    const uint8_t* x = p.rows + i / p.columns * row_bytes;
    const int8_t* w = p.weights + column / kLanes * row_bytes * kLanes + column % kLanes * kQuad;
    int32_t sum = -p.corrections[column];
    for (int64_t k = 0; k < row_bytes; ++k) sum += x[k] * w[k / kQuad * kLanes * kQuad + k % kQuad];
    p.out[i] = sum;
  }
}
#endif

// `count` channels of one output of a depthwise convolution. `taps` are the offsets of its pixels.
struct DepthwiseWindow {
  const uint8_t* in;
  const int64_t *offsets, *taps;  // of the pixels that lie inside, and which taps they belong to
  int64_t n_taps, channels;
  const int32_t* weights;  // [tap][channel]; the upper half of each is 0
  int32_t zero;
  bool is_signed;
};

#if TENSH_ISA_VARIANTS
TENSH_BYTES inline void RunWindow(const DepthwiseWindow& w, int64_t row, int32_t* out) {
  const __m512i zero = _mm512_set1_epi32(w.zero);
  for (int64_t c = 0; c < w.channels; c += kLanes) {
    const int64_t count = std::min(w.channels - c, kLanes);
    const auto mask = static_cast<__mmask16>((1u << count) - 1);
    __m512i sum = _mm512_setzero_si512();
    for (int64_t t = 0; t < w.n_taps; ++t) {
      const __m128i bytes = _mm_maskz_loadu_epi8(mask, w.in + w.offsets[t] + c);
      const __m512i wide = w.is_signed ? _mm512_maskz_cvtepi8_epi32(0xffff, bytes)
                                       : _mm512_maskz_cvtepu8_epi32(0xffff, bytes);
      sum = _mm512_dpwssd_epi32(sum, _mm512_sub_epi32(wide, zero),
                                _mm512_loadu_si512(w.weights + w.taps[t] * row + c));
    }
    _mm512_mask_storeu_epi32(out + c, mask, sum);
  }
}
#else
inline void RunWindow(const DepthwiseWindow& w, int64_t row, int32_t* out) {
  for (int64_t c = 0; c < w.channels; ++c) {
    out[c] = 0;
    for (int64_t t = 0; t < w.n_taps; ++t) {
      const uint8_t byte = w.in[w.offsets[t] + c];
      const int32_t x = (w.is_signed ? static_cast<int8_t>(byte) : int32_t{byte}) - w.zero;
      out[c] += x * static_cast<int16_t>(w.weights[w.taps[t] * row + c]);
    }
  }
}
#endif

#undef TENSH_BYTES

}  // namespace tensh::ops::bytes
