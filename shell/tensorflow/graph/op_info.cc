// Parses the text of an op's signature (see tsh_op_signature in tensh/tensh.h) into an
// OpInfo.
#include <memory>
#include <unordered_map>

#include "shell/python/values/error.h"
#include "shell/tensorflow/graph/op_call.h"

namespace tensh::shell::tf {
namespace {

std::string_view Trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Splits at commas outside of brackets and quotes.
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (i == text.size() || (c == ',' && depth == 0 && !quoted)) {
      std::string_view part = Trim(text.substr(start, i - start));
      if (!part.empty()) parts.push_back(part);
      start = i + 1;
    } else if (c == '\'') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += c == '{' || c == '[' || c == '(';
      depth -= c == '}' || c == ']' || c == ')';
    }
  }
  return parts;
}

int ParseType(std::string_view text) { return tsh_dtype_parse(std::string(text).c_str()); }

// Parses an attribute: "T: {float, double} = float".
OpAttr ParseAttr(std::string_view text) {
  OpAttr attr;
  const size_t colon = text.find(':');
  attr.name = Trim(text.substr(0, colon));
  std::string_view rest = Trim(text.substr(colon + 1));
  size_t end = rest.npos;
  if (rest.substr(0, 5) == "list(") {
    attr.is_list = true;
    end = rest.find(')') + 1;
    attr.kind = Trim(rest.substr(5, end - 6));
  } else if (rest.front() == '{') {
    end = rest.find('}') + 1;
    attr.kind = rest.substr(0, end);
  } else {
    end = std::min(rest.find_first_of(" =>"), rest.size());
    attr.kind = rest.substr(0, end);
  }
  if (attr.kind.front() == '{') {
    std::string_view inside = std::string_view(attr.kind).substr(1, attr.kind.size() - 2);
    const bool strings = inside.find('\'') != inside.npos;
    for (std::string_view item : Split(inside)) {
      if (!strings) attr.allowed.push_back(ParseType(item));
    }
    attr.kind = strings ? "string" : "type";
  }
  rest = rest.substr(end);
  if (const size_t equals = rest.find("= ");
      equals != rest.npos && (equals == 0 || rest[equals - 1] != '>')) {
    attr.default_text = std::string(Trim(rest.substr(equals + 2)));
  } else if (const size_t second = rest.rfind(" = "); second != rest.npos) {
    attr.default_text = std::string(Trim(rest.substr(second + 3)));
  }
  if (attr.default_text && attr.kind == "type" && !attr.is_list) {
    attr.default_type = ParseType(*attr.default_text);
  }
  return attr;
}

int AttrIndex(const OpInfo& op, std::string_view name) {
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    if (op.attrs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

OpArg ParseArg(std::string_view text, OpInfo& op, bool input) {
  OpArg arg;
  const size_t colon = text.find(':');
  arg.name = Trim(text.substr(0, colon));
  std::string_view type = Trim(text.substr(colon + 1));
  if (type.substr(0, 4) == "Ref(") {
    arg.is_ref = true;
    type = Trim(type.substr(4, type.size() - 5));
  }
  if (const size_t star = type.find('*'); star != type.npos) {
    arg.number_attr = AttrIndex(op, Trim(type.substr(0, star)));
    if (input && arg.number_attr >= 0)
      op.attrs[static_cast<size_t>(arg.number_attr)].inferred = true;
    type = Trim(type.substr(star + 1));
  }
  const int attr = AttrIndex(op, type);
  if (attr < 0) {
    arg.dtype = ParseType(type);
    return arg;
  }
  if (input) op.attrs[static_cast<size_t>(attr)].inferred = true;
  (op.attrs[static_cast<size_t>(attr)].is_list ? arg.type_list_attr : arg.type_attr) = attr;
  return arg;
}

std::unique_ptr<OpInfo> Parse(std::string_view name) {
  const char *inputs = "", *outputs = "", *attrs = "";
  auto op = std::make_unique<OpInfo>();
  op->name = name;
  if (!tsh_op_signature(op->name.c_str(), &inputs, &outputs, &attrs)) return nullptr;
  for (std::string_view text : Split(attrs)) op->attrs.push_back(ParseAttr(text));
  for (std::string_view text : Split(inputs)) op->inputs.push_back(ParseArg(text, *op, true));
  for (std::string_view text : Split(outputs)) op->outputs.push_back(ParseArg(text, *op, false));
  return op;
}

}  // namespace

const OpInfo* FindOp(std::string_view name) {
  // Lives as long as the process, like the registry. The keys view the names in the values.
  static auto* ops = new std::unordered_map<std::string_view, std::unique_ptr<OpInfo>>();
  auto it = ops->find(name);
  if (it != ops->end()) return it->second.get();
  std::unique_ptr<OpInfo> op = Parse(name);
  if (!op) return nullptr;
  const std::string_view key = op->name;
  return ops->emplace(key, std::move(op)).first->second.get();
}

const OpInfo& GetOp(std::string_view name) {
  const OpInfo* op = FindOp(name);
  if (op) return *op;
  throw NotImplementedError("tensh has no kernel for the op " + std::string(name) + " yet.")
      .Hint("ops lists what there is");
}

}  // namespace tensh::shell::tf
