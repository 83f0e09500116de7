#include "shell/serve.h"

#include <pthread.h>
#include <signal.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/api/tensh_server.h"
#include "shell/client.h"
#include "shell/repl.h"

namespace tensh::shell {
namespace {

constexpr const char* kServeHelp =
    "usage: tensh serve [--port N] [--host ADDRESS]\n"
    "\n"
    "A TensorFlow server: clients open sessions on it with tf.Session('grpc://HOST:PORT'), this "
    "shell's\nand TensorFlow's own. Each session runs here, in this process. Ctrl-C ends it.\n"
    "\n"
    "  --port N        listen there (2222); 0: any free port\n"
    "  --host ADDRESS  127.0.0.1, so only programs of this machine; whoever reaches the port may\n"
    "                  run any graph\n";

struct ServeLine {
  std::string host = "127.0.0.1";
  int port = 2222;
};

int Misused(const std::string& what) {
  std::fprintf(stderr, "tensh: serve: %s\nTry: tensh serve --help\n", what.c_str());
  return kExitUsage;
}

bool ReadPort(const char* text, int* port) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), *port);
  return error == std::errc() && *end == '\0' && *port >= 0 && *port <= 65535;
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
    if (arg != "--port" && arg != "--host") return Misused("no option " + std::string(arg));
    if (!value && i + 1 >= argc) return Misused(std::string(arg) + " needs a value");
    if (!value) value = argv[++i];
    if (arg == "--host") line->host = value;
    if (arg == "--port" && !ReadPort(value, &line->port))
      return Misused("--port: '" + std::string(value) + "' will not do; 0 to 65535");
  }
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
  tsh_server* server = tsh_server_new(line.host.c_str(), line.port, status);
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
