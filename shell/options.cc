#include "shell/options.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "shell/client/client.h"
#include "shell/repl.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr int kMaxCpus = 64;

constexpr const char* kHelp =
    "usage: tensh [OPTIONS] [FILE [ARGS]] | -f FILE [ARGS] | -m MODULE [ARGS] | -c CODE "
    "[ARGS] | -\n"
    "       tensh serve [--port N] [--host ADDRESS]   a TensorFlow server; see tensh serve --help\n"
    "       tensh kernel install                      a kernel for Jupyter; see tensh kernel "
    "--help\n"
    "\n"
    "A shell for TensorFlow-1.x dataflow graphs. Without a file it opens a prompt, or runs "
    "standard input.\n"
    "If FILE is a model (a SavedModel folder, a graph, a checkpoint, …), it is opened instead, "
    "and\n"
    "then ARGS are options and code: tensh model.onnx -c 'eval y'\n"
    "\n"
    "  -c CODE        run CODE; several are run in order\n"
    "  -f FILE        run FILE (-f is optional); - is standard input\n"
    "  -m MODULE      run package.module, or package/__main__.py, below the current folder\n"
    "  -i             open a prompt with the variables of the program after it\n"
    "  --resume       run the cells of the last session again and restore its variables;\n"
    "                 --resume=list lists the sessions, --resume=N resumes one of them\n"
    "  -X, --no-startup   read neither the configuration nor the start-up file\n"
    "  --cpus N       CPU devices of the default session (2)\n"
    "  --keep-going   continue after an error (the exit code is still 1)\n"
    "  --json         print the output of verbs and errors as JSON\n"
    "  --ascii        draw with ASCII characters only\n"
    "  --no-color     no color; NO_COLOR and TERM=dumb do the same\n"
    "  --python2      the program is written in Python 2: print statements, 7 / 2 == 3, xrange, …\n"
    "  --stdio        serve another program, such as a notebook, with a line of JSON for each "
    "request\n"
    "  --sandbox      let programs and graphs use files of the working directory only\n"
    "  --tls-ca FILE, --tls-cert FILE, --tls-key FILE   certificates for grpc:// targets\n"
    "  -V, --version, -h, --help\n"
    "\n"
    "~/.config/tensh/config: settings of the prompt, a line each, as `set KEY VALUE --keep` writes "
    "them.\n"
    "~/.config/tensh/startup.tsh: run when a prompt opens.\n"
    "~/.local/state/tensh/sessions: the cells of each prompt, for --resume and history.\n"
    "TENSH_HISTORY: the file that keeps typed lines (~/.tensh_history); if empty, neither these "
    "nor cells are kept.\n"
    "Exit codes: 0 success, 1 a command failed, 2 usage, 3 file or connection, 130 Ctrl-C.\n"
    "Type help in the shell. tensh never sends data anywhere on its own.\n";

struct Switch {
  const char* name;
  void (*set)(CommandLine& line);
};
constexpr Switch kSwitches[] = {
    {"--keep-going", [](CommandLine& line) { line.options.keep_going = true; }},
    {"--json", [](CommandLine& line) { line.options.json = true; }},
    {"--ascii", [](CommandLine& line) { line.options.ascii = true; }},
    {"--no-color", [](CommandLine& line) { line.no_color = true; }},
    {"-i", [](CommandLine& line) { line.stays = true; }},
    {"-X", [](CommandLine& line) { line.startup = false; }},
    {"--no-startup", [](CommandLine& line) { line.startup = false; }},
    {"--stdio", [](CommandLine& line) { line.stdio = true; }},
    {"--resume", [](CommandLine& line) { line.resume = ""; }},
    {"--python2", [](CommandLine& line) { line.python2 = true; }},
    {"--sandbox", [](CommandLine& line) { line.sandbox = true; }},
    {"--allow-files",
     [](CommandLine& line) { line.sandbox = false; }},  // the default; kept for old command lines
};

struct OptionWithValue {
  const char* name;
  bool ends;  // the remaining arguments belong to the script
  // Returns false if the value is invalid.
  bool (*set)(CommandLine& line, const char* value);
};
constexpr OptionWithValue kValueOptions[] = {
    {"-c", true,
     [](CommandLine& line, const char* value) { return line.code.emplace_back(value), true; }},
    {"-f", true, [](CommandLine& line, const char* value) { return line.file = value, true; }},
    {"-m", true, [](CommandLine& line, const char* value) { return line.module = value, true; }},
    {"--dump-docs", false,
     [](CommandLine& line, const char* value) { return line.dump_docs = value, true; }},
    {"--resume", false,
     [](CommandLine& line, const char* value) { return line.resume = value, true; }},
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

// Sets an option that takes no value. Returns false if no such option exists.
bool ParseSwitch(std::string_view arg, CommandLine* line) {
  for (const Switch& each : kSwitches) {
    if (arg == each.name) return each.set(*line), true;
  }
  return false;
}

// An argument that begins with the name of an option: `--name VALUE` or `--name=VALUE`. An option
// that ends the command line has only the first form.
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

// Stores sys.argv: `zero`, the name of the program, and the arguments from `from` on.
int Rest(int argc, char** argv, const char* zero, int from, CommandLine* line) {
  line->argv = {zero};
  for (int k = from; k < argc; ++k) line->argv.push_back(argv[k]);
  return -1;
}

// Takes an option with a value at argv[*i]. Returns the exit code if it is misused, or -1.
int TakeValue(const GivenOption& given, int argc, char** argv, int* i, CommandLine* line) {
  const OptionWithValue& option = *given.option;
  if (!given.joined && *i + 1 >= argc) return UsageError(std::string(argv[*i]) + " needs a value");
  const char* value = given.joined ? argv[*i] + std::strlen(option.name) + 1 : argv[++*i];
  if (option.set(*line, value)) return -1;
  return UsageError(std::string(option.name) + ": '" + value + "' is not a number from 1 to 64");
}

// Prints the answer to an option. Returns the exit code.
int Answer(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return kExitOk;
  std::fputs("tensh: cannot write to standard output\n", stderr);
  return kExitFile;
}

}  // namespace

int UsageError(const std::string& what) {
  std::fprintf(stderr, "tensh: %s\nTry: tensh --help\n", Visible(what).c_str());
  return kExitUsage;
}

int ParseCommandLine(int argc, char** argv, CommandLine* line) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--help" || arg == "-h") return Answer(kHelp);
    if (arg == "--version" || arg == "-V")
      return Answer("tensh " + std::string(tsh_version()) + "\n");
    if (ParseSwitch(arg, line)) continue;
    if (const GivenOption given = FindOption(arg); given.option) {
      if (const int code = TakeValue(given, argc, argv, &i, line); code >= 0) return code;
      if (!given.option->ends) continue;
      const bool code = arg == "-c";
      if (code && i + 1 < argc && std::string_view(argv[i + 1]) == "-c") continue;
      return Rest(argc, argv, code ? "-c" : argv[i], i + 1, line);
    }
    if (arg == "-" || arg.empty() || arg[0] != '-') {
      line->file = std::string(arg);
      return Rest(argc, argv, argv[i], i + 1, line);
    }
    if (arg == "--") {
      if (i + 1 < argc) line->file = argv[i + 1];
      return Rest(argc, argv, i + 1 < argc ? argv[i + 1] : "", i + 2, line);
    }
    return UsageError("no option " + std::string(arg));
  }
  return Rest(argc, argv, "", argc, line);
}

int ParseAfterModel(CommandLine* line) {
  std::vector<std::string> words = line->argv;
  const auto misused = [&](const std::string& word) {
    return UsageError(*line->file + " is a model, which takes no argument " + word +
                      ". To run code after it is opened, type: tensh " + *line->file + " -c CODE");
  };
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  CommandLine rest = *line;
  rest.file.reset(), rest.module.reset();
  const int code = ParseCommandLine(static_cast<int>(argv.size()), argv.data(), &rest);
  if (code >= 0) return code;
  if (rest.file && rest.file->find_first_of(" (") != std::string::npos)
    rest.code.push_back(*rest.file);
  else if (rest.file)
    return misused(*rest.file);
  if (rest.argv.size() > 1) return misused(rest.argv[1]);
  rest.file = line->file, rest.argv = {words[0]};
  *line = std::move(rest);
  return -1;
}

}  // namespace tensh::shell
