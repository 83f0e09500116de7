// A call of an op from Python, like in TensorFlow's op_def_library. It opens the name scope,
// converts each argument to a tensor of the type that the signature requires (constants become
// nodes named after the argument), and adds the node.
//
// An OpCall lives on the stack while its node is created. Threads: the interpreter's thread only.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/python/values/error.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/graph.h"

namespace tensh::shell::tf {

// A signature of the runtime, under the name by which it was looked up.
using OpArg = tsh_op_arg;
using OpAttr = tsh_op_attr;
struct OpInfo {
  OpInfo(std::string_view asked_for, const tsh_op_info& info)
      : name(asked_for),
        inputs(info.inputs, info.n_inputs),
        outputs(info.outputs, info.n_outputs),
        attrs(info.attrs, info.n_attrs) {}
  std::string name;  // may be an alias
  std::span<const OpArg> inputs, outputs;
  std::span<const OpAttr> attrs;  // at most kMaxOpAttrs
};
constexpr size_t kMaxOpAttrs = 24;
const OpInfo* FindOp(std::string_view name);  // null if no such op exists
const OpInfo& GetOp(std::string_view name);   // throws NotImplementedError if no such op exists

// An argument: any Python value, or an existing tensor of the graph.
struct Arg {
  Arg(const Value& v) : value(&v) {}  // NOLINT: made to be passed
  Arg(Out o) : out(o) {}              // NOLINT
  const Value* value = nullptr;
  Out out = kNoOut;
};

struct ConvertOptions {
  int dtype = 0;      // the required dtype, or 0
  int preferred = 0;  // tried first if no dtype is required
  bool as_ref = false;
};
// ops.convert_to_tensor: returns the output of a tensor, the value of a variable, or a new constant
// named `name`.
Out Convert(GraphObject& g, const Value& v, std::string_view name, ConvertOptions options = {});
// Returns true if a conversion function is registered for such objects
// (tf.register_tensor_conversion_function).
bool IsConvertedByUser(const Value& v);
Out Constant(GraphObject& g, const TensorHandle& t, std::string_view name);
// Returns the output if `v` is a tensor, without creating a node; otherwise returns kNoOut. Checks
// that it belongs to `g`.
Out AsOut(GraphObject& g, const Value& v, bool as_ref = false);

// Returns the graph of the first tensor among `values`, or the default graph. Throws ValueError if
// the tensors belong to two graphs.
GraphObject& GraphOf(std::initializer_list<const Value*> values);
GraphObject* FindGraphOf(const Value& v);  // searches lists too; null if there is no tensor

class OpCall {
 public:
  // `name` is "" for the op's own name, or "scope/" with the slash to use the name of a scope.
  OpCall(GraphObject& g, std::string_view op, std::string_view name = {});
  OpCall(GraphObject& g, const OpInfo& op, std::string_view name, std::string_view default_name);

  OpCall& In(const Arg& a);                       // adds the next argument
  OpCall& InList(std::span<const Value> values);  // adds the next argument, which is a list
  OpCall& InList(std::span<const Out> values);
  OpCall& Type(const char* attr, int dtype);  // sets a type attribute
  // Sets any attribute from a Python value. None leaves it out. Throws NotImplementedError if the op
  // has no such attribute.
  OpCall& Attr(std::string_view name, const Value& v);
  OpCall& Attr(const OpAttr& attr, const Value& v);
  Attrs& attrs() { return attrs_; }

  Node AddNode();
  Out Add() { return {AddNode(), 0}; }
  Value AddValue() { return g_.Tensor(Add()); }
  GraphObject& graph() { return g_; }
  const OpInfo& info() const { return op_; }
  size_t given() const { return next_; }  // number of arguments so far
  int type_of(size_t attr) const { return types_[attr]; }

 private:
  Out ConvertOne(const OpArg& arg, const Value& v, std::string_view const_name);
  void Accept(const OpArg& arg, Out o, const Value* v);
  PyError Mismatch(const OpArg& arg, const Value& v, const PyError& error);

  GraphObject& g_;
  const OpInfo& op_;
  NameScope scope_;
  size_t next_ = 0;
  std::array<int, kMaxOpAttrs> types_{};
  std::array<const OpArg*, kMaxOpAttrs> inferred_from_{};
  std::vector<Out> inputs_;
  bool mismatched_ = false;  // an input was refused because its type is not that of another one
  Attrs attrs_;
  struct Kept;  // storage that the attributes point to
  void TellTypes(const OpArg& arg, size_t first);
  static void ListAttr(const OpAttr& attr, const Value& v, Kept* kept, tsh_attr* a);
  std::vector<std::shared_ptr<Kept>> kept_;
};

// Adds one node with inputs in order, and returns its first output.
Out Op(GraphObject& g, std::string_view op, std::initializer_list<Arg> inputs,
       std::string_view name = {});
inline Out Op(GraphObject& g, std::string_view op, std::initializer_list<Arg> inputs,
              const char* name) {
  return Op(g, op, inputs, std::string_view(name));
}
// For a name that is g.scope: its text may move while the inputs are made, so a view of it that is
// taken before them dangles. The reference stays valid.
inline Out Op(GraphObject& g, std::string_view op, std::initializer_list<Arg> inputs,
              const std::string& name) {
  return Op(g, op, inputs, std::string_view(name));
}

// Returns the caller's name=; None is "".
std::string_view NameText(const Value& name);
// Returns the name of the scope for a function whose default name is `fallback`.
inline std::string_view NameOr(const Value& name, std::string_view fallback) {
  return name.is_none() || name.is_null() ? fallback : NameText(name);
}

}  // namespace tensh::shell::tf
