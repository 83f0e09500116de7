#include "shell/tensorflow/io/file_limits.h"

#include <filesystem>
#include <string>

#include "shell/client/client.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell::tf {

void LimitFilesOfOps() {
  namespace fs = std::filesystem;
  const Interp& interp = Interp::Current();
  static bool limited = false;
  if (!FilesConfined() || limited) return;
  limited = true;
  std::error_code error;
  tsh_files_limit(fs::current_path(error).c_str(), 1);
  OnFolderAllowed([](const std::string& path) { tsh_files_limit(path.c_str(), 1); });
  const auto& argv = interp.options().argv;
  if (argv.empty() || !fs::is_regular_file(argv[0], error)) return;
  // As for np.load, files in the folder of the script may be read.
  tsh_files_limit(fs::canonical(argv[0], error).parent_path().c_str(), 0);
}

}  // namespace tensh::shell::tf
