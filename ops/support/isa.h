#pragma once
// Run-time selection of the instruction set, so that one binary is fast on every x86-64.
//
// Dispatch<Body>(args...) calls Body::Run(args...) compiled for the best instruction set of this
// CPU. Body::Run must be TENSH_ALWAYS_INLINE and contain plain loops. The variants are explicit
// because target_clones needs ifunc, which the sanitizers and clang 14 do not support. No variant
// contracts multiplications and additions into FMA, so all give bit-identical results.
#include <type_traits>

#define TENSH_ALWAYS_INLINE inline __attribute__((always_inline))

#if defined(__clang__)
#define TENSH_VECTORIZE _Pragma("clang loop vectorize(assume_safety)")
#define TENSH_TARGET_AVX512 "avx512f,avx512dq,avx512bw,avx512vl"
#else
#define TENSH_VECTORIZE _Pragma("GCC ivdep")
#define TENSH_TARGET_AVX512 "avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512"
#endif

#if defined(__x86_64__) && defined(__OPTIMIZE__)
#define TENSH_ISA_VARIANTS 1
#else
#define TENSH_ISA_VARIANTS 0
#endif

namespace tensh::ops {

enum class Isa : int { kBase, kAvx2, kAvx512 };

// Returns the best instruction set that this CPU and operating system support, or the one that the
// environment variable TENSH_ISA names (base, avx2, avx512) if that is less.
Isa CpuIsa();
// True if kAvx512 is in use and the CPU can multiply bytes and add the products at once (AVX512_VNNI).
bool CpuMultipliesBytes();
// For tests: from now on, CpuIsa returns at most `most`. Must not be called while a kernel runs.
void LimitIsa(Isa most);

#if TENSH_ISA_VARIANTS

template <class Body, class... Args>
__attribute__((noinline, target("avx2"))) void RunAvx2(Args... args) {
  Body::Run(args...);
}
template <class Body, class... Args>
__attribute__((noinline, target(TENSH_TARGET_AVX512))) void RunAvx512(Args... args) {
  Body::Run(args...);
}

template <class Body, class... Args>
void Dispatch(Args... args) {
  switch (CpuIsa()) {
    case Isa::kAvx512:
      return RunAvx512<Body>(args...);
    case Isa::kAvx2:
      return RunAvx2<Body>(args...);
    case Isa::kBase:
      return Body::Run(args...);
  }
}
#else
template <class Body, class... Args>
void Dispatch(Args... args) {
  Body::Run(args...);
}
#endif

// Dispatches for float and double only. Other types are rarer and get one version, which keeps the
// binary and its build time small.
template <class T, class Body, class... Args>
TENSH_ALWAYS_INLINE void DispatchFor(Args... args) {
  if constexpr (std::is_floating_point_v<T>)
    Dispatch<Body>(args...);
  else
    Body::Run(args...);
}

}  // namespace tensh::ops
