// Finds the branches of a partition that do not depend on each other and may run at once (branches.h).
// Only kernels without effects belong to a branch. The units of a region move together: first
// those that are cheap and depend on no branch, then the branches, then those that need two of them.
#include <algorithm>
#include <deque>

#include "runtime/exec/compile/code_passes.h"
#include "runtime/exec/compile/prepare.h"

namespace tensh {
namespace {

constexpr size_t kReach = 128;             // units that are searched at once
constexpr int64_t kFewestElements = 4096;  // of a result that makes a branch worthwhile
constexpr uint32_t kOutside = UINT32_MAX, kLater = UINT32_MAX - 1;

class BranchFinder {
 public:
  BranchFinder(const Graph& graph, PartitionCode& code)
      : g_(graph), c_(code), label_(code.n_slots, kOutside), uses_(code.n_slots, 0) {}

  void Run() {
    for (uint32_t i = 0; i < c_.code.size();) {
      const Instr& instr = c_.code[i];
      const uint32_t end = instr.kind == Instr::kFused ? c_.fused[instr.of.fused].end : i + 1;
      rest_.push_back({i, end});
      for (; i < end; ++i)
        for (uint32_t k = 0; k < c_.code[i].call.n_in; ++k) ++uses_[c_.code[i].call.in[k]];
    }
    for (bool begins = true; !rest_.empty();) {
      if (begins && TakeRegion()) continue;
      begins = !MayMove(rest_.front()) || IsFork(rest_.front());
      Put(rest_.front());
      rest_.pop_front();
    }
    if (!c_.branches.empty()) c_.code = std::move(out_);
  }

 private:
  // An instruction, or a chain with the mark before it.
  struct Unit {
    uint32_t begin, end;
  };

  std::span<const Instr> InstrsOf(const Unit& u) const {
    return std::span(c_.code).subspan(u.begin, u.end - u.begin);
  }

  // True if the unit has no effects and is not affected by any in a region.
  bool MayMove(const Unit& u) const {
    const auto instrs = InstrsOf(u);
    return std::all_of(instrs.begin(), instrs.end(), [&](const Instr& instr) {
      return instr.kind == Instr::kFused || MayMove(instr);
    });
  }
  bool MayMove(const Instr& instr) const {
    if (instr.kind != Instr::kKernel || !instr.call.n_out) return false;
    if (instr.is_read) return true;
    if (instr.is_move || instr.node == kNoNode) return false;
    const OpDef& op = g_.op(instr.node);
    if (op.role == OpRole::kReadVariable) return true;
    if (op.stateful || op.waits_for != WaitsFor::kNothing || op.id >= kFunctionOps) return false;
    for (const AttrDef& attr : op.attrs)
      if (attr.kind == AttrKind::kFunc) return false;
    for (uint32_t i = 0; i < g_.num_inputs(instr.node); ++i) {
      const DType type = BaseType(g_.dtype(g_.input(instr.node, i)));
      if (!IsPod(type) || TakesReference(g_, instr.node, i)) return false;
    }
    return true;
  }

  // True if the unit may take long enough to be worth a thread.
  bool MayBeLong(const Unit& u) const {
    const Instr& instr = c_.code[u.begin];
    if (instr.kind == Instr::kFused) return true;
    const OpDef& op = g_.op(instr.node);
    if (instr.is_read || instr.is_vectors || op.role != OpRole::kOrdinary ||
        op.elementwise != Elementwise::kNo)
      return false;
    const Shape& shape = g_.shape(g_.output(instr.node, 0));
    return !shape.IsFullyKnown() || shape.num_elements() >= kFewestElements;
  }

  bool IsFork(const Unit& u) const {
    for (const Instr& instr : InstrsOf(u))
      for (uint32_t k = 0; k < instr.call.n_out; ++k)
        if (uses_[instr.call.out[k]] > 1) return true;
    return false;
  }

  // Returns the branch that the inputs of the unit come from, kOutside or, if they come from several,
  // kLater.
  uint32_t BranchOf(const Unit& u) const {
    uint32_t branch = kOutside;
    for (const Instr& instr : InstrsOf(u))
      for (uint32_t k = 0; k < instr.call.n_in; ++k) {
        const uint32_t label = label_[instr.call.in[k]];
        if (label == kOutside || label == branch) continue;
        branch = branch == kOutside ? label : kLater;
      }
    return branch;
  }

  void Label(const Unit& u, uint32_t label) {
    for (const Instr& instr : InstrsOf(u))
      for (uint32_t k = 0; k < instr.call.n_out; ++k) label_[instr.call.out[k]] = label;
  }

  // Emits a region that begins with the next unit. Returns false if there is no more than one branch.
  bool TakeRegion() {
    std::vector<Unit> first, later;
    std::vector<std::vector<Unit>> branches;
    size_t n = 0;
    for (; n < std::min(rest_.size(), kReach) && MayMove(rest_[n]); ++n) {
      const Unit& unit = rest_[n];
      uint32_t branch = BranchOf(unit);
      if (branch == kOutside && !MayBeLong(unit)) {
        first.push_back(unit);
        continue;
      }
      if (branch == kOutside) {
        branch = static_cast<uint32_t>(branches.size());
        branches.emplace_back();
      }
      (branch == kLater ? later : branches[branch]).push_back(unit);
      Label(unit, branch);
    }
    for (size_t i = 0; i < n; ++i) Label(rest_[i], kOutside);
    if (branches.size() < 2) return false;
    for (const Unit& unit : first) Put(unit);
    Put(branches);
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(n));
    rest_.insert(rest_.begin(), later.begin(), later.end());
    return true;
  }

  void Put(const Unit& u) {
    if (c_.code[u.begin].kind == Instr::kFused) {
      FusedCode& chain = c_.fused[c_.code[u.begin].of.fused];
      chain.begin = static_cast<uint32_t>(out_.size()) + 1;
      chain.end = chain.begin + u.end - u.begin - 1;
    }
    const auto instrs = InstrsOf(u);
    out_.insert(out_.end(), instrs.begin(), instrs.end());
  }

  void Put(const std::vector<std::vector<Unit>>& branches) {
    BranchesCode code;
    for (const std::vector<Unit>& branch : branches) {
      PutMark(code.branches.empty() ? Instr::kBranches : Instr::kBranch, branch.front());
      const auto begin = static_cast<uint32_t>(out_.size());
      for (const Unit& unit : branch) Put(unit);
      code.branches.push_back({begin, static_cast<uint32_t>(out_.size())});
    }
    PutMark(Instr::kBranchesEnd, branches.back().back());
    c_.branches.push_back(std::move(code));
  }

  void PutMark(Instr::Kind kind, const Unit& beside) {
    Instr mark{.of = {.branches = static_cast<uint32_t>(c_.branches.size())}};
    mark.node = c_.code[beside.begin].node;
    mark.kind = kind;
    out_.push_back(mark);
  }

  const Graph& g_;
  PartitionCode& c_;
  std::vector<uint32_t> label_, uses_;  // by slot
  std::deque<Unit> rest_;               // units that are not yet in out_
  std::vector<Instr> out_;
};

}  // namespace

void FindBranches(const Graph& graph, PartitionCode& code) { BranchFinder(graph, code).Run(); }

}  // namespace tensh
