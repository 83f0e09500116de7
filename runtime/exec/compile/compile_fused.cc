// Finds the elementwise instructions of a partition that can run in one pass: those that are
// adjacent, or can be made so because the instructions between them have no effects and do not use
// their results. The first one may be a kernel that makes its output in parts. Shapes are often
// unknown at this point; known shapes must agree.
#include <algorithm>

#include "runtime/core/joined.h"
#include "runtime/exec/compile/code_passes.h"
#include "runtime/exec/compile/prepare.h"
#include "runtime/exec/fused.h"

namespace tensh {
namespace {

constexpr uint32_t kMost = 32;   // the maximum number of instructions in a pass
constexpr uint32_t kReach = 16;  // the maximum number of instructions between two members of a pass
constexpr uint32_t kNone = UINT32_MAX;

class FusedFinder {
 public:
  FusedFinder(const Graph& graph, PartitionCode& code, const std::vector<bool>& keep)
      : g_(graph),
        c_(code),
        keep_(keep),
        on_host_(!code.allocator || code.allocator->is_host()),
        local_(code.n_slots, kNone),
        chain_end_(code.code.size()) {}

  void Run() {
    FindUses();
    for (uint32_t i = 0; i < c_.code.size();) {
      if (chain_end_[i])
        i = chain_end_[i];
      else if (!(IsMaker(c_.code[i]) || IsStep(c_.code[i], kFewestFused)) || !Gather(i))
        ++i;
    }
    std::sort(chains_.begin(), chains_.end(),
              [](const FusedCode& a, const FusedCode& b) { return a.begin < b.begin; });
    if (!chains_.empty())
      MarkRanges(c_.code, chains_,
                 [](uint32_t n) { return Instr{.of = {.fused = n}, .kind = Instr::kFused}; });
    c_.fused = std::move(chains_);
  }

 private:
  // Returns the element count of the output, or -1 if it is not known yet.
  int64_t ElementsOf(const Instr& instr) const {
    const Shape& shape = g_.shape(g_.output(instr.node, 0));
    return shape.IsFullyKnown() ? shape.num_elements() : -1;
  }

  static bool IsKernel(const Instr& instr) {
    return instr.kind == Instr::kKernel && !instr.is_read && !instr.is_move && !instr.is_vectors &&
           !instr.is_joined && instr.call.n_out == 1 && IsPod(instr.call.out_dtypes[0]);
  }

  // Returns true if the instruction makes its output in parts.
  bool IsMaker(const Instr& instr) const {
    if (!on_host_ || !instr.call.state || !IsKernel(instr)) return false;
    const auto* joined = dynamic_cast<const JoinedState*>(instr.call.state);
    if (!joined || !joined->in_parts) return false;
    const Shape& shape = g_.shape(g_.output(instr.node, 0));
    const int64_t elements = ElementsOf(instr);
    const int64_t row = shape.has_rank() && shape.rank() > 0 ? shape[shape.rank() - 1] : -1;
    return (elements < 0 || elements >= kFewestInParts) && (row < 0 || row % kPartVector == 0);
  }

  // Returns true if the instruction passes its input on.
  bool IsPass(const Instr& instr) const {
    return on_host_ && IsKernel(instr) && g_.op(instr.node).role == OpRole::kIdentity &&
           !IsRef(g_.dtype(g_.input(instr.node, 0)));
  }

  // Returns true if the instruction can be a step of a chain of at least so many elements.
  bool IsStep(const Instr& instr, int64_t fewest) const {
    if (!IsKernel(instr)) return false;
    const OpDef& op = g_.op(instr.node);
    if (op.elementwise == Elementwise::kNo && !instr.is_rows) return false;
    if (!on_host_ && !ChainsOf(instr)) return false;
    if (op.elementwise == Elementwise::kRowBias && !AddsToRows(instr.node)) return false;
    for (uint32_t i = 0; i < g_.num_inputs(instr.node); ++i) {
      const DType dtype = g_.dtype(g_.input(instr.node, i));
      if (!IsPod(BaseType(dtype)) || (IsRef(dtype) && TakesReference(g_, instr.node, i)))
        return false;
    }
    const int64_t elements = ElementsOf(instr);
    return !on_host_ || elements < 0 || elements >= fewest;
  }

  // Returns the device's kernel for chains that can contain this instruction, or null if it has
  // none.
  FusedFn ChainsOf(const Instr& instr) const {
    const PluginKernel* row = RowOf(instr);
    return row ? row->fused : nullptr;
  }
  const PluginKernel* RowOf(const Instr& instr) const {
    return g_.op(instr.node).FindPluginKernel(c_.device->info().type, g_.attrs(instr.node));
  }

  bool AddsToRows(NodeId bias_add) const {
    return g_.attrs(bias_add).String("data_format") == "NHWC" &&
           g_.shape(g_.input(bias_add, 0)).rank() >= 2 &&
           g_.shape(g_.input(bias_add, 1)).rank() == 1;
  }

  FusedCode::Step::Takes TakesOf(const Instr& instr) const {
    if (instr.is_rows) return FusedCode::Step::kRows;
    switch (g_.op(instr.node).elementwise) {
      case Elementwise::kRowBias:
        return FusedCode::Step::kBias;
      case Elementwise::kBroadcast:
        return FusedCode::Step::kBroadcast;
      default:
        return FusedCode::Step::kSame;
    }
  }

  // Returns true if the instruction can move in front of a chain: it has no effects, and
  // instructions with effects, which might change its result, end a chain.
  bool MayMove(const Instr& instr) const {
    if (instr.kind == Instr::kRecv) return true;  // a Send never moves behind it
    if (instr.kind == Instr::kOnce || instr.kind == Instr::kAbout) return true;
    if (instr.kind != Instr::kKernel) return false;
    if (instr.is_move) return instr.call.n_out;  // a move without outputs moves a variable
    if (instr.is_read) return true;
    const OpDef& op = g_.op(instr.node);
    if (op.role == OpRole::kReadVariable || op.role == OpRole::kVarHandle) return true;
    if (op.stateful) return false;
    for (uint32_t i = 0; i < g_.num_inputs(instr.node); ++i) {
      const DType dtype = g_.dtype(g_.input(instr.node, i));
      if (BaseType(dtype) == DType::kResource || TakesReference(g_, instr.node, i)) return false;
    }
    return true;
  }

  bool Uses(const Instr& instr, const std::vector<uint32_t>& slots) const {
    const uint32_t* in = instr.call.in;
    return std::any_of(in, in + instr.call.n_in, [&](uint32_t slot) {
      return std::find(slots.begin(), slots.end(), slot) != slots.end();
    });
  }

  // Collects the chain that begins with instruction i and moves its members together, behind the
  // instructions between them. Returns false if no chain begins there.
  bool Gather(uint32_t i) {
    std::vector<uint32_t> members = {i}, made = {c_.code[i].call.out[0]};
    int64_t elements = ElementsOf(c_.code[i]);
    const bool has_maker = IsMaker(c_.code[i]);
    for (uint32_t j = i + 1; j < c_.code.size() && members.size() < kMost; ++j) {
      if (chain_end_[j]) break;
      const Instr& instr = c_.code[j];
      const bool joins =
          Uses(instr, made) &&
          (IsPass(instr) || (IsStep(instr, has_maker ? kFewestInParts : kFewestFused) &&
                             (on_host_ || ChainsOf(instr) == ChainsOf(c_.code[i]))));
      const int64_t n = joins ? ElementsOf(instr) : -1;
      if (joins && (n < 0 || elements < 0 || n == elements)) {
        members.push_back(j);
        made.push_back(instr.call.out[0]);
        elements = std::max(elements, n);
      } else if (Uses(instr, made) || !MayMove(instr) || j - members.back() >= kReach) {
        break;
      }
    }
    DropUsedPasses(members);
    if (members.size() < 2) return false;
    const uint32_t end = members.back() + 1;
    std::vector<Instr> between, chain;
    for (uint32_t j = i, m = 0; j < end; ++j) {
      const bool is_member = members[m] == j;
      (is_member ? chain : between).push_back(c_.code[j]);
      m += is_member && m + 1 < members.size();
    }
    const auto rest = std::move(between.begin(), between.end(), c_.code.begin() + i);
    std::move(chain.begin(), chain.end(), rest);
    const uint32_t begin = i + static_cast<uint32_t>(between.size());
    chain_end_[begin] = end;
    chains_.push_back(Make(begin, end, has_maker));
    return true;
  }

  // Ends the chain before an Identity whose result is used outside of it: the chain makes no value
  // for it.
  void DropUsedPasses(std::vector<uint32_t>& members) const {
    for (size_t m = members.size(); m-- > 1;) {
      if (!IsPass(c_.code[members[m]])) continue;
      const uint32_t slot = c_.code[members[m]].call.out[0];
      uint32_t inside = 0;
      for (size_t later = m + 1; later < members.size(); ++later) {
        const auto in = InputsOf(members[later]);
        inside += static_cast<uint32_t>(std::count(in.begin(), in.end(), slot));
      }
      if (keep_[slot] || uses_[slot] > inside || inside == 0) members.resize(m);
    }
  }

  FusedCode Make(uint32_t begin, uint32_t end, bool has_maker) {
    FusedCode chain{.begin = begin, .end = end};
    chain.has_maker = has_maker;
    const uint32_t first = chain.begin + chain.has_maker;
    std::vector<size_t> begins;  // in chain.ids, by step
    NumberValues(chain);
    for (uint32_t i = first; i < end; ++i) {
      const Instr& instr = c_.code[i];
      if (IsPass(instr)) continue;
      begins.push_back(chain.ids.size());
      for (const uint32_t slot : InputsOf(i)) chain.ids.push_back(local_[slot]);
      chain.ids.push_back(local_[instr.call.out[0]]);
      const int fused_code = on_host_ ? 0 : RowOf(instr)->fused_code;
      chain.steps.push_back(
          {TakesOf(instr), IsUsedOutside(i, end), fused_code, instr.call, i - begin});
    }
    chain.keeps_made = has_maker && IsUsedOutside(begin, end);
    if (!on_host_) chain.fn = ChainsOf(c_.code[begin]);
    for (size_t k = 0; k < chain.steps.size(); ++k) {
      KernelCall& call = chain.steps[k].call;
      call.in = chain.ids.data() + begins[k];
      call.out = call.in + call.n_in;
      if (chain.steps[k].takes == FusedCode::Step::kRows) call.contract = nullptr;
    }
    NoteLastUses(chain);
    for (const uint32_t slot : chain.inputs) local_[slot] = kNone;
    for (uint32_t i = first; i < end; ++i) local_[c_.code[i].call.out[0]] = kNone;
    return chain;
  }

  // Lists the inputs of the chain, and numbers them and the results of its steps.
  void NumberValues(FusedCode& chain) {
    const auto add_input = [&](uint32_t slot) {
      local_[slot] = static_cast<uint32_t>(chain.inputs.size());
      chain.inputs.push_back(slot);
    };
    const uint32_t first = chain.begin + chain.has_maker;
    if (chain.has_maker) add_input(c_.code[chain.begin].call.out[0]);
    for (uint32_t i = first; i < chain.end; ++i) local_[c_.code[i].call.out[0]] = 0;
    for (uint32_t i = first; i < chain.end; ++i)
      for (const uint32_t slot : InputsOf(i))
        if (local_[slot] == kNone) add_input(slot);
    uint32_t number = static_cast<uint32_t>(chain.inputs.size());
    for (uint32_t i = first; i < chain.end; ++i) {
      const KernelCall& call = c_.code[i].call;
      local_[call.out[0]] = IsPass(c_.code[i]) ? local_[call.in[0]] : number++;
    }
  }

  // Returns true if the result of instruction i is used by others than instructions [i, end).
  bool IsUsedOutside(uint32_t i, uint32_t end) const {
    const uint32_t made = c_.code[i].call.out[0];
    uint32_t inside = 0;
    for (uint32_t j = i + 1; j < end; ++j) {
      const auto in = InputsOf(j);
      inside += static_cast<uint32_t>(std::count(in.begin(), in.end(), made));
    }
    return keep_[made] || uses_[made] > inside;
  }

  std::span<const uint32_t> InputsOf(uint32_t i) const {
    return {c_.code[i].call.in, c_.code[i].call.n_in};
  }

  // Intermediate values that only the chain uses, and the parts that the first kernel makes for it,
  // may be overwritten by the step that uses them last.
  static void NoteLastUses(FusedCode& chain) {
    const size_t n_inputs = chain.inputs.size();
    const bool may_overwrite_made = chain.has_maker && !chain.keeps_made;
    std::vector<bool> used_later(n_inputs + chain.steps.size());
    for (size_t k = 0; k < chain.steps.size(); ++k) used_later[n_inputs + k] = chain.steps[k].made;
    for (size_t k = chain.steps.size(); k-- > 0;) {
      auto& [takes, made, code, call, instr] = chain.steps[k];
      call.forwardable = 0;
      for (uint32_t j = 0; j < call.n_in && j < 32 && !made; ++j) {
        const uint32_t id = call.in[j];
        const bool once = std::count(call.in, call.in + call.n_in, id) == 1;
        const bool is_own = id >= n_inputs || (id == 0 && may_overwrite_made);
        if (is_own && !used_later[id] && once) call.forwardable |= 1u << j;
      }
      for (uint32_t j = 0; j < call.n_in; ++j) used_later[call.in[j]] = true;
    }
  }

  void FindUses() {
    uses_.assign(c_.n_slots, 0);
    for (const Instr& instr : c_.code) {
      for (uint32_t k = 0; k < instr.call.n_in; ++k) ++uses_[instr.call.in[k]];
    }
  }

  const Graph& g_;
  PartitionCode& c_;
  const std::vector<bool>& keep_;
  const bool on_host_;
  std::vector<uint32_t> local_, uses_;  // by slot
  std::vector<FusedCode> chains_;
  std::vector<uint32_t> chain_end_;  // by instruction: the end of the chain that begins there
};

}  // namespace

void FindFused(const Graph& graph, PartitionCode& code, const std::vector<bool>& keep) {
  FusedFinder(graph, code, keep).Run();
}

}  // namespace tensh
