#pragma once
// Finding and loading shared libraries that use this runtime: the plug-ins of tensh, and libraries
// of ops.
#include <string>
#include <vector>

#include "runtime/core/status.h"

namespace tensh::api {

// Returns the paths where a plug-in may be, in the order in which they are tried. They are relative
// to the binary (or the libtensh.so) that contains this code, with symbolic links resolved: beside
// it, as in a build tree, and in the private library directory of an installation, which may have
// been moved.
std::vector<std::string> PluginPaths(const char* name);

// The plug-in with the GPU devices. Before the first session, tests name a double of it that needs no
// driver, or demand that there is a GPU: sessions that may have one fail without it.
struct GpuPlugin {
  const char* name = "libtensh_cuda.so";
  bool needs_driver = true;
  bool required = false;
};
inline GpuPlugin gpu_plugin;

// Loads a shared library, whose undefined tsh_* functions are those of this runtime, also if the
// program loaded libtensh.so itself without making its functions global. Returns the handle of
// dlopen, which is never closed, or NotFound or Unimplemented with the reason.
Result<void*> OpenLibrary(const std::string& path);

}  // namespace tensh::api
