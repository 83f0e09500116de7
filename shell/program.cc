#include "shell/program.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "shell/client/client.h"
#include "shell/commands/base/settings.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/help/name_help.h"
#include "shell/edit/editor.h"
#include "shell/edit/line_reader.h"
#include "shell/kernel.h"
#include "shell/large_stack.h"
#include "shell/model_file.h"
#include "shell/options.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/missing_file.h"
#include "shell/python_bridge/host/host.h"
#include "shell/repl.h"
#include "shell/resume.h"
#include "shell/serve.h"
#include "shell/session/runs.h"
#include "shell/stdio.h"
#include "shell/text/layout.h"
#include "shell/text/status_line.h"
#include "shell/text/theme.h"
#include "shell/tls.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxScript = size_t{1} << 30;
// Ctrl-C. The handler sets the interpreter's flag and wakes a helper thread, which cancels the step
// in flight; that call takes locks, which a handler must not do. If earlier ones were not handled,
// a Ctrl-C that arrives more than three seconds later ends the process.
Interp* g_interp = nullptr;
std::mutex g_interp_mutex;  // held while g_interp is cleared, and while the helper thread uses it
int g_wake[2] = {-1, -1};

void OnInterrupt(int) {
  const int saved = errno;
  Interp* interp = g_interp;
  static volatile sig_atomic_t unheard = 0;
  static timespec first;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  unheard = interp != nullptr && interp->interrupted() ? unheard + 1 : 0;
  if (unheard == 0) first = now;
  // A repeated key, or keys that are pressed while the editor or the machine is busy, must not end the session.
  constexpr time_t kPatience = 3;  // seconds
  const bool late = now.tv_sec - first.tv_sec > kPatience;
  if (interp == nullptr || (unheard >= 2 && late)) _exit(kExitInterrupted);
  interp->Interrupt();
  const char byte = 1;
  if (g_wake[1] >= 0 && ::write(g_wake[1], &byte, 1) < 0) errno = 0;
  errno = saved;
}

// Gives a loop of steps half a second to end between two steps. Returns true if it ended.
bool StopsByItself() {
  constexpr int kPolls = 50;
  for (int i = 0; WholeSteps::wanted(); ++i) {
    if (i == kPolls) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (!WholeSteps::wanted()) return true;
  }
  return false;
}

// Returns true if the interpreter has not yet seen the last Ctrl-C.
bool IsUnheard() {
  const std::lock_guard<std::mutex> lock(g_interp_mutex);
  return g_interp != nullptr && g_interp->interrupted();
}

void CancelLoop() {
  constexpr std::chrono::milliseconds kRetry{300};
  char byte = 0;
  while (true) {
    const ssize_t n = ::read(g_wake[0], &byte, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    // The loop below may have answered this Ctrl-C together with an earlier one. A step that began
    // since then must go on.
    if (!IsUnheard() || StopsByItself()) continue;
    // Ctrl-C may arrive just before a step begins, which it must end as well. A step that was
    // cancelled gets time to end.
    CancelAllSessions();
    for (std::this_thread::sleep_for(kRetry); IsUnheard(); std::this_thread::sleep_for(kRetry))
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
  std::thread thread;
  try {
    thread = std::thread(CancelLoop);
  } catch (const std::system_error&) {
    // Too many threads. Ctrl-C then takes effect between two steps.
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return thread;
}

void CatchSignals() {
  struct sigaction action {};
  action.sa_handler = OnInterrupt;  // without SA_RESTART, so that a read at the prompt ends
  sigaction(SIGINT, &action, nullptr);
  signal(SIGPIPE, SIG_DFL);  // `tensh … | head` ends without an error
  signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of file sizes is an error, as in Python
}

int FileError(const std::string& file) {
  const int error = errno;
  const ErrorHint hint = error == ENOENT ? HintForMissingFile(file) : ErrorHint();
  std::fprintf(stderr, "tensh: cannot read %s: %s%s\n", Visible(file).c_str(), std::strerror(error),
               hint.empty() ? "" : Visible("; " + hint.text).c_str());
  return kExitFile;
}

// Returns true for a device that is neither a terminal nor /dev/null. It may never end: /dev/zero.
bool IsEndless(int fd) {
  struct stat status {
  }, null{};
  if (::fstat(fd, &status) != 0 || S_ISBLK(status.st_mode)) return true;
  if (!S_ISCHR(status.st_mode) || ::isatty(fd)) return false;
  return ::stat("/dev/null", &null) != 0 || null.st_rdev != status.st_rdev;
}

int ReadScript(const std::string& file, std::string* text) {
  if (file == "-")
    return ReadAll(STDIN_FILENO, kMaxScript, text) ? kExitOk : FileError("standard input");
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FileError(file);
  if (IsEndless(fd)) {
    std::fprintf(stderr, "tensh: cannot read %s: it is a device\n", Visible(file).c_str());
    ::close(fd);
    return kExitFile;
  }
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

// Applies the configuration file. The command line and the terminal take precedence.
void Configure(ShellOptions* options) {
  ShellOptions configured = *options;
  const std::string wrong = ApplyConfiguration(ConfigurationFile(), &configured);
  std::fputs(wrong.c_str(), stderr);
  configured.color = configured.color && options->color;
  configured.ascii = configured.ascii || options->ascii;
  configured.json = configured.json || options->json;
  configured.keep_going = configured.keep_going || options->keep_going;
  *options = configured;
}

int ListResumable() {
  std::fputs(ListSessions(JournalFolder()).c_str(), stdout);
  return kExitOk;
}

// Runs the texts of -c in order.
int RunCode(Shell& shell, const CommandLine& line) {
  int code = kExitOk;
  for (const std::string& text : line.code) {
    const int ended = RunScript(shell, text, "<string>");
    if (ended != kExitOk) code = ended;
    if (ended != kExitOk && !line.options.keep_going) return code;
  }
  return code;
}

// Runs the program: the texts of -c, or a file.
int RunProgram(Shell& shell, const CommandLine& line) {
  if (!line.code.empty()) return RunCode(shell, line);
  std::string text;
  if (const int failed = ReadScript(*line.file, &text)) return failed;
  const std::string module = line.module.value_or("");
  if (const size_t dot = module.rfind('.'); dot != module.npos) {
    const std::string package = module.substr(0, dot);
    shell.interp().SetGlobal("__package__", MakeStr(package));
    const int failed = RunScript(shell, "__import__('" + package + "')", "<string>");
    if (failed != kExitOk) return failed;
  }
  return RunScript(shell, std::move(text), *line.file == "-" ? "<stdin>" : *line.file);
}

int RunStdin(Shell& shell) {
  std::string text;
  if (const int failed = ReadScript("-", &text)) return failed;
  return RunScript(shell, std::move(text), "<stdin>");
}

// Opens a model that was named like a script. At a prompt, the first cell does so. Otherwise the texts
// of -c or the program on standard input follow, as with sqlite3; without one, the report of the model
// is printed.
int RunModel(Shell& shell, const CommandLine& line, bool prompt) {
  const std::string& path = *line.file;
  const bool plain = path.find_first_of(" \t\n'\"\\>") == std::string::npos;
  std::string open = "open " + (plain ? path : Repr(MakeStr(path)));
  if (!line.code.empty()) {
    shell.options().interactive = false;
    int code = RunScript(shell, open, "<string>");
    if (code == kExitOk) code = RunCode(shell, line);
    shell.options().interactive = prompt;
    return code;
  }
  if (prompt) {
    shell.next_cells().push_back(open);
    return kExitOk;
  }
  std::string program;
  if (!isatty(STDIN_FILENO))
    if (const int failed = ReadScript("-", &program)) return failed;
  const bool none = program.find_first_not_of(" \t\r\n") == std::string::npos;
  if (none && !shell.options().json) open += "\nabout";
  const int code = RunScript(shell, open, "<string>");
  return code != kExitOk || none ? code : RunScript(shell, std::move(program), "<stdin>");
}

// With -i, a prompt or standard input follows the program.
int RunWith(Shell& shell, const CommandLine& line, bool prompt) {
  if (!line.dump_docs.empty()) return DumpDocs(shell, line.dump_docs);
  const bool program = !line.code.empty() || line.file;
  int code = kExitOk;
  if (line.opens) {
    code = RunModel(shell, line, prompt);
    if (!prompt) return code;
  } else if (program) {
    shell.options().interactive = false;
    code = RunProgram(shell, line);
    shell.options().interactive = prompt;
  }
  if (prompt)
    return RunPrompt(
        shell, {.keeps_cells = !line.sandbox, .startup = line.startup, .resume = line.resume});
  return !program || (line.stays && line.file != "-") ? RunStdin(shell) : code;
}

// Returns true if standard output goes to another program, which may be drawing on the terminal.
bool WritesToProgram() {
  struct stat out {};
  return ::fstat(STDOUT_FILENO, &out) != 0 || S_ISFIFO(out.st_mode) || S_ISSOCK(out.st_mode);
}

// Derives from the terminal how the shell writes: colors, plain characters and the line of progress.
void ChooseOutput(CommandLine* line, bool prompt, bool program) {
  ShellOptions& options = line->options;
  options.interactive = prompt;
  options.color =
      !line->no_color && isatty(STDERR_FILENO) && WantsColor() && !(prompt && LocaleIsPlain());
  options.ascii = options.ascii || (prompt && LocaleIsPlain());
  if (prompt && line->startup) Configure(&options);
  options.progress = (prompt || (program && line->file != "-")) &&
                     Editor::ErasesLines(STDERR_FILENO) && !WritesToProgram();
  if (options.progress) status_line::Enable();
}

// Makes the file of the module that -m names the program. Returns -1, or the exit code if the module
// has no file.
int FindModule(CommandLine* line) {
  std::string& name = *line->module;
  const std::string dotted = "." + name + ".";
  const bool all = std::all_of(dotted.begin(), dotted.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) ||
           c == '_' || c == '.';
  });
  if (!all || dotted.find("..") != dotted.npos)
    return UsageError("-m expects the name of a module, such as package.module, got " + name);
  std::string path = name;
  std::replace(path.begin(), path.end(), '.', '/');
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  const std::string file = path + (folder ? "/__main__.py" : ".py");
  if (!std::filesystem::is_regular_file(file, ignored)) {
    std::fprintf(stderr, "tensh: no module named %s: there is no file %s in the current folder\n",
                 Visible(name).c_str(), Visible(file).c_str());
    return kExitFailed;
  }
  if (folder) name += ".__main__";
  line->file = std::filesystem::absolute(file, ignored).string();
  line->argv[0] = *line->file;
  return -1;
}

// Checks options that exclude each other. Returns the exit code if they do, or -1.
int CheckTogether(const CommandLine& line, bool prompt, bool program) {
  if (line.resume && (!prompt || program || line.opens || line.sandbox))
    return UsageError(
        "--resume opens a prompt: it needs a terminal, and neither a program nor --sandbox");
  if (line.stdio && (line.file || !line.code.empty() || line.stays || line.resume))
    return UsageError(
        "--stdio expects no program, and neither -i nor --resume: the client sends it");
  return -1;
}

int Run(CommandLine& line) {
  if (line.module)
    if (const int code = FindModule(&line); code >= 0) return code;
  const bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  line.opens = line.file && LooksLikeModel(*line.file);
  if (line.opens)
    if (const int code = ParseAfterModel(&line); code >= 0) return code;
  const bool program = !line.code.empty() || (line.file && !line.opens);
  const bool prompt = terminal && (line.stays || !program);
  if (line.resume == "list") return ListResumable();
  if (const int code = CheckTogether(line, prompt, program); code >= 0) return code;
  if (line.stdio && !TakeStandardStreams()) return FileError("standard input");
  ChooseOutput(&line, prompt, program);
  if (line.stdio) line.options.interactive = true;
  UseTls(line.tls);
  Interp interp({.argv = line.argv,
                 .module = line.module.value_or(""),
                 .line_buffered = line.stdio,
                 .python2 = line.python2,
                 .sandbox = line.sandbox});
  g_interp = &interp;
  if (!line.sandbox) bridge::Install();
  Shell shell(interp, line.options);
  int code = line.stdio ? ServeStdio(shell) : RunWith(shell, line, prompt);
  if (foreign_hooks.end != nullptr) foreign_hooks.end();
  const bool ended = EndThreads(shell);
  if (ended) FlushFiles();
  if (const int error = interp.output_error(); error && code == kExitOk) {
    std::fprintf(stderr, "tensh: cannot write to standard output: %s\n", std::strerror(error));
    code = kExitFile;
  }
  {
    const std::lock_guard<std::mutex> lock(g_interp_mutex);
    g_interp = nullptr;
  }
  if (!ended) _exit(code);  // a thread that could not be stopped may still use values
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
  if (argc > 1 && std::string_view(argv[1]) == "kernel" &&
      (argc > 2 || ::access("kernel", F_OK) != 0))
    return InstallKernel(argv[0], argc - 2, argv + 2);
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

int RunTensh(int argc, char** argv) { return OnLargeStack(Main, argc, argv); }

}  // namespace tensh::shell
