// Assert: fails the step unless a condition holds.
#include "ops/op_file.h"
#include "ops/strings/summarize.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

struct AssertState : KernelState {
  int64_t summarize;
  void Read(PrepareCtx& c) { summarize = c.attrs().Int("summarize"); }
};

Status Assert(KernelCtx& c) {
  const Tensor& condition = c.in(0);
  if (condition.rank() != 0)
    return InvalidArgument("In[0] should be a scalar: ", condition.shape());
  if (*condition.data<bool>()) return {};
  std::string message = "assertion failed: ";
  for (int i = 1; i < c.num_inputs(); ++i)
    message +=
        StrCat(i > 1 ? " " : "", "[", Summarize(c.in(i), c.state<AssertState>().summarize), "]");
  return InvalidArgument(message);
}

}  // namespace

TENSH_OPS(control_assert) {
  r.Op({.name = "Assert",
        .inputs = "condition: bool, data: T",
        .attrs = "T: list(type) >= 1, summarize: int = 3",
        .doc = "Fails the step unless a condition holds. condition is a scalar. If it is false, "
               "the step fails with InvalidArgument, and the message contains data, of the types "
               "T, with summarize elements of each.",
        .shape = NoOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.Assert(True, [1])", ""}}})
      .CpuAny(Assert, PrepareFrom<AssertState>);
}

}  // namespace tensh::ops
