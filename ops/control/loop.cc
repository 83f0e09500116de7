// The edges of a loop's frame: Enter, Exit, NextIteration, LoopCond. Inside a plan they are mostly
// no instructions at all: a loop is compiled into a part of the plan that runs again.
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

Status Pass(KernelCtx& c) {
  c.SetOutput(0, c.in(0));
  return {};
}

// What enters may change from one iteration to the next, unless it is a constant of the loop.
Status EnterShape(ShapeCtx& c) {
  if (c.attrs().Bool("is_constant")) c.Set(0, c.in(0));
  return {};
}

Status LoopCondShape(ShapeCtx& c) { return SameAsInput<0>(c); }

// They mean nothing one by one: tf.while_loop makes them together.
std::vector<Example> Loops() {
  return {{"tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])", "3"}};
}

void AddEnter(OpRegistry& r, bool ref) {
  r.Op({.name = ref ? "RefEnter" : "Enter",
        .inputs = ref ? "data: Ref(T)" : "data: T",
        .outputs = ref ? "output: Ref(T)" : "output: T",
        .attrs = "T: type, frame_name: string, is_constant: bool = false, "
                 "parallel_iterations: int = 10",
        .doc = StrCat(ref ? "Enter for a reference to a variable. " : "",
                      "Makes data known inside the loop frame_name. output is data, in every "
                      "iteration if is_constant, else in the first one; T is its type, "
                      "parallel_iterations how many iterations may run at once."),
        .shape = EnterShape,
        .allows_uninitialized_input = ref,
        .examples = Loops()})
      .CpuAny(Pass);
}

void AddPass(OpRegistry& r, const char* name, bool ref, const char* doc) {
  r.Op({.name = name,
        .inputs = ref ? "data: Ref(T)" : "data: T",
        .outputs = ref ? "output: Ref(T)" : "output: T",
        .attrs = "T: type",
        .doc = doc,
        .shape = SameAsInput<0>,
        .allows_uninitialized_input = ref,
        .examples = Loops()})
      .CpuAny(Pass);
}

}  // namespace

TENSH_OPS(control_loop) {
  AddEnter(r, false);
  AddEnter(r, true);
  AddPass(r, "Exit", false,
          "Makes data of a loop known outside, when the loop ends. output is data, T its type.");
  AddPass(r, "RefExit", true,
          "Exit for a reference to a variable. output is data, T the variable's type.");
  AddPass(r, "NextIteration", false,
          "Makes data of one iteration of a loop known to the next. output is data, T its type.");
  AddPass(r, "RefNextIteration", true,
          "NextIteration for a reference to a variable. output is data, T the variable's type.");
  r.Op({.name = "LoopCond",
        .inputs = "input: bool",
        .outputs = "output: bool",
        .doc =
            "Says whether a loop goes on. output is the scalar input; the Switches of the loop's "
            "variables take it.",
        .contract = "input: scalar",
        .shape = LoopCondShape,
        .no_gradient = true,
        .examples = Loops()})
      .CpuAny(Pass);
}

}  // namespace tensh::ops
