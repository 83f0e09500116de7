#pragma once
// What compute-sanitizer tells of kernels, told by the fake of the driver (TENSH_FAKE_GPU_CHECKS):
// the threads of a block take turns on stacks of their own, and every access of a kernel's is
// looked at. The process ends at the first of these, with the kernel's name:
//
// 1. memcheck: an access beyond what is in use of a block, of memory given back, or of the host's.
// 2. initcheck: a read of what nobody wrote since the block was handed out.
// 3. racecheck: two threads with no barrier between them, or two indices, or two rows, of which one
//    writes what the other reads or writes; unless both by AtomicAdd.
// 4. synccheck: a thread that is through with its row while others wait at a barrier.
//
// Accesses are seen where GCC compiled the .cu files for ThreadSanitizer, whose runtime this takes
// the place of (cmake/cuda.cmake); what they call of libraries (memcpy) is not.
#include <sys/ucontext.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace tensh::cuda {

class Block;

// A kernel as its launch has it: call(closure, block, index).
struct FakeKernel {
  const char* name;  // of the function it was launched by, with its lambda's type
  const void* closure;
  size_t size;
  void (*call)(const void* closure, const Block* block, int64_t index);
};

class FakeChecks {
 public:
  static constexpr size_t kRoom = 4096;  // behind the memory: what threads of a block share

  // `view`: where [0, memory + kRoom) of the device's memory can be touched.
  FakeChecks(char* view, size_t memory, uint64_t seed);
  ~FakeChecks();

  // Of the block that begins at that offset, from here on.
  void InUse(size_t at, size_t bytes);
  // What is not a kernel's doing: a copy, a product of matrices.
  void Read(const char* what, const void* view, size_t bytes);
  void Wrote(const char* what, const void* view, size_t bytes);
  // A copy within: what nobody wrote stays so.
  void Copied(const char* what, const void* to, const void* from, size_t bytes);

  void RunEach(const FakeKernel& kernel, int64_t n);
  void RunRows(const FakeKernel& kernel, int64_t rows);
  // A number below n, from the seed.
  size_t Draw(size_t n) { return random_() % n; }

  // For the threads of a block.
  void Barrier();
  void Touch(const void* p, size_t n, bool writes, bool atomic);

 private:
  static constexpr int kMostThreads = 32;
  static constexpr size_t kStack = size_t{256} << 10;

  // Who touched something last, as numbers that Id makes; 0: nobody.
  struct Touched {
    uint64_t writer, reader;
    uint64_t other_row, other_thread;  // readers before that one
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
  const int threads_;                // of a block: 2, 8 or 32, so that sums are the same every time
  uint8_t* state_;                   // of each byte: not in use, unwritten, written
  Touched *words_, *bytes_;          // by words of four bytes; by bytes, for what is smaller
  std::map<size_t, size_t> in_use_;  // bytes in use from there

  // The kernel that runs, and who of it is at work.
  const FakeKernel* kernel_ = nullptr;
  const char *stack_ = nullptr, *stack_end_ = nullptr;
  uint64_t launch_ = 0, row_ = 0, interval_ = 0, id_ = 0;
  int me_ = 0;
  bool of_rows_ = false;
  Thread block_[kMostThreads];
  ucontext_t runner_;
};

}  // namespace tensh::cuda
