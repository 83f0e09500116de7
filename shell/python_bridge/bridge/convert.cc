// Conversion of values by value. Everything else is passed on to the other files of this folder.
#include <bit>

#include "shell/python_bridge/bridge/bridge.h"

namespace tensh::shell::bridge {
namespace {

Value IntFrom(PyObject* object) {
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) {
    if (small == -1 && PyErr_Occurred()) ThrowPython();
    return Value::Int(small);
  }
  const Held hex = Check(PyNumber_ToBase(object, 16));
  std::string text = TextOf(hex.get());  // "-0xff"
  text.erase(text.find("0x"), 2);
  return host.int_from_text(text, 16);
}

std::vector<Value> ItemsFrom(PyObject* iterable, Containers how) {
  std::vector<Value> items;
  const Held iterator = Check(PyObject_GetIter(iterable));
  while (PyObject* item = PyIter_Next(iterator.get())) {
    const Held held(item);
    items.push_back(FromPython(item, how));
  }
  if (PyErr_Occurred()) ThrowPython();
  return items;
}

Value DictFrom(PyObject* dict) {
  std::vector<Value> keys, values;
  const Held items = Check(
      PyDict_Items(dict));  // a copy, because the conversion may run code that changes the dict
  for (Py_ssize_t i = 0; i < PyList_Size(items.get()); ++i) {
    PyObject* pair = PyList_GetItem(items.get(), i);
    keys.push_back(FromPython(PyTuple_GetItem(pair, 0)));
    values.push_back(FromPython(PyTuple_GetItem(pair, 1)));
  }
  return host.make_dict(keys, values);
}

Value Attribute(PyObject* object, const char* name) {
  const Held found = Check(PyObject_GetAttrString(object, name));
  return FromPython(found.get());
}

// Limits the nesting of a container that is converted, which may contain itself. A program can raise
// CPython's own limit beyond what the stack holds.
class Depth {
 public:
  Depth() {
    if (depth >= kMost)
      Fail("RecursionError", "maximum recursion depth exceeded while a value is converted");
    ++depth;
  }
  ~Depth() { --depth; }
  Depth(const Depth&) = delete;

 private:
  static constexpr int kMost = 1000;
  static thread_local int depth;
};
thread_local int Depth::depth = 0;

bool Exactly(PyObject* object, PyTypeObject& type) { return Py_TYPE(object) == &type; }

// Converts a container. Returns null for any other object.
Value ContainerFrom(PyObject* object, Containers how) {
  if (Exactly(object, PyTuple_Type)) {
    const Depth depth;
    return host.make_tuple(ItemsFrom(object, how));
  }
  if (how == Containers::kShared) return Value();
  if (Exactly(object, PyList_Type)) {
    const Depth depth;
    return host.make_list(ItemsFrom(object, how));
  }
  if (Exactly(object, PyDict_Type)) {
    const Depth depth;
    return DictFrom(object);
  }
  if (Exactly(object, PySet_Type) || Exactly(object, PyFrozenSet_Type)) {
    const Depth depth;
    return host.make_set(ItemsFrom(object, how), Exactly(object, PyFrozenSet_Type));
  }
  return Value();
}

Value ClassFrom(PyObject* object) {
  if (Value known = KnownClass(object); !known.is_null()) return known;
  if (PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object),
                       reinterpret_cast<PyTypeObject*>(PyExc_BaseException)))
    return ExceptionClassFrom(object);
  return Value();
}

}  // namespace

std::string TextOf(PyObject* str) {
  const Held bytes = Check(PyUnicode_AsEncodedString(str, "utf-8", "surrogatepass"));
  char* data = nullptr;
  Py_ssize_t size = 0;
  Check(PyBytes_AsStringAndSize(bytes.get(), &data, &size));
  return {data, static_cast<size_t>(size)};
}

Held ToText(std::string_view text) {
  return Check(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass"));
}

Value FromPython(PyObject* object, Containers how) {
  if (object == Py_None) return Value::None();
  if (Exactly(object, PyBool_Type)) return Value::Bool(object == Py_True);
  if (Exactly(object, PyLong_Type)) return IntFrom(object);
  if (Exactly(object, PyFloat_Type)) return Value::Float(PyFloat_AsDouble(object));
  if (Exactly(object, PyUnicode_Type)) return host.make_str(TextOf(object));
  if (IsProxy(object)) return ValueOf(object);
  if (Exactly(object, PyBytes_Type)) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    Check(PyBytes_AsStringAndSize(object, &data, &size));
    return host.make_bytes({data, static_cast<size_t>(size)});
  }
  if (Value made = ContainerFrom(object, how); !made.is_null()) return made;
  if (object == Py_Ellipsis) return Value::Ellipsis();
  if (object == Py_NotImplemented) return Value::NotImplemented();
  if (Exactly(object, PyComplex_Type))
    return host.make_complex(PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object));
  if (Exactly(object, PySlice_Type))
    return host.make_slice(Attribute(object, "start"), Attribute(object, "stop"),
                           Attribute(object, "step"));
  if (Exactly(object, PyRange_Type))
    return host.call(
        host.builtin("range"),
        CallArgs{std::vector<Value>{Attribute(object, "start"), Attribute(object, "stop"),
                                    Attribute(object, "step")}});
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) == Helper("Module")) {
    const Held values = Check(PyObject_GetAttrString(object, "_values"));
    return ValueOf(values.get());
  }
  if (PyType_Check(object)) {
    if (Value cls = ClassFrom(object); !cls.is_null()) return cls;
  } else if (PyExceptionInstance_Check(object)) {
    return ExceptionFrom(object);
  } else if (Value array = FromNumpy(object); !array.is_null()) {
    return array;
  }
  return ForeignFor(object);
}

Held ToTuple(std::span<const Value> values) {
  Held tuple = Check(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SetItem(tuple.get(), static_cast<Py_ssize_t>(i), ToPython(values[i]).release());
  return tuple;
}

namespace {

Held ListTo(const std::vector<Value>& values) {
  const Depth depth;
  Held list = Check(PyList_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); ++i)
    PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), ToPython(values[i]).release());
  return list;
}

Held DictTo(const Value& v) {
  const Depth depth;
  Held dict = Check(PyDict_New());
  const std::vector<Value> items = host.dict_items(v);
  for (size_t i = 0; i < items.size(); i += 2)
    Check(PyDict_SetItem(dict.get(), ToPython(items[i]).get(), ToPython(items[i + 1]).get()));
  return dict;
}

Held SetTo(const Value& v, bool frozen) {
  const Held list = ListTo(host.to_vector(v));
  return Check(frozen ? PyFrozenSet_New(list.get()) : PySet_New(list.get()));
}

Held AttributeTo(const Value& v, const char* name) {
  return ToPython(host.get_attr(v, host.intern(name)));
}

Held RangeTo(const Value& v) {
  const std::vector<Value> parts = {host.get_attr(v, host.intern("start")),
                                    host.get_attr(v, host.intern("stop")),
                                    host.get_attr(v, host.intern("step"))};
  return Check(
      PyObject_Call(reinterpret_cast<PyObject*>(&PyRange_Type), ToTuple(parts).get(), nullptr));
}

// Converts objects of some modules of the library by value, because functions of CPython test for their classes.
Held LibraryObjectTo(const Value& v) {
  const TypeInfo& type = host.type_of(v);
  const std::string_view module = type.module;
  Held proxy = ProxyFor(v);
  if (module != "datetime" && module != "pathlib" && module != "collections") return proxy;
  const Held text = ToText(type.name);
  Held made = CallHelper("library_object", {text.get(), proxy.get()});
  return made.get() == Py_None ? std::move(proxy) : std::move(made);
}

Held ObjectTo(const Value& v) {
  const Kind kind = host.kind(v);
  switch (kind) {
    case Kind::kStr:
      return ToText(StrView(v));
    case Kind::kBytes: {
      const std::string& data = static_cast<BytesObject*>(v.object())->data;
      return Check(PyBytes_FromStringAndSize(data.data(), static_cast<Py_ssize_t>(data.size())));
    }
    case Kind::kBigInt:
      return Check(PyLong_FromString(host.int_to_text(v, 16).c_str(), nullptr, 16));
    case Kind::kComplex: {
      const auto* c = static_cast<ComplexObject*>(v.object());
      return Check(PyComplex_FromDoubles(c->re, c->im));
    }
    case Kind::kList:
      return ListTo(static_cast<ListObject*>(v.object())->items);
    case Kind::kTuple: {
      const Depth depth;
      return ToTuple(static_cast<TupleObject*>(v.object())->items);
    }
    case Kind::kDict:
      return DictTo(v);
    case Kind::kSet:
    case Kind::kFrozenSet:
      return SetTo(v, kind == Kind::kFrozenSet);
    case Kind::kSlice:
      return Check(PySlice_New(AttributeTo(v, "start").get(), AttributeTo(v, "stop").get(),
                               AttributeTo(v, "step").get()));
    case Kind::kRange:
      return RangeTo(v);
    case Kind::kArray:
    case Kind::kScalar:
    case Kind::kDType:
      return ToNumpy(v, kind);
    case Kind::kException:
      return ExceptionTo(v);
    case Kind::kClass:
      return Held::Share(ClassFor(v));
    case Kind::kModule:
      return CallHelper("module_of", {ProxyFor(v).get()});
    default:
      return LibraryObjectTo(v);
  }
}

thread_local const Arguments* echoing = nullptr;

bool IsSame(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  if (a.tag() == Value::Tag::kFloat)
    return std::bit_cast<uint64_t>(a.as_float()) == std::bit_cast<uint64_t>(b.as_float());
  if (a.tag() == Value::Tag::kInt) return a.as_int() == b.as_int();
  return a.Is(b) && host.kind(a) == Kind::kStr;
}

// Returns the argument with this value, or null. If there are several, prefers the one with this name.
PyObject* EchoOf(const Value& v, const StrObject* name) {
  if (echoing == nullptr) return nullptr;
  const auto* names = static_cast<TupleObject*>(echoing->keywords.object());
  for (size_t i = 0; !echoing->keywords.is_null() && name != nullptr && i < names->items.size();
       ++i) {
    const size_t at = echoing->values.size() - names->items.size() + i;
    if (names->items[i].object() == name && IsSame(v, echoing->values[at]))
      return echoing->objects[at];
  }
  for (size_t i = 0; i < echoing->objects.size(); ++i)
    if (IsSame(v, echoing->values[i]) && !IsProxy(echoing->objects[i])) return echoing->objects[i];
  return nullptr;
}

}  // namespace

Echoes::Echoes(const Arguments& arguments) : before_(std::exchange(echoing, &arguments)) {}
Echoes::~Echoes() { echoing = before_; }

Held ToPython(const Value& v, const StrObject* argument) {
  if (PyObject* same = EchoOf(v, argument)) return Held::Share(same);
  switch (v.tag()) {
    case Value::Tag::kNone:
      return Held::Share(Py_None);
    case Value::Tag::kBool:
      return Held::Share(v.as_bool() ? Py_True : Py_False);
    case Value::Tag::kInt:
      return Check(PyLong_FromLongLong(v.as_int()));
    case Value::Tag::kFloat:
      return Check(PyFloat_FromDouble(v.as_float()));
    case Value::Tag::kNotImplemented:
      return Held::Share(Py_NotImplemented);
    case Value::Tag::kEllipsis:
      return Held::Share(Py_Ellipsis);
    default:
      return IsForeign(v) ? Held::Share(ObjectOf(v)) : ObjectTo(v);
  }
}

CallArgs Arguments::args() const {
  return {values, keywords.is_null() ? nullptr : static_cast<TupleObject*>(keywords.object())};
}

Arguments FromArguments(PyObject* args, PyObject* kwargs) {
  Arguments made;
  const Py_ssize_t count = PyTuple_Size(args);
  for (Py_ssize_t i = 0; i < count; ++i) {
    made.objects.push_back(PyTuple_GetItem(args, i));
    made.values.push_back(FromPython(made.objects.back()));
  }
  if (kwargs == nullptr || PyDict_Size(kwargs) == 0) return made;
  std::vector<Value> names;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs, &at, &key, &value);) {
    names.push_back(Value(host.intern(TextOf(key))));
    made.objects.push_back(value);
    made.values.push_back(FromPython(value));
  }
  made.keywords = host.make_tuple(std::move(names));
  return made;
}

}  // namespace tensh::shell::bridge
