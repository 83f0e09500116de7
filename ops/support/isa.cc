#include "ops/support/isa.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#if TENSH_ISA_VARIANTS
#include <sys/platform/x86.h>
#endif

namespace tensh::ops {
namespace {

// __builtin_cpu_supports is not used because it links a constructor that asks the CPU for its
// features at start-up. In a virtual machine, each such question takes tens of microseconds. The C
// library has already asked.
Isa BestIsa() {
#if TENSH_ISA_VARIANTS
  if (CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512DQ) && CPU_FEATURE_ACTIVE(AVX512BW) &&
      CPU_FEATURE_ACTIVE(AVX512VL))
    return Isa::kAvx512;
  if (CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(FMA)) return Isa::kAvx2;
#endif
  return Isa::kBase;
}

Isa AllowedIsa() {
  const char* value = std::getenv("TENSH_ISA");
  const std::string_view most = value ? value : "";
  return most == "base" ? Isa::kBase : most == "avx2" ? Isa::kAvx2 : Isa::kAvx512;
}

Isa& CurrentIsa() {
  static Isa isa = std::min(BestIsa(), AllowedIsa());
  return isa;
}

}  // namespace

Isa CpuIsa() { return CurrentIsa(); }

bool CpuMultipliesBytes() {
#if TENSH_ISA_VARIANTS
  return CpuIsa() == Isa::kAvx512 && CPU_FEATURE_ACTIVE(AVX512_VNNI);
#else
  return false;
#endif
}

void LimitIsa(Isa most) { CurrentIsa() = std::min(BestIsa(), most); }

}  // namespace tensh::ops
