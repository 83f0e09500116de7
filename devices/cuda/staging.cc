#include "devices/cuda/staging.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace tensh::cuda {

Status StagedCopies::Await(Slot& slot) {
  if (!slot.in_use) return {};
  TENSH_RETURN_IF_ERROR(driver_.Await(slot.done));
  slot.in_use = false;
  return {};
}

Status StagedCopies::Take(Slot& slot) {
  if (!slot.done) {
    TENSH_ASSIGN(slot.done, driver_.NewEvent(false));
  }
  if (!slot.data) {
    TENSH_ASSIGN(void* data, driver_.AllocatePinned(kSlotBytes));
    slot.data = static_cast<char*>(data);
  }
  return Await(slot);
}

Status StagedCopies::Submitted(Slot& slot, Stream stream) {
  slot.in_use = true;  // also if Record fails: the copy was submitted
  Status status = driver_.Record(slot.done, stream);
  if (!status.ok() && driver_.Wait(stream).ok()) slot.in_use = false;
  return status;
}

template <class F>
Status StagedCopies::InLanes(size_t bytes, F copy) {
  if (bytes < kLargeBytes) return copy(size_t{0}, kSlots, size_t{0}, bytes);
  constexpr size_t kAlign = 4096;
  const size_t each = (bytes / kLanes + kAlign - 1) / kAlign * kAlign;
  std::array<Status, kLanes> statuses;
  const auto run = [&](size_t lane) {
    const size_t begin = std::min(bytes, lane * each), end = std::min(bytes, begin + each);
    statuses[lane] = driver_.Use(gpu_);
    if (statuses[lane].ok()) statuses[lane] = copy(2 * lane, size_t{2}, begin, end - begin);
  };
  {
    std::vector<std::jthread> threads;
    for (size_t lane = 1; lane < kLanes; ++lane) {
      try {
        threads.emplace_back(run, lane);
      } catch (const std::system_error&) {
        run(lane);  // the system allows no more threads
      }
    }
    run(0);
  }
  for (Status& status : statuses) TENSH_RETURN_IF_ERROR(std::move(status));
  return {};
}

Status StagedCopies::ToDevice(void* to, const void* host, size_t bytes, Stream stream) {
  std::lock_guard lock(mu_);
  return InLanes(bytes, [&](size_t first, size_t slots, size_t begin, size_t size) {
    return LaneToDevice(first, slots, static_cast<char*>(to) + begin,
                        static_cast<const char*>(host) + begin, size, stream);
  });
}

Status StagedCopies::ToHost(void* host, const void* from, size_t bytes, Stream stream) {
  std::lock_guard lock(mu_);
  return InLanes(bytes, [&](size_t first, size_t slots, size_t begin, size_t size) {
    return LaneToHost(first, slots, static_cast<char*>(host) + begin,
                      static_cast<const char*>(from) + begin, size, stream);
  });
}

// Small copies go through all slots in turn, so that one does not wait for the last.
Status StagedCopies::LaneToDevice(size_t first, size_t slots, char* to, const char* host,
                                  size_t bytes, Stream stream) {
  size_t turn = slots == kSlots ? next_ : 0;
  for (size_t at = 0; at < bytes; at += kSlotBytes) {
    Slot& slot = slots_[first + turn++ % slots];
    const size_t size = std::min(kSlotBytes, bytes - at);
    TENSH_RETURN_IF_ERROR(Take(slot));
    std::memcpy(slot.data, host + at, size);
    TENSH_RETURN_IF_ERROR(driver_.Copy(to + at, slot.data, size, Driver::Way::kToDevice, stream));
    TENSH_RETURN_IF_ERROR(Submitted(slot, stream));
  }
  if (slots == kSlots) next_ = turn % kSlots;
  return {};
}

// The GPU fills as many slots as there are while the host empties the first.
Status StagedCopies::LaneToHost(size_t first, size_t slots, char* host, const char* from,
                                size_t bytes, Stream stream) {
  size_t begun = 0;
  const auto begin = [&]() -> Status {
    Slot& slot = slots_[first + begun / kSlotBytes % slots];
    const size_t size = std::min(kSlotBytes, bytes - begun);
    TENSH_RETURN_IF_ERROR(Take(slot));
    TENSH_RETURN_IF_ERROR(
        driver_.Copy(slot.data, from + begun, size, Driver::Way::kToHost, stream));
    begun += size;
    return Submitted(slot, stream);
  };
  for (size_t i = 0; i < slots && begun < bytes; ++i) TENSH_RETURN_IF_ERROR(begin());
  for (size_t at = 0; at < bytes; at += kSlotBytes) {
    Slot& slot = slots_[first + at / kSlotBytes % slots];
    TENSH_RETURN_IF_ERROR(Await(slot));
    std::memcpy(host + at, slot.data, std::min(kSlotBytes, bytes - at));
    if (begun < bytes) TENSH_RETURN_IF_ERROR(begin());
  }
  return {};
}

Result<PinnedBuffers::Buffer> PinnedBuffers::Take() {
  {
    std::lock_guard lock(mu_);
    if (!free_.empty()) {
      const Buffer buffer = free_.back();
      free_.pop_back();
      return buffer;
    }
  }
  Buffer made;
  TENSH_ASSIGN(made.done, driver_.NewEvent(false));
  TENSH_ASSIGN(void* data, driver_.AllocatePinned(kBytes));
  made.data = static_cast<char*>(data);
  return made;
}

void PinnedBuffers::Give(Buffer buffer) {
  std::lock_guard lock(mu_);
  free_.push_back(buffer);
}

}  // namespace tensh::cuda
