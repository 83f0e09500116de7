// Runs a TokenProgram. A node runs in an iteration when all of its inputs have arrived there, dead
// or alive.
#include <condition_variable>
#include <deque>
#include <map>

#include "runtime/core/memory/limited_allocator.h"
#include "runtime/core/strcat.h"
#include "runtime/exec/dataflow.h"
#include "runtime/exec/fetches.h"
#include "runtime/exec/loop_keys.h"
#include "runtime/exec/reference_value.h"

namespace tensh {
namespace {

using Clock = std::chrono::steady_clock;

// The inputs that have arrived at a node in one iteration.
struct Waiting {
  std::vector<Tensor> inputs;
  uint32_t missing = 0;  // inputs and control edges
  uint32_t dead_inputs = 0;
  uint32_t from = 0;  // Merge: the input that has a value
  bool dead = false, fired = false;
};

struct Iteration {
  std::map<uint32_t, Waiting> nodes;  // nodes at which an input has arrived
  size_t active = 0;  // ready nodes, requested values, and inner loops that still run
};

// A loop that was entered, in one iteration of the loop around it; or the whole part, if `around`
// is null.
struct OpenLoop {
  uint32_t frame = 0;   // in Flow::frames
  uint64_t number = 0;  // in the keys of edges
  OpenLoop* around = nullptr;
  uint64_t around_at = 0;  // the iteration of `around`
  uint32_t enters_left = 0;
  std::map<uint64_t, Iteration> iterations;  // iterations that have not ended
  uint64_t last = 0;                         // the newest iteration
  struct Constant {
    uint32_t node;
    Tensor value;  // empty if dead
  };
  std::vector<Constant> constants;   // passed to every iteration, including later ones
  std::vector<uint32_t> dead_exits;  // Exits that were dead in the newest iteration
  std::map<std::pair<uint32_t, uint64_t>, std::unique_ptr<OpenLoop>> inner;  // by frame, iteration
};

struct Ready {
  OpenLoop* loop;
  uint64_t at;  // iteration
  uint32_t node;
};

}  // namespace

class TokenStep::Tokens : private CancelFlag::Waiter {
 public:
  Tokens(const Plan& plan, const StepOptions& options)
      : plan_(plan), code_(*plan.tokens()), options_(options) {}

  Status Advance() {
    if (!begun_) Begin();
    status_ = Drain();
    if (status_.ok() && waits_) return {};
    End();
    return status_;
  }
  void GiveUp() {
    status_ = Cancelled("the partial run was abandoned");
    End();
  }
  bool begun() const { return begun_; }
  bool ended() const { return ended_; }

 private:
  struct Arrival {
    Ready at;
    Status status;
    Tensor value;
    bool dead;  // the Recv itself is on a branch that was not taken
  };

  const TokenNode& Node(uint32_t i) const { return code_.nodes[i]; }
  int64_t Now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
  }

  // ---- the step ----

  void Begin() {
    begun_ = true;
    if (options_.cancel) options_.cancel->Add(this);
    root_.iterations.try_emplace(0);
    for (uint32_t i = 0; i < code_.nodes.size(); ++i)
      if (!code_.nodes[i].n_in && !code_.nodes[i].n_controls) Push({&root_, 0, i});
  }

  void End() {
    ended_ = true;
    if (!status_.ok()) options_.exchange->Abort(status_);
    std::unique_lock lock(mu_);  // returns after the last callback
    wake_.wait(lock, [&] { return asked_ == 0; });
    lock.unlock();
    if (options_.cancel) options_.cancel->Remove(this);
    if (options_.trace) options_.trace->wall_ns = Now();
  }

  // Runs until no node is ready and no value is expected. In the last, dead iteration of a loop, an
  // inner loop may have been entered by constants only. It never starts, which is correct because
  // its outputs have no consumer.
  Status Drain() {
    while (true) {
      TENSH_RETURN_IF_ERROR(Interrupted());
      if (!ready_.empty()) {
        const Ready next = ready_.front();
        ready_.pop_front();
        Status status = RunNode(next);
        if (!status.ok()) return std::move(status).WithNode(NameOf(next.node));
        continue;
      }
      std::unique_lock lock(mu_);
      if (arrivals_.empty()) {
        waits_ = asked_ > 0;
        if (!waits_ || options_.pauses) return {};
        WaitForArrival(lock);
        continue;
      }
      Arrival arrival = std::move(arrivals_.front());
      arrivals_.pop_front();
      lock.unlock();
      if (!arrival.status.ok()) return std::move(arrival.status);
      TENSH_RETURN_IF_ERROR(Received(arrival));
    }
  }

  Status Interrupted() const {
    return options_.cancel && options_.cancel->cancelled() ? options_.cancel->Why() : Status();
  }

  // The flag and the arrivals are checked under the lock, so that neither can change unnoticed
  // before the wait.
  void WaitForArrival(std::unique_lock<std::mutex>& lock) {
    if (options_.cancel && options_.cancel->cancelled()) return;
    wake_.wait(lock);
  }

  void Wake() override {
    std::lock_guard lock(mu_);
    wake_.notify_all();
  }

  void Push(const Ready& node) {
    ++node.loop->iterations[node.at].active;
    ready_.push_back(node);
  }

  // ---- nodes ----

  Status RunNode(const Ready& at) {
    const TokenNode& n = Node(at.node);
    Waiting got = std::move(at.loop->iterations[at.at].nodes[at.node]);
    const int64_t start = options_.trace ? Now() : 0;
    if (n.keyed != TokenNode::kNone) {
      if (!plan_.bindings.keyed[n.keyed].is_send) return Ask(at, got.dead);
      TENSH_RETURN_IF_ERROR(Send(at, got));
    }
    std::vector<Tensor> outputs(n.n_out);
    if (n.role == OpRole::kControlTrigger) got.dead = false;
    if (!got.dead && n.keyed == TokenNode::kNone) {
      TENSH_RETURN_IF_ERROR(ReadReferences(n, got.inputs));
      TENSH_RETURN_IF_ERROR(Compute(n, got, outputs));
      if (options_.trace && n.kernel.fn) Record(n, start, outputs);
    }
    Pass(at, outputs, got.dead);
    return {};
  }

  Status ReadReferences(const TokenNode& n, std::vector<Tensor>& inputs) const {
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      if (!n.reads[i]) continue;
      Tensor value;
      TENSH_RETURN_IF_ERROR(ReadReference(inputs[i], &value));
      inputs[i] = std::move(value);
    }
    return {};
  }

  Status Compute(const TokenNode& n, Waiting& got, std::vector<Tensor>& outputs) const {
    switch (n.role) {
      case OpRole::kSwitch: {
        const Tensor& decides = got.inputs[1];
        if (decides.rank() != 0)
          return InvalidArgument("The second input must be a scalar, but it has shape ",
                                 decides.shape());
        outputs[*decides.data<bool>() ? 1 : 0] = std::move(got.inputs[0]);
        return {};
      }
      case OpRole::kMerge:
        outputs[1] = Tensor::Scalar<int32_t>(static_cast<int32_t>(got.from));
        [[fallthrough]];
      case OpRole::kEnter:
      case OpRole::kExit:
      case OpRole::kNextIteration:
      case OpRole::kLoopCond:
        outputs[0] = std::move(got.inputs[got.from]);
        return {};
      default:
        break;
    }
    if (n.constant) outputs[0] = n.constant;
    return n.kernel.fn ? RunKernel(n, got.inputs, outputs) : Status();
  }

  Status RunKernel(const TokenNode& n, std::vector<Tensor>& slots,
                   std::vector<Tensor>& outputs) const {
    slots.resize(n.n_in + n.n_out);
    KernelCtx ctx(slots.data(), code_.device->runner(), options_.cancel, code_.allocator);
    ctx.Bind(n.call);
    TENSH_RETURN_IF_ERROR(CallKernel(n.kernel.fn, ctx));
    TENSH_RETURN_IF_ERROR(CountText(n.call, slots.data(), code_.allocator));
    std::move(slots.begin() + n.n_in, slots.end(), outputs.begin());
    return {};
  }

  void Record(const TokenNode& n, int64_t start, const std::vector<Tensor>& outputs) const {
    int64_t bytes = 0;
    for (const Tensor& t : outputs) bytes += t ? t.bytes() : 0;
    options_.trace->events.push_back({StepEvent::kCompute, 0, n.node, 0, start, Now(), bytes});
  }

  // ---- tokens ----

  // Passes outputs to their consumers. An empty output is dead, and so are the control edges of a
  // node that did not run.
  void Pass(const Ready& at, const std::vector<Tensor>& outputs, bool dead) {
    const TokenNode& n = Node(at.node);
    OpenLoop* loop = at.loop;
    switch (n.role) {
      case OpRole::kEnter:
        PassInto(Inner(at), at.node, outputs[0]);
        break;
      case OpRole::kExit:
        if (!dead)
          PassTo(loop->around, loop->around_at, at.node, outputs, dead);
        else if (at.at == loop->last)  // a later iteration runs its own Exits
          loop->dead_exits.push_back(at.node);
        break;
      case OpRole::kNextIteration:  // a dead value starts no iteration, so the loop ends
        if (dead) break;
        BeginIteration(loop, at.at + 1);
        PassTo(loop, at.at + 1, at.node, outputs, dead);
        break;
      default:
        PassTo(loop, at.at, at.node, outputs, dead);
    }
    Ended(loop, at.at);
  }

  void PassTo(OpenLoop* loop, uint64_t at, uint32_t from, const std::vector<Tensor>& outputs,
              bool dead) {
    for (const TokenNode::Edge& e : Node(from).edges) {
      const bool control = e.output == TokenNode::kNone;
      Arrive({loop, at, e.to}, e, control ? Tensor() : outputs[e.output],
             dead || (!control && !outputs[e.output]), Node(from).role == OpRole::kEnter);
    }
  }

  void PassInto(OpenLoop* loop, uint32_t enter, const Tensor& value) {
    --loop->enters_left;
    if (Node(enter).is_constant) loop->constants.push_back({enter, value});
    for (const auto& [at, iteration] : loop->iterations) {
      if (at > 0 && !Node(enter).is_constant) break;
      PassTo(loop, at, enter, {value}, !value);
    }
    EndIterations(loop);
  }

  void Arrive(const Ready& at, const TokenNode::Edge& e, Tensor value, bool dead, bool from_enter) {
    const TokenNode& n = Node(at.node);
    auto [it, added] = at.loop->iterations[at.at].nodes.try_emplace(at.node);
    Waiting& w = it->second;
    if (w.fired) return;  // a Merge ignores all inputs after the first
    const bool merges = n.role == OpRole::kMerge, control = e.output == TokenNode::kNone;
    if (added) {
      w.inputs.resize(n.n_in);
      w.missing = n.n_controls + (merges ? 1 : n.n_in);
      w.dead = merges;
    }
    if (!merges) {
      w.dead |= dead;
      --w.missing;
    } else if (control) {
      --w.missing;
    } else if (!dead) {  // a Merge fires with the first value
      if (w.dead) --w.missing, w.from = e.input;
      w.dead = false;
    } else if (w.dead && (++w.dead_inputs == n.n_in || from_enter)) {
      --w.missing;  // without a first value there is no next value to wait for
    }
    if (!control) w.inputs[e.input] = std::move(value);
    w.fired = !w.missing;
    if (!w.fired) return;
    Push(at);
  }

  // ---- loops ----

  OpenLoop* Inner(const Ready& at) {
    auto [it, added] = at.loop->inner.try_emplace({Node(at.node).frame, at.at});
    if (!added) return it->second.get();
    it->second = std::make_unique<OpenLoop>();
    OpenLoop& loop = *it->second;
    loop.frame = Node(at.node).frame;
    loop.number =
        LoopNumber(at.loop->number, at.at, plan_.stages.pruned.flow.frames[loop.frame].name);
    loop.around = at.loop;
    loop.around_at = at.at;
    loop.enters_left = code_.enters[loop.frame];
    loop.iterations.try_emplace(0);
    ++at.loop->iterations[at.at].active;
    return &loop;
  }

  void BeginIteration(OpenLoop* loop, uint64_t at) {
    if (at <= loop->last) return;
    loop->last = at;
    loop->iterations.try_emplace(at);
    loop->dead_exits.clear();
    for (const OpenLoop::Constant& c : loop->constants)
      PassTo(loop, at, c.node, {c.value}, !c.value);
  }

  void Ended(OpenLoop* loop, uint64_t at) {
    --loop->iterations[at].active;
    EndIterations(loop);
  }

  // An iteration ends when none of its nodes can run and no value can arrive in it. The loop ends
  // with its last iteration.
  void EndIterations(OpenLoop* loop) {
    if (loop->enters_left) return;
    auto& open = loop->iterations;
    while (!open.empty() && !open.begin()->second.active) open.erase(open.begin());
    if (!open.empty() || !loop->around) return;
    OpenLoop* around = loop->around;
    const uint64_t at = loop->around_at;
    const std::vector<uint32_t> dead_exits = std::move(loop->dead_exits);
    around->inner.erase({loop->frame, at});
    for (uint32_t exit : dead_exits) PassTo(around, at, exit, {Tensor()}, true);
    Ended(around, at);
  }

  // ---- other processes ----

  std::string KeyOf(const Ready& at) const {
    return StrCat(plan_.bindings.keyed[Node(at.node).keyed].key, at.loop->number, ":", at.at);
  }

  // Dead values are sent as well, because the receiver waits for a value or a dead token.
  Status Send(const Ready& at, Waiting& got) {
    const TokenNode& n = Node(at.node);
    if (got.dead) return options_.exchange->Send(KeyOf(at), Tensor());
    TENSH_RETURN_IF_ERROR(ReadReferences(n, got.inputs));
    Tensor& value = got.inputs[0];
    if (SharesAVariable(plan_.bindings, value)) {
      value = value.DeepCopy();  // the variable may change before the value is sent
      if (!value) return ResourceExhausted("out of memory for a value that is sent");
    }
    return options_.exchange->Send(KeyOf(at), value);
  }

  Status Ask(const Ready& at, bool dead) {
    {
      std::lock_guard lock(mu_);
      ++asked_;
    }
    options_.exchange->Receive(KeyOf(at), [this, at, dead](Status status, Tensor value) {
      std::lock_guard lock(mu_);
      arrivals_.push_back({at, std::move(status), std::move(value), dead});
      --asked_;
      wake_
          .notify_all();  // under the lock, because the step may be destroyed right after it is released
    });
    return {};
  }

  Status Received(Arrival& arrival) {
    const Keyed& edge = plan_.bindings.keyed[Node(arrival.at.node).keyed];
    if (arrival.value && arrival.value.dtype() != edge.dtype)
      return InvalidArgument("the value received as ", edge.key, " is ",
                             Name(arrival.value.dtype()), "; it must be ", Name(edge.dtype));
    Pass(arrival.at, {std::move(arrival.value)}, arrival.dead);
    return {};
  }

  std::string_view NameOf(uint32_t node) const { return plan_.stages.graph.name(Node(node).node); }

  const Plan& plan_;
  const TokenProgram& code_;
  const StepOptions& options_;
  const Clock::time_point start_ = Clock::now();
  bool begun_ = false, ended_ = false, waits_ = false;
  Status status_;
  OpenLoop root_;
  std::deque<Ready> ready_;
  std::mutex mu_;
  std::condition_variable wake_;
  std::deque<Arrival> arrivals_;  // guarded by mu_
  size_t asked_ = 0;              // guarded by mu_: values requested and not arrived
};

TokenStep::TokenStep(const Plan& plan, const StepOptions& options)
    : tokens_(std::make_unique<Tokens>(plan, options)) {}
TokenStep::~TokenStep() {
  if (tokens_->begun() && !tokens_->ended()) tokens_->GiveUp();
}
Status TokenStep::Advance() { return tokens_->Advance(); }
bool TokenStep::ended() const { return tokens_->ended(); }

}  // namespace tensh
