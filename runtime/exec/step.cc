#include "runtime/exec/step.h"

#include <optional>
#include <utility>

#include "runtime/core/device/float_mode.h"
#include "runtime/core/memory/limited_allocator.h"
#include "runtime/exec/arrivals.h"
#include "runtime/exec/branches.h"
#include "runtime/exec/dataflow.h"
#include "runtime/exec/fetches.h"
#include "runtime/exec/fused.h"
#include "runtime/exec/loops.h"
#include "runtime/exec/once.h"
#include "runtime/exec/replay.h"
#include "runtime/exec/step_recorder.h"
#include "runtime/exec/transfers.h"

namespace tensh {
namespace {

using Clock = std::chrono::steady_clock;
// If a step took at least this long, the next one gives each partition a thread.
constexpr int64_t kThreadsFromNs = 200'000;

int64_t Since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

// True for an instruction that says how those behind it may run.
bool IsMark(Instr::Kind kind) { return kind >= Instr::kFused && kind <= Instr::kBranchesEnd; }

// A step of a Program: the loop over the instructions of each partition. Turns and Transfers
// connect the partitions, Arrivals connects the step with other processes, and StepRecorder
// collects a trace. A step with one partition uses none of them.
class Step final : private PartRunner {
 public:
  // `program` is the program of the plan. All arguments must outlive the step.
  Step(const Plan& plan, Program& program, Frame& frame, const StepOptions& options)
      : plan_(plan),
        program_(program),
        graph_(plan.stages.graph),
        frame_(frame),
        options_(options) {
    if (PartsWait()) {
      cancel_rest_.emplace(options.cancel);
      options_.cancel = &*cancel_rest_;
      error_.CancelOnFailure(&*cancel_rest_);
    }
    if (!options.trace) return;
    begin_ = options.caller ? options.caller->begin() : Clock::now();
    for (uint16_t p = 0; p < static_cast<uint16_t>(program.parts.size()); ++p)
      recorders_.emplace_back(graph_, p, begin_, options.trace->keep_values, options.nested,
                              program.parts[p].device->NewTimer());
  }

  // Runs a step of one partition without edges to other processes.
  Status RunAlone() {
    uint32_t pc = 0;
    (void)(options_.trace ? Loop<true>(0, pc) : Loop<false>(0, pc));
    return Finish();
  }

  Status Run() {
    Begin();
    // More threads do not help a step that spends its time waiting for other processes.
    const bool large = program_.last_step_ns.load() > kThreadsFromNs;
    if (PartsWait() || (large && !options_.nested && !arrivals_)) turns_->UseThreads();
    for (uint16_t p = Parts(); p-- > 1;) turns_->Ready(p);
    turns_->RunFirst(0);
    turns_->Drain();
    return End();
  }

  // ---- a step that pauses ----

  // Runs the ready partitions. Returns true if the step waits for arrivals, or false if it has
  // ended.
  bool RunReady() {
    if (!turns_) {
      Begin();
      for (uint16_t p = Parts(); p-- > 0;) turns_->Ready(p);
    }
    turns_->Drain();
    return turns_->waits();
  }
  bool begun() const { return turns_.has_value(); }
  void GiveUp() { error_.Set(Cancelled("the partial run was abandoned")); }
  Status End() {
    if (arrivals_) arrivals_->End();
    return Finish();
  }

 private:
  uint16_t Parts() const { return static_cast<uint16_t>(program_.parts.size()); }
  // True if a partition may wait for what another one does.
  bool PartsWait() const { return plan_.stages.pruned.takes_elements && program_.parts.size() > 1; }

  void Begin() {
    PartRunner& runner = *this;
    turns_.emplace(runner, program_.parts.size(), options_, error_);
    transfers_.emplace(plan_.stages.partitioned.transfers, *turns_);
    pcs_.resize(program_.parts.size());
    if (plan_.bindings.keyed.empty()) return;
    arrivals_.emplace(plan_, options_, *turns_, error_);
    arrivals_->Begin();
  }

  Status Finish() {
    if (options_.trace) {
      for (StepRecorder& recorder : recorders_)
        if (Status status = recorder.MoveTo(*options_.trace); !status.ok())
          error_.Set(std::move(status));
      options_.trace->wall_ns = Since(begin_);
    }
    return error_.failed() ? error_.Get() : Status();
  }

  Outcome RunPart(uint16_t part) override {
    return options_.trace ? Loop<true>(part, pcs_[part]) : Loop<false>(part, pcs_[part]);
  }

  bool Interrupted() {
    if (error_.failed()) return true;
    if (__builtin_expect(!options_.cancel || !options_.cancel->cancelled(), 1)) return false;
    error_.Set(options_.cancel->Why());
    return true;
  }

  template <bool kTrace>
  Outcome Loop(uint16_t part, uint32_t& pc) {
    const PartitionCode& code = program_.parts[part];
    std::vector<Tensor>& slots = frame_.slots[part];
    KernelCtx ctx(slots.data(), code.device->runner(), options_.cancel, code.allocator);
    const uint32_t end = static_cast<uint32_t>(code.code.size());
    if (Interrupted()) return Outcome::kFailed;
    for (; pc < end; ++pc) {
      const Instr& instr = code.code[pc];
      if (__builtin_expect(instr.fn != nullptr, 1)) {
        if (!RunKernel<kTrace>(ctx, instr, instr.fn, part)) return Outcome::kFailed;
      } else if (instr.kind == Instr::kGuarded) {
        if (PassesGuards(code, instr, slots) &&
            !RunKernel<kTrace>(ctx, instr, instr.guarded_fn, part))
          return Outcome::kFailed;
      } else if (instr.kind == Instr::kReplay) {
        if (!kTrace && !Replayed(instr, part, pc)) return Outcome::kFailed;
      } else if (IsMark(instr.kind)) {
        pc = RunSeveral<kTrace>(instr, part, pc);
      } else if (instr.kind >= Instr::kLoopBegin) {
        if (!LoopInstr<kTrace>(instr, part, pc) || Interrupted()) return Outcome::kFailed;
      } else if (instr.kind >= Instr::kOnce) {
        if (!RunHeld<kTrace>(ctx, instr, part, pc)) return Outcome::kFailed;
      } else if (instr.kind == Instr::kKeySend) {
        const int64_t start = kTrace ? recorders_[part].Now() : 0;
        if (!arrivals_->Send(code, instr, slots)) return Outcome::kFailed;
        if (kTrace) recorders_[part].SentAway(instr, start);
      } else if (instr.kind == Instr::kSend) {
        if (!Send<kTrace>(instr, part)) return Outcome::kWaiting;
      } else if (!Receive<kTrace>(instr, part)) {
        return Outcome::kWaiting;
      }
      ReleaseBehind(code, instr, slots);
      // CallKernel checks for cancellation after every kernel, but a loop may contain none.
      if (error_.failed()) return Outcome::kFailed;
    }
    HoldOnce(part);
    return Outcome::kDone;
  }

  template <bool kTrace>
  bool RunKernel(KernelCtx& ctx, const Instr& instr, KernelFn fn, uint16_t part) {
    std::optional<StepRecorder::Caller> caller;
    if constexpr (kTrace) {
      caller.emplace(recorders_[part], instr);
      recorders_[part].Before(instr, frame_.slots[part]);
    }
    const int64_t start = kTrace ? recorders_[part].Reached() : 0;
    ctx.Bind(instr.call);
    Status status = CallKernel(fn, ctx);
    if (status.ok())
      status = CountText(instr.call, frame_.slots[part].data(), program_.parts[part].allocator);
    if (__builtin_expect(!status.ok(), 0)) {
      error_.Set(std::move(status).WithNode(graph_.name(instr.node)));
      return false;
    }
    if (kTrace && !instr.is_vectors)
      recorders_[part].Kernel(instr, start, frame_.slots[part], caller->iterations());
    return true;
  }

  // Runs the first instructions of a chain in one pass, and returns their number. A step that keeps
  // the values of all nodes runs each kernel by itself.
  template <bool kTrace>
  uint32_t RunChain(const FusedCode& chain, uint16_t part) {
    if (kTrace && recorders_[part].keep_values()) return 0;
    const PartitionCode& code = program_.parts[part];
    if constexpr (kTrace) recorders_[part].BeforeChain(code, chain, frame_.slots[part]);
    const int64_t start = kTrace ? recorders_[part].Reached() : 0;
    const uint32_t ran =
        RunFused(code, chain, frame_.slots[part], code.device->runner(), options_.cancel);
    if constexpr (kTrace) recorders_[part].Chain(code, chain, ran, start, frame_.slots[part]);
    return ran;
  }

  // Runs instructions that follow a mark, if the mark allows it. Returns the last one of them, or `pc`.
  // In a traced step, branches run in turn.
  template <bool kTrace>
  uint32_t RunSeveral(const Instr& mark, uint16_t part, uint32_t pc) {
    const PartitionCode& code = program_.parts[part];
    if (mark.kind == Instr::kFused) return pc + RunChain<kTrace>(code.fused[mark.of.fused], part);
    if (kTrace || mark.kind == Instr::kBranch) return pc;
    BranchTimes& times = frame_.branches[part][mark.of.branches];
    if (mark.kind == Instr::kBranchesEnd)
      times.End(code.branches[mark.of.branches]);
    else if (times.Begin())
      return RunBranches(code, code.branches[mark.of.branches], frame_.slots[part], graph_,
                         options_.cancel, error_);
    return pc;
  }

  // Returns true if an instruction whose values are held in their slots need not run. A step that
  // keeps the values of all nodes runs every kernel.
  template <bool kTrace>
  bool HoldsOnce(uint16_t part) const {
    return frame_.once[part] == Frame::kHeld && !(kTrace && recorders_[part].keep_values());
  }

  void HoldOnce(uint16_t part) {
    if (frame_.once[part] == Frame::kMissing) frame_.once[part] = Frame::kHeld;
  }

  // Runs an instruction of the kinds kOnce and kAbout if it must run. Returns false after a failure.
  template <bool kTrace>
  bool RunHeld(KernelCtx& ctx, const Instr& instr, uint16_t part, uint32_t& pc) {
    return instr.kind == Instr::kOnce ? RunOnce<kTrace>(ctx, instr, part, pc)
                                      : RunAbout<kTrace>(ctx, instr, part);
  }

  // Runs an instruction whose values stay in their slots, or moves pc to the last one of this kind.
  // Returns false after a failure.
  template <bool kTrace>
  bool RunOnce(KernelCtx& ctx, const Instr& instr, uint16_t part, uint32_t& pc) {
    if (HoldsOnce<kTrace>(part)) {
      pc += instr.of.rest;
      return true;
    }
    if (!RunKernel<kTrace>(ctx, instr, instr.guarded_fn, part)) return false;
    if (!IsHeldOnce(instr, frame_.slots[part])) frame_.once[part] = Frame::kNever;
    return true;
  }

  // Runs the kernel that tells the shape of its input, unless its output already says so. Another
  // shape makes all instructions of the kind kOnce that follow run again.
  template <bool kTrace>
  bool RunAbout(KernelCtx& ctx, const Instr& instr, uint16_t part) {
    if (HoldsOnce<kTrace>(part)) {
      if (IsStillTrue(instr, frame_.slots[part])) return true;
      frame_.once[part] = Frame::kMissing;
    }
    return RunKernel<kTrace>(ctx, instr, instr.guarded_fn, part);
  }

  // Replays a recording and moves pc to its end. Returns false after a failure.
  bool Replayed(const Instr& instr, uint16_t part, uint32_t& pc) {
    const Result<bool> done =
        frame_.replays[part][instr.of.replay]->Run(frame_.slots[part], options_.cancel);
    if (!done.ok()) error_.Set(Status(done.status()).WithNode(graph_.name(instr.node)));
    if (done.ok() && *done) pc = program_.parts[part].replays[instr.of.replay].end - 1;
    return done.ok();
  }

  // Moves pc to where the loop continues. Returns false after a failure.
  template <bool kTrace>
  bool LoopInstr(const Instr& instr, uint16_t part, uint32_t& pc) {
    const bool begins = kTrace && instr.kind == Instr::kLoopBegin;
    const int64_t start = begins ? recorders_[part].Reached() : 0;
    bool again = false;
    Status status = RunLoopInstr(program_.parts[part], instr, frame_.slots[part], pc, again);
    if (!status.ok()) {
      error_.Set(std::move(status).WithNode(graph_.name(instr.node)));
      return false;
    }
    if (arrivals_ && !arrivals_->FollowLoop(instr, part, again)) return false;
    if (kTrace) recorders_[part].Loop(instr, start, !again && IsSkipped(instr, part));
    return true;
  }

  // Returns true if the loop, which ends here, was not entered: it lies on a branch that was not
  // taken.
  bool IsSkipped(const Instr& instr, uint16_t part) const {
    const uint32_t cond = program_.parts[part].loops[instr.of.loop].cond;
    return instr.kind == Instr::kLoopBegin ||
           (instr.kind == Instr::kLoopTest && !frame_.slots[part][cond]);
  }

  // Returns false if the receiver is too far behind.
  template <bool kTrace>
  bool Send(const Instr& instr, uint16_t part) {
    const int64_t start = kTrace ? recorders_[part].Now() : 0;
    Tensor value = instr.slot == UINT32_MAX ? Tensor() : frame_.slots[part][instr.slot];
    const int64_t bytes = value ? value.bytes() : 0;
    if (!transfers_->Send(instr.of.transfer, std::move(value))) return false;
    if (kTrace) recorders_[part].Sent(instr, start, bytes);
    return true;
  }

  // Returns false if the value is not there yet.
  template <bool kTrace>
  bool Receive(const Instr& instr, uint16_t part) {
    if (kTrace) recorders_[part].Looks();
    Tensor value;
    if (!(instr.kind == Instr::kKeyRecv ? arrivals_->Take(instr.of.keyed, value)
                                        : transfers_->Receive(instr.of.transfer, value)))
      return false;
    if (kTrace) recorders_[part].Received(instr, value ? value.bytes() : 0);
    if (instr.slot != UINT32_MAX) frame_.slots[part][instr.slot] = std::move(value);
    return true;
  }

  const Plan& plan_;
  Program& program_;
  const Graph& graph_;
  Frame& frame_;
  StepOptions options_;
  std::optional<CancelFlag> cancel_rest_;  // of a step with partitions that wait for each other
  StepError error_;
  Clock::time_point begin_;              // of a traced step: its start
  std::vector<StepRecorder> recorders_;  // of a traced step, by partition
  // Set in a step with several partitions or with edges to other processes.
  std::vector<uint32_t> pcs_;  // by partition: the next instruction
  std::optional<Turns> turns_;
  std::optional<Transfers> transfers_;
  std::optional<Arrivals> arrivals_;
};

// Empties the slots of feeds and fetched values, which the next step with this frame must not see.
void DropAtEnd(const Program& program, Frame& frame) {
  for (size_t p = 0; p < program.parts.size(); ++p)
    for (uint32_t slot : program.parts[p].drop_at_end) frame.slots[p][slot] = Tensor();
}

}  // namespace

struct PausingStep::State {
  State(std::shared_ptr<Plan> the_plan, const StepOptions& how)
      : plan(std::move(the_plan)), options(how) {
    if (Program* program = plan->program()) {
      frame = program->TakeFrame();
      step.emplace(*plan, *program, *frame, options);
    } else {
      tokens.emplace(*plan, options);
    }
  }
  const std::shared_ptr<Plan> plan;
  const StepOptions options;
  std::unique_ptr<Frame> frame;
  // Exactly one is set, depending on the kind of the program.
  std::optional<Step> step;
  std::optional<TokenStep> tokens;
  Status status;
  bool ended = false;
};

PausingStep::PausingStep(std::shared_ptr<Plan> plan, CancelFlag* cancel, Exchange* exchange)
    : state_(std::make_unique<State>(
          std::move(plan), StepOptions{.cancel = cancel, .exchange = exchange, .pauses = true})) {}

PausingStep::~PausingStep() {
  if (!state_->step || !state_->step->begun() || state_->ended) return;
  state_->step->GiveUp();
  (void)state_->step->End();
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
  if (s.ended || s.step->RunReady()) return s.status;
  s.ended = true;
  s.status = s.step->End();
  if (s.status.ok()) s.plan->program()->GiveFrame(std::move(s.frame));
  return s.status;
}

Status RunStep(Plan& plan, std::span<const Tensor> feeds, std::span<Tensor> fetched,
               const StepOptions& options) {
  const FlushDenormals flush;
  const bool keyed = !plan.bindings.keyed.empty();
  if (keyed && !options.exchange)
    return FailedPrecondition("this part of a graph runs on a worker, in a step of a master");
  if (!plan.program()) return NameAllUninitialized(plan, TokenStep(plan, options).Advance());
  Program& program = *plan.program();
  std::unique_ptr<Frame> frame = program.TakeFrame();
  for (size_t p = 0; p < program.parts.size(); ++p)
    for (const auto& [feed, slot] : program.parts[p].feeds) frame->slots[p][slot] = feeds[feed];
  Step step(plan, program, *frame, options);
  const bool alone = program.parts.size() == 1 && !keyed;
  Clock::time_point start = alone ? Clock::time_point() : Clock::now();
  Status status = alone ? step.RunAlone() : step.Run();
  if (!alone) program.last_step_ns.store(Since(start));
  for (size_t p = 0; p < program.parts.size() && status.ok(); ++p)
    status = FetchInto(plan, program.parts[p], frame->slots[p], fetched);
  if (!status.ok()) status = CauseOf(program, std::move(status));
  DropAtEnd(program, *frame);
  if (status.ok()) {
    program.GiveFrame(std::move(frame));
    return {};
  }
  for (Tensor& t : fetched) t = Tensor();
  // The frame of a failed step is discarded, because its slots may hold any value.
  return NameAllUninitialized(plan, std::move(status));
}

Status RunCall(Plan& plan, const FuncAttr& function, std::span<Tensor> args, std::span<Tensor> rets,
               CancelFlag* cancel, bool to_host) {
  if (!plan.bindings.keyed.empty())
    return FailedPrecondition("the body of a function cannot contain a Send or Recv");
  Program& program = *plan.program();
  const Stages& stages = plan.stages;
  std::unique_ptr<Frame> frame = program.TakeFrame();
  for (size_t p = 0; p < program.parts.size(); ++p)
    for (const auto& [feed, slot] : program.parts[p].feeds)
      frame->slots[p][slot] = std::move(args[feed]);
  StepTrace trace;
  StepOptions options{.cancel = cancel, .nested = true};
  StepRecorder::Caller* const caller = StepRecorder::Caller::Current();
  const CallSite* const site = caller ? caller->Find(function) : nullptr;
  if (site) {
    options.trace = &trace;
    options.caller = &caller->recorder();
    trace.keep_values = caller->recorder().keep_values();
  }
  Step step(plan, program, *frame, options);
  Status status = program.parts.size() == 1 ? step.RunAlone() : step.Run();
  if (site) caller->Add(*site, stages, std::move(trace));
  for (size_t p = 0; p < program.parts.size() && status.ok(); ++p) {
    for (const auto& [fetch, slot, is_ref] : program.parts[p].fetches) {
      const Tensor& value = frame->slots[p][slot];
      if (!value)
        status =
            InvalidArgument("Retval[", fetch, "] does not have value")
                .WithNode(stages.graph.name(stages.graph.node_of(stages.signature.fetches[fetch])));
      else if (is_ref)
        status = ReadReference(value, &rets[fetch]);
      else
        rets[fetch] = value;
      if (status.ok() && to_host && !rets[fetch].on_host()) {
        TENSH_ASSIGN(rets[fetch], rets[fetch].CopyTo(HostAllocator()));
      }
    }
  }
  if (!status.ok()) return status;  // discards the frame, whose slots may hold any value
  DropAtEnd(program, *frame);
  program.GiveFrame(std::move(frame));
  return {};
}

}  // namespace tensh
