// Finds the instructions of a partition that a device can record: runs of instructions that give it
// work, with host kernels in between that depend only on shapes and constants.
//
// A kernel ends a run if replaying the work on the device would not repeat all of its effects:
// kernels with state (random numbers, queues), kernels that replace the value of a variable instead
// of updating it, and kernels that take or return objects. Instructions that do not depend on the
// run are executed before it.
#include <algorithm>

#include "runtime/exec/compile/code_passes.h"
#include "runtime/exec/compile/memory_moves.h"
#include "runtime/exec/compile/prepare.h"

namespace tensh {
namespace {

constexpr int kFewest = 4;  // the minimum number of kernels in a recording
constexpr uint32_t kNever = UINT32_MAX;

enum class Work : uint8_t {
  kOther,
  kKernel,  // a kernel of the device
  kMoves,   // launches work, but an output may be an input
  kHost,    // uses host memory only
  kPass,    // returns its inputs unchanged
  kShape,   // computes values in host memory from shapes
  kHandle,  // returns the handle of a variable
  kRead,    // reads a variable
  kBring,   // moves a variable to this device
  kFused,   // begins a chain of kernels
  kMoveIn,
  kMoveOut
};

class ReplayFinder {
 public:
  ReplayFinder(const Graph& graph, PartitionCode& code, const std::vector<Lies>& lies,
               const std::vector<bool>& bound)
      : g_(graph), c_(code), lies_(lies), bound_(bound), barred_(code.code.size()) {
    for (const Instr& instr : code.code) work_.push_back(WorkOf(instr));
    in_chain_.resize(code.code.size());
    for (const FusedCode& chain : code.fused)
      std::fill(in_chain_.begin() + chain.begin, in_chain_.begin() + chain.end, true);
  }

  void Run() {
    FindUses();
    do Find();
    while (BarReadsThatLeave());
    Insert();
  }

 private:
  const PluginKernel* RowOf(const Instr& instr) const {
    return g_.op(instr.node).FindPluginKernel(c_.device->info().type, g_.attrs(instr.node));
  }

  Work WorkOf(const Instr& instr) const {
    if (instr.kind == Instr::kFused) return Work::kFused;
    if (instr.kind != Instr::kKernel) return Work::kOther;
    if (instr.is_move && instr.call.n_out == 0) return Work::kBring;
    if (instr.is_move)
      return lies_[instr.call.out[0]] == Lies::kDevice ? Work::kMoveIn : Work::kMoveOut;
    if (instr.is_read) return Work::kRead;
    const OpDef& op = g_.op(instr.node);
    const PluginKernel* row = RowOf(instr);
    if (!row || !row->can_record) return Work::kOther;
    if (op.role == OpRole::kVarHandle) return Work::kHandle;
    if (op.role == OpRole::kReadVariable) return Work::kRead;
    const bool updates = TakesVariable(instr);
    if ((op.stateful && !updates) || HasObjects(instr, updates)) return Work::kOther;
    if (row->fn) return Work::kKernel;
    if (updates) return Work::kOther;
    if (row->host == "*") return Work::kHost;
    if (row->pass != "*") return Work::kMoves;
    return OutputsOnHost(op, *row) ? Work::kShape : Work::kPass;
  }

  bool TakesVariable(const Instr& instr) const {
    for (uint32_t i = 0; i < instr.call.n_in; ++i)
      if (IsVariable(instr, i)) return true;
    return false;
  }
  bool IsVariable(const Instr& instr, uint32_t i) const {
    if (instr.is_read) return !instr.is_move || instr.call.n_out == 0;
    const DType dtype = g_.dtype(g_.input(instr.node, i));
    return BaseType(dtype) == DType::kResource ||
           (IsRef(dtype) && TakesReference(g_, instr.node, i));
  }
  // Returns true if the instruction takes or returns strings, variants or resources. A variable
  // that it updates in place is allowed.
  bool HasObjects(const Instr& instr, bool updates) const {
    const auto is_object = [](DType dtype) { return !IsPod(BaseType(dtype)); };
    for (uint32_t i = 0; i < g_.num_inputs(instr.node); ++i) {
      const DType dtype = g_.dtype(g_.input(instr.node, i));
      if (is_object(dtype) && !(updates && BaseType(dtype) == DType::kResource)) return true;
    }
    for (uint32_t i = 0; i < g_.num_outputs(instr.node); ++i)
      if (is_object(g_.dtype(g_.output(instr.node, i)))) return true;
    return false;
  }
  static bool OutputsOnHost(const OpDef& op, const PluginKernel& row) {
    return !op.outputs.empty() &&
           std::all_of(op.outputs.begin(), op.outputs.end(),
                       [&](const ArgDef& out) { return IsInList(row.host, out.name); });
  }

  // ---- runs ----

  void Find() {
    runs_.clear();
    made_at_.assign(c_.n_slots, kNever);
    made_on_host_.assign(c_.n_slots, false);
    bool open = false;
    int kernels = 0;
    const auto close = [&](uint32_t end) {
      if (open && kernels < kFewest) runs_.pop_back();
      if (open && kernels >= kFewest) runs_.back().end = end;
      open = false;
    };
    for (uint32_t i = 0; i < c_.code.size(); ++i) {
      if (!open) runs_.push_back({.begin = i}), kernels = 0;
      const bool first = CanBeFirst(i);
      if (first && open) {
        runs_.back().roles.push_back(ReplayCode::kFirst);
      } else if (!first && CanBeRecorded(i)) {
        open = true;
        kernels += Launches(i);
        Take(i);
      } else {
        if (!open) runs_.pop_back();
        close(i);
      }
    }
    close(static_cast<uint32_t>(c_.code.size()));
  }

  // A chain counts as one launch.
  bool Launches(uint32_t i) const {
    return !in_chain_[i] &&
           (work_[i] == Work::kKernel || work_[i] == Work::kMoves || work_[i] == Work::kFused);
  }

  bool Inside(uint32_t slot) const {
    return made_at_[slot] != kNever && made_at_[slot] >= runs_.back().begin;
  }
  bool AnyInside(const KernelCall& call) const {
    return std::any_of(call.in, call.in + call.n_in, [&](uint32_t s) { return Inside(s); });
  }
  bool AllBound(const KernelCall& call) const {
    return std::all_of(call.in, call.in + call.n_in, [&](uint32_t s) { return bound_[s]; });
  }
  bool OnDevice(uint32_t slot) const {
    return Inside(slot) ? !made_on_host_[slot] : lies_[slot] == Lies::kDevice;
  }

  // Returns true if the instruction can run before the recording in each step: it is cheap, has no
  // effects, and does not depend on the run.
  bool CanBeFirst(uint32_t i) const {
    const KernelCall& call = c_.code[i].call;
    if (barred_[i] || AnyInside(call)) return false;
    if (work_[i] == Work::kHandle) return true;
    if (work_[i] == Work::kHost || work_[i] == Work::kMoveOut) return !AllBound(call);
    return work_[i] == Work::kPass && call.n_in && !AllBound(call) && !OnDevice(call.in[0]);
  }

  bool CanBeRecorded(uint32_t i) const {
    const KernelCall& call = c_.code[i].call;
    if (barred_[i]) return false;
    switch (work_[i]) {
      case Work::kOther:
      case Work::kHandle:
        return false;
      case Work::kMoveOut:
        return !OnDevice(call.in[0]);
      case Work::kPass:  // a value that arrives in host memory may change from step to step
        return std::none_of(call.in, call.in + call.n_in, [&](uint32_t slot) {
          return !bound_[slot] && !Inside(slot) && !OnDevice(slot) && !WantsOnHost(i, slot);
        });
      default:
        return true;
    }
  }

  bool WantsOnHost(uint32_t i, uint32_t slot) const {
    const Instr& instr = c_.code[i];
    const PluginKernel* row = instr.is_read ? nullptr : RowOf(instr);
    if (!row) return false;
    const std::vector<Lies> lies =
        ArgumentMemory(g_.op(instr.node).inputs, row, g_.attrs(instr.node));
    for (uint32_t k = 0; k < instr.call.n_in && k < lies.size(); ++k)
      if (instr.call.in[k] == slot && lies[k] == Lies::kHost) return true;
    return false;
  }

  void Take(uint32_t i) {
    const Instr& instr = c_.code[i];
    ReplayCode& run = runs_.back();
    ReplayCode::Role role = ReplayCode::kRecorded;
    if (work_[i] == Work::kMoveIn) {
      const uint32_t from = instr.call.in[0], to = instr.call.out[0];
      role = Inside(from) || bound_[from] ? ReplayCode::kMovedIn : ReplayCode::kCopied;
      if (role == ReplayCode::kCopied) run.copied.push_back({from, to});
    } else {
      for (uint32_t k = 0; k < instr.call.n_in; ++k) TakeInput(i, k);
    }
    run.roles.push_back(role);
    bool on_host = work_[i] == Work::kHost || work_[i] == Work::kShape;
    on_host |= work_[i] == Work::kMoveOut;
    if (work_[i] == Work::kPass && instr.call.n_in) on_host = !OnDevice(instr.call.in[0]);
    for (uint32_t k = 0; k < instr.call.n_out; ++k) {
      made_at_[instr.call.out[k]] = i;
      made_on_host_[instr.call.out[k]] = on_host;
    }
  }

  void TakeInput(uint32_t i, uint32_t k) {
    const Instr& instr = c_.code[i];
    const uint32_t slot = instr.call.in[k];
    ReplayCode& run = runs_.back();
    const auto add = [&](std::vector<uint32_t>& list) {
      if (std::find(list.begin(), list.end(), slot) == list.end()) list.push_back(slot);
    };
    if (Inside(slot)) return;
    if (IsVariable(instr, k)) return add(run.variables);
    if (bound_[slot]) return;
    if (work_[i] == Work::kShape) return add(run.shaped);
    if (work_[i] == Work::kHost || WantsOnHost(i, slot)) return add(run.same_values);
    const auto is_it = [&](const ReplayCode::Copy& copy) { return copy.to == slot; };
    if (std::none_of(run.copied.begin(), run.copied.end(), is_it))
      run.copied.push_back({slot, slot});
  }

  // ---- outputs ----

  // Fills in the outputs of each run. If an output would be the value that was read from a
  // variable, excludes the instruction that reads it and returns true. The runs must then be found
  // again.
  bool BarReadsThatLeave() {
    bool barred = false;
    for (ReplayCode& run : runs_) {
      run.made.clear();
      std::vector<bool> is_read(c_.n_slots);
      for (uint32_t i = run.begin; i < run.end; ++i) {
        if (run.roles[i - run.begin] == ReplayCode::kFirst) continue;
        const KernelCall& call = c_.code[i].call;
        bool reads = work_[i] == Work::kRead;
        for (uint32_t k = 0; k < call.n_in; ++k)
          reads |= work_[i] != Work::kKernel && is_read[call.in[k]];
        for (uint32_t k = 0; k < call.n_out; ++k) {
          is_read[call.out[k]] = reads;
          const Use use = UseBehind(run, call.out[k]);
          if (use == Use::kNone) continue;
          run.made.push_back({call.out[k], use == Use::kKept});
          if (reads) barred = barred_[i] = true;
        }
      }
    }
    return barred;
  }

  enum class Use { kNone, kRead, kKept };
  Use UseBehind(const ReplayCode& run, uint32_t slot) const {
    const auto behind = [&](uint32_t at) { return at != kNever && at >= run.end; };
    return behind(last_kept_[slot])  ? Use::kKept
           : behind(last_use_[slot]) ? Use::kRead
                                     : Use::kNone;
  }

  void FindUses() {
    last_use_.assign(c_.n_slots, kNever);
    last_kept_.assign(c_.n_slots, kNever);
    for (uint32_t i = 0; i < c_.code.size(); ++i) {
      const KernelCall& call = c_.code[i].call;
      const bool only_reads = work_[i] == Work::kKernel || work_[i] == Work::kShape ||
                              work_[i] == Work::kMoveIn || work_[i] == Work::kMoveOut;
      for (uint32_t k = 0; k < call.n_in; ++k)
        (only_reads ? last_use_ : last_kept_)[call.in[k]] = i;
    }
    for (const auto& fetch : c_.fetches) last_use_[fetch.slot] = kNever - 1;
  }

  // A chain lies either within a run or outside of it.
  void Insert() {
    uint32_t marks = 0;
    for (FusedCode& chain : c_.fused) {
      while (marks < runs_.size() && runs_[marks].begin < chain.begin) ++marks;
      chain.begin += marks;
      chain.end += marks;
    }
    MarkRanges(c_.code, runs_,
               [](uint32_t n) { return Instr{.of = {.replay = n}, .kind = Instr::kReplay}; });
    c_.replays = std::move(runs_);
  }

  const Graph& g_;
  PartitionCode& c_;
  const std::vector<Lies>& lies_;
  const std::vector<bool>& bound_;
  std::vector<bool> barred_;        // by instruction: excluded from recordings
  std::vector<Work> work_;          // by instruction
  std::vector<bool> in_chain_;      // by instruction
  std::vector<ReplayCode> runs_;    // the last one may be open
  std::vector<uint32_t> made_at_;   // by slot: the instruction of a run that makes it
  std::vector<bool> made_on_host_;  // by slot
  // By slot: the last instruction that only reads the value, and the last that may keep it.
  std::vector<uint32_t> last_use_, last_kept_;
};

}  // namespace

void FindReplays(const Graph& graph, PartitionCode& code, const std::vector<Lies>& lies,
                 const std::vector<bool>& bound) {
  ReplayFinder(graph, code, lies, bound).Run();
}

}  // namespace tensh
