#pragma once
// Discrete Fourier transforms of any length, of several sequences at once.
//
// Lengths with small factors are transformed in one pass for each factor (Stockham's algorithm: the result is in
// natural order, and the innermost loop runs over adjacent elements). Other lengths become a convolution whose length
// is a power of two (Bluestein's algorithm), so that a long prime costs little more than its neighbors.
//
// A plan is immutable and may be shared by threads. Instances: float and double. Angles are computed in double.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tensh::ops {

// Real and imaginary parts, in separate arrays of equal lengths.
template <class T>
struct ComplexParts {
  explicit ComplexParts(int64_t n = 0)
      : re(static_cast<std::size_t>(n)), im(static_cast<std::size_t>(n)) {}
  std::vector<T> re, im;
};

template <class T>
class FftPlan {
 public:
  // If `inverse` is true, the exponent has the opposite sign; the result is not divided by n.
  // Requires n >= 1.
  FftPlan(int64_t n, bool inverse);
  // Transforms the sequences in place. Element k of sequence l is x[k * sequences + l]; x has n * sequences
  // elements. `work` is overwritten and grows as needed: callers keep it for further calls.
  void Run(ComplexParts<T>& x, int64_t sequences, ComplexParts<T>& work) const;

 private:
  // A pass combines `factor` parts. Turns are e^(-+2 pi i p j / (factor * parts)) for p < parts and 1 <= j < factor.
  struct Pass {
    int64_t factor, parts;
    std::vector<T> turns;  // pairs of cosine and sine
  };
  void AddPasses(int64_t n, double sign);
  void RunPasses(ComplexParts<T>& x, int64_t sequences, ComplexParts<T>& work) const;
  void RunBluestein(ComplexParts<T>& x, int64_t sequences, ComplexParts<T>& work) const;

  int64_t n_;
  std::vector<Pass> passes_;  // of n, or of the convolution's forward transform
  double sign_;
  int64_t padded_ = 0;      // length of the convolution; 0 if n has only small factors
  ComplexParts<T> chirp_;   // e^(-+pi i k^2 / n)
  ComplexParts<T> filter_;  // the transform of the conjugate chirp
};

}  // namespace tensh::ops
