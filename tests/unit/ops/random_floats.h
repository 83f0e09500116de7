#pragma once
// Helpers for the tests of loops for each instruction set: random inputs that end where memory ends, the
// same values as doubles, and a runner that splits the work as threads might.
#include <random>
#include <vector>

#include "tests/unit/ops/fenced_memory.h"
#include "tests/unit/ops/kernel_harness.h"

namespace tensh::test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int64_t Between(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(engine_);
  }
  int64_t OneOf(const std::vector<int64_t>& values) {
    return values[static_cast<size_t>(Between(0, static_cast<int64_t>(values.size()) - 1))];
  }
  // Returns a tensor of floats between -1 and 1, which ends at an inaccessible page.
  Tensor Floats(const Shape& shape) {
    Tensor t = *Tensor::Make(DType::kFloat, shape, &memory_);
    std::uniform_real_distribution<float> values(-1, 1);
    for (int64_t i = 0; i < t.num_elements(); ++i) t.data<float>()[i] = values(engine_);
    return t;
  }

 private:
  std::mt19937 engine_;
  FencedMemory memory_;
};

inline Tensor Doubles(const Tensor& x) {
  if (x.dtype() != DType::kFloat) return x;
  Tensor t = *Tensor::Make(DType::kDouble, x.shape());
  for (int64_t i = 0; i < x.num_elements(); ++i) t.data<double>()[i] = x.data<float>()[i];
  return t;
}

// Runs the blocks of a range in the order of their last digits, as threads might.
class Blocks : public ParallelRunner {
 public:
  explicit Blocks(int64_t count) : count_(count) {}
  void For(int64_t total, double, RangeFn fn, void* context) override {
    const int64_t n = std::min(count_, total);
    for (int64_t start : {1, 0})
      for (int64_t b = start; b < n; b += 2) fn(context, total * b / n, total * (b + 1) / n);
  }
  int threads() const override { return 2; }

 private:
  int64_t count_;
};

}  // namespace tensh::test
