#include "shell/serve_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "runtime/base/text.h"
#include "shell/client/client.h"
#include "shell/repl.h"
#include "shell/text/layout.h"
#include "shell/tf_config.h"

namespace tensh::shell {
namespace {

int Misused(const std::string& what) {
  std::fprintf(stderr, "tensh: serve: %s\nTry: tensh serve --help\n", Visible(what).c_str());
  return kExitUsage;
}

// Parses a number from `least` to `most`.
template <class Number>
bool ReadNumber(const char* text, Number least, Number most, Number* number) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), *number);
  return error == std::errc() && *end == '\0' && *number >= least && *number <= most;
}

// Parses a number of bytes: 1000, 20K, 500M, 2G.
bool ReadSize(const char* text, int64_t* bytes) {
  static constexpr std::string_view kUnits = "KMGT";
  const char* const text_end = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, text_end, *bytes);
  if (error != std::errc() || *bytes <= 0) return false;
  if (end == text_end) return true;
  const size_t unit = kUnits.find(AsciiUpper(*end));
  if (unit == kUnits.npos || end + 1 != text_end) return false;
  const int shift = 10 * (static_cast<int>(unit) + 1);
  if (*bytes > (INT64_MAX >> shift)) return false;
  *bytes <<= shift;
  return true;
}

// Returns the value of --cluster, or the content of the file that it names.
std::string ClusterText(const std::string& value) {
  std::ifstream file(value);
  if (!file) return value;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

// An option with a value; or the heading of the options that follow, which has no function.
struct ServeOption {
  const char* name;   // of a heading: its text
  const char* value;  // as help shows it
  const char* help;   // lines are broken at the end of a line of help
  // Returns false if the value is invalid.
  bool (*set)(ServeLine& line, const char* value);
};
constexpr int kMuch = 1 << 30;
constexpr ServeOption kServeOptions[] = {
    {"Listening and TLS:", "", "", nullptr},
    {"--port", "N", "the port to listen on (2222); 0 means any free port",
     [](ServeLine& line, const char* value) {
       line.has_port = true;
       return ReadNumber(value, 0, 65535, &line.port);
     }},
    {"--host", "ADDRESS",
     "the address to listen on (127.0.0.1). Anyone who reaches the port may run any graph, so an "
     "address beyond this machine needs --tls-cert, --tls-key and --tls-ca, or --insecure",
     [](ServeLine& line, const char* value) { return line.host = value, true; }},
    {"--tls-cert", "FILE", "this task's certificate; connections are encrypted",
     [](ServeLine& line, const char* value) { return line.tls.cert = value, true; }},
    {"--tls-key", "FILE", "the private key of this certificate",
     [](ServeLine& line, const char* value) { return line.tls.key = value, true; }},
    {"--tls-ca", "FILE", "serve only clients with a certificate signed by this CA",
     [](ServeLine& line, const char* value) { return line.tls.ca = value, true; }},
    {"--insecure", "", "serve on an address beyond this machine without checking clients",
     [](ServeLine& line, const char*) { return line.insecure = true; }},
    {"Files:", "", "", nullptr},
    {"--file-root", "DIR",
     "let graphs read and write files below DIR; may be repeated. Without it, graphs have no "
     "access to files",
     [](ServeLine& line, const char* value) {
       line.file_roots.emplace_back(value);
       std::error_code error;
       return std::filesystem::is_directory(value, error);
     }},
    {"Limits of each session:", "", "", nullptr},
    {"--session-memory", "SIZE", "memory that its kernels may hold: 500M, 2G (no limit)",
     [](ServeLine& line, const char* value) { return ReadSize(value, &line.session_memory); }},
    {"--max-nodes", "N", "nodes of its graph and functions (10,000,000)",
     [](ServeLine& line, const char* value) {
       return ReadNumber<int64_t>(value, 1, INT64_MAX, &line.max_nodes);
     }},
    {"--max-steps", "N", "steps in flight (10,000)",
     [](ServeLine& line, const char* value) {
       return ReadNumber(value, 1, kMuch, &line.max_steps);
     }},
    {"--max-step-seconds", "N", "time of a step, whatever its client allows (no limit)",
     [](ServeLine& line, const char* value) {
       return ReadNumber(value, 1, kMuch, &line.max_step_seconds);
     }},
    {"--max-step-cpu", "SECONDS",
     "processor time of a step in this task, summed over all of its threads (no limit)",
     [](ServeLine& line, const char* value) {
       return ReadNumber(value, 0.1, 1e6, &line.step_cpu_seconds);
     }},
    {"--deny-ops", "LIST",
     "ops that graphs may not contain: names with the wildcards * and ?, separated by commas, as "
     "in 'PyFunc,ReadFile*' (none)",
     [](ServeLine& line, const char* value) {
       line.deny_ops += (line.deny_ops.empty() ? "" : ",") + std::string(value);
       return std::all_of(value, value + std::strlen(value), [](char c) {
         return IsAsciiLower(c) || IsAsciiUpper(c) || IsAsciiDigit(c) || IsAsciiSpace(c) ||
                std::strchr("_>.*?,", c);
       });
     }},
    {"--idle-session-timeout", "N",
     "close it after N seconds without use. Without this option, a session whose client has "
     "vanished stays until the server stops, as in TensorFlow",
     [](ServeLine& line, const char* value) {
       return ReadNumber(value, 1, kMuch, &line.idle_seconds);
     }},
    {"Limits of all sessions together:", "", "", nullptr},
    {"--memory", "SIZE", "memory that their kernels may hold (no limit)",
     [](ServeLine& line, const char* value) { return ReadSize(value, &line.memory); }},
    {"--max-sessions", "N", "open sessions (4096)",
     [](ServeLine& line, const char* value) {
       return ReadNumber(value, 1, 1 << 20, &line.max_sessions);
     }},
    {"Devices and cluster. A task of a cluster runs the parts that masters place on it, and is a "
     "master for its own clients:",
     "", "", nullptr},
    {"--cpus", "N", "number of CPU devices (1)",
     [](ServeLine& line, const char* value) { return ReadNumber(value, 1, 64, &line.cpus); }},
    {"--cluster", "SPEC",
     "ps=HOST:PORT;worker=HOST:PORT,HOST:PORT, or a file with that text or with {\"ps\": "
     "[\"HOST:PORT\"], \"worker\": [...]}; may be repeated, once per job",
     [](ServeLine& line, const char* value) {
       line.cluster += (line.cluster.empty() ? "" : ";") + ClusterText(value);
       return true;
     }},
    {"--job", "NAME", "the job this task belongs to",
     [](ServeLine& line, const char* value) { return line.job = value, true; }},
    {"--task", "N", "its number in the job (0)",
     [](ServeLine& line, const char* value) { return ReadNumber(value, 0, 1 << 20, &line.task); }},
    {"--task-timeout", "SECONDS",
     "time after which a task that does not answer is lost (10). A task that sends a large value "
     "over a slow link answers",
     [](ServeLine& line, const char* value) {
       return ReadNumber(value, 0.1, 1e6, &line.task_timeout_seconds);
     }},
};
constexpr size_t kHelpColumns = 100;

// Prints the text from column `indent` on, where the cursor is, and wraps it.
void PrintWrapped(std::string_view text, size_t indent) {
  size_t column = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > indent && column + 1 + word.size() > kHelpColumns) {
      std::printf("\n%*s", static_cast<int>(indent), "");
      column = indent;
    } else if (column > indent) {
      std::putchar(' ');
      ++column;
    }
    std::fwrite(word.data(), 1, word.size(), stdout);
    column += word.size();
  }
  std::putchar('\n');
}

void PrintServeHelp() {
  std::puts(
      "usage: tensh serve [--port N] [--host ADDRESS] [--cluster SPEC --job NAME --task N] "
      "[OPTIONS]\n\n"
      "Run a TensorFlow server. Clients, this shell's and TensorFlow's own, open sessions on it "
      "with\n"
      "tf.Session('grpc://HOST:PORT'). Each session runs in this process. Ctrl-C stops the "
      "server.\n"
      "Without --cluster and --job, $TF_CONFIG says which task of which cluster this is, if it is "
      "set.\n"
      "docs/security.md says what the limits promise.");
  constexpr size_t kIndent = 29;
  for (const ServeOption& option : kServeOptions) {
    if (!option.set) {
      std::putchar('\n');
      PrintWrapped(option.name, 0);
      std::putchar('\n');
      continue;
    }
    const std::string name = std::string("  ") + option.name + (*option.value ? " " : "");
    std::printf("%-*s", static_cast<int>(kIndent), (name + option.value + "  ").c_str());
    PrintWrapped(option.help, kIndent);
  }
}

bool IsLoopback(const std::string& host) {
  return host.rfind("127.", 0) == 0 || host == "localhost" || host == "::1" || host == "[::1]";
}

// Takes the cluster and the task from $TF_CONFIG if the arguments name neither. Returns the exit code, or -1 to continue.
int ReadTfConfig(ServeLine* line) {
  if (!line->cluster.empty() || !line->job.empty()) return -1;
  TfConfig config;
  std::string error;
  if (!ParseTfConfig(TfConfigOfEnvironment(), &config, &error)) {
    std::fprintf(stderr,
                 "tensh: serve: $TF_CONFIG is not valid: %s\n"
                 "Try: TF_CONFIG='{\"cluster\": {\"worker\": [\"localhost:2222\"]}, "
                 "\"task\": {\"type\": \"worker\", \"index\": 0}}' tensh serve\n",
                 Visible(error).c_str());
    return kExitUsage;
  }
  if (config.cluster.empty()) return -1;
  line->cluster = config.cluster;
  line->job = config.job;
  line->task = config.task;
  return -1;
}

// Returns the exit code, or -1 to continue.
int CheckServe(const ServeLine& line) {
  if (line.cluster.empty() != line.job.empty())
    return Misused("--cluster and --job must be given together");
  const auto given = [](const char* path) { return path != nullptr && *path != '\0'; };
  const bool encrypts = given(line.tls.cert), checks = encrypts && given(line.tls.ca);
  if (IsLoopback(line.host) || checks) return -1;
  std::fprintf(
      stderr, "tensh: serve: %sanyone who can reach %s may run any graph here%s\n",
      line.insecure ? "warning: " : "", line.host.c_str(),
      encrypts ? ": --tls-cert encrypts connections, but only --tls-ca restricts clients" : "");
  if (line.insecure) return -1;
  std::fputs(
      "Try: --tls-cert FILE --tls-key FILE --tls-ca FILE, or --insecure where the network is "
      "trusted\n",
      stderr);
  return kExitUsage;
}

}  // namespace

int ParseServe(int argc, char** argv, ServeLine* line) {
  for (int i = 0; i < argc; ++i) {
    std::string_view arg = argv[i];
    if (arg == "--help" || arg == "-h") return PrintServeHelp(), kExitOk;
    const char* value = nullptr;
    if (const size_t equals = arg.find('='); equals != arg.npos) {
      value = argv[i] + equals + 1;
      arg = arg.substr(0, equals);
    }
    const auto* option =
        std::find_if(std::begin(kServeOptions), std::end(kServeOptions),
                     [&](const ServeOption& each) { return each.set && arg == each.name; });
    if (option == std::end(kServeOptions)) return Misused("no option " + std::string(arg));
    const bool takes_value = *option->value;
    if (!takes_value && value) return Misused(std::string(arg) + " takes no value");
    if (takes_value && !value && i + 1 >= argc) return Misused(std::string(arg) + " needs a value");
    if (takes_value && !value) value = argv[++i];
    if (!option->set(*line, value))
      return Misused(std::string(arg) + ": '" + value + "' is not valid");
  }
  if (const int code = ReadTfConfig(line); code >= 0) return code;
  return CheckServe(*line);
}

}  // namespace tensh::shell
