#include "devices/cuda/cuda_allocator.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "devices/cuda/moves.h"

namespace tensh::cuda {
namespace {

// The recording of this thread, if there is one.
struct Recorded {
  CudaAllocator* memory = nullptr;
  CudaAllocator::Reserve* reserve = nullptr;
  Stream stream = nullptr;
};
thread_local Recorded t_recorded;

Status RefuseWhileRecording() {
  if (!t_recorded.memory) return {};
  return FailedPrecondition("copies by the host cannot be recorded in a graph");
}

}  // namespace

Result<CudaAllocator*> CudaAllocator::Make(Driver& driver, int gpu, Stream compute, size_t limit) {
  auto* made = new CudaAllocator(driver, gpu, compute, limit);
  if (Status status = made->SetUp(); !status.ok()) return status;  // leaked: streams point to it
  return made;
}

Status CudaAllocator::SetUp() {
  TENSH_RETURN_IF_ERROR(driver_.Use(gpu_));
  TENSH_ASSIGN(in_, driver_.NewStream());
  TENSH_ASSIGN(out_, driver_.NewStream());
  TENSH_ASSIGN(order_, driver_.NewEvent());
  for (int half = 0; half < 2; ++half) {
    TENSH_ASSIGN(void* data, driver_.AllocatePinned(kStaging));
    staging_[half] = static_cast<char*>(data);
  }
  return {};
}

// Rounds up to one of few sizes, an eighth of a power of two apart, so that freed blocks fit again.
size_t CudaAllocator::Rounded(size_t bytes) {
  if (bytes <= 256) return 256;
  const size_t step = std::max<size_t>(256, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

void* CudaAllocator::Allocate(size_t bytes) {
  const size_t size = Rounded(bytes);
  const bool recorded = t_recorded.memory == this;
  std::lock_guard lock(mu_);
  void* data = recorded ? AllocateIn(*t_recorded.reserve, size) : AllocateLocked(size);
  if (data) driver_.InUse(data, bytes, recorded ? t_recorded.stream : compute_);
  return data;
}

void* CudaAllocator::AllocateIn(Reserve& reserve, size_t size) {
  if (auto& list = reserve.free[size]; !list.empty()) {
    void* data = list.back();
    list.pop_back();
    return data;
  }
  void* data = AllocateLocked(size);
  if (data) reserved_[data] = &reserve;
  return data;
}

// If memory runs out, the memory of recordings is released as a last resort. Their graphs are then
// recorded anew, or their kernels run one by one.
void* CudaAllocator::AllocateLocked(size_t size) {
  void* data = TryLocked(size);
  if (data || offered_.empty()) return data;
  for (Reserve* reserve : offered_) ReleaseLocked(reserve);
  offered_.clear();
  return TryLocked(size);
}

void* CudaAllocator::TryLocked(size_t size) {
  if (auto& list = kept_[size]; !list.empty()) {
    void* data = list.back();
    list.pop_back();
    kept_bytes_ -= size;
    in_use_ += size;
    return data;
  }
  if (in_use_ + size > limit_) return nullptr;
  if (in_use_ + kept_bytes_ + size > limit_) ReleaseLocked();
  if (!driver_.Use(gpu_).ok()) return nullptr;
  Result<void*> data = driver_.Allocate(size, compute_);
  if (!data.ok() && kept_bytes_) {
    ReleaseLocked();
    data = driver_.Allocate(size, compute_);
  }
  if (!data.ok()) return nullptr;
  in_use_ += size;
  return *data;
}

void CudaAllocator::Free(void* data, size_t bytes) {
  const size_t size = Rounded(bytes);
  std::lock_guard lock(mu_);
  if (const auto it = reserved_.find(data); it != reserved_.end()) {
    it->second->free[size].push_back(data);
    driver_.InUse(data, 0, t_recorded.reserve == it->second ? t_recorded.stream : compute_);
    return;
  }
  driver_.InUse(data, 0, compute_);
  kept_[size].push_back(data);
  kept_bytes_ += size;
  in_use_ -= size;
}

void CudaAllocator::Begin(Reserve* reserve, Stream recorder) {
  t_recorded = {this, reserve, recorder};
}

void CudaAllocator::End() { t_recorded = {}; }

void CudaAllocator::Offer(Reserve* reserve) {
  std::lock_guard lock(mu_);
  offered_.insert(reserve);
}

// Launches on the compute stream, so that a later user of a reserved block works after the graph.
Status CudaAllocator::Launch(Reserve* reserve, Graph graph) {
  std::lock_guard lock(mu_);
  if (!offered_.count(reserve)) return Aborted("the memory of the recorded graph was released");
  return driver_.Launch(graph, compute_);
}

void CudaAllocator::Release(Reserve* reserve) {
  std::lock_guard lock(mu_);
  offered_.erase(reserve);
  ReleaseLocked(reserve);
  std::erase_if(reserved_, [&](const auto& block) { return block.second == reserve; });
}

void CudaAllocator::ReleaseLocked(Reserve* reserve) {
  for (auto& [size, list] : reserve->free) {
    for (void* data : list) reserved_.erase(data);
    kept_bytes_ += size * list.size();
    in_use_ -= size * list.size();
    kept_[size].insert(kept_[size].end(), list.begin(), list.end());
  }
  reserve->free.clear();
}

void CudaAllocator::Release() {
  std::lock_guard lock(mu_);
  ReleaseLocked();
}

void CudaAllocator::ReleaseLocked() {
  if (!driver_.Use(gpu_).ok()) return;
  for (auto& [size, list] : kept_)
    for (void* data : list) driver_.Free(data, compute_);
  kept_.clear();
  kept_bytes_ = 0;
}

void CudaAllocator::CopyBox(KernelCtx& c, int64_t element_size, void* dst, const void* src,
                            int rank, const int64_t* dims, const int64_t* src_stride,
                            const int64_t* dst_stride) {
  MoveBox(c, element_size, dst, src, rank, dims, src_stride, dst_stride);
}

Status CudaAllocator::CopyRuns(KernelCtx& c, int64_t element_size, void* dst,
                               const int64_t* dst_run, const void* src, const int64_t* src_run,
                               int64_t runs, int64_t n) {
  return MoveRuns(c, element_size, dst, dst_run, src, src_run, runs, n);
}

void CudaAllocator::Fill(KernelCtx& c, int64_t element_size, void* dst, const void* value,
                         int64_t n) {
  FillOnDevice(c, element_size, dst, value, n);
}

bool CudaAllocator::Add(KernelCtx& c, DType dtype, void* dst, const void* a, const void* b,
                        int64_t n) {
  return AddOnDevice(c, dtype, dst, a, b, n);
}

size_t CudaAllocator::in_use() const {
  std::lock_guard lock(mu_);
  return in_use_;
}

Status CudaAllocator::Order(Stream first, Stream then, Event event) {
  TENSH_RETURN_IF_ERROR(driver_.Record(event, first));
  return driver_.WaitFor(then, event);
}

Status CudaAllocator::Settled(Status status, Stream stream) {
  if (!status.ok()) (void)driver_.Wait(stream);
  return status;
}

Status CudaAllocator::CopyIn(void* to, const void* host, size_t bytes) {
  TENSH_RETURN_IF_ERROR(RefuseWhileRecording());
  std::lock_guard lock(copy_mu_);
  TENSH_RETURN_IF_ERROR(driver_.Use(gpu_));
  TENSH_RETURN_IF_ERROR(Order(compute_, in_, order_));  // after earlier work on this block
  const auto copy = [&]() -> Status {
    for (size_t at = 0, turn = 0; at < bytes; at += kStaging, ++turn) {
      const size_t size = std::min(kStaging, bytes - at), half = turn % 2;
      // Copies from the halves of the staging buffer that were started before, by this call or by
      // the last, must be complete.
      if (half == 0) TENSH_RETURN_IF_ERROR(driver_.Wait(in_));
      std::memcpy(staging_[half], static_cast<const char*>(host) + at, size);
      TENSH_RETURN_IF_ERROR(driver_.Copy(static_cast<char*>(to) + at, staging_[half], size,
                                         Driver::Way::kToDevice, in_));
    }
    return Order(in_, compute_, order_);
  };
  return Settled(copy(), in_);
}

Status CudaAllocator::CopyOut(void* host, const void* from, size_t bytes) {
  TENSH_RETURN_IF_ERROR(RefuseWhileRecording());
  std::lock_guard lock(copy_mu_);
  TENSH_RETURN_IF_ERROR(driver_.Use(gpu_));
  TENSH_RETURN_IF_ERROR(Order(compute_, out_, order_));
  TENSH_RETURN_IF_ERROR(driver_.Wait(in_));  // the staging buffer is in use until then
  size_t begun = 0;
  const auto begin = [&](size_t half) -> Status {
    const size_t size = std::min(kStaging, bytes - begun);
    TENSH_RETURN_IF_ERROR(driver_.Copy(staging_[half], static_cast<const char*>(from) + begun, size,
                                       Driver::Way::kToHost, out_));
    begun += size;
    return {};
  };
  const auto copy = [&]() -> Status {
    if (bytes) TENSH_RETURN_IF_ERROR(begin(0));
    for (size_t at = 0, turn = 0; at < bytes; at += kStaging, ++turn) {
      TENSH_RETURN_IF_ERROR(driver_.Wait(out_));
      if (begun < bytes) TENSH_RETURN_IF_ERROR(begin((turn + 1) % 2));
      std::memcpy(static_cast<char*>(host) + at, staging_[turn % 2],
                  std::min(kStaging, bytes - at));
    }
    return {};
  };
  return Settled(copy(), out_);
}

Status CudaAllocator::CopyWithin(void* to, const void* from, size_t bytes) {
  TENSH_RETURN_IF_ERROR(RefuseWhileRecording());
  TENSH_RETURN_IF_ERROR(driver_.Use(gpu_));
  return driver_.Copy(to, from, bytes, Driver::Way::kWithin, compute_);
}

Status CudaAllocator::CopyAcross(void* to, Allocator& source, const void* from, size_t bytes) {
  auto* other = dynamic_cast<CudaAllocator*>(&source);
  if (!other) return Allocator::CopyAcross(to, source, from, bytes);
  TENSH_RETURN_IF_ERROR(RefuseWhileRecording());
  {
    std::lock_guard lock(other->copy_mu_);
    TENSH_RETURN_IF_ERROR(driver_.Use(other->gpu_));
    TENSH_RETURN_IF_ERROR(other->Order(other->compute_, compute_, other->order_));
  }
  std::lock_guard lock(copy_mu_);
  TENSH_RETURN_IF_ERROR(driver_.Use(gpu_));
  TENSH_RETURN_IF_ERROR(driver_.CopyPeer(to, gpu_, from, other->gpu_, bytes, compute_));
  // The other device may reuse the block only after the copy.
  return Settled(Order(compute_, other->compute_, order_), compute_);
}

}  // namespace tensh::cuda
