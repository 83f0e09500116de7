// Finds the instructions whose values a frame holds from one step to the next: kernels without
// effects that take only constants, shapes, and values of each other. In the gradient of a net, these
// are the computations with shapes. No kernel runs before the first step, which therefore takes no
// longer, and in which errors appear as they do without this pass.
#include <algorithm>

#include "runtime/exec/compile/code_passes.h"
#include "runtime/exec/once.h"
#include "runtime/plan/pure.h"

namespace tensh {
namespace {

class OnceFinder {
 public:
  OnceFinder(const Graph& graph, PartitionCode& code, const std::vector<bool>& bound,
             std::vector<bool>& keep)
      : g_(graph), c_(code), keep_(keep), held_(bound), pure_(graph) {}

  void Run() {
    for (Instr& instr : c_.code) {
      if (!IsKernel(instr) || AnyLeaves(instr)) continue;
      const bool about = IsAbout(instr);
      if (!about && !IsOnce(instr)) continue;
      instr.kind = about ? Instr::kAbout : Instr::kOnce;
      instr.guarded_fn = std::exchange(instr.fn, nullptr);
      for (uint32_t k = 0; k < instr.call.n_out; ++k)
        held_[instr.call.out[k]] = keep_[instr.call.out[k]] = true;
    }
  }

 private:
  static constexpr int64_t kMostBytes = 1 << 20;  // of all values that a frame holds

  bool IsKernel(const Instr& instr) {
    return instr.kind == Instr::kKernel && !instr.is_read && !instr.is_move && !instr.is_vectors &&
           !instr.is_rows && !instr.is_joined && instr.node != kNoNode &&
           pure_.Contains(instr.node);
  }

  // A value that is fetched is taken out of its slot.
  bool AnyLeaves(const Instr& instr) const {
    const uint32_t* out = instr.call.out;
    return std::any_of(out, out + instr.call.n_out, [&](uint32_t slot) { return keep_[slot]; });
  }

  bool IsAbout(const Instr& instr) const {
    return g_.op(instr.node).role == OpRole::kShapeOf && instr.call.n_in == 1 &&
           !held_[instr.call.in[0]];
  }

  bool IsOnce(const Instr& instr) {
    for (uint32_t k = 0; k < instr.call.n_in; ++k)
      if (!held_[instr.call.in[k]] || !IsPod(BaseType(g_.dtype(g_.input(instr.node, k)))))
        return false;
    int64_t bytes = 0;
    for (uint32_t k = 0; k < instr.call.n_out; ++k) {
      const int64_t more = BytesOf(g_.output(instr.node, k));
      if (more < 0 || more > kMostHeldBytes) return false;
      bytes += more;
    }
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

  // Returns -1 if the value may be large. An integer vector of unknown length is expected to belong
  // to a shape; the step finds out if it is too large.
  int64_t BytesOf(ValueId v) const {
    const DType type = g_.dtype(v);
    const Shape& shape = g_.shape(v);
    if (!IsPod(type)) return -1;
    if (shape.IsFullyKnown()) return shape.num_elements() * static_cast<int64_t>(SizeOf(type));
    const bool is_vector = IsInteger(type) && shape.has_rank() && shape.rank() == 1;
    return is_vector ? Shape::kInlineRank * static_cast<int64_t>(sizeof(int64_t)) : -1;
  }

  const Graph& g_;
  PartitionCode& c_;
  std::vector<bool>& keep_;
  std::vector<bool> held_;  // by slot: constants, shapes, and what is computed from them
  PureNodes pure_;
  int64_t left_ = kMostBytes;
};

}  // namespace

void FindOnce(const Graph& graph, PartitionCode& code, const std::vector<bool>& bound,
              std::vector<bool>& keep) {
  OnceFinder(graph, code, bound, keep).Run();
}

void LinkOnce(PartitionCode& code) {
  uint32_t following = 0;
  for (size_t i = code.code.size(); i-- > 0;) {
    Instr& instr = code.code[i];
    if (instr.kind == Instr::kOnce)
      instr.of.rest = following++;
    else
      following = 0;
  }
}

}  // namespace tensh
