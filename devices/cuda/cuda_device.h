#pragma once
// GPU devices: one for each GPU that the driver finds and visible_device_list names. Listing them
// does not start a GPU. Its streams and memory are made when a step first needs memory on it, belong
// to the process, and are shared by all sessions.
#include <mutex>

#include "devices/cuda/cuda_allocator.h"
#include "runtime/core/device/device.h"
#include "runtime/core/op_registry.h"

namespace tensh::cuda {

// The compute stream, to which the kernels of a device submit their work. Thread-safe.
class CudaStream : public ParallelRunner {
 public:
  CudaStream(Driver& driver, int gpu) : driver_(driver), gpu_(gpu) {}
  // Kernels on host memory run in the thread of the step.
  void For(int64_t total, double, RangeFn fn, void* context) override { fn(context, 0, total); }
  int threads() const override { return 1; }
  Driver& driver() const { return driver_; }
  // Null until the GPU was started, which precedes the first allocation of its memory.
  Stream stream() const { return stream_.load(std::memory_order_acquire); }
  void Open(Stream stream) { stream_.store(stream, std::memory_order_release); }
  int gpu() const { return gpu_; }
  CudaAllocator* memory() const { return memory_; }
  void set_memory(CudaAllocator* memory) { memory_ = memory; }

  // Keeps a failure that its function cannot return, if it is the first since TakeFailure.
  void Fail(Status status);
  Status TakeFailure();

 private:
  Driver& driver_;
  const int gpu_;
  std::atomic<Stream> stream_{nullptr};
  CudaAllocator* memory_ = nullptr;
  std::mutex mu_;
  Status failure_;  // guarded by mu_
};

// Creates the factory of GPU devices. The driver must outlive it.
std::unique_ptr<DeviceFactory> NewGpuFactory(Driver& driver);

}  // namespace tensh::cuda
