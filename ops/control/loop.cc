// Enter, Exit, NextIteration and LoopCond, which delimit a loop's frame. In a plan they are mostly
// not instructions: a loop is compiled into a part of the plan that runs repeatedly.
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

Status Pass(KernelCtx& c) {
  c.SetOutput(0, c.in(0));
  return {};
}

// The shape of a loop variable may change from one iteration to the next, unless it is a constant
// of the loop.
Status EnterShape(ShapeCtx& c) {
  if (c.attrs().Bool("is_constant")) c.Set(0, c.in(0));
  return {};
}

Status LoopCondShape(ShapeCtx& c) { return SameAsInput<0>(c); }

// These ops have no meaning on their own; tf.while_loop creates them together.
Examples Loops() { return {{"tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])", "3"}}; }

void AddEnter(OpRegistry& r, bool ref) {
  r.Op({.name = ref ? "RefEnter" : "Enter",
        .inputs = ref ? "data: Ref(T)" : "data: T",
        .outputs = ref ? "output: Ref(T)" : "output: T",
        .attrs = "T: type, frame_name: string, is_constant: bool = false, "
                 "parallel_iterations: int = 10",
        .doc = StrCat(ref ? "Enter for a reference to a variable. " : "",
                      "Passes data into the loop frame_name. output is data, in every iteration if "
                      "is_constant is set, otherwise in the first one. T is its type. "
                      "parallel_iterations limits the iterations that run at the same time."),
        .shape = EnterShape,
        .allows_uninitialized_input = ref,
        .role = OpRole::kEnter,
        .examples = Loops()})
      .CpuAny(Pass);
}

void AddPass(OpRegistry& r, const char* name, OpRole role, bool ref, const char* doc) {
  r.Op({.name = name,
        .inputs = ref ? "data: Ref(T)" : "data: T",
        .outputs = ref ? "output: Ref(T)" : "output: T",
        .attrs = "T: type",
        .doc = doc,
        .shape = SameAsInput<0>,
        .allows_uninitialized_input = ref,
        .role = role,
        .examples = Loops()})
      .CpuAny(Pass);
}

}  // namespace

TENSH_OPS(control_loop) {
  AddEnter(r, false);
  AddEnter(r, true);
  AddPass(r, "Exit", OpRole::kExit, false,
          "Passes data out of a loop when the loop ends. output is data, T its type.");
  AddPass(r, "RefExit", OpRole::kExit, true,
          "Exit for a reference to a variable. output is data, T the variable's type.");
  AddPass(r, "NextIteration", OpRole::kNextIteration, false,
          "Passes data to the next iteration of a loop. output is data, T its type.");
  AddPass(r, "RefNextIteration", OpRole::kNextIteration, true,
          "NextIteration for a reference to a variable. output is data, T the variable's type.");
  r.Op({.name = "LoopCond",
        .inputs = "input: bool",
        .outputs = "output: bool",
        .doc = "Decides whether a loop continues. output is the scalar input, which controls the "
               "Switch nodes of the loop variables.",
        .contract = "input: scalar",
        .shape = LoopCondShape,
        .no_gradient = true,
        .role = OpRole::kLoopCond,
        .examples = Loops()})
      .CpuAny(Pass);
}

}  // namespace tensh::ops
