#include "shell/kernel.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "shell/kernel_text.h"
#include "shell/options.h"
#include "shell/repl.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"
#include "shell/text/replace_file.h"

namespace tensh::shell {
namespace {

constexpr const char* kKernelHelp =
    "usage: tensh kernel install [--user | --prefix DIR] [--python PROGRAM]\n"
    "\n"
    "Make tensh known to Jupyter as a language of notebooks. The kernel is a Python program that "
    "needs\n"
    "ipykernel (pip install ipykernel, or apt install python3-ipykernel) and starts this tensh.\n"
    "\n"
    "  --user            install in $JUPYTER_DATA_DIR or ~/.local/share/jupyter (the default)\n"
    "  --prefix DIR      install in DIR/share/jupyter, for example in a virtual environment\n"
    "  --python PROGRAM  the Python that runs the kernel (python3, which is that of Jupyter)\n"
    "\n"
    "To remove it: jupyter kernelspec remove tensh\n";

// Returns the folder for the user's data of Jupyter, or "" if no home folder is known.
std::string UserFolder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string folder = variable("JUPYTER_DATA_DIR"); !folder.empty()) return folder;
  if (const std::string folder = variable("XDG_DATA_HOME"); !folder.empty())
    return folder + "/jupyter";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.local/share/jupyter";
}

int FailedAt(const std::string& path, const std::string& why) {
  std::fprintf(stderr,
               "tensh: cannot write %s: %s\nTry: tensh kernel install --prefix DIR, with a folder "
               "that Jupyter searches (jupyter --paths)\n",
               Visible(path).c_str(), why.c_str());
  return kExitFile;
}

// Returns the path of this program. With the Python package, the process is one of Python, and
// argv[0] is the script `tensh` of the package.
std::string ProgramOf(const char* zero) {
  std::error_code failed;
  const std::filesystem::path process = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed && !process.filename().string().starts_with("python")) return process.string();
  const std::filesystem::path script = std::filesystem::absolute(zero, failed);
  return !failed && ::access(script.c_str(), X_OK) == 0 ? script.string() : "tensh";
}

int InstallIn(const std::string& data, const std::string& python, const char* zero) {
  const std::string folder = data + "/kernels/tensh";
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return FailedAt(folder, failed.message());
  const std::string spec = "{\n \"argv\": [" + JsonQuote(python) +
                           ", \"{resource_dir}/tensh_kernel.py\", \"-f\", \"{connection_file}\"],\n"
                           " \"display_name\": \"tensh\",\n \"language\": \"tensh\",\n"
                           " \"interrupt_mode\": \"signal\",\n \"env\": {\"TENSH\": " +
                           JsonQuote(ProgramOf(zero)) + "}\n}\n";
  const std::array<std::pair<const char*, std::string>, 2> files = {
      {{"/tensh_kernel.py", KernelTexts()[0].text.str()}, {"/kernel.json", spec}}};
  for (const auto& [name, text] : files)
    if (const int error = ReplaceFileContents(folder + name, text))
      return FailedAt(folder + name, std::strerror(error));
  std::printf("The kernel tensh is in %s\n", Visible(folder).c_str());
  std::printf("Next: jupyter notebook, or jupyter console --kernel tensh\n");
  return kExitOk;
}

}  // namespace

int InstallKernel(const char* zero, int argc, char** argv) {
  std::string folder, python = "python3";
  bool install = false;
  for (int i = 0; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--help" || arg == "-h") return std::fputs(kKernelHelp, stdout), kExitOk;
    if (arg == "install" && !install) {
      install = true;
    } else if (arg == "--user") {
      folder.clear();
    } else if ((arg == "--prefix" || arg == "--python") && i + 1 < argc) {
      const std::string value = argv[++i];
      if (value.empty()) return UsageError(std::string(arg) + " needs a value");
      (arg == "--python" ? python : folder) = value;
      if (arg == "--prefix") folder += "/share/jupyter";
    } else {
      return UsageError("tensh kernel does not know " + std::string(arg) +
                        ", or it needs a value; type: tensh kernel --help");
    }
  }
  if (!install) return std::fputs(kKernelHelp, stderr), kExitUsage;
  if (folder.empty()) folder = UserFolder();
  if (folder.empty()) return UsageError("HOME is not set; type: tensh kernel install --prefix DIR");
  return InstallIn(folder, python, zero);
}

}  // namespace tensh::shell
