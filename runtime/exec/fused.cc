#include "runtime/exec/fused.h"

#include <algorithm>
#include <atomic>

#include "runtime/core/fused_work.h"
#include "runtime/core/joined.h"
#include "runtime/exec/replay.h"

namespace tensh {
namespace {

constexpr int64_t kBlock = 4096;          // elements; a few such arrays fit in the L1 cache
constexpr int64_t kLargestBlock = 65536;  // elements, if a block has to consist of whole rows
constexpr int64_t kWholeVectors = 64;     // a block is a multiple of this

class Pass final : private PartsRunner {
 public:
  Pass(const PartitionCode& part, const FusedCode& code, std::vector<Tensor>& slots,
       ParallelRunner* runner, CancelFlag* cancel)
      : part_(part), code_(code), slots_(slots), cancel_(cancel), runner_(runner) {}

  // Returns the number of instructions that ran.
  uint32_t Run() {
    if (code_.has_maker && !RunMaker()) return 0;
    if (!begun_) {
      // The first kernel has run, but not in parts. If the rest is not worth a pass, it runs node by
      // node.
      const uint32_t before = code_.has_maker;
      if (!FindShape() || !FindWays() || (!code_.fn && !FitsHost())) return before;
      KernelCtx ctx(slots_.data(), runner_, cancel_, part_.allocator);
      if (!(code_.fn ? RunOnDevice(ctx) : RunOnHost(ctx))) return 0;
    }
    for (size_t k = 0; k < outputs_.size(); ++k)
      if (outputs_[k]) SlotMadeBy(k) = std::move(outputs_[k]);
    return code_.end - code_.begin;
  }

 private:
  const Instr& InstrOf(size_t step) const {
    return part_.code[code_.begin + code_.steps[step].instr];
  }
  Tensor& SlotMadeBy(size_t step) const { return slots_[InstrOf(step).call.out[0]]; }
  size_t n_inputs() const { return code_.inputs.size(); }
  Goes WayOf(size_t step) const { return ways_[n_inputs() + step]; }
  const Tensor& Input(size_t i) const { return slots_[code_.inputs[i]]; }

  // ---- a first kernel that makes its output in parts ----

  // Returns false if it failed, or the chain with some part of its output.
  bool RunMaker() {
    const Instr& maker = part_.code[code_.begin];
    KernelCtx ctx(slots_.data(), this, cancel_, part_.allocator);
    ctx.Bind(maker.call);
    if (!CallKernel(maker.fn, ctx).ok() || failed_) return false;
    TENSH_CHECK(!begun_ || taken_ == elements_, "a kernel finished ", taken_.load(), " of ",
                elements_, " elements");
    inputs_.clear();
    if (begun_ && !code_.keeps_made) slots_[code_.inputs[0]] = Tensor();
    return true;
  }

  bool Begin(const Tensor& output) override {
    const int64_t row = output.rank() ? output.dim(output.rank() - 1) : 1;
    if (output.num_elements() < kFewestInParts || row % kPartVector) return false;
    KernelCtx ctx(slots_.data(), runner_, cancel_, part_.allocator);
    if (!FindShape() || !FindWays() || !RunScalars(ctx)) return false;
    block_ = std::max(kBlock / row, int64_t{1}) * row;
    begun_ = MakeOutputs();
    return begun_;
  }

  void Finished(int64_t begin, int64_t end) override {
    RunRange(begin, end);
    taken_ += end - begin;
  }

  void For(int64_t total, double ns_per_unit, RangeFn fn, void* context) override {
    if (runner_)
      runner_->For(total, ns_per_unit, fn, context);
    else
      fn(context, 0, total);
  }
  int threads() const override { return runner_ ? runner_->threads() : 1; }

  // Takes the shape of the largest input, or of the one that the first kernel made. Returns false if
  // that is too small to fuse.
  bool FindShape() {
    size_t largest = 0;
    for (size_t i = 1; i < n_inputs() && !code_.has_maker; ++i)
      if (Input(i).num_elements() > Input(largest).num_elements()) largest = i;
    elements_ = Input(largest).num_elements();
    shape_ = Input(largest).shape();
    ways_.clear();
    row_ = 1;
    steps_ = 0;
    return elements_ >= (code_.fn ? 1 : code_.has_maker ? kFewestInParts : kFewestFused);
  }

  // Finds how each value is broadcast. Returns false if the shapes do not fit the chain.
  bool FindWays() {
    for (size_t i = 0; i < n_inputs(); ++i) {
      const Tensor& input = Input(i);
      if (input.shape() == shape_)
        ways_.push_back(Goes::kWhole);
      else if (input.num_elements() == 1 && input.rank() <= shape_.rank())
        ways_.push_back(Goes::kScalar);
      else
        ways_.push_back(IsRow(input) ? Goes::kRow : Goes::kAsIs);
    }
    for (const FusedCode::Step& step : code_.steps) {
      Goes way = Goes::kScalar;
      for (const uint32_t id : InputsOf(step)) way = std::min(way, ways_[id]);
      if (way == Goes::kRow || !Takes(step, way)) return false;
      steps_ += way == Goes::kWhole;
      ways_.push_back(way);
    }
    rows_in_block_ = std::max(kBlock / row_ / kWholeVectors, int64_t{1}) * kWholeVectors;
    return steps_ + code_.has_maker > 1;
  }

  static std::span<const uint32_t> InputsOf(const FusedCode::Step& step) {
    return {step.call.in, step.call.n_in};
  }
  bool Takes(const FusedCode::Step& step, Goes way) const {
    const auto in = InputsOf(step);
    if (step.takes == FusedCode::Step::kRows) {
      const Tensor& vectors = Input(in.back());
      return ways_[in[0]] == Goes::kWhole && vectors.dim(1) == row_;
    }
    for (const uint32_t id : in)
      if (ways_[id] == Goes::kAsIs) return false;
    if (step.takes == FusedCode::Step::kBias)
      return ways_[in[0]] == Goes::kWhole && ways_[in[1]] == Goes::kRow;
    if (step.takes == FusedCode::Step::kBroadcast || in.size() == 1) return true;
    return way == Goes::kWhole &&
           std::all_of(in.begin(), in.end(), [&](uint32_t id) { return ways_[id] == way; });
  }

  // Returns true if the input is a vector that is repeated for each row of the last dimension. Its
  // other dimensions, if any, are 1.
  bool IsRow(const Tensor& input) {
    if (input.rank() == 0 || input.rank() > shape_.rank()) return false;
    const int64_t row = shape_[shape_.rank() - 1];
    if (input.num_elements() != row || input.dim(input.rank() - 1) != row) return false;
    row_ = row;
    return true;
  }

  // Returns true if the result may overwrite input 0, which nobody needs any more.
  bool OverwritesMade(size_t step) const {
    return code_.has_maker && !code_.keeps_made && step + 1 == code_.steps.size() &&
           InstrOf(step).call.out_dtypes[0] == Input(0).dtype();
  }

  bool MakeOutputs() {
    for (size_t i = 0; i < n_inputs(); ++i) inputs_.push_back(Input(i));
    outputs_.resize(code_.steps.size());
    for (size_t k = 0; k < code_.steps.size(); ++k) {
      if (!code_.steps[k].made || WayOf(k) != Goes::kWhole) continue;
      if (OverwritesMade(k)) {
        outputs_[k] = Input(0);
        continue;
      }
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

  bool FitsHost() const {
    return rows_in_block_ * row_ <= kLargestBlock && elements_ >= kFewestFused;
  }

  bool RunOnHost(KernelCtx& ctx) {
    block_ = rows_in_block_ * row_;
    if (!RunScalars(ctx) || !MakeOutputs()) return false;
    const int64_t blocks = (elements_ + block_ - 1) / block_;
    const double ns = 0.3 * static_cast<double>(block_ * steps_);
    ctx.ParallelForAll(blocks, ns, [&](int64_t begin, int64_t end) {
      RunRange(begin * block_, std::min(end * block_, elements_));
    });
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

  // Computes elements [begin, end) block by block.
  void RunRange(int64_t begin, int64_t end) {
    std::vector<Tensor> local(n_inputs() + code_.steps.size());
    for (size_t i = 0; i < n_inputs(); ++i)
      local[i] = ways_[i] == Goes::kWhole    ? inputs_[i].Window()
                 : ways_[i] == Goes::kScalar ? inputs_[i].Reshaped(Shape())
                 : ways_[i] == Goes::kRow    ? inputs_[i].Reshaped(Shape({row_}))
                                             : inputs_[i];
    for (size_t k = 0; k < code_.steps.size(); ++k) {
      if (WayOf(k) == Goes::kScalar) local[n_inputs() + k] = SlotMadeBy(k).Reshaped(Shape());
      if (outputs_[k]) local[n_inputs() + k] = outputs_[k].Window();
    }
    KernelCtx ctx(local.data(), nullptr, cancel_, part_.allocator);
    for (; begin < end && !failed_; begin += block_)
      if (ctx.cancelled() || !RunBlock(ctx, local, begin, std::min(block_, end - begin)))
        failed_ = true;
  }

  // A step may have kept the memory of the last part of input 0 for its result. The next part must
  // not be written there.
  void RenewMade(std::vector<Tensor>& local) const {
    if (!code_.has_maker || code_.keeps_made) return;
    const char* const begin = static_cast<const char*>(inputs_[0].raw());
    for (size_t k = 0; k < code_.steps.size(); ++k) {
      Tensor& made = local[n_inputs() + k];
      if (outputs_[k] || WayOf(k) != Goes::kWhole || !made) continue;
      const char* const at = static_cast<const char*>(made.raw());
      if (at >= begin && at < begin + inputs_[0].bytes()) made = Tensor();
    }
    local[0] = inputs_[0].Window();
  }

  bool RunBlock(KernelCtx& ctx, std::vector<Tensor>& local, int64_t first, int64_t n) const {
    RenewMade(local);
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
  int64_t block_ = 0;       // elements
  std::vector<Goes> ways_;  // by local number
  std::vector<Tensor> inputs_, outputs_;
  std::atomic<bool> failed_{false};
  bool begun_ = false;             // the chain takes parts of input 0
  std::atomic<int64_t> taken_{0};  // elements of them
};

}  // namespace

uint32_t RunFused(const PartitionCode& part, const FusedCode& code, std::vector<Tensor>& slots,
                  ParallelRunner* runner, CancelFlag* cancel) {
  const uint32_t ran = Pass(part, code, slots, runner, cancel).Run();
  for (uint32_t i = code.begin; i < code.begin + ran; ++i) ReleaseBehind(part, part.code[i], slots);
  return ran;
}

}  // namespace tensh
