#include "devices/cuda/cuda_allocator.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "devices/cuda/cuda_device.h"
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

// The memory that is left to CUDA: for its libraries, for the code of kernels, and for graphs.
constexpr size_t kReserveBytes = size_t{300} << 20;
// Larger values are fetched through the slots of StagedCopies.
constexpr size_t kFetchBytes = PinnedBuffers::kBytes;

Status RefuseWhileRecording() {
  if (!t_recorded.memory) return {};
  return FailedPrecondition("copies by the host cannot be recorded in a graph");
}

}  // namespace

CudaAllocator::CudaAllocator(Driver& driver, int gpu, CudaStream& runner, size_t limit)
    : Allocator(false),
      driver_(driver),
      gpu_(gpu),
      runner_(runner),
      limit_(limit),
      staged_in_(driver, gpu),
      staged_out_(driver, gpu),
      fetched_(driver) {}

Status CudaAllocator::Open() {
  if (opened()) return {};
  std::lock_guard lock(mu_);
  return OpenLocked();
}

// A second try keeps the streams that the first one made.
Status CudaAllocator::OpenLocked() {
  if (opened()) return {};
  TENSH_RETURN_IF_ERROR(driver_.Use(gpu_));
  for (Stream* stream : {&compute_, &in_, &out_}) {
    if (*stream) continue;
    TENSH_ASSIGN(*stream, driver_.NewStream());
  }
  if (!order_) {
    TENSH_ASSIGN(order_, driver_.NewEvent(false));
  }
  TENSH_ASSIGN(const size_t free, driver_.FreeMemory());
  available_ = free - std::min(kReserveBytes, free / 16);
  runner_.Open(compute_);
  opened_.store(true, std::memory_order_release);
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

// If memory runs out, first the kept blocks are returned to the system, and as a last resort the
// memory of recordings, whose graphs are then recorded anew or run one by one.
void* CudaAllocator::AllocateLocked(size_t size) {
  if (Status status = OpenLocked(); !status.ok()) {
    runner_.Fail(std::move(status));
    return nullptr;
  }
  if (void* data = TryLocked(size)) return data;
  if (in_use_ + size <= limit()) {
    MakeRoomLocked();
    if (void* data = TryLocked(size)) return data;
  }
  if (offered_.empty()) return nullptr;
  for (Reserve* reserve : offered_) ReleaseLocked(reserve);
  offered_.clear();
  if (void* data = TryLocked(size)) return data;
  MakeRoomLocked();
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
  if (in_use_ + size > limit()) return nullptr;
  if (in_use_ + kept_bytes_ + size > limit()) ReleaseLocked();
  if (!driver_.Use(gpu_).ok()) return nullptr;
  Result<void*> data = driver_.Allocate(size, compute_);
  if (!data.ok()) {
    // Other errors are the cause of the failure that follows, and not its consequence.
    if (data.status().code() != Code::kResourceExhausted) runner_.Fail(data.status());
    return nullptr;
  }
  in_use_ += size;
  return *data;
}

void CudaAllocator::MakeRoom() {
  std::lock_guard lock(mu_);
  MakeRoomLocked();
}

// A block that was freed is in use until the host has seen that the work on it is complete, and
// afterwards the pool keeps it for blocks of its size.
void CudaAllocator::MakeRoomLocked() {
  if (!opened()) return;
  ReleaseLocked();
  if (!driver_.Use(gpu_).ok() || !driver_.Wait(compute_).ok()) return;
  driver_.Trim();
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

Status CudaAllocator::Order(Stream first, Stream then) {
  std::lock_guard lock(order_mu_);
  TENSH_RETURN_IF_ERROR(driver_.Record(order_, first));
  return driver_.WaitFor(then, order_);
}

Status CudaAllocator::Settled(Status status, Stream stream) {
  if (!status.ok()) (void)driver_.Wait(stream);
  return status;
}

Status CudaAllocator::CopyIn(void* to, const void* host, size_t bytes) {
  TENSH_RETURN_IF_ERROR(RefuseWhileRecording());
  TENSH_RETURN_IF_ERROR(driver_.Use(gpu_));
  if (bytes <= kPutBytes) {
    KernelCtx c(nullptr, &runner_, nullptr, this);
    return PutBytes(c, to, host, bytes);
  }
  TENSH_RETURN_IF_ERROR(Order(compute_, in_));  // after earlier work on this block
  TENSH_RETURN_IF_ERROR(Settled(staged_in_.ToDevice(to, host, bytes, in_), in_));
  return Settled(Order(in_, compute_), in_);
}

Status CudaAllocator::CopyOut(void* host, const void* from, size_t bytes) {
  const OutCopy copy{host, from, bytes};
  return CopyAllOut({&copy, 1});
}

// Small values are copied on the compute stream, behind the work that makes them, so that one wait
// is enough for all of them.
Status CudaAllocator::CopyAllOut(std::span<const OutCopy> copies) {
  TENSH_RETURN_IF_ERROR(RefuseWhileRecording());
  TENSH_RETURN_IF_ERROR(driver_.Use(gpu_));
  struct Part {
    const OutCopy* copy;
    const char* data;
  };
  std::vector<PinnedBuffers::Buffer> buffers;
  std::vector<Part> parts;
  const auto submit = [&]() -> Status {
    size_t used = kFetchBytes;
    for (const OutCopy& copy : copies) {
      if (copy.bytes > kFetchBytes || !copy.bytes) continue;
      if (used + copy.bytes > kFetchBytes) {
        TENSH_ASSIGN(const PinnedBuffers::Buffer buffer, fetched_.Take());
        buffers.push_back(buffer);
        used = 0;
      }
      char* const data = buffers.back().data + used;
      TENSH_RETURN_IF_ERROR(
          driver_.Copy(data, copy.from, copy.bytes, Driver::Way::kToHost, compute_));
      parts.push_back({&copy, data});
      used += (copy.bytes + 63) / 64 * 64;
    }
    if (parts.empty()) return {};
    TENSH_RETURN_IF_ERROR(driver_.Record(buffers.back().done, compute_));
    return driver_.Await(buffers.back().done);
  };
  const Status status = Settled(submit(), compute_);
  if (status.ok())
    for (const Part& part : parts) std::memcpy(part.copy->to, part.data, part.copy->bytes);
  for (const PinnedBuffers::Buffer& buffer : buffers) fetched_.Give(buffer);
  TENSH_RETURN_IF_ERROR(status);
  bool ordered = false;
  for (const OutCopy& copy : copies) {
    if (copy.bytes <= kFetchBytes) continue;
    if (!std::exchange(ordered, true)) TENSH_RETURN_IF_ERROR(Order(compute_, out_));
    TENSH_RETURN_IF_ERROR(Settled(staged_out_.ToHost(copy.to, copy.from, copy.bytes, out_), out_));
  }
  return {};
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
  TENSH_RETURN_IF_ERROR(driver_.Use(other->gpu_));
  TENSH_RETURN_IF_ERROR(other->Order(other->compute_, compute_));
  TENSH_RETURN_IF_ERROR(driver_.Use(gpu_));
  TENSH_RETURN_IF_ERROR(driver_.CopyPeer(to, gpu_, from, other->gpu_, bytes, compute_));
  // The other device may reuse the block only after the copy.
  return Settled(Order(compute_, other->compute_), compute_);
}

}  // namespace tensh::cuda
