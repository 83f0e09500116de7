#include "shell/serve.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api/tensh_server.h"
#include "shell/client.h"
#include "shell/repl.h"

namespace tensh::shell {
namespace {

constexpr const char* kServeHelp =
    "usage: tensh serve [--port N] [--host ADDRESS] [--cluster SPEC --job NAME --task N] "
    "[OPTIONS]\n"
    "\n"
    "A TensorFlow server: clients open sessions on it with tf.Session('grpc://HOST:PORT'), this "
    "shell's\nand TensorFlow's own. Each session runs here, in this process. Ctrl-C ends it.\n"
    "\n"
    "  --port N        listen there (2222); 0: any free port\n"
    "  --host ADDRESS  127.0.0.1, so only programs of this machine; whoever reaches the port may\n"
    "                  run any graph, so another address needs certificates, or --insecure\n"
    "  --cpus N        CPU devices (1)\n"
    "\n"
    "One task of a cluster: it runs what masters place on it, and is a master for its own "
    "clients.\n"
    "\n"
    "  --cluster SPEC  ps=HOST:PORT;worker=HOST:PORT,HOST:PORT, or a file that holds that or\n"
    "                  {\"ps\": [\"HOST:PORT\"], \"worker\": [...]}; may be said once for each "
    "job\n"
    "  --job NAME      the job this task belongs to\n"
    "  --task N        its number in the job (0)\n"
    "\n"
    "What clients may do.\n"
    "\n"
    "  --tls-cert FILE --tls-key FILE  this task's certificate: connections are encrypted\n"
    "  --tls-ca FILE   serve only who shows a certificate signed by it\n"
    "  --insecure      serve on an address beyond this machine without certificates\n"
    "  --file-root DIR graphs may read and write files below it; may be said again. Without it\n"
    "                  they may touch none\n"
    "  --max-sessions N      sessions open at once (4096)\n"
    "  --max-step-seconds N  no step takes longer, whatever its client allows\n"
    "  --session-memory SIZE what the kernels of one session may hold here: 500M, 2G\n"
    "  --idle-session-timeout N  a session that nobody used for N seconds is closed; without it\n"
    "                  one whose client has gone stays until the server ends, as TensorFlow's do\n";

struct ServeLine {
  std::string host = "127.0.0.1";
  int port = 2222;
  bool has_port = false, insecure = false;
  std::string cluster, job;
  int task = 0, cpus = 0, max_sessions = 0, max_step_seconds = 0, idle_seconds = 0;
  int64_t session_memory = 0;
  const char *tls_cert = nullptr, *tls_key = nullptr, *tls_ca = nullptr;
  std::vector<std::string> file_roots;
};

int Misused(const std::string& what) {
  std::fprintf(stderr, "tensh: serve: %s\nTry: tensh serve --help\n", what.c_str());
  return kExitUsage;
}

bool ReadNumber(const char* text, int most, int* number) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), *number);
  return error == std::errc() && *end == '\0' && *number >= 0 && *number <= most;
}

// Bytes: 1000, 20K, 500M, 2G.
bool ReadSize(const char* text, int64_t* bytes) {
  static constexpr std::string_view kUnits = "KMGT";
  const char* const text_end = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, text_end, *bytes);
  if (error != std::errc() || *bytes <= 0) return false;
  if (end == text_end) return true;
  const size_t unit =
      kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(*end))));
  if (unit == kUnits.npos || end + 1 != text_end) return false;
  const int shift = 10 * (static_cast<int>(unit) + 1);
  if (*bytes > (INT64_MAX >> shift)) return false;
  *bytes <<= shift;
  return true;
}

// What --cluster says, or the file it names says.
std::string ClusterText(const std::string& value) {
  std::ifstream file(value);
  if (!file) return value;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

struct ServeOption {
  const char* name;
  // False: the value is not one.
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
    {"--tls-cert", [](ServeLine& line, const char* value) { return line.tls_cert = value, true; }},
    {"--tls-key", [](ServeLine& line, const char* value) { return line.tls_key = value, true; }},
    {"--tls-ca", [](ServeLine& line, const char* value) { return line.tls_ca = value, true; }},
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

// -1: go on; else the exit code.
int CheckServe(const ServeLine& line) {
  if (line.cluster.empty() != line.job.empty()) return Misused("--cluster and --job go together");
  const char* from_environment = std::getenv("TENSH_TLS_CERT");
  const bool tls = line.tls_cert != nullptr || (from_environment && *from_environment);
  if (IsLoopback(line.host) || tls) return -1;
  std::fprintf(stderr, "tensh: serve: %swhoever reaches %s may run any graph here\n",
               line.insecure ? "warning: " : "", line.host.c_str());
  if (line.insecure) return -1;
  std::fputs(
      "Try: --tls-cert FILE --tls-key FILE --tls-ca FILE, or --insecure where the network is "
      "trusted\n",
      stderr);
  return kExitUsage;
}

// -1: go on; else the exit code.
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
      return Misused(std::string(arg) + ": '" + value + "' will not do");
  }
  return CheckServe(*line);
}

// What graphs may do with files: those below the roots; without one, none.
void LimitFiles(const ServeLine& line) {
  constexpr const char* kNowhere = "/dev/null/";
  tsh_files_limit(kNowhere, 0);
  for (const std::string& root : line.file_roots) tsh_files_limit(root.c_str(), 1);
}

}  // namespace

int Serve(int argc, char** argv) {
  ServeLine line;
  if (const int code = ParseServe(argc, argv, &line); code >= 0) return code;
  // Blocked before the server starts its threads, so that only the wait below gets them.
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
  options.tls_cert = line.tls_cert;
  options.tls_key = line.tls_key;
  options.tls_ca = line.tls_ca;
  options.max_sessions = line.max_sessions;
  options.max_step_ms = int64_t{line.max_step_seconds} * 1000;
  options.session_memory = line.session_memory;
  options.idle_session_ms = int64_t{line.idle_seconds} * 1000;
  LimitFiles(line);
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
