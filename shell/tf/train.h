// tf.train's optimizers: what they build around gradients.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shell/tf/graph.h"
#include "shell/tf/variable.h"
#include "shell/values/native.h"

namespace tensh::shell::tf {

// A variable that an optimizer keeps beside another.
struct SlotKind {
  const char* name;
  // Of what it is made: an initializer, or a constant node (Ftrl's way).
  enum Start : uint8_t { kZeros, kOnes, kConstant, kConstantNode, kZerosNode } start = kZeros;
};

// One kind of optimizer, a row: which slots a variable gets, the update op and what it takes.
struct OptimizerKind {
  const char* class_name;
  const char* name;  // default of name=
  const char* update_op;
  std::vector<SlotKind> slots;             // in the order of making
  std::vector<const char*> hyper;          // parameters that become constants: "learning_rate", …
  bool beta_powers = false;                // Adam's running powers
  std::vector<const char*> op_slots = {};  // in the order of the op's inputs, where it differs
};

class OptimizerObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  OptimizerObject(const TypeInfo& type, const OptimizerKind& kind)
      : TrackedObject(type), kind(kind) {}
  void DropRefs() override;
  void Visit(HeldVisitor& visit) const override { visit(hyper), visit(slots_), visit(powers_); }

  Value ComputeGradients(const Value& loss, const Value& variables, const Value& grad_loss,
                         bool gate_ops);
  Value ApplyGradients(const Value& pairs, const Value& global_step, const Value& name);
  Value Slot(const Value& variable, std::string_view name) const;

  const OptimizerKind& kind;
  std::string name;
  std::map<std::string, Value, std::less<>> hyper;  // as given
  bool use_locking = false, use_nesterov = false;
  double initial_accumulator = 0.1;

 private:
  struct Pair {
    Value gradient;  // a tensor, or an IndexedSlices
    VariableObject* variable;
  };
  void MakeSlots(GraphObject& g, const std::vector<Pair>& pairs);
  Value MakeSlot(GraphObject& g, VariableObject& of, const SlotKind& slot);
  Out HyperOf(std::string_view argument) const;
  Node Update(GraphObject& g, const Pair& pair);
  Node UpdateRows(GraphObject& g, VariableObject& var, Out values, Out indices);
  Node AdamRows(GraphObject& g, VariableObject& var, Out values, Out indices);
  Node ApplyOp(GraphObject& g, VariableObject& var, std::string_view prefix, Out gradient,
               Out indices);
  Out Hyper(GraphObject& g, std::string_view argument, int dtype) const;
  VariableObject& SlotOf(const VariableObject& var, const char* slot);
  VariableObject& Power(GraphObject& g, const char* beta);
  Node Finish(GraphObject& g, std::vector<Node> updates, std::string_view name);

  std::map<std::string, Value> slots_;   // "W/Adam": slot name, by graph id, variable and slot
  std::map<std::string, Value> powers_;  // Adam's, by graph id and name
  std::map<std::string, Out, std::less<>> constants_;  // hyper, in the graph of this call
};

// tf.gradients.
struct GradientsCall {
  std::span<const Out> ys, xs, grad_ys = {}, stops = {};
  std::string_view name = {};
  bool gate_ops = false;
};
std::vector<tsh_gradient> Gradients(GraphObject& g, const GradientsCall& call);
const ModuleDef& TrainModule();
Value GradientsFn(Args& a);

}  // namespace tensh::shell::tf
