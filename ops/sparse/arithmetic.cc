// Addition and comparison of sparse tensors, and elementwise operations with a dense tensor.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/sparse/sparse_tensor.h"
#include "ops/state/scatter_rule.h"
#include "ops/support/grad_util.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

// Returns true if |x| > thresh, and always if thresh <= 0.
template <class T, class R>
bool Exceeds(T x, R thresh) {
  if (thresh <= R(0)) return true;
  if constexpr (std::is_floating_point_v<T>)
    return std::abs(x) >= thresh;
  else if constexpr (std::is_integral_v<T>)
    return (x < T(0) ? WrapNeg(x) : x) >= thresh;
  else
    return std::abs(x) >= thresh;
}

// Merges the rows of a and b, which are sorted. Calls fn(row of a, row of b) for each distinct
// index, with -1 for a row that does not exist.
template <class Fn>
void Merge(const Sparse& a, const Sparse& b, Fn fn) {
  int64_t i = 0, j = 0;
  while (i < a.n || j < b.n) {
    const int order = i == a.n ? 1 : j == b.n ? -1 : CompareRows(a.row(i), b.row(j), a.rank);
    fn(order <= 0 ? i : -1, order >= 0 ? j : -1);
    i += order <= 0;
    j += order >= 0;
  }
}

struct SparseAdd {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Sparse a, ReadSparse(c.in(0), &c.in(1), c.in(2), false));
    TENSH_ASSIGN(const Sparse b, ReadSparse(c.in(3), &c.in(4), c.in(5), false));
    if (a.dims != b.dims)
      return InvalidArgument("operands' shapes do not match: got ", Shape(a.dims), " and ",
                             Shape(b.dims));
    if (c.in(6).dtype() != RealOf(kDTypeOf<T>))
      return InvalidArgument("thresh must be of type ", SignatureName(RealOf(kDTypeOf<T>)));
    std::vector<const int64_t*> rows;
    std::vector<T> sums;
    Merge(a, b, [&](int64_t i, int64_t j) {
      T sum = i >= 0 ? a.values.data<T>()[i] : T(0);
      if (j >= 0) sum = i >= 0 ? WrapAdd(sum, b.values.data<T>()[j]) : b.values.data<T>()[j];
      // As in TensorFlow, the threshold does not apply to values that only one of the tensors has.
      if (i >= 0 && j >= 0 && !Passes(sum, c.in(6))) return;
      sums.push_back(sum);
      rows.push_back(i >= 0 ? a.row(i) : b.row(j));
    });
    const int64_t n = static_cast<int64_t>(rows.size());
    TENSH_OUTPUT(indices, c.Output(0, Shape({n, a.rank})));
    TENSH_OUTPUT(values, c.Output(1, Shape({n})));
    for (int64_t k = 0; k < n; ++k)
      std::copy_n(rows[static_cast<size_t>(k)], a.rank, indices->data<int64_t>() + k * a.rank);
    std::copy(sums.begin(), sums.end(), values->data<T>());
    c.SetOutput(2, DimsTensor(a.dims));
    return {};
  }

  static DType RealOf(DType t) {
    return t == DType::kComplex64 ? DType::kFloat : t == DType::kComplex128 ? DType::kDouble : t;
  }
  template <class T>
  static bool Passes(T x, const Tensor& thresh) {
    if constexpr (std::is_arithmetic_v<T>)
      return Exceeds(x, *thresh.data<T>());
    else
      return Exceeds(x, *thresh.data<typename T::value_type>());
  }
};

Status AddShape(ShapeCtx& c) {
  const int64_t rank = c.in(2).has_rank() ? c.in(2)[0] : -1;
  c.Set(0, Shape({-1, rank}));
  c.Set(1, Shape({-1}));
  c.Set(2, Shape({rank}));
  return {};
}

Status AddGradient(GradScope& g) {
  Out dy = g.dy(1);
  Out grad = g.Op("SparseAddGrad", {dy, g.x(0), g.x(3), g.y(0)});
  return g.Return({{}, grad, {}, {}, g.Output(grad, 1), {}, {}});
}

struct SparseAddGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& dy = c.in(0);
    Sparse parts[3];
    for (int i = 0; i < 3; ++i) {
      const Tensor& t = c.in(1 + i);
      if (t.dim(1) != c.in(1).dim(1))
        return InvalidArgument("The densified operands should have the same ndims.");
      parts[i].indices = t;
      parts[i].n = t.dim(0);
      parts[i].rank = static_cast<int>(t.dim(1));
    }
    const Sparse& sum = parts[2];
    if (dy.dim(0) != sum.n)
      return InvalidArgument("# elements and rows of sum_indices should match (#elements: ",
                             dy.num_elements(), ", rows of sum_indices: ", sum.n, ")");
    for (int i = 0; i < 2; ++i) {
      TENSH_OUTPUT(out, c.Output(i, Shape({parts[i].n})));
      std::fill_n(out->data<T>(), parts[i].n, T(0));
      T* to = out->data<T>();
      Merge(parts[i], sum, [&](int64_t row, int64_t at) {
        if (row >= 0 && at >= 0) to[row] = dy.data<T>()[at];
      });
    }
    return {};
  }
};

Status AddGradShape(ShapeCtx& c) {
  for (int i = 0; i < 2; ++i) c.Set(i, Shape({c.in(1 + i).has_rank() ? c.in(1 + i)[0] : -1}));
  return {};
}

struct DenseAdd {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &indices = c.in(0), &values = c.in(1), &shape = c.in(2), &b = c.in(3);
    if (indices.rank() != 2)
      return InvalidArgument("Tensor 'a_indices' is not a matrix: ", indices.shape());
    if (values.rank() != 1 || shape.rank() != 1 || values.dim(0) != indices.dim(0) ||
        shape.dim(0) != indices.dim(1))
      return InvalidArgument("Dimensions ", values.shape(), " and ", shape.shape(),
                             " are not compatible with indices of shape ", indices.shape());
    const int rank = static_cast<int>(shape.dim(0));
    if (rank != b.rank())
      return InvalidArgument("Two operands have different ranks; received: ", rank, " and ",
                             b.rank());
    for (int d = 0; d < rank; ++d)
      if (IndexAt(shape, d) != b.dim(d))
        return InvalidArgument("Dimension ", d,
                               " does not equal (no broadcasting is supported): ", "sparse side ",
                               IndexAt(shape, d), " vs dense side ", b.dim(d));
    std::vector<int64_t> places;
    for (int64_t i = 0; i < values.dim(0); ++i) {
      int64_t place = 0;
      for (int d = 0; d < rank; ++d) {
        const int64_t k = IndexAt(indices, i * rank + d);
        if (k < 0 || k >= b.dim(d))
          return InvalidArgument("Sparse tensor has an invalid index on dimension ", d,
                                 ": a_indices[", i, "] = ", k, ", dense tensor shape: ", b.shape());
        place = place * b.dim(d) + k;
      }
      places.push_back(place);
    }
    TENSH_OUTPUT(out, c.Output(0, b.shape()));
    std::copy_n(b.data<T>(), b.num_elements(), out->data<T>());
    for (size_t i = 0; i < places.size(); ++i)
      AddRule::Apply(out->data<T>()[places[i]], values.data<T>()[i]);
    return {};
  }
};

Status DenseAddGrad(GradScope& g) {
  Out dy = g.dy(0);
  return g.Return({{}, g.Op("GatherNd", {dy, g.x(0)}), {}, dy});
}

// ---- elementwise with a dense tensor, which is broadcast to the sparse shape ----

template <class Rule>
struct Cwise {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Sparse s, ReadSparse(c.in(0), &c.in(1), c.in(2), true));
    const Tensor& dense = c.in(3);
    const int skipped = s.rank - dense.rank();
    bool fits = skipped >= 0;
    for (int d = 0; fits && d < dense.rank(); ++d)
      fits = dense.dim(d) == 1 ||
             dense.dim(d) == s.dims[static_cast<size_t>(d) + static_cast<size_t>(skipped)];
    if (!fits)
      return InvalidArgument(
          "SparseDenseBinaryOpShared broadcasts dense to sparse only; got "
          "incompatible shapes: [",
          Shape(s.dims), "] vs. [", dense.shape(), "]");
    TENSH_OUTPUT(out, c.Output(0, Shape({s.n})));
    for (int64_t i = 0; i < s.n; ++i) {
      int64_t place = 0;
      for (int d = 0; d < dense.rank(); ++d)
        place = place * dense.dim(d) + (dense.dim(d) == 1 ? 0 : s.row(i)[d + skipped]);
      T value = s.values.data<T>()[i];
      const T by = dense.data<T>()[place];
      if constexpr (std::is_same_v<Rule, DivRule> && std::is_integral_v<T>)
        if (by == 0) return InvalidArgument("SparseDenseCwiseDiv cannot divide by zero");
      Rule::Apply(value, by);
      out->data<T>()[i] = value;
    }
    return {};
  }
};

Status CwiseShape(ShapeCtx& c) {
  c.Set(0, Shape({c.in(0).has_rank() ? c.in(0)[0] : -1}));
  return {};
}

// Computes the gradients from the dense values at the sparse indices.
template <bool kMultiply>
Status CwiseGrad(GradScope& g) {
  Out indices = g.x(0), values = g.x(1), shape = g.x(2), dense = g.x(3), dy = g.dy(0);
  auto wide = [&](Out t) { return g.Op("Cast", {t}, {{"DstT", DType::kInt64}}); };
  Out dense_shape = wide(g.Op("Shape", {dense}));
  Out ranks =
      g.Op("Sub", {SizeOfTensor(g, shape), SizeOfTensor(g, dense_shape, "Size_1")}, {}, "sub");
  Out added = g.Op("ExpandDims", {ranks, ConstInt(g, 0, "ExpandDims/dim")});
  Out ones = g.Op("Fill", {added, g.Const(Tensor::Scalar<int64_t>(1), "ones/Const")}, {}, "ones");
  Out stretched = Concat(g, {ones, dense_shape}, ConstInt(g, 0, "concat/axis"));
  Out scaling = g.Op("FloorDiv", {shape, stretched}, {}, "floordiv");
  Out scaled = g.Op("FloorDiv", {indices, scaling}, {}, "floordiv_1");
  Out begin = Concat(g, {ConstInts(g, {0}, "concat_1/values_0"), added},
                     ConstInt(g, 0, "concat_1/axis"), "concat_1");
  scaled = g.Op("Slice", {scaled, begin, ConstInts(g, {-1, -1}, "Slice/size")});
  Out under = g.Op("GatherNd", {dense, scaled});
  Out dx, part;
  if (kMultiply) {
    dx = g.Mul(dy, under);
    part = g.Mul(dy, values);
  } else {
    dx = g.Op("RealDiv", {dy, under}, {}, "truediv");
    Out negative = g.Op("Neg", {values});
    Out square = g.Op("Square", {under});
    part = g.Mul(dy, g.Op("RealDiv", {negative, square}, {}, "truediv_1"));
  }
  Out zeros = g.Op("ZerosLike", {dense}, {}, "zeros_like");
  Out sum = g.Op("SparseTensorDenseAdd", {scaled, part, dense_shape, zeros});
  return g.Return({{}, dx, {}, sum});
}

// ---- SparseSparseMaximum and SparseSparseMinimum ----

template <class Rule>
struct SparseSparse {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Sparse a, ReadSparse(c.in(0), &c.in(1), c.in(2), false));
    TENSH_ASSIGN(const Sparse b, ReadSparse(c.in(3), &c.in(4), c.in(5), false));
    if (a.dims != b.dims)
      return InvalidArgument("Operands' shapes do not match: got ", Shape(a.dims), " and ",
                             Shape(b.dims));
    std::vector<const int64_t*> rows;
    std::vector<T> best;
    Merge(a, b, [&](int64_t i, int64_t j) {
      T value = i >= 0 ? a.values.data<T>()[i] : T(0);
      Rule::Apply(value, j >= 0 ? b.values.data<T>()[j] : T(0));
      best.push_back(value);
      rows.push_back(i >= 0 ? a.row(i) : b.row(j));
    });
    const int64_t n = static_cast<int64_t>(rows.size());
    TENSH_OUTPUT(indices, c.Output(0, Shape({n, a.rank})));
    TENSH_OUTPUT(values, c.Output(1, Shape({n})));
    for (int64_t k = 0; k < n; ++k)
      std::copy_n(rows[static_cast<size_t>(k)], a.rank, indices->data<int64_t>() + k * a.rank);
    std::copy(best.begin(), best.end(), values->data<T>());
    return {};
  }
};

Status SparseSparseShape(ShapeCtx& c) {
  c.Set(0, Shape({-1, -1}));
  c.Set(1, Shape({-1}));
  return {};
}

template <class Rule>
void RegisterCwise(OpRegistry& r, const char* name, const char* what, GradFn grad,
                   const char* result) {
  r.Op({.name = name,
        .inputs = "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T",
        .outputs = "output: T",
        .attrs = StrCat("T: ", kNumberTypes),
        .doc = StrCat("The values of a sparse tensor ", what,
                      " those of a dense one at the same indices. sp_indices, sp_values, of type "
                      "T, and sp_shape are the sparse tensor; dense broadcasts to its shape. "
                      "output are the new values."),
        .contract = "sp_indices: matrix, sp_values: vector, sp_shape: vector",
        .shape = CwiseShape,
        .grad = grad,
        .examples = {{StrCat("tf.raw_ops.", name,
                             "(sp_indices=[[0, 1]], sp_values=[6.], sp_shape=[2, 2], "
                             "dense=[4., 2.])"),
                      result}}})
      .template Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                    uint64_t>(Cwise<Rule>{});
}

template <class Rule>
void RegisterBest(OpRegistry& r, const char* name, const char* which, const char* types) {
  r.Op({.name = name,
        .inputs = "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, "
                  "b_shape: int64",
        .outputs = "output_indices: int64, output_values: T",
        .attrs = StrCat("T: ", types),
        .doc =
            StrCat("The ", which,
                   " of two sparse tensors, elementwise, with 0 where one has no value. a_indices, "
                   "a_values, of type T, and a_shape are the first, b_indices, b_values and "
                   "b_shape the second; output_indices and output_values are the result."),
        .shape = SparseSparseShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.", name,
                             "(a_indices=[[0]], a_values=[5], a_shape=[2], b_indices=[[0]], "
                             "b_values=[5], b_shape=[2])[1]"),
                      "[5]"}}})
      .template Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                    uint64_t>(SparseSparse<Rule>{});
}

void RegisterAdds(OpRegistry& r) {
  r.Op({.name = "SparseAdd",
        .inputs = "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, "
                  "b_shape: int64, thresh: Treal",
        .outputs = "sum_indices: int64, sum_values: T, sum_shape: int64",
        .attrs = StrCat("T: ", kNumberTypes,
                        ", Treal: {float, double, int32, uint8, int16, int8, int64, bfloat16, "
                        "uint16, half, uint32, uint64}"),
        .doc =
            "The sum of two sparse tensors of equal shape. a_indices, a_values, of type T, and "
            "a_shape are the first, b_indices, b_values and b_shape the second, both in the order "
            "of their indices. Sums of two values that are smaller than thresh, of type Treal, in "
            "absolute value are dropped. sum_indices, sum_values and sum_shape are the result.",
        .contract = "a_indices: matrix, a_values: vector, a_shape: vector, b_indices: matrix, "
                    "b_values: vector, b_shape: vector, thresh: scalar at run",
        .shape = AddShape,
        .grad = AddGradient,
        .examples = {{"tf.raw_ops.SparseAdd(a_indices=[[0]], a_values=[1.], a_shape=[2], "
                      "b_indices=[[0]], b_values=[2.], b_shape=[2], thresh=0.)[1]",
                      "[3.]"}}})
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, std::complex<float>,
           std::complex<double>>(SparseAdd{});
  r.Op({.name = "SparseAddGrad",
        .inputs = "backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64",
        .outputs = "a_val_grad: T, b_val_grad: T",
        .attrs = StrCat("T: ", kNumberTypes),
        .doc = "The gradient of SparseAdd. backprop_val_grad, of type T, is the incoming gradient "
               "of the values at sum_indices; a_val_grad and b_val_grad are the gradients of the "
               "values at a_indices and b_indices.",
        .contract = "backprop_val_grad: vector at run, a_indices: matrix, b_indices: matrix, "
                    "sum_indices: matrix at run",
        .shape = AddGradShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.SparseAddGrad(backprop_val_grad=[2.], a_indices=[[0]], "
                      "b_indices=[[0], [1]], sum_indices=[[0]])[1]",
                      "[2. 0.]"}}})
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, std::complex<float>,
           std::complex<double>>(SparseAddGrad{});
  r.Op({.name = "SparseTensorDenseAdd",
        .inputs = "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T",
        .outputs = "output: T",
        .attrs = StrCat("T: ", kNumberTypes, ", Tindices: {int32, int64}"),
        .doc = "The sum of a sparse and a dense tensor of equal shape. a_indices, of type "
               "Tindices, a_values, of type T, and a_shape are the sparse one, b is the dense one; "
               "output is dense.",
        .shape = SameAsInput<3>,
        .grad = DenseAddGrad,
        .examples = {{"tf.raw_ops.SparseTensorDenseAdd(a_indices=[[1]], a_values=[2.], "
                      "a_shape=[2], b=[1., 1.])",
                      "[1. 3.]"}}})
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           std::complex<float>, std::complex<double>>(DenseAdd{});
}

}  // namespace

TENSH_OPS(sparse_arithmetic) {
  RegisterAdds(r);
  RegisterCwise<MulRule>(r, "SparseDenseCwiseMul", "times", CwiseGrad<true>, "[12.]");
  RegisterCwise<DivRule>(r, "SparseDenseCwiseDiv", "divided by", CwiseGrad<false>, "[3.]");
  RegisterCwise<AddRule>(r, "SparseDenseCwiseAdd", "plus", nullptr, "[8.]");
  RegisterBest<MaxRule>(r, "SparseSparseMaximum", "larger",
                        "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, "
                        "half, uint32, uint64}");
  RegisterBest<MinRule>(r, "SparseSparseMinimum", "smaller", kNumberTypes);
}

}  // namespace tensh::ops
