// The command `tensh serve`: runs the server.

#include "shell/serve.h"

#include <pthread.h>
#include <signal.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "shell/client/client.h"
#include "shell/repl.h"
#include "shell/serve_options.h"
#include "tensh/tensh_server.h"

namespace tensh::shell {
namespace {

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
  signal(SIGXFSZ,
         SIG_IGN);  // A write beyond the limit of file sizes fails; it does not end the server.
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
  options.max_step_cpu_ms = static_cast<int64_t>(line.step_cpu_seconds * 1000);
  options.session_memory = line.session_memory;
  options.idle_session_ms = int64_t{line.idle_seconds} * 1000;
  options.max_nodes = line.max_nodes;
  options.max_steps = line.max_steps;
  options.memory = line.memory;
  options.deny_ops = line.deny_ops.c_str();
  options.task_timeout_ms = static_cast<int64_t>(line.task_timeout_seconds * 1000);
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
