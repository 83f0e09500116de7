#include "runtime/exec/fused.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/fused_work.h"
#include "runtime/exec/replay.h"

namespace tensh {
namespace {

constexpr int64_t kBlock = 8192;          // elements; a few such arrays fit in the L1 cache
constexpr int64_t kLargestBlock = 65536;  // elements, if a block has to consist of whole rows
constexpr int64_t kWholeVectors = 64;     // a block is a multiple of this

class Pass {
 public:
  Pass(const PartitionCode& part, const FusedCode& code, std::vector<Tensor>& slots,
       ParallelRunner* runner, CancelFlag* cancel)
      : part_(part), code_(code), slots_(slots), cancel_(cancel), runner_(runner) {}

  bool Run() {
    if (!FindShape() || !FindWays()) return false;
    KernelCtx ctx(slots_.data(), runner_, cancel_, part_.allocator);
    if (!(code_.fn ? RunOnDevice(ctx) : RunOnHost(ctx))) return false;
    for (size_t k = 0; k < outputs_.size(); ++k)
      if (outputs_[k]) SlotMadeBy(k) = std::move(outputs_[k]);
    return true;
  }

 private:
  const Instr& InstrOf(size_t step) const { return part_.code[code_.begin + step]; }
  Tensor& SlotMadeBy(size_t step) const { return slots_[InstrOf(step).call.out[0]]; }
  size_t n_inputs() const { return code_.inputs.size(); }
  Goes WayOf(size_t step) const { return ways_[n_inputs() + step]; }

  // Takes the shape of the largest input. Returns false if that is too small to fuse.
  bool FindShape() {
    const Tensor* largest = nullptr;
    for (const uint32_t slot : code_.inputs)
      if (!largest || slots_[slot].num_elements() > largest->num_elements())
        largest = &slots_[slot];
    elements_ = largest->num_elements();
    shape_ = largest->shape();
    return elements_ >= (code_.fn ? 1 : kFewestFused);
  }

  // Finds how each value is broadcast. Returns false if the shapes do not fit the chain.
  bool FindWays() {
    for (const uint32_t slot : code_.inputs) {
      const Tensor& input = slots_[slot];
      if (input.shape() == shape_)
        ways_.push_back(Goes::kWhole);
      else if (input.num_elements() == 1 && input.rank() <= shape_.rank())
        ways_.push_back(Goes::kScalar);
      else if (IsRow(input))
        ways_.push_back(Goes::kRow);
      else
        return false;
    }
    for (const FusedCode::Step& step : code_.steps) {
      Goes way = Goes::kScalar;
      for (const uint32_t id : InputsOf(step)) way = std::min(way, ways_[id]);
      if (way == Goes::kRow || !Takes(step, way)) return false;
      steps_ += way == Goes::kWhole;
      ways_.push_back(way);
    }
    rows_in_block_ = std::max(kBlock / row_ / kWholeVectors, int64_t{1}) * kWholeVectors;
    return steps_ > 1;
  }

  static std::span<const uint32_t> InputsOf(const FusedCode::Step& step) {
    return {step.call.in, step.call.n_in};
  }
  bool Takes(const FusedCode::Step& step, Goes way) const {
    const auto in = InputsOf(step);
    if (step.takes == FusedCode::Step::kBias)
      return ways_[in[0]] == Goes::kWhole && ways_[in[1]] == Goes::kRow;
    if (step.takes == FusedCode::Step::kBroadcast || in.size() == 1) return true;
    return way == Goes::kWhole &&
           std::all_of(in.begin(), in.end(), [&](uint32_t id) { return ways_[id] == way; });
  }

  // Returns true if the input is a vector that is repeated for each row of the last dimension.
  bool IsRow(const Tensor& input) {
    if (input.rank() != 1 || shape_.rank() == 0) return false;
    row_ = shape_[shape_.rank() - 1];
    return input.dim(0) == row_;
  }

  bool MakeOutputs() {
    for (const uint32_t slot : code_.inputs) inputs_.push_back(slots_[slot]);
    outputs_.resize(code_.steps.size());
    for (size_t k = 0; k < code_.steps.size(); ++k) {
      if (!code_.steps[k].made || WayOf(k) != Goes::kWhole) continue;
      Result<Tensor> made = Tensor::Make(InstrOf(k).call.out_dtypes[0], shape_, part_.allocator);
      if (!made.ok()) return false;
      outputs_[k] = *std::move(made);
    }
    return true;
  }

  // ---- a device with memory of its own ----

  bool RunOnDevice(KernelCtx& ctx) {
    if (!MakeOutputs()) return false;
    std::vector<FusedWork::Input> inputs;
    for (size_t i = 0; i < n_inputs(); ++i) {
      if (inputs_[i].on_host()) return false;
      inputs.push_back({inputs_[i].raw(), ways_[i]});
    }
    std::vector<FusedWork::Step> steps;
    for (size_t k = 0; k < code_.steps.size(); ++k) {
      const FusedCode::Step& step = code_.steps[k];
      if (step.made && !outputs_[k]) return false;  // a scalar that is used outside the chain
      const auto in = InputsOf(step);
      steps.push_back({step.code,
                       static_cast<int>(in.size()),
                       {in[0], in.back()},
                       step.made ? outputs_[k].raw() : nullptr});
    }
    ctx.Bind(InstrOf(0).call);
    return code_.fn(ctx, {elements_, row_, inputs, steps}).ok();
  }

  // ---- a CPU ----

  bool RunOnHost(KernelCtx& ctx) {
    if (rows_in_block_ * row_ > kLargestBlock || !RunScalars(ctx) || !MakeOutputs()) return false;
    const int64_t block = rows_in_block_ * row_, blocks = (elements_ + block - 1) / block;
    const double ns = 0.3 * static_cast<double>(block * steps_);
    ctx.ParallelForAll(blocks, ns, [&](int64_t begin, int64_t end) { RunBlocks(begin, end); });
    return !failed_;
  }

  // Runs the steps whose inputs are all scalars, once instead of for each block.
  bool RunScalars(KernelCtx& ctx) {
    for (size_t k = 0; k < code_.steps.size(); ++k) {
      if (WayOf(k) != Goes::kScalar) continue;
      KernelCall call = InstrOf(k).call;
      call.forwardable = 0;
      ctx.Bind(call);
      if (!CallKernel(InstrOf(k).fn, ctx).ok()) return false;
    }
    return true;
  }

  void RunBlocks(int64_t begin, int64_t end) {
    std::vector<Tensor> local(n_inputs() + code_.steps.size());
    for (size_t i = 0; i < n_inputs(); ++i)
      local[i] = ways_[i] == Goes::kWhole    ? inputs_[i].Window()
                 : ways_[i] == Goes::kScalar ? inputs_[i].Reshaped(Shape())
                                             : inputs_[i];
    for (size_t k = 0; k < code_.steps.size(); ++k) {
      if (WayOf(k) == Goes::kScalar) local[n_inputs() + k] = SlotMadeBy(k).Reshaped(Shape());
      if (outputs_[k]) local[n_inputs() + k] = outputs_[k].Window();
    }
    KernelCtx ctx(local.data(), nullptr, cancel_, part_.allocator);
    for (int64_t block = begin; block < end && !failed_; ++block)
      if (ctx.cancelled() || !RunBlock(ctx, local, block * rows_in_block_ * row_)) failed_ = true;
  }

  bool RunBlock(KernelCtx& ctx, std::vector<Tensor>& local, int64_t first) const {
    const int64_t n = std::min(rows_in_block_ * row_, elements_ - first);
    const Shape shape = row_ == 1 ? Shape({n}) : Shape({n / row_, row_});
    for (size_t i = 0; i < n_inputs(); ++i)
      if (ways_[i] == Goes::kWhole) local[i].MoveWindow(inputs_[i], first, shape);
    for (size_t k = 0; k < code_.steps.size(); ++k)
      if (outputs_[k]) local[n_inputs() + k].MoveWindow(outputs_[k], first, shape);
    for (size_t k = 0; k < code_.steps.size(); ++k) {
      if (WayOf(k) == Goes::kScalar) continue;
      ctx.Bind(code_.steps[k].call);
      if (!CallKernel(InstrOf(k).fn, ctx).ok()) return false;
      if (!IsMade(local[n_inputs() + k], outputs_[k], first, n)) return false;
    }
    return true;
  }

  // Returns true if the kernel wrote a whole block to its place in the output. A kernel may instead
  // return its input.
  static bool IsMade(const Tensor& block, const Tensor& output, int64_t first, int64_t n) {
    if (!block || block.num_elements() != n) return false;
    return !output ||
           block.raw() == static_cast<char*>(output.raw()) + first * SizeOf(output.dtype());
  }

  const PartitionCode& part_;
  const FusedCode& code_;
  std::vector<Tensor>& slots_;
  CancelFlag* const cancel_;
  ParallelRunner* const runner_;
  Shape shape_;
  int64_t elements_ = 0, row_ = 1, rows_in_block_ = 0, steps_ = 0;
  std::vector<Goes> ways_;  // by local number
  std::vector<Tensor> inputs_, outputs_;
  std::atomic<bool> failed_{false};
};

}  // namespace

bool RunFused(const PartitionCode& part, const FusedCode& code, std::vector<Tensor>& slots,
              ParallelRunner* runner, CancelFlag* cancel) {
  if (!Pass(part, code, slots, runner, cancel).Run()) return false;
  for (uint32_t i = code.begin; i < code.end; ++i) ReleaseBehind(part, part.code[i], slots);
  return true;
}

}  // namespace tensh
