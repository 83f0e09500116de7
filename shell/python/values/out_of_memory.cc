#include "shell/python/values/out_of_memory.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

constexpr size_t kReserve = 1 << 20;  // bytes; they are not touched, and so cost only addresses
std::atomic<void*> reserve{nullptr};

Value& Spare() {
  static auto* spare = new Value;
  return *spare;
}

void OnFailedAllocation() {
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc();
}

}  // namespace

void KeepReserve() noexcept {
  if (reserve.load() == nullptr) {
    std::free(reserve.exchange(std::malloc(kReserve)));
    std::set_new_handler(OnFailedAllocation);
  }
  if (Spare().is_null()) {
    try {
      Spare() = MakeError(kMemoryError, "").value();
    } catch (const std::bad_alloc&) {
      // The next call tries again.
    }
  }
}

void DropSpareError() { Spare() = Value(); }

Value OutOfMemory() {
  try {
    return MakeError(kMemoryError, "").value();
  } catch (const std::bad_alloc&) {
    if (Spare().is_null()) throw;
    auto* spare = static_cast<ExceptionObject*>(Spare().object());
    spare->trace.clear();
    spare->cause = spare->context = Value();
    return Spare();
  }
}

}  // namespace tensh::shell
