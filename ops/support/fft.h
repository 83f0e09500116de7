#pragma once
// Discrete Fourier transforms of any length, in double precision: lengths of small factors by
// splitting, other lengths as a convolution of a power of two (Bluestein), so that a long prime
// costs no more than its neighbours. Plain functions; a plan may be shared by threads.
#include <complex>
#include <cstdint>
#include <vector>

namespace tensh::ops {

class FftPlan {
 public:
  using Element = std::complex<double>;
  // inverse: the other sign in the exponent; nothing is divided by n. Precondition: n >= 1.
  FftPlan(int64_t n, bool inverse);
  // Transforms n elements in place.
  void Run(Element* x) const;

 private:
  void RunBluestein(Element* x) const;

  int64_t n_;
  int64_t padded_ = 0;           // length of the convolution; 0: n has small factors only
  std::vector<Element> turns_;   // e^(-+2 pi i k / length)
  std::vector<Element> back_;    // their conjugates, for the way back
  std::vector<Element> chirp_;   // e^(-+pi i k^2 / n)
  std::vector<Element> filter_;  // the transformed conjugate chirp
};

}  // namespace tensh::ops
