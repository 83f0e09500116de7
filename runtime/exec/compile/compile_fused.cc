// Finds the elementwise instructions of a partition that can run in one pass: those that are
// adjacent, or can be made so because the instructions between them have no effects and do not use
// their results. Shapes are often unknown at this point; known shapes must agree.
#include <algorithm>

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
      else if (!CanStart(c_.code[i]) || !Gather(i))
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

  bool CanStart(const Instr& instr) const {
    if (instr.kind != Instr::kKernel || instr.is_read || instr.is_move) return false;
    const OpDef& op = g_.op(instr.node);
    if (op.elementwise == Elementwise::kNo || instr.call.n_out != 1) return false;
    if (!on_host_ && !ChainsOf(instr)) return false;
    if (op.elementwise == Elementwise::kRowBias && !AddsToRows(instr.node)) return false;
    for (uint32_t i = 0; i < g_.num_inputs(instr.node); ++i) {
      const DType dtype = g_.dtype(g_.input(instr.node, i));
      if (!IsPod(BaseType(dtype)) || (IsRef(dtype) && TakesReference(g_, instr.node, i)))
        return false;
    }
    if (!IsPod(instr.call.out_dtypes[0])) return false;
    const int64_t elements = ElementsOf(instr);
    return !on_host_ || elements < 0 || elements >= kFewestFused;
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

  FusedCode::Step::Takes TakesOf(const OpDef& op) const {
    switch (op.elementwise) {
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
    for (uint32_t j = i + 1; j < c_.code.size() && members.size() < kMost; ++j) {
      if (chain_end_[j]) break;
      const Instr& instr = c_.code[j];
      const bool joins = CanStart(instr) && Uses(instr, made) &&
                         (on_host_ || ChainsOf(instr) == ChainsOf(c_.code[i]));
      const int64_t n = joins ? ElementsOf(instr) : -1;
      if (joins && (n < 0 || elements < 0 || n == elements)) {
        members.push_back(j);
        made.push_back(instr.call.out[0]);
        elements = std::max(elements, n);
      } else if (Uses(instr, made) || !MayMove(instr) || j - members.back() >= kReach) {
        break;
      }
    }
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
    chains_.push_back(Make(begin, end));
    return true;
  }

  FusedCode Make(uint32_t begin, uint32_t end) {
    FusedCode chain{.begin = begin, .end = end};
    const auto inside = [&](uint32_t slot) { return local_[slot] != kNone; };
    for (uint32_t i = begin; i < end; ++i) local_[c_.code[i].call.out[0]] = 0;
    for (uint32_t i = begin; i < end; ++i)
      for (const uint32_t slot : InputsOf(i))
        if (!inside(slot)) {
          local_[slot] = static_cast<uint32_t>(chain.inputs.size());
          chain.inputs.push_back(slot);
        }
    uint32_t number = static_cast<uint32_t>(chain.inputs.size());
    for (uint32_t i = begin; i < end; ++i) local_[c_.code[i].call.out[0]] = number++;
    std::vector<size_t> begins;
    for (uint32_t i = begin; i < end; ++i) {
      const KernelCall& call = c_.code[i].call;
      begins.push_back(chain.ids.size());
      for (const uint32_t slot : InputsOf(i)) chain.ids.push_back(local_[slot]);
      chain.ids.push_back(local_[call.out[0]]);
      uint32_t uses_inside = 0;
      for (uint32_t j = i + 1; j < end; ++j) {
        const auto in = InputsOf(j);
        uses_inside += static_cast<uint32_t>(std::count(in.begin(), in.end(), call.out[0]));
      }
      const bool made = keep_[call.out[0]] || uses_[call.out[0]] > uses_inside;
      const int fused_code = on_host_ ? 0 : RowOf(c_.code[i])->fused_code;
      chain.steps.push_back({TakesOf(g_.op(c_.code[i].node)), made, fused_code, call});
    }
    if (!on_host_) chain.fn = ChainsOf(c_.code[begin]);
    for (size_t k = 0; k < chain.steps.size(); ++k) {
      KernelCall& call = chain.steps[k].call;
      call.in = chain.ids.data() + begins[k];
      call.out = call.in + call.n_in;
    }
    NoteLastUses(chain);
    for (const uint32_t slot : chain.inputs) local_[slot] = kNone;
    for (uint32_t i = begin; i < end; ++i) local_[c_.code[i].call.out[0]] = kNone;
    return chain;
  }

  std::span<const uint32_t> InputsOf(uint32_t i) const {
    return {c_.code[i].call.in, c_.code[i].call.n_in};
  }

  // Intermediate values that only the chain uses may be overwritten by the step that uses them
  // last.
  static void NoteLastUses(FusedCode& chain) {
    const size_t n_inputs = chain.inputs.size();
    std::vector<bool> used_later(n_inputs + chain.steps.size());
    for (size_t k = 0; k < chain.steps.size(); ++k) used_later[n_inputs + k] = chain.steps[k].made;
    for (size_t k = chain.steps.size(); k-- > 0;) {
      auto& [takes, made, code, call] = chain.steps[k];
      call.forwardable = 0;
      for (uint32_t j = 0; j < call.n_in && j < 32 && !made; ++j) {
        const uint32_t id = call.in[j];
        const bool once = std::count(call.in, call.in + call.n_in, id) == 1;
        if (id >= n_inputs && !used_later[id] && once) call.forwardable |= 1u << j;
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
