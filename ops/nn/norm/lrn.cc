// LRN, local response normalization across channels, and its gradient.
#include <algorithm>
#include <cmath>

#include "ops/nn/norm/lrn_state.h"
#include "ops/op_file.h"
#include "ops/support/isa.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// sums[i] = the sum of `count` squares from i on.
struct SumWindows {
  TENSH_ALWAYS_INLINE static void Run(float* sums, const float* squares, int64_t n, int64_t count) {
    for (int64_t shift = 0; shift < count; ++shift) {
      TENSH_VECTORIZE
      for (int64_t i = 0; i < n; ++i) sums[i] += squares[i + shift];
    }
  }
};

// Computes bias + alpha * (sum of squares within the radius) for each channel of some pixels. The squares of all pixels are in one
// array, with zeros between the pixels, so that the loops are long.
class Norms {
 public:
  Norms(const LrnState& s, int64_t n)
      : s_(s), n_(n), radius_(std::min(s.radius, n)), step_(n + radius_) {}
  int64_t pixels() const { return std::max<int64_t>(1, 1024 / step_); }  // at most, in a call

  // The norms of pixel p begin at p * step().
  const std::vector<float>& Of(const float* in, int64_t pixels) {
    const int64_t total = pixels * step_;
    squares_.assign(static_cast<size_t>(total + 2 * radius_), 0.0f);
    sums_.assign(static_cast<size_t>(total), 0.0f);
    for (int64_t p = 0; p < pixels; ++p) {
      float* to = squares_.data() + radius_ + p * step_;
      for (int64_t k = 0; k < n_; ++k) to[k] = in[p * n_ + k] * in[p * n_ + k];
    }
    Dispatch<SumWindows>(sums_.data(), static_cast<const float*>(squares_.data()), total,
                         2 * radius_ + 1);
    for (float& sum : sums_) sum = s_.bias + s_.alpha * sum;
    return sums_;
  }
  int64_t step() const { return step_; }

 private:
  const LrnState& s_;
  const int64_t n_, radius_, step_;
  std::vector<float> squares_, sums_;
};

// out = in * norm ** -beta, for n channels.
void Scale(float beta, const float* in, const float* norms, int64_t n, float* out) {
  const auto run = [&](float of) {
    TENSH_VECTORIZE
    for (int64_t k = 0; k < n; ++k) out[k] = in[k] * LrnScale(of, norms[k]);
  };
  // With a constant exponent, the loop is vectorized.
  if (beta == 0.5f)
    run(0.5f);
  else if (beta == 0.75f)
    run(0.75f);
  else
    run(beta);
}

double PixelCost(const LrnState& s, int64_t n) {
  return static_cast<double>(n) * (20 + 2 * static_cast<double>(std::min(n, 2 * s.radius)));
}

struct Lrn {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<LrnState>();
    const Tensor& x = c.in(0);
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    if (!y->num_elements()) return {};
    const int64_t n = x.dim(3);
    const T* in = x.data<T>();
    T* out = y->data<T>();
    c.ParallelFor(x.num_elements() / n, PixelCost(s, n), [&](int64_t begin, int64_t end) {
      Norms norms(s, n);
      for (int64_t p = begin; p < end; p += norms.pixels()) {
        const int64_t pixels = std::min(norms.pixels(), end - p);
        const std::vector<float>& of = norms.Of(in + p * n, pixels);
        for (int64_t i = 0; i < pixels; ++i)
          Scale(s.beta, in + (p + i) * n, of.data() + i * norms.step(), n, out + (p + i) * n);
      }
    });
    return {};
  }
};

struct LrnGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<LrnState>();
    const Tensor &grads = c.in(0), &x = c.in(1), &y = c.in(2);
    if (!(grads.shape() == x.shape()) || !(y.shape() == x.shape()))
      return InvalidArgument("input_grads, input_image, and out_image should have the same shape: ",
                             grads.shape(), ", ", x.shape(), ", ", y.shape());
    TENSH_OUTPUT(dx, c.Output(0, x.shape()));
    if (!dx->num_elements()) return {};
    const int64_t n = x.dim(3);
    std::fill_n(dx->data<T>(), dx->num_elements(), T{0});
    c.ParallelFor(x.num_elements() / n, 2 * PixelCost(s, n), [&](int64_t begin, int64_t end) {
      Norms norms(s, n);
      for (int64_t p = begin; p < end; p += norms.pixels()) {
        const int64_t pixels = std::min(norms.pixels(), end - p);
        const std::vector<float>& of = norms.Of(x.data<T>() + p * n, pixels);
        for (int64_t i = 0; i < pixels; ++i) {
          const int64_t at = (p + i) * n;
          Pixel(s, n, grads.data<T>() + at, x.data<T>() + at, y.data<T>() + at,
                of.data() + i * norms.step(), dx->data<T>() + at);
        }
      }
    });
    return {};
  }
  static void Pixel(const LrnState& s, int64_t n, const float* dy, const float* in,
                    const float* out, const float* norms, float* dx) {
    for (int64_t j = 0; j < n; ++j) {
      const float norm = norms[j];
      const float shared = -2 * s.alpha * s.beta * (out[j] / norm) * dy[j];
      const int64_t end = std::min(n, j + s.radius + 1);
      for (int64_t k = std::max<int64_t>(0, j - s.radius); k < end; ++k) dx[k] += in[k] * shared;
      dx[j] += LrnScale(s.beta, norm) * dy[j];
    }
  }
};

Status OfRank4(ShapeCtx& c) {
  Shape shape = Shape::UnknownOfRank(4);
  for (int i = 0; i < c.num_inputs(); ++i) {
    TENSH_ASSIGN(shape, MergeShapes(shape, c.in(i)));
  }
  c.Set(0, shape);
  return {};
}

Status LrnBackward(GradScope& g) {
  std::vector<NamedAttr> attrs;
  for (const char* name : {"depth_radius", "bias", "alpha", "beta"})
    attrs.push_back({name, *g.attrs().Find(name)});
  return g.Return({g.Op("LRNGrad", {g.dy(), g.x(0), g.y(0)}, std::move(attrs))});
}

constexpr char kAttrs[] =
    "depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5, T: {half, "
    "bfloat16, float} = float";
constexpr char kDoc[] =
    " depth_radius: the number of channels on each side that contribute. bias, alpha, beta: of the "
    "divisor, (bias + alpha * sum of squares) ** beta. T: the element type.";

}  // namespace

TENSH_OPS(nn_norm_lrn) {
  r.Op({.name = "LRN",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("Divides the channels of each pixel by a norm of their neighbors. input: "
                      "images [batch, rows, columns, channels].",
                      kDoc),
        .contract = "input: rank 4",
        .shape = OfRank4,
        .grad = LrnBackward,
        .examples = {{"tf.nn.lrn([[[[3., 0.]]]], depth_radius=0)[0, 0]",
                      "[[0.94868326 0.        ]]"}}})
      .Cpu<float>(Lrn{}, {.prepare = PrepareFrom<LrnState>});
  r.Op({.name = "LRNGrad",
        .inputs = "input_grads: T, input_image: T, output_image: T",
        .outputs = "output: T",
        .attrs = kAttrs,
        .doc = StrCat("The gradient of LRN. input_grads: the incoming gradient. input_image, "
                      "output_image: the input and output of LRN.",
                      kDoc),
        .contract = "input_grads: rank 4, input_image: rank 4, output_image: rank 4",
        .shape = OfRank4,
        .examples = {{"tf.raw_ops.LRNGrad(input_grads=[[[[1.]]]], input_image=[[[[0.]]]], "
                      "output_image=[[[[0.]]]])[0, 0, 0]",
                      "[1.]"}}})
      .Cpu<float>(LrnGrad{}, {.prepare = PrepareFrom<LrnState>});
}

}  // namespace tensh::ops
