#pragma once
// Random programs of loops in branches in loops, whose nodes request random devices.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/graph_text.h"

namespace tensh::test {

// Float values that a part of the program may use. Elements [0] and [1] are zero and one in that
// context.
using Scope = std::vector<Output>;

class Program {
 public:
  // `devices` is the prefix of the requested devices, and is followed by a number below 3.
  explicit Program(unsigned seed, std::string devices = "/cpu:")
      : devices_(std::move(devices)), rng_(seed) {}
  Program(const Program&) = delete;
  ~Program() { graph_->Unref(); }
  Graph& graph() { return *graph_; }

  Output Make() {
    Scope scope = {Const(0), Const(1), Const(0.5f), Const(-0.75f)};
    Statements(scope, 0);
    Output sum = scope[2];
    for (size_t i = 3; i < scope.size(); ++i) sum = Op("AddV2", {sum, scope[i]});
    return sum;
  }

 private:
  int Below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }
  Output Pick(const Scope& scope) {
    return scope[static_cast<size_t>(Below(static_cast<int>(scope.size())))];
  }

  Output Op(const char* op, std::vector<Output> inputs, std::vector<NamedAttr> attrs = {},
            std::vector<NodeId> controls = {}) {
    const std::string device = Below(2) ? devices_ + std::to_string(Below(3)) : "";
    const NodeSpec spec{.op = op,
                        .name = {},
                        .device = device,
                        .inputs = inputs,
                        .controls = controls,
                        .attrs = attrs};
    auto added = graph_->Append({&spec, 1});
    EXPECT_TRUE(added.ok()) << added.status().message();
    return {added.ok() ? *added : NodeId{0}, 0};
  }
  Output Const(float value) {
    return Op("Const", {}, {{"dtype", DType::kFloat}, {"value", Tensor::Scalar(value)}});
  }
  static Output Second(Output o) { return {o.node, 1}; }

  void Statements(Scope& scope, int depth) {
    for (int n = 1 + Below(4); n-- > 0;) {
      switch (depth < 3 ? Below(4) : 0) {
        case 2:
          scope.push_back(Branch(scope, depth));
          break;
        case 3:
          Loop(scope, depth);
          break;
        default: {
          static constexpr const char* kBinary[] = {"AddV2", "Sub", "Mul", "Maximum"};
          const Output made = Op(kBinary[Below(4)], {Pick(scope), Pick(scope)});
          std::vector<NodeId> controls;
          if (Below(3) == 0) controls.push_back(Pick(scope).node);
          scope.push_back(Op("Tanh", {made}, {}, controls));
        }
      }
    }
  }

  Output Branch(const Scope& scope, int depth) {
    const Output pred = Op("Less", {Pick(scope), Pick(scope)});
    Scope yes, no;
    for (size_t i = 0; i < scope.size(); ++i) {
      if (i > 1 && Below(2)) continue;
      const Output both = Op("Switch", {scope[i], pred});
      no.push_back(both);
      yes.push_back(Second(both));
    }
    Statements(yes, depth + 1);
    Statements(no, depth + 1);
    return Op("Merge", {yes.back(), no.back()});
  }

  Output Enter(Output value, const std::string& frame, bool constant) {
    return Op("Enter", {value}, {{"frame_name", frame}, {"is_constant", constant}});
  }

  // i = 0; x = some; while i < n: x = …, i += 1
  void Loop(Scope& scope, int depth) {
    const std::string frame = "frame" + std::to_string(frames_++);
    Output limit = scope[1];
    for (int k = Below(5); k-- > 0;) limit = Op("AddV2", {limit, scope[1]});
    if (Below(4) == 0) limit = scope[0];
    Scope outer;
    for (size_t i = 0; i < scope.size(); ++i)
      if (i < 2 || Below(3) == 0) outer.push_back(Enter(scope[i], frame, true));
    const Output bound = Enter(limit, frame, true);
    std::vector<Output> merges, switches;
    for (const Output& first : {scope[0], Pick(scope), Pick(scope)}) {
      const Output in = Enter(first, frame, false);
      merges.push_back(Op("Merge", {in, in}));
    }
    const Output test =
        Op("Less", {merges[0], Below(2) ? bound : Op("Tanh", {Op("Mul", {bound, outer[1]})})});
    const Output cond = Op("LoopCond", {test});
    for (const Output& merge : merges) switches.push_back(Op("Switch", {merge, cond}));
    Scope body = outer;
    for (const Output& each : switches) body.push_back(Op("Identity", {Second(each)}));
    const Output next_i = Op("AddV2", {body[outer.size()], outer[1]});
    Statements(body, depth + 1);
    for (size_t v = 0; v < merges.size(); ++v) {
      // Only values of the current iteration are fed back, because a constant of the loop is always
      // available.
      const Output value = v == 0 ? next_i : Op("AddV2", {body.back(), body[outer.size() + v]});
      const Output bounded = v == 0 ? value : Op("Tanh", {value});
      const Output next = Op("NextIteration", {bounded});
      EXPECT_TRUE(graph_->SetInput(merges[v].node, 1, next).ok());
    }
    for (size_t v = 0; v < merges.size(); ++v) scope.push_back(Op("Exit", {switches[v]}));
  }

  const std::string devices_;
  Graph* graph_ = new Graph(AllOps());
  std::mt19937 rng_;
  int frames_ = 0;
};

}  // namespace tensh::test
