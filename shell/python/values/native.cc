#include "shell/python/values/native.h"

#include <array>

#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/number_subclass.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/signature.h"

namespace tensh::shell {

size_t CallArgs::positional() const {
  return args.size() - (keywords ? keywords->items.size() : 0);
}
std::string_view CallArgs::keyword(size_t i) const { return StrView(keywords->items[i]); }

Location Args::where() const { return CallerLocation(); }

NativeFunction::NativeFunction(const FunctionRow& row, const TypeInfo* owner, Value self)
    : TrackedObject(owner && self.is_null() ? kMethodType : kType),
      row_(&row),
      owner_(owner),
      self_(std::move(self)) {}

NativeFunction::~NativeFunction() { delete signature_; }

Value NativeFunction::Call(const Value& self, const CallArgs& args) {
  if (!signature_) signature_ = new Signature(ParseSignature(row_->signature));
  const Signature& s = *signature_;
  const size_t count = s.params.size();
  std::array<Value, 6> few;
  std::vector<Value> many;
  Value* slots = few.data();
  if (count > few.size()) {
    many.resize(count);
    slots = many.data();
  }
  if (!args.keywords && args.args.size() == count && s.positional == count) {
    std::copy(args.args.begin(), args.args.end(), slots);
  } else {
    std::string owner = owner_ && s.builtin_texts ? std::string(owner_->name) + "." : "";
    BindArguments(s, args, {owner + row_->name, owner_ ? size_t{1} : size_t{0}}, slots);
  }
  if (owner_ == &kIntType || owner_ == &kFloatType) {
    // The functions in the tables of int and float only handle plain numbers.
    for (size_t i = 0; i < count; ++i) slots[i] = PlainNumber(slots[i]);
    const Value number = PlainNumber(self);
    Args bound(*row_, number, slots, count);
    return row_->fn(bound);
  }
  Args bound(*row_, self, slots, count);
  return row_->fn(bound);
}

namespace {

std::string FunctionRepr(const Value& v) {
  auto* f = static_cast<NativeFunction*>(v.object());
  if (f->owner()) {
    return std::string("<method '") + f->row().name + "' of '" + f->owner()->name + "' objects>";
  }
  return std::string("<built-in function ") + f->row().name + ">";
}

Value CallFunction(const Value& v, const CallArgs& args) {
  auto* f = static_cast<NativeFunction*>(v.object());
  if (!f->owner() || !f->self().is_null()) return f->Call(args);
  // In a call of an unbound method, list.append(x, 1), the first argument is the receiver.
  const std::string name = f->row().name, owner = f->owner()->name;
  if (args.positional() == 0)
    throw TypeError("unbound method " + owner + "." + name + "() needs an argument");
  Value self = args.args[0];
  if (!DerivesFrom(TypeOf(self), *f->owner()) &&
      !TypeObjectOf(self).IsSubtypeOf(TypeObject(*f->owner()))) {
    throw TypeError("descriptor '" + name + "' for '" + owner + "' objects doesn't apply to a '" +
                    TypeName(self) + "' object");
  }
  return f->Call(self, {args.args.subspan(1), args.keywords});
}

Value FunctionName(const Value& v) {
  return MakeStr(static_cast<NativeFunction*>(v.object())->row().name);
}
Value FunctionDoc(const Value& v) {
  return MakeStr(static_cast<NativeFunction*>(v.object())->row().doc);
}

Value FunctionSignature(const Value& v) {
  return MakeStr("(" + static_cast<NativeFunction*>(v.object())->ParameterText() + ")");
}

Value FunctionGetAttr(const Value& v, StrObject* name) {
  return function_attribute ? function_attribute(v, name) : Value();
}

const PropertyRow kFunctionProperties[] = {{"__name__", FunctionName},
                                           {"__qualname__", FunctionName},
                                           {"__doc__", FunctionDoc},
                                           {"__text_signature__", FunctionSignature}};

std::string ModuleRepr(const Value& v) {
  return std::string("<module '") + static_cast<ModuleObject*>(v.object())->def().name +
         "' (built-in)>";
}

Value ModuleGetAttr(const Value& v, StrObject* name) {
  auto* module = static_cast<ModuleObject*>(v.object());
  if (Value found = module->Find(name); !found.is_null()) return found;
  if (name->view() == "__name__") return MakeStr(module->def().name);
  if (name->view() == "__doc__") return MakeStr(module->def().doc);
  return Value();
}

bool ModuleSetAttr(const Value& v, StrObject* name, const Value& value) {
  auto* module = static_cast<ModuleObject*>(v.object());
  if (value.is_null()) return module->attrs()->Erase(Value(name));
  module->attrs()->Set(Value(name), value);
  return true;
}

void ModuleDir(const Value& v, std::vector<std::string>* names) {
  for (std::string& n : static_cast<ModuleObject*>(v.object())->Names())
    names->push_back(std::move(n));
}

}  // namespace

Value (*function_attribute)(const Value& function, StrObject* name) = nullptr;

const TypeInfo NativeFunction::kType = {.name = "builtin_function_or_method",
                                        .properties = kFunctionProperties,
                                        .repr = FunctionRepr,
                                        .getattr = FunctionGetAttr,
                                        .call = CallFunction};
const TypeInfo NativeFunction::kMethodType = {
    .name = "method_descriptor", .base = &NativeFunction::kType, .descr_get = BindMethod};
const TypeInfo ModuleObject::kType = {.name = "module",
                                      .repr = ModuleRepr,
                                      .getattr = ModuleGetAttr,
                                      .setattr = ModuleSetAttr,
                                      .dir = ModuleDir};

ModuleObject::ModuleObject(const ModuleDef& def) : TrackedObject(kType), def_(&def) {}

Value ModuleObject::Find(StrObject* name) {
  if (Value* found = dict_.Find(name)) return *found;
  Value made;
  for (const FunctionRow& row : def_->functions) {
    if (name->view() != row.name) continue;
    made = New<NativeFunction>(row, nullptr);
    break;
  }
  for (const ConstantRow& row : def_->constants) {
    if (!made.is_null() || name->view() != row.name) continue;
    made = row.make();
  }
  if (made.is_null() && def_->names) made = def_->names->Find(*def_, name);
  if (made.is_null() && def_->missing) made = def_->missing(name);
  if (!made.is_null()) dict_.Set(Value(name), made);
  return made;
}

std::vector<std::string> ModuleObject::Names() const {
  std::vector<std::string> names;
  for (const FunctionRow& row : def_->functions) names.emplace_back(row.name);
  for (const ConstantRow& row : def_->constants) names.emplace_back(row.name);
  if (def_->names) def_->names->List(*def_, &names);
  // A module may list further names when its __dir__ is requested.
  const Value more = def_->missing ? def_->missing(Intern("__dir__")) : Value();
  if (auto* list = As<ListObject>(more)) {
    for (const Value& name : list->items) names.push_back(Str(name));
  }
  return names;
}

Value Call(const Value& callee, const CallArgs& args) {
  auto call = FindSlot(TypeOf(callee), &TypeInfo::call);
  if (!call) throw TypeError("'" + TypeName(callee) + "' object is not callable");
  RecursionGuard guard;
  return call(callee, args);
}

Value Call(const Value& callee, std::span<const Value> args) {
  return Call(callee, CallArgs{args});
}

Value Call(const Value& callee, std::initializer_list<Value> args) {
  return Call(callee, CallArgs{std::span<const Value>(args.begin(), args.size())});
}

Value SpreadKeywords(const Value& dict, std::vector<Value>* args) {
  std::vector<Value> names;
  auto* given = As<DictObject>(dict);
  for (size_t i = 0; const Dict::Entry* e = given ? given->dict.At(&i) : nullptr;) {
    if (!IsStr(e->key)) throw TypeError("keywords must be strings");
    names.push_back(e->key);
    args->push_back(e->value);
  }
  return names.empty() ? Value() : MakeTuple(std::move(names));
}

Value CallWith(const Value& callee, std::vector<Value> args, const Value& keywords) {
  const Value names = SpreadKeywords(keywords, &args);
  return Call(callee, CallArgs{args, As<TupleObject>(names)});
}

Value KeywordsOf(const CallArgs& args) {
  if (!args.keywords) return Value();
  Value dict = MakeDict();
  for (size_t i = 0; i < args.keyword_count(); ++i)
    As<DictObject>(dict)->dict.Set(args.keywords->items[i], args.args[args.positional() + i]);
  return dict;
}

Value CallMethod(const Value& self, std::string_view name, std::initializer_list<Value> args) {
  return Call(GetAttr(self, name), args);
}

}  // namespace tensh::shell
