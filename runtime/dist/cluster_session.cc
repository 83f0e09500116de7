#include "runtime/dist/cluster_session.h"

#include <algorithm>
#include <cstdio>

#include "runtime/dist/partition_graphs.h"
#include "runtime/dist/step_exchange.h"

namespace tensh::dist {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kProbeEvery = std::chrono::seconds(5);

constexpr char kCancelled[] = "the step was cancelled";

bool LostCode(Code code) { return code == Code::kAborted || code == Code::kUnavailable; }

}  // namespace

struct ClusterSession::Cutting {
  struct Part {
    std::shared_ptr<Task> task;
    std::string graph;  // its handle there
    std::vector<std::pair<size_t, std::string>> feeds, fetches;  // index, key
  };
  std::string session;
  std::vector<Part> parts;
  ~Cutting() {
    for (Part& part : parts)
      if (!part.graph.empty()) part.task->Deregister(session, part.graph);
  }
};

// One step: every part at once, and whoever fails first ends the others. Shared with the calls in
// flight, which may outlive the wait for them by a moment.
class ClusterSession::Step : public std::enable_shared_from_this<Step> {
 public:
  explicit Step(const Cutting& cutting)
      : cutting_(cutting), results_(cutting.parts.size()), running_(cutting.parts.size()) {
    ended_.resize(running_);
  }

  Status Run(const std::vector<TensorPtr>& values, const StepLimits& limits, bool trace) {
    Clock::time_point until = Clock::time_point::max();
    if (limits.timeout_ms > 0)
      until = Clock::now() + std::chrono::milliseconds(std::min(limits.timeout_ms, int64_t{1} << 40));
    WatchPtr watch;
    if (limits.cancel)
      watch.reset(tsh_cancel_watch_new(
          limits.cancel, [](void* self) { static_cast<Step*>(self)->GiveUp(kCancelled); }, this));
    const int64_t id = RandomId();
    for (size_t p = 0; p < cutting_.parts.size(); ++p) Start(p, id, values, trace);
    Wait(until);
    watch.reset();
    for (const auto& part : cutting_.parts) part.task->Cleanup(id);
    std::lock_guard lock(mu_);
    return status_;
  }
  void GiveUp(const char* why) {
    std::lock_guard lock(mu_);
    if (status_.ok()) status_ = Cancelled(why);
    given_up_ = true;
    changed_.notify_all();
  }
  std::vector<PartResult>& results() { return results_; }
  void Keep(CuttingRef cutting) { kept_ = std::move(cutting); }

 private:
  void Start(size_t p, int64_t id, const std::vector<TensorPtr>& values, bool trace) {
    const Cutting::Part& part = cutting_.parts[p];
    PartRun run{.session = cutting_.session,
                .graph = part.graph,
                .step = id,
                .request_id = RandomId(),
                .trace = trace,
                .send = {},
                .receive = {}};
    for (const auto& [index, key] : part.feeds)
      run.send.emplace_back(key, TensorPtr(tsh_tensor_ref(values[index].get())));
    for (const auto& [index, key] : part.fetches) run.receive.push_back(key);
    part.task->Run(std::move(run), cancel_.get(),
                   [self = shared_from_this(), p](Status status, PartResult result) {
                     self->Ended(p, std::move(status), std::move(result));
                   });
  }

  void Ended(size_t p, Status status, PartResult result) {
    std::lock_guard lock(mu_);
    if (status.ok()) results_[p] = std::move(result);
    // What a part says about another one's failure counts less than that failure.
    const bool better = !status.ok() && (status_.ok() || (derived_ && !Derived(status)));
    if (better && !given_up_) {
      derived_ = Derived(status);
      status_ = std::move(status);
    }
    ended_[p] = true;
    --running_;
    changed_.notify_all();
  }
  static bool Derived(const Status& s) {
    return s.code() == Code::kAborted || s.code() == Code::kCancelled ||
           s.code() == Code::kUnavailable;
  }

  void Wait(Clock::time_point until) {
    std::unique_lock lock(mu_);
    Clock::time_point probe = Clock::now() + kProbeEvery;
    bool cancelled = false;
    while (running_ > 0) {
      if (!status_.ok() && !cancelled) {
        cancelled = true;
        lock.unlock();
        tsh_cancel_set(cancel_.get());
        lock.lock();
        continue;
      }
      changed_.wait_until(lock, cancelled ? probe : std::min(until, probe));
      if (running_ == 0 || cancelled) {
        if (cancelled && Clock::now() >= probe) return;  // who does not answer is left behind
        continue;
      }
      if (Clock::now() >= until && status_.ok()) {
        status_ = DeadlineExceeded("Timed out waiting for notification");
        given_up_ = true;
      } else if (Clock::now() >= probe) {
        probe = Clock::now() + kProbeEvery;
        lock.unlock();
        ProbeAll();
        lock.lock();
      }
    }
  }

  void ProbeAll() {
    for (size_t p = 0; p < cutting_.parts.size(); ++p) {
      {
        std::lock_guard lock(mu_);
        if (ended_[p]) continue;
      }
      const auto& task = cutting_.parts[p].task;
      task->Probe([self = shared_from_this(), p, name = task->name()](bool answers) {
        if (answers) return;
        std::lock_guard lock(self->mu_);
        if (self->ended_[p] || self->given_up_) return;
        if (self->status_.ok())
          self->status_ = Unavailable("the task ", name, " does not answer any more");
        self->given_up_ = true;
        self->changed_.notify_all();
      });
    }
  }

  const Cutting& cutting_;
  CuttingRef kept_;
  const CancelPtr cancel_{tsh_cancel_new()};
  std::mutex mu_;
  std::condition_variable changed_;
  Status status_;
  bool derived_ = false, given_up_ = false;
  std::vector<PartResult> results_;
  size_t running_;
  std::vector<bool> ended_;
};

Result<std::unique_ptr<ClusterSession>> ClusterSession::Create(tsh_graph* graph, Worker* worker,
                                                               Options options) {
  std::unique_ptr<ClusterSession> made(new ClusterSession(graph, worker, std::move(options)));
  TENSH_RETURN_IF_ERROR(made->MakeTasks());
  TENSH_RETURN_IF_ERROR(made->Join(made->options_.timeout_ms));
  return made;
}

Status ClusterSession::MakeTasks() {
  tasks_[worker_.name()] = MakeOwnTask(&worker_);
  for (const std::string& name : worker_.cluster().TaskNames()) {
    const auto wanted = [&](const std::string& filter) {
      return name.find(filter) == 0 && (name.size() == filter.size() || name[filter.size()] == '/');
    };
    std::vector<std::string> filters;
    for (std::string filter : options_.filters) {
      // "/job:ps" and "/job:worker/task:1" of what has the replica between them.
      const size_t task = filter.find("/task:");
      if (task != filter.npos && filter.find("/replica:") == filter.npos)
        filter.insert(task, "/replica:0");
      filters.push_back(std::move(filter));
    }
    if (name == worker_.name()) continue;
    if (!filters.empty() && std::none_of(filters.begin(), filters.end(), wanted)) continue;
    TENSH_ASSIGN(tasks_[name], MakeOtherTask(&worker_.cluster(), name));
  }
  return {};
}

Result<tensorflow::GetStatusResponse> ClusterSession::WaitFor(Task& task, int64_t timeout_ms) {
  tensorflow::GetStatusResponse response;
  for (int64_t waited = 0;;) {
    const int64_t slice = timeout_ms > 0 ? std::min<int64_t>(1000, timeout_ms - waited) : 1000;
    Status status = task.GetStatus(std::max<int64_t>(slice, 1), &response);
    if (status.ok()) return response;
    if (status.code() != Code::kDeadlineExceeded && status.code() != Code::kUnavailable)
      return status;
    waited += slice;
    const bool over = timeout_ms > 0 && waited >= timeout_ms;
    if (over || (options_.given_up && options_.given_up()))
      return Unavailable("the task ", task.name(), " at ",
                         worker_.cluster().AddressOf(task.name()), " does not answer")
          .WithHint("start it, or leave it out: tf.ConfigProto(device_filters=…)");
    if (waited % 10'000 == 0)
      std::fprintf(stderr, "tensh: CreateSession still waiting for response from worker: %s\n",
                   task.name().c_str());
  }
}

Status ClusterSession::Join(int64_t timeout_ms) {
  const auto known = this->devices();
  const bool again = !known.empty();
  std::vector<tensorflow::DeviceAttributes> devices;
  std::map<std::string, uint64_t> incarnations;
  for (auto& [name, task] : tasks_) {
    auto answer = WaitFor(*task, timeout_ms);
    if (!answer.ok() && !again) return answer.status();
    if (!answer.ok()) {  // what does not need the task goes on
      for (const auto& d : known)
        if (TaskOf(d.name()) == name) devices.push_back(d);
      incarnations[name] = 0;
      continue;
    }
    const auto& list = answer->device_attributes();
    for (const auto& d : list) {
      if (TaskOf(d.name()) != name)
        return InvalidArgument("the task at ", worker_.cluster().AddressOf(name), " is ",
                               TaskOf(d.name()), " and not ", name, ": the clusters differ");
    }
    // The default device is the first: this task's own.
    devices.insert(name == worker_.name() ? devices.begin() : devices.end(), list.begin(),
                   list.end());
    incarnations[name] = list.empty() ? 0 : list[0].incarnation();
  }
  std::vector<tsh_device> rows;
  for (const auto& d : devices)
    if (d.device_type() == "CPU")
      rows.push_back({d.name().c_str(), d.device_type().c_str(), d.memory_limit(), d.incarnation()});
  std::lock_guard lock(mu_);
  for (auto& [name, task] : tasks_)
    if (!again || (incarnations[name] && incarnations_[name] != incarnations[name]))
      TENSH_RETURN_IF_ERROR(task->CreateSession(options_.handle, options_.isolated, worker_));
  Said said;
  cutter_.reset(tsh_cutter_new(graph_, rows.data(), rows.size(), options_.config.c_str(), said),
                Free());
  if (!cutter_) return said.Take();
  devices_ = std::move(devices);
  incarnations_ = std::move(incarnations);
  lost_ = false;
  return {};
}

bool ClusterSession::lost() {
  std::lock_guard lock(mu_);
  return lost_;
}

Result<ClusterSession::CuttingRef> ClusterSession::Cut(const tsh_run& run) {
  if (lost()) TENSH_RETURN_IF_ERROR(Join(1000));
  std::shared_ptr<tsh_cutter> cutter;
  {
    std::lock_guard lock(mu_);
    if (closed_) return Cancelled("the session is closed");
    cutter = cutter_;
  }
  Said said;
  const CutPtr cut(tsh_cutter_cut(cutter.get(), &run, said));
  if (!cut) return said.Take();
  auto made = std::make_shared<Cutting>();
  made->session = options_.handle;
  for (size_t p = 0; p < tsh_cut_size(cut.get()); ++p)
    made->parts.push_back({tasks_.at(tsh_cut_task(cut.get(), p)), "", {}, {}});
  size_t n = 0;
  const tsh_cut_end* ends = tsh_cut_feeds(cut.get(), &n);
  for (size_t i = 0; i < n; ++i)
    made->parts[ends[i].part].feeds.emplace_back(ends[i].index, ends[i].key);
  ends = tsh_cut_fetches(cut.get(), &n);
  for (size_t i = 0; i < n; ++i)
    made->parts[ends[i].part].fetches.emplace_back(ends[i].index, ends[i].key);
  for (size_t p = 0; p < made->parts.size(); ++p) {
    Status status = made->parts[p].task->Register(
        options_.handle, tsh_cut_graph(cut.get(), p), &made->parts[p].graph);
    if (!status.ok()) {
      std::lock_guard lock(mu_);
      lost_ |= LostCode(status.code());
      return status;
    }
  }
  return made;
}

Status ClusterSession::Run(const CuttingRef& cutting, const std::vector<TensorPtr>& values,
                           const StepLimits& limits, bool trace, std::vector<TensorPtr>* fetched,
                           tensorflow::StepStats* stats) {
  auto step = std::make_shared<Step>(*cutting);
  step->Keep(cutting);
  {
    std::lock_guard lock(mu_);
    if (closed_) return Cancelled("the session is closed");
    steps_.insert(step.get());
  }
  Status status = step->Run(values, limits, trace);
  {
    std::lock_guard lock(mu_);
    steps_.erase(step.get());
    idle_.notify_all();
    lost_ |= !status.ok() && LostCode(status.code());
  }
  TENSH_RETURN_IF_ERROR(std::move(status));
  for (size_t p = 0; p < cutting->parts.size(); ++p) {
    PartResult& result = step->results()[p];
    for (const auto& [index, key] : cutting->parts[p].fetches) {
      size_t at = 0;
      while (at < result.names.size() && result.names[at] != key) ++at;
      if (at >= result.received.size() || !result.received[at])
        return Internal("the task ", cutting->parts[p].task->name(), " gave no value for ", key);
      (*fetched)[index].reset(tsh_tensor_ref(result.received[at].get()));
    }
    stats->MergeFrom(result.stats);
  }
  return {};
}

Status ClusterSession::TellPartitions(const tsh_run& run, tensorflow::RunMetadata* metadata) {
  std::shared_ptr<tsh_cutter> cutter;
  {
    std::lock_guard lock(mu_);
    cutter = cutter_;
  }
  return dist::TellPartitions(cutter.get(), run, metadata);
}

std::vector<tensorflow::DeviceAttributes> ClusterSession::devices() {
  std::lock_guard lock(mu_);
  return devices_;
}

void ClusterSession::Close() {
  {
    std::unique_lock lock(mu_);
    if (closed_) return;
    closed_ = true;
    for (Step* step : steps_) step->GiveUp("Step was cancelled by an explicit call to "
                                           "`Session::Close()`.");
    idle_.wait(lock, [&] { return steps_.empty(); });
  }
  for (auto& [name, task] : tasks_) task->DeleteSession(options_.handle);
}

}  // namespace tensh::dist
