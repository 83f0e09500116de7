#include "runtime/core/signature.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>

#include "runtime/base/text.h"

namespace tensh {
namespace {

// Returns the text without its brackets.
std::string_view Inside(std::string_view text) {
  return text.size() < 2 ? std::string_view() : Trim(text.substr(1, text.size() - 2));
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

// Parses the texts of a signature. After an error it continues with harmless values, and the first
// error is reported.
class SignatureParser {
 public:
  explicit SignatureParser(OpDef& op) : op_(op) {}

  Status Parse(const OpSpec& spec) {
    for (auto text : SplitTopLevel(spec.attrs)) op_.attrs.push_back(ParseAttr(text));
    for (auto text : SplitTopLevel(spec.inputs)) op_.inputs.push_back(ParseArg(text));
    for (auto text : SplitTopLevel(spec.outputs)) op_.outputs.push_back(ParseArg(text));
    for (const AttrDef& attr : op_.attrs) CheckName(attr.name);
    for (const ArgDef& arg : op_.inputs) CheckName(arg.name);
    names_.clear();  // an output may have the name of an input
    for (const ArgDef& arg : op_.outputs) CheckName(arg.name);
    return status_;
  }

 private:
  template <class... Parts>
  bool Want(bool condition, const Parts&... parts) {
    if (!condition && status_.ok())
      status_ = InvalidArgument("the signature of ", op_.name, " has a malformed ", parts...);
    return condition;
  }

  void CheckName(const std::string& name) {
    Want(IsIdentifier(name), "name '", name, "'");
    Want(names_.insert(name).second, "name '", name, "' is defined twice");
  }

  int64_t ParseInt(std::string_view text) {
    int64_t v = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
    Want(r.ec == std::errc() && r.ptr == text.data() + text.size(), "integer '", text, "'");
    return v;
  }

  float ParseFloat(const std::string& text) {
    char* end = nullptr;
    const float v = std::strtof(text.c_str(), &end);
    Want(!text.empty() && *end == '\0', "float '", text, "'");
    return v;
  }

  std::string Unquote(std::string_view text) {
    if (!Want(text.size() >= 2 && text.front() == '\'' && text.back() == '\'', "string ", text))
      return {};
    return std::string(text.substr(1, text.size() - 2));
  }

  DType ParseType(std::string_view text) {
    const DType type = ParseDType(text);
    Want(type != DType::kInvalid, "type '", text, "'");
    return type;
  }

  AttrValue ParseScalar(AttrKind kind, std::string_view text) {
    switch (kind) {
      case AttrKind::kInt:
        return ParseInt(text);
      case AttrKind::kFloat:
        return ParseFloat(std::string(text));
      case AttrKind::kBool:
        Want(text == "true" || text == "false", "bool '", text, "'");
        return text == "true";
      case AttrKind::kType:
        return ParseType(text);
      case AttrKind::kString:
        return Unquote(text);
      case AttrKind::kShape:
        return ParseShape(text);
      case AttrKind::kTensor:
        return ParseBytes(text);
      default:
        Want(false, "default ", text);
        return {};
    }
  }

  Shape ParseShape(std::string_view text) {
    if (text == "{unknown}") return Shape::Unknown();
    Shape s;
    const auto dims = SplitTopLevel(Inside(text));
    if (Want(dims.size() <= Shape::kMaxRank, "shape ", text))
      for (auto d : dims) s.Append(ParseInt(d));
    return s;
  }

  // Parses a vector of bytes: "uint8 {255, 0}".
  AttrValue ParseBytes(std::string_view text) {
    constexpr std::string_view kType = "uint8 ";
    if (!Want(text.starts_with(kType), "tensor ", text)) return {};
    const auto items = SplitTopLevel(Inside(text.substr(kType.size())));
    Result<Tensor> bytes = Tensor::Make(DType::kUint8, Shape({static_cast<int64_t>(items.size())}));
    if (!Want(bytes.ok(), "tensor ", text)) return {};
    auto* to = bytes->data<uint8_t>();
    for (auto item : items) *to++ = static_cast<uint8_t>(ParseInt(item));
    return *std::move(bytes);
  }

  AttrValue ParseDefault(const AttrDef& attr, std::string_view text) {
    if (!attr.is_list) return ParseScalar(attr.kind, text);
    const std::vector<std::string_view> items = SplitTopLevel(Inside(text));
    AttrValue list;
    auto fill = [&]<class Item, class List>(List values) {
      for (auto item : items) {
        const AttrValue value = ParseScalar(attr.kind, item);
        if (const Item* known = value.Find<Item>()) values.push_back(*known);
      }
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

  void ParseAllowed(AttrDef& attr, std::string_view braces) {
    for (auto item : SplitTopLevel(Inside(braces))) {
      if (item.front() == '\'') {
        attr.kind = AttrKind::kString;
        attr.allowed_strings.push_back(Unquote(item));
      } else {
        attr.kind = AttrKind::kType;
        if (const DType t = ParseType(item); t != DType::kInvalid) attr.allowed_types.Add(t);
      }
    }
  }

  void ParseKind(AttrDef& attr, std::string_view kind) {
    if (kind.starts_with("list(") && kind.ends_with(")")) {
      attr.is_list = true;
      kind = Trim(kind.substr(5, kind.size() - 6));
    }
    if (kind.starts_with("{")) return ParseAllowed(attr, kind);
    for (const KindName& row : kKindNames) {
      if (kind != row.name) continue;
      attr.kind = row.kind;
      return;
    }
    Want(false, "attribute kind '", kind, "'");
  }

  AttrDef ParseAttr(std::string_view text) {
    AttrDef attr;
    const size_t colon = text.find(':');
    if (!Want(colon != text.npos, "attribute '", text, "'")) return attr;
    attr.name = Trim(text.substr(0, colon));
    std::string_view rest = Trim(text.substr(colon + 1));
    if (!Want(!rest.empty(), "attribute '", text, "'")) return attr;
    size_t kind_end = rest.starts_with("{")       ? rest.find('}')
                      : rest.starts_with("list(") ? rest.find(')')
                                                  : rest.find_first_of(" =>");
    if (kind_end == rest.npos)
      kind_end = rest.size();
    else if (rest[kind_end] == '}' || rest[kind_end] == ')')
      ++kind_end;
    ParseKind(attr, rest.substr(0, kind_end));
    rest = Trim(rest.substr(kind_end));
    if (rest.substr(0, 2) == ">=") {
      rest = Trim(rest.substr(2));
      const size_t end = rest.find_first_of(" =");
      attr.has_minimum = true;
      attr.minimum = ParseInt(rest.substr(0, end));
      rest = end == rest.npos ? "" : Trim(rest.substr(end));
    }
    if (!rest.empty() && Want(rest.front() == '=', "attribute '", text, "'"))
      attr.default_value = ParseDefault(attr, Trim(rest.substr(1)));
    return attr;
  }

  ArgDef ParseArg(std::string_view text) {
    ArgDef arg;
    const size_t colon = text.find(':');
    if (!Want(colon != text.npos, "argument '", text, "'")) return arg;
    arg.name = Trim(text.substr(0, colon));
    std::string_view type = Trim(text.substr(colon + 1));
    if (type.starts_with("Ref(") && type.ends_with(")")) {
      arg.is_ref = true;
      type = Trim(type.substr(4, type.size() - 5));
    }
    if (const size_t star = type.find('*'); star != type.npos) {
      arg.number_attr = Trim(type.substr(0, star));
      type = Trim(type.substr(star + 1));
      const AttrDef* number = op_.FindAttr(arg.number_attr);
      Want(number && number->kind == AttrKind::kInt && !number->is_list, "number '",
           arg.number_attr, "'");
    }
    if (const AttrDef* attr = op_.FindAttr(type)) {
      Want(attr->kind == AttrKind::kType, "argument '", text, "'");
      (attr->is_list ? arg.type_list_attr : arg.type_attr) = type;
    } else {
      arg.type = ParseType(type);
    }
    return arg;
  }

  OpDef& op_;
  Status status_;
  std::set<std::string> names_;
};

}  // namespace

std::vector<DType> AllowedTypes(const OpSpec& spec, std::string_view attr) {
  std::vector<DType> types;
  for (std::string_view text : SplitTopLevel(spec.attrs)) {
    const size_t open = text.find('{'), close = text.find('}');
    if (Trim(text.substr(0, text.find(':'))) != attr || close == text.npos) continue;
    for (std::string_view item : SplitTopLevel(Inside(text.substr(open, close + 1 - open))))
      types.push_back(ParseDType(item));
  }
  return types;
}

bool IsIdentifier(std::string_view text) {
  const auto part = [](char c) {
    return c == '_' || IsAsciiLower(c) || IsAsciiUpper(c) || IsAsciiDigit(c);
  };
  return !text.empty() && !IsAsciiDigit(text[0]) && std::all_of(text.begin(), text.end(), part);
}

Status ParseSignature(const OpSpec& spec, OpDef& op) {
  TENSH_RETURN_IF_ERROR(SignatureParser(op).Parse(spec));
  op.contract = ParseContract(spec.contract, op);
  return {};
}

}  // namespace tensh
