#pragma once
// The peak rates of this machine, which profiles compare the rates of kernels with.
#include <cstdint>
#include <vector>

namespace tensh::api {

struct MachinePeak {
  // The rate of copying memory that takes part in a copy of `bytes`, counted as read and written.
  struct Copy {
    int64_t bytes;
    double rate;  // bytes per second
  };
  double flops;              // multiplications and additions of floats per second
  std::vector<Copy> copies;  // in ascending order of their sizes, from the caches to the memory
};

// Measures the rates with one thread for each core, at the first call, which takes about 50 ms. Thread-safe.
const MachinePeak& MeasuredPeak();

}  // namespace tensh::api
