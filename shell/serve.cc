// The command `tensh serve`: parses its options and runs the server.

#include "shell/serve.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/text.h"
#include "shell/client/client.h"
#include "shell/repl.h"
#include "shell/text/layout.h"
#include "shell/tls.h"
#include "tensh/tensh_server.h"

namespace tensh::shell {
namespace {

constexpr const char* kServeHelp =
    "usage: tensh serve [--port N] [--host ADDRESS] [--cluster SPEC --job NAME --task N] "
    "[OPTIONS]\n"
    "\n"
    "Run a TensorFlow server. Clients, this shell's and TensorFlow's own, open sessions on it "
    "with\n"
    "tf.Session('grpc://HOST:PORT'). Each session runs in this process. Ctrl-C stops the server.\n"
    "\n"
    "  --port N        the port to listen on (2222); 0 means any free port\n"
    "  --host ADDRESS  the address to listen on (127.0.0.1). Anyone who reaches the port may run "
    "any\n"
    "                  graph, so an address beyond this machine needs --tls-cert, --tls-key and "
    "--tls-ca,\n"
    "                  or --insecure\n"
    "  --cpus N        number of CPU devices (1)\n"
    "\n"
    "One task of a cluster runs the parts that masters place on it, and is a master for its own "
    "clients.\n"
    "\n"
    "  --cluster SPEC  ps=HOST:PORT;worker=HOST:PORT,HOST:PORT, or a file with that text or\n"
    "                  {\"ps\": [\"HOST:PORT\"], \"worker\": [...]}; may be repeated, once per "
    "job\n"
    "  --job NAME      the job this task belongs to\n"
    "  --task N        its number in the job (0)\n"
    "\n"
    "Restrictions for clients:\n"
    "\n"
    "  --tls-cert FILE --tls-key FILE  this task's certificate; connections are encrypted\n"
    "  --tls-ca FILE   serve only clients with a certificate signed by this CA\n"
    "  --insecure      serve on an address beyond this machine without checking clients\n"
    "  --file-root DIR let graphs read and write files below DIR; may be repeated. Without it,\n"
    "                  graphs have no access to files\n"
    "  --max-sessions N      maximum number of open sessions (4096)\n"
    "  --max-step-seconds N  maximum time of a step, whatever its client allows\n"
    "  --session-memory SIZE memory limit for the kernels of one session: 500M, 2G\n"
    "  --idle-session-timeout N  close sessions that were unused for N seconds. Without it, a "
    "session\n"
    "                  whose client has vanished stays until the server stops, as in TensorFlow\n";

struct ServeLine {
  std::string host = "127.0.0.1";
  int port = 2222;
  bool has_port = false, insecure = false;
  std::string cluster, job;
  int task = 0, cpus = 0, max_sessions = 0, max_step_seconds = 0, idle_seconds = 0;
  int64_t session_memory = 0;
  TlsPaths tls = TlsOfEnvironment();
  std::vector<std::string> file_roots;
};

int Misused(const std::string& what) {
  std::fprintf(stderr, "tensh: serve: %s\nTry: tensh serve --help\n", Visible(what).c_str());
  return kExitUsage;
}

bool ReadNumber(const char* text, int most, int* number) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), *number);
  return error == std::errc() && *end == '\0' && *number >= 0 && *number <= most;
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

struct ServeOption {
  const char* name;
  // Returns false if the value is invalid.
  bool (*set)(ServeLine& line, const char* value);
};
constexpr ServeOption kServeOptions[] = {
    {"--host", [](ServeLine& line, const char* value) { return line.host = value, true; }},
    {"--port",
     [](ServeLine& line, const char* value) {
       line.has_port = true;
       return ReadNumber(value, 65535, &line.port);
     }},
    {"--cpus",
     [](ServeLine& line, const char* value) {
       return ReadNumber(value, 64, &line.cpus) && line.cpus > 0;
     }},
    {"--cluster",
     [](ServeLine& line, const char* value) {
       line.cluster += (line.cluster.empty() ? "" : ";") + ClusterText(value);
       return true;
     }},
    {"--job", [](ServeLine& line, const char* value) { return line.job = value, true; }},
    {"--task",
     [](ServeLine& line, const char* value) { return ReadNumber(value, 1 << 20, &line.task); }},
    {"--tls-cert", [](ServeLine& line, const char* value) { return line.tls.cert = value, true; }},
    {"--tls-key", [](ServeLine& line, const char* value) { return line.tls.key = value, true; }},
    {"--tls-ca", [](ServeLine& line, const char* value) { return line.tls.ca = value, true; }},
    {"--file-root",
     [](ServeLine& line, const char* value) {
       line.file_roots.emplace_back(value);
       std::error_code error;
       return std::filesystem::is_directory(value, error);
     }},
    {"--max-sessions",
     [](ServeLine& line, const char* value) {
       return ReadNumber(value, 1 << 20, &line.max_sessions) && line.max_sessions > 0;
     }},
    {"--max-step-seconds",
     [](ServeLine& line, const char* value) {
       return ReadNumber(value, 1 << 30, &line.max_step_seconds) && line.max_step_seconds > 0;
     }},
    {"--session-memory",
     [](ServeLine& line, const char* value) { return ReadSize(value, &line.session_memory); }},
    {"--idle-session-timeout",
     [](ServeLine& line, const char* value) {
       return ReadNumber(value, 1 << 30, &line.idle_seconds) && line.idle_seconds > 0;
     }},
};

bool IsLoopback(const std::string& host) {
  return host.rfind("127.", 0) == 0 || host == "localhost" || host == "::1" || host == "[::1]";
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

// Returns the exit code, or -1 to continue.
int ParseServe(int argc, char** argv, ServeLine* line) {
  for (int i = 0; i < argc; ++i) {
    std::string_view arg = argv[i];
    if (arg == "--help" || arg == "-h") return std::fputs(kServeHelp, stdout), kExitOk;
    if (arg == "--insecure") {
      line->insecure = true;
      continue;
    }
    const char* value = nullptr;
    if (const size_t equals = arg.find('='); equals != arg.npos) {
      value = argv[i] + equals + 1;
      arg = arg.substr(0, equals);
    }
    const auto* option = std::find_if(std::begin(kServeOptions), std::end(kServeOptions),
                                      [&](const ServeOption& each) { return arg == each.name; });
    if (option == std::end(kServeOptions)) return Misused("no option " + std::string(arg));
    if (!value && i + 1 >= argc) return Misused(std::string(arg) + " needs a value");
    if (!value) value = argv[++i];
    if (!option->set(*line, value))
      return Misused(std::string(arg) + ": '" + value + "' is not valid");
  }
  return CheckServe(*line);
}

// Restricts file access of graphs to the roots. Without a root, there is no access. Returns false if
// a root cannot be resolved.
bool LimitFiles(const ServeLine& line) {
  tsh_files_limit(nullptr, 0);
  for (const std::string& root : line.file_roots) {
    std::error_code error;
    const std::filesystem::path resolved = std::filesystem::canonical(root, error);
    if (error) {
      std::fprintf(stderr, "tensh: serve: --file-root: '%s' cannot be resolved: %s\n", root.c_str(),
                   error.message().c_str());
      return false;
    }
    tsh_files_limit(resolved.c_str(), 1);
  }
  return true;
}

}  // namespace

int Serve(int argc, char** argv) {
  ServeLine line;
  if (const int code = ParseServe(argc, argv, &line); code >= 0) return code;
  // Signals are blocked before the server starts its threads, so that only the wait below receives
  // them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  tsh_status* status = ScratchStatus();
  tsh_server_options options{};
  options.host = line.host.c_str();
  options.port = line.cluster.empty() || line.has_port ? line.port : -1;
  options.cluster = line.cluster.c_str();
  options.job = line.job.c_str();
  options.task = line.task;
  const std::string config =
      line.cpus > 0 ? "{\"device_count\": {\"CPU\": " + std::to_string(line.cpus) + "}}" : "";
  options.config = config.c_str();
  options.tls_cert = line.tls.cert;
  options.tls_key = line.tls.key;
  options.tls_ca = line.tls.ca;
  options.max_sessions = line.max_sessions;
  options.max_step_ms = int64_t{line.max_step_seconds} * 1000;
  options.session_memory = line.session_memory;
  options.idle_session_ms = int64_t{line.idle_seconds} * 1000;
  if (!LimitFiles(line)) return kExitFile;
  tsh_server* server = tsh_server_new(&options, status);
  if (!server) {
    std::fprintf(stderr, "tensh: serve: %s\n", tsh_status_message(status));
    if (*tsh_status_hint(status)) std::fprintf(stderr, "Try: %s\n", tsh_status_hint(status));
    return kExitFile;
  }
  std::printf("tensh: serving grpc://%s:%d\n", line.host.c_str(), tsh_server_port(server));
  std::fflush(stdout);
  int got = 0;
  sigwait(&signals, &got);
  tsh_server_free(server);
  return got == SIGINT ? kExitInterrupted : kExitOk;
}

}  // namespace tensh::shell
