// Classes on both sides. A class of the shell has a class in CPython, whose bases are those of its bases, so
// that isinstance and inheritance work there. A class that CPython derives from it has a class in the shell.
#include <unordered_map>
#include <unordered_set>

#include "shell/python_bridge/bridge/proxy.h"

namespace tensh::shell::bridge {
namespace {

struct Classes {
  std::unordered_map<Object*, PyObject*> of_value;
  std::unordered_map<PyObject*, Value> of_object;
  std::unordered_set<PyObject*> derived;
  // The attributes that classes had when the shell last looked at them: dicts.
  std::unordered_map<PyObject*, Held> attributes;
  // The classes of proxies whose class is one of CPython's own, such as zip.
  std::unordered_map<Object*, PyObject*> of_instances;
};
Classes& Known() {
  static auto* known = new Classes;
  return *known;
}

Type& TypeIn(const Value& cls) { return *static_cast<Type*>(cls.object()); }

std::vector<Value> BasesOf(const Value& cls) {
  if (TypeIn(cls).is_user()) return static_cast<UserClass&>(TypeIn(cls)).bases();
  const TypeInfo* base = TypeIn(cls).info().base;
  return base == nullptr ? std::vector<Value>() : std::vector<Value>{host.type_value(*base)};
}

// Returns the class of CPython with the same name in `builtins` or `numpy`, or null.
Held SameIn(PyObject* module, const std::string& name) {
  if (module == nullptr || !PyObject_HasAttrString(module, name.c_str())) return {};
  Held found = Check(PyObject_GetAttrString(module, name.c_str()));
  return PyType_Check(found.get()) ? std::move(found) : Held();
}

PyObject* Builtins() {
  static PyObject* builtins = PyImport_ImportModule("builtins");
  return builtins;
}

Held SameClass(const Value& cls) {
  const TypeInfo& info = TypeIn(cls).info();
  const std::string_view module = info.module;
  if (module == "datetime") {
    static PyObject* datetime = PyImport_ImportModule("datetime");
    if (Held same = SameIn(datetime, info.name)) return same;
  }
  if (TypeIn(cls).is_user()) return {};
  if (const char* scalar = host.scalar_class(cls)) return SameIn(Numpy(), scalar);
  if (module == "numpy") return SameIn(Numpy(), info.name);
  const Value builtin = module == "builtins" ? host.builtin(info.name) : Value();
  return builtin.Is(cls) ? SameIn(Builtins(), info.name) : Held();
}

bool IsType(const Value& v, const char* name) {
  const TypeInfo& type = host.type_of(v);
  return std::string_view(type.name) == name && std::string_view(type.module) == "builtins";
}

// Converts a static method or a class method. Returns null for any other value.
Held MethodTo(const Value& value) {
  const bool is_static = IsType(value, "staticmethod");
  if (!is_static && !IsType(value, "classmethod")) return {};
  const Value& function = is_static ? static_cast<StaticMethod*>(value.object())->function
                                    : static_cast<ClassMethod*>(value.object())->function;
  return Check(PyObject_CallMethod(Builtins(), is_static ? "staticmethod" : "classmethod", "O",
                                   ToPython(function).get()));
}

// Adds the functions and constants of a class to CPython's class, for super() and for use on the class itself.
void AddAttributes(const Value& cls, PyObject* made) {
  const Value doc = host.find_attr(cls, host.intern("__doc__"));
  if (!doc.is_null()) Check(PyObject_SetAttrString(made, "__doc__", ToPython(doc).get()));
  const std::vector<Value> items = host.dict_items(host.get_attr(cls, host.intern("__dict__")));
  for (size_t i = 0; i < items.size(); i += 2) {
    const Value &name = items[i], &value = items[i + 1];
    if (StrView(name).starts_with("__")) continue;
    const TypeInfo& type = host.type_of(value);
    Held object = MethodTo(value);
    if (!object && FindSlot(type, &TypeInfo::descr_set)) continue;  // found on the instance
    if (!object) object = ToPython(value);
    Check(PyObject_SetAttr(made, ToText(StrView(name)).get(), object.get()));
  }
}

PyObject* MakeClass(const Value& cls) {
  const TypeInfo& info = TypeIn(cls).info();
  std::vector<PyObject*> bases;
  for (const Value& base : BasesOf(cls)) {
    const bool object = &TypeIn(base).info() == host.object_type;
    PyObject* made = object ? reinterpret_cast<PyObject*>(proxy_type) : ClassFor(base);
    // A builtin class, such as dict, is not the base of a proxy.
    if (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(made), proxy_type)) bases.push_back(made);
  }
  if (bases.empty()) bases.push_back(reinterpret_cast<PyObject*>(proxy_type));
  const Held tuple = Check(PyTuple_New(static_cast<Py_ssize_t>(bases.size())));
  for (size_t i = 0; i < bases.size(); ++i)
    PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), Held::Share(bases[i]).release());
  std::vector<PyType_Slot> slots = SlotsFor(info);
  slots.push_back({0, nullptr});
  // CPython keeps the pointer to the name.
  const std::string_view module = *info.module == '\0' ? "tensh" : info.module;
  StrObject* name = host.intern(std::string(module) + "." + info.name);
  PyType_Spec spec = {name->view().data(), sizeof(Proxy), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots.data()};
  return Check(PyType_FromSpecWithBases(&spec, tuple.get())).release();
}

// Converts the attributes of a class that CPython derived. Functions bind in the shell as they are.
Value AttributeFrom(PyObject* value) {
  for (const char* kind : {"staticmethod", "classmethod", "property"}) {
    const Held cls = SameIn(Builtins(), kind);
    if (reinterpret_cast<PyObject*>(Py_TYPE(value)) != cls.get()) continue;
    std::vector<Value> parts;
    const bool property = *kind == 'p';
    for (const char* part : {property ? "fget" : "__func__", "fset", "fdel"}) {
      if (!property && !parts.empty()) break;
      const Held held = Check(PyObject_GetAttrString(value, part));
      parts.push_back(FromPython(held.get()));
    }
    return host.call(host.builtin(kind), CallArgs{parts});
  }
  return FromPython(value, Containers::kShared);
}

bool IsOwn(const std::string& name) {
  for (const char* skipped :
       {"__dict__", "__weakref__", "__init_subclass__", "__classcell__", "__qualname__",
        "__getattribute__", "__slots__", "__abstractmethods__", "__orig_bases__"})
    if (name == skipped) return false;
  return !name.starts_with("_abc_");
}

Held AttributesOf(PyObject* cls) {
  const Held vars = Check(PyObject_GetAttrString(cls, "__dict__"));
  Held copy = Check(PyDict_New());
  Check(PyDict_Update(copy.get(), vars.get()));
  return copy;
}

}  // namespace

void TakeAttributes(const Value& cls) {
  const auto found = Known().of_value.find(cls.object());
  if (found == Known().of_value.end()) return;
  const auto kept = Known().attributes.find(found->second);
  if (kept == Known().attributes.end()) return;
  Held now = AttributesOf(found->second);
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(now.get(), &at, &key, &value);) {
    const std::string name = TextOf(key);
    if (IsOwn(name) && PyDict_GetItem(kept->second.get(), key) != value)
      host.set_attr(cls, host.intern(name), AttributeFrom(value));
  }
  const Held names = Check(PyDict_Keys(kept->second.get()));
  for (Py_ssize_t i = 0; i < PyList_Size(names.get()); ++i) {
    PyObject* name = PyList_GetItem(names.get(), i);
    if (PyDict_GetItem(now.get(), name) == nullptr) host.del_attr(cls, host.intern(TextOf(name)));
  }
  kept->second = std::move(now);
}

void Pair(const Value& cls, PyObject* object) {
  Py_INCREF(object);
  Known().of_value[cls.object()] = object;
  Known().of_object[object] = cls;
}

Value KnownClass(PyObject* cls) {
  const auto found = Known().of_object.find(cls);
  if (found != Known().of_object.end()) return found->second;
  const Held module = Check(PyObject_GetAttrString(cls, "__module__"));
  const Held name = Check(PyObject_GetAttrString(cls, "__name__"));
  if (!PyUnicode_Check(module.get()) ||
      PyUnicode_CompareWithASCIIString(module.get(), "builtins") != 0)
    return Value();
  if (SameIn(Builtins(), TextOf(name.get())).get() != cls) return Value();
  const Value same = host.builtin(TextOf(name.get()));
  if (same.is_null() || host.kind(same) != Kind::kClass) return Value();
  Pair(same, cls);
  return same;
}

PyObject* ClassFor(const Value& cls) {
  const auto found = Known().of_value.find(cls.object());
  if (found != Known().of_value.end()) return found->second;
  const TypeInfo& info = TypeIn(cls).info();
  Held made;
  if (host.derives_from(info, *host.exception_type))
    made = ExceptionClassTo(cls);
  else
    made = SameClass(cls);
  if (made) {
    Pair(cls, made.get());
    return Known().of_value[cls.object()];
  }
  made = Held(MakeClass(cls));
  Pair(cls, made.get());
  AddAttributes(cls, made.get());
  if (TypeIn(cls).is_user()) Known().attributes[made.get()] = AttributesOf(made.get());
  return Known().of_value[cls.object()];
}

PyObject* InstanceClassFor(const Value& cls) {
  PyObject* made = ClassFor(cls);
  if (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(made), proxy_type)) return made;
  PyObject*& own = Known().of_instances[cls.object()];
  if (own == nullptr) own = MakeClass(cls);
  return own;
}

bool IsDerived(PyTypeObject* cls) {
  return !Known().derived.empty() && Known().derived.count(reinterpret_cast<PyObject*>(cls)) != 0;
}

void DeriveInShell(PyObject* cls) {
  const Held bases = Check(PyObject_GetAttrString(cls, "__bases__"));
  std::vector<Value> shell_bases;
  for (Py_ssize_t i = 0; i < PyTuple_Size(bases.get()); ++i) {
    PyObject* base = PyTuple_GetItem(bases.get(), i);
    if (!PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(base), proxy_type)) continue;
    const Value known = KnownClass(base);
    if (!known.is_null()) shell_bases.push_back(known);
  }
  const Held vars = Check(PyObject_GetAttrString(cls, "__dict__"));
  const Held items = Check(PyMapping_Items(vars.get()));
  std::vector<Value> keys, values;
  for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
    PyObject* pair = PyList_GetItem(items.get(), i);
    const std::string name = TextOf(PyTuple_GetItem(pair, 0));
    if (!IsOwn(name)) continue;
    keys.push_back(Value(host.intern(name)));
    values.push_back(AttributeFrom(PyTuple_GetItem(pair, 1)));
  }
  const Held name = Check(PyObject_GetAttrString(cls, "__name__"));
  const std::vector<Value> args = {host.make_str(TextOf(name.get())), host.make_tuple(shell_bases),
                                   host.make_dict(keys, values)};
  const Value made = host.call(host.builtin("type"), CallArgs{args});
  Known().derived.insert(cls);
  Pair(made, cls);
}

// Converts what a class statement defined. CPython's own descriptors replace those of the shell.
Held NamespaceTo(const Value& names) {
  Held made = Check(PyDict_New());
  const std::vector<Value> items = host.dict_items(names);
  for (size_t i = 0; i < items.size(); i += 2) {
    const Value& value = items[i + 1];
    Held object = MethodTo(value);
    if (IsType(value, "property")) {
      const auto part = [&](const char* name) {
        return ToPython(host.get_attr(value, host.intern(name)));
      };
      object = Check(PyObject_CallMethod(Builtins(), "property", "OOO", part("fget").get(),
                                         part("fset").get(), part("fdel").get()));
    }
    if (!object) object = ToPython(value);
    Check(PyDict_SetItem(made.get(), ToPython(items[i]).get(), object.get()));
  }
  return made;
}

Value BuildClass(const Value& name, const Value& bases, const Value& dict, const Value& keywords) {
  const Gil gil;
  const Held py_name = ToPython(name), py_bases = ToPython(bases), py_dict = NamespaceTo(dict);
  const Held py_keywords = keywords.is_null() ? Check(PyDict_New()) : ToPython(keywords);
  const Held made =
      CallHelper("make_class", {py_name.get(), py_bases.get(), py_dict.get(), py_keywords.get()});
  return FromPython(made.get());
}

}  // namespace tensh::shell::bridge
