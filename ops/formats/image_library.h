#pragma once
// Helpers for libpng, libjpeg and giflib. These C libraries are loaded on first use. libpng and
// libjpeg report errors by longjmp instead of returning.
#include <csetjmp>
#include <new>
#include <string>

#include "runtime/base/shared_library.h"

namespace tensh::ops {

// Catches the longjmp of a failing library.
class Trap {
 public:
  // Calls `work` and returns false if it failed. Nothing in `work` may have a destructor, because
  // the jump skips destructors.
  template <class F>
  __attribute__((noinline)) bool Survives(F&& work) {
    if (setjmp(jump_)) return false;
    work();
    return true;
  }
  [[noreturn]] void Fail() { std::longjmp(jump_, 1); }

 private:
  std::jmp_buf jump_;
};

// Returns false if memory runs out: an exception must not cross a C library.
inline bool Append(const char* data, size_t n, std::string* to) {
  try {
    to->append(data, n);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace tensh::ops
