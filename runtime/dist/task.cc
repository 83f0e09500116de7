#include "runtime/dist/task.h"

#include <grpcpp/grpcpp.h>

#include "runtime/dist/step_exchange.h"
#include "runtime/dist/threads.h"
#include "runtime/dist/wire/messages.h"

namespace tensh::dist {
namespace {

constexpr int64_t kCallMs = 30'000;  // Limit for calls that should be answered immediately.
constexpr int64_t kCleanupMs = 5'000;

std::chrono::system_clock::time_point After(int64_t ms) {
  return std::chrono::system_clock::now() + std::chrono::milliseconds(ms);
}

Status ExportAll(tsh_graph* graph, std::string* bytes) {
  const auto n = static_cast<tsh_node>(tsh_graph_size(graph));
  return ExportGraph(
      graph, 0, n, [&](tsh_node i) { return tsh_node_name(graph, i); }, bytes);
}

class OwnTask : public Task {
 public:
  explicit OwnTask(Worker* worker) : worker_(*worker), keep_(worker->weak_from_this().lock()) {}
  const std::string& name() const override { return worker_.name(); }
  Status GetStatus(int64_t, tensorflow::GetStatusResponse* response) override {
    worker_.GetStatus(response);
    return {};
  }
  Status CreateSession(const std::string& handle, bool isolated, const Worker&) override {
    tensorflow::CreateWorkerSessionRequest request;
    request.set_session_handle(handle);
    request.set_isolate_session_state(isolated);
    return worker_.CreateSession(request);
  }
  void DeleteSession(const std::string& handle) override { worker_.DeleteSession(handle); }
  Status CleanupAll(const std::vector<std::string>& containers) override {
    worker_.CleanupAll(containers);
    return {};
  }
  Status Register(const std::string& session, tsh_graph* graph, const StepLimits&,
                  std::string* handle) override {
    tsh_graph_ref(graph);
    return worker_.RegisterGraph(session, GraphPtr(graph), handle);
  }
  void Deregister(const std::string& session, const std::string& graph) override {
    (void)worker_.DeregisterGraph(session, graph);
  }
  void Run(PartRun run, tsh_cancel* cancel, Done done) override {
    auto shared = std::make_shared<PartRun>(std::move(run));
    RunOnThread([this, shared, cancel, done = std::move(done)] {
      PartResult result;
      Status status = worker_.Run(std::move(*shared), cancel, &result);
      done(std::move(status), std::move(result));
    });
  }
  void Cleanup(int64_t step) override { worker_.CleanupGraph(step); }
  void Probe(std::chrono::steady_clock::time_point, std::function<void(bool)> done) override {
    done(true);
  }
  std::chrono::milliseconds probe_period() const override { return std::chrono::seconds(5); }

 private:
  Worker& worker_;
  const std::shared_ptr<Worker> keep_;  // Null for a worker that outlives all sessions.
};

class OtherTask : public Task {
 public:
  OtherTask(std::string name, std::shared_ptr<tensorflow::WorkerService::Stub> stub,
            std::shared_ptr<Liveness> liveness)
      : name_(std::move(name)), stub_(std::move(stub)), liveness_(std::move(liveness)) {}
  const std::string& name() const override { return name_; }

  Status GetStatus(int64_t timeout_ms, tensorflow::GetStatusResponse* response) override {
    grpc::ClientContext context;
    context.set_deadline(After(timeout_ms));
    context.set_wait_for_ready(true);
    return FromGrpc(stub_->GetStatus(&context, {}, response), name_);
  }
  Status CreateSession(const std::string& handle, bool isolated, const Worker& master) override {
    tensorflow::CreateWorkerSessionRequest request;
    tensorflow::CreateWorkerSessionResponse response;
    const size_t job = name_.find("/job:") + 5, task = name_.rfind(':') + 1;
    request.set_session_handle(handle);
    request.set_isolate_session_state(isolated);
    request.mutable_server_def()->set_job_name(name_.substr(job, name_.find('/', job) - job));
    request.mutable_server_def()->set_task_index(std::atoi(name_.c_str() + task));
    request.mutable_server_def()->set_protocol("grpc");
    if (master.is_renamed())
      for (const auto& [name, tasks] : master.cluster().jobs()) {
        auto* job_def = request.mutable_server_def()->mutable_cluster()->add_job();
        job_def->set_name(name);
        for (const auto& [index, address] : tasks) (*job_def->mutable_tasks())[index] = address;
      }
    request.set_master_task(master.name());
    request.set_master_incarnation(master.incarnation());
    grpc::ClientContext context;
    context.set_deadline(After(kCallMs));
    return FromGrpc(stub_->CreateWorkerSession(&context, request, &response), name_);
  }
  void DeleteSession(const std::string& handle) override {
    tensorflow::DeleteWorkerSessionRequest request;
    tensorflow::DeleteWorkerSessionResponse response;
    request.set_session_handle(handle);
    grpc::ClientContext context;
    context.set_deadline(After(2000));  // A task that is gone must not delay closing.
    (void)stub_->DeleteWorkerSession(&context, request, &response);
  }
  Status CleanupAll(const std::vector<std::string>& containers) override {
    tensorflow::CleanupAllRequest request;
    tensorflow::CleanupAllResponse response;
    request.mutable_container()->Assign(containers.begin(), containers.end());
    grpc::ClientContext context;
    context.set_deadline(After(kCleanupMs));
    return Named(FromGrpc(stub_->CleanupAll(&context, request, &response), name_));
  }
  Status Register(const std::string& session, tsh_graph* graph, const StepLimits& limits,
                  std::string* handle) override {
    auto call = std::make_shared<
        Call<tensorflow::RegisterGraphRequest, tensorflow::RegisterGraphResponse>>();
    call->request.set_session_handle(session);
    call->request.set_create_worker_session_called(true);
    TENSH_RETURN_IF_ERROR(ExportAll(graph, call->request.mutable_graph_def()));
    auto answer = std::make_shared<Answer>();
    stub_->async()->RegisterGraph(&call->context, &call->request, &call->response,
                                  [call, answer, stub = stub_](const grpc::Status& said) {
                                    std::lock_guard lock(answer->mu);
                                    answer->ended = true;
                                    answer->status = said;
                                    answer->changed.notify_all();
                                  });
    if (Status status = WaitFor(answer, limits); !status.ok()) {
      call->context.TryCancel();
      return status;
    }
    TENSH_RETURN_IF_ERROR(Named(FromGrpc(answer->status, name_)));
    *handle = call->response.graph_handle();
    return {};
  }
  void Deregister(const std::string& session, const std::string& graph) override {
    auto call = std::make_shared<
        Call<tensorflow::DeregisterGraphRequest, tensorflow::DeregisterGraphResponse>>();
    call->request.set_session_handle(session);
    call->request.set_graph_handle(graph);
    call->request.set_create_worker_session_called(true);
    call->context.set_deadline(After(kCallMs));
    stub_->async()->DeregisterGraph(&call->context, &call->request, &call->response,
                                    [call, stub = stub_](const grpc::Status&) {});
  }

  void Run(PartRun run, tsh_cancel* cancel, Done done) override {
    auto call = std::make_shared<RunCall>();
    Status status = Fill(std::move(run), &call->request);
    if (!status.ok()) return done(std::move(status), {});
    call->done = std::move(done);
    // TryCancel may end the call immediately, which frees the watch; hence the other thread.
    call->watch.reset(tsh_cancel_watch_new(
        cancel,
        [](void* c) {
          RunOnThread(
              [call = static_cast<RunCall*>(c)->shared_from_this()] { call->context.TryCancel(); });
        },
        call.get()));
    stub_->async()->RunGraph(&call->context, &call->request, &call->response,
                             [this, call, stub = stub_](const grpc::Status& said) {
                               call->watch.reset();
                               PartResult result;
                               Status status = Take(said, call->response, &result);
                               call->done(std::move(status), std::move(result));
                             });
  }
  void Cleanup(int64_t step) override {
    auto call =
        std::make_shared<Call<tensorflow::CleanupGraphRequest, tensorflow::CleanupGraphResponse>>();
    call->request.set_step_id(step);
    call->context.set_deadline(After(kCallMs));
    stub_->async()->CleanupGraph(&call->context, &call->request, &call->response,
                                 [call, stub = stub_](const grpc::Status&) {});
  }
  void Probe(std::chrono::steady_clock::time_point since, std::function<void(bool)> done) override {
    liveness_->Ask(since, std::move(done));
  }
  std::chrono::milliseconds probe_period() const override { return liveness_->period(); }

 private:
  template <class Request, class Response>
  struct Call {
    grpc::ClientContext context;
    Request request;
    Response response;
  };
  // The answer to a call that another thread waits for.
  struct Answer {
    std::mutex mu;
    std::condition_variable changed;
    bool ended = false, lost = false, cancelled = false;  // guarded by mu
    grpc::Status status;                                  // set before `ended`
  };
  // Waits for the answer as long as the task answers probes, within the limits.
  Status WaitFor(const std::shared_ptr<Answer>& answer, const StepLimits& limits) {
    WatchPtr watch;
    if (limits.cancel)
      watch.reset(tsh_cancel_watch_new(
          limits.cancel,
          [](void* a) {
            std::lock_guard lock(static_cast<Answer*>(a)->mu);
            static_cast<Answer*>(a)->cancelled = true;
            static_cast<Answer*>(a)->changed.notify_all();
          },
          answer.get()));
    Status status = WaitUntil(answer, limits.until());
    watch.reset();
    return status;
  }
  Status WaitUntil(const std::shared_ptr<Answer>& answer,
                   std::chrono::steady_clock::time_point until) {
    using Clock = std::chrono::steady_clock;
    const auto begun = Clock::now();
    auto probe = begun + probe_period();
    std::unique_lock lock(answer->mu);
    for (;;) {
      answer->changed.wait_until(lock, std::min(probe, until), [&] {
        return answer->ended || answer->lost || answer->cancelled;
      });
      if (answer->ended) return {};
      if (answer->cancelled) return Cancelled("the step was cancelled");
      if (answer->lost) return Unavailable("the task ", name_, " no longer answers");
      if (Clock::now() >= until)
        return DeadlineExceeded("the task ", name_,
                                " did not register its part of the step in time");
      probe = Clock::now() + probe_period();
      lock.unlock();
      Probe(begun, [answer](bool alive) {
        if (alive) return;
        std::lock_guard lost_lock(answer->mu);
        answer->lost = true;
        answer->changed.notify_all();
      });
      lock.lock();
    }
  }
  struct RunCall : Call<tensorflow::RunGraphRequest, tensorflow::RunGraphResponse>,
                   std::enable_shared_from_this<RunCall> {
    Done done;
    WatchPtr watch;
  };

  // Adds the origin of an error like TensorFlow's master, unless the task has passed on the error of
  // another one. TensorFlow's workers say so only in the text.
  Status Named(Status status) const {
    if (status.ok() || status.message().starts_with("From /job:")) return status;
    return Status(status.code(), StrCat("From ", name_, ":\n", status.message()))
        .WithReason(status.reason());
  }

  static Status Fill(PartRun run, tensorflow::RunGraphRequest* request) {
    request->set_session_handle(run.session);
    request->set_graph_handle(run.graph);
    request->set_create_worker_session_called(true);
    request->set_step_id(run.step);
    request->set_request_id(run.request_id);
    request->set_store_errors_in_response_body(true);
    request->mutable_exec_opts()->set_record_timeline(run.trace);
    request->set_is_partial(run.partial);
    request->set_is_last_partial_run(run.last);
    for (auto& [key, value] : run.send) {
      auto* fed = request->add_send();
      fed->set_name(key);
      TENSH_RETURN_IF_ERROR(EncodeTensor(value.get(), fed->mutable_tensor()));
    }
    for (std::string& key : run.receive) request->add_recv_key(std::move(key));
    return {};
  }

  Status Take(const grpc::Status& said, tensorflow::RunGraphResponse& response,
              PartResult* result) const {
    TENSH_RETURN_IF_ERROR(FromGrpc(said, name_));
    if (response.status_code())
      return Named(
          PeerError(static_cast<int>(response.status_code()), response.status_error_message()));
    for (const auto& received : response.recv()) {
      TENSH_ASSIGN(TensorPtr value, DecodeTensor(received.tensor()));
      result->names.push_back(received.name());
      result->received.push_back(std::move(value));
    }
    result->stats = std::move(*response.mutable_step_stats());
    return {};
  }

  const std::string name_;
  const std::shared_ptr<tensorflow::WorkerService::Stub> stub_;
  const std::shared_ptr<Liveness> liveness_;
};

}  // namespace

std::unique_ptr<Task> MakeOwnTask(Worker* worker) { return std::make_unique<OwnTask>(worker); }

Result<std::unique_ptr<Task>> MakeOtherTask(Cluster* cluster, const std::string& name) {
  TENSH_ASSIGN(auto stub, cluster->Stub(name));
  TENSH_ASSIGN(auto liveness, cluster->LivenessOf(name));
  return std::unique_ptr<Task>(
      std::make_unique<OtherTask>(name, std::move(stub), std::move(liveness)));
}

}  // namespace tensh::dist
