// The optimizers of tf.train: the nodes that they add around gradients.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shell/python/values/native.h"
#include "shell/tensorflow/graph/gradient_override.h"
#include "shell/tensorflow/graph/graph.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {

// A slot: a variable that an optimizer keeps for another variable.
struct SlotKind {
  const char* name;
  // Its initial value: an initializer, or a constant node as in Ftrl.
  enum Start : uint8_t { kZeros, kOnes, kConstant, kConstantNode, kZerosNode } start = kZeros;
};

// One kind of optimizer: its slots for each variable, its update op and the arguments of the op.
struct OptimizerKind {
  const char* class_name;
  const char* name;                        // default of name=
  const char* update_op;                   // "" if a user's class implements the update
  std::vector<SlotKind> slots = {};        // in order of creation
  std::vector<const char*> hyper = {};     // parameters that become constants: "learning_rate", …
  bool beta_powers = false;                // Adam's powers of beta
  std::vector<const char*> op_slots = {};  // in the order of the op's inputs, if it differs
  bool short_names = false;                // uses _lr and _lr_t instead of _learning_rate_tensor
};

// An optimizer, from which a user's class may derive. The parts of ApplyGradients are methods that
// it can override (optimizer_methods.cc), and the parameters are attributes.
class OptimizerObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit OptimizerObject(const TypeInfo& type) : TrackedObject(type) {}
  void DropRefs() override;
  void Visit(HeldVisitor& visit) const override { visit(hyper), visit(slots_), visit(non_slots_); }

  Value ComputeGradients(const Value& loss, const Value& variables, const Value& grad_loss,
                         bool gate_ops, bool colocate);
  Value ApplyGradients(const Value& pairs, const Value& global_step, const Value& name);

  // ---- overridable parts ----
  void CreateSlots(GraphObject& g, const std::vector<VariableObject*>& variables);
  void Prepare(GraphObject& g);
  Node ApplyDense(VariableObject& var, Out gradient);
  Node ApplyDuplicateRows(VariableObject& var, Out values, Out indices);
  Node ApplyRows(VariableObject& var, Out values, Out indices);  // each index occurs once
  Node Finish(GraphObject& g, std::vector<Node> updates, std::string_view name);

  // ---- slots and other state ----
  Value Slot(const Value& variable, std::string_view name) const;
  // Returns the slot, and creates it from `spec` if it does not exist.
  Value KeepSlot(VariableObject& of, std::string_view slot, const std::string& op_name,
                 const VariableSpec& spec);
  std::vector<std::string> SlotNames() const;
  Value NonSlot(const GraphObject& g, std::string_view name) const;
  Value KeepNonSlot(GraphObject& g, const std::string& name, const Value& initial,
                    VariableObject& beside);
  std::vector<Value> Variables(const GraphObject& g) const;  // of both kinds, by name
  std::string AttributeOf(std::string_view hyper_name) const;

  bool is_users() { return attrs() != nullptr; }

  static const OptimizerKind kOfUser;
  const OptimizerKind* kind = &kOfUser;
  std::string name;
  std::map<std::string, Value, std::less<>> hyper;  // the arguments as given
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

  std::map<std::string, Value> slots_;      // "W/Adam", by graph id, variable and slot name
  std::map<std::string, Value> non_slots_;  // Adam's powers, by graph id and name
  // the hyperparameters in the graph of the current call
  std::map<std::string, Out, std::less<>> constants_;
};

// tf.gradients.
std::vector<tsh_gradient> Gradients(GraphObject& g, const GradientsCall& call);
Value OptimizerType();                          // tf.train.Optimizer
std::span<const ConstantRow> OptimizerTypes();  // including the derived ones

}  // namespace tensh::shell::tf
