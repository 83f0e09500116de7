#include "runtime/api/plugin_paths.h"

#include <dlfcn.h>
#include <unistd.h>

#include "runtime/api/tensh.h"

namespace tensh::api {

std::vector<std::string> PluginPaths(const char* name) {
  Dl_info self{};
  std::string folder;
  if (dladdr(reinterpret_cast<void*>(&tsh_version), &self) && self.dli_fname)
    folder = self.dli_fname;
  char exe[4096];
  if (folder.find('/') == std::string::npos) {  // started by a name on $PATH
    const auto n = ::readlink("/proc/self/exe", exe, sizeof exe);
    folder.assign(exe, n > 0 ? static_cast<size_t>(n) : 0);
  }
  folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/') + 1);
  return {folder + name, folder + "../lib/tensh/" + name};
}

}  // namespace tensh::api
