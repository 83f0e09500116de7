// libtensh_cuda.so, and its double without a GPU, libtensh_cuda_fake.so: what differs is the
// driver.
#include "devices/cuda/cuda_kernel.h"
#include "devices/cuda/cuda_plugin.h"
#ifdef TENSH_FAKE_CUDA
#include "devices/cuda/fake_driver.h"
#else
#include "devices/cuda/real_driver.h"
#endif

namespace tensh::cuda {

void RegisterCuda_all(KernelTable& r);  // generated

namespace {

Driver& TheDriver() {
#ifdef TENSH_FAKE_CUDA
  static auto* driver = new FakeDriver;
#else
  static auto* driver = NewRealDriver().release();
#endif
  return *driver;
}

std::vector<PluginKernel> Kernels() {
  KernelTable table;
  RegisterCuda_all(table);
  return table.Take();
}

std::unique_ptr<DeviceFactory> Factory() { return NewGpuFactory(TheDriver()); }

}  // namespace
}  // namespace tensh::cuda

extern "C" __attribute__((visibility("default"))) const tensh_cuda_table tensh_cuda_plugin = {
    TENSH_CUDA_ABI, tensh::cuda::Kernels, tensh::cuda::Factory};
