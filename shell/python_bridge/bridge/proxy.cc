#include "shell/python_bridge/bridge/proxy.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <new>
#include <unordered_map>

namespace tensh::shell::bridge {

PyTypeObject* proxy_type = nullptr;

namespace {

std::unordered_map<Object*, PyObject*>& Proxies() {
  static auto* proxies = new std::unordered_map<Object*, PyObject*>();
  return *proxies;
}

// True while this thread holds the shell's lock.
thread_local bool has_lock = false;

// Values of proxies that died while the shell's lock was not held. The GIL protects the list.
std::vector<Value>& Dead() {
  static auto* dead = new std::vector<Value>();
  return *dead;
}

void Bury() {
  while (!Dead().empty()) {
    std::vector<Value> dead;
    dead.swap(Dead());
  }
}

Value& Of(PyObject* self) { return reinterpret_cast<Proxy*>(self)->value; }

// Takes the value out of a proxy, which is None from then on.
void Drop(PyObject* self) {
  Value value = std::exchange(Of(self), Value::None());
  if (value.is_object()) {
    const auto found = Proxies().find(value.object());
    if (found != Proxies().end() && found->second == self) Proxies().erase(found);
  }
  if (!has_lock) Dead().push_back(std::move(value));
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
  Py_VISIT(reinterpret_cast<Proxy*>(self)->island);
  return 0;
}

int Clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<Proxy*>(self)->island);
  Drop(self);
  return 0;
}

void Dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  Clear(self);
  Of(self).~Value();
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(reinterpret_cast<PyObject*>(type));
}

StrObject* NameOf(PyObject* name) { return host.intern(TextOf(name)); }

constexpr PyObject* kFailed = nullptr;

// Runs an operation of the shell, in a function that is Guarded, and converts its result.
template <class F>
PyObject* InShell(F operation) {
  Value result;
  {
    const Inside inside;
    result = operation();
  }
  return ToPython(result).release();
}

// Does so in a function that CPython calls.
template <class F>
PyObject* Result(F operation) {
  return Guarded([&] { return InShell(operation); }, kFailed);
}

// Returns an attribute that the shell finds, or null.
Held FindInShell(PyObject* self, StrObject* name, bool own_only) {
  Value found;
  {
    const Inside inside;
    found = own_only ? host.own_attr(Of(self), name) : host.find_attr(Of(self), name);
  }
  return found.is_null() ? Held() : ToPython(found);
}

// Returns an inspect.Signature for a function of the shell; CPython's inspect asks for it.
Held SignatureOf(PyObject* self) {
  Value made;
  {
    const Inside inside;
    const Value find = host.get_attr(host.import("inspect"), host.intern("signature"));
    made = host.call(find, CallArgs{{&Of(self), 1}});
  }
  return CallHelper("signature", {ProxyFor(made).get()});
}

bool IsFunction(const Value& v) {
  const TypeInfo* type = &host.type_of(v);
  return type == host.function_type || type == host.native_function_type;
}

PyObject* GetAttr(PyObject* self, PyObject* name) {
  return Guarded(
      [&]() -> PyObject* {
        const std::string text = TextOf(name);
        const bool special = text.starts_with("__") && text != "__doc__";
        const bool derived = IsDerived(Py_TYPE(self));
        if (derived && !special)
          if (Held own = FindInShell(self, host.intern(text), true)) return own.release();
        if (derived || special) {
          if (PyObject* found = PyObject_GenericGetAttr(self, name)) return found;
          if (!PyErr_ExceptionMatches(PyExc_AttributeError)) ThrowPython();
          PyErr_Clear();
        }
        if (text == "__signature__" && IsFunction(Of(self))) return SignatureOf(self).release();
        // CPython and numpy ask every object for these.
        const bool protocol =
            text.starts_with("__array") || text == "__index__" || text == "__len__";
        if (!protocol)
          if (Held found = FindInShell(self, host.intern(text), false)) return found.release();
        return Check(PyObject_GenericGetAttr(self, name)).release();
      },
      kFailed);
}

int SetAttr(PyObject* self, PyObject* name, PyObject* value) {
  return Guarded(
      [&] {
        StrObject* key = NameOf(name);
        const Value v = value == nullptr ? Value() : FromPython(value, Containers::kShared);
        const Inside inside;
        if (v.is_null())
          host.del_attr(Of(self), key);
        else
          host.set_attr(Of(self), key, v);
        return 0;
      },
      -1);
}

PyObject* Repr(PyObject* self) {
  return Result([&] { return host.make_str(host.repr(Of(self))); });
}
PyObject* Str(PyObject* self) {
  return Result([&] { return host.make_str(host.str(Of(self))); });
}

Py_hash_t Hash(PyObject* self) {
  return Guarded(
      [&] {
        const Inside inside;
        const auto hash = static_cast<Py_hash_t>(host.hash(Of(self)));
        return hash == -1 ? -2 : hash;
      },
      Py_hash_t{-1});
}

PyObject* Compare(PyObject* a, PyObject* b, int op) {
  constexpr CompareOp kOps[] = {CompareOp::kLt, CompareOp::kLe, CompareOp::kEq,
                                CompareOp::kNe, CompareOp::kGt, CompareOp::kGe};
  return Guarded(
      [&] {
        const Value x = FromPython(a), y = FromPython(b);
        return InShell([&] {
          if (!IsForeign(y)) return host.compare(kOps[op], x, y);
          // With an object of CPython, only the shell's method is asked: CPython asks that of the object.
          const auto own = FindSlot(host.type_of(x), &TypeInfo::compare);
          return own == nullptr ? Value::NotImplemented() : own(kOps[op], x, y);
        });
      },
      kFailed);
}

int Bool(PyObject* self) {
  return Guarded(
      [&] {
        const Inside inside;
        return host.truth(Of(self)) ? 1 : 0;
      },
      -1);
}

PyObject* Call(PyObject* self, PyObject* args, PyObject* kwargs) {
  return Guarded(
      [&] {
        const Arguments arguments = FromArguments(args, kwargs);
        const Echoes echoes(arguments);
        return InShell([&] { return host.call(Of(self), arguments.args()); });
      },
      kFailed);
}

PyObject* Iter(PyObject* self) {
  return Result([&] { return host.iter(Of(self)); });
}

PyObject* Next(PyObject* self) {
  return Guarded(
      [&]() -> PyObject* {
        Value item;
        {
          const Inside inside;
          if (!host.next(Of(self), &item)) return nullptr;
        }
        return ToPython(item).release();
      },
      kFailed);
}

Py_ssize_t Len(PyObject* self) {
  return Guarded(
      [&] {
        const Inside inside;
        return static_cast<Py_ssize_t>(host.len(Of(self)));
      },
      Py_ssize_t{-1});
}

PyObject* GetItem(PyObject* self, PyObject* key) {
  return Guarded(
      [&] {
        const Value k = FromPython(key);
        return InShell([&] { return host.get_item(Of(self), k); });
      },
      kFailed);
}

int SetItem(PyObject* self, PyObject* key, PyObject* value) {
  return Guarded(
      [&] {
        const Value k = FromPython(key);
        const Value v = value == nullptr ? Value() : FromPython(value);
        const Inside inside;
        if (v.is_null())
          host.del_item(Of(self), k);
        else
          host.set_item(Of(self), k, v);
        return 0;
      },
      -1);
}

int Contains(PyObject* self, PyObject* item) {
  return Guarded(
      [&] {
        const Value v = FromPython(item);
        const Inside inside;
        return host.contains(Of(self), v) ? 1 : 0;
      },
      -1);
}

template <BinaryOp kOp>
PyObject* Binary(PyObject* a, PyObject* b) {
  return Guarded(
      [&] {
        const Value x = FromPython(a), y = FromPython(b);
        return InShell([&] {
          const bool reflected = IsForeign(x);
          if (!reflected && !IsForeign(y)) return host.binary(kOp, x, y);
          const auto own = FindSlot(host.type_of(reflected ? y : x), &TypeInfo::binary);
          return own == nullptr ? Value::NotImplemented() : own(kOp, x, y, reflected);
        });
      },
      kFailed);
}

PyObject* Power(PyObject* a, PyObject* b, PyObject*) { return Binary<BinaryOp::kPow>(a, b); }

template <UnaryOp kOp>
PyObject* Unary(PyObject* self) {
  return Result([&] { return host.unary(kOp, Of(self)); });
}

PyObject* Index(PyObject* self) {
  return Result([&] { return Value::Int(host.to_index(Of(self))); });
}
PyObject* Float(PyObject* self) {
  return Result([&] { return Value::Float(host.to_double(Of(self))); });
}
PyObject* Int(PyObject* self) {
  return Result([&] { return host.call(host.builtin("int"), CallArgs{{&Of(self), 1}}); });
}

// A function that is found on an instance of a class is a method.
PyObject* Bind(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) return Held::Share(self).release();
  static PyObject* types = PyImport_ImportModule("types");
  return types == nullptr ? nullptr
                          : PyObject_CallMethod(types, "MethodType", "OO", self, instance);
}

PyObject* CallNamed(PyObject* self, const char* name, PyObject* args) {
  return Guarded(
      [&] {
        const Arguments arguments = FromArguments(args, nullptr);
        return InShell([&] {
          return host.call(host.get_attr(Of(self), host.intern(name)), arguments.args());
        });
      },
      kFailed);
}
PyObject* EnterMethod(PyObject* self, PyObject* args) { return CallNamed(self, "__enter__", args); }
PyObject* ExitMethod(PyObject* self, PyObject* args) {
  // The traceback is CPython's own.
  const Held three =
      Held(PyTuple_Pack(3, PyTuple_GetItem(args, 0), PyTuple_GetItem(args, 1), Py_None));
  return three ? CallNamed(self, "__exit__", three.get()) : nullptr;
}

PyObject* DirMethod(PyObject* self, PyObject*) {
  return Result([&] {
    std::vector<Value> names;
    for (const std::string& name : host.dir(Of(self))) names.push_back(host.make_str(name));
    return host.make_list(std::move(names));
  });
}

PyObject* InitSubclass(PyObject* cls, PyObject*, PyObject*) {
  return Guarded(
      [&] {
        DeriveInShell(cls);
        return Held::Share(Py_None).release();
      },
      kFailed);
}

// Makes an instance: by calling the shell's class, or without __init__ for a class that is derived in CPython,
// which calls its own.
PyObject* New(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return Guarded(
      [&] {
        const Value cls = KnownClass(reinterpret_cast<PyObject*>(type));
        if (cls.is_null()) Fail("TypeError", "this class cannot make instances");
        const bool derived = IsDerived(type);
        const Arguments arguments = derived ? Arguments() : FromArguments(args, kwargs);
        return InShell(
            [&] { return derived ? host.allocate(cls) : host.call(cls, arguments.args()); });
      },
      kFailed);
}

// Runs __init__ of the shell's class from which the class of an instance is derived in CPython.
int Init(PyObject* self, PyObject* args, PyObject* kwargs) {
  if (!IsDerived(Py_TYPE(self))) return 0;
  return Guarded(
      [&] {
        const Held mro =
            Check(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(self)), "__mro__"));
        Value cls;
        for (Py_ssize_t i = 0; i < PyTuple_Size(mro.get()) && cls.is_null(); ++i) {
          PyObject* each = PyTuple_GetItem(mro.get(), i);
          if (!IsDerived(reinterpret_cast<PyTypeObject*>(each))) cls = KnownClass(each);
        }
        if (cls.is_null()) return 0;
        Arguments arguments = FromArguments(args, kwargs);
        arguments.values.insert(arguments.values.begin(), Of(self));
        const Inside inside;
        const Value init = host.lookup(cls, host.intern("__init__"));
        if (!init.is_null()) host.call(init, arguments.args());
        return 0;
      },
      -1);
}

PyMethodDef methods[] = {
    {"__enter__", EnterMethod, METH_VARARGS, nullptr},
    {"__exit__", ExitMethod, METH_VARARGS, nullptr},
    {"__dir__", DirMethod, METH_NOARGS, nullptr},
    {"__init_subclass__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(InitSubclass)),
     METH_VARARGS | METH_KEYWORDS | METH_CLASS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

template <class F>
PyType_Slot Slot(int number, F* function) {
  return {number, reinterpret_cast<void*>(function)};
}

void AddNumbers(const TypeInfo& info, std::vector<PyType_Slot>* slots) {
  const auto add = [slots](int number, auto* f) { slots->push_back(Slot(number, f)); };
  if (FindSlot(info, &TypeInfo::binary)) {
    add(Py_nb_add, Binary<BinaryOp::kAdd>), add(Py_nb_subtract, Binary<BinaryOp::kSub>);
    add(Py_nb_multiply, Binary<BinaryOp::kMul>);
    add(Py_nb_matrix_multiply, Binary<BinaryOp::kMatMul>);
    add(Py_nb_true_divide, Binary<BinaryOp::kTrueDiv>);
    add(Py_nb_floor_divide, Binary<BinaryOp::kFloorDiv>);
    add(Py_nb_remainder, Binary<BinaryOp::kMod>), add(Py_nb_power, Power);
    add(Py_nb_lshift, Binary<BinaryOp::kLShift>), add(Py_nb_rshift, Binary<BinaryOp::kRShift>);
    add(Py_nb_and, Binary<BinaryOp::kAnd>), add(Py_nb_xor, Binary<BinaryOp::kXor>);
    add(Py_nb_or, Binary<BinaryOp::kOr>);
  }
  if (FindSlot(info, &TypeInfo::unary)) {
    add(Py_nb_negative, Unary<UnaryOp::kNeg>), add(Py_nb_positive, Unary<UnaryOp::kPos>);
    add(Py_nb_invert, Unary<UnaryOp::kInvert>), add(Py_nb_absolute, Unary<UnaryOp::kAbs>);
  }
  if (FindSlot(info, &TypeInfo::index)) add(Py_nb_index, Index);
  if (FindSlot(info, &TypeInfo::to_int)) add(Py_nb_int, Int);
  if (FindSlot(info, &TypeInfo::to_float)) add(Py_nb_float, Float);
}

}  // namespace

std::vector<PyType_Slot> SlotsFor(const TypeInfo& info) {
  std::vector<PyType_Slot> slots;
  const auto add = [&slots](int number, auto* f) { slots.push_back(Slot(number, f)); };
  AddNumbers(info, &slots);
  if (FindSlot(info, &TypeInfo::call)) add(Py_tp_call, Call);
  if (FindSlot(info, &TypeInfo::iter)) add(Py_tp_iter, Iter);
  if (FindSlot(info, &TypeInfo::next)) add(Py_tp_iternext, Next);
  if (FindSlot(info, &TypeInfo::len)) add(Py_mp_length, Len);
  if (FindSlot(info, &TypeInfo::getitem)) add(Py_mp_subscript, GetItem);
  if (FindSlot(info, &TypeInfo::setitem)) add(Py_mp_ass_subscript, SetItem);
  if (FindSlot(info, &TypeInfo::contains)) add(Py_sq_contains, Contains);
  if (&info == host.function_type || &info == host.native_function_type) add(Py_tp_descr_get, Bind);
  return slots;
}

Gil::Gil() : before_(std::exchange(has_lock, true)), state_(module::OrWait(PyGILState_Ensure)) {
  ForgetIslands();
}

Gil::~Gil() {
  PyGILState_Release(state_);
  has_lock = before_;
}

namespace {

std::atomic<bool> watches_main{false}, main_inside{false};

bool IsWatched() {
  static thread_local const bool main = ::getpid() == ::gettid();
  return main && watches_main.load(std::memory_order_relaxed);
}

}  // namespace

void Entered::WatchMain() { watches_main = true; }
bool Entered::main_is_inside() { return main_inside; }

Entered::Entered() {
  ForgetIslands();
  if (has_lock) return;
  if (IsWatched()) main_inside = true;
  PyThreadState* state = PyEval_SaveThread();
  // At the end, a daemon thread that CPython has ended may keep the lock.
  constexpr std::chrono::seconds kPatience{2};
  taken_ = IsEnding() ? host.take_within(kPatience) : host.take();
  module::RestoreThread(state);
  ended_ = taken_ == nullptr;
  if (ended_) return;
  has_lock = true;
  Bury();
}

Entered::~Entered() {
  if (taken_ == nullptr) return;
  has_lock = false;
  if (IsWatched()) {
    main_inside = false;
    host.interp->ClearInterrupt();
  }
  host.give_back(taken_);
}

namespace {
std::atomic<int> outside{0};
}

bool Outside::any() { return outside.load(std::memory_order_relaxed) > 0; }

Outside::Outside() {
  // An interrupt that the shell has already answered must not stop this operation.
  if (PyErr_CheckSignals() != 0) PyErr_Clear();
  outside.fetch_add(1, std::memory_order_relaxed);
  if (host.interp->interrupted()) PyErr_SetInterrupt();
  released_ = host.release();
  has_lock = false;
}

Outside::~Outside() {
  outside.fetch_sub(1, std::memory_order_relaxed);
  PyThreadState* state = PyEval_SaveThread();
  host.take_back(released_);
  module::RestoreThread(state);
  has_lock = true;
  Bury();
}

bool IsProxy(PyObject* object) { return PyType_IsSubtype(Py_TYPE(object), proxy_type) != 0; }
const Value& ValueOf(PyObject* proxy) { return Of(proxy); }

Held MakeProxy(const Value& v, PyTypeObject* cls) {
  if (v.is_object()) {
    const auto known = Proxies().find(v.object());
    if (known != Proxies().end()) return Held::Share(known->second);
  }
  Held made = Check(PyType_GenericAlloc(cls, 0));
  new (&Of(made.get())) Value(v);
  if (v.is_object()) Proxies()[v.object()] = made.get();
  return made;
}

Held ProxyFor(const Value& v) {
  const auto known = Proxies().find(v.object());
  if (known != Proxies().end()) return Held::Share(known->second);
  PyObject* cls = InstanceClassFor(host.type_value(host.type_of(v)));
  return MakeProxy(v, reinterpret_cast<PyTypeObject*>(cls));
}

Held PlainProxyFor(const Value& v) { return MakeProxy(v, proxy_type); }

void SetHasLock(bool has) { has_lock = has; }
bool HasLock() { return has_lock; }

void ForEachProxy(const std::function<void(Proxy*)>& visit) {
  for (const auto& [value, proxy] : Proxies()) visit(reinterpret_cast<Proxy*>(proxy));
}

bool MakeProxyType() {
  PyType_Slot slots[] = {Slot(Py_tp_dealloc, Dealloc),
                         Slot(Py_tp_traverse, Traverse),
                         Slot(Py_tp_clear, Clear),
                         Slot(Py_tp_new, New),
                         Slot(Py_tp_init, Init),
                         Slot(Py_tp_getattro, GetAttr),
                         Slot(Py_tp_setattro, SetAttr),
                         Slot(Py_tp_repr, Repr),
                         Slot(Py_tp_str, Str),
                         Slot(Py_tp_hash, Hash),
                         Slot(Py_tp_richcompare, Compare),
                         Slot(Py_nb_bool, Bool),
                         {Py_tp_methods, methods},
                         {0, nullptr}};
  PyType_Spec spec = {"tensh.object", sizeof(Proxy), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  proxy_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (proxy_type == nullptr) return false;
  // Operators of numpy's arrays leave the operation to the proxy.
  return PyObject_SetAttrString(reinterpret_cast<PyObject*>(proxy_type), "__array_ufunc__",
                                Py_None) == 0;
}

}  // namespace tensh::shell::bridge
