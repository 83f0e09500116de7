#include "runtime/base/random.h"

#include <unistd.h>

#include <cstdlib>

namespace tensh {

uint64_t SystemRandom() {
  uint64_t bits;
  // Fails only on a kernel without the system call, which is older than any supported system.
  if (getentropy(&bits, sizeof bits) != 0) std::abort();
  return bits;
}

}  // namespace tensh
