#include "ops/nn/conv/integer_conv.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/nn/conv/byte_product.h"
#include "ops/nn/conv/conv_kernels.h"
#include "ops/nn/conv/depthwise_dims.h"
#include "ops/nn/conv/integer_match.h"
#include "ops/nn/conv/patches.h"
#include "ops/support/isa.h"
#include "ops/support/tiles/scratch.h"

namespace tensh::ops {
namespace {

using bytes::DepthwiseWindow;
using bytes::kLanes;
using bytes::kQuad;
using bytes::kRows;
using bytes::Multiply;
using bytes::RunWindow;

constexpr int64_t kMostInputs = 65532;     // of one output, so that a sum fits 32 bits
constexpr double kExact = 1 << 24;         // sums of floats below it are exact
constexpr int64_t kBlockBytes = 64 << 10;  // of the windows, and of the sums, of a block of rows

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

class IntegerDepthwise final : public IntegerRows {
 public:
  WindowAttrs window;
  Shape filter;  // [rows, columns, channels, 1]
  std::vector<int32_t> weights;
  int64_t row = 0;  // channels in whole vectors
  int32_t zero = 0;
  bool is_signed = false;

  // A row of the matrix is one output pixel with all of its channels, which the taps of the filter do not
  // mix.
  int64_t columns() const override { return filter[2]; }

  Result<Shape> ShapeFor(const Tensor& in) const override {
    DepthwiseDims d;
    TENSH_RETURN_IF_ERROR(MakeDepthwise(window, in.shape(), filter, d));
    return DepthwiseOutShape(window, d);
  }

  void Run(KernelCtx& c, const Tensor& in, Taker take, void* context) const override {
    DepthwiseDims d;
    if (!MakeDepthwise(window, in.shape(), filter, d).ok()) return;  // as ShapeFor has checked
    const int64_t lines = d.batch * d.rows.out, taps = d.rows.size * d.columns.size;
    const int64_t image = d.rows.in * d.columns.in * d.channels;
    const double ns = 0.1 * static_cast<double>(d.columns.out * taps * d.channels) + 100;
    const WindowRange inner = InsideOf(d.columns);
    c.ParallelForAll(lines, ns, [&](int64_t begin, int64_t end) {
      const Scratch<int32_t> sums(c.allocator(), d.columns.out * d.channels);
      const Scratch<int64_t> offsets(c.allocator(), 2 * taps);
      for (; begin < end && !c.cancelled(); ++begin) {
        const uint8_t* first = static_cast<const uint8_t*>(in.raw()) + begin / d.rows.out * image;
        DepthwiseWindow w{first, offsets.get(), offsets.get() + taps, 0, d.channels, weights.data(),
                          zero,  is_signed};
        for (int64_t q = 0; q < d.columns.out; ++q) {
          const bool moved = q > inner.begin && q < inner.end;
          w.in = first + (moved ? (q - inner.begin) * d.columns.stride * d.channels : 0);
          if (!moved) w.n_taps = FindTaps(d, begin % d.rows.out, q, offsets.get());
          RunWindow(w, row, sums.get() + q * d.channels);
        }
        take(context, begin * d.columns.out, d.columns.out, sums.get());
      }
    });
  }

 private:
  // Writes the offsets of the pixels that lie inside, and after all of them their taps.
  static int64_t FindTaps(const DepthwiseDims& d, int64_t r, int64_t q, int64_t* to) {
    const int64_t taps = d.rows.size * d.columns.size;
    int64_t n = 0;
    for (int64_t i = d.rows.Begin(r); i < d.rows.End(r); ++i)
      for (int64_t j = d.columns.Begin(q); j < d.columns.End(q); ++j) {
        to[n] = (d.rows.At(r, i) * d.columns.in + d.columns.At(q, j)) * d.channels;
        to[taps + n++] = i * d.columns.size + j;
      }
    return n;
  }
};

// ---- the pattern ----

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
  // An output's weights are kQuad apart, the vectors of outputs a whole row of quads.
  const float* from = w.data<float>();
  for (int64_t i = 0; i < k; ++i) {
    int8_t* to = conv.weights.data() + i / kQuad * kLanes * kQuad + i % kQuad;
    for (int64_t j = 0; j < n; ++j) {
      const float x = *from++;
      if (!(x >= -128 && x <= 127) || x != std::floor(x)) return false;
      const auto byte = static_cast<int8_t>(x);
      to[(j / kLanes * quads * kLanes + j % kLanes) * kQuad] = byte;
      conv.corrections[static_cast<size_t>(j)] += byte * conv.zero;
      sizes[static_cast<size_t>(j)] += std::abs(static_cast<double>(x));
    }
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

std::shared_ptr<const IntegerRows> MatchIntegerDepthwise(const NodesBefore& g, uint32_t conv,
                                                         uint32_t high, JoinedKernel& made) {
  if (!CpuMultipliesBytes() || high != UINT32_MAX) return nullptr;
  const std::shared_ptr<const KernelState> state = g.StateOf(conv);
  const auto* window = dynamic_cast<const WindowAttrs*>(state.get());
  if (!window || window->channels_first || window->padding == Padding::kExplicit) return nullptr;
  made.inner.push_back(conv);
  uint32_t w = g.InputOf(conv, 1);
  const Shape& filter = g.ShapeOf(w);
  if (IsOp(g, w, "Reshape")) {
    made.inner.push_back(w);
    w = g.InputOf(w, 0);
  }
  const Tensor* weights = g.ConstantOf(w);
  int64_t zero = 0;
  const uint32_t x = MatchBytes(g, g.InputOf(conv, 0), zero, made);
  const bool is_signed = x != UINT32_MAX && g.TypeOf(x) == DType::kInt8;
  const int64_t least = is_signed ? -128 : 0;
  if (x == UINT32_MAX || !weights || weights->dtype() != DType::kFloat || zero < least ||
      zero > least + 255 || !filter.IsFullyKnown() || filter.rank() != 4 || filter[3] != 1 ||
      filter.num_elements() != weights->num_elements() || !filter.num_elements())
    return nullptr;
  auto made_conv = std::make_shared<IntegerDepthwise>();
  const int64_t channels = filter[2], taps = filter[0] * filter[1];
  if (taps > 256) return nullptr;  // sums of floats are exact: 256 * 255 * 255 < 2^24
  made_conv->window = *window;
  made_conv->filter = filter;
  made_conv->row = (channels + kLanes - 1) / kLanes * kLanes;
  made_conv->zero = static_cast<int32_t>(zero);
  made_conv->is_signed = is_signed;
  made_conv->weights.assign(static_cast<size_t>(taps * made_conv->row), 0);
  for (int64_t t = 0; t < taps; ++t)
    for (int64_t i = 0; i < channels; ++i) {
      const float value = weights->data<float>()[t * channels + i];
      if (!(value >= -255 && value <= 255) || value != std::floor(value)) return nullptr;
      made_conv->weights[static_cast<size_t>(t * made_conv->row + i)] =
          static_cast<uint16_t>(static_cast<int16_t>(value));
    }
  made.inputs.push_back(x);
  return made_conv;
}

}  // namespace tensh::ops
