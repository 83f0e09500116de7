// CallOp, and functions for ops that have no row.
#include "shell/tensorflow/graph/rows.h"

#include <cctype>
#include <deque>
#include <memory>

#include "runtime/base/text.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/text/json.h"

namespace tensh::shell::tf {
namespace {

std::string_view NextWord(std::string_view* text) {
  const size_t end = std::min(text->find(' '), text->size());
  std::string_view word = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return word;
}

GraphObject& GraphOfInputs(Args& a, size_t inputs) {
  GraphObject* found = nullptr;
  for (size_t i = 0; i < inputs && i < a.size(); ++i) {
    GraphObject* g = FindGraphOf(a[i]);
    if (found && g && g != found) return GraphOf({&a[0], &a[i]});  // throws
    if (g) found = g;
  }
  return found ? *found : DefaultGraph();
}

Value Results(OpCall& call) {
  GraphObject& g = call.graph();
  const Node node = call.AddNode();
  const size_t n = g.handle().NumOutputs(node);
  if (n == 0) return g.Operation(node);
  const bool list =
      call.info().outputs[0].number_attr >= 0 || call.info().outputs[0].type_list_attr >= 0;
  if (n == 1 && !list) return g.Tensor({node, 0});
  // One output argument of several tensors is a list; several arguments are a named tuple.
  if (call.info().outputs.size() > 1) return NamedOutputs(g, call.info(), node);
  std::vector<Value> outputs;
  for (uint32_t i = 0; i < n; ++i) outputs.push_back(g.Tensor({node, i}));
  return MakeList(std::move(outputs));
}

// A function made for an op of the catalogue.
struct RawRow {
  std::string signature, doc;
  const OpInfo* op = nullptr;
  FunctionRow row{};
};

Value CallRaw(Args& a) {
  const OpInfo& op = *static_cast<const RawRow*>(a.row().data)->op;
  OpCall call(GraphOfInputs(a, op.inputs.size()), op, NameText(a[a.size() - 1]), op.name);
  size_t next = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) call.In(a[next++]);
  for (const OpAttr& attr : op.attrs) {
    if (attr.inferred) continue;
    call.Attr(attr, a[next++]);
  }
  return Results(call);
}

std::string RawSignature(const OpInfo& op) {
  std::string out;
  for (const OpArg& arg : op.inputs) out += std::string(arg.name) + ", ";
  bool optional = false;
  for (const OpAttr& attr : op.attrs) {
    if (attr.inferred) continue;
    optional |= attr.has_default != 0;
    out += std::string(attr.name) + (optional ? "=None, " : ", ");
  }
  return out + "name=None";
}

// Returns the class of a result such as TopKV2(values=…, indices=…). It is made once per op.
Value NamedClass(const OpInfo& op) {
  Value& made = State().output_types[&op];
  if (!made.is_null()) return made;
  std::vector<Value> fields;
  for (const OpArg& output : op.outputs) fields.push_back(MakeStr(output.name));
  const Value make = GetAttr(Interp::Current().Import("collections"), Intern("namedtuple"));
  return made = Call(make, {MakeStr(op.name), MakeList(std::move(fields))});
}

}  // namespace

Value NamedOutputs(GraphObject& g, const OpInfo& op, Node node) {
  const size_t n = g.handle().NumOutputs(node);
  std::vector<Value> outputs;
  for (uint32_t i = 0; i < n; ++i) outputs.push_back(g.Tensor({node, i}));
  // One of the outputs consists of several tensors and would be a list. Such ops return a plain
  // tuple.
  if (n != op.outputs.size()) return MakeTuple(std::move(outputs));
  return Call(NamedClass(op), std::span<const Value>(outputs));
}

Value CallOp(Args& a) {
  std::string_view words = static_cast<const char*>(a.row().data);
  const std::string_view head = NextWord(&words);
  const size_t slash = head.find('/');
  const OpInfo& op = GetOp(head.substr(0, slash));
  const std::string_view node = slash == head.npos ? head : head.substr(slash + 1);
  OpCall call(GraphOfInputs(a, op.inputs.size()), op, NameText(a[a.size() - 1]), node);
  size_t next = 0;
  for (; next < op.inputs.size(); ++next) call.In(a[next]);
  while (!words.empty()) {
    call.Attr(NextWord(&words), a[next++]);
  }
  return Results(call);
}

Value RawOp(std::string_view name) {
  const OpInfo* op = FindOp(name);
  if (!op) return Value();
  // Never freed, like the rows of tables.
  static auto* rows = new std::deque<RawRow>();
  for (RawRow& row : *rows) {
    if (row.op == op) return New<NativeFunction>(row.row, nullptr);
  }
  RawRow& made = rows->emplace_back();
  made.op = op;
  made.signature = RawSignature(*op);
  made.row = {op->name.c_str(), made.signature.c_str(), CallRaw, "", &made};
  return New<NativeFunction>(made.row, nullptr);
}

const OpInfo* OpForPythonName(std::string_view name) {
  std::string camel;
  bool upper = true;
  for (char c : name) {
    if (c == '_') {
      upper = true;
    } else {
      camel += upper ? AsciiUpper(c) : c;
      upper = false;
    }
  }
  if (const OpInfo* op = FindOp(camel)) return op;
  return FindOp(camel + "V2");
}

std::vector<std::string> OpNames() {
  std::vector<std::string> names;
  const Json ops = Json::Parse(TakeText(tsh_ops_json("")));
  for (const Json& op : ops.items()) names.push_back(op["name"].as_string());
  return names;
}

}  // namespace tensh::shell::tf
