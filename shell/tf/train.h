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
  const char* name;                        // default of name=
  const char* update_op;                   // "": a user's class brings the update
  std::vector<SlotKind> slots = {};        // in the order of making
  std::vector<const char*> hyper = {};     // parameters that become constants: "learning_rate", …
  bool beta_powers = false;                // Adam's running powers
  std::vector<const char*> op_slots = {};  // in the order of the op's inputs, where it differs
  bool short_names = false;                // _lr and _lr_t, not _learning_rate_tensor
};

// A user's class may derive from an optimizer and override the parts that ApplyGradients is made
// of; they are methods (optimizer_methods.cc), and its parameters attributes.
class OptimizerObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit OptimizerObject(const TypeInfo& type) : TrackedObject(type) {}
  void DropRefs() override;
  void Visit(HeldVisitor& visit) const override { visit(hyper), visit(slots_), visit(non_slots_); }

  Value ComputeGradients(const Value& loss, const Value& variables, const Value& grad_loss,
                         bool gate_ops);
  Value ApplyGradients(const Value& pairs, const Value& global_step, const Value& name);

  // ---- the parts ----
  void CreateSlots(GraphObject& g, const std::vector<VariableObject*>& variables);
  void Prepare(GraphObject& g);
  Node ApplyDense(VariableObject& var, Out gradient);
  Node ApplyDuplicateRows(VariableObject& var, Out values, Out indices);
  Node ApplyRows(VariableObject& var, Out values, Out indices);  // each index once
  Node Finish(GraphObject& g, std::vector<Node> updates, std::string_view name);

  // ---- what it keeps ----
  Value Slot(const Value& variable, std::string_view name) const;
  // The slot, made of spec when it is not there: a variable beside another.
  Value KeepSlot(VariableObject& of, std::string_view slot, const std::string& op_name,
                 const VariableSpec& spec);
  std::vector<std::string> SlotNames() const;
  Value NonSlot(const GraphObject& g, std::string_view name) const;
  Value KeepNonSlot(GraphObject& g, const std::string& name, const Value& initial,
                    VariableObject& beside);
  std::vector<Value> Variables(const GraphObject& g) const;  // of both sorts, by name
  std::string AttributeOf(std::string_view hyper_name) const;

  bool is_users() { return attrs() != nullptr; }

  static const OptimizerKind kOfUser;
  const OptimizerKind* kind = &kOfUser;
  std::string name;
  std::map<std::string, Value, std::less<>> hyper;  // as given
  bool use_locking = false, use_nesterov = false;
  double initial_accumulator = 0.1;

 private:
  struct Pair {
    Value gradient;  // a tensor, or an IndexedSlices
    VariableObject* variable;
  };
  void CreateSlotsFor(GraphObject& g, const std::vector<Pair>& pairs);
  Node CallPart(const char* part, std::initializer_list<Value> args);
  Node Update(GraphObject& g, const Pair& pair);
  Node PlainUpdate(const Pair& pair);
  Node UsersUpdate(const Pair& pair);
  Node FinishAs(GraphObject& g, const std::vector<Node>& updates, std::string_view name);
  Out HyperOf(std::string_view argument) const;
  Node AdamRows(GraphObject& g, VariableObject& var, Out values, Out indices);
  Node ApplyOp(GraphObject& g, VariableObject& var, std::string_view prefix, Out gradient,
               Out indices);
  Out Hyper(GraphObject& g, std::string_view argument, int dtype) const;
  VariableObject& SlotOf(const VariableObject& var, const char* slot);
  VariableObject& Power(GraphObject& g, const char* beta);

  std::map<std::string, Value> slots_;      // "W/Adam": by graph id, variable and slot name
  std::map<std::string, Value> non_slots_;  // Adam's powers: by graph id and name
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
Value OptimizerType();                          // tf.train.Optimizer
std::span<const ConstantRow> OptimizerTypes();  // with those that derive from it
Value GradientsFn(Args& a);

}  // namespace tensh::shell::tf
