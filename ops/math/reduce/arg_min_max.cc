// ArgMax and ArgMin. The first of equal elements wins, and NaN never wins.
#include <limits>

#include "ops/math/reduce/reduce_loops.h"
#include "ops/op_file.h"
#include "ops/support/op_types.h"

namespace tensh::ops {
namespace {

// Returns the index of the first maximum (or minimum). NaN is skipped; if there is nothing else,
// the result is 0.
template <class T, bool max>
int64_t ArgOf(const T* in, int64_t n, int64_t stride) {
  using Limits = std::numeric_limits<T>;
  T best = max ? Limits::lowest() : Limits::max();
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T v = in[i * stride];
    if (max ? v > best : v < best) {
      best = v;
      at = i;
    }
  }
  return at;
}

// ArgOf for a long row: the extremum of several parts, and then its first place.
template <bool max>
struct ArgRow {
  static constexpr int64_t kLanes = 64;
  TENSH_ALWAYS_INLINE static void Take(float& best, float x) {
    best = (max ? x > best : x < best) ? x : best;
  }
  TENSH_ALWAYS_INLINE static void Run(const float* in, int64_t n, int64_t* at) {
    using Limits = std::numeric_limits<float>;
    constexpr float kNone = max ? Limits::lowest() : Limits::max();
    float lanes[kLanes];
    for (float& lane : lanes) lane = kNone;
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      for (int64_t j = 0; j < kLanes; ++j) Take(lanes[j], in[i + j]);
    for (; i < n; ++i) Take(lanes[0], in[i]);
    for (int64_t width = kLanes / 2; width; width /= 2)
      for (int64_t j = 0; j < width; ++j) Take(lanes[j], lanes[j + width]);
    const float best = lanes[0];
    *at = 0;
    if (best == kNone) return;
    for (i = 0; i + kLanes <= n; i += kLanes) {
      int32_t hits = 0;
      for (int64_t j = 0; j < kLanes; ++j) hits += in[i + j] == best;
      if (hits) break;
    }
    while (in[i] != best) ++i;
    *at = i;
  }
};

template <class T, class I, bool max>
void ArgAll(KernelCtx& c, const T* in, I* out, int64_t outer, int64_t n, int64_t inner) {
  if constexpr (std::is_same_v<T, float>)
    if (inner == 1 && n >= ArgRow<max>::kLanes) {
      c.ParallelFor(outer, 0.3 * static_cast<double>(n), [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t at = 0;
          Dispatch<ArgRow<max>>(in + i * n, n, &at);
          out[i] = static_cast<I>(at);
        }
      });
      return;
    }
  c.ParallelFor(outer * inner, static_cast<double>(n), [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      out[i] = static_cast<I>(ArgOf<T, max>(in + i / inner * inner * n + i % inner, n, inner));
  });
}

template <bool max>
struct Arg {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const ArgPlan p, MakeArgPlan(x.shape(), c.in(1)));
    TENSH_OUTPUT(y, c.Output(0, p.out));
    if (!y->num_elements()) return {};
    switch (y->dtype()) {
      case DType::kInt64:
        ArgAll<T, int64_t, max>(c, x.data<T>(), y->data<int64_t>(), p.outer, p.n, p.inner);
        break;
      case DType::kInt32:
        ArgAll<T, int32_t, max>(c, x.data<T>(), y->data<int32_t>(), p.outer, p.n, p.inner);
        break;
      case DType::kInt16:
      case DType::kUint16:
        ArgAll<T, uint16_t, max>(c, x.data<T>(), y->data<uint16_t>(), p.outer, p.n, p.inner);
        break;
      default:
        return Unimplemented("output_type ", Name(y->dtype()));
    }
    return {};
  }
};

Status ArgShape(ShapeCtx& c) {
  const Shape& in = c.in(0);
  const Tensor* axis = c.constant(1);
  if (!in.has_rank()) return {};
  if (in.rank() <= 1) {  // the result is a scalar, whatever the axis is
    c.Set(0, Shape());
    return {};
  }
  if (!axis) {
    c.Set(0, Shape::UnknownOfRank(in.rank() - 1));
    return {};
  }
  int64_t dim = ArgAxis(*axis);
  if (dim < -in.rank() || dim >= in.rank())
    return InvalidArgument("Dimension (", dim, ") must be in the range [", -in.rank(), ", ",
                           in.rank(), "), where ", in.rank(),
                           " is the number of dimensions in the input.");
  if (dim < 0) dim += in.rank();
  Shape out;
  for (int i = 0; i < in.rank(); ++i)
    if (i != dim) out.Append(in[i]);
  c.Set(0, out);
  return {};
}

Status ArgGrad(GradScope& g) { return g.Return({Out(), Out()}); }

OpSpec Spec(OpText name, std::string types, std::string doc, Example example) {
  return {.name = name,
          .inputs = "input: T, dimension: Tidx",
          .outputs = "output: output_type",
          .attrs =
              "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
              "uint32, uint64, bool}, " +
              std::move(types),
          .doc = std::move(doc) +
                 " The first of equal elements counts. input: real numbers or booleans. dimension: "
                 "the dimension to search (Tidx). T: the element type. Tidx: the type of "
                 "dimension. output_type: the type of the result.",
          .contract = "dimension: scalar",
          .shape = ArgShape,
          .grad = ArgGrad,
          .examples = {example}};
}

}  // namespace

TENSH_OPS(math_reduce_arg_min_max) {
  r
      .Op(Spec(
          "ArgMax",
          "Tidx: {int16, int32, int64} = int32, output_type: {int16, uint16, int32, int64} = int64",
          "The index of the largest element along a dimension.",
          {"tf.argmax([[1, 5, 3], [9, 2, 4]], axis=1)", "[1 0]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, bool, uint64_t>(Arg<true>{});
  r.Op(Spec("ArgMin", TENSH_REDUCE_ATTRS ", output_type: {int32, int64} = int64",
            "The index of the smallest element along a dimension.",
            {"tf.argmin([[1, 5, 3], [9, 2, 4]], axis=1)", "[0 1]"}))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, bool, uint64_t>(Arg<false>{});
}

}  // namespace tensh::ops
