#pragma once
// The functions of a graph: what a GraphDef's library holds. Append-only; a function never changes
// once added, and stays where it is. Shared by the graph and by the bodies made of its functions.
// Any thread may call anything.
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

#include "runtime/core/op_registry.h"

namespace tensh {

// Numbers of ops from here on are functions of the graph's library.
inline constexpr uint16_t kFunctionOps = 0x8000;

// A FunctionDef message, read as far as that goes without knowing the values of its attributes.
struct Function {
  struct Node {
    std::string name, op, device;
    std::vector<std::string> inputs;
    std::map<std::string, std::string> attrs;  // messages
    bool operator==(const Node&) const = default;
  };
  OpDef op;  // how a call by name looks
  std::vector<Node> nodes;
  std::map<std::string, std::string> rets, control_rets;
  std::string message;
  std::string signature;  // the part of the message op was made of
  bool SameAs(const Function& other) const {
    return signature == other.signature && nodes == other.nodes && rets == other.rets &&
           control_rets == other.control_rets;
  }
};

class FunctionLibrary {
 public:
  explicit FunctionLibrary(const OpRegistry& ops) : ops_(ops) {}
  // Adds what a FunctionDefLibrary message holds, all or none. InvalidArgument for what cannot be
  // read, and for a function that is there already and differs.
  Status AddLibrary(std::string_view message);
  Status Add(std::string_view function_def);
  // To take back what was added since Mark.
  size_t Mark() const;
  void DropFrom(size_t mark);
  // Adds a function under a new name that begins with `prefix`; gives the name.
  Result<std::string> Define(std::string_view prefix, const FunctionSpec& spec);

  const Function* Find(std::string_view name) const;    // null: none
  std::string GradientOf(std::string_view name) const;  // "" when the library names none
  const OpDef& op(uint16_t id) const {
    const uint32_t i = id - kFunctionOps;
    return chunks_[i / kChunk].load(std::memory_order_acquire)[i % kChunk]->op;
  }
  size_t size() const;
  std::vector<std::string> names() const;
  // All of it as a FunctionDefLibrary message; empty when there are no functions.
  std::string Message() const;

 private:
  static constexpr uint32_t kChunk = 512, kMaxFunctions = 0x7fff;
  Status AddLocked(std::string_view function_def);
  void DropFromLocked(size_t mark);

  const OpRegistry& ops_;
  mutable std::mutex mu_;
  std::deque<Function> functions_;                             // guarded by mu_
  std::unordered_map<std::string_view, uint32_t> by_name_;     // guarded by mu_
  std::map<std::string, std::string, std::less<>> gradients_;  // guarded by mu_
  uint64_t next_ = 0;                                          // guarded by mu_
  using Slot = const Function*;
  std::array<std::atomic<Slot*>, kMaxFunctions / kChunk + 1> chunks_{};
  std::deque<std::array<Slot, kChunk>> storage_;  // guarded by mu_

 public:
  FunctionLibrary(const FunctionLibrary&) = delete;
  FunctionLibrary& operator=(const FunctionLibrary&) = delete;
};

// Values for a function's attributes: those given, defaults for the others. InvalidArgument where
// one is missing or of another kind, or a number of arguments is not sensible.
Result<std::vector<NamedAttr>> BindAttrs(const OpDef& op, const std::vector<NamedAttr>* given);

}  // namespace tensh
