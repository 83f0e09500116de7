// Compares the declarations that tensh makes of cuFFT and cuSOLVER with their headers, where these are installed.
#include <type_traits>

#include "devices/cuda/fft_api.h"
#include "devices/cuda/solver_api.h"

namespace {

// Returns true if a call with the arguments of one function passes what the other expects.
template <class A, class B>
constexpr bool kSameArgument =
    sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>;
template <class R1, class... A, class R2, class... B>
constexpr bool AreSame(R1 (*)(A...), R2 (*)(B...)) {
  if constexpr (sizeof...(A) == sizeof...(B))
    return sizeof(R1) == sizeof(R2) && (kSameArgument<A, B> && ...);
  else
    return false;
}
template <class Ours, class Theirs>
constexpr bool kIs = AreSame(static_cast<Ours*>(nullptr), static_cast<Theirs*>(nullptr));
#define IS(ours, theirs) static_assert(kIs<ours, decltype(theirs)>)

}  // namespace

#if __has_include(<cufft.h>)
#include <cufft.h>
namespace tensh::cuda::fft {
static_assert(CUFFT_SUCCESS == kSuccess && CUFFT_ALLOC_FAILED == kNoMemory &&
              CUFFT_C2C == kComplex[0] && CUFFT_Z2Z == kComplex[1] && CUFFT_R2C == kFromReal[0] &&
              CUFFT_D2Z == kFromReal[1] && CUFFT_C2R == kToReal[0] && CUFFT_Z2D == kToReal[1] &&
              CUFFT_FORWARD == kForward && CUFFT_INVERSE == kInverse);
IS(Create, cufftCreate);
IS(Destroy, cufftDestroy);
IS(SetAutoAllocation, cufftSetAutoAllocation);
IS(MakePlan, cufftMakePlanMany64);
IS(SetScratch, cufftSetWorkArea);
IS(SetStream, cufftSetStream);
IS(RunComplex, cufftExecC2C);
IS(RunComplex, cufftExecZ2Z);
IS(RunReal, cufftExecR2C);
IS(RunReal, cufftExecD2Z);
IS(RunReal, cufftExecC2R);
IS(RunReal, cufftExecZ2D);
}  // namespace tensh::cuda::fft
#endif

#if __has_include(<cusolverDn.h>)
#include <cusolverDn.h>
namespace tensh::cuda::solver {
static_assert(CUSOLVER_STATUS_SUCCESS == kSuccess && CUSOLVER_STATUS_ALLOC_FAILED == kNoMemory &&
              CUBLAS_FILL_MODE_LOWER == kLower && CUBLAS_OP_N == kPlain &&
              CUBLAS_OP_T == kTransposed && CUBLAS_OP_C == kAdjoint &&
              CUSOLVER_EIG_MODE_NOVECTOR == kNoVectors && CUSOLVER_EIG_MODE_VECTOR == kVectors);
IS(Create, cusolverDnCreate);
IS(Create, cusolverDnCreateParams);
IS(SetStream, cusolverDnSetStream);
IS(CholeskyScratch, cusolverDnXpotrf_bufferSize);
IS(Cholesky, cusolverDnXpotrf);
IS(LuScratch, cusolverDnXgetrf_bufferSize);
IS(Lu, cusolverDnXgetrf);
IS(Solve, cusolverDnXgetrs);
IS(QrScratch, cusolverDnXgeqrf_bufferSize);
IS(Qr, cusolverDnXgeqrf);
IS(QScratch, cusolverDnSorgqr_bufferSize);
IS(QScratch, cusolverDnDorgqr_bufferSize);
IS(QScratch, cusolverDnCungqr_bufferSize);
IS(QScratch, cusolverDnZungqr_bufferSize);
IS(Q, cusolverDnSorgqr);
IS(Q, cusolverDnDorgqr);
IS(Q, cusolverDnCungqr);
IS(Q, cusolverDnZungqr);
IS(EigenScratch, cusolverDnXsyevd_bufferSize);
IS(Eigen, cusolverDnXsyevd);
IS(SvdScratch, cusolverDnXgesvd_bufferSize);
IS(Svd, cusolverDnXgesvd);
}  // namespace tensh::cuda::solver
#endif
