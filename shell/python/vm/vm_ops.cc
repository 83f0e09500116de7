// Implementations of the instructions that take more than a few lines.
#include "shell/python/values/class.h"
#include "shell/python/values/collections/dict_type.h"
#include "shell/python/values/foreign.h"
#include "shell/python/values/format.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/local_module.h"
#include "shell/python/vm/python2.h"
#include "shell/python/vm/vm.h"

namespace tensh::shell {

Value Vm::LoadGlobalSlow(uint32_t index) {
  Globals& globals = interp_.globals();
  StrObject* name = globals.name(index);
  Value found;
  if (interp_.options().python2) found = Python2Name(name, globals.library(index));
  if (found.is_null()) found = interp_.FindBuiltin(name);
  if (found.is_null()) {
    // This result is not cached, because the name stays undefined outside of the verb.
    const bool in_verb = current_ && current_->code->name == "<module>";
    if (in_verb) found = interp_.FindInVerb(name);
    if (!found.is_null()) return found;
    PyError error = NameError("name '" + name->text() + "' is not defined");
    if (const ErrorHint newer = HintForPython2(name->view()); !newer.empty())
      throw error.Hint(newer);
    const std::vector<std::string> modules = interp_.ModuleNames();
    if (std::find(modules.begin(), modules.end(), name->view()) != modules.end())
      throw error.Type("import " + name->text());
    std::vector<std::string> names = interp_.GlobalNames();
    if (in_verb)
      for (std::string& known : interp_.NamesInVerb()) names.push_back(std::move(known));
    for (std::string& builtin : interp_.BuiltinNames()) names.push_back(std::move(builtin));
    throw error.Hint(DidYouMean(name->view(), names));
  }
  globals.builtin(index) = found;
  return found;
}

Value Vm::LoadNameIn(Frame* f, StrObject* name) {
  if (auto* names = As<DictObject>(f->names)) {
    if (Value* found = names->dict.Find(name)) return *found;
  }
  const uint32_t index = interp_.globals().IndexOf(name, f->code->source->library());
  const Value& v = interp_.globals().at(index);
  return v.is_null() ? LoadGlobalSlow(index) : v;
}

void Vm::ThrowUnbound(StrObject* name, bool free) {
  if (free) {
    throw NameError("cannot access free variable '" + name->text() +
                    "' where it is not associated with a value in enclosing scope");
  }
  throw MakeError(kUnboundLocalError, "cannot access local variable '" + name->text() +
                                          "' where it is not associated with a value");
}

void Vm::LoadMethod(Value* sp, StrObject* name) {
  Value& object = sp[-1];
  const TypeInfo& info = TypeOf(object);
  const bool plain = !FindSlot(info, &TypeInfo::getattr);
  if (plain) {
    Value found = TypeObject(info).Lookup(name);
    const bool function =
        found.is_object() && (&found.object()->type() == &FunctionObject::kType ||
                              &found.object()->type() == &NativeFunction::kMethodType);
    Dict* attrs = object.is_object() ? object.object()->attrs() : nullptr;
    if (function && (!attrs || attrs->empty() || !attrs->Find(name))) {
      sp[0] = std::move(object);
      sp[-1] = std::move(found);
      return;
    }
  }
  sp[0] = GetAttr(object, name);
  object = Value();
}

void Vm::Unpack(Value* sp, size_t count) {
  Value source = std::move(sp[-1]);
  auto wrong = [&](size_t got, bool more) {
    if (more) {
      throw ValueError("too many values to unpack (expected " + std::to_string(count) + ")");
    }
    throw ValueError("not enough values to unpack (expected " + std::to_string(count) + ", got " +
                     std::to_string(got) + ")");
  };
  if (const auto* items = Sequence(source); items && TypeOf(source).iter) {
    if (items->size() != count) wrong(items->size(), items->size() > count);
    for (size_t i = 0; i < count; ++i) sp[-1 + static_cast<long>(count - 1 - i)] = (*items)[i];
    return;
  }
  if (!FindSlot(TypeOf(source), &TypeInfo::iter) && !FindSlot(TypeOf(source), &TypeInfo::getitem)) {
    throw TypeError("cannot unpack non-iterable " + TypeName(source) + " object");
  }
  Value it = Iter(source), v;
  for (size_t i = 0; i < count; ++i) {
    if (!Next(it, &v)) wrong(i, false);
    sp[-1 + static_cast<long>(count - 1 - i)] = std::move(v);
  }
  if (Next(it, &v)) wrong(count, true);
}

void Vm::UnpackStar(Value* sp, size_t before, size_t after) {
  Value source = std::move(sp[-1]);
  if (!FindSlot(TypeOf(source), &TypeInfo::iter) && !FindSlot(TypeOf(source), &TypeInfo::getitem)) {
    throw TypeError("cannot unpack non-iterable " + TypeName(source) + " object");
  }
  std::vector<Value> items = ToVector(source);
  if (items.size() < before + after) {
    throw ValueError("not enough values to unpack (expected at least " +
                     std::to_string(before + after) + ", got " + std::to_string(items.size()) +
                     ")");
  }
  const size_t total = before + 1 + after, middle = items.size() - before - after;
  auto put = [&](size_t i, Value v) { sp[-1 + static_cast<long>(total - 1 - i)] = std::move(v); };
  for (size_t i = 0; i < before; ++i) put(i, items[i]);
  put(before, MakeList({items.begin() + static_cast<long>(before),
                        items.begin() + static_cast<long>(before + middle)}));
  for (size_t i = 0; i < after; ++i) put(before + 1 + i, items[before + middle + i]);
}

Value Vm::MakeFunction(const Ref<Code>& code, uint8_t flags, Value** sp) {
  auto f = New<FunctionObject>(code);
  if (flags & 2) {
    f->closure = As<TupleObject>((*sp)[-1])->items;
    *--*sp = Value();
  }
  if (flags & 1) {
    const std::vector<Value>& defaults = As<TupleObject>((*sp)[-1])->items;
    f->own_signature = std::make_unique<Signature>(code->signature);
    size_t next = 0;
    for (size_t i = 0; i < f->own_signature->params.size(); ++i) {
      const bool star = static_cast<int>(i) == code->signature.star ||
                        static_cast<int>(i) == code->signature.star_star;
      Parameter& p = f->own_signature->params[i];
      if (p.optional && !star) p.fallback = defaults[next++];
    }
    *--*sp = Value();
  }
  return f;
}

Value Vm::BuildClass(const Value& function, const Value& bases, const Value& keywords) {
  auto* f = As<FunctionObject>(function);
  CheckDepth();
  RecursionGuard guard;
  Frame* frame = NewFrame(f->code, function, false);
  if (!f->code->cell_names.empty()) FillCells(frame, f);
  Value names = MakeDict();
  frame->names = names;
  frame->back = current_;
  current_ = frame;
  ++depth_;
  Value cell = Run(frame);
  static StrObject* module = Intern("__module__");
  Dict& attributes = As<DictObject>(names)->dict;
  const LocalModule* local =
      f->code->source->library() != 0 ? LocalModuleNumbered(f->code->source->library()) : nullptr;
  if (local != nullptr && !attributes.Find(module))
    attributes.Set(Value(module), MakeStr(local->name));
  if (IsLibrary(*f->code->source) && !attributes.Find(module)) {  // "<tensh/abc.py>"
    const std::string& file = f->code->source->file();
    const size_t begin = file.find('/') + 1;
    attributes.Set(Value(module), Value(Intern(file.substr(begin, file.find('.', begin) - begin))));
  }
  Value meta;
  if (auto* given = As<DictObject>(keywords)) {
    static StrObject* metaclass = Intern("metaclass");
    if (Value* found = given->dict.Find(metaclass)) meta = *found;
    given->dict.Erase(Value(metaclass));
  }
  Value cls = shell::BuildClass(meta, MakeStr(f->name), MakeTuple(As<ListObject>(bases)->items),
                                names, keywords);
  if (auto* c = As<CellObject>(cell)) c->value = cls;
  return cls;
}

namespace {

std::string CalleeName(const Value& callee) {
  if (auto* f = As<FunctionObject>(callee)) return "__main__." + f->qualname + "()";
  if (auto* f = As<NativeFunction>(callee)) return std::string(f->row().name) + "()";
  if (auto* t = As<Type>(callee)) return (t->is_user() ? "__main__." : "") + t->name() + "()";
  return TypeName(callee) + " object";
}

}  // namespace

Value Vm::CallSpread(const Value& callee, const Value& list, const Value& dict) {
  std::vector<Value> all = As<ListObject>(list)->items;
  const Value keywords = SpreadKeywords(dict, &all);
  return CallSlow(callee, all, keywords.is_null() ? nullptr : As<TupleObject>(keywords));
}

void MergeKeywords(const Value& callee, Dict* into, const Value& more) {
  auto* dict = As<DictObject>(more);
  Value copy;
  if (!dict) {
    if (FindAttr(more, Intern("keys")).is_null()) {
      throw TypeError(CalleeName(callee) + " argument after ** must be a mapping, not " +
                      TypeName(more));
    }
    copy = MakeDict();
    dict = As<DictObject>(copy);
    UpdateDict(&dict->dict, more);
  }
  for (size_t i = 0; const Dict::Entry* e = dict->dict.At(&i);) {
    if (into->Find(e->key)) {
      throw TypeError(CalleeName(callee) + " got multiple values for keyword argument '" +
                      Str(e->key) + "'");
    }
    into->Set(e->key, e->value);
  }
}

void ExtendArguments(const Value& callee, std::vector<Value>* into, const Value& more, bool call) {
  if (!FindSlot(TypeOf(more), &TypeInfo::iter) && !FindSlot(TypeOf(more), &TypeInfo::getitem)) {
    if (call)
      throw TypeError(CalleeName(callee) + " argument after * must be an iterable, not " +
                      TypeName(more));
    throw TypeError("Value after * must be an iterable, not " + TypeName(more));
  }
  std::vector<Value> items = ToVector(more);
  into->insert(into->end(), items.begin(), items.end());
}

Value Vm::CallSlow(const Value& callee, std::span<const Value> args, const TupleObject* keywords) {
  interp_.CheckInterrupt();
  auto call = FindSlot(TypeOf(callee), &TypeInfo::call);
  if (!call) throw TypeError("'" + TypeName(callee) + "' object is not callable");
  RecursionGuard guard;
  return call(callee, CallArgs{args, keywords});
}

// Creates a frame for a callee that is a Python function or class, called with positional arguments
// only. Moves the arguments out of `args`.
Frame* Vm::EnterCall(Value* callee, Value* args, size_t count) {
  if (!callee->is_object()) return nullptr;
  const TypeInfo& type = callee->object()->type();
  if (&type == &FunctionObject::kType) {
    auto* f = static_cast<FunctionObject*>(callee->object());
    if (Frame* frame = EnterSimple(f, args, count)) return frame;
    if (f->code->is_generator) return nullptr;
    return Enter(f, CallArgs{std::span<const Value>(args, count)});
  }
  if (&type == &BoundMethod::kType) {
    auto* m = static_cast<BoundMethod*>(callee->object());
    auto* f = As<FunctionObject>(m->function);
    if (!f || f->code->is_generator) return nullptr;
    std::vector<Value> all = {m->self};
    all.insert(all.end(), args, args + count);
    return Enter(f, CallArgs{all});
  }
  if (&type != &Type::kType) return nullptr;
  auto* cls = static_cast<Type*>(callee->object());
  if (!cls->is_user() || static_cast<UserClass*>(cls)->native_base()) return nullptr;
  static StrObject* init_name = Intern("__init__");
  static StrObject* new_name = Intern("__new__");
  Value init = cls->Lookup(init_name);
  auto* f = As<FunctionObject>(init);
  if (!f || f->code->is_generator || !static_cast<UserClass*>(cls)->LookupUser(new_name).is_null())
    return nullptr;
  Value made = New<Instance>(cls->info());
  std::vector<Value> all = {made};
  all.insert(all.end(), args, args + count);
  Frame* frame = Enter(f, CallArgs{all});
  frame->instance = std::move(made);
  return frame;
}

Value Vm::RaiseValue(const Value& raised, const Value* cause) {
  auto make = [](const Value& v, const char* what) {
    Value exc = v;
    if (auto* type = As<Type>(v); type && type->IsSubtypeOf(TypeObject(ExceptionObject::kType))) {
      exc = Call(v, CallArgs{});
    }
    if (!As<ExceptionObject>(exc))
      throw TypeError(std::string(what) + " must derive from BaseException");
    return exc;
  };
  Value exc = make(raised, "exceptions");
  if (cause) {
    auto* e = As<ExceptionObject>(exc);
    e->cause = cause->is_none() ? Value::None() : make(*cause, "exception causes");
    e->suppress_context = true;
  }
  return exc;
}

bool Vm::Matches(const Value& exc, const Value& types) {
  auto check = [](const Value& t) {
    auto* type = As<Type>(t);
    if (!type || !type->IsSubtypeOf(TypeObject(ExceptionObject::kType))) {
      throw TypeError("catching classes that do not inherit from BaseException is not allowed");
    }
  };
  if (auto* tuple = As<TupleObject>(types)) {
    for (const Value& t : tuple->items) check(t);
  } else {
    check(types);
  }
  return IsInstance(exc, types);
}

Value Vm::Import(const Frame& f, std::string_view name, bool whole) {
  if (!IsLibrary(*f.code->source)) return ImportFor(f.code->source->library(), name, whole);
  Value module = interp_.Import(name);
  return whole ? module : interp_.Import(name.substr(0, name.find('.')));
}

Value Vm::ImportFrom(const Value& module, StrObject* name) {
  if (auto* local = As<LocalModule>(module)) return ImportFromLocal(*local, name);
  auto* m = As<ModuleObject>(module);
  try {
    if (Value found = FindAttr(module, name); !found.is_null()) return found;
  } catch (const PyError& e) {
    if (m == nullptr || !e.Is(kAttributeError)) throw;
  }
  if (missing_attribute != nullptr)
    if (Value found = missing_attribute(module, name); !found.is_null()) return found;
  const Value given = m ? Value() : FindAttr(module, Intern("__name__"));
  const std::string module_name = m              ? m->def().name
                                  : IsStr(given) ? std::string(StrView(given))
                                                 : TypeName(module);
  try {
    return interp_.Import(module_name + "." + name->text());
  } catch (const PyError&) {
    const ErrorHint hint = m ? DidYouMean(name->view(), m->Names()) : ErrorHint();
    throw MakeError(kImportError, "cannot import name '" + name->text() + "' from '" + module_name +
                                      "' (unknown location)")
        .Hint(hint);
  }
}

void Vm::ImportStar(const Value& module) {
  const uint16_t importer = current_->code->source->library();
  const auto bind = [&](const std::string& name, const Value& value) {
    interp_.globals().at(interp_.globals().IndexOf(Intern(name), importer)) = value;
  };
  if (auto* local = As<LocalModule>(module)) {
    for (const std::string& name : local->StarNames())
      bind(name, ImportFromLocal(*local, Intern(name)));
    return;
  }
  if (IsForeign(module)) {
    const Value all = FindAttr(module, Intern("__all__"));
    const Value names = all.is_null() ? CallMethod(module, "__dir__", {}) : all;
    for (const Value& name : ToVector(names))
      if (!all.is_null() || StrView(name)[0] != '_')
        bind(std::string(StrView(name)), GetAttr(module, StrView(name)));
    return;
  }
  auto* m = As<ModuleObject>(module);
  if (!m) return;
  for (const std::string& name : m->Names()) {
    if (name[0] == '_') continue;
    bind(name, GetAttr(module, name));
  }
}

Value Vm::FormatPiece(const Value& v, int conversion, const Value* spec) {
  Value shown = v;
  if (conversion == 'r') shown = MakeStr(Repr(v));
  if (conversion == 's') shown = MakeStr(Str(v));
  if (conversion == 'a') shown = MakeStr(AsciiRepr(v));
  if (!spec && IsStr(shown) && TypeOf(shown).format) return shown;
  return MakeStr(Format(shown, spec ? StrView(*spec) : std::string_view()));
}

Value Vm::Compare(int op, const Value& a, const Value& b) {
  return tensh::shell::Compare(static_cast<CompareOp>(op), a, b);
}

// Runs one step of `yield from`. Returns false if the inner iterator is exhausted; *out is then its
// result.
bool Vm::YieldFromStep(const Value& iterator, Value sent, Value* out) {
  if (auto* g = As<GeneratorObject>(iterator)) {
    if (Resume(g, std::move(sent), Value(), out)) return true;
    *out = g->returned.is_null() ? Value::None() : g->returned;
    return false;
  }
  if (!sent.is_none()) {
    *out = CallMethod(iterator, "send", {sent});
    return true;
  }
  if (Next(iterator, out)) return true;
  *out = Value::None();
  return false;
}

}  // namespace tensh::shell
