// SparseReduceSum, SparseReduceMax and SparseSoftmax.
#include <algorithm>
#include <cmath>

#include "ops/op_file.h"
#include "ops/sparse/sparse_tensor.h"
#include "ops/state/scatter_rule.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct KeepState : KernelState {
  bool keep_dims;
  void Read(PrepareCtx& c) { keep_dims = c.attrs().Bool("keep_dims"); }
};

// The dimensions that a reduction keeps. With keep_dims, the others have extent 1 in the result.
struct Reduction {
  std::vector<int> stays;
  std::vector<int64_t> dims;     // shape of the result
  std::vector<int64_t> reduced;  // extents of the dimensions in `stays`
};

Result<Reduction> Reduce(const Sparse& s, const Tensor& axes, bool keep_dims) {
  std::vector<bool> goes(static_cast<size_t>(s.rank));
  if (axes.rank() > 1)
    return InvalidArgument("Expected reduction_axes to be a scalar or a vector, got shape ",
                           axes.shape());
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    const int64_t axis = IndexAt(axes, i);
    if (axis < -s.rank || axis >= s.rank)
      return InvalidArgument("Invalid reduction dimension ", axis, ", for input with ", s.rank,
                             " dimensions.");
    goes[static_cast<size_t>(axis < 0 ? axis + s.rank : axis)] = true;
  }
  Reduction r;
  for (int d = 0; d < s.rank; ++d) {
    const size_t at = static_cast<size_t>(d);
    if (!goes[at]) r.stays.push_back(d), r.reduced.push_back(s.dims[at]);
    if (!goes[at] || keep_dims) r.dims.push_back(goes[at] ? 1 : s.dims[at]);
  }
  return r;
}

// Returns pairs (position in the result, row of s), sorted.
std::vector<std::pair<int64_t, int64_t>> Places(const Sparse& s, const Reduction& r) {
  std::vector<std::pair<int64_t, int64_t>> places;
  for (int64_t i = 0; i < s.n; ++i) {
    int64_t place = 0;
    for (size_t k = 0; k < r.stays.size(); ++k) place = place * r.reduced[k] + s.row(i)[r.stays[k]];
    places.emplace_back(place, i);
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return places;
}

// Calls fn(position, sum) for each position of the result that has values.
template <class T, class Rule, class Fn>
void ForEachSum(const Sparse& s, const std::vector<std::pair<int64_t, int64_t>>& places, Fn fn) {
  for (size_t i = 0; i < places.size();) {
    T sum = s.values.data<T>()[places[i].second];
    size_t k = i + 1;
    for (; k < places.size() && places[k].first == places[i].first; ++k)
      Rule::Apply(sum, s.values.data<T>()[places[k].second]);
    fn(places[i].first, sum);
    i = k;
  }
}

template <class Rule>
struct ToDense {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Sparse s, ReadSparse(c.in(0), &c.in(1), c.in(2), true));
    TENSH_ASSIGN(const Reduction r, Reduce(s, c.in(3), c.state<KeepState>().keep_dims));
    TENSH_ASSIGN(const Shape shape, DenseShape(r.dims));
    TENSH_OUTPUT(out, c.Output(0, shape));
    ZeroElements(c, out->dtype(), out->raw(), out->num_elements());
    ForEachSum<T, Rule>(s, Places(s, r), [&](int64_t at, T sum) { out->data<T>()[at] = sum; });
    return {};
  }
};

template <class Rule>
struct ToSparse {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Sparse s, ReadSparse(c.in(0), &c.in(1), c.in(2), true));
    TENSH_ASSIGN(const Reduction r, Reduce(s, c.in(3), c.state<KeepState>().keep_dims));
    std::vector<int64_t> at;
    std::vector<T> sums;
    ForEachSum<T, Rule>(s, Places(s, r), [&](int64_t place, T sum) {
      at.push_back(place);
      sums.push_back(sum);
    });
    const int64_t n = static_cast<int64_t>(at.size()), rank = static_cast<int64_t>(r.dims.size());
    TENSH_OUTPUT(indices, c.Output(0, Shape({n, rank})));
    TENSH_OUTPUT(values, c.Output(1, Shape({n})));
    for (int64_t i = 0; i < n; ++i) {
      int64_t place = at[static_cast<size_t>(i)];
      for (int64_t d = rank; d-- > 0;) {
        const int64_t extent = r.dims[static_cast<size_t>(d)];
        indices->data<int64_t>()[i * rank + d] = place % extent;
        place /= extent;
      }
    }
    std::copy(sums.begin(), sums.end(), values->data<T>());
    c.SetOutput(2, DimsTensor(r.dims));
    return {};
  }
};

Status DenseOut(ShapeCtx& c) {
  const Tensor *shape = c.constant(2), *axes = c.constant(3);
  if (!shape || !axes || shape->rank() != 1) return {};
  const std::vector<int64_t> extents = IndexValues(*shape);
  const int64_t rank = static_cast<int64_t>(extents.size());
  std::vector<bool> goes(extents.size());
  // An axis out of range is an error of the kernel. Here TensorFlow takes it modulo the rank.
  for (int64_t i = 0; rank > 0 && i < axes->num_elements(); ++i)
    if (const int64_t at = (IndexAt(*axes, i) + rank) % rank; at >= 0)
      goes[static_cast<size_t>(at)] = true;
  std::vector<int64_t> dims;
  for (size_t d = 0; d < extents.size(); ++d)
    if (!goes[d] || c.attrs().Bool("keep_dims")) dims.push_back(goes[d] ? 1 : extents[d]);
  TENSH_ASSIGN(const Shape out, Shape::Make(dims, false));
  c.Set(0, out);
  return {};
}

// For each output element, the indices of the input elements that contribute to its sum.
Status SumGrad(GradScope& g) {
  Out indices = g.x(0), shape = g.x(2), dy = g.dy(0);
  auto narrow = [&](Out t, const char* name) {
    return g.dtype(t) == DType::kInt32 ? t : g.Op("Cast", {t}, {{"DstT", DType::kInt32}}, name);
  };
  Out dims = narrow(shape, "Cast");
  Out rank = SizeOfTensor(g, dims);
  Out axes = g.Op("FloorMod", {g.Op("AddV2", {g.x(3), rank}, {}, "add"), rank}, {}, "mod");
  Out range = g.Op("Range", {ConstInt(g, 0, "range/start"), rank, ConstInt(g, 1, "range/delta")},
                   {}, "range");
  Out ones = g.Op("Fill", {g.Op("Shape", {axes}), ConstInt(g, 1, "Fill/value")});
  Out in[] = {range, axes, dims, ones};
  Out kept = g.OpN("DynamicStitch", in, {{"N", 2}});
  Out dense = g.Op("Reshape", {dy, kept});
  Out wide = g.Op("Cast", {kept}, {{"DstT", DType::kInt64}}, "Cast_1");
  Out scale = g.Op("FloorDiv", {shape, wide}, {}, "floordiv");
  Out at = g.Op("FloorDiv", {indices, scale}, {}, "floordiv_1");
  return g.Return({{}, g.Op("GatherNd", {dense, at}), {}, {}});
}

// ---- SparseSoftmax ----

struct SparseSoftmax {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Sparse s, ReadSparse(c.in(0), &c.in(1), c.in(2), true));
    if (s.rank < 2)
      return InvalidArgument("Input should have rank >= 2, but received shape: ", Shape(s.dims));
    TENSH_OUTPUT(out, c.Output(0, Shape({s.n})));
    const T* x = s.values.data<T>();
    T* y = out->data<T>();
    for (int64_t begin = 0; begin < s.n;) {
      int64_t end = begin + 1;
      while (end < s.n && CompareRows(s.row(begin), s.row(end), s.rank - 1) == 0) ++end;
      const T most = *std::max_element(x + begin, x + end);
      T sum = 0;
      for (int64_t i = begin; i < end; ++i) sum += y[i] = std::exp(x[i] - most);
      for (int64_t i = begin; i < end; ++i) y[i] /= sum;
      begin = end;
    }
    return {};
  }
};

Status SoftmaxShape(ShapeCtx& c) {
  c.Set(0, c.in(1).has_rank() ? c.in(1) : Shape::UnknownOfRank(1));
  return {};
}

Status SoftmaxGrad(GradScope& g) {
  Out indices = g.x(0), shape = g.x(2), y = g.y(0), dy = g.dy(0);
  Out product = g.Mul(y, dy);
  Out sum = g.Op("SparseReduceSum",
                 {indices, product, shape, ConstInts(g, {-1}, "SparseReduceSum/reduction_axes")},
                 {{"keep_dims", true}});
  Out negative = g.Op("Neg", {sum});
  Out total = g.Op("SparseDenseCwiseAdd", {indices, dy, shape, negative});
  return g.Return({{}, g.Mul(total, y), {}});
}

template <class Rule, bool kSparse>
void Register(OpRegistry& r, const char* name, const char* what, const char* types) {
  std::string call = StrCat("tf.raw_ops.", name,
                            "(input_indices=[[0, 0], [0, 2]], input_values=[5, 7], "
                            "input_shape=[2, 3], reduction_axes=[1])",
                            kSparse ? "[1]" : "");
  const char* result =
      std::is_same_v<Rule, AddRule> ? (kSparse ? "[12]" : "[12  0]") : (kSparse ? "[7]" : "[7 0]");
  auto entry = r.Op(
      {.name = name,
       .inputs = "input_indices: int64, input_values: T, input_shape: int64, "
                 "reduction_axes: int32",
       .outputs =
           kSparse ? "output_indices: int64, output_values: T, output_shape: int64" : "output: T",
       .attrs = StrCat("keep_dims: bool = false, T: ", types),
       .doc = StrCat(
           what,
           " of a sparse tensor over reduction_axes. input_indices, input_values, of type T, and "
           "input_shape are the tensor. keep_dims: keep the reduced dimensions with extent 1. ",
           kSparse ? "output_indices, output_values and output_shape are the result."
                   : "output is dense."),
       .shape = kSparse ? UnknownOutputs : DenseOut,
       .grad = !kSparse && std::is_same_v<Rule, AddRule> ? SumGrad : nullptr,
       .examples = {{std::move(call), result}}});
  if constexpr (kSparse)
    entry.template Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                       uint32_t, uint64_t>(ToSparse<Rule>{}, {.prepare = PrepareFrom<KeepState>});
  else
    entry.template Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                       uint32_t, uint64_t>(ToDense<Rule>{}, {.prepare = PrepareFrom<KeepState>});
  if constexpr (std::is_same_v<Rule, AddRule>) {
    using Kernel = std::conditional_t<kSparse, ToSparse<Rule>, ToDense<Rule>>;
    entry.template Cpu<std::complex<float>, std::complex<double>>(
        Kernel{}, {.prepare = PrepareFrom<KeepState>});
  }
}

}  // namespace

TENSH_OPS(sparse_reduce) {
  static constexpr char kReal[] =
      "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
  Register<AddRule, false>(r, "SparseReduceSum", "The sum", kNumberTypes);
  Register<AddRule, true>(r, "SparseReduceSumSparse", "The sum", kNumberTypes);
  Register<MaxRule, false>(r, "SparseReduceMax", "The maximum", kReal);
  Register<MaxRule, true>(r, "SparseReduceMaxSparse", "The maximum", kReal);
  r.Op({.name = "SparseSoftmax",
        .inputs = "sp_indices: int64, sp_values: T, sp_shape: int64",
        .outputs = "output: T",
        .attrs = "T: {half, float, double}",
        .doc = "Softmax along the last dimension of a sparse tensor, over the values that it has. "
               "sp_indices, in order, sp_values, of type T, and sp_shape are the tensor; output "
               "are the new values.",
        .contract = "sp_indices: matrix, sp_values: vector, sp_shape: vector",
        .shape = SoftmaxShape,
        .grad = SoftmaxGrad,
        .examples = {{"tf.raw_ops.SparseSoftmax(sp_indices=[[0, 0], [0, 2]], sp_values=[1., 1.], "
                      "sp_shape=[1, 3])",
                      "[0.5 0.5]"}}})
      .Cpu<float, double>(SparseSoftmax{});
}

}  // namespace tensh::ops
