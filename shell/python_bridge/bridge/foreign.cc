// The shell's proxies of CPython's objects. The bridge makes one TypeInfo for each class of CPython, with
// the slots that its objects support, so that callable() and the like are right.
#include <unordered_map>

#include "shell/python_bridge/bridge/proxy.h"

namespace tensh::shell::bridge {
namespace {

// The proxies in use, by object, so that an object has one proxy at a time.
std::unordered_map<PyObject*, Foreign*>& Proxies() {
  static auto* proxies = new std::unordered_map<PyObject*, Foreign*>();
  return *proxies;
}

// Calls an operation of CPython on the proxy's object while other threads of the shell may run.
template <class F>
Held Run(F operation) {
  return Check(CallOutside(operation));
}

template <class F>
int RunInt(F operation) {
  int result = 0;
  const Held done = Run([&]() -> PyObject* {
    result = operation();
    return result < 0 ? nullptr : Held::Share(Py_None).release();
  });
  return result;
}

std::string Repr(const Value& v) {
  const Gil gil;
  return TextOf(Run([&] { return PyObject_Repr(ObjectOf(v)); }).get());
}

std::string Str(const Value& v) {
  const Gil gil;
  return TextOf(Run([&] { return PyObject_Str(ObjectOf(v)); }).get());
}

std::string Format(const Value& v, std::string_view spec) {
  const Gil gil;
  const Held text = ToText(spec);
  return TextOf(Run([&] { return PyObject_Format(ObjectOf(v), text.get()); }).get());
}

bool Truth(const Value& v) {
  const Gil gil;
  return RunInt([&] { return PyObject_IsTrue(ObjectOf(v)); }) != 0;
}

uint64_t Hash(const Value& v) {
  const Gil gil;
  const Py_hash_t hash = PyObject_Hash(ObjectOf(v));
  if (hash == -1) ThrowPython();
  return static_cast<uint64_t>(hash);
}

Value Compare(CompareOp op, const Value& a, const Value& b) {
  constexpr int kOps[] = {Py_LT, Py_LE, Py_EQ, Py_NE, Py_GT, Py_GE};
  const Gil gil;
  const Held x = ToPython(a), y = ToPython(b);
  return FromPython(Run([&] {
                      return PyObject_RichCompare(x.get(), y.get(), kOps[static_cast<size_t>(op)]);
                    }).get());
}

PyObject* Power(PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); }
PyObject* InPlacePower(PyObject* a, PyObject* b) { return PyNumber_InPlacePower(a, b, Py_None); }

using Operation = PyObject* (*)(PyObject*, PyObject*);
constexpr Operation kBinary[] = {
    PyNumber_Add,        PyNumber_Subtract,    PyNumber_Multiply,  PyNumber_MatrixMultiply,
    PyNumber_TrueDivide, PyNumber_FloorDivide, PyNumber_Remainder, Power,
    PyNumber_Lshift,     PyNumber_Rshift,      PyNumber_And,       PyNumber_Xor,
    PyNumber_Or};
constexpr Operation kInPlace[] = {PyNumber_InPlaceAdd,        PyNumber_InPlaceSubtract,
                                  PyNumber_InPlaceMultiply,   PyNumber_InPlaceMatrixMultiply,
                                  PyNumber_InPlaceTrueDivide, PyNumber_InPlaceFloorDivide,
                                  PyNumber_InPlaceRemainder,  InPlacePower,
                                  PyNumber_InPlaceLshift,     PyNumber_InPlaceRshift,
                                  PyNumber_InPlaceAnd,        PyNumber_InPlaceXor,
                                  PyNumber_InPlaceOr};

Value Apply(const Operation* table, BinaryOp op, const Value& a, const Value& b) {
  const Gil gil;
  const Held x = ToPython(a), y = ToPython(b);
  const Operation operation = table[static_cast<size_t>(op)];
  return FromPython(Run([&] { return operation(x.get(), y.get()); }).get());
}

Value Binary(BinaryOp op, const Value& a, const Value& b, bool) { return Apply(kBinary, op, a, b); }
Value InPlace(BinaryOp op, const Value& a, const Value& b) { return Apply(kInPlace, op, a, b); }

Value Unary(UnaryOp op, const Value& v) {
  constexpr PyObject* (*kUnary[])(PyObject*) = {PyNumber_Negative, PyNumber_Positive,
                                                PyNumber_Invert, PyNumber_Absolute};
  const Gil gil;
  return FromPython(Run([&] { return kUnary[static_cast<size_t>(op)](ObjectOf(v)); }).get());
}

Value Index(const Value& v) {
  const Gil gil;
  return FromPython(Run([&] { return PyNumber_Index(ObjectOf(v)); }).get());
}
Value ToInt(const Value& v) {
  const Gil gil;
  return FromPython(Run([&] { return PyNumber_Long(ObjectOf(v)); }).get());
}
Value ToFloat(const Value& v) {
  const Gil gil;
  return FromPython(Run([&] { return PyNumber_Float(ObjectOf(v)); }).get());
}

int64_t Len(const Value& v) {
  const Gil gil;
  const Py_ssize_t n = PyObject_Size(ObjectOf(v));
  if (n < 0) ThrowPython();
  return n;
}

Value GetItem(const Value& v, const Value& key) {
  const Gil gil;
  const Held k = ToPython(key);
  return FromPython(Run([&] { return PyObject_GetItem(ObjectOf(v), k.get()); }).get(),
                    Containers::kShared);
}

void SetItem(const Value& v, const Value& key, const Value& value) {
  const Gil gil;
  const Held k = ToPython(key), x = ToPython(value);
  RunInt([&] { return PyObject_SetItem(ObjectOf(v), k.get(), x.get()); });
}

void DelItem(const Value& v, const Value& key) {
  const Gil gil;
  const Held k = ToPython(key);
  RunInt([&] { return PyObject_DelItem(ObjectOf(v), k.get()); });
}

bool Contains(const Value& v, const Value& item) {
  const Gil gil;
  const Held x = ToPython(item);
  return RunInt([&] { return PySequence_Contains(ObjectOf(v), x.get()); }) != 0;
}

Value Iter(const Value& v) {
  const Gil gil;
  const Held iterator = Run([&] { return PyObject_GetIter(ObjectOf(v)); });
  return ForeignFor(iterator.get());
}

bool Next(const Value& v, Value* out) {
  const Gil gil;
  bool ended = false;
  const Held item = Run([&] {
    PyObject* next = PyIter_Next(ObjectOf(v));
    ended = next == nullptr && PyErr_Occurred() == nullptr;
    return ended ? Held::Share(Py_None).release() : next;
  });
  if (!ended) *out = FromPython(item.get(), Containers::kShared);
  return !ended;
}

Value GetAttr(const Value& v, StrObject* name) {
  const Gil gil;
  const Held key = ToText(name->view());
  PyObject* found = CallOutside([&] { return PyObject_GetAttr(ObjectOf(v), key.get()); });
  if (found == nullptr && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    return Value();
  }
  const Held held = Check(found);
  return FromPython(found, Containers::kShared);
}

bool SetAttr(const Value& v, StrObject* name, const Value& value) {
  const Gil gil;
  const Held key = ToText(name->view());
  const Held x = value.is_null() ? Held() : ToPython(value, name);
  RunInt([&] { return PyObject_SetAttr(ObjectOf(v), key.get(), x.get()); });
  return true;
}

void Dir(const Value& v, std::vector<std::string>* names) {
  const Gil gil;
  const Held list = Run([&] { return PyObject_Dir(ObjectOf(v)); });
  for (Py_ssize_t i = 0; i < PyList_Size(list.get()); ++i)
    names->push_back(TextOf(PyList_GetItem(list.get(), i)));
}

Value CallObject(const Value& v, const CallArgs& args) {
  const Gil gil;
  const size_t positional =
      args.keywords ? args.args.size() - args.keywords->items.size() : args.args.size();
  const Held tuple = ToTuple(args.args.subspan(0, positional));
  Held keywords;
  if (args.keywords != nullptr && !args.keywords->items.empty()) {
    keywords = Check(PyDict_New());
    for (size_t i = positional; i < args.args.size(); ++i)
      Check(PyDict_SetItem(keywords.get(), ToPython(args.keywords->items[i - positional]).get(),
                           ToPython(args.args[i]).get()));
  }
  const Held result = Run([&] { return PyObject_Call(ObjectOf(v), tuple.get(), keywords.get()); });
  for (const Value& each : args.args)
    if (each.is_object() && host.kind(each) == Kind::kClass) TakeAttributes(each);
  return FromPython(result.get());
}

Value Enter(const Value& v) {
  const Gil gil;
  return FromPython(
      Run([&] { return PyObject_CallMethod(ObjectOf(v), "__enter__", nullptr); }).get());
}

bool Exit(const Value& v, const Value& exc) {
  const Gil gil;
  const Held error = ToPython(exc);
  const Held cls = exc.is_none() ? Held::Share(Py_None) : Check(PyObject_Type(error.get()));
  const Held result = Run([&] {
    return PyObject_CallMethod(ObjectOf(v), "__exit__", "OOO", cls.get(), error.get(), Py_None);
  });
  return RunInt([&] { return PyObject_IsTrue(result.get()); }) != 0;
}

Value Bind(const Value& self, const Value& instance, const Value&) {
  return instance.is_null() ? self : host.bound_method(self, instance);
}

TypeInfo foreign_type;

// The bits of helpers.slots.
void AddSlots(long bits, TypeInfo* info) {
  const auto has = [bits](int i) { return (bits >> i & 1) != 0; };
  if (has(0)) info->call = CallObject;
  if (has(1) || has(4)) info->iter = Iter;
  if (has(2)) info->next = Next;
  if (has(3)) info->len = Len;
  if (has(4)) info->getitem = GetItem;
  if (has(5)) info->setitem = SetItem, info->delitem = DelItem;
  if (has(6) || has(1)) info->contains = Contains;
  if (has(7)) info->index = Index;
  if (has(8) || has(7)) info->to_int = ToInt;
  if (has(9) || has(7)) info->to_float = ToFloat;
  if (has(10)) info->enter = Enter, info->exit = Exit;
  if (has(11)) info->descr_get = Bind;
}

const char* Kept(const std::string& text) {
  return host.intern(text)->view().data();  // interned texts end with a zero and are never freed
}

// Returns the type of the proxies of the objects of a class. It lives as long as the process.
const TypeInfo& TypeFor(PyTypeObject* cls) {
  static auto* types = new std::unordered_map<PyTypeObject*, const TypeInfo*>();
  const TypeInfo*& found = (*types)[cls];
  if (found != nullptr) return *found;
  auto* object = reinterpret_cast<PyObject*>(cls);
  Py_INCREF(object);
  auto* info = new TypeInfo;
  const Held name = Check(PyObject_GetAttrString(object, "__name__"));
  const Held module = Check(PyObject_GetAttrString(object, "__module__"));
  info->name = Kept(TextOf(name.get()));
  info->module = PyUnicode_Check(module.get()) ? Kept(TextOf(module.get())) : "builtins";
  info->base = &foreign_type;
  const Held bits = CallHelper("slots", {object});
  AddSlots(PyLong_AsLong(bits.get()), info);
  if (PyType_IsSubtype(cls, &PyType_Type)) {
    info->call = CallObject;
    info->getitem = GetItem;  // list[int]
  }
  return *(found = info);
}

// ---- hooks ----

// A class that isinstance and issubclass accept: one of the shell, or a tuple of them.
bool Test(int (*test)(PyObject*, PyObject*), const Value& a, const Value& b) {
  const Gil gil;
  const Held x = ToPython(a), y = ToPython(b);
  return RunInt([&] { return test(x.get(), y.get()); }) != 0;
}
bool IsInstanceOf(const Value& v, const Value& cls) { return Test(PyObject_IsInstance, v, cls); }
bool IsSubclassOf(const Value& derived, const Value& cls) {
  return Test(PyObject_IsSubclass, derived, cls);
}

Value Super(const Value& cls, const Value& self) {
  const Gil gil;
  const std::vector<Value> args = {cls, self};
  const Held made = Check(
      PyObject_Call(reinterpret_cast<PyObject*>(&PySuper_Type), ToTuple(args).get(), nullptr));
  return ForeignFor(made.get());
}

Value ClassOf(const Value& v) {
  const Gil gil;
  return FromPython(reinterpret_cast<PyObject*>(Py_TYPE(ObjectOf(v))));
}

Value Local(const Value& v) {
  const Gil gil;
  PyObject* object = ObjectOf(v);
  if (PyList_Check(object) || PyTuple_Check(object)) {
    std::vector<Value> items;
    for (Py_ssize_t i = 0; i < PySequence_Size(object); ++i) {
      const Held item = Check(PySequence_GetItem(object, i));
      items.push_back(FromPython(item.get()));
    }
    return host.make_list(std::move(items));
  }
  const auto has = [object](const char* name) { return PyObject_HasAttrString(object, name) != 0; };
  const bool plain = has("__array__") || has("__array_interface__");
  if (PyType_Check(object) || (!plain && !has("__dlpack__")) || Numpy() == nullptr) return v;
  const char* convert = plain ? "asarray" : "from_dlpack";
  const Held array = Run([&] { return PyObject_CallMethod(Numpy(), convert, "O", object); });
  const Value made = FromNumpy(array.get());
  return made.is_null() ? v : made;
}

void End() {
  const Gil gil;
  const Held result(CallOutside([] { return PyObject_CallObject(Helper("end"), nullptr); }));
  if (!result) PyErr_Print();
}

}  // namespace

Foreign::Foreign(const TypeInfo& type, PyObject* object) : Object(type), object(object) {
  Py_INCREF(object);
}

Foreign::~Foreign() {
  const Gil gil;
  const auto found = Proxies().find(object);
  if (found != Proxies().end() && found->second == this) Proxies().erase(found);
  Py_DECREF(object);  // keeps the shell's lock, because a value may be freed anywhere
}

std::vector<Object*> AllForeign() {
  std::vector<Object*> all;
  for (const auto& [object, proxy] : Proxies()) all.push_back(proxy);
  return all;
}

Value ForeignFor(PyObject* object) {
  Foreign*& known = Proxies()[object];
  // One without references is being freed.
  if (known != nullptr && known->refs() > 0) return Value(known);
  const TypeInfo& type = TypeFor(Py_TYPE(object));
  auto made = New<Foreign>(type, object);
  Proxies()[object] = made.get();
  return made;
}

void MakeForeignType() {
  foreign_type.name = "object";
  foreign_type.repr = Repr;
  foreign_type.str = Str;
  foreign_type.format = Format;
  foreign_type.truth = Truth;
  foreign_type.hash = Hash;
  foreign_type.compare = Compare;
  foreign_type.binary = Binary;
  foreign_type.inplace = InPlace;
  foreign_type.unary = Unary;
  foreign_type.getattr = GetAttr;
  foreign_type.setattr = SetAttr;
  foreign_type.dir = Dir;
  host.hooks->type = foreign_hooks.type = &foreign_type;
  host.hooks->is_instance = IsInstanceOf;
  host.hooks->is_subclass = IsSubclassOf;
  host.hooks->build_class = BuildClass;
  host.hooks->super = Super;
  host.hooks->type_of = ClassOf;
  host.hooks->local = Local;
  host.hooks->end = End;
}

}  // namespace tensh::shell::bridge
