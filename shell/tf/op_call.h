// One call of an op from Python, as TensorFlow's op_def_library makes it: opens the name scope,
// turns each argument into a tensor of the type the signature wants (constants are nodes named
// after the argument), adds the node. Signatures come from the runtime as text and are parsed once
// an op.
//
// Threads: the interpreter's. An OpCall lives on the stack while its node is made.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/tf/convert.h"
#include "shell/tf/graph.h"
#include "shell/values/error.h"

namespace tensh::shell::tf {

// A signature, parsed.
struct OpArg {
  std::string name;
  int dtype = 0;            // fixed, or 0:
  int type_attr = -1;       //   index of the attribute that gives it
  int type_list_attr = -1;  //   or of the list(type) that gives one for each
  int number_attr = -1;     // N * T
  bool is_ref = false;
};
struct OpAttr {
  std::string name;
  std::string kind;  // "type", "int", "float", "bool", "string", "shape", "tensor"
  bool is_list = false;
  bool inferred = false;     // follows from the inputs
  std::vector<int> allowed;  // dtypes; empty: all
  std::optional<std::string> default_text;
  int default_type = 0;
};
struct OpInfo {
  std::string name;
  std::vector<OpArg> inputs, outputs;
  std::vector<OpAttr> attrs;
};
const OpInfo* FindOp(std::string_view name);  // null: no such op
const OpInfo& GetOp(std::string_view name);   // or NotImplementedError

// An argument: any Python value, or a tensor of the graph already made.
struct Arg {
  Arg(const Value& v) : value(&v) {}  // NOLINT: made to be passed
  Arg(Out o) : out(o) {}              // NOLINT
  const Value* value = nullptr;
  Out out = kNoOut;
};

struct ConvertOptions {
  int dtype = 0;      // wanted, or 0
  int preferred = 0;  // tried first when no dtype is wanted
  bool as_ref = false;
};
// ops.convert_to_tensor: a tensor's own output, a variable's value, else a constant named `name`.
Out Convert(GraphObject& g, const Value& v, std::string_view name, ConvertOptions options = {});
// Is a function registered for such objects? (tf.register_tensor_conversion_function)
bool IsConvertedByUser(const Value& v);
Out Constant(GraphObject& g, const TensorHandle& t, std::string_view name);
// The tensor `v` is already, without making a node; kNoOut otherwise. Checks that it is of `g`.
Out AsOut(GraphObject& g, const Value& v, bool as_ref = false);

// The graph that the first tensor among `values` is in, else the default one. ValueError when they
// are of two graphs.
GraphObject& GraphOf(std::initializer_list<const Value*> values);
GraphObject* FindGraphOf(const Value& v);  // looks into lists; null: no tensor there

class OpCall {
 public:
  // `name`: "" for the op's own; "scope/" (with the slash) to take a scope's name.
  OpCall(GraphObject& g, std::string_view op, std::string_view name = {});
  OpCall(GraphObject& g, const OpInfo& op, std::string_view name, std::string_view default_name);

  OpCall& In(const Arg& a);                       // the next argument
  OpCall& InList(std::span<const Value> values);  // the next argument, a list
  OpCall& InList(std::span<const Out> values);
  OpCall& Type(const char* attr, int dtype);         // a type attribute given outright
  OpCall& Attr(const OpAttr& attr, const Value& v);  // any attribute, from a Python value
  Attrs& attrs() { return attrs_; }

  Node AddNode();
  Out Add() { return {AddNode(), 0}; }
  Value AddValue() { return g_.Tensor(Add()); }
  GraphObject& graph() { return g_; }
  const OpInfo& info() const { return op_; }
  size_t given() const { return next_; }  // arguments so far
  int type_of(size_t attr) const { return types_[attr]; }

 private:
  Out ConvertOne(const OpArg& arg, const Value& v, std::string_view const_name);
  void Accept(const OpArg& arg, Out o, const Value* v);
  PyError Mismatch(const OpArg& arg, const Value& v, const PyError& error) const;

  GraphObject& g_;
  const OpInfo& op_;
  NameScope scope_;
  size_t next_ = 0;
  static constexpr size_t kMaxAttrs = 16;
  std::array<int, kMaxAttrs> types_{};
  std::array<const OpArg*, kMaxAttrs> inferred_from_{};
  std::vector<Out> inputs_;
  Attrs attrs_;
  struct Kept;  // what the attributes view
  void TellTypes(const OpArg& arg, size_t first);
  static void ListAttr(const OpAttr& attr, const Value& v, Kept* kept, tsh_attr* a);
  std::vector<std::shared_ptr<Kept>> kept_;
};

// Shorthand: one node, inputs in order; the value of its first output.
Out Op(GraphObject& g, std::string_view op, std::initializer_list<Arg> inputs,
       std::string_view name = {});

// name= as given by the caller: None is "".
std::string_view NameText(const Value& name);
// The scope name to open for a function of default name `fallback`.
inline std::string_view NameOr(const Value& name, std::string_view fallback) {
  return name.is_none() || name.is_null() ? fallback : NameText(name);
}

}  // namespace tensh::shell::tf
