// Transpose, ConjugateTranspose and InvertPermutation.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/complex_types.h"
#include "ops/support/per_dim.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

using Permutation = PerDim<int>;

// Formats a list as "{0,0}".
std::string SpellList(const Tensor& t) {
  std::string text = "{";
  for (int64_t i = 0; i < t.num_elements(); ++i) text += StrCat(i ? "," : "", IndexAt(t, i));
  return text + "}";
}

Result<Permutation> ReadPermutation(const Tensor& perm, int rank) {
  if (!IsVector(perm)) return InvalidArgument("perm must be rank 1, got shape ", perm.shape());
  if (perm.num_elements() != rank)
    return InvalidArgument("transpose expects a vector of size ", rank,
                           ". But input(1) is a vector of size ", perm.num_elements());
  Permutation p(rank);
  DimSet seen;
  for (int i = 0; i < rank; ++i) {
    int64_t d = IndexAt(perm, i);
    if (d < 0) d += rank;
    if (d < 0 || d >= rank)
      return InvalidArgument(IndexAt(perm, i), " is out of range [0 .. ", rank, ")");
    seen.set(static_cast<size_t>(d));
    p[i] = static_cast<int>(d);
  }
  for (int i = 0; i < rank; ++i)
    if (!seen[static_cast<size_t>(i)])
      return InvalidArgument(i, " is missing from ", SpellList(perm));
  return p;
}

// Returns true if the dimensions of extent > 1 keep their order. Then no element moves.
bool KeepsOrder(const Shape& shape, const Permutation& p) {
  int last = -1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[p[i]] == 1) continue;
    if (p[i] < last) return false;
    last = p[i];
  }
  return true;
}

Status Transpose(KernelCtx& c) {
  const Tensor& x = c.in(0);
  TENSH_ASSIGN(Permutation p, ReadPermutation(c.in(1), x.rank()));
  Shape shape = x.shape();
  for (int i = 0; i < x.rank(); ++i) shape.set_dim(i, x.dim(p[i]));
  if (KeepsOrder(x.shape(), p)) {
    c.SetOutput(0, shape == x.shape() ? x : x.Reshaped(shape));
    return {};
  }
  TENSH_OUTPUT(y, c.Output(0, shape));
  Strides from(x.shape()), to(shape);
  BoxCopy box;
  for (int i = 0; i < x.rank(); ++i) box.Add(shape[i], from[p[i]], to[i]);
  CopyBox(c, x.dtype(), y->raw(), x.raw(), box);
  return {};
}

template <class T>
void ConjugateAll(Tensor& t) {
  for (std::complex<T>& z : t.flat<std::complex<T>>()) z = std::conj(z);
}

Status ConjugateTranspose(KernelCtx& c) {
  const Tensor& x = c.in(0);
  if (!IsComplex(x.dtype())) return Transpose(c);
  TENSH_ASSIGN(Permutation p, ReadPermutation(c.in(1), x.rank()));
  Shape shape = x.shape();
  for (int i = 0; i < x.rank(); ++i) shape.set_dim(i, x.dim(p[i]));
  TENSH_OUTPUT(y, c.Output(0, shape));
  Strides from(x.shape()), to(shape);
  BoxCopy box;
  for (int i = 0; i < x.rank(); ++i) box.Add(shape[i], from[p[i]], to[i]);
  CopyBox(c, x.dtype(), y->raw(), x.raw(), box);
  if (x.dtype() == DType::kComplex64)
    ConjugateAll<float>(*y);
  else
    ConjugateAll<double>(*y);
  return {};
}

Status TransposeShape(ShapeCtx& c) {
  const Shape &in = c.in(0), &perm_shape = c.in(1);
  const Tensor* perm = c.constant(1);
  int64_t entries = perm_shape.IsFullyKnown() ? perm_shape.num_elements() : -1;
  int64_t rank = in.has_rank() ? in.rank() : entries;
  // One entry fits both a scalar and a vector, which stay unchanged.
  if (rank < 0 || (!in.has_rank() && rank < 2)) return {};
  TENSH_RETURN_IF_ERROR(c.WithRank(1, 1));
  if (entries >= 0 && entries != rank)
    return InvalidArgument("Dimension must be ", rank, " but is ", entries);
  if (rank > Shape::kMaxRank)
    return InvalidArgument("a tensor of rank ", rank, " was requested; tensh supports ranks 0 to ",
                           Shape::kMaxRank);
  Shape out = Shape::UnknownOfRank(static_cast<int>(rank));
  for (int i = 0; perm && i < rank; ++i) {
    int64_t d = IndexAt(*perm, i);
    if (d < -rank || d >= rank)
      return InvalidArgument("perm dim ", d, " is out of range of input rank ", rank);
    if (in.has_rank()) out.set_dim(i, in[static_cast<int>(d < 0 ? d + rank : d)]);
  }
  c.Set(0, out);
  return {};
}

Status TransposeGrad(GradScope& g) {
  Out back = g.Op("InvertPermutation", {g.x(1)});
  return g.Return({g.Op("Transpose", {g.dy(0), back}, {}, "transpose"), {}});
}

Status ConjugateTransposeGrad(GradScope& g) {
  Out back = g.Op("InvertPermutation", {g.x(1)});
  return g.Return({g.Op("ConjugateTranspose", {g.dy(0), back}, {}, "transpose"), {}});
}

struct InvertPermutation {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    int64_t n = x.num_elements();
    TENSH_OUTPUT(y, c.Output(0, x.shape()));
    T* out = y->data<T>();
    std::fill_n(out, n, T(-1));
    for (int64_t i = 0; i < n; ++i) {
      T d = x.data<T>()[i];
      if (d < 0 || d >= n) return InvalidArgument(d, " is not between 0 and ", n);
      if (out[d] != -1) return InvalidArgument(d, " is duplicated in the input.");
      out[d] = static_cast<T>(i);
    }
    return {};
  }
};

Status InvertPermutationShape(ShapeCtx& c) {
  c.Set(0, c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(1));
  return {};
}

}  // namespace

TENSH_OPS(array_arrange_transpose) {
  r.Op({.name = "Transpose",
        .inputs = "x: T, perm: Tperm",
        .outputs = "y: T",
        .attrs = "T: type, Tperm: {int32, int64} = int32",
        .doc = "Permutes dimensions. x has any type T. Dimension i of y is dimension perm[i] of x. "
               "perm is a vector of type Tperm that names each dimension once.",
        .shape = TransposeShape,
        .grad = TransposeGrad,
        .examples = {{"tf.transpose([[1, 2, 3], [4, 5, 6]])", "[[1 4]\n [2 5]\n [3 6]]"}}})
      .CpuAny(Transpose);
  r.Op({.name = "ConjugateTranspose",
        .inputs = "x: T, perm: Tperm",
        .outputs = "y: T",
        .attrs = "T: type, Tperm: {int32, int64} = int32",
        .doc =
            "Permutes dimensions and conjugates. x has any type T. Dimension i of y is dimension "
            "perm[i] of x. perm is a vector of type Tperm that names each dimension once.",
        .shape = TransposeShape,
        .grad = ConjugateTransposeGrad,
        .examples = {{"tf.raw_ops.ConjugateTranspose(x=[[1, 2], [3, 4]], perm=[1, 0])",
                      "[[1 3]\n [2 4]]"}}})
      .CpuAny(ConjugateTranspose);
  r.Op({.name = "InvertPermutation",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = "T: {int32, int64} = int32",
        .doc = "The inverse of a permutation. x is a vector of the numbers 0 to n-1 in some order, "
               "of type T; y[x[i]] = i.",
        .contract = "x: vector",
        .shape = InvertPermutationShape,
        .no_gradient = true,
        .examples = {{"tf.invert_permutation([2, 0, 1])", "[1 2 0]"}}})
      .Cpu<int32_t, int64_t>(InvertPermutation{});
}

}  // namespace tensh::ops
