#include "runtime/core/signature.h"

#include <charconv>

namespace tensh {
namespace {

std::string_view Trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Splits at commas outside of brackets and quotes.
std::vector<std::string_view> SplitTopLevel(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  size_t start = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0 && !quoted)) {
      if (auto part = Trim(text.substr(start, i - start)); !part.empty()) parts.push_back(part);
      start = i + 1;
    } else if (text[i] == '\'') {
      quoted = !quoted;
    } else if (!quoted) {
      if (text[i] == '{' || text[i] == '[' || text[i] == '(') ++depth;
      if (text[i] == '}' || text[i] == ']' || text[i] == ')') --depth;
    }
  }
  return parts;
}

int64_t ParseInt(std::string_view text) {
  int64_t v = 0;
  auto r = std::from_chars(text.data(), text.data() + text.size(), v);
  TENSH_CHECK(r.ptr == text.data() + text.size(), "integer '", text, "'");
  return v;
}

std::string Unquote(std::string_view text) {
  TENSH_CHECK(text.size() >= 2 && text.front() == '\'' && text.back() == '\'', "string ", text);
  return std::string(text.substr(1, text.size() - 2));
}

std::string_view Inside(std::string_view text) { return Trim(text.substr(1, text.size() - 2)); }

AttrValue ParseScalar(AttrKind kind, std::string_view text) {
  switch (kind) {
    case AttrKind::kInt:
      return ParseInt(text);
    case AttrKind::kFloat:
      return std::strtof(std::string(text).c_str(), nullptr);
    case AttrKind::kBool:
      return text == "true";
    case AttrKind::kType:
      return ParseDType(text);
    case AttrKind::kString:
      return Unquote(text);
    case AttrKind::kShape: {
      if (text == "{unknown}") return Shape::Unknown();
      Shape s;
      for (auto d : SplitTopLevel(Inside(text))) s.Append(ParseInt(d));
      return s;
    }
    default:
      break;
  }
  TENSH_CHECK(false, "no default possible: ", text);
}

AttrValue ParseDefault(const AttrDef& attr, std::string_view text) {
  if (!attr.is_list) return ParseScalar(attr.kind, text);
  std::vector<std::string_view> items = SplitTopLevel(Inside(text));
  AttrValue list;
  auto fill = [&]<class Item, class List>(List values) {
    for (auto item : items) values.push_back(std::get<Item>(ParseScalar(attr.kind, item).value));
    list = AttrValue(std::move(values));
  };
  switch (attr.kind) {
    case AttrKind::kInt:
      fill.operator()<int64_t>(AttrValue::Ints{});
      break;
    case AttrKind::kFloat:
      fill.operator()<float>(AttrValue::Floats{});
      break;
    case AttrKind::kBool:
      fill.operator()<bool>(AttrValue::Bools{});
      break;
    case AttrKind::kType:
      fill.operator()<DType>(AttrValue::Types{});
      break;
    case AttrKind::kString:
      fill.operator()<std::string>(AttrValue::Strings{});
      break;
    default:
      fill.operator()<Shape>(AttrValue::Shapes{});
      break;
  }
  return list;
}

struct KindName {
  std::string_view name;
  AttrKind kind;
};
constexpr KindName kKindNames[] = {
    {"int", AttrKind::kInt},       {"float", AttrKind::kFloat},   {"bool", AttrKind::kBool},
    {"type", AttrKind::kType},     {"string", AttrKind::kString}, {"shape", AttrKind::kShape},
    {"tensor", AttrKind::kTensor}, {"func", AttrKind::kFunc},
};

void ParseAllowed(AttrDef& attr, std::string_view braces) {
  for (auto item : SplitTopLevel(Inside(braces))) {
    if (item.front() == '\'') {
      attr.kind = AttrKind::kString;
      attr.allowed_strings.push_back(Unquote(item));
    } else {
      attr.kind = AttrKind::kType;
      DType t = ParseDType(item);
      TENSH_CHECK(t != DType::kInvalid, "type '", item, "'");
      attr.allowed_types.Add(t);
    }
  }
}

void ParseKind(AttrDef& attr, std::string_view kind) {
  if (kind.substr(0, 5) == "list(") {
    attr.is_list = true;
    kind = Trim(kind.substr(5, kind.size() - 6));
  }
  if (kind.front() == '{') return ParseAllowed(attr, kind);
  for (const KindName& row : kKindNames) {
    if (kind != row.name) continue;
    attr.kind = row.kind;
    return;
  }
  TENSH_CHECK(false, "attribute kind '", kind, "'");
}

AttrDef ParseAttr(std::string_view text) {
  AttrDef attr;
  size_t colon = text.find(':');
  TENSH_CHECK(colon != text.npos, "attribute '", text, "'");
  attr.name = Trim(text.substr(0, colon));
  std::string_view rest = Trim(text.substr(colon + 1));
  size_t kind_end = rest.front() == '{'            ? rest.find('}') + 1
                    : rest.substr(0, 5) == "list(" ? rest.find(')') + 1
                                                   : rest.find_first_of(" =>");
  if (kind_end == rest.npos) kind_end = rest.size();
  ParseKind(attr, rest.substr(0, kind_end));
  rest = Trim(rest.substr(kind_end));
  if (rest.substr(0, 2) == ">=") {
    rest = Trim(rest.substr(2));
    size_t end = rest.find_first_of(" =");
    attr.has_minimum = true;
    attr.minimum = ParseInt(rest.substr(0, end));
    rest = end == rest.npos ? "" : Trim(rest.substr(end));
  }
  if (!rest.empty()) {
    TENSH_CHECK(rest.front() == '=', "attribute '", text, "'");
    attr.default_value = ParseDefault(attr, Trim(rest.substr(1)));
  }
  return attr;
}

ArgDef ParseArg(std::string_view text, const OpDef& op) {
  ArgDef arg;
  size_t colon = text.find(':');
  TENSH_CHECK(colon != text.npos, "argument '", text, "' of ", op.name);
  arg.name = Trim(text.substr(0, colon));
  std::string_view type = Trim(text.substr(colon + 1));
  if (type.substr(0, 4) == "Ref(") {
    arg.is_ref = true;
    type = Trim(type.substr(4, type.size() - 5));
  }
  if (size_t star = type.find('*'); star != type.npos) {
    arg.number_attr = Trim(type.substr(0, star));
    type = Trim(type.substr(star + 1));
  }
  if (const AttrDef* attr = op.FindAttr(type)) {
    (attr->is_list ? arg.type_list_attr : arg.type_attr) = type;
  } else {
    arg.type = ParseDType(type);
    TENSH_CHECK(arg.type != DType::kInvalid, "type '", type, "' of ", op.name);
  }
  return arg;
}

}  // namespace

void ParseSignature(const OpSpec& spec, OpDef& op) {
  for (auto text : SplitTopLevel(spec.attrs)) op.attrs.push_back(ParseAttr(text));
  for (auto text : SplitTopLevel(spec.inputs)) op.inputs.push_back(ParseArg(text, op));
  for (auto text : SplitTopLevel(spec.outputs)) op.outputs.push_back(ParseArg(text, op));
  op.contract = ParseContract(spec.contract, op);
}

}  // namespace tensh
