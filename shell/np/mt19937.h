// numpy's legacy generator: MT19937 and the draws of RandomState made from it, stream for stream.
// One owner, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tensh::shell::np {

class Mt19937 {
 public:
  Mt19937();  // from the system's entropy
  void Seed(uint32_t seed);
  void Seed(std::span<const uint32_t> key);

  uint32_t Next32();
  uint64_t Next64();
  double NextDouble();             // [0, 1), 53 bits
  double NextGauss();              // polar method, every second one kept
  double NextExponential();        // scale 1
  double NextGamma(double shape);  // scale 1
  double NextBeta(double a, double b);
  int64_t NextPoisson(double lambda);
  int64_t NextBinomial(int64_t n, double p);
  // 0 … max, by masking and rejecting.
  uint64_t NextInterval(uint64_t max);
  // low … low + range with the 64-bit or narrower rule of randint.
  uint64_t NextBounded(uint64_t range);

 private:
  void Refill();
  int64_t PoissonByRejection(double lambda);
  int64_t BinomialByInversion(int64_t n, double p);
  int64_t BinomialByRejection(int64_t n, double p);

  std::array<uint32_t, 624> state_{};
  size_t at_ = 624;
  bool has_gauss_ = false;
  double gauss_ = 0;
};

}  // namespace tensh::shell::np
