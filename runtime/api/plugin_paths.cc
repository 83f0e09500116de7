#include "runtime/api/plugin_paths.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <memory>

#include "tensh/tensh.h"

// The relative paths from the binary, and from libtensh.so, to the plug-ins of an installation. The
// build defines them (cmake/install.cmake).
#ifndef TENSH_PLUGINS_FROM_BINARY
#define TENSH_PLUGINS_FROM_BINARY "../lib/tensh"
#endif
#ifndef TENSH_PLUGINS_FROM_LIBRARY
#define TENSH_PLUGINS_FROM_LIBRARY "tensh"
#endif

namespace tensh::api {
namespace {

struct Self {
  std::string path;  // absolute, with links resolved
  bool is_library = false;
};

Self FindSelf() {
  Dl_info info{};
  link_map* map = nullptr;
  void* const here = reinterpret_cast<void*>(&tsh_version);
  if (!::dladdr1(here, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP)) return {};
  // The program itself has an empty name, and argv[0] may be relative or missing.
  const bool is_library = map && map->l_name && *map->l_name;
  if (is_library) {
    const std::unique_ptr<char, void (*)(void*)> path(::realpath(map->l_name, nullptr), std::free);
    return {path ? path.get() : "", true};
  }
  std::array<char, PATH_MAX> path;
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return {std::string(path.data(), static_cast<size_t>(std::max<ssize_t>(length, 0))), false};
}

const Self& TheSelf() {
  static const auto* self = new Self(FindSelf());
  return *self;
}

}  // namespace

std::vector<std::string> PluginPaths(const char* name) {
  const Self& self = TheSelf();
  const std::string folder = self.path.substr(0, self.path.rfind('/') + 1);
  const char* installed = self.is_library ? TENSH_PLUGINS_FROM_LIBRARY : TENSH_PLUGINS_FROM_BINARY;
  return {folder + name, folder + installed + "/" + name};
}

Result<void*> OpenLibrary(const std::string& path) {
  // A libtensh.so that was loaded with RTLD_LOCAL, as Python's ctypes does, becomes global.
  if (TheSelf().is_library) ::dlopen(TheSelf().path.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  // Without a slash, dlopen would search the system's directories only.
  const bool here = path.find('/') == path.npos && ::access(path.c_str(), R_OK) == 0;
  const std::string name = here ? "./" + path : path;
  if (void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const char* why = ::dlerror();
  if (::access(name.c_str(), R_OK) != 0) return NotFound(why ? why : name);
  return Unimplemented(why ? why : name);
}

}  // namespace tensh::api
