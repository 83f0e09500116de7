#pragma once
// Random numbers from the operating system, for seeds, identifiers and secrets.
#include <cstdint>

namespace tensh {

// Returns 64 bits from the kernel's generator. They are suitable for secrets. Thread-safe.
//
// std::random_device is not used because its constructor asks the CPU for its features. In a
// virtual machine, each such question takes tens of microseconds.
uint64_t SystemRandom();

}  // namespace tensh
