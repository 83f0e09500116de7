#include "devices/cuda/fake_checks.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "devices/cuda/cuda_kernel.h"
#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

enum State : uint8_t { kNotInUse, kUnwritten, kWritten };

// The identity of a memory access, packed into a number. Wide fields make collisions rare.
//   launch: 24 bits · row or index: 24 · thread: 5 · barriers passed: 10 · by AtomicAdd: 1
constexpr int kRowAt = 16, kLaunchAt = 40, kThreadAt = 11;
constexpr uint64_t kWide = (1 << 24) - 1, kIntervals = (1 << 10) - 1;
uint64_t Id(uint64_t launch, uint64_t row, int thread, uint64_t interval) {
  return (launch & kWide) << kLaunchAt | (row & kWide) << kRowAt |
         static_cast<uint64_t>(thread) << kThreadAt | (interval & kIntervals) << 1;
}
uint64_t LaunchOf(uint64_t id) { return id >> kLaunchAt; }
uint64_t RowOf(uint64_t id) { return id >> kRowAt; }  // includes the launch
int ThreadOf(uint64_t id) { return static_cast<int>(id >> kThreadAt & 31); }

// Maps zeroed memory. Pages take memory only when they are written.
template <class T>
T* Reserve(size_t n) {
  void* data = ::mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TENSH_CHECK(data != MAP_FAILED, "no memory for the fake GPU's checks");
  return static_cast<T*>(data);
}

// The checks of the kernel that this thread runs, or null while an access is examined. The hooks
// below use it.
[[gnu::tls_model("initial-exec")]] thread_local FakeChecks* t_running = nullptr;

}  // namespace

void Team::Sync() const {
  if (size_ > 1) t_running->Barrier();
}
void* Team::RoomFor(size_t bytes) const {
  if (size_ > 1) t_running->UseRoom(bytes);
  return room_;
}

FakeChecks::FakeChecks(char* view, size_t memory, uint64_t seed)
    : view_(view),
      memory_(memory),
      random_(seed),
      threads_(2 << 2 * (seed % 3)),
      state_(Reserve<uint8_t>(memory + kRoom)),
      words_(Reserve<Touched>((memory + kRoom) / 4)),
      bytes_(Reserve<Touched>(memory + kRoom)) {
  for (Thread& thread : team_) thread.stack = Reserve<char>(kStack);
}

FakeChecks::~FakeChecks() {
  ::munmap(state_, memory_ + kRoom);
  ::munmap(words_, (memory_ + kRoom) / 4 * sizeof(Touched));
  ::munmap(bytes_, (memory_ + kRoom) * sizeof(Touched));
  for (Thread& thread : team_) ::munmap(thread.stack, kStack);
}

void FakeChecks::InUse(size_t at, size_t bytes) {
  size_t& before = in_use_[at];
  std::memset(state_ + at, kNotInUse, before);
  std::memset(state_ + at, kUnwritten, bytes);
  std::memset(view_ + at, 0xCB, std::max(before, bytes));
  before = bytes;
}

// ---- error reports ----

std::string FakeChecks::Where(size_t at) const {
  if (at >= memory_) return "of the shared memory of its team";
  auto block = in_use_.upper_bound(at);
  if (block == in_use_.begin()) return "outside of all blocks";
  --block;
  return StrCat("at ", at - block->first, " of a block of ", block->second, " bytes");
}

std::string FakeChecks::Who(uint64_t id) const {
  const uint64_t row = RowOf(id) & kWide;
  if (!of_rows_) return StrCat("index ", row);
  return StrCat("row ", row, ", thread ", ThreadOf(id));
}

void FakeChecks::Fault(const std::string& text) const {
  std::string kernel = kernel_ ? kernel_->name : "";
  if (const size_t with = kernel.find("F = "); with != std::string::npos)
    kernel = kernel.substr(with + 4, kernel.find(';', with) - with - 4) + ": ";
  std::fprintf(stderr, "fake GPU: %s%s\n", kernel.c_str(), text.c_str());
  std::abort();
}

void FakeChecks::CheckState(const char* what, size_t at, size_t n, bool writes) {
  for (size_t i = at; i < at + n; ++i) {
    if (state_[i] == kWritten || (writes && state_[i] == kUnwritten)) continue;
    Fault(StrCat(what ? what : Who(id_), writes ? " writes " : " reads ", n, " bytes ",
                 state_[i] == kUnwritten ? "that were never written, " : "", Where(at)));
  }
  if (writes) std::memset(state_ + at, kWritten, n);
}

// Returns true if the current access conflicts with an earlier one by `before`.
bool FakeChecks::Conflict(uint64_t before) const {
  if (LaunchOf(before) != LaunchOf(id_) || (before & id_ & 1)) return false;
  if (RowOf(before) != RowOf(id_)) return true;
  return ThreadOf(before) != ThreadOf(id_) && ((before ^ id_) >> 1 & kIntervals) == 0;
}

void FakeChecks::Look(Touched& touched, const void* p, size_t n, bool writes) {
  const auto refuse = [&](uint64_t other, const char* did) {
    Fault(StrCat(Who(id_), writes ? " writes " : " reads ", n, " bytes ",
                 Where(static_cast<size_t>(static_cast<const char*>(p) - view_)), ", which ",
                 Who(other), " ", did, " with no order between them"));
  };
  if (Conflict(touched.writer)) refuse(touched.writer, "writes");
  if (writes) {
    for (const uint64_t reader : {touched.reader, touched.other_row, touched.other_thread})
      if (Conflict(reader)) refuse(reader, "reads");
    touched.writer = id_;
    return;
  }
  if (touched.reader == id_) return;
  if (RowOf(touched.reader) != RowOf(id_))
    touched.other_row = touched.reader;
  else if (ThreadOf(touched.reader) != ThreadOf(id_))
    touched.other_thread = touched.reader;
  touched.reader = id_;
}

void FakeChecks::Touch(const void* p, size_t n, bool writes, bool atomic) {
  const auto* at = static_cast<const char*>(p);
  if (at < view_ || at >= view_ + memory_ + kRoom) {
    const auto* closure = static_cast<const char*>(kernel_->closure);
    const bool own = at >= closure && at < closure + kernel_->size && !writes;
    if (own || (at >= stack_ && at < stack_end_)) return;
    Fault(StrCat(Who(id_), writes ? " writes " : " reads ", n, " bytes of the host's memory"));
  }
  const auto offset = static_cast<size_t>(at - view_);
  CheckState(nullptr, offset, n, writes);
  id_ |= atomic;
  for (size_t i = 0; i < n; i += 4) {
    if (offset % 4 == 0 && n - i >= 4) {
      Look(words_[(offset + i) / 4], at + i, n, writes);
      continue;
    }
    for (size_t k = i; k < std::min(n, i + 4); ++k) Look(bytes_[offset + k], at + k, n, writes);
  }
  id_ &= ~uint64_t{1};
}

void FakeChecks::Read(const char* what, const void* view, size_t bytes) {
  kernel_ = nullptr;
  CheckState(what, static_cast<size_t>(static_cast<const char*>(view) - view_), bytes, false);
}

void FakeChecks::Wrote(const char* what, const void* view, size_t bytes) {
  kernel_ = nullptr;
  CheckState(what, static_cast<size_t>(static_cast<const char*>(view) - view_), bytes, true);
}

void FakeChecks::Copied(const char* what, const void* to, const void* from, size_t bytes) {
  const uint8_t* had = state_ + (static_cast<const char*>(from) - view_);
  if (std::find(had, had + bytes, kNotInUse) != had + bytes) Read(what, from, bytes);
  const std::vector<uint8_t> kept(had, had + bytes);
  Wrote(what, to, bytes);
  std::copy(kept.begin(), kept.end(), state_ + (static_cast<const char*>(to) - view_));
}

// ---- kernels ----

// Runs the indices in order. Order dependence is a conflict, which is detected in any order.
void FakeChecks::RunEach(const FakeKernel& kernel, int64_t n) {
  kernel_ = &kernel;
  of_rows_ = false;
  ++launch_;
  stack_end_ = static_cast<const char*>(__builtin_frame_address(0));
  stack_ = stack_end_ - kStack;
  for (int64_t i = 0; i < n; ++i) {
    id_ = Id(launch_, static_cast<uint64_t>(i), 0, 0);
    t_running = this;
    kernel.call(kernel.closure, nullptr, i);
    t_running = nullptr;
  }
}

void FakeChecks::RunRows(const FakeKernel& kernel, int64_t rows) {
  kernel_ = &kernel;
  of_rows_ = true;
  ++launch_;
  for (int64_t row = 0; row < rows; ++row) RunRow(row);
}

void FakeChecks::Begin(Thread& thread) {
  const auto self = reinterpret_cast<uintptr_t>(this);
  TENSH_CHECK(::getcontext(&thread.context) == 0, "a thread of the fake GPU");
  thread.context.uc_stack.ss_sp = thread.stack;
  thread.context.uc_stack.ss_size = kStack;
  thread.context.uc_link = &runner_;
  ::makecontext(&thread.context, reinterpret_cast<void (*)()>(&FakeChecks::Enter), 2,
                static_cast<unsigned>(self), static_cast<unsigned>(self >> 32));
  thread.state = Thread::kReady;
}

void FakeChecks::RunRow(int64_t row) {
  row_ = static_cast<uint64_t>(row);
  interval_ = 0;
  std::fill_n(words_ + memory_ / 4, (room_ + 3) / 4, Touched{});
  std::fill_n(bytes_ + memory_, room_, Touched{});
  std::memset(state_ + memory_, kUnwritten, kRoom);
  room_ = 0;
  for (int i = 0; i < threads_; ++i) Begin(team_[i]);
  for (;;) {
    int ready[kMostThreads], count = 0, through = 0;
    for (int i = 0; i < threads_; ++i) {
      if (team_[i].state == Thread::kReady) ready[count++] = i;
      through += team_[i].state == Thread::kThrough;
    }
    if (through == threads_) return;
    if (count == 0) {
      if (through)
        Fault(StrCat("row ", row, ": ", through, " of ", threads_,
                     " threads are through with it while the others wait at a barrier"));
      ++interval_;
      for (int i = 0; i < threads_; ++i) team_[i].state = Thread::kReady;
      continue;
    }
    me_ = ready[Draw(static_cast<size_t>(count))];
    Thread& thread = team_[me_];
    stack_ = thread.stack, stack_end_ = thread.stack + kStack;
    id_ = Id(launch_, row_, me_, interval_);
    t_running = this;
    ::swapcontext(&runner_, &thread.context);
    t_running = nullptr;
  }
}

void FakeChecks::Enter(unsigned low, unsigned high) {
  auto* self = reinterpret_cast<FakeChecks*>(uintptr_t{high} << 32 | low);
  const int me = self->me_;
  const Team team(me, self->threads_, self->view_ + self->memory_);
  self->kernel_->call(self->kernel_->closure, &team, static_cast<int64_t>(self->row_));
  self->team_[me].state = Thread::kThrough;
}

void FakeChecks::Barrier() {
  Thread& thread = team_[me_];
  thread.state = Thread::kWaiting;
  ::swapcontext(&thread.context, &runner_);
}

}  // namespace tensh::cuda

// ---- the part of ThreadSanitizer's runtime that kernels call ----

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && defined(__GNUC__) && \
    !defined(__clang__)
namespace {
inline void Look(const volatile void* p, size_t n, bool writes, bool atomic = false) {
  auto*& running = tensh::cuda::t_running;
  if (!running) return;
  auto* checks = std::exchange(running, nullptr);
  checks->Touch(const_cast<const void*>(p), n, writes, atomic);
  running = checks;
}
}  // namespace

extern "C" {
void __tsan_init() {}
#define TENSH_ACCESS(n)                                         \
  void __tsan_read##n(void* p) { Look(p, n, false); }           \
  void __tsan_write##n(void* p) { Look(p, n, true); }           \
  void __tsan_unaligned_read##n(void* p) { Look(p, n, false); } \
  void __tsan_unaligned_write##n(void* p) { Look(p, n, true); }
TENSH_ACCESS(1)
TENSH_ACCESS(2)
TENSH_ACCESS(4)
TENSH_ACCESS(8)
TENSH_ACCESS(16)
#undef TENSH_ACCESS
void __tsan_read_range(void* p, size_t n) { Look(p, n, false); }
void __tsan_write_range(void* p, size_t n) { Look(p, n, true); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define TENSH_ATOMIC(bits, T)                                                                      \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                                         \
    Look(p, sizeof *p, false, true);                                                               \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) {                                  \
    Look(p, sizeof *p, true, true);                                                                \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  T __tsan_atomic##bits##_fetch_add(volatile T* p, T by, int) {                                    \
    Look(p, sizeof *p, false, true);                                                               \
    Look(p, sizeof *p, true, true);                                                                \
    return __atomic_fetch_add(p, by, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  T __tsan_atomic##bits##_fetch_sub(volatile T* p, T by, int) {                                    \
    return __atomic_fetch_sub(p, by, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T value, int, int) { \
    Look(p, sizeof *p, true, true);                                                                \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,                \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T value, int a,    \
                                                    int b) {                                       \
    return __tsan_atomic##bits##_compare_exchange_weak(p, expected, value, a, b);                  \
  }
TENSH_ATOMIC(8, uint8_t)
TENSH_ATOMIC(32, uint32_t)
TENSH_ATOMIC(64, uint64_t)
#undef TENSH_ATOMIC
}
#endif
