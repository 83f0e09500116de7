// The program tensh: command line, signals and exit codes.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "shell/client/client.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/help/name_help.h"
#include "shell/edit/line_reader.h"
#include "shell/python/vm/interp.h"
#include "shell/repl.h"
#include "shell/serve.h"
#include "shell/text/theme.h"
#include "shell/tls.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxScript = size_t{1} << 30;
constexpr int kMaxCpus = 64;

constexpr const char* kHelp =
    "usage: tensh [OPTIONS] [FILE [ARGS]] | -f FILE [ARGS] | -c CODE [ARGS] | -\n"
    "       tensh serve [--port N] [--host ADDRESS]   a TensorFlow server; see tensh serve --help\n"
    "\n"
    "A shell for TensorFlow-1.x dataflow graphs. Without a file it opens a prompt, or runs "
    "standard input.\n"
    "\n"
    "  -c CODE        run CODE\n"
    "  -f FILE        run FILE (-f is optional); - is standard input\n"
    "  --cpus N       CPU devices of the default session (2)\n"
    "  --keep-going   continue after an error (the exit code is still 1)\n"
    "  --json         print the output of verbs and errors as JSON\n"
    "  --ascii        draw with ASCII characters only\n"
    "  --no-color     no color; NO_COLOR and TERM=dumb do the same\n"
    "  --sandbox      let programs and graphs use files of the working directory only\n"
    "  --tls-ca FILE, --tls-cert FILE, --tls-key FILE   certificates for grpc:// targets\n"
    "  --version, --help\n"
    "\n"
    "TENSH_HISTORY: the file that keeps typed lines (~/.tensh_history); if empty, none is "
    "kept.\n"
    "Exit codes: 0 success, 1 a command failed, 2 usage, 3 file or connection, 130 Ctrl-C.\n"
    "Type help in the shell. tensh never sends data anywhere on its own.\n";

struct CommandLine {
  std::optional<std::string> code, file;
  std::vector<std::string> argv;
  ShellOptions options;
  TlsPaths tls = TlsOfEnvironment();
  bool sandbox = false;
  std::string dump_docs;
  bool no_color = false;
};

int UsageError(const std::string& what) {
  std::fprintf(stderr, "tensh: %s\nTry: tensh --help\n", what.c_str());
  return kExitUsage;
}

struct Switch {
  const char* name;
  void (*set)(CommandLine& line);
};
constexpr Switch kSwitches[] = {
    {"--keep-going", [](CommandLine& line) { line.options.keep_going = true; }},
    {"--json", [](CommandLine& line) { line.options.json = true; }},
    {"--ascii", [](CommandLine& line) { line.options.ascii = true; }},
    {"--no-color", [](CommandLine& line) { line.no_color = true; }},
    {"--sandbox", [](CommandLine& line) { line.sandbox = true; }},
    {"--allow-files",
     [](CommandLine& line) { line.sandbox = false; }},  // the default; old command lines have it
};

struct OptionWithValue {
  const char* name;
  bool ends;  // the remaining arguments belong to the script
  // Returns false if the value is invalid.
  bool (*set)(CommandLine& line, const char* value);
};
constexpr OptionWithValue kValueOptions[] = {
    {"-c", true, [](CommandLine& line, const char* value) { return line.code = value, true; }},
    {"-f", true, [](CommandLine& line, const char* value) { return line.file = value, true; }},
    {"--dump-docs", false,
     [](CommandLine& line, const char* value) { return line.dump_docs = value, true; }},
    {"--tls-ca", false,
     [](CommandLine& line, const char* value) { return line.tls.ca = value, true; }},
    {"--tls-cert", false,
     [](CommandLine& line, const char* value) { return line.tls.cert = value, true; }},
    {"--tls-key", false,
     [](CommandLine& line, const char* value) { return line.tls.key = value, true; }},
    {"--cpus", false,
     [](CommandLine& line, const char* value) {
       int n = 0;
       const auto [end, error] = std::from_chars(value, value + std::strlen(value), n);
       line.options.cpus = n;
       return error == std::errc() && *end == '\0' && n >= 1 && n <= kMaxCpus;
     }},
};

// Sets an option without a value. Returns false if there is none of this name.
bool ParseSwitch(std::string_view arg, CommandLine* line) {
  for (const Switch& each : kSwitches) {
    if (arg == each.name) return each.set(*line), true;
  }
  return false;
}

// An argument that begins with the name of an option: `--name VALUE` or, unless the option ends the
// command line, `--name=VALUE`.
struct GivenOption {
  const OptionWithValue* option = nullptr;
  bool joined = false;
};

GivenOption FindOption(std::string_view arg) {
  for (const OptionWithValue& each : kValueOptions) {
    const std::string_view name = each.name;
    if (arg == name) return {&each, false};
    if (!each.ends && arg.starts_with(name) && arg[name.size()] == '=') return {&each, true};
  }
  return {};
}

// Returns the exit code, or -1 to continue.
int ParseCommandLine(int argc, char** argv, CommandLine* line) {
  const auto rest = [&](const char* zero, int from) {
    line->argv = {zero};
    for (int k = from; k < argc; ++k) line->argv.push_back(argv[k]);
    return -1;
  };
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--help" || arg == "-h") return std::fputs(kHelp, stdout), kExitOk;
    if (arg == "--version") return std::printf("tensh %s\n", tsh_version()), kExitOk;
    if (ParseSwitch(arg, line)) continue;
    if (const auto [option, joined] = FindOption(arg); option) {
      if (!joined && i + 1 >= argc) return UsageError(std::string(arg) + " needs a value");
      const char* value = joined ? argv[i] + std::strlen(option->name) + 1 : argv[++i];
      if (!option->set(*line, value))
        return UsageError(std::string(option->name) + ": '" + value + "' will not do; 1 to 64");
      if (option->ends) return rest(arg == "-c" ? "-c" : value, i + 1);
      continue;
    }
    if (arg == "-" || arg.empty() || arg[0] != '-') {
      line->file = std::string(arg);
      return rest(argv[i], i + 1);
    }
    if (arg == "--") {
      if (i + 1 < argc) line->file = argv[i + 1];
      return rest(i + 1 < argc ? argv[i + 1] : "", i + 2);
    }
    return UsageError("no option " + std::string(arg));
  }
  return rest("", argc);
}

// Ctrl-C. The handler sets the interpreter's flag and wakes a helper thread, which cancels the step
// in flight; that call takes locks, which a handler must not do. If a second Ctrl-C arrives before
// the first one was handled, the process ends.
Interp* g_interp = nullptr;
int g_wake[2] = {-1, -1};

void OnInterrupt(int) {
  const int saved = errno;
  Interp* interp = g_interp;
  static volatile sig_atomic_t unheard = 0;
  unheard = interp != nullptr && interp->interrupted() ? unheard + 1 : 0;
  if (interp == nullptr || unheard >= 2) _exit(kExitInterrupted);
  interp->Interrupt();
  const char byte = 1;
  if (g_wake[1] >= 0 && ::write(g_wake[1], &byte, 1) < 0) errno = 0;
  errno = saved;
}

void CancelLoop() {
  char byte = 0;
  while (true) {
    const ssize_t n = ::read(g_wake[0], &byte, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    CancelAllSessions();
  }
}

// The helper thread inherits a mask that blocks all signals, so that handlers run in the main
// thread and interrupt its reads.
std::thread StartCancelThread() {
  if (::pipe2(g_wake, O_CLOEXEC) != 0) return {};
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread thread(CancelLoop);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return thread;
}

void CatchSignals() {
  struct sigaction action {};
  action.sa_handler = OnInterrupt;  // without SA_RESTART, so that a read at the prompt ends
  sigaction(SIGINT, &action, nullptr);
  signal(SIGPIPE, SIG_DFL);  // `tensh … | head` ends without an error
}

int FileError(const std::string& file) {
  std::fprintf(stderr, "tensh: cannot read %s: %s\n", file.c_str(), std::strerror(errno));
  return kExitFile;
}

int ReadScript(const std::string& file, std::string* text) {
  if (file == "-")
    return ReadAll(STDIN_FILENO, kMaxScript, text) ? kExitOk : FileError("standard input");
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FileError(file);
  const bool read = ReadAll(fd, kMaxScript, text);
  const int code = read ? kExitOk : FileError(file);
  ::close(fd);
  return code;
}

int DumpDocs(const Shell& shell, const std::string& what) {
  if (what != "commands" && what != "names")
    return UsageError("--dump-docs knows: commands, names");
  const std::string page = what == "names" ? NamesPage() : CommandDocs(shell.commands());
  std::fputs(page.c_str(), stdout);
  return kExitOk;
}

int Run(CommandLine& line) {
  std::string text;
  std::string file = "<stdin>";
  const bool prompt = !line.code && !line.file && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (line.code) {
    text = *line.code;
    file = "<string>";
  } else if (!prompt && line.dump_docs.empty()) {
    const std::string from = line.file.value_or("-");
    if (const int code = ReadScript(from, &text)) return code;
    if (from != "-") file = from;
  }
  line.options.interactive = prompt;
  line.options.color =
      !line.no_color && isatty(STDERR_FILENO) && WantsColor() && !(prompt && LocaleIsPlain());
  line.options.ascii = line.options.ascii || (prompt && LocaleIsPlain());
  UseTls(line.tls);
  Interp interp({.argv = line.argv, .sandbox = line.sandbox});
  g_interp = &interp;
  Shell shell(interp, line.options);
  int code = kExitOk;
  if (!line.dump_docs.empty()) {
    code = DumpDocs(shell, line.dump_docs);
  } else {
    code = prompt ? RunPrompt(shell) : RunScript(shell, std::move(text), file);
  }
  const bool ended = EndThreads(shell);
  if (const int error = interp.output_error(); error && code == kExitOk) {
    std::fprintf(stderr, "tensh: cannot write to standard output: %s\n", std::strerror(error));
    code = kExitFile;
  }
  g_interp = nullptr;
  if (!ended) _exit(code);  // a thread that could not be stopped still holds values
  return code;
}

// Opens standard streams that are closed, so that no pipe or file gets one of their numbers.
void FillStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) < 0) _exit(kExitFile);
}

int Main(int argc, char** argv) {
  FillStandardStreams();
  if (argc > 1 && std::string_view(argv[1]) == "serve") return Serve(argc - 2, argv + 2);
  CommandLine line;
  const int parsed = ParseCommandLine(argc, argv, &line);
  if (parsed >= 0) return parsed;
  CatchSignals();
  std::thread cancel = StartCancelThread();
  const int code = Run(line);
  if (cancel.joinable()) {
    ::close(g_wake[1]);
    g_wake[1] = -1;
    cancel.join();
  }
  return code;
}

}  // namespace
}  // namespace tensh::shell

int main(int argc, char** argv) { return tensh::shell::Main(argc, argv); }
