// Finds the Python of the machine and loads its library and the plug-in, at the first import of a module that
// only Python has. Nothing here runs before.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "shell/python_bridge/host/inside.h"

#ifndef TENSH_PLUGINS_FROM_BINARY
#define TENSH_PLUGINS_FROM_BINARY "../lib/tensh"
#endif

extern char** environ;

namespace tensh::shell::bridge {
namespace {

constexpr const char* kPlugin = "libtensh_python.so";

// Run by the interpreter that was found. Prints its path, its shared library, whether it has the module, and otherwise the
// module with the most similar name.
constexpr const char* kProbe = R"(import sys, sysconfig, os, importlib.util as u
def get(name): return sysconfig.get_config_var(name) or ''
names = [get('INSTSONAME'), get('LDLIBRARY'), 'libpython%d.%d.so.1.0' % sys.version_info[:2]]
folders = [get('LIBDIR'), os.path.join(sys.base_prefix, 'lib'), os.path.join(get('LIBDIR'), get('MULTIARCH'))]
paths = [os.path.join(f, n) for n in names if '.so' in n for f in folders]
try: found = u.find_spec(sys.argv[1]) is not None
except Exception: found = False
print(sys.executable); print(next((p for p in paths if os.path.exists(p)), ''))
print('%d.%d' % sys.version_info[:2]); print(int(found and sys.version_info >= (3, 9)))
import difflib, pkgutil
names = [] if found else [m.name for m in pkgutil.iter_modules()]
print(next(iter(difflib.get_close_matches(sys.argv[1], names, 1, 0.75)), ''))
)";

struct Python {
  std::string command;  // As the user would type it.
  std::string executable, library, version, similar;
  bool has_module = false;
};

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Command() {
  if (std::string chosen = Environment("TENSH_PYTHON"); !chosen.empty()) return chosen;
  const std::string folder = Environment("VIRTUAL_ENV");
  return folder.empty() ? "python3" : folder + "/bin/python3";
}

// Returns the standard output of the program, or "" if it cannot be started.
std::string OutputOf(const std::vector<const char*>& argv) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr,
                                    const_cast<char* const*>(argv.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> piece;
  ssize_t n = 0;
  while (!failed &&
         ((n = ::read(ends[0], piece.data(), piece.size())) > 0 || (n < 0 && errno == EINTR)))
    if (n > 0) text.append(piece.data(), static_cast<size_t>(n));
  ::close(ends[0]);
  while (!failed && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

Python Probe(std::string_view module) {
  Python python;
  python.command = Command();
  const std::string first(module.substr(0, module.find('.')));
  const std::string text = OutputOf({python.command.c_str(), "-c", kProbe, first.c_str(), nullptr});
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  if (lines.size() < 5) return python;
  python.executable = lines[0];
  python.library = lines[1];
  python.version = lines[2];
  python.has_module = lines[3] == "1";
  python.similar = lines[4];
  return python;
}

std::string LibraryError() {
  const char* why = ::dlerror();
  return why == nullptr ? "it cannot be loaded" : why;
}

// Returns "" or why the library of Python cannot be used.
std::string OpenLibraryOfPython(const Python& python) {
  // Debian's python3 does not use the library that embeds it.
  if (python.library.empty())
    return "it has no shared library. To install it: apt-get install libpython" + python.version;
  // Extension modules find the functions of Python only if they are global.
  return ::dlopen(python.library.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr ? "" : LibraryError();
}

// Sets *start to the entry of the plug-in. Returns "" or why it cannot be used.
std::string FindPlugin(Start* start) {
  std::array<char, PATH_MAX> self;
  const ssize_t length = ::readlink("/proc/self/exe", self.data(), self.size());
  const std::string path(self.data(), static_cast<size_t>(length < 0 ? 0 : length));
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const std::string& file :
       {folder + kPlugin, folder + TENSH_PLUGINS_FROM_BINARY + "/" + kPlugin}) {
    if (::access(file.c_str(), R_OK) != 0) continue;
    void* plugin = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) return LibraryError();
    *start = reinterpret_cast<Start>(::dlsym(plugin, kStart));
    return *start != nullptr ? "" : file + " is not a plug-in of tensh";
  }
  return std::string(kPlugin) + " is not installed beside tensh";
}

Value ImportFirst(std::string_view name, ForeignAdvice* advice) {
  if (inside != nullptr) {
    inside(TheHost(), "");
    return foreign_hooks.import(name, advice);
  }
  const Python python = Probe(name);
  const std::string first(name.substr(0, name.find('.')));
  if (python.executable.empty()) {
    if (python.command != "python3" && python.command != "none")
      advice->text = "the Python of TENSH_PYTHON or VIRTUAL_ENV cannot be run: " + python.command;
    return Value();
  }
  if (!python.has_module) {
    advice->similar = python.similar;
    if (python.similar.empty())
      advice->text = "to use Python's package: " + python.command + " -m pip install " + first;
    return Value();
  }
  Start start = nullptr;
  std::string failed = OpenLibraryOfPython(python);
  if (failed.empty()) failed = FindPlugin(&start);
  if (failed.empty())
    if (const char* why = start(TheHost(), python.executable.c_str())) failed = why;
  if (!failed.empty()) {
    advice->text = python.executable + " has " + first + ", but cannot be used: " + failed;
    return Value();
  }
  return foreign_hooks.import(name, advice);  // now that of the plug-in
}

}  // namespace

Start inside = nullptr;

void Install() { foreign_hooks.import = ImportFirst; }

}  // namespace tensh::shell::bridge
