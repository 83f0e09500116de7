#pragma once
// A chain of elementwise kernels as one pass over the elements: what a plug-in's kernel for chains
// (PluginKernel::fused) is given. Valid during the call only.
#include <cstdint>
#include <span>

namespace tensh {

// How a value goes over the elements.
enum class Goes : uint8_t { kWhole, kRow, kScalar };

struct FusedWork {
  struct Input {
    const void* data;  // in the device's memory
    Goes goes;         // kRow: element i has entry i % row of a vector
  };
  struct Step {
    int code;          // PluginKernel::fused_code
    int n_from;        // 1 or 2
    uint32_t from[2];  // values: first the inputs', then one for what each step makes
    void* out;         // where others want it; null: only later steps do
  };
  int64_t elements, row;
  std::span<const Input> inputs;
  std::span<const Step> steps;
};

}  // namespace tensh
