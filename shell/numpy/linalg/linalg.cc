// Products of vectors and matrices. Large float products run on the runtime's MatMul kernel. Small
// ones and integers use plain loops.
#include <algorithm>

#include "shell/client/client.h"
#include "shell/numpy/element.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/ufunc.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {
namespace {

// Number of multiplications below which calling the kernel costs more than the product itself.
constexpr int64_t kKernelWork = 1 << 15;

// Computes out[m,n] += a[m,k] b[k,n] for dense rows.
template <class T>
void Multiply(const T* a, const T* b, T* out, int64_t m, int64_t k, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t p = 0; p < k; ++p) {
      const T x = a[i * k + p];
      for (int64_t j = 0; j < n; ++j) {
        if constexpr (std::is_same_v<T, bool>)
          out[i * n + j] = out[i * n + j] || (x && b[p * n + j]);
        else if constexpr (std::is_integral_v<T>)
          out[i * n + j] =
              static_cast<T>(static_cast<uint64_t>(out[i * n + j]) +
                             static_cast<uint64_t>(x) * static_cast<uint64_t>(b[p * n + j]));
        else
          out[i * n + j] += x * b[p * n + j];
      }
    }
  }
}

// Both must be two-dimensional, of the same type, and with equal inner extents.
Array MatMul2(const Array& a, const Array& b) {
  const bool kernel = (a.dtype == TSH_FLOAT || a.dtype == TSH_DOUBLE) &&
                      a.dim(0) * a.dim(1) * b.dim(1) >= kKernelWork;
  if (kernel) {
    const TensorHandle inputs[] = {ToHandle(a), ToHandle(b)};
    return FromHandle(RunOp("MatMul", inputs, Attrs())[0]);
  }
  const int64_t dims[] = {a.dim(0), b.dim(1)};
  if (a.dtype == TSH_HALF || a.dtype == TSH_BFLOAT16)
    return Cast(MatMul2(Cast(a, TSH_FLOAT), Cast(b, TSH_FLOAT)), a.dtype);
  const Array x = Contiguous(a), y = Contiguous(b), out = Zeros(a.dtype, dims);
  if (x.size() == 0 || y.size() == 0) return out;
  WithType(a.dtype, [&]<class T>() {
    if constexpr (!kIsHalf<T>)
      Multiply<T>(x.as<T>(), y.as<T>(), out.writable<T>(), dims[0], a.dim(1), dims[1]);
  });
  return out;
}

void Unify(Array* a, Array* b) {
  const int dtype = Promote(a->dtype, b->dtype);
  if (!HasBytes(dtype))
    throw TypeError("matrix products need numbers, not " + std::string(GetType(dtype).name));
  *a = Cast(*a, dtype);
  *b = Cast(*b, dtype);
}

[[noreturn]] void CoreMismatch(const Array& a, const Array& b, int b_axis) {
  throw ValueError(
      "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
      "(n?,k),(k,m?)->(n?,m?) (size " +
      std::to_string(b.dim(b_axis)) + " is different from " + std::to_string(a.dim(a.rank - 1)) +
      ")");
}

// Computes a stack of products. The leading axes are broadcast.
Array MatMulStack(const Array& a, const Array& b) {
  const Dims lead_a = a.dims().first(static_cast<size_t>(a.rank - 2));
  const Dims lead_b = b.dims().first(static_cast<size_t>(b.rank - 2));
  Extents lead;
  if (!BroadcastDims(lead_a, lead_b, &lead)) {
    throw ValueError(
        "operands could not be broadcast together with remapped shapes "
        "[original->remapped]: " +
        ShapeText(a.dims()) + " " + ShapeText(b.dims()));
  }
  const auto widen = [&](const Array& x) {
    Extents dims = lead;
    dims.push_back(x.dim(x.rank - 2));
    dims.push_back(x.dim(x.rank - 1));
    Array wide;
    BroadcastTo(x, dims, &wide);
    return wide;
  };
  const Array x = widen(a), y = widen(b);
  Extents dims = lead;
  dims.push_back(a.dim(a.rank - 2));
  dims.push_back(b.dim(b.rank - 1));
  const Array out = Empty(a.dtype, dims);
  const int64_t count = Product(lead);
  for (int64_t k = 0; k < count; ++k) {
    Array p = x, q = y, r = out;
    int64_t rest = k;
    for (size_t i = lead.size(); i-- > 0; rest /= lead[i]) {
      const int64_t at = rest % lead[i];
      for (Array* v : {&p, &q, &r}) *v = DropAxis(*v, static_cast<int>(i), at);
    }
    Assign(r, MatMul2(p, q));
  }
  return out;
}

}  // namespace

Array MatMul(const Array& left, const Array& right) {
  Array a = left, b = right;
  for (const Array* x : {&left, &right}) {
    if (x->rank > 0) continue;
    throw ValueError(std::string("matmul: Input operand ") + (x == &left ? "0" : "1") +
                     " does not have enough dimensions (has 0, gufunc core with signature "
                     "(n?,k),(k,m?)->(n?,m?) requires 1)");
  }
  Unify(&a, &b);
  const bool row = a.rank == 1, column = b.rank == 1;
  if (a.dim(a.rank - 1) != b.dim(column ? 0 : b.rank - 2))
    CoreMismatch(a, b, column ? 0 : b.rank - 2);
  if (row) a = WithAxis(a, 0);
  if (column) b = WithAxis(b, 1);
  Array out = a.rank == 2 && b.rank == 2 ? MatMul2(a, b) : MatMulStack(a, b);
  if (column) out = DropAxis(out, out.rank - 1, 0);
  if (row) out = DropAxis(out, out.rank - (column ? 1 : 2), 0);
  return out;
}

Array Dot(const Array& left, const Array& right) {
  if (left.rank == 0 || right.rank == 0) {
    const int dtype = Promote(left.dtype, right.dtype);
    const Array product = Apply(UfuncOf(BinaryOp::kMul), Cast(left, dtype), Cast(right, dtype));
    if (Category(dtype) < 2 || product.size() == 1 || product.rank > 2) return product;
    // numpy's BLAS adds the products to zero, so the result is never -0.
    return Apply(UfuncOf(BinaryOp::kAdd), product, Cast(Scalar0(TSH_DOUBLE, 0.0), dtype));
  }
  const int inner = right.rank == 1 ? 0 : right.rank - 2;
  if (left.dim(left.rank - 1) != right.dim(inner)) {
    throw ValueError("shapes " + ShapeText(left.dims()) + " and " + ShapeText(right.dims()) +
                     " not aligned: " + std::to_string(left.dim(left.rank - 1)) + " (dim " +
                     std::to_string(left.rank - 1) + ") != " + std::to_string(right.dim(inner)) +
                     " (dim " + std::to_string(inner) + ")");
  }
  if (left.rank <= 2 && right.rank <= 2) return MatMul(left, right);
  // Moves all other axes of both operands together, to form two matrices.
  const int64_t k = right.dim(inner);
  std::vector<int> order{inner};
  Extents dims(left.dims().begin(), left.dims().end() - 1);
  for (int i = 0; i < right.rank; ++i) {
    if (i == inner) continue;
    order.push_back(i);
    dims.push_back(right.dim(i));
  }
  const int64_t rows[] = {k ? left.size() / k : 0, k}, columns[] = {k, k ? right.size() / k : 0};
  return Reshaped(MatMul(Reshaped(left, rows), Reshaped(Transposed(right, order), columns)), dims);
}

Value DotMethod(const Array& a, Args& args, size_t first) {
  const Array result = Dot(a, ToArray(args[first]));
  if (args[first + 1].is_none()) return ArrayOrScalar(result);
  StoreOut(args[first + 1], result);
  return args[first + 1];
}

}  // namespace tensh::shell::np
