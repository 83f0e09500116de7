#include "runtime/dist/cluster_session.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "runtime/dist/cluster_step.h"
#include "runtime/dist/partition_graphs.h"
#include "runtime/dist/step_exchange.h"

namespace tensh::dist {
namespace {

constexpr auto kListing = std::chrono::seconds(1);  // The longest wait for tasks in ListDevices.

bool LostCode(Code code) { return code == Code::kAborted || code == Code::kUnavailable; }

}  // namespace

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
      // Inserts the replica that "/job:worker/task:1" omits.
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
      return Unavailable("the task ", task.name(), " at ", worker_.cluster().AddressOf(task.name()),
                         " does not answer")
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
    if (!answer.ok()) {  // Runs that do not need the task continue to work.
      for (const auto& d : known)
        if (TaskOf(d.name()) == name) devices.push_back(d);
      incarnations[name] = 0;
      continue;
    }
    auto& list = *answer->mutable_device_attributes();
    if (worker_.is_renamed())  // The tasks have other names in their own clusters.
      for (auto& d : list) d.set_name(name + d.name().substr(TaskOf(d.name()).size()));
    for (const auto& d : list) {
      if (TaskOf(d.name()) != name)
        return InvalidArgument("the task at ", worker_.cluster().AddressOf(name), " is ",
                               TaskOf(d.name()), " and not ", name, ": the clusters differ");
    }
    // The default device is the first one, which belongs to this task.
    devices.insert(name == worker_.name() ? devices.begin() : devices.end(), list.begin(),
                   list.end());
    incarnations[name] = list.empty() ? 0 : list[0].incarnation();
  }
  std::vector<tsh_device> rows;
  for (const auto& d : devices)
    if (d.device_type() == "CPU")
      rows.push_back(
          {d.name().c_str(), d.device_type().c_str(), d.memory_limit(), d.incarnation()});
  std::lock_guard lock(mu_);
  for (auto& [name, task] : tasks_)
    if (!again || (incarnations[name] && incarnations_[name] != incarnations[name]))
      TENSH_RETURN_IF_ERROR(task->CreateSession(options_.handle, options_.isolated, worker_));
  Said said;
  cutter_.reset(tsh_cutter_new(graph_, rows.data(), rows.size(), options_.config.c_str(), said),
                Release());
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

Result<ClusterSession::CuttingRef> ClusterSession::Cut(const tsh_run& run,
                                                       const StepLimits& limits) {
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
    Status status = made->parts[p].task->Register(options_.handle, tsh_cut_graph(cut.get(), p),
                                                  limits, &made->parts[p].graph);
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
  auto step = std::make_shared<Step>(cutting, RandomId());
  for (size_t p = 0; p < cutting->parts.size(); ++p) {
    PartRun& run = step->Add(p);
    run.trace = trace;
    for (const auto& [index, key] : cutting->parts[p].feeds)
      run.send.emplace_back(key, TensorPtr(tsh_tensor_ref(values[index].get())));
    // A value that is fetched twice is sent once.
    for (const auto& [index, key] : cutting->parts[p].fetches)
      if (std::find(run.receive.begin(), run.receive.end(), key) == run.receive.end())
        run.receive.push_back(key);
  }
  TENSH_RETURN_IF_ERROR(RunIn(*step, limits, true));
  step->TakeFetched(fetched);
  step->TakeStats(stats);
  for (const auto& part : cutting->parts)
    for (const auto& [index, key] : part.fetches)
      if (!(*fetched)[index])
        return Internal("the task ", part.task->name(), " returned no value for ", key);
  return {};
}

Status ClusterSession::RunIn(Step& step, const StepLimits& limits, bool ends) {
  {
    std::lock_guard lock(mu_);
    if (closed_) return Cancelled("the session is closed");
    steps_.insert(&step);
  }
  Status status = step.Run(limits);
  if (ends || !status.ok()) step.Cleanup();
  std::lock_guard lock(mu_);
  steps_.erase(&step);
  idle_.notify_all();
  lost_ |= !status.ok() && LostCode(status.code());
  return status;
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

std::vector<tensorflow::DeviceAttributes> ClusterSession::ListDevices() {
  struct Answers {
    std::mutex mu;
    std::condition_variable changed;
    size_t ended = 0;
    std::set<std::string> tasks;  // Those that answered.
  };
  const auto answers = std::make_shared<Answers>();
  for (const auto& [name, task] : tasks_)
    task->Probe(std::chrono::steady_clock::now(), [answers, name = name](bool answered) {
      std::lock_guard lock(answers->mu);
      if (answered) answers->tasks.insert(name);
      ++answers->ended;
      answers->changed.notify_all();
    });
  std::unique_lock lock(answers->mu);
  answers->changed.wait_for(lock, kListing, [&] { return answers->ended == tasks_.size(); });
  std::vector<tensorflow::DeviceAttributes> list = devices();
  for (tensorflow::DeviceAttributes& d : list)
    if (!answers->tasks.count(std::string(TaskOf(d.name())))) d.set_incarnation(0);
  return list;
}

void ClusterSession::Close() {
  {
    std::unique_lock lock(mu_);
    if (closed_) return;
    closed_ = true;
    for (Step* step : steps_)
      step->GiveUp(
          "Step was cancelled by an explicit call to "
          "`Session::Close()`.");
    idle_.wait(lock, [&] { return steps_.empty(); });
  }
  for (auto& [name, task] : tasks_) task->DeleteSession(options_.handle);
}

}  // namespace tensh::dist
