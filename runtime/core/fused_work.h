#pragma once
// A chain of elementwise kernels to be executed in one pass over the elements. It is passed to a
// plug-in's kernel for chains (PluginKernel::fused) and is valid only during the call.
#include <cstdint>
#include <span>

namespace tensh {

// How an input is broadcast over the elements: one value for each element, a row, or a scalar. An
// input that does not follow the elements goes as it is, which no kernel of a device supports.
enum class Goes : uint8_t { kWhole, kRow, kScalar, kAsIs };

struct FusedWork {
  struct Input {
    const void* data;  // In device memory.
    Goes goes;         // kRow: element i uses entry i % row of a vector.
  };
  struct Step {
    int code;          // PluginKernel::fused_code.
    int n_from;        // 1 or 2.
    uint32_t from[2];  // Numbers of values: first the inputs, then the results of the steps.
    void* out;  // Destination if the result is used elsewhere; null if only later steps use it.
  };
  int64_t elements, row;
  std::span<const Input> inputs;
  std::span<const Step> steps;
};

}  // namespace tensh
