#pragma once
// GPU devices: one for each GPU that the driver finds and visible_device_list names. Their streams
// and memory belong to the process. They are created when the first session needs them and are
// shared by all sessions.
#include "devices/cuda/cuda_allocator.h"
#include "runtime/core/device/device.h"
#include "runtime/core/op_registry.h"

namespace tensh::cuda {

// The compute stream, to which the kernels of a device submit their work.
class CudaStream : public ParallelRunner {
 public:
  CudaStream(Driver& driver, int gpu, Stream stream)
      : driver_(driver), gpu_(gpu), stream_(stream) {}
  // Kernels on host memory run in the thread of the step.
  void For(int64_t total, double, RangeFn fn, void* context) override { fn(context, 0, total); }
  int threads() const override { return 1; }
  Driver& driver() const { return driver_; }
  Stream stream() const { return stream_; }
  int gpu() const { return gpu_; }

 private:
  Driver& driver_;
  const int gpu_;
  const Stream stream_;
};

// Creates the factory of GPU devices. The driver must outlive it.
std::unique_ptr<DeviceFactory> NewGpuFactory(Driver& driver);

}  // namespace tensh::cuda
