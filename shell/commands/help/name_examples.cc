#include "shell/commands/help/name_examples.h"

#include <map>
#include <optional>

#include "runtime/base/text.h"
#include "shell/client/client.h"
#include "shell/edit/text_buffer.h"
#include "shell/numpy/module.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/catalogue.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

std::string Transcript(const Json& example) {
  return ">>> eval " + example["call"].as_string() + "\n" + example["result"].as_string() + "\n";
}

// Returns the first example of the op that calls `function`, or its first example if none does.
std::string OpExample(const std::string& op, std::string_view function) {
  const Json ops = Json::Parse(TakeText(tsh_ops_json(op.c_str())));  // and those that mention it
  std::string first;
  for (const Json& each : ops.items()) {
    if (each["name"].as_string() != op) continue;
    for (const Json& example : each["examples"].items()) {
      if (first.empty()) first = Transcript(example);
      if (example["call"].as_string().starts_with(function)) return Transcript(example);
    }
  }
  return first;
}

// The examples of all ops, by the function that they call: the first one of each.
using Calls = std::map<std::string, std::string, std::less<>>;
const Calls& AllCalls() {
  static const auto* examples = [] {
    auto* found = new Calls();
    const Json ops = Json::Parse(TakeText(tsh_ops_json("")));
    for (const Json& op : ops.items())
      for (const Json& example : op["examples"].items()) {
        const std::string& call = example["call"].as_string();
        found->try_emplace(call.substr(0, call.find('(')), Transcript(example));
      }
    return found;
  }();
  return *examples;
}

// Returns an example that calls a function, such as tf.nn.relu or tf.reduce_sum. Most functions have
// the name of an op, apart from its case, so that only that one is read.
std::string CallExample(const std::string& function) {
  std::string name = function.substr(function.rfind('.') + 1);
  if (name.starts_with("reduce_")) name.erase(0, std::string_view("reduce_").size());
  std::string op;
  for (size_t i = 0; i < name.size(); ++i)
    if (name[i] != '_') op += i == 0 || name[i - 1] == '_' ? AsciiUpper(name[i]) : name[i];
  if (tsh_op_name(op.c_str()) != nullptr) {
    const std::string found = OpExample(op, function + "(");
    if (found.starts_with(">>> eval " + function + "(")) return found;
  }
  const auto found = AllCalls().find(function);
  return found == AllCalls().end() ? "" : found->second;
}

// Replaces the full name `from`, but not names that only begin or end with it.
std::string Renamed(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    const size_t end = at + from.size();
    const bool whole = (at == 0 || (!IsWordByte(text[at - 1]) && text[at - 1] != '.')) &&
                       (end == text.size() || !IsWordByte(text[end]));
    if (whole) {
      text.replace(at, from.size(), to);
    } else {
      at = end - to.size();
    }
  }
  return text;
}

// Returns true if both values are the same function or class.
bool Same(const Value& a, const Value& b) {
  const auto* f = As<NativeFunction>(a);
  const auto* g = As<NativeFunction>(b);
  if (f != nullptr && g != nullptr) return &f->row() == &g->row() && f->self().is_null();
  return !a.is_null() && !b.is_null() && a.Is(b);
}

}  // namespace

std::string NameExample(const Catalogue& catalogue, std::string_view path) {
  const std::optional<NameRow> row = catalogue.FindRow(path);
  if (!row) return "";
  const NameRow target = catalogue.Resolve(*row);
  const std::string package = catalogue.root().short_name + std::string(".");
  const std::string name = package + target.path;
  std::string text = catalogue.ExampleOf(path);
  if (!text.empty()) return text;
  text = catalogue.ExampleOf(target.path);
  if (text.empty() && target.kind == NameKind::kOp) {
    text = OpExample(std::string(target.target), name + "(");
    if (!text.starts_with(">>> eval " + name + "(")) return text;
  } else if (text.empty() && &catalogue != &NumpyCatalogue()) {
    text = CallExample(name);
  }
  return Renamed(std::move(text), name, package + std::string(path));
}

std::string PathOfValue(const Catalogue& catalogue, const Value& value) {
  if (!value.is_object()) return "";
  const Value name = FindAttr(value, Intern("__name__"));
  if (name.is_null() || !IsStr(name)) return "";
  for (const NameRow& row : catalogue.Rows()) {
    const std::string_view path = row.path;
    if (row.kind == NameKind::kRefused || row.kind == NameKind::kAlias || path.ends_with("*"))
      continue;
    if (path.substr(path.rfind('.') + 1) != StrView(name)) continue;
    try {
      if (Same(catalogue.At(path), value)) return row.path;
    } catch (const PyError& error) {
      if (error.Is(kKeyboardInterrupt)) throw;
    }
  }
  return "";
}

}  // namespace tensh::shell
