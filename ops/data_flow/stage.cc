// Staging areas: FIFO buffers of tuples, filled by one step and emptied by another.
#include <deque>

#include "ops/data_flow/step_wait.h"
#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shared_name.h"

namespace tensh::ops {
namespace {

using Row = std::vector<Tensor>;

class StagingArea : public Resource {
 public:
  StagingArea(int64_t capacity, int64_t memory) : capacity_(capacity), memory_(memory) {}

  Status Put(KernelCtx& c, Row row) {
    int64_t bytes = 0;
    for (const Tensor& t : row) bytes += t.bytes();
    // An element larger than the limit would wait forever.
    if (memory_ > 0 && bytes > memory_)
      return ResourceExhausted("Attempted to insert tensors with combined size of '", bytes,
                               "' bytes into Staging Area with a memory limit of '", memory_, "'.");
    StepWait wait(c, mu_, changed_);
    std::unique_lock lock(mu_);
    TENSH_RETURN_IF_ERROR(wait.Until(lock, [&] {
      return closed_ || ((capacity_ <= 0 || static_cast<int64_t>(rows_.size()) < capacity_) &&
                         (memory_ <= 0 || bytes_ + bytes <= memory_));
    }));
    if (closed_) return Cancelled("the staging area is closed");
    bytes_ += bytes;
    rows_.push_back(std::move(row));
    changed_.notify_all();
    return {};
  }
  // Returns the row at `index` and removes it if `take` is set.
  Status Get(KernelCtx& c, int64_t index, bool take, Row* row) {
    StepWait wait(c, mu_, changed_);
    std::unique_lock lock(mu_);
    TENSH_RETURN_IF_ERROR(
        wait.Until(lock, [&] { return closed_ || static_cast<int64_t>(rows_.size()) > index; }));
    if (closed_) return Cancelled("the staging area is closed");
    *row = rows_[static_cast<size_t>(index)];
    if (!take) return {};
    for (const Tensor& t : *row) bytes_ -= t.bytes();
    rows_.pop_front();
    changed_.notify_all();
    return {};
  }
  int64_t size() {
    std::lock_guard lock(mu_);
    return static_cast<int64_t>(rows_.size());
  }
  void Clear() {
    std::lock_guard lock(mu_);
    rows_.clear();
    bytes_ = 0;
    changed_.notify_all();
  }
  void Cancel() override {
    std::lock_guard lock(mu_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const int64_t capacity_, memory_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<Row> rows_;
  int64_t bytes_ = 0;
  bool closed_ = false;
};

struct StageState : KernelState {
  std::shared_ptr<StagingArea> area;
  Status Read(PrepareCtx& c) {
    const std::string name = SharedName(c);
    area = c.resources().FindOrMake<StagingArea>(name, [&] {
      return std::make_shared<StagingArea>(c.attrs().Int("capacity"),
                                           c.attrs().Int("memory_limit"));
    });
    if (!area) return InvalidArgument("the resource '", name, "' is not a staging area");
    return {};
  }
};

Status Put(KernelCtx& c) {
  Row row;
  for (int i = 0; i < c.num_inputs(); ++i) {
    // The value of a variable would change while it is in the area, so it is copied.
    row.push_back(c.in(i).unique() ? c.TakeInput(i) : c.in(i).DeepCopy());
    if (!row.back()) return ResourceExhausted("out of memory for a staged element");
  }
  return c.state<StageState>().area->Put(c, std::move(row));
}

Status Give(KernelCtx& c, Row row) {
  bool fits = static_cast<int>(row.size()) == c.num_outputs();
  for (int i = 0; fits && i < c.num_outputs(); ++i)
    fits = row[static_cast<size_t>(i)].dtype() == c.out_dtype(i);
  if (!fits) return InvalidArgument("Mismatch stage/unstage: the types differ");
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, std::move(row[static_cast<size_t>(i)]));
  return {};
}

Status Take(KernelCtx& c) {
  Row row;
  TENSH_RETURN_IF_ERROR(c.state<StageState>().area->Get(c, 0, true, &row));
  return Give(c, std::move(row));
}

Status Peek(KernelCtx& c) {
  if (c.in(0).num_elements() != 1) return InvalidArgument("index must be scalar");
  const int64_t index = *c.in(0).data<int32_t>();
  if (index < 0) return InvalidArgument("index must be non-negative, got ", index);
  Row row;
  TENSH_RETURN_IF_ERROR(c.state<StageState>().area->Get(c, index, false, &row));
  return Give(c, std::move(row));
}

Status Size(KernelCtx& c) {
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<int32_t>() = static_cast<int32_t>(c.state<StageState>().area->size());
  return {};
}

Status Clear(KernelCtx& c) {
  c.state<StageState>().area->Clear();
  return {};
}

constexpr char kDoc[] =
    " The elements have the types dtypes. Nodes with the same shared_name (by default, the node's "
    "name) in the same container refer to the same area. capacity and memory_limit: the maximum "
    "number of elements and bytes; 0 means no limit.";

OpSpec Spec(const char* name, const char* inputs, const char* outputs, bool some, const char* doc,
            ShapeFn shape, Example example, WaitsFor waits_for = WaitsFor::kNothing) {
  return {
      .name = name,
      .inputs = inputs,
      .outputs = outputs,
      .attrs = StrCat("capacity: int >= 0 = 0, memory_limit: int >= 0 = 0, dtypes: list(type)",
                      some ? " >= 1" : "", ", container: string = '', shared_name: string = ''"),
      .doc = StrCat(doc, kDoc),
      .shape = shape,
      .no_gradient = true,
      .stateful = true,
      .waits_for = waits_for,
      .examples = {example}};
}

}  // namespace

TENSH_OPS(data_flow_stage) {
  r.Op(Spec("Stage", "values: dtypes", "", true, "Adds values to a staging area as one element.",
            NoOutputs, {"tf.raw_ops.Stage(values=[1., 2])", ""}, WaitsFor::kRoom))
      .CpuAny(Put, PrepareFrom<StageState>);
  r.Op(Spec("Unstage", "", "values: dtypes", true,
            "Takes the first element, values, out of a staging area, and waits for it.",
            UnknownOutputs,
            {"[tf.raw_ops.Stage(values=[1.], shared_name='s'), "
             "tf.raw_ops.Unstage(dtypes=[tf.float32], shared_name='s')]",
             "[None, [1.0]]"},
            WaitsFor::kElements))
      .CpuAny(Take, PrepareFrom<StageState>);
  r.Op(Spec("StagePeek", "index: int32", "values: dtypes", true,
            "Returns element number index of a staging area, values, without removing it.",
            UnknownOutputs,
            {"[tf.raw_ops.Stage(values=[1.], shared_name='s'), "
             "tf.raw_ops.StagePeek(index=0, dtypes=[tf.float32], shared_name='s')]",
             "[None, [1.0]]"},
            WaitsFor::kElements))
      .CpuAny(Peek, PrepareFrom<StageState>);
  r.Op(Spec("StageSize", "", "size: int32", false,
            "The number of elements in a staging area: size.", ScalarOutput,
            {"tf.raw_ops.StageSize(dtypes=[tf.float32])", "0"}))
      .CpuAny(Size, PrepareFrom<StageState>);
  r.Op(Spec("StageClear", "", "", false, "Removes all elements from a staging area.", NoOutputs,
            {"tf.raw_ops.StageClear(dtypes=[tf.float32])", ""}))
      .CpuAny(Clear, PrepareFrom<StageState>);
}

}  // namespace tensh::ops
