// TopK and InTopK, with k as an attribute or, in the V2 ops, as an input.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "ops/nn/top_dims.h"
#include "ops/op_file.h"
#include "ops/support/grad_util.h"
#include "ops/support/op_types.h"
#include "ops/support/shape_util.h"
#include "ops/support/stop.h"

namespace tensh::ops {
namespace {

// Returns a number that is less, the earlier an element comes in the order of SelectTop.
uint32_t SortKey(float x) {
  if (x != x) return UINT32_MAX;
  const uint32_t bits = std::bit_cast<uint32_t>(x == 0 ? 0.0f : x);
  return bits >> 31 ? bits : ~bits ^ 0x80000000u;
}
uint32_t SortKey(int32_t x) { return ~static_cast<uint32_t>(x) ^ 0x80000000u; }

// SelectTop for all elements of a long row, by the digits of their keys. An entry is a key and the index
// below it.
template <class T>
void SortAll(const T* in, int64_t n, std::vector<int64_t>& order) {
  constexpr int kBits = 11, kPasses = 3;
  constexpr uint64_t kMask = (1u << kBits) - 1;
  std::vector<uint64_t> from(static_cast<size_t>(n)), to(from.size());
  std::vector<size_t> places(kPasses << kBits);
  for (size_t i = 0; i < from.size(); ++i) {
    const uint64_t key = SortKey(in[i]);
    from[i] = key << 32 | i;
    for (int pass = 0; pass < kPasses; ++pass)
      ++places[static_cast<size_t>(pass) << kBits | (key >> pass * kBits & kMask)];
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    StopIfCancelled();
    size_t* place = &places[static_cast<size_t>(pass) << kBits];
    for (size_t digit = 0, before = 0; digit <= kMask; ++digit)
      before += std::exchange(place[digit], before);
    for (const uint64_t entry : from) to[place[entry >> (32 + pass * kBits) & kMask]++] = entry;
    from.swap(to);
  }
  for (size_t i = 0; i < from.size(); ++i) order[i] = static_cast<int64_t>(from[i] & UINT32_MAX);
}

// Returns the indices of the k largest of n numbers. The first one wins ties; NaN is smallest.
template <class T>
void SelectTop(const T* in, int64_t n, int64_t k, std::vector<int64_t>& order) {
  constexpr int64_t kLong = 1024;
  order.resize(static_cast<size_t>(n));
  if (k == 1) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; ++i)
      if (in[i] > in[best] || (in[best] != in[best] && in[i] == in[i])) best = i;
    order[0] = best;
    return;
  }
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, int32_t>)
    if (n >= kLong && n <= UINT32_MAX && k >= n / 4) return SortAll(in, n, order);
  std::iota(order.begin(), order.end(), 0);
  auto before = [in](int64_t a, int64_t b) {
    StopIfCancelled();
    const T x = in[a], y = in[b];
    const bool nan_x = x != x, nan_y = y != y;
    if (nan_x != nan_y) return nan_y;
    if (!nan_x && x != y) return x > y;
    return a < b;
  };
  if (k < n)
    std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
  else
    std::sort(order.begin(), order.end(), before);
}

template <class T, class I>
void WriteTop(const Tensor& x, int64_t n, int64_t k, int64_t begin, int64_t end, T* values,
              I* indices) {
  std::vector<int64_t> order;
  for (int64_t row = begin; row < end; ++row) {
    const T* in = x.data<T>() + row * n;
    SelectTop(in, n, k, order);
    for (int64_t i = 0; i < k; ++i) {
      const int64_t at = order[static_cast<size_t>(i)];
      values[row * k + i] = in[at];
      indices[row * k + i] = static_cast<I>(at);
    }
  }
}

struct TopK {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    TENSH_ASSIGN(const TopDims d, TopDimsOf(c));
    const int64_t n = d.n, k = d.k;
    const Shape& shape = d.out;
    TENSH_OUTPUT(values, c.Output(0, shape));
    TENSH_OUTPUT(indices, c.Output(1, shape));
    if (!values->num_elements()) return {};
    const double ns = 20 + static_cast<double>(n) * 10;
    c.ParallelFor(x.num_elements() / n, ns, [&](int64_t begin, int64_t end) {
      const StopsWith step(c.cancel());
      if (indices->dtype() == DType::kInt64)
        WriteTop(x, n, k, begin, end, values->data<T>(), indices->data<int64_t>());
      else if (indices->dtype() == DType::kInt32)
        WriteTop(x, n, k, begin, end, values->data<T>(), indices->data<int32_t>());
      else
        WriteTop(x, n, k, begin, end, values->data<T>(), indices->data<int16_t>());
    });
    return {};
  }
};

Status TopShape(ShapeCtx& c) {
  std::optional<int64_t> k;
  if (c.num_inputs() == 2) {
    k = ConstantScalar(c, 1);
  } else {
    k = c.attrs().Int("k");
  }
  if (k && *k < 0) return InvalidArgument("Need k >= 0, got ", *k);
  if (!c.in(0).has_rank()) return {};
  Shape out = c.in(0);
  const int last = out.rank() - 1;
  if (k && out[last] >= 0 && out[last] < *k)
    return InvalidArgument("input must have last dimension >= k = ", *k, " but is ", out[last]);
  out.set_dim(last, k.value_or(Shape::kUnknownDim));
  c.Set(0, out);
  c.Set(1, out);
  return {};
}

// Returns the last entry of a shape as int64.
Out LastOf(GradScope& g, Out shape, std::string_view n) {
  const std::string suffix(n);
  Out wide = g.Op("Cast", {shape}, {{"DstT", DType::kInt64}}, "Cast" + suffix);
  Out size = SizeOfTensor(g, shape, "Size" + suffix);
  Out at = g.Op("Sub", {size, ConstInt(g, 1, "sub" + suffix + "/y")}, {}, "sub" + suffix);
  Out axis = ConstInt(g, 0, "GatherV2" + suffix + "/axis");
  return g.Op("GatherV2", {wide, at, axis}, {}, "GatherV2" + suffix);
}

// Scatters the gradient to the elements that the values came from. Indices are flattened first.
Status TopBackward(GradScope& g) {
  const DType index = g.dtype(g.y(1));
  const Out in_shape = ShapeOf(g, g.x(0));
  const Out index_shape = ShapeOf(g, g.y(1), DType::kInt32, "Shape_1");
  const Out columns = LastOf(g, index_shape, "");
  const Out rest = ConstInt(g, -1, "stack/0", DType::kInt64);
  const Out flat = g.Op("Reshape", {g.y(1), Pack(g, {rest, columns}, "stack")});
  const Out last = LastOf(g, in_shape, "_1");
  const Out rows =
      g.Op("StridedSlice",
           {ShapeOf(g, flat, DType::kInt32, "Shape_2"), ConstInts(g, {0}, "strided_slice/stack"),
            ConstInts(g, {1}, "strided_slice/stack_1"), ConstInts(g, {1}, "strided_slice/stack_2")},
           {{"shrink_axis_mask", 1}}, "strided_slice");
  const Out count = g.Op("Cast", {rows}, {{"DstT", DType::kInt64}}, "Cast_2");
  const Out limit = g.Mul(count, last);
  const Out starts =
      g.Op("Range", {ConstInt(g, 0, "range/start", DType::kInt64), limit, last}, {}, "range");
  const Out column = g.Op("ExpandDims", {starts, ConstInt(g, -1, "ExpandDims/dim")});
  const Out offsets = g.Op("Cast", {column}, {{"DstT", index}}, "Cast_4");
  const Out minus = ConstInts(g, {-1}, "Reshape_1/shape");
  const Out places = g.Op("Reshape", {GradAdd(g, flat, offsets), minus}, {}, "Reshape_1");
  const Out rows_of =
      g.Op("ExpandDims", {places, ConstInt(g, -1, "ExpandDims_1/dim")}, {}, "ExpandDims_1");
  const Out values =
      g.Op("Reshape", {g.dy(0), ConstInts(g, {-1}, "Reshape_2/shape")}, {}, "Reshape_2");
  const Out all = g.Op("Prod", {in_shape, ConstInts(g, {0}, "Const")});
  Out total = Pack(g, {all}, "ScatterNd/shape");
  if (index != DType::kInt32) total = g.Op("Cast", {total}, {{"DstT", index}}, "Cast_5");
  const Out scattered = g.Op("ScatterNd", {rows_of, values, total});
  const Out dx = g.Op("Reshape", {scattered, in_shape}, {}, "Reshape_3");
  std::vector<Out> grads(static_cast<size_t>(g.num_inputs()));
  grads[0] = dx;
  return g.Return(std::move(grads));
}

template <class I>
bool InTop(const float* row, int64_t n, I target, int64_t k) {
  if (target < 0 || target >= static_cast<I>(n)) return false;
  const float mine = row[target];
  if (!std::isfinite(mine)) return false;
  int64_t greater = 0;
  for (int64_t j = 0; j < n; ++j) {
    if (!std::isfinite(row[j])) return false;
    if (row[j] > mine && ++greater >= k) return false;
  }
  return greater < k;
}

struct InTopK {
  template <class I>
  Status operator()(KernelCtx& c) const {
    const Tensor &predictions = c.in(0), &targets = c.in(1);
    TENSH_ASSIGN(const int64_t k, InTopCount(c));
    TENSH_OUTPUT(out, c.Output(0, targets.shape()));
    const int64_t n = predictions.dim(1);
    for (int64_t i = 0; i < targets.dim(0); ++i)
      out->data<bool>()[i] = InTop(predictions.data<float>() + i * n, n, targets.data<I>()[i], k);
    return {};
  }
};

Status InTopShape(ShapeCtx& c) {
  const int64_t a = c.in(0).has_rank() ? c.in(0)[0] : -1, b = c.in(1).has_rank() ? c.in(1)[0] : -1;
  if (a >= 0 && b >= 0 && a != b)
    return InvalidArgument("Dimensions must be equal, but are ", a, " and ", b);
  c.Set(0, Shape({a >= 0 ? a : b}));
  return {};
}

}  // namespace

TENSH_OPS(nn_top_k) {
  static constexpr char kDoc[] =
      " values are the elements, for each row of the last dimension; indices are their positions. "
      "sorted: sort in descending order; this is always done. If elements are equal, the lower "
      "index comes first. T: the element type.";
  constexpr KernelOptions kOptions = {.prepare = PrepareTop};
  r.Op({.name = "TopKV2",
        .inputs = "input: T, k: Tk",
        .outputs = "values: T, indices: index_type",
        .attrs = StrCat("sorted: bool = true, ", TENSH_REALS,
                        ", Tk: {int16, int32, int64} = int32, index_type: {int16, int32, int64} = "
                        "int32"),
        .doc = StrCat("The k largest elements of input.", kDoc,
                      " Tk: the type of k. index_type: the type of indices."),
        .contract = "input: rank 1+, k: scalar",
        .shape = TopShape,
        .grad = TopBackward,
        .examples = {{"tf.nn.top_k([1, 5, 3], 2)[0]", "[5 3]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t>(
          TopK{}, kOptions);
  r.Op({.name = "TopK",
        .inputs = "input: T",
        .outputs = "values: T, indices: int32",
        .attrs = StrCat("k: int >= 0, sorted: bool = true, ", TENSH_REALS),
        .doc = StrCat("The k largest elements of input; k is an attribute.", kDoc),
        .contract = "input: rank 1+",
        .shape = TopShape,
        .grad = TopBackward,
        .examples = {{"tf.raw_ops.TopK(input=[1, 5, 3], k=1)[1]", "[1]"}}})
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t>(
          TopK{}, kOptions);
  static constexpr char kInDoc[] =
      " predictions: a matrix with one row per example. targets: the class of each. precision: for "
      "each, true if fewer than k classes have larger predictions. A non-finite number makes it "
      "False. T: the type of targets.";
  r.Op({.name = "InTopKV2",
        .inputs = "predictions: float, targets: T, k: T",
        .outputs = "precision: bool",
        .attrs = "T: {int32, int64} = int32",
        .doc = StrCat("Tests whether the targets are among the k best predictions.", kInDoc),
        .contract = "predictions: matrix, targets: vector, k: scalar",
        .shape = InTopShape,
        .no_gradient = true,
        .examples = {{"tf.nn.in_top_k([[0.1, 0.9], [0.8, 0.2]], [1, 1], 1)", "[ True False]"}}})
      .Cpu<int32_t, int64_t>(InTopK{}, {.prepare = PrepareTop});
  r.Op({.name = "InTopK",
        .inputs = "predictions: float, targets: T",
        .outputs = "precision: bool",
        .attrs = "k: int, T: {int32, int64} = int32",
        .doc = StrCat(
            "Tests whether the targets are among the k best predictions. k: an attribute.", kInDoc),
        .contract = "predictions: matrix, targets: vector",
        .shape = InTopShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.InTopK(predictions=[[0.1, 0.9]], targets=[1], k=1)", "[ True]"}}})
      .Cpu<int32_t, int64_t>(InTopK{}, {.prepare = PrepareTop});
}

}  // namespace tensh::ops
