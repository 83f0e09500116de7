#pragma once
// Checks for kernels on the fake driver, like those of compute-sanitizer (TENSH_FAKE_GPU_CHECKS).
//
// The threads of a team run in turns, on separate stacks, and every memory access of a kernel is
// examined. The first error ends the process with the name of the kernel:
//
// 1. memcheck: an access outside of the used part of a block, to freed memory, or to host memory.
// 2. initcheck: a read of memory that was not written since its block was allocated.
// 3. racecheck: two threads with no barrier between them, two indices, or two rows, of which one
//    writes an element that the other reads or writes, unless both use AtomicAdd.
// 4. synccheck: a thread that finishes its row while others wait at a barrier.
//
// Accesses are visible in .cu files that GCC compiled for ThreadSanitizer, whose runtime this code
// replaces (cmake/cuda.cmake). Accesses within library functions such as memcpy are not.
#include <sys/ucontext.h>
#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace tensh::cuda {

class Team;

// A kernel launch: call(closure, team, index).
struct FakeKernel {
  const char* name;  // the function that launched it, with the type of its lambda
  const void* closure;
  size_t size;
  void (*call)(const void* closure, const Team* team, int64_t index);
};

class FakeChecks {
 public:
  static constexpr size_t kRoom = 4096;  // bytes after the memory, shared by threads of a team

  // `view` is a mapping through which [0, memory + kRoom) of the device memory can be accessed.
  FakeChecks(char* view, size_t memory, uint64_t seed);
  ~FakeChecks();

  // Marks the first `bytes` of the block at this offset as in use and unwritten.
  void InUse(size_t at, size_t bytes);
  // Accesses that are not made by kernels, such as copies and matrix products.
  void Read(const char* what, const void* view, size_t bytes);
  void Wrote(const char* what, const void* view, size_t bytes);
  // A copy within device memory. Unwritten bytes remain unwritten.
  void Copied(const char* what, const void* to, const void* from, size_t bytes);

  // Run a kernel over indices, or over rows with one team of threads each.
  void RunEach(const FakeKernel& kernel, int64_t n);
  void RunRows(const FakeKernel& kernel, int64_t rows);
  // Returns a random number below n, which depends only on the seed.
  size_t Draw(size_t n) { return random_() % n; }

  // Called by the threads of a team.
  void Barrier();
  void UseRoom(size_t bytes) { room_ = std::max(room_, bytes); }
  void Touch(const void* p, size_t n, bool writes, bool atomic);

 private:
  static constexpr int kMostThreads = 32;
  static constexpr size_t kStack = size_t{256} << 10;

  // The last accesses to a location, as numbers made by Id; 0 means none.
  struct Touched {
    uint64_t writer, reader;
    uint64_t other_row, other_thread;  // earlier readers
  };
  struct Thread {
    ucontext_t context;
    char* stack;
    enum { kReady, kWaiting, kThrough } state;
  };

  void RunRow(int64_t row);
  [[gnu::noinline]] void Begin(Thread& thread);
  static void Enter(unsigned low, unsigned high);
  void Look(Touched& touched, const void* p, size_t n, bool writes);
  bool Conflict(uint64_t before) const;
  void CheckState(const char* what, size_t at, size_t n, bool writes);
  std::string Who(uint64_t id) const;
  std::string Where(size_t at) const;
  [[noreturn]] void Fault(const std::string& text) const;

  char* const view_;
  const size_t memory_;
  std::mt19937_64 random_;
  const int threads_;                // per team: 2, 8 or 32, so that sums are reproducible
  uint8_t* state_;                   // of each byte: not in use, unwritten or written
  Touched *words_, *bytes_;          // for words of four bytes, and for smaller accesses
  std::map<size_t, size_t> in_use_;  // offset → bytes in use

  // The kernel that is running, and its current row and thread.
  const FakeKernel* kernel_ = nullptr;
  const char *stack_ = nullptr, *stack_end_ = nullptr;
  uint64_t launch_ = 0, row_ = 0, interval_ = 0, id_ = 0;
  int me_ = 0;
  bool of_rows_ = false;
  size_t room_ = 0;  // bytes of the shared memory that the row uses
  Thread team_[kMostThreads];
  ucontext_t runner_;
};

}  // namespace tensh::cuda
