#pragma once
// Fixtures for tests on the fake driver of the GPU, which records its calls.
#include "devices/cpu/cpu_device.h"
#include "devices/cuda/cuda_kernel.h"
#include "devices/cuda/math_libraries.h"
#include "tests/support/graph_text.h"

namespace tensh::cuda {

void RegisterCuda_all(KernelTable& r);

// Returns a registry of all ops with the kernels of the plug-in.
inline const OpRegistry& OpsWithKernels() {
  static const OpRegistry& ops = []() -> const OpRegistry& {
    SetMathLibraries(NewFakeMathLibraries());
    KernelTable table;
    RegisterCuda_all(table);
    test::AllOps().AddKernels(table.Take());
    return test::AllOps();
  }();
  return ops;
}

struct FakeGpus {
  FakeDriver* driver;
  DeviceRegistry* devices;
};
// Creates a CPU and this number of GPUs. The objects that devices refer to live as long as the
// process.
inline FakeGpus MakeFakeGpus(int gpus) {
  static auto& drivers = *new std::vector<std::unique_ptr<FakeDriver>>;
  static auto& registries = *new std::vector<std::unique_ptr<DeviceRegistry>>;
  drivers.push_back(std::make_unique<FakeDriver>(gpus, size_t{64} << 20));
  registries.push_back(std::make_unique<DeviceRegistry>());
  RegisterDevice_cpu(*registries.back());
  registries.back()->Add(NewGpuFactory(*drivers.back()));
  return {drivers.back().get(), registries.back().get()};
}

}  // namespace tensh::cuda
