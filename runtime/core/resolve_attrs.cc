// Resolving of a node's attributes and output types from its inputs and the signature of its op.
#include "runtime/core/run_kernel.h"

namespace tensh {
namespace {

using AttrList = std::vector<NamedAttr>;

const AttrValue* FindIn(const AttrList& attrs, std::string_view name) {
  for (const NamedAttr& a : attrs)
    if (a.name == name) return &a.value;
  return nullptr;
}

Status Mismatch(const OpDef& op, const ArgDef& arg, DType got, DType wanted) {
  return InvalidArgument("Input '", arg.name, "' of '", op.name, "' Op has type ",
                         Name(BaseType(got)), " that does not match expected type of ",
                         Name(BaseType(wanted)), ".");
}

// Matches the inputs to the arguments in order, and derives the attributes that they imply.
class InputMatcher {
 public:
  InputMatcher(const OpDef& op, std::span<const DType> inputs, AttrList& attrs)
      : op_(op), inputs_(inputs), attrs_(attrs) {}

  Status Match() {
    for (size_t a = 0; a < op_.inputs.size(); ++a)
      TENSH_RETURN_IF_ERROR(MatchArg(op_.inputs[a], a));
    if (next_ < inputs_.size()) return WrongCount();
    return {};
  }

 private:
  Status WrongCount() const {
    return InvalidArgument("Op '", op_.name, "' takes ", Wanted(), ", but ", inputs_.size(),
                           " were given");
  }

  std::string Wanted() const {
    std::string text = StrCat(op_.inputs.size(), " input", op_.inputs.size() == 1 ? "" : "s");
    for (size_t i = 0; i < op_.inputs.size(); ++i) text += (i ? ", " : " (") + op_.inputs[i].name;
    return op_.inputs.empty() ? text : text + ")";
  }

  // Returns the number of inputs of this argument: given by N or a list of types, or otherwise
  // whatever the other arguments leave.
  Result<size_t> CountFor(const ArgDef& arg, size_t position) const {
    if (arg.number_attr.empty() && arg.type_list_attr.empty()) return size_t{1};
    if (const AttrValue* v = FindIn(attrs_, arg.number_attr))
      if (const int64_t* n = v->Find<int64_t>())
        return static_cast<size_t>(std::max<int64_t>(*n, 0));
    if (const AttrValue* v = FindIn(attrs_, arg.type_list_attr))
      if (const auto* list = v->Find<AttrValue::Types>()) return list->size();
    // Each later argument takes one input, or as many as this one if both have the same N.
    size_t sharers = 1, after = 0;
    for (size_t i = position + 1; i < op_.inputs.size(); ++i) {
      const bool shares = !arg.number_attr.empty() && op_.inputs[i].number_attr == arg.number_attr;
      ++(shares ? sharers : after);
    }
    if (inputs_.size() < next_ + after) return WrongCount();
    return (inputs_.size() - next_ - after) / sharers;
  }

  Status MatchArg(const ArgDef& arg, size_t position) {
    TENSH_ASSIGN(size_t count, CountFor(arg, position));
    if (next_ + count > inputs_.size()) return WrongCount();
    if (!arg.number_attr.empty() && !FindIn(attrs_, arg.number_attr))
      attrs_.push_back({arg.number_attr, AttrValue(static_cast<int64_t>(count))});
    auto types = inputs_.subspan(next_, count);
    next_ += count;
    if (arg.is_ref)
      for (DType t : types)
        if (!IsRef(t))
          return InvalidArgument("Input '", arg.name, "' of '", op_.name,
                                 "' Op requires l-value input");
    if (!arg.type_list_attr.empty()) return MatchList(arg, types);
    for (DType t : types) TENSH_RETURN_IF_ERROR(MatchType(arg, BaseType(t)));
    return {};
  }

  Status MatchList(const ArgDef& arg, std::span<const DType> types) {
    const AttrValue* given = FindIn(attrs_, arg.type_list_attr);
    AttrValue::Types list;
    for (DType t : types) list.push_back(BaseType(t));
    if (!given) {
      attrs_.push_back({arg.type_list_attr, AttrValue(std::move(list))});
    } else if (const auto* wanted = given->Find<AttrValue::Types>(); wanted && *wanted != list) {
      return InvalidArgument("Input '", arg.name, "' of '", op_.name,
                             "' Op has types that do not match ", arg.type_list_attr);
    }
    return {};
  }

  Status MatchType(const ArgDef& arg, DType type) {
    if (arg.type_attr.empty())
      return type == arg.type ? Status() : Mismatch(op_, arg, type, arg.type);
    if (const AttrValue* given = FindIn(attrs_, arg.type_attr)) {
      const DType* wanted = given->Find<DType>();
      return !wanted || BaseType(*wanted) == type ? Status() : Mismatch(op_, arg, type, *wanted);
    }
    attrs_.push_back({arg.type_attr, AttrValue(type)});
    return {};
  }

  const OpDef& op_;
  std::span<const DType> inputs_;
  AttrList& attrs_;
  size_t next_ = 0;
};

std::string AllowedText(const AttrDef& def) {
  std::string text;
  for (int i = 1; i < 24; ++i) {
    if (!def.allowed_types.Has(DType(i)) || SizeOf(DType(i)) == 0) continue;
    text += (text.empty() ? "" : ", ") + Name(DType(i));
  }
  for (const std::string& s : def.allowed_strings) text += (text.empty() ? "'" : ", '") + s + "'";
  return text;
}

Status NotAllowed(const OpDef& op, const AttrDef& def, std::string_view got) {
  return InvalidArgument("Value for attr '", def.name, "' of ", got,
                         " is not in the list of allowed values: ", AllowedText(def),
                         "; op: ", op.name);
}

// A function may be given by its name only.
void NamesToFunctions(const AttrDef& def, AttrValue* value) {
  if (def.kind != AttrKind::kFunc) return;
  if (const auto* name = value->Find<std::string>()) *value = FuncAttr{*name};
  if (const auto* names = value->Find<AttrValue::Strings>()) {
    AttrValue::Funcs functions;
    for (const std::string& name : *names) functions.push_back({name});
    *value = std::move(functions);
  }
}

Status CheckOne(const OpDef& op, const AttrDef& def, const AttrValue& value) {
  if (value.TypeName() != def.TypeName())
    return InvalidArgument("AttrValue of '", def.name, "' of op ", op.name, " must have type ",
                           def.TypeName(), ", got ", value.TypeName(), " ", value.ToString());
  if (const DType* t = value.Find<DType>())
    if (!def.allowed_types.empty() && !def.allowed_types.Has(*t))
      return NotAllowed(op, def, Name(BaseType(*t)));
  if (const auto* list = value.Find<AttrValue::Types>())
    for (DType t : *list)
      if (!def.allowed_types.empty() && !def.allowed_types.Has(t))
        return NotAllowed(op, def, Name(t));
  if (const std::string* s = value.Find<std::string>(); s && !def.allowed_strings.empty()) {
    for (const std::string& allowed : def.allowed_strings)
      if (*s == allowed) return {};
    return NotAllowed(op, def, "'" + *s + "'");
  }
  if (!def.has_minimum) return {};
  int64_t size = def.minimum;
  if (const int64_t* i = value.Find<int64_t>()) size = *i;
  if (const auto* list = value.Find<AttrValue::Types>()) size = static_cast<int64_t>(list->size());
  if (const auto* list = value.Find<AttrValue::Ints>()) size = static_cast<int64_t>(list->size());
  if (size < def.minimum)
    return InvalidArgument("Value for attr '", def.name, "' of ", size,
                           " must be at least minimum ", def.minimum, "; op: ", op.name);
  return {};
}

// Limits the number of inputs and of outputs. An attribute may request any number before there is
// anything else to check it against.
constexpr int64_t kMaxArguments = UINT16_MAX;  // The width of the counters in an instruction.

Status CheckArguments(const OpDef& op, size_t inputs, const AttrList& attrs) {
  if (inputs > kMaxArguments)
    return InvalidArgument("op ", op.name, " has ", inputs, " inputs; it may have ", kMaxArguments);
  for (const ArgDef& arg : op.outputs) {
    if (arg.number_attr.empty()) continue;
    const AttrValue* number = FindIn(attrs, arg.number_attr);
    const int64_t count = number ? *number->Find<int64_t>() : 0;
    if (count < 0 || count > kMaxArguments)
      return InvalidArgument("op ", op.name, " would have ", count, " outputs; it may have 0 to ",
                             kMaxArguments, " (attribute '", arg.number_attr, "')");
  }
  return {};
}

}  // namespace

Result<std::vector<NamedAttr>> ResolveAttrs(const OpDef& op, std::span<const DType> inputs,
                                            std::span<const NamedAttr> given) {
  AttrList attrs(given.begin(), given.end());
  const bool any = op.role == OpRole::kUnknown;
  for (const NamedAttr& a : given) {
    if (any || a.name.empty() || a.name[0] == '_') continue;  // Annotations such as _class.
    if (!op.FindAttr(a.name))
      return InvalidArgument("op ", op.name, " has no attribute '", a.name, "'");
  }
  TENSH_RETURN_IF_ERROR(InputMatcher(op, inputs, attrs).Match());
  for (const AttrDef& def : op.attrs) {
    for (NamedAttr& a : attrs)
      if (a.name == def.name) NamesToFunctions(def, &a.value);
    const AttrValue* value = FindIn(attrs, def.name);
    if (!value) {
      if (!def.default_value)
        return InvalidArgument("op ", op.name, " needs attribute '", def.name, "' (",
                               def.TypeName(), ")");
      attrs.push_back({def.name, *def.default_value});
    } else {
      TENSH_RETURN_IF_ERROR(CheckOne(op, def, *value));
    }
  }
  TENSH_RETURN_IF_ERROR(CheckArguments(op, inputs.size(), attrs));
  return attrs;
}

ArgTypes TypesOf(const ArgDef& arg, Attrs attrs) {
  if (!arg.type_list_attr.empty()) {
    const auto& list = attrs.Get<AttrValue::Types>(arg.type_list_attr);
    return {static_cast<int64_t>(list.size()), DType::kInvalid, &list};
  }
  DType type = arg.type_attr.empty() ? arg.type : attrs.Type(arg.type_attr);
  return {arg.number_attr.empty() ? 1 : attrs.Int(arg.number_attr), type, nullptr};
}

std::vector<DType> OutputTypes(const OpDef& op, Attrs attrs) {
  std::vector<DType> types;
  for (const ArgDef& arg : op.outputs) {
    ArgTypes t = TypesOf(arg, attrs);
    for (int64_t i = 0; i < t.count; ++i) {
      DType type = t.list ? (*t.list)[static_cast<size_t>(i)] : t.dtype;
      types.push_back(arg.is_ref ? RefType(type) : type);
    }
  }
  return types;
}

}  // namespace tensh
