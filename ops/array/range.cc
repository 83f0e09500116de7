// Range and LinSpace.
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/shape_util.h"
#include "runtime/core/half.h"

namespace tensh::ops {
namespace {

// Returns the number of elements in the half-open range [start, limit) with step delta.
template <class T>
Result<int64_t> RangeSize(T start, T limit, T delta) {
  if (delta == T(0)) return InvalidArgument("Requires delta != 0: ", delta);
  if (delta > T(0) ? !(start <= limit) : !(start >= limit))
    return InvalidArgument("Requires start ", delta > T(0) ? "<=" : ">=", " limit when delta ",
                           delta > T(0) ? ">" : "<", " 0: ", start, "/", limit);
  if constexpr (std::is_floating_point_v<T>) {
    T size = std::ceil(std::abs((limit - start) / delta));
    if (!(size <= T(9.2e18)))
      return InvalidArgument("Requires ((limit - start) / delta) <= ", INT64_MAX);
    return static_cast<int64_t>(size);
  } else {
    uint64_t span = delta > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                              : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
    uint64_t step = delta > 0 ? static_cast<uint64_t>(delta) : -static_cast<uint64_t>(delta);
    uint64_t size = span / step + (span % step != 0);
    if (size > static_cast<uint64_t>(INT64_MAX))
      return InvalidArgument("Requires ((limit - start) / delta) <= ", INT64_MAX);
    return static_cast<int64_t>(size);
  }
}

constexpr const char* kRangeInputs[] = {"start", "limit", "delta"};

struct Range {
  template <class T>
  Status operator()(KernelCtx& c) const {
    for (int i = 0; i < 3; ++i)
      if (c.in(i).num_elements() != 1 || c.in(i).rank() > 1)
        return InvalidArgument(kRangeInputs[i], " must be a scalar, not shape ", c.in(i).shape());
    T start = *c.in(0).data<T>(), delta = *c.in(2).data<T>();
    TENSH_ASSIGN(int64_t size, RangeSize(start, *c.in(1).data<T>(), delta));
    TENSH_ASSIGN(Shape shape, Shape::Make({&size, 1}, true));
    TENSH_OUTPUT(out, c.Output(0, shape));
    T* y = out->data<T>();
    for (int64_t i = 0; i < size; ++i) {
      if constexpr (std::is_floating_point_v<T>)
        y[i] = start + static_cast<T>(i) * delta;
      else
        y[i] = static_cast<T>(static_cast<uint64_t>(start) +
                              static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
    }
    return {};
  }
};

// Every addition is rounded to 16 bits, as in TensorFlow, which determines the number of elements.
struct HalfRange {
  template <class T>
  Status operator()(KernelCtx& c) const {
    for (int i = 0; i < 3; ++i)
      if (c.in(i).num_elements() != 1 || c.in(i).rank() > 1)
        return InvalidArgument(kRangeInputs[i], " must be a scalar, not shape ", c.in(i).shape());
    const auto at = [&c](int i) { return static_cast<float>(*c.in(i).data<T>()); };
    const auto rounded = [](float x) { return static_cast<float>(T(x)); };
    const float start = at(0), limit = at(1), delta = at(2);
    TENSH_RETURN_IF_ERROR(RangeSize(start, limit, delta).status());
    const float steps = std::ceil(std::fabs(rounded(rounded(limit - start) / delta)));
    if (!(steps <= 1e9f)) return InvalidArgument("Requires ((limit - start) / delta) <= ", 1e9);
    const int64_t size = static_cast<int64_t>(steps);
    TENSH_OUTPUT(out, c.Output(0, Shape({size})));
    for (int64_t i = 0; i < size; ++i)
      out->data<T>()[i] = T(start + rounded(rounded(static_cast<float>(i)) * delta));
    return {};
  }
};

template <class T>
Result<int64_t> ConstantSize(ShapeCtx& c) {
  return RangeSize(*c.constant(0)->data<T>(), *c.constant(1)->data<T>(), *c.constant(2)->data<T>());
}

Result<int64_t> ConstantSizeAny(ShapeCtx& c) {
  switch (c.in_dtype(0)) {
    case DType::kFloat:
      return ConstantSize<float>(c);
    case DType::kDouble:
      return ConstantSize<double>(c);
    case DType::kInt32:
      return ConstantSize<int32_t>(c);
    case DType::kInt64:
      return ConstantSize<int64_t>(c);
    default:
      return Shape::kUnknownDim;
  }
}

Status RangeShape(ShapeCtx& c) {
  int64_t size = Shape::kUnknownDim;
  bool known = true;
  for (int i = 0; i < 3; ++i) {
    const Tensor* value = c.constant(i);
    known = known && value && value->num_elements() == 1;
  }
  if (known) {
    TENSH_ASSIGN(size, ConstantSizeAny(c));
  }
  c.Set(0, Shape({size}));
  return {};
}

struct LinSpace {
  template <class T>
  Status operator()(KernelCtx& c) const {
    T start = *c.in(0).data<T>(), stop = *c.in(1).data<T>();
    int64_t num = IndexAt(c.in(2), 0);
    if (num <= 0) return InvalidArgument("Requires num > 0: ", num);
    TENSH_ASSIGN(Shape shape, Shape::Make({&num, 1}, true));
    TENSH_OUTPUT(out, c.Output(0, shape));
    T* y = out->data<T>();
    y[0] = start;
    if (num == 1) return {};
    const T step = (stop - start) / static_cast<T>(num - 1);
    for (int64_t i = 1; i < num - 1; ++i) y[i] = start + step * static_cast<T>(i);
    y[num - 1] = stop;
    return {};
  }
};

Status LinSpaceShape(ShapeCtx& c) {
  std::optional<int64_t> num = ConstantScalar(c, 2);
  if (num && *num <= 0) return InvalidArgument("Requires num > 0: ", *num);
  c.Set(0, Shape({num.value_or(Shape::kUnknownDim)}));
  return {};
}

}  // namespace

TENSH_OPS(array_range) {
  r.Op({.name = "Range",
        .inputs = "start: Tidx, limit: Tidx, delta: Tidx",
        .outputs = "output: Tidx",
        .attrs = "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, "
                 "uint64} = int32",
        .doc = "An arithmetic progression. output is start, start + delta, … up to limit, which is "
               "excluded. All have type Tidx.",
        .contract = "start: scalar at build, limit: scalar at build, delta: scalar at build",
        .shape = RangeShape,
        .no_gradient = true,
        .examples = {{"tf.range(5)", "[0 1 2 3 4]"}, {"tf.range(3, 12, 4)", "[ 3  7 11]"}}})
      .Cpu<float, double, int32_t, int64_t>(Range{}, {.type_attr = "Tidx"})
      .Cpu<Half, Bfloat16>(HalfRange{}, {.type_attr = "Tidx"});
  r.Op({.name = "LinSpace",
        .inputs = "start: T, stop: T, num: Tidx",
        .outputs = "output: T",
        .attrs = "T: {bfloat16, half, float, double}, Tidx: {int32, int64} = int32",
        .doc = "Evenly spaced numbers. output is num numbers of type T, from start to stop, both "
               "included. num is a scalar of type Tidx.",
        .contract = "start: scalar, stop: scalar, num: scalar",
        .shape = LinSpaceShape,
        .no_gradient = true,
        .examples = {{"tf.linspace(0., 1., 5)", "[0.   0.25 0.5  0.75 1.  ]"}}})
      .Cpu<float, double>(LinSpace{});
}

}  // namespace tensh::ops
