#pragma once
// The memory of one GPU.
//
// Freed blocks are kept and reused immediately, because all work on them is on one stream, the
// compute stream, which preserves order. Large copies use two other streams, synchronized with the
// compute stream by events, and pass through pinned memory (staging.h). Small values go to the GPU as
// the parameter of a kernel.
//
// The first allocation starts the GPU. Thread-safe. Lives as long as the process, because plans and
// variables may outlive their session.
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "devices/cuda/cuda_driver.h"
#include "devices/cuda/staging.h"
#include "runtime/core/device/device.h"
#include "runtime/core/device/device_moves.h"

namespace tensh::cuda {

class CudaStream;

class CudaAllocator : public Allocator, public DeviceMoves {
 public:
  // `runner` receives the compute stream when the GPU is started. At most `limit` bytes are in use at
  // the same time, and at most the memory that was free at the start, less a reserve for CUDA.
  CudaAllocator(Driver& driver, int gpu, CudaStream& runner, size_t limit);

  void* Allocate(size_t bytes) override;
  void Free(void* data, size_t bytes) override;
  Status CopyIn(void* to, const void* host, size_t bytes) override;
  Status CopyOut(void* host, const void* from, size_t bytes) override;
  Status CopyWithin(void* to, const void* from, size_t bytes) override;
  Status CopyAcross(void* to, Allocator& source, const void* from, size_t bytes) override;
  // Copies all values to host memory and waits once, for all work that was submitted before.
  Status CopyAllOut(std::span<const OutCopy> copies);

  void CopyBox(KernelCtx& c, int64_t element_size, void* dst, const void* src, int rank,
               const int64_t* dims, const int64_t* src_stride, const int64_t* dst_stride) override;
  Status CopyRuns(KernelCtx& c, int64_t element_size, void* dst, const int64_t* dst_run,
                  const void* src, const int64_t* src_run, int64_t runs, int64_t n) override;
  void Fill(KernelCtx& c, int64_t element_size, void* dst, const void* value, int64_t n) override;
  bool Add(KernelCtx& c, DType dtype, void* dst, const void* a, const void* b, int64_t n) override;

  // The blocks that a recorded graph works in, which are not used for anything else while it
  // exists. Everything that this thread allocates between Begin and End belongs to the reserve.
  // Copies are refused in the meantime, because the graph could not repeat them.
  struct Reserve {
    std::map<size_t, std::vector<void*>> free;  // by size in bytes
  };
  void Begin(Reserve* reserve, Stream recorder);
  void End();
  // Offers the reserve: if memory runs out, it may be released. Launch then returns Aborted.
  void Offer(Reserve* reserve);
  Status Launch(Reserve* reserve, Graph graph);
  void Release(Reserve* reserve);  // blocks in use are freed when their holder releases them

  // Starts the GPU if necessary: makes its streams. A failure can be tried again.
  Status Open();
  bool opened() const { return opened_.load(std::memory_order_acquire); }
  size_t in_use() const;
  size_t limit() const { return std::min(limit_.load(), available_.load()); }
  void set_limit(size_t limit) { limit_ = limit; }
  // Returns all kept blocks to the driver.
  void Release();
  // Frees memory for CUDA's libraries: returns all kept blocks to the system, after the work on them.
  void MakeRoom();

 private:
  // Methods named …Locked require mu_. Sizes are results of Rounded.
  Status OpenLocked();
  void ReleaseLocked();
  void MakeRoomLocked();
  static size_t Rounded(size_t bytes);
  void* AllocateLocked(size_t size);
  void* TryLocked(size_t size);
  void ReleaseLocked(Reserve* reserve);
  void* AllocateIn(Reserve& reserve, size_t size);
  // Makes `then` wait for the work that was submitted to `first` so far.
  Status Order(Stream first, Stream then);
  // Waits for the stream if a copy failed: it may have started, and its memory must not be reused
  // before it is complete.
  Status Settled(Status status, Stream stream);

  Driver& driver_;
  const int gpu_;
  CudaStream& runner_;
  std::atomic<size_t> limit_;
  std::atomic<size_t> available_{SIZE_MAX};
  std::atomic<bool> opened_{false};
  // Set when the GPU is started.
  Stream compute_ = nullptr, in_ = nullptr, out_ = nullptr;
  Event order_ = nullptr;
  std::mutex order_mu_;  // a Record of order_ and the wait for it must not be separated
  mutable std::mutex mu_;
  std::map<size_t, std::vector<void*>> kept_;  // free blocks by size; guarded by mu_
  size_t in_use_ = 0, kept_bytes_ = 0;         // guarded by mu_
  std::map<void*, Reserve*> reserved_;         // the owner of each reserved block; guarded by mu_
  std::set<Reserve*> offered_;                 // guarded by mu_
  StagedCopies staged_in_, staged_out_;
  PinnedBuffers fetched_;
};

}  // namespace tensh::cuda
