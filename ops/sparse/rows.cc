// EditDistance between sequences, and conversions of ragged tensors: RaggedRange and
// RaggedTensorToSparse.
#include <algorithm>
#include <cmath>

#include "ops/op_file.h"
#include "ops/sparse/sparse_tensor.h"
#include "ops/state/scatter_rule.h"
#include "ops/support/array_copy.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/stop.h"

namespace tensh::ops {
namespace {

// ---- EditDistance ----

struct NormalizeState : KernelState {
  bool normalize;
  void Read(PrepareCtx& c) { normalize = c.attrs().Bool("normalize"); }
};

// Returns the minimum number of insertions, deletions and replacements that turn one sequence into
// the other.
template <class T>
int64_t Levenshtein(const T* a, int64_t n, const T* b, int64_t m) {
  std::vector<int64_t> row(static_cast<size_t>(m) + 1);
  for (int64_t j = 0; j <= m; ++j) row[static_cast<size_t>(j)] = j;
  for (int64_t i = 1; i <= n; ++i) {
    StopIfCancelled();
    int64_t diagonal = row[0];
    row[0] = i;
    for (int64_t j = 1; j <= m; ++j) {
      const size_t at = static_cast<size_t>(j);
      const int64_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[at];
      row[at] = std::min({replaced, row[at] + 1, row[at - 1] + 1});
    }
  }
  return row[static_cast<size_t>(m)];
}

struct EditDistance {
  template <class T>
  Status operator()(KernelCtx& c) const {
    // Like TensorFlow, does not check the last coordinate of the indices.
    TENSH_ASSIGN(const Sparse a, ReadSparse(c.in(0), &c.in(1), c.in(2), false));
    TENSH_ASSIGN(const Sparse b, ReadSparse(c.in(3), &c.in(4), c.in(5), false));
    if (a.rank != b.rank)
      return InvalidArgument(
          "Expected hypothesis_shape and truth_shape to have the same number "
          "of dimensions, got ",
          a.rank, " and ", b.rank);
    if (a.rank < 2)
      return InvalidArgument("Input SparseTensors must have rank at least 2, but got ", a.rank);
    std::vector<int64_t> dims;
    for (int d = 0; d + 1 < a.rank; ++d)
      dims.push_back(std::max(a.dims[static_cast<size_t>(d)], b.dims[static_cast<size_t>(d)]));
    TENSH_ASSIGN(const Shape shape, DenseShape(dims));
    TENSH_OUTPUT(out, c.Output(0, shape));
    float* y = out->data<float>();
    std::fill_n(y, out->num_elements(), 0.f);
    int64_t i = 0, j = 0;
    const StopsWith step(c.cancel());
    while (i < a.n || j < b.n) {
      // The next sequence in either tensor.
      const int order = i == a.n ? 1 : j == b.n ? -1 : CompareRows(a.row(i), b.row(j), a.rank - 1);
      const int64_t* key = order <= 0 ? a.row(i) : b.row(j);
      const auto end = [&](const Sparse& s, int64_t from, bool has) {
        while (has && from < s.n && CompareRows(s.row(from), key, s.rank - 1) == 0) ++from;
        return from;
      };
      const int64_t a_end = end(a, i, order <= 0), b_end = end(b, j, order >= 0);
      TENSH_ASSIGN(const int64_t place, PlaceOf(key, dims, out->num_elements()));
      y[place] = Distance(a.values.data<T>() + i, a_end - i, b.values.data<T>() + j, b_end - j,
                          c.state<NormalizeState>().normalize);
      i = a_end;
      j = b_end;
    }
    return {};
  }

  static Result<int64_t> PlaceOf(const int64_t* key, const std::vector<int64_t>& dims,
                                 int64_t elements) {
    int64_t place = 0;
    bool fits = true;
    for (size_t d = 0; d < dims.size(); ++d)
      fits = fits && !__builtin_mul_overflow(place, dims[d], &place) &&
             !__builtin_add_overflow(place, key[d], &place);
    if (fits && place >= 0 && place < elements) return place;
    return InvalidArgument("Got an inner product ", place,
                           " which would require writing to outside of the buffer for the output "
                           "tensor (max elements ",
                           elements, ")");
  }

  template <class T>
  static float Distance(const T* a, int64_t n, const T* b, int64_t m, bool normalize) {
    if (m == 0 && normalize) return n ? INFINITY : 0.f;
    const float steps = static_cast<float>(Levenshtein(b, m, a, n));
    return normalize ? steps / static_cast<float>(m) : steps;
  }
};

Status DistanceShape(ShapeCtx& c) {
  const Tensor *a = c.constant(2), *b = c.constant(5);
  if (!a || !b) return {};
  if (a->num_elements() != b->num_elements())
    return InvalidArgument("Num elements of hypothesis_shape does not match truth_shape: ",
                           a->num_elements(), " vs ", b->num_elements());
  std::vector<int64_t> dims;
  for (int64_t d = 0; d + 1 < a->num_elements(); ++d)
    dims.push_back(std::max(IndexAt(*a, d), IndexAt(*b, d)));
  TENSH_ASSIGN(const Shape shape, Shape::Make(dims, false));
  c.Set(0, shape);
  return {};
}

// ---- RaggedRange and RaggedTensorToSparse ----

struct RaggedRange {
  // Returns the number of elements of [start, limit) with step delta, or -1 if delta is 0 or the
  // number is too large.
  template <class T>
  static int64_t Steps(T start, T limit, T delta) {
    if (delta == T(0) || std::isnan(static_cast<double>(delta))) return -1;
    if ((delta > T(0) && start >= limit) || (delta < T(0) && start <= limit)) return 0;
    if constexpr (std::is_integral_v<T>) {
      const uint64_t distance = delta > T(0)
                                    ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                                    : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
      const uint64_t step = delta > T(0) ? static_cast<uint64_t>(delta)
                                         : uint64_t{0} - static_cast<uint64_t>(int64_t{delta});
      const uint64_t n = distance / step + (distance % step != 0);
      return n > static_cast<uint64_t>(kMost) ? -1 : static_cast<int64_t>(n);
    } else {
      const double n = std::ceil(std::abs(
          (static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta)));
      return n >= 0 && n < static_cast<double>(kMost) ? static_cast<int64_t>(n) : -1;
    }
  }
  static constexpr int64_t kMost = int64_t{1} << 40;

  template <class T>
  Status operator()(KernelCtx& c) const {
    int64_t n = -1;
    for (int i = 0; i < 3; ++i) {
      if (c.in(i).rank() == 0) continue;
      if (n >= 0 && c.in(i).dim(0) != n)
        return InvalidArgument("starts, limits, and deltas must have the same shape");
      n = c.in(i).dim(0);
    }
    if (n < 0) n = 1;
    const auto at = [&](int i, int64_t k) { return c.in(i).data<T>()[c.in(i).rank() ? k : 0]; };
    std::vector<int64_t> splits = {0};
    for (int64_t k = 0; k < n; ++k) {
      if (at(2, k) == T(0)) return InvalidArgument("Requires delta != 0");
      const int64_t steps = Steps(at(0, k), at(1, k), at(2, k));
      if (steps < 0 || splits.back() + steps > kMost)
        return InvalidArgument("Requires ((limit - start) / delta) <= ", kMost);
      splits.push_back(splits.back() + steps);
    }
    const bool narrow = c.out_dtype(0) == DType::kInt32;
    if (narrow && splits.back() > INT32_MAX)
      return InvalidArgument("the ranges have too many elements for int32 splits");
    TENSH_OUTPUT(values, c.Output(1, Shape({splits.back()})));
    T* y = values->data<T>();
    for (int64_t k = 0; k < n; ++k) {
      T value = at(0, k);
      const int64_t count = splits[static_cast<size_t>(k) + 1] - splits[static_cast<size_t>(k)];
      for (int64_t i = 0; i < count; ++i) {
        *y++ = value;
        if (i + 1 < count) value = WrapAdd(value, at(2, k));
      }
    }
    c.SetOutput(0, IndexVector(c.out_dtype(0), splits));
    return {};
  }
};

Status RangeShape(ShapeCtx& c) {
  int64_t n = -1;
  bool scalars = true;
  for (int i = 0; i < 3; ++i) {
    scalars &= c.in(i).rank() == 0;
    if (c.in(i).rank() != 1 || c.in(i)[0] < 0) continue;
    if (n >= 0 && n != c.in(i)[0])
      return InvalidArgument("starts, limits and deltas differ in size: ", n, " and ", c.in(i)[0]);
    n = c.in(i)[0];
  }
  c.Set(0, Shape({scalars ? 2 : n < 0 ? -1 : n + 1}));
  c.Set(1, Shape({-1}));
  return {};
}

Status RaggedToSparse(KernelCtx& c) {
  const int levels = c.num_inputs() - 1;
  const Tensor& dense = c.in(levels);
  std::vector<std::vector<int64_t>> splits;
  for (int i = 0; i < levels; ++i) {
    splits.push_back(IndexValues(c.in(i)));
    const auto& s = splits.back();
    if (s.empty()) return InvalidArgument("ragged splits may not be empty.");
    if (s[0] != 0) return InvalidArgument("First value of ragged splits must be 0.");
    for (size_t k = 1; k < s.size(); ++k)
      if (s[k] < s[k - 1])
        return InvalidArgument("Ragged splits should be non decreasing, but we got ", s[k - 1],
                               " followed by ", s[k]);
    if (i > 0 && splits[static_cast<size_t>(i) - 1].back() + 1 != static_cast<int64_t>(s.size()))
      return InvalidArgument(
          "Final value of ragged splits must match the length the corresponding "
          "ragged values.");
  }
  if (splits.back().back() != dense.dim(0))
    return InvalidArgument(
        "Final value of ragged splits must match the length the corresponding "
        "ragged values.");
  const int inner = dense.rank() - 1, rank = levels + 1 + inner;
  const int64_t n = dense.num_elements(), run = dense.dim(0) ? n / dense.dim(0) : 0;
  TENSH_OUTPUT(indices, c.Output(0, Shape({n, rank})));
  // Counts the index of each element up, level by level, from the values outwards.
  int64_t k = 0;
  for (int64_t row = 0; row < dense.dim(0); ++row) {
    std::vector<int64_t> index(static_cast<size_t>(levels) + 1);
    int64_t at = row;
    for (size_t level = static_cast<size_t>(levels); level-- > 0;) {
      const auto& s = splits[level];
      const int64_t parent = std::upper_bound(s.begin(), s.end(), at) - s.begin() - 1;
      index[level + 1] = at - s[static_cast<size_t>(parent)];
      at = parent;
    }
    index[0] = at;
    for (int64_t e = 0; e < run; ++e, ++k) {
      int64_t* to = indices->data<int64_t>() + k * rank;
      std::copy(index.begin(), index.end(), to);
      int64_t rest = e;
      for (int d = inner; d-- > 0;) {
        to[levels + 1 + d] = rest % dense.dim(d + 1);
        rest /= dense.dim(d + 1);
      }
    }
  }
  std::vector<int64_t> dims = {static_cast<int64_t>(splits[0].size()) - 1};
  for (const auto& s : splits) {
    int64_t widest = 0;
    for (size_t i = 1; i < s.size(); ++i) widest = std::max(widest, s[i] - s[i - 1]);
    dims.push_back(widest);
  }
  for (int d = 0; d < inner; ++d) dims.push_back(dense.dim(d + 1));
  c.SetOutput(1, dense.Reshaped(Shape({n})));
  c.SetOutput(2, DimsTensor(dims));
  return {};
}

Status RaggedToSparseShape(ShapeCtx& c) {
  const int levels = c.num_inputs() - 1;
  const Shape& dense = c.in(levels);
  const int64_t rank = dense.has_rank() ? dense.rank() + levels : -1;
  const int64_t n = dense.IsFullyKnown() ? dense.num_elements() : -1;
  c.Set(0, Shape({n, rank}));
  c.Set(1, Shape({n}));
  c.Set(2, Shape({rank}));
  return {};
}

Status RaggedToSparseGrad(GradScope& g) {
  std::vector<Out> grads(static_cast<size_t>(g.num_inputs()));
  Out dy = g.dy(1), dense = g.x(g.num_inputs() - 1);
  Out shape = g.Op("Shape", {dense});
  grads.back() = g.Op("Reshape", {dy, shape});
  return g.Return(std::move(grads));
}

void RegisterRagged(OpRegistry& r) {
  r.Op({.name = "RaggedRange",
        .inputs = "starts: T, limits: T, deltas: T",
        .outputs = "rt_nested_splits: Tsplits, rt_dense_values: T",
        .attrs = "T: {bfloat16, float, double, int32, int64} = int32, "
                 "Tsplits: {int32, int64} = int64",
        .doc = "Several ranges, one after the other: from starts to limits in steps of deltas, of "
               "type T, each a vector or a scalar. rt_dense_values are the ranges; "
               "rt_nested_splits, of type Tsplits, are their start offsets, followed by the end.",
        .contract = "starts: rank 0..1, limits: rank 0..1, deltas: rank 0..1",
        .shape = RangeShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.RaggedRange(starts=[2, 5], limits=[4, 8], deltas=1)[1]",
                      "[2 3 5 6 7]"}}})
      .Cpu<float, double, int32_t, int64_t>(RaggedRange{});
  r.Op({.name = "RaggedTensorToSparse",
        .inputs = "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T",
        .outputs = "sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64",
        .attrs = "RAGGED_RANK: int >= 1, T: type, Tsplits: {int32, int64} = int64",
        .doc = "Converts a ragged tensor to a sparse one. rt_nested_splits, RAGGED_RANK vectors of "
               "type Tsplits, are the row splits, rt_dense_values, of type T, the values; "
               "sparse_indices, sparse_values and sparse_dense_shape are the result.",
        .contract = "rt_nested_splits: vector, rt_dense_values: rank 1+",
        .shape = RaggedToSparseShape,
        .grad = RaggedToSparseGrad,
        .examples = {{"tf.raw_ops.RaggedTensorToSparse(rt_nested_splits=[tf.constant([0, 2, 3], "
                      "tf.int64)], rt_dense_values=[5, 6, 7])[0]",
                      "[[0 0]\n [0 1]\n [1 0]]"}}})
      .CpuAny(RaggedToSparse);
}

}  // namespace

TENSH_OPS(sparse_rows) {
  RegisterRagged(r);
  r.Op({.name = "EditDistance",
        .inputs = "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, "
                  "truth_indices: int64, truth_values: T, truth_shape: int64",
        .outputs = "output: float",
        .attrs = "normalize: bool = true, T: type",
        .doc = "The Levenshtein distance between the sequences in two sparse tensors, for each "
               "row. hypothesis_indices, hypothesis_values, of type T, and hypothesis_shape are "
               "the sequences found; truth_indices, truth_values and truth_shape are the correct "
               "ones. normalize: divide by the length of the correct sequence. output is dense.",
        .contract = "hypothesis_indices: matrix, hypothesis_values: vector, hypothesis_shape: "
                    "vector, truth_indices: matrix, truth_values: vector, truth_shape: vector",
        .shape = DistanceShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.EditDistance(hypothesis_indices=[[0, 0]], "
                      "hypothesis_values=['a'], hypothesis_shape=[1, 1], truth_indices=[[0, 0], "
                      "[0, 1]], truth_values=['a', 'b'], truth_shape=[1, 2])",
                      "[0.5]"}}})
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           bool, std::complex<float>, std::complex<double>, std::string>(
          EditDistance{}, {.prepare = PrepareFrom<NormalizeState>});
}

}  // namespace tensh::ops
