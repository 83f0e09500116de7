// LRN, local response normalization across channels, and its gradient.
#include <algorithm>
#include <cmath>

#include "ops/nn/norm/lrn_state.h"
#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Computes bias + alpha * (sum of squares within the radius) for each of n channels.
void Norms(const LrnState& s, const float* in, int64_t n, float* norms) {
  for (int64_t k = 0; k < n; ++k) {
    const int64_t end = std::min(n, k + s.radius + 1);
    float sum = 0;
    for (int64_t j = std::max<int64_t>(0, k - s.radius); j < end; ++j) sum += in[j] * in[j];
    norms[k] = s.bias + s.alpha * sum;
  }
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
      std::vector<float> norms(static_cast<size_t>(n));
      for (int64_t p = begin; p < end; ++p) {
        Norms(s, in + p * n, n, norms.data());
        for (int64_t k = 0; k < n; ++k)
          out[p * n + k] = in[p * n + k] * LrnScale(s.beta, norms[static_cast<size_t>(k)]);
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
      std::vector<float> norms(static_cast<size_t>(n));
      for (int64_t p = begin * n; p < end * n; p += n)
        Pixel(s, n, grads.data<T>() + p, x.data<T>() + p, y.data<T>() + p, norms.data(),
              dx->data<T>() + p);
    });
    return {};
  }
  static void Pixel(const LrnState& s, int64_t n, const float* dy, const float* in,
                    const float* out, float* norms, float* dx) {
    Norms(s, in, n, norms);
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
