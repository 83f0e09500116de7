#include "runtime/base/shared_library.h"

#include <dlfcn.h>

#include <utility>

namespace tensh {

SharedLibrary::SharedLibrary(const SystemLibrary& library) : SharedLibrary(AtPath(library.file)) {}

SharedLibrary SharedLibrary::AtPath(const std::string& path) {
  SharedLibrary library;
  library.handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* why = library.handle_ ? nullptr : ::dlerror();
  if (why) library.error_ = why;
  return library;
}

SharedLibrary SharedLibrary::Failed(std::string error) {
  SharedLibrary library;
  library.error_ = std::move(error);
  return library;
}

void* SharedLibrary::Address(const char* name) const {
  return handle_ ? ::dlsym(handle_, name) : nullptr;
}

std::string NotInstalled(const SystemLibrary& library) {
  return std::string(library.file) + " is not installed: apt-get install " + library.package;
}

}  // namespace tensh
