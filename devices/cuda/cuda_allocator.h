#pragma once
// The memory of one GPU. Blocks that were freed are kept and handed out again: all work on them is
// on one stream, which keeps its order. Copies have streams of their own, which wait for the
// compute stream by events and it for them; what the host has goes through pinned memory.
// Thread-safe; lives as long as the process, as plans and variables may outlive their session.
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "devices/cuda/cuda_driver.h"
#include "runtime/core/device_moves.h"

namespace tensh::cuda {

class CudaAllocator : public Allocator, public DeviceMoves {
 public:
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

  // The blocks that one recorded graph works in: nobody else is given them while it lives. What
  // this thread takes between Begin and End is the reserve's; copies are refused meanwhile, since
  // the graph could not repeat them.
  struct Reserve {
    std::map<size_t, std::vector<void*>> free;  // by size
  };
  void Begin(Reserve* reserve, Stream recorder);
  void End();
  // From here on it may go to make room: then its graph is launched no more (Aborted).
  void Offer(Reserve* reserve);
  Status Launch(Reserve* reserve, Graph graph);
  void Release(Reserve* reserve);  // what is still held goes when its holder does

  size_t in_use() const;
  size_t limit() const { return limit_; }
  void set_limit(size_t limit) { limit_ = limit; }
  // What is kept goes back to the driver.
  void Release();

 private:
  CudaAllocator(Driver& driver, int gpu, Stream compute, size_t limit)
      : Allocator(false), driver_(driver), gpu_(gpu), compute_(compute), limit_(limit) {}
  Status SetUp();
  void ReleaseLocked();
  static size_t Rounded(size_t bytes);
  void* AllocateLocked(size_t size);
  void* TryLocked(size_t size);
  void ReleaseLocked(Reserve* reserve);
  void* AllocateIn(Reserve& reserve, size_t size);
  // `then` waits for what `first` has been handed so far.
  Status Order(Stream first, Stream then, Event event);
  // A copy that failed may have begun: what it touches is given back only when it is through.
  Status Settled(Status status, Stream stream);

  static constexpr size_t kStaging = size_t{4} << 20;  // a half of the pinned memory
  Driver& driver_;
  const int gpu_;
  const Stream compute_;
  std::atomic<size_t> limit_;
  mutable std::mutex mu_;
  std::map<size_t, std::vector<void*>> kept_;  // by size; guarded by mu_
  size_t in_use_ = 0, kept_bytes_ = 0;         // guarded by mu_
  std::map<void*, Reserve*> reserved_;         // whose a block is; guarded by mu_
  std::set<Reserve*> offered_;                 // guarded by mu_
  std::mutex copy_mu_;                         // one copy in, and one out, at a time
  Stream in_ = nullptr, out_ = nullptr;
  Event order_ = nullptr;
  char* staging_[2] = {};
};

}  // namespace tensh::cuda
