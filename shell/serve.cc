#include "shell/serve.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "runtime/api/tensh_server.h"
#include "shell/client.h"
#include "shell/repl.h"

namespace tensh::shell {
namespace {

constexpr const char* kServeHelp =
    "usage: tensh serve [--port N] [--host ADDRESS] [--cluster SPEC --job NAME --task N]\n"
    "\n"
    "A TensorFlow server: clients open sessions on it with tf.Session('grpc://HOST:PORT'), this "
    "shell's\nand TensorFlow's own. Each session runs here, in this process. Ctrl-C ends it.\n"
    "\n"
    "  --port N        listen there (2222); 0: any free port\n"
    "  --host ADDRESS  127.0.0.1, so only programs of this machine; whoever reaches the port may\n"
    "                  run any graph\n"
    "\n"
    "One task of a cluster: it runs what masters place on it, and is a master for its own clients.\n"
    "\n"
    "  --cluster SPEC  ps=HOST:PORT;worker=HOST:PORT,HOST:PORT, or a file that holds that or\n"
    "                  {\"ps\": [\"HOST:PORT\"], \"worker\": [...]}; may be said once for each job\n"
    "  --job NAME      the job this task belongs to\n"
    "  --task N        its number in the job (0)\n";

struct ServeLine {
  std::string host = "127.0.0.1";
  int port = 2222;
  bool has_port = false;
  std::string cluster, job;
  int task = 0;
};

int Misused(const std::string& what) {
  std::fprintf(stderr, "tensh: serve: %s\nTry: tensh serve --help\n", what.c_str());
  return kExitUsage;
}

bool ReadNumber(const char* text, int most, int* number) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), *number);
  return error == std::errc() && *end == '\0' && *number >= 0 && *number <= most;
}

// What --cluster says, or the file it names says.
std::string ClusterText(const std::string& value) {
  std::ifstream file(value);
  if (!file) return value;
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

// -1: it was one of a cluster's options.
int ReadTask(std::string_view arg, const char* value, ServeLine* line) {
  if (arg == "--cluster") line->cluster += (line->cluster.empty() ? "" : ";") + ClusterText(value);
  if (arg == "--job") line->job = value;
  if (arg == "--task" && !ReadNumber(value, 1 << 20, &line->task))
    return Misused("--task: '" + std::string(value) + "' is not a number");
  return -1;
}

// -1: go on; else the exit code.
int ParseServe(int argc, char** argv, ServeLine* line) {
  for (int i = 0; i < argc; ++i) {
    std::string_view arg = argv[i];
    if (arg == "--help" || arg == "-h") return std::fputs(kServeHelp, stdout), kExitOk;
    const char* value = nullptr;
    if (const size_t equals = arg.find('='); equals != arg.npos) {
      value = argv[i] + equals + 1;
      arg = arg.substr(0, equals);
    }
    static constexpr std::string_view kOptions[] = {"--port", "--host", "--cluster", "--job",
                                                    "--task"};
    if (std::find(std::begin(kOptions), std::end(kOptions), arg) == std::end(kOptions))
      return Misused("no option " + std::string(arg));
    if (!value && i + 1 >= argc) return Misused(std::string(arg) + " needs a value");
    if (!value) value = argv[++i];
    if (arg == "--host") line->host = value;
    if (arg == "--port" && !ReadNumber(value, 65535, &line->port))
      return Misused("--port: '" + std::string(value) + "' will not do; 0 to 65535");
    line->has_port |= arg == "--port";
    if (const int code = ReadTask(arg, value, line); code >= 0) return code;
  }
  if (line->cluster.empty() != line->job.empty())
    return Misused("--cluster and --job go together");
  return -1;
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
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  tsh_status* status = ScratchStatus();
  tsh_server_options options{};
  options.host = line.host.c_str();
  options.port = line.cluster.empty() || line.has_port ? line.port : -1;
  options.cluster = line.cluster.c_str();
  options.job = line.job.c_str();
  options.task = line.task;
  tsh_server* server = tsh_server_new_task(&options, status);
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
