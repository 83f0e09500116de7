// Random programs that are partitioned by task. The partitions run in threads and exchange only
// keyed values. The results must equal those of the reference interpreter, and no partition may
// wait forever.
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "devices/cpu/cpu_device.h"
#include "runtime/api/named_devices.h"
#include "runtime/exec/compile/cut.h"
#include "runtime/exec/loop_keys.h"
#include "runtime/exec/step.h"
#include "tests/support/reference.h"
#include "tests/unit/exec/random_program.h"

namespace tensh {
namespace {

constexpr int kTasks = 3;

// The values of a step, shared by all its partitions.
class Table : public Exchange {
 public:
  Status Send(const std::string& key, const Tensor& value) override {
    Done waiter;
    {
      std::lock_guard lock(mu_);
      Entry& entry = entries_[key];
      if (entry.sent) return Aborted("Duplicated send: ", key);
      entry.sent = true;
      entry.value = value;
      waiter = std::move(entry.waiter);
    }
    if (waiter) waiter({}, value);
    return {};
  }
  void Receive(const std::string& key, Done done) override {
    Tensor value;
    {
      std::lock_guard lock(mu_);
      Entry& entry = entries_[key];
      if (!entry.sent && why_.ok()) {
        entry.waiter = std::move(done);
        return;
      }
      value = entry.value;
    }
    done(why_, value);
  }
  void Abort(const Status& why) override {
    std::vector<Done> waiters;
    {
      std::lock_guard lock(mu_);
      why_ = why;
      for (auto& [key, entry] : entries_)
        if (!entry.sent && entry.waiter) waiters.push_back(std::move(entry.waiter));
    }
    for (Done& waiter : waiters) waiter(why, Tensor());
  }
  Tensor Sent(const std::string& key) { return entries_[key].value; }

 private:
  struct Entry {
    bool sent = false;
    Tensor value;
    Done waiter;
  };
  std::mutex mu_;
  std::map<std::string, Entry> entries_;
  Status why_;
};

struct Task {
  std::unique_ptr<DeviceMgr> devices;
  ResourceTable resources;
};

class Cluster {
 public:
  explicit Cluster(int cpus) : tasks_(kTasks) {
    RegisterDevice_cpu(registry_);
    for (int t = 0; t < kTasks; ++t) {
      DeviceOptions options{.device_count = {{"CPU", cpus}}, .job = "w", .task = t};
      tasks_[static_cast<size_t>(t)].devices = *DeviceMgr::Create(registry_, options);
      const DeviceMgr& devices = *tasks_[static_cast<size_t>(t)].devices;
      for (size_t d = 0; d < devices.size(); ++d) all_.push_back(devices[d].info());
    }
  }

  // Runs a token program whose other partitions never run. It ends with a time-out or a
  // cancellation.
  Status RunAlone(const Graph& graph, Output fetch, CancelFlag& cancel) {
    const DeviceMgr named = *api::NamedDevices(all_);
    const RunSignature signature{{}, {graph.output(fetch.node, fetch.index)}, {}};
    auto plan = FindStages(graph, signature, named, {.allow_soft_placement = true});
    auto cut = CutByTask(*plan, named);
    for (const Cut::Part& part : (*cut)->parts) {
      auto compiled = CompilePart(part, true);
      const bool waits =
          std::any_of(compiled->bindings.keyed.begin(), compiled->bindings.keyed.end(),
                      [](const Keyed& edge) { return !edge.is_send; });
      if (!compiled->tokens() || !waits) continue;
      Table table;
      return RunStep(*compiled, {}, {}, {.cancel = &cancel, .exchange = &table});
    }
    return Internal("no part waits for another");
  }

  // Returns the number of partitions, or 0 after a failure. If `dataflow` is set, partitions run by
  // tokens.
  size_t Run(const Graph& graph, Output fetch, bool spread, bool dataflow, float* value) {
    const DeviceMgr named = *api::NamedDevices(all_);
    const RunSignature signature{{}, {graph.output(fetch.node, fetch.index)}, {}};
    const PlaceOptions place{.allow_soft_placement = true, .kept = nullptr, .spread = spread};
    auto plan = FindStages(graph, signature, named, place);
    EXPECT_TRUE(plan.ok()) << plan.status().message();
    if (!plan.ok()) return 0;
    auto cut = CutByTask(*plan, named);
    EXPECT_TRUE(cut.ok()) << cut.status().message();
    if (!cut.ok()) return 0;
    std::vector<std::shared_ptr<Plan>> parts;
    for (const Cut::Part& part : (*cut)->parts) {
      parts.push_back(CompilePart(part, dataflow));
      if (!parts.back()) return 0;
    }
    for (int step = 0; step < 2; ++step)
      if (!RunParts(parts, (*cut)->fetches[0].key, value)) return 0;
    return parts.size();
  }

 private:
  std::shared_ptr<Plan> CompilePart(const Cut::Part& part, bool dataflow) {
    Task& task = tasks_[static_cast<size_t>(part.task.back() - '0')];
    RunSignature all;
    for (uint32_t i = 0; i < part.graph->size(); ++i) all.targets.push_back(NodeId{i});
    CompileOptions options{task.devices.get(), &task.resources, {}};
    options.by_tokens = dataflow;
    auto plan = Compile(*part.graph, std::move(all), options);
    EXPECT_TRUE(plan.ok()) << part.task << ": " << plan.status().message();
    return plan.ok() ? *plan : nullptr;
  }

  static bool RunParts(const std::vector<std::shared_ptr<Plan>>& parts, const std::string& key,
                       float* value) {
    Table table;
    CancelFlag cancel;
    EXPECT_TRUE(cancel.StartLimit(60'000).ok());
    std::vector<Status> ended(parts.size());
    std::vector<std::thread> threads;
    for (size_t p = 0; p < parts.size(); ++p)
      threads.emplace_back([&, p] {
        ended[p] = RunStep(*parts[p], {}, {}, {.cancel = &cancel, .exchange = &table});
      });
    for (std::thread& thread : threads) thread.join();
    for (const Status& status : ended) {
      EXPECT_TRUE(status.ok()) << status.message();
      if (!status.ok()) return false;
    }
    const Tensor fetched = table.Sent(key);
    if (fetched) *value = *fetched.data<float>();
    EXPECT_TRUE(bool{fetched});
    return bool{fetched};
  }

  DeviceRegistry registry_;
  std::vector<Task> tasks_;
  std::vector<DeviceInfo> all_;
};

float Reference(const Graph& graph, Output fetch) {
  DeviceRegistry registry;
  RegisterDevice_cpu(registry);
  auto devices = *DeviceMgr::Create(registry, {});
  ResourceTable resources;
  const RunSignature signature{{}, {graph.output(fetch.node, fetch.index)}, {}};
  const PlaceOptions place{.allow_soft_placement = true};
  auto plan = Compile(graph, signature, {devices.get(), &resources, place});
  Tensor fetched;
  const Status status = RunReference((*plan)->stages, {}, {&fetched, 1}, {.resources = &resources});
  EXPECT_TRUE(status.ok()) << status.message();
  return status.ok() ? *fetched.data<float>() : 0;
}

class CutLoops : public ::testing::TestWithParam<int> {};

TEST_P(CutLoops, ValuesAreThoseOfTheReference) {
  test::Program program(static_cast<unsigned>(GetParam()), "/job:w/task:");
  const Output fetch = program.Make();
  const float wanted = Reference(program.graph(), fetch);
  float got = 0;
  ASSERT_GT(Cluster(1).Run(program.graph(), fetch, false, false, &got), 0u) << "as asked";
  EXPECT_EQ(got, wanted) << "as asked";
  ASSERT_GT(Cluster(1).Run(program.graph(), fetch, false, true, &got), 0u) << "by tokens";
  EXPECT_EQ(got, wanted) << "by tokens";
  ASSERT_GT(Cluster(2).Run(program.graph(), fetch, true, false, &got), 0u) << "spread";
  EXPECT_EQ(got, wanted) << "spread";
}

INSTANTIATE_TEST_SUITE_P(Seeds, CutLoops, ::testing::Range(0, 60));

TEST(Dataflow, WhatNeverArrivesEndsWithTheStep) {
  test::Program program(41, "/job:w/task:");
  const Output fetch = program.Make();
  CancelFlag late;
  ASSERT_TRUE(late.StartLimit(50).ok());
  EXPECT_EQ(Cluster(1).RunAlone(program.graph(), fetch, late).code(), Code::kDeadlineExceeded);
  CancelFlag cancel;
  std::thread other([&] { cancel.Set(); });
  EXPECT_EQ(Cluster(1).RunAlone(program.graph(), fetch, cancel).code(), Code::kCancelled);
  other.join();
}

TEST(LoopKeys, FramesHaveTensorFlowsNumbers) {
  Flow flow;
  flow.frames.resize(3);
  flow.frames[1].name = "w/while_context";
  flow.frames[2].name = "w";
  LoopKeys keys;
  keys.Begin(flow, 1);
  EXPECT_EQ(keys.Key("k;", 1), "k;5328607504811956670:0");
  keys.Next(1);
  EXPECT_EQ(keys.Key("k;", 1), "k;5328607504811956670:1");
  keys.Begin(flow, 2);
  EXPECT_EQ(keys.Key("k;", 2), "k;8059482270715077066:0");
  EXPECT_EQ(keys.Key("k;0:0", 0), "k;0:0");
}

}  // namespace
}  // namespace tensh
