// The in-process session.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "runtime/core/step_number.h"
#include "runtime/session/functions.h"
#include "runtime/session/plan_cache.h"
#include "runtime/session/session.h"

namespace tensh {
namespace {

class DirectSession final : public Session, private StepGate {
 public:
  DirectSession(Graph* graph, SessionConfig config, SessionHome home, bool at_home)
      : Session(NextId(), ""),
        graph_(graph),
        config_(std::move(config)),
        devices_(std::move(home.devices)),
        resources_(std::move(home.resources)),
        allocator_(std::move(home.allocator)),
        step_cpu_(std::move(home.step_cpu)),
        at_home_(at_home),
        functions_(*graph, {devices_.get(),
                            resources_.get(),
                            {config_.allow_soft_placement, nullptr, config_.spread},
                            config_.evaluator,
                            allocator_.get(),
                            config_.optimize}) {
    graph_->Ref();
    graph_->sessions.fetch_add(1);
    observer_ = graph_->AddObserver([this](uint32_t first) { DropFrom(first); });
  }
  ~DirectSession() override { (void)Close(); }

  Status Run(const RunRequest& request, std::span<const Tensor> values, std::span<Tensor> fetched,
             int64_t timeout_ms, RunTrace* trace) override {
    return RunWith(request, values, fetched, {.timeout_ms = timeout_ms, .trace = trace});
  }

  Status RunWith(const RunRequest& request, std::span<const Tensor> values,
                 std::span<Tensor> fetched, const RunControl& control) override {
    if (control.trace) (void)TakeOneTimeWork();  // discards the records of earlier runs
    // A step that keeps the values of all nodes needs all kernels.
    const bool all = control.trace && control.trace->step.keep_values;
    TENSH_ASSIGN(auto plan, GetPlan(request, Optimizes() && !all));
    TENSH_RETURN_IF_ERROR(Step(*plan, values, fetched, control));
    if (control.trace) {
      control.trace->step.once = TakeOneTimeWork();
      control.trace->run = ExplainedBy(std::move(plan));
    }
    return {};
  }

  Result<Explained> Explain(const RunRequest& request) override {
    TENSH_ASSIGN(auto plan, GetPlan(request));
    return ExplainedBy(std::move(plan));
  }

  Result<const Plan*> ExplainCall(const FuncAttr& function, std::string_view device,
                                  bool optimized) override {
    if (closed()) return Closed();
    return functions_.BodyOf(function, device, optimized);
  }

  Result<std::shared_ptr<Plan>> GetPlan(const RunRequest& request) override {
    return GetPlan(request, Optimizes());
  }

  Result<std::shared_ptr<Plan>> GetPlan(const RunRequest& request, bool optimize) {
    PlanCache::Key key;
    MakeKey(request, optimize, key);
    {
      std::lock_guard lock(mu_);
      if (closed_) return Closed();
      if (auto plan = cache_.Find(key)) return plan;
    }
    TENSH_ASSIGN(RunSignature signature, CheckRequest(*graph_, request));
    std::lock_guard compile_lock(
        compile_mu_);  // serializes compiles, because each records placements
    {
      std::lock_guard lock(mu_);
      if (auto plan = cache_.Find(key)) return plan;
    }
    CompileOptions options{devices_.get(),
                           resources_.get(),
                           {config_.allow_soft_placement, &kept_, config_.spread, &consumers_},
                           functions_.For(optimize)};
    options.allocator = allocator_.get();
    options.optimize = optimize;
    std::optional<OneTimeWork> once("compiling the plan");
    TENSH_ASSIGN(auto plan, Compile(*graph_, std::move(signature), options));
    once.reset();
    KeepStateful(plan->stages);
    if (config_.log_device_placement) LogPlacement();
    std::lock_guard lock(mu_);
    if (closed_) return Closed();
    cache_.Add(std::move(key), plan);
    return plan;
  }

  Status RunPlan(const std::shared_ptr<Plan>& plan, std::span<const Tensor> values,
                 std::span<Tensor> fetched, int64_t timeout_ms) override {
    if (plan->dropped)
      return FailedPrecondition(
          "the nodes of this run were removed, because the command that created them was rolled "
          "back");
    return Step(*plan, values, fetched, {.timeout_ms = timeout_ms});
  }

  Result<std::unique_ptr<PartialRun>> SetUpPartial(const RunRequest& request) override {
    if (request.fetches.empty() && request.targets.empty())
      return InvalidArgument("Must specify at least one target to fetch or execute.");
    TENSH_ASSIGN(auto plan, GetPlan(request));
    std::lock_guard lock(compile_mu_);
    PlanCache::Key key;
    MakeKey(request, Optimizes(), key);
    std::shared_ptr<PartialPlan> code;
    {
      std::lock_guard cache_lock(mu_);
      code = cache_.FindPartial(key);
    }
    if (!code) {
      const bool optimize = key[0] & kOptimized;
      CompileOptions options{devices_.get(), resources_.get(), {}, functions_.For(optimize)};
      options.allocator = allocator_.get();
      options.optimize = optimize;
      TENSH_ASSIGN(code, MakePartialPlan(plan->stages, options));
      std::lock_guard cache_lock(mu_);
      cache_.SetPartial(key, code);
    }
    return StartPartialRun(std::move(plan), std::move(code), *this);
  }

  void CancelSteps() override {
    std::lock_guard lock(mu_);
    for (CancelFlag* flag : in_flight_) flag->Set();
  }

  Status Close() override {
    {
      std::unique_lock lock(mu_);
      if (closed_) return {};
      closed_ = true;
      for (CancelFlag* flag : in_flight_) flag->Set();
      if (!at_home_) resources_->ForEach([](const std::string&, Resource& r) { r.Cancel(); });
      idle_.wait(lock, [&] { return in_flight_.empty(); });
      cache_.Clear();
    }
    graph_->RemoveObserver(observer_);
    functions_.Clear();
    if (!at_home_) resources_->Clear();
    graph_->sessions.fetch_sub(1);
    graph_->Unref();
    return {};
  }

  bool closed() const override {
    std::lock_guard lock(mu_);
    return closed_;
  }
  Graph* graph() const override { return closed() ? nullptr : graph_; }
  const DeviceMgr& devices() const override { return *devices_; }
  ResourceTable& resources() override { return *resources_; }

 private:
  static Explained ExplainedBy(std::shared_ptr<const Plan> plan) {
    std::shared_ptr<const Stages> stages(plan, &plan->stages);
    return {std::move(stages), std::move(plan)};
  }

  static Status Closed() { return FailedPrecondition("Attempted to use a closed Session."); }

  // Set in the first word of the key of a plan that is optimized.
  static constexpr uint32_t kOptimized = 1u << 31;

  bool Optimizes() const { return config_.optimize && OptimizesPlans(); }
  static void MakeKey(const RunRequest& r, bool optimize, PlanCache::Key& key) {
    key.reserve(2 + r.feeds.size() * 2 + r.fetches.size() * 2 + r.targets.size());
    key.push_back(static_cast<uint32_t>(r.feeds.size()) | (optimize ? kOptimized : 0));
    key.push_back(static_cast<uint32_t>(r.fetches.size()));
    for (const Output& o : r.feeds) key.push_back(Index(o.node)), key.push_back(o.index);
    for (const Output& o : r.fetches) key.push_back(Index(o.node)), key.push_back(o.index);
    for (NodeId n : r.targets) key.push_back(Index(n));
  }

  Status CheckValues(const Plan& plan, std::span<const Tensor> values) const {
    for (size_t i = 0; i < values.size(); ++i)
      TENSH_RETURN_IF_ERROR(CheckFed(plan.stages.graph, plan.stages.signature.feeds[i], values[i]));
    return {};
  }

  Status Enter(CancelFlag& cancel, int64_t timeout_ms) override {
    const int64_t limit_ms = timeout_ms ? timeout_ms : config_.operation_timeout_ms;
    if (limit_ms > 0) TENSH_RETURN_IF_ERROR(cancel.StartLimit(limit_ms));
    std::lock_guard lock(mu_);
    if (!closed_) {
      in_flight_.push_back(&cancel);
      return {};
    }
    cancel.EndLimit();
    return Closed();
  }

  std::unique_ptr<CpuLimit> NewCpuLimit() const override {
    return step_cpu_.ms > 0 ? std::make_unique<CpuLimit>(step_cpu_) : nullptr;
  }

  void Leave(CancelFlag& cancel) override {
    cancel.EndLimit();
    std::lock_guard lock(mu_);
    std::erase(in_flight_, &cancel);
    if (closed_ && in_flight_.empty()) idle_.notify_all();
  }

  Status Step(Plan& plan, std::span<const Tensor> values, std::span<Tensor> fetched,
              const RunControl& control) {
    TENSH_RETURN_IF_ERROR(CheckValues(plan, values));
    CancelFlag own;
    CancelFlag& cancel = control.cancel ? *control.cancel : own;
    const StepNumberEnder number{&cancel};
    TENSH_RETURN_IF_ERROR(Enter(cancel, control.timeout_ms));
    const GateLeaver leaver{*this, cancel};
    const auto run = [&] {
      return config_.evaluator
                 ? config_.evaluator(
                       plan.stages, values, fetched,
                       {.resources = resources_.get(), .functions = &functions_, .cancel = &cancel})
                 : RunStep(
                       plan, values, fetched,
                       {&cancel, control.trace ? &control.trace->step : nullptr, control.exchange});
    };
    const auto limit = NewCpuLimit();
    return limit ? limit->Run(cancel, run) : run();
  }

  // Records the devices of stateful nodes, so that later plans use the same ones and variables
  // never move.
  void KeepStateful(const Stages& stages) {
    for (size_t i = 0; i < stages.pruned.nodes.size(); ++i)
      if (graph_->op(stages.pruned.nodes[i]).stateful)
        kept_.emplace(Index(stages.pruned.nodes[i]), stages.placement.device[i]);
  }

  // Prints the devices of all nodes, in TensorFlow's format and order, whenever the graph has grown.
  // TensorFlow places nodes without inputs after the others.
  void LogPlacement() {
    if (logged_ == graph_->size()) return;
    logged_ = graph_->size();
    RunSignature all;
    for (uint32_t i = 0; i < logged_; ++i) all.targets.push_back(NodeId{i});
    Pruned pruned = Prune(*graph_, all);
    if (!OrderFlow(*graph_, all, pruned).ok()) return;
    const PlaceOptions options{config_.allow_soft_placement, nullptr, config_.spread};
    const Result<Placement> placement = Place(*graph_, all, pruned, *devices_, options);
    if (!placement.ok()) return;  // a run that needs the node reports it
    std::vector<std::pair<uint32_t, std::string>> first, last;
    for (size_t i = 0; i < pruned.nodes.size(); ++i) {
      const NodeId n = pruned.nodes[i];
      const bool source = graph_->num_inputs(n) == 0 && graph_->num_outputs(n) == 1 &&
                          !IsRef(graph_->dtype(graph_->output(n, 0)));
      (source ? last : first)
          .emplace_back(Index(n), StrCat(graph_->name(n), ": (", graph_->op(n).name, "): ",
                                         (*devices_)[placement->device[i]].info().name, "\n"));
    }
    std::sort(first.begin(), first.end());
    std::sort(last.begin(), last.end());
    for (const auto& lines : {first, last})
      for (const auto& line : lines) std::fputs(line.second.c_str(), stdout);
    std::fflush(stdout);
  }

  void DropFrom(uint32_t first) {
    std::lock_guard compile_lock(compile_mu_);
    std::lock_guard lock(mu_);
    cache_.DropFrom(first);
    consumers_.DropFrom(first);
    std::erase_if(kept_, [&](const auto& entry) { return entry.first >= first; });
    logged_ = std::min(logged_, first);
  }

  Graph* const graph_;
  const SessionConfig config_;
  const std::shared_ptr<DeviceMgr> devices_;
  const std::shared_ptr<ResourceTable> resources_;
  const std::shared_ptr<Allocator> allocator_;
  const CpuLimitRule step_cpu_;
  const bool at_home_;  // resources are shared with other sessions and outlive this one
  SessionFunctions functions_;
  uint64_t observer_ = 0;

  std::mutex compile_mu_;                        // taken before mu_
  std::unordered_map<uint32_t, uint16_t> kept_;  // guarded by compile_mu_
  ConsumerIndex consumers_;                      // guarded by compile_mu_
  uint32_t logged_ =
      0;  // the size of the graph when placements were logged; guarded by compile_mu_

  mutable std::mutex mu_;
  std::condition_variable idle_;
  bool closed_ = false;
  PlanCache cache_;
  std::vector<CancelFlag*> in_flight_;
};

class DirectSessionFactory : public SessionFactory {
 public:
  explicit DirectSessionFactory(const DeviceRegistry& devices) : devices_(devices) {}
  bool Accepts(const std::string& target) const override { return target.empty(); }
  Result<std::unique_ptr<Session>> Create(Graph* graph, const std::string&,
                                          const SessionConfig& config) override {
    DeviceOptions options{.device_count = config.device_count,
                          .intra_op_threads = config.intra_op_threads,
                          .gpu = config.gpu};
    TENSH_ASSIGN(auto devices, DeviceMgr::Create(devices_, options));
    SessionHome home{std::move(devices), std::make_shared<ResourceTable>(), nullptr, {}};
    return std::unique_ptr<Session>(new DirectSession(graph, config, std::move(home), false));
  }

 private:
  const DeviceRegistry& devices_;
};

}  // namespace

uint64_t Session::NextId() {
  static std::atomic<uint64_t> next{0};
  return next++;
}

std::unique_ptr<Session> MakeSessionIn(const SessionHome& home, Graph* graph,
                                       const SessionConfig& config) {
  return std::make_unique<DirectSession>(graph, config, home, true);
}

Result<const Plan*> Session::ExplainCall(const FuncAttr& function, std::string_view, bool) {
  return Unimplemented("function ", function.name, " is called in ", target());
}

Result<std::shared_ptr<Plan>> Session::GetPlan(const RunRequest&) {
  return Unimplemented("plans of ", target(), " run there only");
}

Status Session::RunPlan(const std::shared_ptr<Plan>&, std::span<const Tensor>, std::span<Tensor>,
                        int64_t) {
  return Unimplemented("plans of ", target(), " run there only");
}

Status Session::RunWith(const RunRequest&, std::span<const Tensor>, std::span<Tensor>,
                        const RunControl&) {
  return Unimplemented("only sessions in this process accept the options of RunWith");
}

Result<std::unique_ptr<PartialRun>> Session::SetUpPartial(const RunRequest&) {
  return Unimplemented("sessions of ", target(), " do not support partial runs");
}

Result<std::vector<DeviceInfo>> Session::ListDevices() {
  std::vector<DeviceInfo> list;
  for (size_t i = 0; i < devices().size(); ++i) list.push_back(devices()[i].info());
  return list;
}

std::unique_ptr<SessionFactory> MakeDirectSessionFactory(const DeviceRegistry& devices) {
  return std::make_unique<DirectSessionFactory>(devices);
}

Result<std::unique_ptr<Session>> SessionFactoryRegistry::Create(Graph* graph,
                                                                const std::string& target,
                                                                const SessionConfig& config) const {
  for (const auto& factory : factories_)
    if (factory->Accepts(target)) return factory->Create(graph, target, config);
  return NotFound("no session factory accepts the target '", target, "'")
      .WithHint(
          "tf.Session() runs in process, tf.Session('grpc://host:port') on a TensorFlow server");
}

}  // namespace tensh
