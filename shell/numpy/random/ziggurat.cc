#include "shell/numpy/random/ziggurat.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace tensh::shell::np {
namespace {

constexpr size_t kLayers = 256;

// Layer i has the width x[i]. A draw below inside[i] is accepted without evaluating the curve.
template <class Real, class Bits>
struct Tables {
  std::array<Bits, kLayers> inside;
  std::array<Real, kLayers> width;   // Width of one unit of a draw.
  std::array<Real, kLayers> height;  // Height of the curve at x[i].
};

constexpr double kNormalEdge = 3.6541528853610087963519472518;
constexpr double kNormalEdgeInverse = 0.27366123732975827203338247596;
constexpr double kExponentialEdge = 7.6971174701310497140446280481;

// The layers of the normal curve. This recurrence in doubles, with the area of a layer rounded as
// below, produces numpy's tables. One entry differs by one unit in the last place, because another
// exp() rounded it differently.
struct NormalLayers {
  std::array<double, kLayers> x, height;
};
NormalLayers MakeNormalLayers() {
  constexpr double kArea = 0.004928673233974652;
  NormalLayers out;
  double x = kNormalEdge;
  for (size_t i = kLayers - 1; i > 0; --i) {
    if (i < kLayers - 1) x = std::sqrt(-2 * std::log(kArea / x + out.height[i + 1]));
    out.x[i] = x;
    out.height[i] = std::exp(-0.5 * x * x);
    if (i == 38) out.height[i] = std::nextafter(out.height[i], 1.0);
  }
  out.x[0] = kArea / out.height[kLayers - 1];
  out.height[0] = 1;
  return out;
}

template <class Real, class Bits>
Tables<Real, Bits> MakeNormal(int mantissa) {
  const NormalLayers layers = MakeNormalLayers();
  const double unit = std::ldexp(1.0, mantissa);
  Tables<Real, Bits> out{};
  for (size_t i = 0; i < kLayers; ++i) {
    const size_t above = i == 0 ? kLayers - 1 : i - 1;
    const double ratio = layers.x[above] / layers.x[i];
    out.inside[i] = i == 1 ? 0 : static_cast<Bits>(std::nearbyint(ratio * unit));
    out.width[i] = static_cast<Real>(layers.x[i] / unit);
    out.height[i] = static_cast<Real>(layers.height[i]);
  }
  return out;
}

// The recurrence of the exponential loses digits in double precision, but numpy's tables are exact.
#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else  // on 64-bit ARM, long double is the same format
using Quad = long double;
static_assert(std::numeric_limits<Quad>::digits == 113);
#endif

Quad Exp(Quad x) {
  constexpr int kHalvings = 10, kTerms = 12;
  x /= 1 << kHalvings;
  Quad sum = 1;
  for (int n = kTerms; n > 0; --n) sum = 1 + x * sum / n;
  for (int i = 0; i < kHalvings; ++i) sum *= sum;
  return sum;
}

Quad Log(Quad y) {
  const Quad start = std::log(static_cast<double>(y)), e = Exp(start);
  return start + 2 * (y - e) / (y + e);
}

// Rounds to nine digits, as in numpy's source.
float AsPrinted(Quad v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.8e", static_cast<double>(v));
  return std::strtof(text, nullptr);
}

struct ExponentialLayers {
  std::array<Quad, kLayers> x, height;
};
ExponentialLayers MakeExponentialLayers() {
  ExponentialLayers out;
  const Quad edge = Quad(kExponentialEdge) - 0x1.a1eb4a1d9b516p-52;  // To 32 digits.
  const Quad area = (edge + 1) * Exp(-edge);
  for (size_t i = kLayers - 1; i > 0; --i) {
    const bool first = i == kLayers - 1;
    out.height[i] = first ? Exp(-edge) : out.height[i + 1] + area / out.x[i + 1];
    out.x[i] = first ? edge : -Log(out.height[i]);
  }
  out.x[0] = area / out.height[kLayers - 1];
  out.height[0] = 1;
  return out;
}

Tables<double, uint64_t> MakeExponential() {
  const ExponentialLayers layers = MakeExponentialLayers();
  Tables<double, uint64_t> out{};
  for (size_t i = 0; i < kLayers; ++i) {
    const Quad ratio = layers.x[i == 0 ? kLayers - 1 : i - 1] / layers.x[i];
    out.inside[i] = i == 1 ? 0 : 2 * static_cast<uint64_t>(ratio * 0x1p52);
    out.width[i] = static_cast<double>(layers.x[i] / 0x1p53);
    out.height[i] = static_cast<double>(layers.height[i]);
  }
  return out;
}

Tables<float, uint32_t> MakeExponentialFloat() {
  const ExponentialLayers layers = MakeExponentialLayers();
  Tables<float, uint32_t> out{};
  for (size_t i = 0; i < kLayers; ++i) {
    const Quad ratio = layers.x[i == 0 ? kLayers - 1 : i - 1] / layers.x[i];
    out.inside[i] =
        i == 1 ? 0 : static_cast<uint32_t>(ratio * 0x1p23 + 0.5);  // NOLINT: Quad has no lround
    out.width[i] = AsPrinted(layers.x[i] / 0x1p23);
    out.height[i] = AsPrinted(layers.height[i]);
  }
  return out;
}

}  // namespace

double ZigguratNormal(Draws& g) {
  static const auto& t = *new Tables(MakeNormal<double, uint64_t>(52));
  for (;;) {
    const uint64_t bits = g.Next64();
    const size_t layer = bits & 0xff;
    const bool negative = bits >> 8 & 1;
    const uint64_t draw = bits >> 9 & 0x000fffffffffffff;
    const double magnitude = static_cast<double>(draw) * t.width[layer];
    const double x = negative ? -magnitude : magnitude;
    if (draw < t.inside[layer]) return x;
    if (layer == 0) {  // The tail, by Marsaglia's method.
      for (;;) {
        const double over = -kNormalEdgeInverse * std::log1p(-g.NextDouble());
        const double y = -std::log1p(-g.NextDouble());
        if (y + y > over * over) return draw >> 8 & 1 ? -(kNormalEdge + over) : kNormalEdge + over;
      }
    }
    const double step = t.height[layer - 1] - t.height[layer];
    if (step * g.NextDouble() + t.height[layer] < std::exp(-0.5 * x * x)) return x;
  }
}

float ZigguratNormalFloat(Draws& g) {
  static const auto& t = *new Tables(MakeNormal<float, uint32_t>(23));
  constexpr float kEdge = static_cast<float>(kNormalEdge);
  constexpr float kEdgeInverse = static_cast<float>(kNormalEdgeInverse);
  for (;;) {
    const uint32_t bits = g.Next32();
    const size_t layer = bits & 0xff;
    const bool negative = bits >> 8 & 1;
    const uint32_t draw = bits >> 9;
    const float magnitude = static_cast<float>(draw) * t.width[layer];
    const float x = negative ? -magnitude : magnitude;
    if (draw < t.inside[layer]) return x;
    if (layer == 0) {
      for (;;) {
        const float over = -kEdgeInverse * std::log1p(-g.NextFloat());
        const float y = -std::log1p(-g.NextFloat());
        if (y + y > over * over) return draw >> 8 & 1 ? -(kEdge + over) : kEdge + over;
      }
    }
    const float step = t.height[layer - 1] - t.height[layer];
    if (step * g.NextFloat() + t.height[layer] < std::exp(-0.5 * x * x)) return x;
  }
}

double ZigguratExponential(Draws& g) {
  static const auto& t = *new Tables(MakeExponential());
  for (;;) {
    const uint64_t bits = g.Next64() >> 3;
    const size_t layer = bits & 0xff;
    const uint64_t draw = bits >> 8;
    const double x = static_cast<double>(draw) * t.width[layer];
    if (draw < t.inside[layer]) return x;
    if (layer == 0) return kExponentialEdge - std::log1p(-g.NextDouble());
    const double step = t.height[layer - 1] - t.height[layer];
    if (step * g.NextDouble() + t.height[layer] < std::exp(-x)) return x;
  }
}

float ZigguratExponentialFloat(Draws& g) {
  static const auto& t = *new Tables(MakeExponentialFloat());
  constexpr float kEdge = static_cast<float>(kExponentialEdge);
  for (;;) {
    const uint32_t bits = g.Next32() >> 1;
    const size_t layer = bits & 0xff;
    const uint32_t draw = bits >> 8;
    const float x = static_cast<float>(draw) * t.width[layer];
    if (draw < t.inside[layer]) return x;
    if (layer == 0) return kEdge - std::log1p(-g.NextFloat());
    const float step = t.height[layer - 1] - t.height[layer];
    if (step * g.NextFloat() + t.height[layer] < std::exp(-x)) return x;
  }
}

}  // namespace tensh::shell::np
