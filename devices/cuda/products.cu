// The product of matrices without cuBLAS. Each thread computes 4 x 4 elements, so that it reads half
// an element for each multiplication. This is several times slower than cuBLAS.
#include "devices/cuda/products.h"

#include <utility>

#include "devices/cuda/cuda_complex.h"

namespace tensh::cuda {
namespace {

constexpr int kTile = 4;

template <class Sum, class T>
TENSH_DEVICE Sum Factor(T x, bool conjugate) {
  if constexpr (requires { x.im; })
    return conjugate ? Sum(x.re, -x.im) : x;
  else
    return static_cast<Sum>(x);
}

// The columns of a tile are `wide` apart, so that neighboring threads read and write neighboring
// elements. Positions beyond the edge are moved to it, and their sums are not stored.
template <class T>
Status MultiplyTiles(KernelCtx& c, const GemmCall& g) {
  using S = Seen<T>;
  using Sum = Computed<S>;
  const int64_t high = (g.m + kTile - 1) / kTile, wide = (g.n + kTile - 1) / kTile;
  const auto a_all = Elements<const S>(const_cast<void*>(g.a), g.m * g.k);
  const auto b_all = Elements<const S>(const_cast<void*>(g.b), g.k * g.n);
  const auto y_all = Elements<S>(g.y, g.m * g.n);
  return ForEach(c, g.batch * high * wide, [=] TENSH_DEVICE(int64_t i) {
    const int64_t column = i % wide, row = i / wide % high * kTile, each = i / wide / high;
    const S* a = a_all.at + each * g.stride_a;
    const S* b = b_all.at + each * g.stride_b;
    S* y = y_all.at + each * g.stride_y;
    int64_t a_at[kTile], b_at[kTile];
    for (int p = 0; p < kTile; ++p) {
      const int64_t r = row + p < g.m ? row + p : g.m - 1;
      const int64_t q = column + p * wide < g.n ? column + p * wide : g.n - 1;
      a_at[p] = g.transpose_a ? r : r * g.k;
      b_at[p] = g.transpose_b ? q * g.k : q;
    }
    const int64_t a_step = g.transpose_a ? g.m : 1, b_step = g.transpose_b ? 1 : g.n;
    const bool conjugate_a = g.adjoint && g.transpose_a, conjugate_b = g.adjoint && g.transpose_b;
    Sum sums[kTile][kTile];
    for (auto& line : sums)
      for (Sum& sum : line) sum = Sum(0);
    for (int64_t k = 0; k < g.k; ++k) {
      Sum x[kTile], z[kTile];
      for (int p = 0; p < kTile; ++p) {
        x[p] = Factor<Sum>(a[a_at[p] + k * a_step], conjugate_a);
        z[p] = Factor<Sum>(b[b_at[p] + k * b_step], conjugate_b);
      }
      for (int p = 0; p < kTile; ++p)
        for (int q = 0; q < kTile; ++q) sums[p][q] = sums[p][q] + x[p] * z[q];
    }
    for (int p = 0; p < kTile; ++p)
      for (int q = 0; q < kTile; ++q)
        if (row + p < g.m && column + q * wide < g.n)
          y[(row + p) * g.n + column + q * wide] = static_cast<S>(sums[p][q]);
  });
}

Status MultiplyPlainly(KernelCtx& c, const GemmCall& g) {
  switch (g.type) {
    case DType::kFloat:
      return MultiplyTiles<float>(c, g);
    case DType::kDouble:
      return MultiplyTiles<double>(c, g);
    case DType::kHalf:
      return MultiplyTiles<Half>(c, g);
    case DType::kBfloat16:
      return MultiplyTiles<Bfloat16>(c, g);
    case DType::kComplex64:
      return MultiplyTiles<std::complex<float>>(c, g);
    case DType::kComplex128:
      return MultiplyTiles<std::complex<double>>(c, g);
    default:
      return Unimplemented("a product of matrices of ", Name(g.type), " on a GPU");
  }
}

}  // namespace

#ifdef __CUDACC__
namespace {
__global__ void NoWork() {}
}  // namespace
const void* AnyKernel() { return reinterpret_cast<const void*>(&NoWork); }
#else
const void* AnyKernel() { return nullptr; }
#endif

Status Multiply(KernelCtx& c, const GemmCall& call) {
  CudaStream& s = StreamOf(c);
  TENSH_RETURN_IF_ERROR(s.driver().Use(s.gpu()));
  Status status = s.driver().Gemm(s.stream(), call);
  if (status.code() == Code::kResourceExhausted && s.memory()) {
    s.memory()->MakeRoom();
    Status again = s.driver().Gemm(s.stream(), call);
    std::swap(status, again);
  }
  return status.code() == Code::kUnimplemented ? MultiplyPlainly(c, call) : status;
}

}  // namespace tensh::cuda
