#pragma once
// Pinned memory through which values pass between the host and a GPU. The GPU reads and writes
// pinned memory by itself, and many times faster than other memory of the host.
#include <array>
#include <mutex>
#include <vector>

#include "devices/cuda/cuda_driver.h"

namespace tensh::cuda {

// Copies in one direction, on one stream, through slots of pinned memory. A copy waits only for the
// slots that it needs, and not for other work of the stream. Large copies fill or empty the slots
// with several threads, because one thread moves less than a third of what the bus does.
// Thread-safe; one copy at a time.
class StagedCopies {
 public:
  StagedCopies(Driver& driver, int gpu) : driver_(driver), gpu_(gpu) {}
  // ToDevice returns when the host memory was read, and ToHost when it was written.
  Status ToDevice(void* to, const void* host, size_t bytes, Stream stream);
  Status ToHost(void* host, const void* from, size_t bytes, Stream stream);

 private:
  static constexpr size_t kSlotBytes = size_t{4} << 20;
  static constexpr size_t kLanes = 4;           // threads of a large copy
  static constexpr size_t kSlots = 2 * kLanes;  // a lane fills one slot while the GPU reads another
  static constexpr size_t kLargeBytes = size_t{32} << 20;
  struct Slot {
    char* data = nullptr;  // allocated at its first use
    Event done = nullptr;  // recorded behind the last copy from or to the slot
    bool in_use = false;   // `done` was recorded and not awaited
  };
  Status Take(Slot& slot);  // until its last copy is complete
  Status Await(Slot& slot);
  Status Submitted(Slot& slot, Stream stream);
  // Calls copy(first slot, number of slots, offset, bytes) for the whole copy, or in several threads
  // for parts of a large one. Returns the first failure.
  template <class F>
  Status InLanes(size_t bytes, F copy);
  Status LaneToDevice(size_t first, size_t slots, char* to, const char* host, size_t bytes,
                      Stream stream);
  Status LaneToHost(size_t first, size_t slots, char* host, const char* from, size_t bytes,
                    Stream stream);

  Driver& driver_;
  const int gpu_;
  std::mutex mu_;
  std::array<Slot, kSlots> slots_;  // guarded by mu_; during a copy, a slot belongs to its lane
  size_t next_ = 0;                 // the slot that was not used for longest
};

// Small pinned buffers, each with an event. Thread-safe.
class PinnedBuffers {
 public:
  static constexpr size_t kBytes = size_t{256} << 10;
  struct Buffer {
    char* data = nullptr;
    Event done = nullptr;
  };
  explicit PinnedBuffers(Driver& driver) : driver_(driver) {}
  Result<Buffer> Take();
  void Give(Buffer buffer);  // after all copies to it

 private:
  Driver& driver_;
  std::mutex mu_;
  std::vector<Buffer> free_;  // guarded by mu_
};

}  // namespace tensh::cuda
