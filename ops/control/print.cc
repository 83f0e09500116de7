// Print, which writes tensors to stderr and passes its input on.
#include <mutex>

#include "ops/op_file.h"
#include "ops/strings/summarize.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

// The number of times that a node has printed. It is kept in the session, because first_n counts
// over all runs.
class PrintCounter : public Resource {
 public:
  bool Take(int64_t first_n) {
    if (first_n < 0) return true;
    std::lock_guard lock(mu_);
    return calls_ < first_n && ++calls_;
  }

 private:
  std::mutex mu_;
  int64_t calls_ = 0;  // guarded by mu_
};

struct PrintState : KernelState {
  std::string message;
  int64_t first_n, summarize;
  std::shared_ptr<PrintCounter> counter;
  Status Read(PrepareCtx& c) {
    message = c.attrs().String("message");
    first_n = c.attrs().Int("first_n");
    summarize = c.attrs().Int("summarize");
    counter = c.resources().FindOrMake<PrintCounter>(
        StrCat(c.node_name(), " (print counter)"), [] { return std::make_shared<PrintCounter>(); });
    return {};
  }
};

Status Print(KernelCtx& c) {
  const auto& state = c.state<PrintState>();
  if (state.counter->Take(state.first_n)) {
    std::string line = state.message;
    for (int i = 1; i < c.num_inputs(); ++i)
      line += StrCat("[", Summarize(c.in(i), state.summarize), "]");
    line += '\n';
    PrintFromGraph(line, stderr);
  }
  c.SetOutput(0, c.in(0));
  return {};
}

Status PrintGrad(GradScope& g) {
  std::vector<Out> grads(static_cast<size_t>(g.num_inputs()));
  grads[0] = g.dy(0);
  return g.Return(std::move(grads));
}

}  // namespace

TENSH_OPS(control_print) {
  r.Op({.name = "Print",
        .inputs = "input: T, data: U",
        .outputs = "output: T",
        .attrs = "T: type, U: list(type) >= 0, message: string = '', first_n: int = -1, "
                 "summarize: int = 3",
        .doc = "Passes a tensor on and prints others to stderr. output is input, of type T. data, "
               "of the types U, are printed after message. first_n: print at most this many times; "
               "-1 means no limit. summarize: the number of elements to print of each.",
        .shape = SameAsInput<0>,
        .grad = PrintGrad,
        .stateful = true,
        .examples = {{"tf.Print(3, [1, 2], 'on stderr: ')", "3"}}})
      .CpuAny(Print, PrepareFrom<PrintState>);
}

}  // namespace tensh::ops
