#include "shell/python/values/error.h"

#include <algorithm>

#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/traceback.h"

namespace tensh::shell {
namespace {

ExceptionObject& Exc(const Value& v) { return *static_cast<ExceptionObject*>(v.object()); }

std::string ExceptionRepr(const Value& v) {
  std::string args = Repr(Exc(v).args);
  // A single argument is printed without the tuple's comma.
  if (Exc(v).args.is_object() && As<TupleObject>(Exc(v).args)->items.size() == 1) {
    args = "(" + Repr(As<TupleObject>(Exc(v).args)->items[0]) + ")";
  }
  return TypeName(v) + args;
}

std::string ExceptionStr(const Value& v) {
  auto* args = As<TupleObject>(Exc(v).args);
  if (!args || args->items.empty()) return "";
  return args->items.size() == 1 ? Str(args->items[0]) : Repr(Exc(v).args);
}

std::string KeyErrorStr(const Value& v) {
  auto* args = As<TupleObject>(Exc(v).args);
  return args && args->items.size() == 1 ? Repr(args->items[0]) : ExceptionStr(v);
}

std::string OSErrorStr(const Value& v) {
  auto* args = As<TupleObject>(Exc(v).args);
  if (!args || args->items.size() < 2 || args->items.size() > 3) return ExceptionStr(v);
  std::string text = "[Errno " + Str(args->items[0]) + "] " + Str(args->items[1]);
  if (args->items.size() == 3) text += ": " + Repr(args->items[2]);
  return text;
}

Value NewException(const TypeInfo& cls, const CallArgs& args) {
  std::vector<Value> items(args.args.begin(),
                           args.args.begin() + static_cast<long>(args.positional()));
  Value payload = items.empty() ? Value::None() : items[0];
  auto exc = New<ExceptionObject>(cls, MakeTuple(std::move(items)));
  exc->payload = payload;
  return exc;
}

Value ConstructException(Args& a) {
  const TypeInfo& cls = static_cast<Type*>(a.self().object())->info();
  return NewException(cls, CallArgs{As<TupleObject>(a[0])->items});
}

Value ExceptionInit(Args& a) {
  Exc(a.self()).args = a[0];
  const auto& items = As<TupleObject>(a[0])->items;
  Exc(a.self()).payload = items.empty() ? Value::None() : items[0];
  return Value::None();
}

Value WithTraceback(Args& a) { return a.self(); }

Value AddNote(Args& a) {
  if (!IsStr(a[0])) throw TypeError("note must be a str, not '" + TypeName(a[0]) + "'");
  Dict& attrs = *Exc(a.self()).attrs();
  if (attrs.Find("__notes__") == nullptr) attrs.Set("__notes__", MakeList());
  CallMethod(*attrs.Find("__notes__"), "append", {a[0]});
  return Value::None();
}

Value OrNone(const Value& v) { return v.is_null() ? Value::None() : v; }
Value GetArgs(const Value& v) { return Exc(v).args; }
void SetArgs(const Value& v, const Value& args) { Exc(v).args = MakeTuple(ToVector(args)); }
Value GetCause(const Value& v) { return OrNone(Exc(v).cause); }
void SetCause(const Value& v, const Value& c) { Exc(v).cause = c; }
Value GetContext(const Value& v) { return OrNone(Exc(v).context); }
void SetContext(const Value& v, const Value& c) { Exc(v).context = c; }
Value GetSuppressed(const Value& v) { return Value::Bool(Exc(v).suppress_context); }
void SetSuppressed(const Value& v, const Value& on) { Exc(v).suppress_context = Truth(on); }
Value GetPayload(const Value& v) { return OrNone(Exc(v).payload); }

constexpr const char* kArgNames[] = {"errno", "strerror", "filename"};
template <size_t I>
Value GetArg(const Value& v) {
  if (const Value* set = Exc(v).attrs()->Find(Intern(kArgNames[I]))) return *set;
  auto* args = As<TupleObject>(Exc(v).args);
  return args && args->items.size() >= 2 && I < args->items.size() ? args->items[I] : Value::None();
}

template <size_t I>
void SetArg(const Value& v, const Value& value) {
  Exc(v).attrs()->Set(Value(Intern(kArgNames[I])), value);
}

const FunctionRow kExceptionMethods[] = {
    {"__init__", "*args", ExceptionInit},
    {"with_traceback", "tb, /", WithTraceback},
    {"add_note", "note, /", AddNote},
};
const PropertyRow kExceptionProperties[] = {
    {"args", GetArgs, SetArgs},
    {"__cause__", GetCause, SetCause},
    {"__context__", GetContext, SetContext},
    {"__traceback__", TracebackOf},
    {"__suppress_context__", GetSuppressed, SetSuppressed},
};
const PropertyRow kStopIterationProperties[] = {{"value", GetPayload}};
const PropertyRow kSystemExitProperties[] = {{"code", GetPayload}};
const PropertyRow kOSErrorProperties[] = {{"errno", GetArg<0>, SetArg<0>},
                                          {"strerror", GetArg<1>, SetArg<1>},
                                          {"filename", GetArg<2>, SetArg<2>}};
const PropertyRow kImportErrorProperties[] = {{"name", GetPayload}};
const FunctionRow kConstruct = {"BaseException", "*args", ConstructException};

constexpr TypeInfo WithStr(TypeInfo t, std::string (*str)(const Value&)) {
  t.str = str;
  return t;
}
constexpr TypeInfo WithProperties(TypeInfo t, std::span<const PropertyRow> rows) {
  t.properties = rows;
  return t;
}

}  // namespace

ExceptionObject::ExceptionObject(const TypeInfo& type, Value args)
    : TrackedObject(type), args(std::move(args)) {
  if (type.type_object && type.type_object->is_user()) class_ = Value(type.type_object);
}

void ExceptionObject::DropRefs() {
  args = cause = context = payload = Value();
  attrs_.Clear();
}

std::string ExceptionObject::Message() const {
  try {
    return Str(Value(const_cast<ExceptionObject*>(this)));
  } catch (const PyError&) {
    return "<exception str() failed>";
  }
}

const TypeInfo ExceptionObject::kType = {.name = "BaseException",
                                         .methods = kExceptionMethods,
                                         .properties = kExceptionProperties,
                                         .construct = &kConstruct,
                                         .subclass_new = NewException,
                                         .repr = ExceptionRepr,
                                         .str = ExceptionStr};

#define TENSH_EXCEPTION(name, base) const TypeInfo k##name = ExceptionType(#name, base)
TENSH_EXCEPTION(Exception, ExceptionObject::kType);
const TypeInfo kSystemExit =
    WithProperties(ExceptionType("SystemExit", ExceptionObject::kType), kSystemExitProperties);
TENSH_EXCEPTION(KeyboardInterrupt, ExceptionObject::kType);
TENSH_EXCEPTION(GeneratorExit, ExceptionObject::kType);
TENSH_EXCEPTION(ArithmeticError, kException);
TENSH_EXCEPTION(OverflowError, kArithmeticError);
TENSH_EXCEPTION(ZeroDivisionError, kArithmeticError);
TENSH_EXCEPTION(FloatingPointError, kArithmeticError);
TENSH_EXCEPTION(AssertionError, kException);
TENSH_EXCEPTION(AttributeError, kException);
TENSH_EXCEPTION(BufferError, kException);
TENSH_EXCEPTION(EOFError, kException);
const TypeInfo kImportError =
    WithProperties(ExceptionType("ImportError", kException), kImportErrorProperties);
TENSH_EXCEPTION(ModuleNotFoundError, kImportError);
TENSH_EXCEPTION(LookupError, kException);
TENSH_EXCEPTION(IndexError, kLookupError);
const TypeInfo kKeyError = WithStr(ExceptionType("KeyError", kLookupError), KeyErrorStr);
TENSH_EXCEPTION(MemoryError, kException);
TENSH_EXCEPTION(NameError, kException);
TENSH_EXCEPTION(UnboundLocalError, kNameError);
const TypeInfo kOSError =
    WithProperties(WithStr(ExceptionType("OSError", kException), OSErrorStr), kOSErrorProperties);
TENSH_EXCEPTION(FileNotFoundError, kOSError);
TENSH_EXCEPTION(FileExistsError, kOSError);
TENSH_EXCEPTION(PermissionError, kOSError);
TENSH_EXCEPTION(IsADirectoryError, kOSError);
TENSH_EXCEPTION(NotADirectoryError, kOSError);
TENSH_EXCEPTION(ConnectionError, kOSError);
TENSH_EXCEPTION(BrokenPipeError, kConnectionError);
TENSH_EXCEPTION(TimeoutError, kOSError);
TENSH_EXCEPTION(ReferenceError, kException);
TENSH_EXCEPTION(RuntimeError, kException);
TENSH_EXCEPTION(NotImplementedError, kRuntimeError);
TENSH_EXCEPTION(RecursionError, kRuntimeError);
const TypeInfo kStopIteration =
    WithProperties(ExceptionType("StopIteration", kException), kStopIterationProperties);
TENSH_EXCEPTION(StopAsyncIteration, kException);
TENSH_EXCEPTION(SyntaxError, kException);
TENSH_EXCEPTION(IndentationError, kSyntaxError);
TENSH_EXCEPTION(TabError, kIndentationError);
TENSH_EXCEPTION(SystemError, kException);
TENSH_EXCEPTION(TypeError, kException);
TENSH_EXCEPTION(ValueError, kException);
TENSH_EXCEPTION(UnicodeError, kValueError);
TENSH_EXCEPTION(UnicodeDecodeError, kUnicodeError);
TENSH_EXCEPTION(UnicodeEncodeError, kUnicodeError);
TENSH_EXCEPTION(Warning, kException);
TENSH_EXCEPTION(UserWarning, kWarning);
TENSH_EXCEPTION(DeprecationWarning, kWarning);
TENSH_EXCEPTION(FutureWarning, kWarning);
TENSH_EXCEPTION(RuntimeWarning, kWarning);
#undef TENSH_EXCEPTION

const char* PyError::what() const noexcept {
  what_ = ClassName() + ": " + Message();
  return what_.c_str();
}

ExceptionObject& PyError::exception() const { return Exc(exc_); }

PyError& PyError::Hint(std::string phrase) {
  return Hint({ErrorHint::Kind::kPhrase, std::move(phrase)});
}
PyError& PyError::Hint(ErrorHint hint) {
  exception().hint = std::move(hint);
  return *this;
}
PyError& PyError::Type(std::string command) {
  return Hint({ErrorHint::Kind::kType, std::move(command)});
}
PyError& PyError::Explain(std::string explanation) {
  exception().explanation = std::move(explanation);
  return *this;
}

PyError MakeError(const TypeInfo& type, std::string message) {
  return PyError(New<ExceptionObject>(type, MakeTuple({MakeStr(std::move(message))})));
}
PyError TypeError(std::string message) { return MakeError(kTypeError, std::move(message)); }
PyError ValueError(std::string message) { return MakeError(kValueError, std::move(message)); }
PyError AttributeError(std::string message) {
  return MakeError(kAttributeError, std::move(message));
}
PyError IndexError(std::string message) { return MakeError(kIndexError, std::move(message)); }
PyError NameError(std::string message) { return MakeError(kNameError, std::move(message)); }
PyError RuntimeError(std::string message) { return MakeError(kRuntimeError, std::move(message)); }
PyError OverflowError(std::string message) { return MakeError(kOverflowError, std::move(message)); }
PyError ZeroDivisionError(std::string message) {
  return MakeError(kZeroDivisionError, std::move(message));
}
PyError NotImplementedError(std::string message) {
  return MakeError(kNotImplementedError, std::move(message));
}
PyError KeyError(const Value& key) {
  return PyError(New<ExceptionObject>(kKeyError, MakeTuple({key})));
}

namespace {

size_t EditDistance(std::string_view a, std::string_view b, size_t limit) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::vector<size_t> row(b.size() + 1), before(b.size() + 1), two(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    two.swap(before);
    before = row;
    row[0] = i;
    size_t best = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min(
          {before[j] + 1, row[j - 1] + 1, before[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]))});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two[j - 2] + 1);
      best = std::min(best, row[j]);
    }
    if (best > limit) return limit + 1;
  }
  return row[b.size()];
}

}  // namespace

ErrorHint DidYouMean(std::string_view name, const std::vector<std::string>& names) {
  if (name.size() > 64) return {};
  // One edit turns a name of two characters into almost anything, so only its case may differ.
  size_t best = name.size() < 3 ? 1 : name.size() / 3 + 1;
  const std::string* found = nullptr;
  for (const std::string& n : names) {
    if (n == name || n.size() > name.size() + best || name.size() > n.size() + best) continue;
    if (n[0] == '_' && name[0] != '_') continue;  // private
    size_t d = EditDistance(name, n, best);
    if (d < best) best = d, found = &n;
  }
  if (found == nullptr) return {};
  return {ErrorHint::Kind::kQuestion, "did you mean '" + *found + "'?"};
}

namespace {

// Names of Python 2 and the same in Python 3.
constexpr struct {
  std::string_view older, newer;
} kRenamed[] = {
    {"basestring", "str"},
    {"execfile", "runpy or import"},
    {"file", "open(...)"},
    {"func_name", "__name__"},
    {"has_key", "key in d"},
    {"iteritems", "items()"},
    {"iterkeys", "keys()"},
    {"itervalues", "values()"},
    {"long", "int"},
    {"maxint", "maxsize"},
    {"next", "next(...)"},
    {"raw_input", "input(...)"},
    {"reduce", "functools.reduce"},
    {"reload", "importlib.reload"},
    {"unichr", "chr"},
    {"unicode", "str"},
    {"viewitems", "items()"},
    {"xrange", "range"},
};

}  // namespace

ErrorHint HintForPython2(std::string_view name) {
  for (const auto& row : kRenamed) {
    if (row.older != name) continue;
    ErrorHint hint;
    hint.text = "In Python 3: " + std::string(row.newer) + ". Option --python2 runs Python 2";
    return hint;
  }
  return {};
}

}  // namespace tensh::shell
