#include "shell/commands/help/name_examples.h"

#include <map>
#include <optional>
#include <vector>

#include "shell/client/client.h"
#include "shell/edit/text_buffer.h"
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

// The first example of each op, by its name, and by the function that its call begins with.
using OpExamples = std::map<std::string, std::string, std::less<>>;

const OpExamples& ExamplesOfOps() {
  static const auto* examples = [] {
    auto* found = new OpExamples();
    const Json ops = Json::Parse(TakeText(tsh_ops_json("")));
    for (const Json& op : ops.items()) {
      for (const Json& example : op["examples"].items()) {
        const std::string& call = example["call"].as_string();
        found->try_emplace(op["name"].as_string(), Transcript(example));
        found->try_emplace(call.substr(0, call.find('(')), Transcript(example));
      }
    }
    return found;
  }();
  return *examples;
}

std::string OpExample(const std::string& name) {
  const auto found = ExamplesOfOps().find(name);
  return found == ExamplesOfOps().end() ? "" : found->second;
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
  std::string text(catalogue.ExampleOf(path));
  if (!text.empty()) return text;
  text = catalogue.ExampleOf(target.path);
  if (text.empty()) text = OpExample(name);
  if (text.empty() && target.kind == NameKind::kOp) return OpExample(std::string(target.target));
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
