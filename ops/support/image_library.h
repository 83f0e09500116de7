#pragma once
// What libpng, libjpeg and giflib have in common: they are C libraries, loaded when first used;
// where the first two fail they do not return but jump.
#include <dlfcn.h>

#include <csetjmp>
#include <new>
#include <string>

namespace tensh::ops {

class SharedLibrary {
 public:
  explicit SharedLibrary(const char* name) : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  template <class F>
  void Find(const char* name, F** function) {
    *function = handle_ ? reinterpret_cast<F*>(::dlsym(handle_, name)) : nullptr;
    complete_ &= *function != nullptr;
  }
  // Whether it is there, with all that was asked for.
  bool complete() const { return handle_ && complete_; }

 private:
  void* handle_;
  bool complete_ = true;
};

// Where the library's failures come back to.
class Trap {
 public:
  // Calls `work`; false when it failed. Nothing in it may have a destructor.
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

// False when there is no memory for it: an exception must not cross a C library.
inline bool Append(const char* data, size_t n, std::string* to) {
  try {
    to->append(data, n);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace tensh::ops
