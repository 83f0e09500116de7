#pragma once
// The functions of a graph, as in the library of a GraphDef.
//
// Append-only: a function never changes and has a stable address. The library is shared by the
// graph and by the bodies made from its functions. Thread-safe.
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

#include "runtime/core/op_registry.h"

namespace tensh {

// Op numbers from here on are functions of the graph's library.
inline constexpr uint16_t kFunctionOps = 0x8000;

// A parsed FunctionDef message, as far as it can be read without the values of its attributes.
struct Function {
  struct Node {
    std::string name, op, device;
    std::vector<std::string> inputs;
    std::map<std::string, std::string> attrs;  // Values are encoded messages.
    bool operator==(const Node&) const = default;
  };
  OpDef op;  // The signature for calls by name.
  std::vector<Node> nodes;
  std::map<std::string, std::string> rets, control_rets;
  std::string message;
  std::string signature;  // The part of the message from which `op` was made.
  bool SameAs(const Function& other) const {
    return signature == other.signature && nodes == other.nodes && rets == other.rets &&
           control_rets == other.control_rets;
  }
};

class FunctionLibrary {
 public:
  explicit FunctionLibrary(const OpRegistry& ops) : ops_(ops) {}
  // Adds the functions of a FunctionDefLibrary message, all or none. Returns InvalidArgument for a
  // malformed message, and if a function exists with another definition. `clear_devices` ignores the
  // devices that the nodes of the functions request.
  Status AddLibrary(std::string_view message, bool clear_devices = false);
  Status Add(std::string_view function_def);
  // DropFrom removes the functions that were added since Mark.
  size_t Mark() const;
  void DropFrom(size_t mark);
  // Adds a function under a new name that begins with `prefix`, and returns the name.
  Result<std::string> Define(std::string_view prefix, const FunctionSpec& spec);

  const Function* Find(std::string_view name) const;    // Returns null if it does not exist.
  std::string GradientOf(std::string_view name) const;  // Returns "" if the library declares none.
  const OpDef& op(uint16_t id) const {
    const uint32_t i = id - kFunctionOps;
    return chunks_[i / kChunk].load(std::memory_order_acquire)[i % kChunk]->op;
  }
  size_t size() const;
  std::vector<std::string> names() const;
  // Returns the library as a FunctionDefLibrary message; "" if it has no functions.
  std::string Message() const;

 private:
  static constexpr uint32_t kChunk = 512, kMaxFunctions = 0x7fff;
  Status AddLocked(std::string_view function_def, bool clear_devices = false);
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

// Returns the values of a function's attributes: the given ones, and defaults for the others.
// Returns InvalidArgument if a value is missing or of the wrong kind, or if a number of arguments
// is out of range.
Result<std::vector<NamedAttr>> BindAttrs(const OpDef& op, const std::vector<NamedAttr>* given);

}  // namespace tensh
