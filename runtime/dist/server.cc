#include "runtime/dist/server.h"

#include <grpcpp/grpcpp.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "runtime/dist/cluster.h"
#include "runtime/dist/listener.h"
#include "runtime/dist/master_service.h"
#include "runtime/dist/threads.h"
#include "runtime/dist/tls.h"
#include "runtime/dist/worker_service.h"

namespace tensh::dist {
namespace {

std::string Text(const char* text) { return text ? text : ""; }

// Returns the port in this task's address, or 0 if it has none.
int PortOf(const std::string& address) {
  const size_t colon = address.rfind(':');
  return colon == address.npos ? 0 : std::atoi(address.c_str() + colon + 1);
}

// Allows as many open files as the system lets this process have, at most a million.
void RaiseFileLimit() {
  constexpr rlim_t kMost = 1 << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(limit.rlim_max, kMost);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

TaskLimits TaskLimitsOf(const tensh_dist_serve& options) {
  TaskLimits limits;
  limits.session_memory = std::max<int64_t>(options.session_memory, 0);
  limits.memory = std::max<int64_t>(options.memory, 0);
  limits.step_cpu_ms = std::max<int64_t>(options.max_step_cpu_ms, 0);
  if (options.max_nodes > 0) limits.graph.nodes = options.max_nodes;
  limits.graph.deny_ops = SplitPatterns(Text(options.deny_ops));
  limits.local_clusters = IsOfThisMachine(Text(options.host));
  return limits;
}

MasterLimits MasterLimitsOf(const tensh_dist_serve& options) {
  MasterLimits limits;
  limits.sessions = static_cast<size_t>(std::max(options.max_sessions, 0));
  limits.step_ms = std::max<int64_t>(options.max_step_ms, 0);
  limits.idle_ms = std::max<int64_t>(options.idle_session_ms, 0);
  limits.steps = options.max_steps;
  return limits;
}

void SetArguments(grpc::ServerBuilder& builder) {
  // A connection that does not begin to speak HTTP/2 is closed after this time.
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 30'000);
  // Detects a disconnected client within a minute, so that its steps end.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // Requests are decompressed by ParseRequest, on other threads than gRPC's.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
}

}  // namespace

struct Server::Impl {
  std::unique_ptr<Worker> worker;
  std::unique_ptr<MasterService> master;
  std::unique_ptr<grpc::Service> worker_service;
  std::unique_ptr<grpc::Server> server;
  // The connections of the listener go to the acceptor, which must not take any after the server has ended.
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
  std::unique_ptr<Listener> listener;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Server>> Server::Start(const tensh_dist_serve& options, int* bound) {
  const std::string job = Text(options.job).empty() ? "localhost" : options.job;
  TENSH_ASSIGN(Cluster::Jobs jobs, Cluster::Parse(Text(options.cluster)));
  int port = options.port;
  if (!jobs.empty()) {
    const std::string own = Cluster(jobs).AddressOf(TaskName(job, options.task));
    if (own.empty())
      return InvalidArgument("Task ", options.task, " was not defined in job \"", job,
                             "\" of the cluster");
    if (port < 0) port = PortOf(own);
  }
  TENSH_ASSIGN(const Tls tls, ReadTls(options.tls, true));
  TENSH_RETURN_IF_ERROR(CheckThreads());
  RaiseFileLimit();
  TENSH_RETURN_IF_ERROR(CheckDescriptors());
  auto impl = std::make_unique<Impl>();
  TENSH_ASSIGN(impl->worker, Worker::Create(job, options.task, std::move(jobs),
                                            Text(options.config), ClientCredentials(tls)));
  if (options.task_timeout_ms > 0)
    impl->worker->cluster().set_task_timeout(std::chrono::milliseconds(options.task_timeout_ms));
  impl->worker->set_limits(TaskLimitsOf(options));
  impl->master = MakeMasterService(impl->worker.get(), MasterLimitsOf(options));
  impl->worker_service = MakeWorkerService(impl->worker.get());
  Result<std::unique_ptr<Listener>> listener =
      Listener::Open(Text(options.host), std::max(port, 0));
  if (!listener.ok())
    return Unavailable("cannot listen on ", Text(options.host), ":", std::max(port, 0), ": ",
                       listener.status().message());
  grpc::ServerBuilder builder;
  using Builder = grpc::ServerBuilder::experimental_type;
  impl->acceptor = builder.experimental().AddExternalConnectionAcceptor(
      Builder::ExternalConnectionType::FROM_FD, ServerCredentials(tls));
  SetArguments(builder);
  builder.RegisterService(impl->master->service());
  builder.RegisterService(impl->worker_service.get());
  impl->server = builder.BuildAndStart();
  if (!impl->server)
    return Unavailable("cannot serve", tls.on() ? ": a certificate or a key is not valid" : "");
  impl->listener = std::move(*listener);
  *bound = impl->listener->port();
  impl->listener->Start([acceptor = impl->acceptor.get()](int fd) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = fd;
    acceptor->HandleNewConnection(&connection);
  });
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::~Server() {
  impl_->listener.reset();
  impl_->master->Refuse();
  impl_->master->CloseAll();
  impl_->worker->Stop();
  impl_->server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
}

}  // namespace tensh::dist
