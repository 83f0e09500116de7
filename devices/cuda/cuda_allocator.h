#pragma once
// The memory of one GPU.
//
// Freed blocks are kept and reused immediately, because all work on them is on one stream, the
// compute stream, which preserves order. Copies use two other streams, synchronized with the
// compute stream by events. Data of the host is copied by way of pinned memory.
//
// Thread-safe. Lives as long as the process, because plans and variables may outlive their session.
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "devices/cuda/cuda_driver.h"
#include "runtime/core/device/device_moves.h"

namespace tensh::cuda {

class CudaAllocator : public Allocator, public DeviceMoves {
 public:
  // Creates the allocator of a GPU. `compute` is its compute stream; at most `limit` bytes are in
  // use at the same time. Never freed.
  static Result<CudaAllocator*> Make(Driver& driver, int gpu, Stream compute, size_t limit);

  void* Allocate(size_t bytes) override;
  void Free(void* data, size_t bytes) override;
  Status CopyIn(void* to, const void* host, size_t bytes) override;
  Status CopyOut(void* host, const void* from, size_t bytes) override;
  Status CopyWithin(void* to, const void* from, size_t bytes) override;
  Status CopyAcross(void* to, Allocator& source, const void* from, size_t bytes) override;

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

  size_t in_use() const;
  size_t limit() const { return limit_; }
  void set_limit(size_t limit) { limit_ = limit; }
  // Returns all kept blocks to the driver.
  void Release();

 private:
  CudaAllocator(Driver& driver, int gpu, Stream compute, size_t limit)
      : Allocator(false), driver_(driver), gpu_(gpu), compute_(compute), limit_(limit) {}
  // Methods named …Locked require mu_. Sizes are results of Rounded.
  Status SetUp();
  void ReleaseLocked();
  static size_t Rounded(size_t bytes);
  void* AllocateLocked(size_t size);
  void* TryLocked(size_t size);
  void ReleaseLocked(Reserve* reserve);
  void* AllocateIn(Reserve& reserve, size_t size);
  // Makes `then` wait for the work that was submitted to `first` so far.
  Status Order(Stream first, Stream then, Event event);
  // Waits for the stream if a copy failed: it may have started, and its memory must not be reused
  // before it is complete.
  Status Settled(Status status, Stream stream);

  static constexpr size_t kStaging = size_t{4} << 20;  // bytes in one half of the pinned memory
  Driver& driver_;
  const int gpu_;
  const Stream compute_;
  std::atomic<size_t> limit_;
  mutable std::mutex mu_;
  std::map<size_t, std::vector<void*>> kept_;  // free blocks by size; guarded by mu_
  size_t in_use_ = 0, kept_bytes_ = 0;         // guarded by mu_
  std::map<void*, Reserve*> reserved_;         // the owner of each reserved block; guarded by mu_
  std::set<Reserve*> offered_;                 // guarded by mu_
  std::mutex copy_mu_;                         // allows one copy in and one copy out at a time
  Stream in_ = nullptr, out_ = nullptr;
  Event order_ = nullptr;
  char* staging_[2] = {};
};

}  // namespace tensh::cuda
