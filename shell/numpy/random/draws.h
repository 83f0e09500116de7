// A source of random bits, and the distributions that numpy computes alike for every source. They
// produce the same numbers as numpy's. Sources differ in their bits and in their normal and
// exponential draws. Not thread-safe; a source has one owner.
#pragma once

#include <cstdint>

namespace tensh::shell::np {

class Draws {
 public:
  virtual ~Draws() = default;
  virtual uint32_t Next32() = 0;
  virtual uint64_t Next64() = 0;
  virtual double NextDouble() = 0;       // In [0, 1), with 53 bits.
  virtual double NextGauss() = 0;        // Standard normal.
  virtual double NextExponential() = 0;  // With scale 1.
  float NextFloat() { return static_cast<float>(Next32() >> 8) * 0x1p-24f; }

  double NextGamma(double shape);  // With scale 1.
  double NextBeta(double a, double b);
  int64_t NextPoisson(double lambda);
  int64_t NextBinomial(int64_t n, double p);
  // Returns a number in [0, max] by masking and rejecting.
  uint64_t NextInterval(uint64_t max);

 protected:
  Draws() = default;
  Draws(const Draws&) = default;
  Draws& operator=(const Draws&) = default;

 private:
  int64_t PoissonByRejection(double lambda);
  int64_t BinomialByInversion(int64_t n, double p);
  int64_t BinomialByRejection(int64_t n, double p);
};

}  // namespace tensh::shell::np
