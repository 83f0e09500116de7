#include "ops/nn/conv/integer_conv.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/nn/conv/conv_kernels.h"
#include "ops/support/isa.h"
#include "ops/support/tiles/scratch.h"

#if TENSH_ISA_VARIANTS
#include <immintrin.h>
#endif

namespace tensh::ops {
namespace {

constexpr int64_t kLanes = 16, kQuad = 4;  // outputs of a vector, and inputs that are added at once
constexpr int64_t kRows = 6;               // rows of a tile
constexpr int64_t kMostInputs = 65532;     // of one output, so that a sum fits 32 bits
constexpr double kExact = 1 << 24;         // sums of floats below it are exact
constexpr int64_t kBlockBytes = 64 << 10;  // of the windows, and of the sums, of a block of rows

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

void Multiply(Product p, int64_t rows) {
  for (; rows >= kRows; rows -= kRows) {
    TileRow<kRows>(p);
    p.rows += kRows * p.quads * kQuad;
    p.out += kRows * p.columns;
  }
  for (; rows > 0; --rows) {
    TileRow<1>(p);
    p.rows += p.quads * kQuad;
    p.out += p.columns;
  }
}
#else
void Multiply(const Product&, int64_t) {}
#endif

class IntegerConv final : public IntegerRows {
 public:
  WindowAttrs window;
  Shape filter;                      // [rows, columns, channels, outputs]
  std::vector<int8_t> weights;       // packed
  std::vector<int32_t> corrections;  // for each output, and zeros up to a whole vector
  uint8_t flip = 0;                  // makes a byte of the input unsigned
  uint8_t zero = 0;                  // such a byte for padding

  int64_t columns() const override { return filter[3]; }

  Result<Shape> ShapeFor(const Tensor& in) const override {
    ConvDims d;
    TENSH_RETURN_IF_ERROR(MakeConv(window, in.shape(), filter, d));
    return ConvOutShape(window, d);
  }

  void Run(KernelCtx& c, const Tensor& in, Taker take, void* context) const override {
    ConvDims d;
    if (!MakeConv(window, in.shape(), filter, d).ok()) return;  // as ShapeFor has checked
    const int64_t n = columns(), quads = (d.patch() + kQuad - 1) / kQuad, bytes = quads * kQuad;
    const int64_t total = d.batch * d.positions();
    const int64_t fit = std::min(kBlockBytes / bytes, kBlockBytes / (4 * n)) / kRows * kRows;
    const int64_t block = std::max(fit, kRows), blocks = (total + block - 1) / block;
    const double ns = 0.004 * static_cast<double>(block * bytes) * static_cast<double>(n);
    c.ParallelForAll(blocks, ns, [&](int64_t begin, int64_t end) {
      const Scratch<uint8_t> rows(c.allocator(), block * bytes);
      const Scratch<int32_t> sums(c.allocator(), block * n);
      for (; begin < end && !c.cancelled(); ++begin) {
        const int64_t first = begin * block, count = std::min(block, total - first);
        Fill(d, static_cast<const uint8_t*>(in.raw()), first, count, bytes, rows.get());
        Multiply({rows.get(), quads, weights.data(), corrections.data(), sums.get(), n}, count);
        take(context, first, count, sums.get());
      }
    });
  }

 private:
  // Copies windows [first, first + count), `bytes` apart.
  void Fill(const ConvDims& d, const uint8_t* in, int64_t first, int64_t count, int64_t bytes,
            uint8_t* rows) const {
    const int64_t size = d.patch();
    if (d.is_product() && bytes == size) {
      std::memcpy(rows, in + first * size, static_cast<size_t>(count * size));
    } else {
      for (int64_t i = 0; i < count; ++i) {
        FillWindow(d, in, first + i, rows + i * bytes);
        std::memset(rows + i * bytes + size, 0, static_cast<size_t>(bytes - size));
      }
    }
    if (!flip) return;
    TENSH_VECTORIZE
    for (int64_t i = 0; i < count * bytes; ++i) rows[i] ^= flip;
  }

  void FillWindow(const ConvDims& d, const uint8_t* in, int64_t position, uint8_t* to) const {
    const int64_t at = position % d.positions(), r = at / d.columns.out, q = at % d.columns.out;
    const int64_t channels = d.filter_channels;
    const auto line = static_cast<size_t>(d.columns.size * channels);
    const int64_t begin = d.columns.Begin(q), end = d.columns.End(q);
    const bool whole = d.columns.dilation == 1 && begin == 0 && end == d.columns.size;
    in += position / d.positions() * d.image();
    for (int64_t i = 0; i < d.rows.size; ++i, to += line) {
      const int64_t row = d.rows.Element(r, i);
      if (row < 0 || !whole) std::memset(to, zero ^ flip, line);
      if (row < 0 || begin >= end) continue;
      const uint8_t* from = in + row * d.columns.in * channels;
      if (whole) {
        std::memcpy(to, from + d.columns.At(q, 0) * channels, line);
        continue;
      }
      for (int64_t j = begin; j < end; ++j)
        std::memcpy(to + j * channels, from + d.columns.At(q, j) * channels,
                    static_cast<size_t>(channels));
    }
  }
};

// ---- the pattern ----

bool IsOp(const NodesBefore& g, uint32_t v, std::string_view name) {
  const OpDef* op = g.OpOf(v);
  return op && op->name == name;
}

bool IsScalar(const NodesBefore& g, uint32_t v, float wanted) {
  const Tensor* t = g.ConstantOf(v);
  return t && t->dtype() == DType::kFloat && t->num_elements() == 1 &&
         t->data<float>()[0] == wanted;
}

// Bytes minus a zero point, as floats. Returns the bytes, or UINT32_MAX.
uint32_t MatchBytes(const NodesBefore& g, uint32_t v, int64_t& zero, JoinedKernel& made) {
  if (!IsOp(g, v, "Cast") || g.TypeOf(v) != DType::kFloat) return UINT32_MAX;
  made.inner.push_back(v);
  v = g.InputOf(v, 0);
  zero = 0;
  if (IsOp(g, v, "Sub")) {
    const Tensor* t = g.ConstantOf(g.InputOf(v, 1));
    if (!t || t->dtype() != DType::kInt32 || t->num_elements() != 1 || t->rank()) return UINT32_MAX;
    zero = t->data<int32_t>()[0];
    made.inner.push_back(v);
    v = g.InputOf(v, 0);
  }
  if (g.TypeOf(v) == DType::kInt32) {
    if (!IsOp(g, v, "Cast")) return UINT32_MAX;
    made.inner.push_back(v);
    v = g.InputOf(v, 0);
  }
  return g.TypeOf(v) == DType::kInt8 || g.TypeOf(v) == DType::kUint8 ? v : UINT32_MAX;
}

// Finds the weights of which these are the multiples of 16 and the rest:
// high = floor(w / 16 + 0.5), low = w - high * 16.
uint32_t MatchHalves(const NodesBefore& g, uint32_t high, uint32_t low, JoinedKernel& made) {
  if (!IsOp(g, low, "Sub") || !IsOp(g, high, "Floor")) return UINT32_MAX;
  const uint32_t w = g.InputOf(low, 0), back = g.InputOf(low, 1), moved = g.InputOf(high, 0);
  if (!IsOp(g, back, "Mul") || g.InputOf(back, 0) != high || !IsScalar(g, g.InputOf(back, 1), 16) ||
      !IsOp(g, moved, "AddV2") || !IsScalar(g, g.InputOf(moved, 1), 0.5f))
    return UINT32_MAX;
  const uint32_t scaled = g.InputOf(moved, 0);
  if (!IsOp(g, scaled, "Mul") || g.InputOf(scaled, 0) != w ||
      !IsScalar(g, g.InputOf(scaled, 1), 0.0625f))
    return UINT32_MAX;
  made.inner.insert(made.inner.end(), {low, high, back, moved, scaled});
  return w;
}

// Packs the weights. Returns false if they are not bytes, or if the sums of floats might not be exact.
bool Pack(const Tensor& w, bool halves, IntegerConv& conv) {
  const int64_t n = w.dim(3), k = w.num_elements() / std::max<int64_t>(n, 1);
  if (!n || !k || k > kMostInputs) return false;
  const int64_t quads = (k + kQuad - 1) / kQuad, vectors = (n + kLanes - 1) / kLanes;
  conv.weights.assign(static_cast<size_t>(vectors * kLanes * quads * kQuad), 0);
  conv.corrections.assign(static_cast<size_t>(vectors * kLanes), 0);
  std::vector<double> sizes(static_cast<size_t>(n));
  const float* from = w.data<float>();
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const float x = *from++;
      if (!(x >= -128 && x <= 127) || x != std::floor(x)) return false;
      const auto byte = static_cast<int8_t>(x);
      conv.weights[static_cast<size_t>(
          ((j / kLanes * quads + i / kQuad) * kLanes + j % kLanes) * kQuad + i % kQuad)] = byte;
      conv.corrections[static_cast<size_t>(j)] += byte * conv.zero;
      sizes[static_cast<size_t>(j)] += std::abs(static_cast<double>(x));
    }
  const double most = *std::max_element(sizes.begin(), sizes.end());
  const auto inputs = static_cast<double>(k);
  const double largest = std::max(static_cast<double>(conv.zero), 255.0 - conv.zero);
  return halves ? (most / 16 + inputs / 2) * largest < kExact && 8 * inputs * largest < kExact
                : most * largest < kExact;
}

bool SameWindows(const WindowAttrs& a, const WindowAttrs& b) {
  return std::equal(a.strides, a.strides + WindowAttrs::kDims, b.strides) &&
         std::equal(a.dilations, a.dilations + WindowAttrs::kDims, b.dilations) &&
         a.padding == b.padding;
}

}  // namespace

std::shared_ptr<const IntegerRows> MatchIntegerConv(const NodesBefore& g, uint32_t conv,
                                                    uint32_t high, JoinedKernel& made) {
  if (!CpuMultipliesBytes() || !IsOp(g, conv, "Conv2D")) return nullptr;
  const std::shared_ptr<const KernelState> state = g.StateOf(conv);
  const auto* window = dynamic_cast<const WindowAttrs*>(state.get());
  if (!window || window->channels_first || window->padding == Padding::kExplicit) return nullptr;
  made.inner.push_back(conv);
  uint32_t w = g.InputOf(conv, 1);
  if (high != UINT32_MAX) {
    const std::shared_ptr<const KernelState> other = g.StateOf(high);
    const auto* same = dynamic_cast<const WindowAttrs*>(other.get());
    if (!IsOp(g, high, "Conv2D") || !same || !SameWindows(*window, *same) ||
        g.InputOf(high, 0) != g.InputOf(conv, 0))
      return nullptr;
    made.inner.push_back(high);
    w = MatchHalves(g, g.InputOf(high, 1), w, made);
    if (w == UINT32_MAX) return nullptr;
  }
  const Tensor* weights = g.ConstantOf(w);
  int64_t zero = 0;
  const uint32_t x = MatchBytes(g, g.InputOf(conv, 0), zero, made);
  if (x == UINT32_MAX || !weights || weights->dtype() != DType::kFloat || weights->rank() != 4)
    return nullptr;
  const Shape& shape = g.ShapeOf(x);
  if (!shape.has_rank() || shape.rank() != 4 || shape[3] != weights->dim(2))
    return nullptr;  // no groups
  auto made_conv = std::make_shared<IntegerConv>();
  made_conv->flip = g.TypeOf(x) == DType::kInt8 ? 128 : 0;
  zero += made_conv->flip;
  if (zero < 0 || zero > 255) return nullptr;
  made_conv->zero = static_cast<uint8_t>(zero);
  made_conv->window = *window;
  made_conv->filter = weights->shape();
  if (!Pack(*weights, high != UINT32_MAX, *made_conv)) return nullptr;
  made.inputs.push_back(x);
  return made_conv;
}

}  // namespace tensh::ops
