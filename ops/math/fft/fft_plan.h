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

#include "ops/support/tiles/scratch.h"

namespace tensh::ops {

// Real and imaginary parts, in separate arrays that it does not own.
template <class T>
struct ComplexParts {
  T *re, *im;
};

template <class T>
class FftPlan {
 public:
  // If `inverse` is true, the exponent has the opposite sign; the result is not divided by n.
  // Requires n >= 1.
  FftPlan(int64_t n, bool inverse);
  // Returns the number of elements for each sequence in the arrays of Run. It exceeds n for lengths with a large factor.
  int64_t size() const { return padded_ ? padded_ : n_; }
  // Transforms sequences. Element k of sequence l is x[k * sequences + l]. Returns x or `work`, which contains the
  // result in the same order; the other one has been overwritten.
  ComplexParts<T> Run(ComplexParts<T> x, int64_t sequences, ComplexParts<T> work) const;

 private:
  // A pass combines `factor` parts. Turns are e^(-+2 pi i p j / (factor * parts)) for p < parts and 1 <= j < factor.
  struct Pass {
    int64_t factor, parts;
    std::vector<T> turns;  // pairs of cosine and sine
  };
  void AddPasses(int64_t n, double sign);
  ComplexParts<T> RunPasses(ComplexParts<T> x, int64_t sequences, ComplexParts<T> work) const;
  ComplexParts<T> RunBluestein(ComplexParts<T> x, int64_t sequences, ComplexParts<T> work) const;

  int64_t n_;
  std::vector<Pass> passes_;  // of n, or of the convolution's forward transform
  double sign_;
  int64_t padded_ = 0;     // length of the convolution; 0 if n has only small factors
  std::vector<T> chirp_;   // e^(-+pi i k^2 / n): the real parts, then the imaginary parts
  std::vector<T> filter_;  // the transform of the conjugate chirp, likewise
};

// The arrays of a thread that runs a plan.
template <class T>
class FftBuffers {
 public:
  FftBuffers(Allocator* allocator, const FftPlan<T>& plan, int64_t sequences)
      : stride_(plan.size() * sequences + kGap), memory_(allocator, 4 * stride_) {}

  ComplexParts<T> x() const { return {memory_.get(), memory_.get() + stride_}; }
  ComplexParts<T> work() const {
    return {memory_.get() + 2 * stride_, memory_.get() + 3 * stride_};
  }

 private:
  // Elements between the arrays. Without it, equal elements of the four arrays would compete for the same set of the cache
  // if the length is a power of two.
  static constexpr int64_t kGap = 272;
  int64_t stride_;
  Scratch<T> memory_;
};

}  // namespace tensh::ops
