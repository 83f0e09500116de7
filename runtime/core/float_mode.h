#pragma once
// How kernels round: while a FlushDenormals lives, this thread's denormal inputs and results are
// zero, as in TensorFlow's steps (1e-45 + 0 is 0 there), and no loop slows down a hundredfold on
// them. The thread's own mode comes back afterwards, since the shell's arithmetic must keep
// denormals.
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
  static constexpr uint32_t kFlush = 0x8040;  // results to zero, inputs are zero
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
