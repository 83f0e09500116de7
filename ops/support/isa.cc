#include "ops/support/isa.h"

#if TENSH_ISA_VARIANTS
#include <sys/platform/x86.h>

namespace tensh::ops {

// __builtin_cpu_supports is not used because it links a constructor that asks the CPU for its
// features at start-up. In a virtual machine, each such question takes tens of microseconds. The C
// library has already asked.
Isa CpuIsa() {
  static const Isa isa = CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512DQ) &&
                                 CPU_FEATURE_ACTIVE(AVX512BW) && CPU_FEATURE_ACTIVE(AVX512VL)
                             ? Isa::kAvx512
                         : CPU_FEATURE_ACTIVE(AVX2) ? Isa::kAvx2
                                                    : Isa::kBase;
  return isa;
}

}  // namespace tensh::ops

#endif
