#include "runtime/base/shared_library.h"

#include <dlfcn.h>

namespace tensh {

SharedLibrary::SharedLibrary(const SystemLibrary& library)
    : handle_(::dlopen(library.file, RTLD_NOW | RTLD_LOCAL)) {
  const char* why = handle_ ? nullptr : ::dlerror();
  if (why) error_ = why;
}

void* SharedLibrary::Address(const char* name) const {
  return handle_ ? ::dlsym(handle_, name) : nullptr;
}

std::string NotInstalled(const SystemLibrary& library) {
  return std::string(library.file) + " is not installed: apt-get install " + library.package;
}

}  // namespace tensh
