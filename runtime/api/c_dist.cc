// Loads the plug-in libtensh_dist.so when a grpc:// target or a server is first requested. A remote
// session implements Session; it refuses operations that it does not support.
#include <dlfcn.h>
#include <unistd.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/api/c_report.h"
#include "runtime/api/plugin_paths.h"
#include "runtime/api/remote_report.h"
#include "tensh/tensh_server.h"

using namespace tensh;
using namespace tensh::api;

struct tsh_server {
  tensh_dist_server* server;
  const tensh_dist_plugin* plugin;
  int port;
};

namespace {

constexpr const char* kPlugin = "libtensh_dist.so";

Result<const tensh_dist_plugin*> Load() {
  std::string why;
  for (const std::string& path : PluginPaths(kPlugin)) {
    if (::access(path.c_str(), R_OK) != 0) continue;
    const Result<void*> library = OpenLibrary(path);
    const auto* table =
        library.ok() ? static_cast<const tensh_dist_plugin*>(::dlsym(*library, TENSH_DIST_SYMBOL))
                     : nullptr;
    if (table && table->abi == TENSH_DIST_ABI) return table;
    why = StrCat(": ", path, ": ",
                 !library.ok() ? library.status().message()
                 : table       ? "it belongs to another version of tensh"
                               : "it is not a plug-in of tensh");
    break;
  }
  return Unimplemented("grpc:// and serve need ", kPlugin,
                       why.empty() ? ", which is not installed" : why)
      .WithHint("build tensh with libgrpc++-dev and protobuf-compiler-grpc installed");
}

Result<const tensh_dist_plugin*> Plugin() {
  static const auto* loaded = new Result<const tensh_dist_plugin*>(Load());
  return *loaded;
}

// The certificates of tsh_use_tls.
class TlsFiles {
 public:
  void Set(const tsh_tls& files) {
    const auto text = [](const char* path) { return std::string(path ? path : ""); };
    std::lock_guard lock(mu_);
    // An earlier set may be in use by a connection that is being made, so it is kept.
    sets_.push_back({text(files.cert), text(files.key), text(files.ca)});
  }
  tensh_dist_tls Get() {
    std::lock_guard lock(mu_);
    if (sets_.empty()) return {"", "", ""};
    return {sets_.back().cert.c_str(), sets_.back().key.c_str(), sets_.back().ca.c_str()};
  }

 private:
  struct Paths {
    std::string cert, key, ca;
  };
  std::mutex mu_;
  std::deque<Paths> sets_;
};

TlsFiles& KnownTls() {
  static auto* files = new TlsFiles;
  return *files;
}

tsh_run ToRun(const std::vector<tsh_output>& feeds, std::span<const Tensor> values,
              const std::vector<tsh_output>& fetches) {
  tsh_run run{};
  run.feeds = feeds.data();
  run.n_feeds = feeds.size();
  run.values = reinterpret_cast<tsh_tensor* const*>(values.data());  // A Tensor is its own handle.
  run.fetches = fetches.data();
  run.n_fetches = fetches.size();
  return run;
}

std::vector<tsh_output> Outputs(std::span<const Output> outputs) {
  std::vector<tsh_output> list;
  for (const Output& o : outputs) list.push_back({Index(o.node), o.index});
  return list;
}

// A partial run on the server, which keeps the step and checks the feeds and fetches.
class RemotePartialRun : public PartialRun {
 public:
  RemotePartialRun(const tensh_dist_plugin& plugin, tensh_dist_remote* remote,
                   tensh_dist_partial* partial, size_t ends)
      : plugin_(plugin), remote_(remote), partial_(partial), left_(ends) {}
  ~RemotePartialRun() override { plugin_.free_partial(partial_); }

  Status Run(std::span<const Output> feeds, std::span<const Tensor> values,
             std::span<const Output> fetches, std::span<Tensor> fetched, int64_t timeout_ms,
             CancelFlag*) override {
    const auto ins = Outputs(feeds), outs = Outputs(fetches);
    tsh_run run = ToRun(ins, values, outs);
    run.timeout_ms = timeout_ms;
    tsh_status said;
    plugin_.run_partial(remote_, partial_, &run, reinterpret_cast<tsh_tensor**>(fetched.data()),
                        &said);
    Status status = std::move(said.status);
    // A refused call fails with InvalidArgument and changes nothing. A failed kernel may have the
    // same code, so the code alone does not tell the two apart.
    if (status.ok())
      left_ -= std::min<size_t>(left_, feeds.size() + fetches.size());
    else if (status.code() != Code::kInvalidArgument)
      left_ = 0;
    return status;
  }
  bool done() const override { return left_ == 0; }

 private:
  const tensh_dist_plugin& plugin_;
  tensh_dist_remote* const remote_;
  tensh_dist_partial* const partial_;
  std::atomic<size_t> left_;
};

class RemoteSession : public Session {
 public:
  RemoteSession(const tensh_dist_plugin& plugin, tensh_dist_remote* remote, Graph* graph,
                const std::string& target, bool soft_placement)
      : Session(NextId(), target),
        plugin_(plugin),
        remote_(remote),
        graph_(graph),
        stages_(*graph, soft_placement) {
    graph_->Ref();
    graph_->sessions.fetch_add(1);
    observer_ = graph_->AddObserver([this](uint32_t first) { stages_.Forget(first); });
  }
  ~RemoteSession() override {
    (void)Close();
    plugin_.free_remote(remote_);
  }

  Status Run(const RunRequest& request, std::span<const Tensor> values, std::span<Tensor> fetched,
             int64_t timeout_ms, RunTrace* trace) override {
    if (closed()) return FailedPrecondition("Attempted to use a closed Session.");
    auto feeds = Outputs(request.feeds), fetches = Outputs(request.fetches);
    std::vector<tsh_node> targets;
    for (NodeId n : request.targets) targets.push_back(Index(n));
    tsh_run run = ToRun(feeds, values, fetches);
    run.targets = targets.data();
    run.n_targets = targets.size();
    run.timeout_ms = timeout_ms;
    if (trace) return RunTraced(request, run, fetched, trace);
    tsh_status said;
    plugin_.run(remote_, &run, nullptr, reinterpret_cast<tsh_tensor**>(fetched.data()), &said);
    return std::move(said.status);
  }

  // Returns the stages as predicted here, corrected by what the server reported for earlier traced
  // steps.
  Result<Explained> Explain(const RunRequest& request) override {
    if (closed()) return FailedPrecondition("Attempted to use a closed Session.");
    TENSH_RETURN_IF_ERROR(LearnDevices());
    TENSH_ASSIGN(auto stages, stages_.Find(request));
    return Explained{std::move(stages), nullptr};
  }

  Result<std::unique_ptr<PartialRun>> SetUpPartial(const RunRequest& request) override {
    if (closed()) return FailedPrecondition("Attempted to use a closed Session.");
    const auto feeds = Outputs(request.feeds), fetches = Outputs(request.fetches);
    std::vector<tsh_node> targets;
    for (NodeId n : request.targets) targets.push_back(Index(n));
    tsh_run run = ToRun(feeds, {}, fetches);
    run.targets = targets.data();
    run.n_targets = targets.size();
    tsh_status said;
    tensh_dist_partial* made = plugin_.set_up_partial(remote_, &run, &said);
    if (!made) return std::move(said.status);
    return std::unique_ptr<PartialRun>(
        std::make_unique<RemotePartialRun>(plugin_, remote_, made, feeds.size() + fetches.size()));
  }
  Result<std::vector<DeviceInfo>> ListDevices() override {
    if (closed()) return std::vector<DeviceInfo>();
    std::vector<DeviceInfo> list;
    auto each = [](void* context, const tensh_dist_device* d) {
      static_cast<std::vector<DeviceInfo>*>(context)->push_back(
          {d->name, d->type, d->memory_limit, d->incarnation, d->description});
    };
    tsh_status said;
    plugin_.devices(remote_, each, &list, &said);
    TENSH_RETURN_IF_ERROR(std::move(said.status));
    return list;
  }

  void CancelSteps() override { plugin_.cancel(remote_); }
  Status Close() override {
    if (closed_.exchange(true)) return {};
    tsh_status said;
    plugin_.cancel(remote_);
    plugin_.close(remote_, &said);
    graph_->RemoveObserver(observer_);
    graph_->sessions.fetch_sub(1);
    graph_->Unref();
    return std::move(said.status);
  }
  bool closed() const override { return closed_; }
  Graph* graph() const override { return closed_ ? nullptr : graph_; }
  const DeviceMgr& devices() const override { return stages_.devices(); }
  ResourceTable& resources() override { return resources_; }

 private:
  Status LearnDevices() {
    if (stages_.has_devices()) return {};
    TENSH_ASSIGN(std::vector<DeviceInfo> devices, ListDevices());
    return stages_.SetDevices(devices);
  }
  Status RunTraced(const RunRequest& request, const tsh_run& run, std::span<Tensor> fetched,
                   RunTrace* trace) {
    // Checks that the step can be reported before it runs it.
    TENSH_RETURN_IF_ERROR(Explain(request).status());
    RemoteRecord record;
    const tensh_dist_trace table = record.table();
    tsh_status said;
    const int64_t begin = SteadyNs();
    plugin_.run(remote_, &run, &table, reinterpret_cast<tsh_tensor**>(fetched.data()), &said);
    TENSH_RETURN_IF_ERROR(std::move(said.status));
    record.wall_ns = SteadyNs() - begin;
    auto made = stages_.Trace(request, record);
    if (made.ok()) return *trace = *std::move(made), Status();
    for (Tensor& each : fetched) each = Tensor();
    return made.status();
  }

  const tensh_dist_plugin& plugin_;
  tensh_dist_remote* const remote_;
  Graph* const graph_;
  std::atomic<bool> closed_{false};
  RemoteStages stages_;
  uint64_t observer_ = 0;
  ResourceTable resources_;  // Always empty.
};

class RemoteSessionFactory : public SessionFactory {
 public:
  bool Accepts(const std::string& target) const override { return target.starts_with("grpc://"); }
  Result<std::unique_ptr<Session>> Create(Graph* graph, const std::string& target,
                                          const SessionConfig& config) override {
    TENSH_ASSIGN(const tensh_dist_plugin* plugin, Plugin());
    tensh_dist_options options{};
    auto cpus = config.device_count.find("CPU");
    options.cpus = cpus == config.device_count.end() ? 0 : cpus->second;
    options.soft_placement = config.allow_soft_placement;
    options.log_placement = config.log_device_placement;
    options.isolated = config.isolated;
    options.timeout_ms = config.operation_timeout_ms;
    options.tls = KnownTls().Get();
    std::vector<const char*> filters;
    for (const std::string& filter : config.device_filters) filters.push_back(filter.c_str());
    options.device_filters = filters.data();
    options.n_device_filters = filters.size();
    tsh_status said;
    tensh_dist_remote* remote =
        plugin->connect(reinterpret_cast<tsh_graph*>(graph), target.c_str(), &options, &said);
    if (!remote) return std::move(said.status);
    return std::unique_ptr<Session>(
        new RemoteSession(*plugin, remote, graph, target, config.allow_soft_placement));
  }
};

}  // namespace

namespace tensh::api {

std::unique_ptr<SessionFactory> MakeRemoteSessionFactory() {
  return std::make_unique<RemoteSessionFactory>();
}

}  // namespace tensh::api

int tsh_use_tls(const tsh_tls* given, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    Sized<tsh_tls> files;
    TENSH_RETURN_IF_ERROR(files.Read(given));
    KnownTls().Set(*files);
    return {};
  });
}

tsh_server* tsh_server_new(const tsh_server_options* given, tsh_status* status) {
  tsh_server* made = nullptr;
  Guard(status, [&]() -> Status {
    Sized<tsh_server_options> o;
    TENSH_RETURN_IF_ERROR(o.Read(given));
    if (o->port < -1 || o->port > 65535)
      return InvalidArgument("port ", o->port,
                             " is not a port number: expected 0 (any free port) to 65535");
    TENSH_ASSIGN(const tensh_dist_plugin* plugin, Plugin());
    auto server = std::make_unique<tsh_server>();
    tsh_status said;
    int bound = 0;
    server->plugin = plugin;
    const tensh_dist_tls known = KnownTls().Get();
    const tensh_dist_serve options{
        o->host && *o->host ? o->host : "127.0.0.1",
        o->port,
        o->cluster ? o->cluster : "",
        o->job ? o->job : "",
        o->task,
        o->config ? o->config : "",
        {o->tls_cert ? o->tls_cert : known.cert, o->tls_key ? o->tls_key : known.key,
         o->tls_ca ? o->tls_ca : known.ca},
        o->max_sessions,
        o->max_step_ms,
        o->session_memory,
        o->idle_session_ms,
        o->max_nodes,
        o->max_steps,
        o->memory,
        o->deny_ops ? o->deny_ops : "",
        o->task_timeout_ms,
        o->max_step_cpu_ms};
    server->server = plugin->serve(&options, &bound, &said);
    if (!server->server) return std::move(said.status);
    server->port = bound;
    made = server.release();
    return {};
  });
  return made;
}

int tsh_server_reset(const char* target, const char* const* containers, size_t n_containers,
                     tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(target);
    if (n_containers > 0) TENSH_NEED(containers);
    for (size_t i = 0; i < n_containers; ++i) TENSH_NEED(containers[i]);
    TENSH_ASSIGN(const tensh_dist_plugin* plugin, Plugin());
    tensh_dist_options options{};
    options.tls = KnownTls().Get();
    tsh_status said;
    (void)plugin->reset(target, containers, n_containers, &options, &said);
    return std::move(said.status);
  });
}

int tsh_server_port(const tsh_server* s) { return s ? s->port : 0; }
void tsh_server_free(tsh_server* s) {
  if (!s) return;
  s->plugin->free_server(s->server);
  delete s;
}
