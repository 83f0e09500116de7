#include "shell/python/vm/builtins.h"

#include <cmath>

#include "shell/python/values/bigint.h"
#include "shell/python/values/class.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/collections/set.h"
#include "shell/python/values/collections/sort.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/function.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/library.h"
#include "shell/python/vm/local_module.h"
#include "shell/python/vm/namespaces.h"
#include "shell/python/vm/threads.h"
#include "shell/text/status_line.h"

namespace tensh::shell {
namespace {

const std::vector<Value>& Rest(Args& a, size_t i) { return As<TupleObject>(a[i])->items; }

Value Print(Args& a) {
  auto text_or = [](const Value& v, const char* name, std::string_view otherwise) {
    if (v.is_none()) return std::string(otherwise);
    if (!IsStr(v))
      throw TypeError(std::string(name) + " must be None or a string, not " + TypeName(v));
    return std::string(StrView(v));
  };
  const std::string separator = text_or(a[1], "sep", " "), end = text_or(a[2], "end", "\n");
  std::string out;
  bool first = true;
  for (const Value& v : Rest(a, 0)) {
    if (!first) out += separator;
    first = false;
    if (v.is_object() && &v.object()->type() == &StrObject::kType)
      out += StrView(v);
    else
      out += Str(v);
  }
  out += end;
  Interp& interp = Interp::Current();
  if (a[3].is_none()) {
    interp.Print(out);
    if (Truth(a[4])) interp.Flush();
  } else {
    CallMethod(a[3], "write", {MakeStr(std::move(out))});
  }
  return Value::None();
}

Value LenOf(Args& a) { return Value::Int(Len(a[0])); }
Value ReprOf(Args& a) { return MakeStr(Repr(a[0])); }
Value AsciiOf(Args& a) { return MakeStr(AsciiRepr(a[0])); }
Value AbsOf(Args& a) { return Unary(UnaryOp::kAbs, a[0]); }

Value Extreme(Args& a, CompareOp better, const char* name) {
  const auto& args = Rest(a, 0);
  if (args.empty()) throw TypeError(std::string(name) + " expected at least 1 argument, got 0");
  if (args.size() > 1 && a.has(2)) {
    throw TypeError(std::string("Cannot specify a default for ") + name +
                    "() with multiple positional arguments");
  }
  Value it = Iter(args.size() == 1 ? args[0] : a[0]), v, best, best_key;
  while (Next(it, &v)) {
    Value key = a[1].is_none() ? v : Call(a[1], {v});
    if (!best.is_null() && !CompareTruth(better, key, best_key)) continue;
    best = v;
    best_key = key;
  }
  if (!best.is_null()) return best;
  if (a.has(2)) return a[2];
  throw ValueError(std::string(name) + "() arg is an empty sequence");
}
Value Min(Args& a) { return Extreme(a, CompareOp::kLt, "min"); }
Value Max(Args& a) { return Extreme(a, CompareOp::kGt, "max"); }

Value Sum(Args& a) {
  if (IsStr(a[1])) throw TypeError("sum() can't sum strings [use ''.join(seq) instead]");
  Value total = a[1], it = Iter(a[0]), v;
  while (Next(it, &v)) total = Binary(BinaryOp::kAdd, total, v);
  return total;
}

Value Round(Args& a) {
  Value method = As<Type>(a[0]) ? Value() : FindAttr(a[0], Intern("__round__"));
  if (method.is_null())
    throw TypeError("type " + TypeName(a[0]) + " doesn't define __round__ method");
  return a[1].is_none() ? Call(method, CallArgs{}) : Call(method, {a[1]});
}

Value Sorted(Args& a) {
  std::vector<Value> items = ToVector(a[0]);
  SortValues(&items, a[1], Truth(a[2]));
  return MakeList(std::move(items));
}

Value Any(Args& a) {
  Value it = Iter(a[0]), v;
  while (Next(it, &v)) {
    if (Truth(v)) return Value::Bool(true);
  }
  return Value::Bool(false);
}
Value All(Args& a) {
  Value it = Iter(a[0]), v;
  while (Next(it, &v)) {
    if (!Truth(v)) return Value::Bool(false);
  }
  return Value::Bool(true);
}

Value Id(Args& a) {
  if (a[0].is_object())
    return Value::Int(static_cast<int64_t>(reinterpret_cast<uintptr_t>(a[0].object())));
  return Value::Int(static_cast<int64_t>(Hash(a[0]) * 16 + static_cast<uint64_t>(a[0].tag())));
}

Value Input(Args& a) {
  Interp& interp = Interp::Current();
  if (a.has(0)) interp.Write(Str(a[0]));
  interp.Flush();
  std::string line;
  int c;
  {
    const threads::Unlocked unlocked;
    const status_line::Held held;  // the user types the answer
    while ((c = std::getchar()) != EOF && c != '\n') line += static_cast<char>(c);
  }
  if (c == EOF) {  // End of input, or a signal that interrupted the read.
    std::clearerr(stdin);
    interp.CheckInterrupt();
  }
  if (c == EOF && line.empty()) throw MakeError(kEOFError, "EOF when reading a line");
  if (FindInvalidUtf8(line) != line.npos)
    throw MakeError(kUnicodeDecodeError, "input is not UTF-8");
  return MakeStr(std::move(line));
}

Value DivMod(Args& a) {
  auto real = [](const Value& v) { return v.is_float() || IsInt(v); };
  if ((a[0].is_float() || a[1].is_float()) && real(a[0]) && real(a[1]) && !Truth(a[1])) {
    throw ZeroDivisionError("float divmod()");
  }
  if (Value own = UserMethod(a[0], Intern("__divmod__")); !own.is_null()) {
    if (Value made = Call(own, {a[0], a[1]}); !made.is_not_implemented()) return made;
  }
  if (Value own = UserMethod(a[1], Intern("__rdivmod__")); !own.is_null()) {
    if (Value made = Call(own, {a[1], a[0]}); !made.is_not_implemented()) return made;
  }
  const Value quotient = TryBinary(BinaryOp::kFloorDiv, a[0], a[1]);
  if (quotient.is_not_implemented()) {
    throw TypeError("unsupported operand type(s) for divmod(): '" + TypeName(a[0]) + "' and '" +
                    TypeName(a[1]) + "'");
  }
  return MakeTuple({quotient, Binary(BinaryOp::kMod, a[0], a[1])});
}
Value Pow(Args& a) {
  if (a[2].is_none()) return Binary(BinaryOp::kPow, a[0], a[1]);
  if (!IsInt(a[0]) || !IsInt(a[1]) || !IsInt(a[2])) {
    throw TypeError("pow() 3rd argument not allowed unless all arguments are integers");
  }
  return IntPowMod(a[0], a[1], a[2]);
}
Value Chr(Args& a) {
  const int64_t cp = IsBigInt(a[0]) ? INT64_MAX : ToIndex(a[0]);
  if (cp > INT32_MAX || cp < INT32_MIN)
    throw OverflowError("Python int too large to convert to C int");
  if (cp < 0 || cp > 0x10FFFF) throw ValueError("chr() arg not in range(0x110000)");
  std::string out;
  AppendUtf8(static_cast<uint32_t>(cp), &out);
  return MakeStr(std::string_view(out));
}
Value Ord(Args& a) {
  if (auto* b = As<BytesObject>(a[0]); b && b->data.size() == 1) {
    return Value::Int(static_cast<unsigned char>(b->data[0]));
  }
  if (auto* b = As<BytesObject>(a[0])) {
    throw TypeError("ord() expected a character, but string of length " +
                    std::to_string(b->data.size()) + " found");
  }
  auto* s = As<StrObject>(a[0]);
  if (!s) throw TypeError("ord() expected string of length 1, but " + TypeName(a[0]) + " found");
  if (s->length() != 1) {
    throw TypeError("ord() expected a character, but string of length " +
                    std::to_string(s->length()) + " found");
  }
  size_t at = 0;
  return Value::Int(DecodeUtf8(s->view(), &at));
}
Value IndexValue(const Value& v) {
  if (IsInt(v)) return v;
  if (auto slot = FindSlot(TypeOf(v), &TypeInfo::index)) return slot(v);
  throw TypeError("'" + TypeName(v) + "' object cannot be interpreted as an integer");
}
Value Based(Args& a) {
  const auto* base = static_cast<const char*>(a.row().data);
  std::string digits = IntToText(IndexValue(a[0]), base[0] == 'x' ? 16 : base[0] == 'o' ? 8 : 2);
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  return MakeStr(std::string(negative ? "-0" : "0") + base[0] + digits);
}
Value FormatOf(Args& a) { return MakeStr(Format(a[0], ToText(a[1], "format() argument 2"))); }
Value IterOf(Args& a) { return a.has(1) ? IterCallable(a[0], a[1]) : Iter(a[0]); }
Value NextOf(Args& a) {
  // The StopIteration of a generator carries its return value.
  if (As<GeneratorObject>(a[0]) && !a.has(1)) return CallMethod(a[0], "send", {Value::None()});
  Value v;
  if (Next(a[0], &v)) return v;
  if (a.has(1)) return a[1];
  throw PyError(New<ExceptionObject>(kStopIteration, MakeTuple()));
}
Value Callable(Args& a) { return Value::Bool(IsCallable(a[0])); }
// __import__("os.path") returns os, unless names are imported from it; then it returns os.path.
Value ImportByName(Args& a) {
  const std::string name = ToText(a[0], "module name");
  return ImportFor(0, name, Truth(a[3]));
}
Value IsInstanceOf(Args& a) { return Value::Bool(IsInstance(a[0], a[1])); }
Value IsSubclassOf(Args& a) { return Value::Bool(IsSubclass(a[0], a[1])); }

StrObject* AttributeName(const Value& v, const char* function) {
  if (!IsStr(v)) throw TypeError(std::string(function) + "(): attribute name must be string");
  return Intern(StrView(v));
}
Value HasAttr(Args& a) {
  try {
    return Value::Bool(!FindAttr(a[0], AttributeName(a[1], "hasattr")).is_null());
  } catch (const PyError& e) {
    if (!e.Is(kAttributeError)) throw;
    return Value::Bool(false);
  }
}
Value GetAttrOf(Args& a) {
  StrObject* name = AttributeName(a[1], "getattr");
  if (!a.has(2)) return GetAttr(a[0], name);
  try {
    Value v = FindAttr(a[0], name);
    return v.is_null() ? a[2] : v;
  } catch (const PyError& e) {
    if (!e.Is(kAttributeError)) throw;
    return a[2];
  }
}
Value SetAttrOf(Args& a) {
  return SetAttr(a[0], AttributeName(a[1], "setattr"), a[2]), Value::None();
}
Value DelAttrOf(Args& a) { return DelAttr(a[0], AttributeName(a[1], "delattr")), Value::None(); }
Value HashOf(Args& a) { return Value::Int(static_cast<int64_t>(Hash(a[0]))); }

Value GlobalsOf(Args&) { return GlobalsOfCaller(); }
Value LocalsOf(Args&) { return LocalsOfCaller(); }
Value Vars(Args& a) {
  if (!a.has(0)) return LocalsOfCaller();
  if (!As<Type>(a[0]) && !As<LocalModule>(a[0]) && !IsForeign(a[0]) &&
      (!a[0].is_object() || !a[0].object()->attrs()))
    throw TypeError("vars() argument must have __dict__ attribute");
  return GetAttr(a[0], "__dict__");
}
// Returns true if a class of the program defines __dir__ for the value.
bool DefinesDir(const Value& v) {
  if (As<Type>(v)) return false;
  for (Type* t : TypeObjectOf(v).mro())
    if (t->dict().Find("__dir__") != nullptr) return true;
  return false;
}

Value Dir(Args& a) {
  std::set<std::string> names;
  if (a.has(0) && DefinesDir(a[0])) {
    for (const Value& name : ToVector(CallMethod(a[0], "__dir__", {}))) names.insert(Str(name));
    std::vector<Value> sorted;
    for (const std::string& name : names) sorted.push_back(MakeStr(name));
    return MakeList(std::move(sorted));
  }
  if (!a.has(0)) {
    for (std::string& n : Interp::Current().GlobalNames()) names.insert(std::move(n));
  } else {
    const Value& v = a[0];
    std::vector<std::string> more;
    if (auto slot = FindSlot(TypeOf(v), &TypeInfo::dir)) slot(v, &more);
    if (v.is_object() && v.object()->attrs()) {
      for (size_t i = 0; const Dict::Entry* e = v.object()->attrs()->At(&i);)
        more.push_back(Str(e->key));
    }
    for (Type* t : As<Type>(v) ? std::vector<Type*>() : TypeObjectOf(v).mro()) {
      for (size_t i = 0; const Dict::Entry* e = t->dict().At(&i);) more.push_back(Str(e->key));
    }
    names.insert(more.begin(), more.end());
  }
  std::vector<Value> out;
  for (const std::string& n : names) out.push_back(MakeStr(n));
  return MakeList(std::move(out));
}
Value Exit(Args& a) {
  auto exc = New<ExceptionObject>(kSystemExit, a.has(0) ? MakeTuple({a[0]}) : MakeTuple());
  exc->payload = a.has(0) ? a[0] : Value::None();
  throw PyError(exc);
}

const FunctionRow kRows[] = {
    {"print", "*args, sep=None, end=None, file=None, flush=False", Print,
     "Prints the values to a stream, or to sys.stdout by default."},
    {"len", "obj, /", LenOf, "Return the number of items in a container."},
    {"repr", "obj, /", ReprOf, "Return the canonical string representation of the object."},
    {"ascii", "obj, /", AsciiOf},
    {"abs", "x, /", AbsOf, "Return the absolute value of the argument."},
    {"min", "*args, key=None, default=...", Min,
     "Return the smallest item of an iterable, or the smallest argument."},
    {"max", "*args, key=None, default=...", Max,
     "Return the largest item of an iterable, or the largest argument."},
    {"sum", "iterable, start=0", Sum,
     "Return the sum of a 'start' value plus an iterable of numbers."},
    {"round", "number, ndigits=None", Round,
     "Round a number to a given precision in decimal digits."},
    {"sorted", "iterable, *, key=None, reverse=False", Sorted,
     "Return a new list of all items in ascending order."},
    {"any", "iterable, /", Any},
    {"all", "iterable, /", All},
    {"id", "obj, /", Id},
    {"input", "prompt=..., /", Input, "Read a line from standard input."},
    {"open", "file, mode='r', buffering=-1, encoding=None, errors=None, newline=None", OpenFile,
     "Open a file."},
    {"divmod", "x, y, /", DivMod},
    {"pow", "base, exp, mod=None", Pow},
    {"chr", "i, /", Chr},
    {"ord", "c, /", Ord},
    {"hex", "number, /", Based, "", "x"},
    {"oct", "number, /", Based, "", "o"},
    {"bin", "number, /", Based, "", "b"},
    {"format", "value, format_spec='', /", FormatOf},
    {"iter", "object, sentinel=..., /", IterOf},
    {"next", "iterator, default=..., /", NextOf},
    {"callable", "obj, /", Callable},
    {"__import__", "name, globals=None, locals=None, fromlist=(), level=0", ImportByName},
    {"isinstance", "obj, class_or_tuple, /", IsInstanceOf},
    {"issubclass", "cls, class_or_tuple, /", IsSubclassOf},
    {"hasattr", "obj, name, /", HasAttr},
    {"getattr", "object, name, default=..., /", GetAttrOf},
    {"setattr", "obj, name, value, /", SetAttrOf},
    {"delattr", "obj, name, /", DelAttrOf},
    {"hash", "obj, /", HashOf},
    {"globals", "/", GlobalsOf},
    {"locals", "/", LocalsOf},
    {"vars", "object=..., /", Vars},
    {"dir", "object=..., /", Dir},
    {"exit", "code=...", Exit},
    {"quit", "code=...", Exit},
};

struct TypeRow {
  const char* name;
  const TypeInfo* type;
};
const TypeRow kTypes[] = {
    {"int", &kIntType},
    {"float", &kFloatType},
    {"bool", &kBoolType},
    {"str", &StrObject::kType},
    {"bytes", &BytesObject::kType},
    {"list", &ListObject::kType},
    {"tuple", &TupleObject::kType},
    {"dict", &DictObject::kType},
    {"set", &SetObject::kType},
    {"frozenset", &SetObject::kFrozenType},
    {"complex", &ComplexObject::kType},
    {"type", &Type::kType},
    {"object", &kObjectType},
    {"range", &RangeObject::kType},
    {"slice", &SliceObject::kType},
    {"enumerate", &kEnumerate},
    {"zip", &kZip},
    {"map", &kMap},
    {"filter", &kFilter},
    {"reversed", &kReversed},
    {"property", &PropertyObject::kType},
    {"staticmethod", &StaticMethod::kType},
    {"classmethod", &ClassMethod::kType},
    {"super", &SuperObject::kType},
    {"BaseException", &ExceptionObject::kType},
    {"IOError", &kOSError},
    {"EnvironmentError", &kOSError},
};
const TypeInfo* const kExceptions[] = {
    &kException,
    &kArithmeticError,
    &kOverflowError,
    &kZeroDivisionError,
    &kFloatingPointError,
    &kAssertionError,
    &kAttributeError,
    &kEOFError,
    &kImportError,
    &kModuleNotFoundError,
    &kLookupError,
    &kIndexError,
    &kKeyError,
    &kMemoryError,
    &kNameError,
    &kUnboundLocalError,
    &kOSError,
    &kFileNotFoundError,
    &kFileExistsError,
    &kPermissionError,
    &kIsADirectoryError,
    &kNotADirectoryError,
    &kReferenceError,
    &kRuntimeError,
    &kNotImplementedError,
    &kRecursionError,
    &kStopIteration,
    &kStopAsyncIteration,
    &kSyntaxError,
    &kIndentationError,
    &kTabError,
    &kSystemError,
    &kTypeError,
    &kValueError,
    &kUnicodeError,
    &kUnicodeDecodeError,
    &kUnicodeEncodeError,
    &kWarning,
    &kUserWarning,
    &kDeprecationWarning,
    &kFutureWarning,
    &kRuntimeWarning,
    &kConnectionError,
    &kTimeoutError,
    &kBrokenPipeError,
    &kKeyboardInterrupt,
    &kSystemExit,
    &kGeneratorExit,
    &kBufferError,
};

}  // namespace

// Types that are written in Python, in bytes_like.py.
constexpr const char* kInPython[] = {"bytearray", "memoryview"};

Value StandardBuiltin(std::string_view name) {
  for (const FunctionRow& row : kRows) {
    if (name == row.name) return New<NativeFunction>(row, nullptr);
  }
  for (const TypeRow& row : kTypes) {
    if (name == row.name) return TypeValue(*row.type);
  }
  for (const TypeInfo* type : kExceptions) {
    if (name == type->name) return TypeValue(*type);
  }
  for (const char* written : kInPython)
    if (name == written) return FromLibrary("bytes_like", Intern(name));
  if (name == "NotImplemented") return Value::NotImplemented();
  if (name == "Ellipsis") return Value::Ellipsis();
  if (name == "__debug__") return Value::Bool(true);
  return Value();
}

std::vector<std::string> StandardBuiltinNames() {
  std::vector<std::string> names = {"NotImplemented", "Ellipsis"};
  for (const char* written : kInPython) names.emplace_back(written);
  for (const FunctionRow& row : kRows) names.emplace_back(row.name);
  for (const TypeRow& row : kTypes) names.emplace_back(row.name);
  for (const TypeInfo* type : kExceptions) names.emplace_back(type->name);
  return names;
}

}  // namespace tensh::shell
