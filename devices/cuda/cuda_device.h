#pragma once
// GPU devices: one for each that the driver finds and visible_device_list names. What they are made
// of (streams, memory) is the process's, made when the first session asks, and shared by sessions.
#include "devices/cuda/cuda_allocator.h"
#include "runtime/core/device.h"
#include "runtime/core/op_registry.h"

namespace tensh::cuda {

// What a kernel of the device hands its work to: the compute stream.
class CudaStream : public ParallelRunner {
 public:
  CudaStream(Driver& driver, int gpu, Stream stream)
      : driver_(driver), gpu_(gpu), stream_(stream) {}
  // Kernels of host memory run in the step's thread.
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

// The driver outlives the factory.
std::unique_ptr<DeviceFactory> NewGpuFactory(Driver& driver);

}  // namespace tensh::cuda
