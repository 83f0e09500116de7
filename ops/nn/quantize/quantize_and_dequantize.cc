// QuantizeAndDequantize in all versions: scales floats to integers of a few bits, rounds, and
// scales back.
#include <algorithm>
#include <cmath>

#include "ops/nn/quantize/fake_quant.h"
#include "ops/op_file.h"
#include "ops/support/op_types.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

bool ReadBool(Attrs attrs, const char* name, bool otherwise) {
  return attrs.Find(name) ? attrs.Bool(name) : otherwise;
}

}  // namespace

Status CheckQuantBits(const QuantizeState& s, int64_t bits) {
  if (bits <= 0 || bits >= (s.is_signed ? 62 : 63))
    return InvalidArgument("num_bits is out of range: ", bits, " with signed_input_ ", s.is_signed);
  return {};
}

Result<std::unique_ptr<KernelState>> PrepareQuantize(PrepareCtx& c) {
  auto state = std::make_unique<QuantizeState>();
  QuantizeState& s = *state;
  const Attrs attrs = c.attrs();
  s.is_signed = ReadBool(attrs, "signed_input", true);
  s.range_given = ReadBool(attrs, "range_given", false);
  s.narrow = ReadBool(attrs, "narrow_range", false);
  s.half_up = attrs.Find("round_mode") && attrs.String("round_mode") == "HALF_UP";
  if (attrs.Find("axis")) s.axis = attrs.Int("axis");
  if (s.axis < -1) return InvalidArgument("Axis should be at least -1, got ", s.axis);
  if (attrs.Find("num_bits")) {
    s.bits = attrs.Int("num_bits");
    TENSH_RETURN_IF_ERROR(CheckQuantBits(s, s.bits));
  }
  if (const AttrValue* min = attrs.Find("input_min")) {
    s.min = *min->Find<float>();
    s.max = attrs.Float("input_max");
    if (s.range_given && s.min > s.max)
      return InvalidArgument("Invalid range: input_min ", s.min, " > input_max ", s.max);
  }
  return {std::move(state)};
}

Status MakeQuantSlices(const Shape& x, int64_t axis, QuantSlice& slice, int64_t& count) {
  count = 1;
  if (axis < 0) {
    slice = {1, 0, x.num_elements()};
    return {};
  }
  if (axis >= x.rank())
    return InvalidArgument("Axis requested is larger than input dimensions. Axis: ", axis,
                           " Input Dimensions: ", x.rank());
  const int at = static_cast<int>(axis);
  slice = {1, 0, 1};
  count = x[at];
  for (int i = 0; i < x.rank(); ++i) (i < at ? slice.outer : slice.inner) *= i == at ? 1 : x[i];
  slice.step = count * slice.inner;
  return {};
}

Status CheckQuantEnds(const Tensor& min, const Tensor& max, int64_t axis, int64_t count) {
  for (const Tensor* t : {&min, &max}) {
    const char* name = t == &min ? "input_min" : "input_max";
    if (axis < 0 ? t->num_elements() != 1 || t->rank() > 1 : t->rank() != 1)
      return InvalidArgument("Shape must be rank ", axis < 0 ? 0 : 1, " for ", name, ", got ",
                             t->shape());
    if (axis >= 0 && t->dim(0) != count)
      return InvalidArgument(name, " has incorrect size, expected ", count, " was ", t->dim(0));
  }
  return {};
}

namespace {

// If min and max are null, uses the range given by the attributes.
template <class T>
Status RunAll(KernelCtx& c, int64_t bits, const Tensor* min, const Tensor* max) {
  const auto& s = c.state<QuantizeState>();
  const Tensor& x = c.in(0);
  QuantSlice slice;
  int64_t count = 0;
  TENSH_RETURN_IF_ERROR(MakeQuantSlices(x.shape(), s.axis, slice, count));
  if (min && s.range_given) TENSH_RETURN_IF_ERROR(CheckQuantEnds(*min, *max, s.axis, count));
  TENSH_OUTPUT(y, c.Output(0, x.shape()));
  if (!y->num_elements()) return {};
  const T* in = x.data<T>();
  T* out = y->data<T>();
  const QuantLimits<T> limits = QuantLimitsOf<T>(s, bits);
  for (int64_t k = 0; k < count; ++k) {
    T low = static_cast<T>(s.min), high = static_cast<T>(s.max);
    if (!s.range_given) {
      low = high = in[k * slice.inner];
      slice.ForEach(k * slice.inner, [&](int64_t i) {
        low = std::min(low, in[i]);
        high = std::max(high, in[i]);
      });
    } else if (min) {
      low = min->data<T>()[k];
      high = max->data<T>()[k];
      if (low > high)
        return InvalidArgument("Invalid range: input_min ", low, " > input_max ", high);
    }
    const QuantScale<T> scale = ScaleOf(limits, low, high);
    slice.ForEach(k * slice.inner,
                  [&](int64_t i) { out[i] = RoundBy(scale, s.range_given, s.half_up, in[i]); });
  }
  return {};
}

struct Quantize1 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return RunAll<T>(c, c.state<QuantizeState>().bits, nullptr, nullptr);
  }
};
struct Quantize2 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return RunAll<T>(c, c.state<QuantizeState>().bits, &c.in(1), &c.in(2));
  }
};
struct Quantize3 {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const int64_t bits = IndexAt(c.in(3), 0);
    TENSH_RETURN_IF_ERROR(CheckQuantBits(c.state<QuantizeState>(), bits));
    return RunAll<T>(c, bits, &c.in(1), &c.in(2));
  }
};

// The gradient flows through within the range. As in TensorFlow, the ends get no gradient.
struct QuantizeGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<QuantizeState>();
    const Tensor &dy = c.in(0), &x = c.in(1), &min = c.in(2), &max = c.in(3);
    if (!(dy.shape() == x.shape()))
      return InvalidArgument("gradient and input must be the same size: ", dy.shape(), " vs. ",
                             x.shape());
    QuantSlice slice;
    int64_t count = 0;
    TENSH_RETURN_IF_ERROR(MakeQuantSlices(x.shape(), s.axis, slice, count));
    TENSH_RETURN_IF_ERROR(CheckQuantEnds(min, max, s.axis, count));
    TENSH_OUTPUT(dx, c.Output(0, x.shape()));
    TENSH_OUTPUT(dmin, c.Output(1, min.shape()));
    TENSH_OUTPUT(dmax, c.Output(2, max.shape()));
    const T *in = x.data<T>(), *g = dy.data<T>();
    T* out = dx->data<T>();
    for (int64_t k = 0; k < count; ++k) {
      const T low = min.data<T>()[k], high = max.data<T>()[k];
      if (x.num_elements())
        slice.ForEach(k * slice.inner,
                      [&](int64_t i) { out[i] = in[i] >= low && in[i] <= high ? g[i] : T{0}; });
    }
    std::fill_n(dmin->data<T>(), count, T{0});
    std::fill_n(dmax->data<T>(), count, T{0});
    return {};
  }
};

// ---- shapes, gradients, registrations ----

// Checks that inputs `first` and `first + 1` are the ends of the range of input `x`.
Status EndsShape(ShapeCtx& c, int first, int x, Shape& ends) {
  const int64_t axis = c.attrs().Int("axis");
  if (axis < -1) return InvalidArgument("axis should be at least -1, got ", axis);
  const int rank = axis == -1 ? 0 : 1;
  TENSH_RETURN_IF_ERROR(c.WithRank(first, rank));
  TENSH_RETURN_IF_ERROR(c.WithRank(first + 1, rank));
  TENSH_ASSIGN(ends, MergeShapes(c.in(first), c.in(first + 1)));
  if (!ends.has_rank()) ends = Shape::UnknownOfRank(rank);
  if (axis == -1) return {};
  if (axis >= Shape::kMaxRank) return InvalidArgument("axis ", axis, " is out of range");
  const int at = static_cast<int>(axis);
  TENSH_RETURN_IF_ERROR(c.WithRankAtLeast(x, at + 1));
  if (!c.in(x).has_rank()) return {};
  return MergeShapes(ends, Shape({c.in(x)[at]})).status();
}

Status RangeShape(ShapeCtx& c) {
  Shape ends;
  TENSH_RETURN_IF_ERROR(EndsShape(c, 1, 0, ends));
  c.Set(0, c.in(0));
  return {};
}

Status GradShape(ShapeCtx& c) {
  Shape ends;
  TENSH_RETURN_IF_ERROR(EndsShape(c, 2, 1, ends));
  TENSH_ASSIGN(Shape inputs, MergeShapes(c.in(0), c.in(1)));
  c.Set(0, inputs);
  c.Set(1, ends);
  c.Set(2, ends);
  return {};
}

// The gradient treats the rounding as the identity.
Status PassThrough(GradScope& g) {
  std::vector<Out> gradients(static_cast<size_t>(g.num_inputs()));
  gradients[0] = g.dy();
  return g.Return(std::move(gradients));
}

Status V4Backward(GradScope& g) {
  const Out dx = g.Op("QuantizeAndDequantizeV4Grad", {g.dy(), g.x(0), g.x(1), g.x(2)},
                      {{"axis", g.attrs().Int("axis")}});
  return g.Return({dx, g.Output(dx, 1), g.Output(dx, 2)});
}

constexpr char kDoc[] =
    "Rounds floats as if they were converted to integers of a few bits and back. input: the "
    "numbers to round. T: the element type. signed_input: whether the integers are signed. "
    "range_given: use input_min and input_max as the range; otherwise use that of input. "
    "input_min, input_max: the range. num_bits: the number of bits of the integers.";
constexpr char kMore[] =
    " narrow_range: do not use the lowest integer. axis: a dimension along which each index has "
    "its own range; -1 for one range.";
constexpr char kRound[] = " round_mode: the rounding of halves.";

void RegisterEnds(OpRegistry& r, const char* name, GradFn grad) {
  constexpr KernelOptions kOptions = {.prepare = PrepareQuantize};
  r.Op({.name = name,
        .inputs = "input: T, input_min: T, input_max: T",
        .outputs = "output: T",
        .attrs =
            "signed_input: bool = true, num_bits: int = 8, range_given: bool = false, " TENSH_FLOATS
            ", round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN', narrow_range: bool = "
            "false, axis: int = -1",
        .doc = StrCat(kDoc, kMore, kRound),
        .contract = "input_min: rank 0..1, input_max: rank 0..1",
        .shape = RangeShape,
        .grad = grad,
        .examples = {{StrCat("tf.raw_ops.", name,
                             "(input=[0.3, 1., -2.], input_min=-2., input_max=1.5, num_bits=2, "
                             "range_given=True)"),
                      "[ 0.   1.5 -1.5]"}}})
      .Cpu<float, double>(Quantize2{}, kOptions);
}

}  // namespace

TENSH_OPS(nn_quantize_quantize_and_dequantize) {
  constexpr KernelOptions kOptions = {.prepare = PrepareQuantize};
  r.Op({.name = "QuantizeAndDequantize",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = StrCat("signed_input: bool = true, num_bits: int = 8, range_given: bool = false, "
                        "input_min: float = 0, input_max: float = 0, ",
                        TENSH_FLOATS),
        .doc = kDoc,
        .shape = SameAsInput<0>,
        .grad = PassThrough,
        .examples = {{"tf.raw_ops.QuantizeAndDequantize(input=[0.3, 1., -2.], num_bits=2)",
                      "[ 0.  1. -2.]"}}})
      .Cpu<float, double>(Quantize1{}, kOptions);
  RegisterEnds(r, "QuantizeAndDequantizeV2", PassThrough);
  r.Op({.name = "QuantizeAndDequantizeV3",
        .inputs = "input: T, input_min: T, input_max: T, num_bits: int32",
        .outputs = "output: T",
        .attrs = StrCat("signed_input: bool = true, range_given: bool = true, ", TENSH_FLOATS,
                        ", narrow_range: bool = false, axis: int = -1"),
        .doc = StrCat(kDoc, kMore),
        .contract = "input_min: rank 0..1, input_max: rank 0..1, num_bits: scalar",
        .shape = RangeShape,
        .grad = PassThrough,
        .examples = {{"tf.raw_ops.QuantizeAndDequantizeV3(input=[0.3, 1., -2.], input_min=-2., "
                      "input_max=1.5, num_bits=2)",
                      "[ 0.   1.5 -1.5]"}}})
      .Cpu<float, double>(Quantize3{}, kOptions);
  RegisterEnds(r, "QuantizeAndDequantizeV4", V4Backward);
  r.Op({.name = "QuantizeAndDequantizeV4Grad",
        .inputs = "gradients: T, input: T, input_min: T, input_max: T",
        .outputs = "input_backprop: T, input_min_backprop: T, input_max_backprop: T",
        .attrs = StrCat(TENSH_FLOATS, ", axis: int = -1"),
        .doc = "The gradient of QuantizeAndDequantizeV4. gradients: the incoming gradient. input: "
               "the numbers that were rounded. input_min, input_max: the range. T: the element "
               "type. axis: that of QuantizeAndDequantizeV4.",
        .contract = "input_min: rank 0..1, input_max: rank 0..1",
        .shape = GradShape,
        .examples = {{"tf.raw_ops.QuantizeAndDequantizeV4Grad(gradients=[1., 2.], input=[0., 9.], "
                      "input_min=0., input_max=1.)[0]",
                      "[1. 0.]"}}})
      .Cpu<float, double>(QuantizeGrad{}, kOptions);
}

}  // namespace tensh::ops
