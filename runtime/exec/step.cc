#include "runtime/exec/step.h"

#include <algorithm>
#include <condition_variable>
#include <optional>
#include <utility>

#include "runtime/core/float_mode.h"
#include "runtime/exec/channel.h"
#include "runtime/exec/dataflow.h"
#include "runtime/exec/fetches.h"
#include "runtime/exec/fused.h"
#include "runtime/exec/loop_keys.h"
#include "runtime/exec/loops.h"
#include "runtime/exec/pool.h"
#include "runtime/exec/replay.h"

namespace tensh {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int64_t kThreadsFromNs =
    200'000;  // a step at least this long gives each partition a thread

int64_t Since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

enum class Outcome { kDone, kWaiting, kFailed };

class Step : private CancelFlag::Waiter {
 public:
  Step(Plan& plan, Frame& frame, const StepOptions& options)
      : plan_(plan),
        frame_(frame),
        options_(options),
        channels_(plan.partitioned.transfers.size()),
        runs_(plan.parts.size()),
        inbox_(plan.keyed.size()),
        asked_(plan.keyed.size()),
        start_(options.trace ? Clock::now() : Clock::time_point()) {}

  Status Run() {
    // Where time goes into waiting for others, a thread a partition is no use.
    threaded_ = !options_.nested && !keyed() && plan_.last_step_ns.load() > kThreadsFromNs;
    Begin();
    {
      std::lock_guard lock(mu_);
      ++active_;
    }
    Advance(0);
    Drain();
    return End();
  }

  void Begin() {
    unfinished_ = plan_.parts.size();
    if (keyed()) AskForArrivals();
    for (uint16_t p = static_cast<uint16_t>(plan_.parts.size()); p-- > 1;) Ready(p);
  }

  Status End() {
    if (keyed()) EndArrivals();
    if (options_.trace) CollectTrace();
    return std::move(status_);
  }

  // For a step that pauses: runs what can run; true when it waits for arrivals.
  bool RunReady(bool first) {
    if (first) Begin(), Ready(0);
    Drain();
    std::lock_guard lock(mu_);
    return unfinished_ > 0 && !failed_;
  }
  void GiveUp() { SetStatus(Cancelled("the partial run was given up")); }

  // One partition alone needs no channels, queue or lock.
  Status RunAlone() {
    if (options_.trace)
      Loop<true>(0);
    else
      Loop<false>(0);
    if (options_.trace) CollectTrace();
    return std::move(status_);
  }

 private:
  struct PartitionRun {
    uint32_t pc = 0;
    int64_t waiting_since = -1;
    std::vector<StepEvent> events;
    struct OpenLoop {
      int64_t start, iterations;
    };
    std::vector<OpenLoop> loops;  // traced steps: loops begun and not ended
    KeptValues values;
    LoopKeys keys;
  };

  void Ready(uint16_t part) {
    std::lock_guard lock(mu_);
    ++active_;
    if (threaded_)
      ScheduleOnPool([this, part] { Advance(part); });
    else
      ready_.push_back(part);
    if (keyed()) wake_.notify_all();
  }

  void Advance(uint16_t part) {
    Outcome outcome = options_.trace ? Loop<true>(part) : Loop<false>(part);
    std::lock_guard lock(mu_);
    --active_;
    if (outcome != Outcome::kWaiting) --unfinished_;
    if (threaded_) wake_.notify_all();
  }

  // Returns when every partition has ended, or, after a failure, when those that still wait are
  // abandoned; in either case no other thread is inside this step any more. One may be, with its
  // partition ended: it found a value missing, and before it left another thread took over.
  void Drain() {
    std::unique_lock lock(mu_);
    while (unfinished_ > 0 || (threaded_ && active_ > 0)) {
      if (!ready_.empty() && !failed_) {
        uint16_t part = ready_.back();
        ready_.pop_back();
        lock.unlock();
        Advance(part);
        lock.lock();
        continue;
      }
      if (keyed() && !failed_ && arriving_ > 0) {
        if (options_.pauses) return;
        // Looked at under the lock, the flag cannot be set unnoticed before the wait.
        if (!Interrupted()) wake_.wait(lock);
        continue;
      }
      if (!threaded_ || active_ == 0) {
        if (!failed_) SetStatus(Internal("the step's partitions wait for each other"));
        return;
      }
      wake_.wait(lock);
    }
  }

  bool Interrupted() {
    if (__builtin_expect(failed_.load(std::memory_order_relaxed), 0)) return true;
    if (__builtin_expect(!options_.cancel || !options_.cancel->cancelled(), 1)) return false;
    SetStatus(options_.cancel->Why());
    return true;
  }

  template <bool kTrace>
  Outcome Loop(uint16_t part) {
    const PartitionCode& code = plan_.parts[part];
    PartitionRun& run = runs_[part];
    std::vector<Tensor>& slots = frame_.slots[part];
    KernelCtx ctx(slots.data(), code.device->runner(), options_.cancel, code.allocator);
    const uint32_t end = static_cast<uint32_t>(code.code.size());
    if (Interrupted()) return Outcome::kFailed;
    for (uint32_t& pc = run.pc; pc < end; ++pc) {
      const Instr& instr = code.code[pc];
      if (__builtin_expect(instr.fn != nullptr, 1)) {
        if (!RunKernel<kTrace>(ctx, instr, instr.fn, part)) return Outcome::kFailed;
      } else if (instr.kind == Instr::kGuarded) {
        if (PassesGuards(code, instr, slots) &&
            !RunKernel<kTrace>(ctx, instr, instr.guarded_fn, part))
          return Outcome::kFailed;
      } else if (instr.kind == Instr::kReplay) {
        if (!kTrace && !Replayed(instr, part, pc)) return Outcome::kFailed;
      } else if (instr.kind == Instr::kFused) {
        const FusedCode& fused = code.fused[instr.transfer];
        if (!kTrace && RunFused(code, fused, slots, code.device->runner(), options_.cancel))
          pc = fused.end - 1;
      } else if (instr.kind >= Instr::kLoopBegin) {
        if (!LoopInstr<kTrace>(instr, part, pc) || Interrupted()) return Outcome::kFailed;
      } else if (instr.kind == Instr::kKeySend) {
        const int64_t start = kTrace ? Since(start_) : 0;
        if (!SendAway(code, instr, slots, run.keys)) return Outcome::kFailed;
        if (kTrace) Record(runs_[part], instr, part, StepEvent::kCompute, start, 0);
      } else if (!TransferValue<kTrace>(instr, part)) {
        return Outcome::kWaiting;
      }
      ReleaseBehind(code, instr, slots);
      // CallKernel looks at the step behind every kernel, a loop may be without any.
      if (__builtin_expect(failed_.load(std::memory_order_relaxed), 0)) return Outcome::kFailed;
    }
    return Outcome::kDone;
  }

  template <bool kTrace>
  bool RunKernel(KernelCtx& ctx, const Instr& instr, KernelFn fn, uint16_t part) {
    const int64_t start = kTrace ? Since(start_) : 0;
    ctx.Bind(instr.call);
    Status status = CallKernel(fn, ctx);
    if (__builtin_expect(!status.ok(), 0)) {
      SetStatus(std::move(status).WithNode(plan_.graph.name(instr.node)));
      return false;
    }
    if (!kTrace) return true;
    Record(runs_[part], instr, part, instr.is_read ? StepEvent::kRead : StepEvent::kCompute, start,
           OutputBytes(instr, frame_.slots[part]));
    if (options_.trace->keep_values && !instr.is_move)
      runs_[part].values.Keep(plan_, instr, frame_.slots[part]);
    return true;
  }

  // Moves pc behind what was done by a recording. False: it failed.
  bool Replayed(const Instr& instr, uint16_t part, uint32_t& pc) {
    const Result<bool> done =
        frame_.replays[part][instr.transfer]->Run(frame_.slots[part], options_.cancel);
    if (!done.ok()) SetStatus(Status(done.status()).WithNode(plan_.graph.name(instr.node)));
    if (done.ok() && *done) pc = plan_.parts[part].replays[instr.transfer].end - 1;
    return done.ok();
  }

  // Moves pc where the loop goes on. A traced loop is one event, however often it runs.
  template <bool kTrace>
  bool LoopInstr(const Instr& instr, uint16_t part, uint32_t& pc) {
    PartitionRun& run = runs_[part];
    const int64_t start = kTrace ? Since(start_) : 0;
    bool again = false;
    Status status = RunLoopInstr(plan_.parts[part], instr, frame_.slots[part], pc, again);
    if (!status.ok()) {
      SetStatus(std::move(status).WithNode(plan_.graph.name(instr.node)));
      return false;
    }
    if (keyed() && !TellLoop(instr, part, again)) return false;
    if (!kTrace) return true;
    if (instr.kind == Instr::kLoopBegin) run.loops.push_back({start, 0});
    if (instr.kind == Instr::kLoopNext && !run.loops.empty()) ++run.loops.back().iterations;
    if (instr.kind == Instr::kLoopEnd && !run.loops.empty()) {
      const auto loop = run.loops.back();
      run.loops.pop_back();
      Record(run, instr, part, StepEvent::kCompute, loop.start, 0, loop.iterations);
    }
    return true;
  }

  // A Send or a Recv; false: what is to be received is not there yet, or what was sent before is
  // still to be received.
  template <bool kTrace>
  bool TransferValue(const Instr& instr, uint16_t part) {
    PartitionRun& run = runs_[part];
    std::vector<Tensor>& slots = frame_.slots[part];
    int64_t start = kTrace ? Since(start_) : 0;
    if (instr.kind == Instr::kSend) {
      Tensor value = instr.slot == UINT32_MAX ? Tensor() : slots[instr.slot];
      int64_t bytes = value ? value.bytes() : 0;
      if (!Send(instr.transfer, std::move(value))) return false;
      if (kTrace) Record(run, instr, part, StepEvent::kSend, start, bytes);
      return true;
    }
    Tensor value;
    const bool arrives = instr.kind == Instr::kKeyRecv;
    // Noted before it is looked for: where it is missing, whoever sends it goes on with this
    // partition, maybe at once and in another thread.
    const bool waited = kTrace && run.waiting_since >= 0;
    if (kTrace && !waited) run.waiting_since = start;
    if (arrives && plan_.keyed[instr.transfer].frame && !asked_[instr.transfer]) {
      asked_[instr.transfer] = true;
      Ask(instr.transfer, run.keys);
    }
    if (!(arrives ? Take(inbox_[instr.transfer], value) : Receive(instr.transfer, value)))
      return false;
    if (arrives) asked_[instr.transfer] = false;
    if (kTrace) start = Since(start_);  // not before it was sent, by a thread that came in between
    int64_t bytes = value ? value.bytes() : 0;
    if (instr.slot != UINT32_MAX) slots[instr.slot] = std::move(value);
    if (!kTrace) return true;
    if (arrives) {
      Record(run, instr, part, StepEvent::kCompute, run.waiting_since, bytes);
      run.waiting_since = -1;
      return true;
    }
    if (waited && run.loops.empty())
      run.events.push_back(
          {StepEvent::kWait, part, instr.node, instr.transfer, run.waiting_since, start, bytes});
    run.waiting_since = -1;
    Record(run, instr, part, StepEvent::kRecv, start, bytes);
    return true;
  }

  // False: the channel is full; whoever receives from it makes this partition ready again.
  bool Send(uint32_t transfer, Tensor value) {
    Channel& channel = channels_[transfer];
    bool wake;
    {
      std::lock_guard lock(channel.mu);
      channel.sender_waits = channel.full();
      if (channel.sender_waits) return false;
      wake = channel.Push(std::move(value));
    }
    if (wake) Ready(plan_.partitioned.transfers[transfer].to);
    return true;
  }

  void Deliver(Channel& channel, Tensor value, uint16_t to) {
    bool wake;
    {
      std::lock_guard lock(channel.mu);
      wake = channel.Push(std::move(value));
    }
    if (wake) Ready(to);
  }

  bool Receive(uint32_t transfer, Tensor& value) {
    Channel& channel = channels_[transfer];
    bool wake;
    {
      std::lock_guard lock(channel.mu);
      if (!TakeLocked(channel, value)) return false;
      wake = std::exchange(channel.sender_waits, false);
    }
    if (wake) Ready(plan_.partitioned.transfers[transfer].from);
    return true;
  }

  // False: not there yet; whoever sends it makes this partition ready again.
  static bool Take(Channel& channel, Tensor& value) {
    std::lock_guard lock(channel.mu);
    return TakeLocked(channel, value);
  }
  static bool TakeLocked(Channel& channel, Tensor& value) {
    channel.receiver_waits = !channel.sent;
    if (channel.sent) value = channel.Pop();
    return !channel.receiver_waits;
  }

  // ---- edges that end elsewhere ----

  bool keyed() const { return !plan_.keyed.empty(); }

  // All at once: what others still have to make is on its way while this process works.
  void AskForArrivals() {
    arriving_ = 1;
    if (options_.cancel) options_.cancel->Add(this);
    for (uint32_t k = 0; k < plan_.keyed.size(); ++k) {
      if (!plan_.keyed[k].is_send && !plan_.keyed[k].frame) Ask(k, runs_[0].keys);
    }
    std::lock_guard lock(mu_);
    --arriving_;
  }

  void Ask(uint32_t k, const LoopKeys& keys) {
    {
      std::lock_guard lock(mu_);
      ++arriving_;
    }
    options_.exchange->Receive(keys.Key(plan_.keyed[k].key, plan_.keyed[k].frame),
                               [this, k](Status status, Tensor value) {
                                 Arrived(k, std::move(status), std::move(value));
                               });
  }

  // What is not sent in this iteration the other ends hear of too.
  bool TellLoop(const Instr& instr, uint16_t part, bool again) {
    const LoopCode& loop = plan_.parts[part].loops[instr.transfer];
    LoopKeys& keys = runs_[part].keys;
    if (instr.kind == Instr::kLoopBegin) keys.Begin(plan_.pruned.flow, loop.frame);
    if (instr.kind == Instr::kLoopNext && again) keys.Next(loop.frame);
    if (instr.kind != Instr::kLoopTest) return true;
    for (uint32_t k : again ? loop.sends_ended : loop.sends_going_on) {
      const std::string key = keys.Key(plan_.keyed[k].key, plan_.keyed[k].frame);
      if (Status status = options_.exchange->Send(key, Tensor()); !status.ok())
        SetStatus(std::move(status));
    }
    return !failed_;
  }

  void Arrived(uint32_t k, Status status, Tensor value) {
    const Keyed& edge = plan_.keyed[k];
    if (status.ok() && value && value.dtype() != edge.dtype)
      status = InvalidArgument("what came as ", edge.key, " is ", Name(value.dtype()),
                               "; it must be ", Name(edge.dtype));
    if (status.ok())
      Deliver(inbox_[k], std::move(value), edge.part);
    else
      SetStatus(std::move(status));
    std::lock_guard lock(mu_);
    --arriving_;
    wake_.notify_all();  // with the lock held: the step may be gone right behind it
  }

  // Nobody calls Arrived any more when this returns.
  void EndArrivals() {
    if (failed_) {
      Status why;
      {
        std::lock_guard lock(status_mu_);
        why = status_;
      }
      options_.exchange->Abort(why);
    }
    if (options_.cancel) options_.cancel->Remove(this);
    std::unique_lock lock(mu_);
    wake_.wait(lock, [&] { return arriving_ == 0; });
  }

  void Wake() override {
    std::lock_guard lock(mu_);
    wake_.notify_all();
  }

  bool SendAway(const PartitionCode& code, const Instr& instr, std::vector<Tensor>& slots,
                const LoopKeys& keys) {
    const Keyed& edge = plan_.keyed[instr.transfer];
    Tensor value = PassesGuards(code, instr, slots) ? slots[instr.slot] : Tensor();
    if (value && SharesAVariable(plan_, value)) {
      value = value.DeepCopy();  // the variable may change before it is gone
      if (!value) SetStatus(ResourceExhausted("out of memory for a value that is sent"));
    }
    if (!failed_)
      if (Status status = options_.exchange->Send(keys.Key(edge.key, edge.frame), value);
          !status.ok())
        SetStatus(std::move(status));
    return !failed_;
  }

  void SetStatus(Status status) {
    std::lock_guard lock(status_mu_);
    if (status_.ok()) status_ = std::move(status);
    failed_.store(true);
  }

  void Record(PartitionRun& run, const Instr& instr, uint16_t part, StepEvent::Kind kind,
              int64_t start, int64_t bytes, int64_t iterations = 0) {
    if (!run.loops.empty()) return;  // the outermost loop speaks for what is in it
    run.events.push_back(
        {kind, part, instr.node, instr.transfer, start, Since(start_), bytes, iterations});
  }

  void CollectTrace() {
    for (PartitionRun& run : runs_) {
      options_.trace->events.insert(options_.trace->events.end(), run.events.begin(),
                                    run.events.end());
      options_.trace->values.Merge(std::move(run.values));
    }
    options_.trace->wall_ns = Since(start_);
  }

  Plan& plan_;
  Frame& frame_;
  const StepOptions& options_;
  std::vector<Channel> channels_;
  std::vector<PartitionRun> runs_;
  std::vector<Channel> inbox_;  // by number in Plan::keyed
  std::vector<char> asked_;     // likewise: for what a loop receives, in this iteration
  const Clock::time_point start_;
  bool threaded_ = false;
  std::atomic<bool> failed_{false};
  std::mutex mu_, status_mu_;
  std::condition_variable wake_;
  std::vector<uint16_t> ready_;  // guarded by mu_; the last goes first
  size_t unfinished_ = 0;        // guarded by mu_: partitions that have not ended
  size_t active_ = 0;            // guarded by mu_: partitions running or ready to
  size_t arriving_ = 0;          // guarded by mu_: what was asked for elsewhere and has not come
  Status status_;
};

}  // namespace

struct PausingStep::State {
  State(std::shared_ptr<Plan> the_plan, const StepOptions& how)
      : plan(std::move(the_plan)),
        options(how),
        frame(plan->TakeFrame()),
        step(*plan, *frame, options) {
    if (plan->dataflow) tokens.emplace(*plan, options);
  }
  const std::shared_ptr<Plan> plan;
  const StepOptions options;
  std::unique_ptr<Frame> frame;
  Step step;
  std::optional<DataflowStep> tokens;  // instead
  Status status;
  bool begun = false, ended = false;
};

PausingStep::PausingStep(std::shared_ptr<Plan> plan, CancelFlag* cancel, Exchange* exchange)
    : state_(std::make_unique<State>(
          std::move(plan), StepOptions{.cancel = cancel, .exchange = exchange, .pauses = true})) {}

PausingStep::~PausingStep() {
  if (!state_->begun || state_->ended) return;
  state_->step.GiveUp();
  (void)state_->step.End();
}

bool PausingStep::ended() const { return state_->ended; }

Status PausingStep::Advance() {
  const FlushDenormals flush;
  State& s = *state_;
  if (s.tokens) {
    if (!s.ended) s.status = s.tokens->Advance();
    s.ended = s.tokens->ended();
    return s.status;
  }
  if (s.ended || s.step.RunReady(!std::exchange(s.begun, true))) return s.status;
  s.ended = true;
  s.status = s.step.End();
  s.plan->steps.fetch_add(1, std::memory_order_relaxed);
  if (s.status.ok()) s.plan->GiveFrame(std::move(s.frame));
  return s.status;
}

Status RunStep(Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> fetched,
               const StepOptions& options) {
  const FlushDenormals flush;
  if (!plan.keyed.empty() && !options.exchange)
    return FailedPrecondition("this part of a graph runs on a worker, in a step of a master");
  if (plan.dataflow) {
    plan.steps.fetch_add(1, std::memory_order_relaxed);
    return NameAllUninitialized(plan, DataflowStep(plan, options).Advance());
  }
  std::unique_ptr<Frame> frame = plan.TakeFrame();
  for (size_t p = 0; p < plan.parts.size(); ++p)
    for (const auto& [feed, slot] : plan.parts[p].feeds) frame->slots[p][slot] = feeds[feed];
  Step step(plan, *frame, options);
  const bool alone = plan.parts.size() == 1 && plan.keyed.empty();
  Clock::time_point start = alone ? Clock::time_point() : Clock::now();
  Status status = alone ? step.RunAlone() : step.Run();
  if (!alone) plan.last_step_ns.store(Since(start));
  if (status.ok()) status = SyncDevices(plan);
  for (size_t p = 0; p < plan.parts.size() && status.ok(); ++p)
    status = FetchInto(plan, plan.parts[p], frame->slots[p], fetched);
  for (size_t p = 0; p < plan.parts.size(); ++p)
    for (uint32_t slot : plan.parts[p].drop_at_end) frame->slots[p][slot] = Tensor();
  plan.steps.fetch_add(1, std::memory_order_relaxed);
  if (status.ok()) {
    plan.GiveFrame(std::move(frame));
    return {};
  }
  for (Tensor& t : fetched) t = Tensor();
  // The failed step's frame goes with it: its slots may hold anything.
  return NameAllUninitialized(plan, std::move(status));
}

Status RunCall(Plan& plan, std::span<Tensor> args, std::span<Tensor> rets, CancelFlag* cancel,
               bool to_host) {
  if (!plan.keyed.empty()) return FailedPrecondition("a Send or Recv is in no function's body");
  std::unique_ptr<Frame> frame = plan.TakeFrame();
  for (size_t p = 0; p < plan.parts.size(); ++p)
    for (const auto& [feed, slot] : plan.parts[p].feeds)
      frame->slots[p][slot] = std::move(args[feed]);
  const StepOptions options{.cancel = cancel, .nested = true};
  Step step(plan, *frame, options);
  Status status = plan.parts.size() == 1 ? step.RunAlone() : step.Run();
  for (size_t p = 0; p < plan.parts.size() && status.ok(); ++p) {
    for (const auto& [fetch, slot, is_ref] : plan.parts[p].fetches) {
      const Tensor& value = frame->slots[p][slot];
      if (!value)
        status = InvalidArgument("Retval[", fetch, "] does not have value")
                     .WithNode(plan.graph.name(plan.graph.node_of(plan.signature.fetches[fetch])));
      else if (is_ref)
        status = ReadReference(value, &rets[fetch]);
      else
        rets[fetch] = value;
      if (status.ok() && to_host && !rets[fetch].on_host()) {
        TENSH_ASSIGN(rets[fetch], rets[fetch].CopyTo(HostAllocator()));
      }
    }
  }
  if (!status.ok()) return status;  // the frame goes with it: its slots may hold anything
  for (size_t p = 0; p < plan.parts.size(); ++p)
    for (uint32_t slot : plan.parts[p].drop_at_end) frame->slots[p][slot] = Tensor();
  plan.GiveFrame(std::move(frame));
  return {};
}

}  // namespace tensh
