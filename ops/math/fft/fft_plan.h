#pragma once
// Discrete Fourier transforms of any length, in double precision.
//
// Lengths with small factors are split recursively. Other lengths become a convolution whose length
// is a power of two (Bluestein's algorithm), so that a long prime costs little more than its
// neighbors.
//
// A plan is immutable and may be shared by threads.
#include <complex>
#include <cstdint>
#include <vector>

namespace tensh::ops {

class FftPlan {
 public:
  using Element = std::complex<double>;
  // If `inverse` is true, the exponent has the opposite sign; the result is not divided by n.
  // Requires n >= 1.
  FftPlan(int64_t n, bool inverse);
  // Transforms n elements in place.
  void Run(Element* x) const;

 private:
  void RunBluestein(Element* x) const;

  int64_t n_;
  int64_t padded_ = 0;           // length of the convolution; 0 if n has only small factors
  std::vector<Element> turns_;   // e^(-+2 pi i k / length)
  std::vector<Element> back_;    // their conjugates, for the inverse transform
  std::vector<Element> chirp_;   // e^(-+pi i k^2 / n)
  std::vector<Element> filter_;  // the transform of the conjugate chirp
};

}  // namespace tensh::ops
