#pragma once
// The rounding mode of kernels. As long as a FlushDenormals lives, denormal inputs and results of
// this thread are zero. TensorFlow's steps do the same (1e-45 + 0 is 0), and loops over denormals
// would be a hundred times slower. The destructor restores the thread's previous mode, because the
// shell's arithmetic must keep denormals.
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <cstdint>

namespace tensh {

class FlushDenormals {
 public:
#if defined(__SSE2__)
  FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kFlush); }
  ~FlushDenormals() { _mm_setcsr(saved_); }

 private:
  // Flushes results to zero and treats denormal inputs as zero.
  static constexpr uint32_t kFlush = 0x8040;
  uint32_t saved_;
#elif defined(__aarch64__)
  FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    asm volatile("msr fpcr, %0" ::"r"(saved_ | (uint64_t{1} << 24)));
  }
  ~FlushDenormals() { asm volatile("msr fpcr, %0" ::"r"(saved_)); }

 private:
  uint64_t saved_;
#else
  FlushDenormals() {}
#endif
 public:
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

}  // namespace tensh
