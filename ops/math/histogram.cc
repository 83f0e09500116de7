// Counting and searching: Bincount, HistogramFixedWidth, Bucketize, LowerBound, UpperBound and
// NthElement.
#include <algorithm>
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/bounds_bins.h"
#include "ops/support/op_types.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/wrap.h"

namespace tensh::ops {

Status BucketState::Read(PrepareCtx& c) {
  boundaries = c.attrs().Get<AttrValue::Floats>("boundaries");
  if (!std::is_sorted(boundaries.begin(), boundaries.end()))
    return InvalidArgument("Expected sorted boundaries");
  return {};
}

Result<int64_t> BincountSize(KernelCtx& c) {
  const Tensor &arr = c.in(0), &weights = c.in(2);
  const int64_t size = IndexAt(c.in(1), 0);
  if (size < 0) return InvalidArgument("size (", size, ") must be non-negative");
  if (weights.num_elements() && !(weights.shape() == arr.shape()))
    return InvalidArgument(
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts "
        "as all weights equal to 1. Received ",
        weights.shape());
  return size;
}

namespace {

// The inputs are arr, size and weights.
struct Bincount {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &arr = c.in(0), &weights = c.in(2);
    TENSH_ASSIGN(const int64_t size, BincountSize(c));
    const int64_t n = arr.num_elements();
    TENSH_OUTPUT(bins, c.Output(0, Shape({size})));
    T* to = bins->data<T>();
    ZeroElements(c, bins->dtype(), to, size);
    const int32_t* values = arr.data<int32_t>();
    const T* weight = weights.num_elements() ? weights.data<T>() : nullptr;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = values[i];
      if (at < 0) return InvalidArgument("Input arr must be non-negative!");
      if (at < size) to[at] = WrapAdd(to[at], weight ? weight[i] : T{1});
    }
    return {};
  }
};

Status BincountShape(ShapeCtx& c) {
  const std::optional<int64_t> size = ConstantScalar(c, 1);
  if (size && *size < 0) return InvalidArgument("size (", *size, ") must be non-negative");
  c.Set(0, Shape({size.value_or(-1)}));
  return {};
}

// The inputs are values, value_range and nbins.
struct HistogramFixedWidth {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& values = c.in(0);
    TENSH_ASSIGN(const Bins b, BinsOf<T>(c.in(1), c.in(2)));
    TENSH_OUTPUT(out, c.Output(0, Shape({b.count})));
    const bool wide = out->dtype() == DType::kInt64;
    ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
    for (T v : values.flat<T>()) {
      const int64_t at = b.Of(static_cast<double>(v));
      if (at < 0) continue;
      if (wide)
        ++out->data<int64_t>()[at];
      else
        ++out->data<int32_t>()[at];
    }
    return {};
  }
};

Status HistogramShape(ShapeCtx& c) {
  const std::optional<int64_t> bins = ConstantScalar(c, 2);
  if (bins && *bins <= 0) return InvalidArgument("Requires nbins > 0: ", *bins);
  c.Set(0, Shape({bins.value_or(-1)}));
  return {};
}

struct Bucketize {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& b = c.state<BucketState>().boundaries;
    const Tensor& x = c.in(0);
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const float v = static_cast<float>(x.data<T>()[i]);
      y->data<int32_t>()[i] =
          static_cast<int32_t>(BoundIn(b.data(), static_cast<int64_t>(b.size()), v, true));
    }
    return {};
  }
};

// The inputs are sorted_inputs and values. Each row of values is searched in the row of
// sorted_inputs with the same number.
template <bool upper>
struct Bound {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &sorted = c.in(0), &values = c.in(1);
    if (sorted.dim(0) != values.dim(0))
      return InvalidArgument("Leading dim_size of both tensors must match: ", sorted.shape(),
                             " and ", values.shape());
    TENSH_OUTPUT(out, c.Output(0, values.shape()));
    const int64_t n = sorted.dim(1), m = values.dim(1);
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      const T* row = sorted.data<T>() + i / m * n;
      const T v = values.data<T>()[i];
      const int64_t at = BoundIn(row, n, v, upper);
      if (out->dtype() == DType::kInt64)
        out->data<int64_t>()[i] = at;
      else
        out->data<int32_t>()[i] = static_cast<int32_t>(at);
    }
    return {};
  }
};

Status BoundShape(ShapeCtx& c) {
  const Shape &a = c.in(0), &b = c.in(1);
  if (a.has_rank() && b.has_rank() && a[0] >= 0 && b[0] >= 0 && a[0] != b[0])
    return InvalidArgument("Dimensions must be equal, but are ", a[0], " and ", b[0]);
  c.Set(0, b);
  return {};
}

struct NthState : KernelState {
  bool reverse = false;
  void Read(PrepareCtx& c) { reverse = c.attrs().Bool("reverse"); }
};

struct NthElement {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    int64_t n = IndexAt(c.in(1), 0);
    if (n < 0) return InvalidArgument("n must be non-negative, got ", n);
    const int64_t width = x.dim(x.rank() - 1);
    if (n >= width) return InvalidArgument("Input must have at least n+1 columns");
    if (c.state<NthState>().reverse) n = width - n - 1;
    TENSH_OUTPUT(out,
                 c.Output(0, Shape(x.shape().dims().first(static_cast<size_t>(x.rank() - 1)))));
    if (!out->num_elements()) return {};
    std::vector<T> row(static_cast<size_t>(width));
    for (int64_t i = 0; i < out->num_elements(); ++i) {
      std::copy_n(x.data<T>() + i * width, width, row.begin());
      // NaN is ordered last: nth_element needs a strict weak order.
      std::nth_element(row.begin(), row.begin() + n, row.end(),
                       [](T a, T b) { return a < b || (a == a && b != b); });
      out->data<T>()[i] = row[static_cast<size_t>(n)];
    }
    return {};
  }
};

Status NthShape(ShapeCtx& c) {
  const Shape& x = c.in(0);
  const std::optional<int64_t> n = ConstantScalar(c, 1);
  if (n && *n < 0) return InvalidArgument("Input n must be non-negative but is ", *n);
  if (!x.has_rank()) return {};
  const int64_t width = x[x.rank() - 1];
  if (n && width >= 0 && *n >= width)
    return InvalidArgument("Input must have last dimension > n = ", *n, " but is ", width);
  c.Set(0, Shape(x.dims().first(static_cast<size_t>(x.rank() - 1))));
  return {};
}

// The gradient is divided equally among the elements equal to the n-th.
Status NthGrad(GradScope& g) {
  Out last = ConstInt(g, -1, "ExpandDims/dim");
  Out value = g.Op("ExpandDims", {g.y(0), last}), dy = g.Op("ExpandDims", {g.dy(), last});
  Out is = g.Op("Cast", {g.Op("Equal", {value, g.x(0)})}, {{"DstT", g.dtype(g.x(0))}});
  Out axis = ConstInts(g, {-1}, "Sum/reduction_indices");
  Out count = g.Op("Sum", {is, axis}, {{"keep_dims", true}});
  return g.Return({g.Mul(g.Op("RealDiv", {is, count}, {}, "truediv"), dy), {}});
}

void RegisterSearch(OpRegistry& r) {
  auto bound = [&r](const char* name, const char* doc, auto kernel, Example example) {
    r.Op({.name = name,
          .inputs = "sorted_inputs: T, values: T",
          .outputs = "output: out_type",
          .attrs = "T: type, out_type: {int32, int64} = int32",
          .doc = StrCat(doc,
                        " sorted_inputs: rows in ascending order. values: rows of values to search "
                        "for. T: the element type. out_type: the type of the result."),
          .contract = "sorted_inputs: matrix, values: matrix",
          .shape = BoundShape,
          .no_gradient = true,
          .examples = {example}})
        .template Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t,
                      uint64_t>(kernel);
  };
  bound("LowerBound",
        "The first position at which each value could be inserted without breaking the order.",
        Bound<false>{},
        {"tf.raw_ops.LowerBound(sorted_inputs=[[1, 3, 3]], values=[[3]])", "[[1]]"});
  bound("UpperBound",
        "The last position at which each value could be inserted without breaking the order.",
        Bound<true>{}, {"tf.raw_ops.UpperBound(sorted_inputs=[[1, 3, 3]], values=[[3]])", "[[3]]"});
  r.Op({.name = "NthElement",
        .inputs = "input: T, n: int32",
        .outputs = "values: T",
        .attrs = StrCat("reverse: bool = false, ", TENSH_REALS),
        .doc = "The n-th element, in sorted order, of each row of the last dimension. input: "
               "numbers. reverse: sort in descending order. T: the element type.",
        .contract = "input: rank 1+, n: scalar",
        .shape = NthShape,
        .grad = NthGrad,
        .examples = {{"tf.raw_ops.NthElement(input=[3, 1, 2], n=1)", "2"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>(
          NthElement{}, {.prepare = PrepareFrom<NthState>});
}

}  // namespace

TENSH_OPS(math_histogram) {
  r.Op({.name = "Bincount",
        .inputs = "arr: int32, size: int32, weights: T",
        .outputs = "bins: T",
        .attrs = "T: {int32, int64, float, double}",
        .doc = "Counts the occurrences of each number. arr: numbers; those not below size are "
               "ignored. size: the number of bins. weights: the weight of each number; if empty, "
               "1. T: the type of weights.",
        .contract = "size: scalar",
        .shape = BincountShape,
        .no_gradient = true,
        .examples = {{"tf.bincount([1, 1, 2])", "[0 2 1]"}}})
      .Cpu<int32_t, int64_t, float, double>(Bincount{});
  r.Op({.name = "HistogramFixedWidth",
        .inputs = "values: T, value_range: T, nbins: int32",
        .outputs = "out: dtype",
        .attrs = "T: {int32, int64, float, double}, dtype: {int32, int64} = int32",
        .doc = "Counts the values in each of nbins equal parts of a range; values outside of it "
               "count in the first or last part. values: numbers. value_range: both ends of the "
               "range. T: the type of values. dtype: the type of the counts.",
        .contract = "value_range: vector, nbins: scalar",
        .shape = HistogramShape,
        .no_gradient = true,
        .examples = {{"tf.histogram_fixed_width([0., 1., 9.], [0., 10.], nbins=2)", "[2 1]"}}})
      .Cpu<float, double, int32_t, int64_t>(HistogramFixedWidth{});
  r.Op({.name = "Bucketize",
        .inputs = "input: T",
        .outputs = "output: int32",
        .attrs = "T: {int32, int64, float, double}, boundaries: list(float)",
        .doc = "The number of boundaries that are not greater than each element. input: numbers. "
               "boundaries: in ascending order. T: the element type.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.Bucketize(input=[-1, 5, 20], boundaries=[0.0, 10.0])",
                      "[0 1 2]"}}})
      .Cpu<float, double, int32_t, int64_t>(Bucketize{}, {.prepare = PrepareFrom<BucketState>});
  RegisterSearch(r);
}

}  // namespace tensh::ops
