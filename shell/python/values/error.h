// PyError is the only C++ exception of the shell. It carries a Python exception value.
//
// To raise one: `throw TypeError("expected a tensor, got " + name);`, or `throw MakeError(kMyType,
// text)`. To add what the user should do next: `throw ValueError("...").Hint("Choose one of: a, b")`,
// or `.Type("run init")` if that is a line to type.
//
// To add an exception class (tf.errors.*), define a table like the ones below:
//   const TypeInfo kOpError = ExceptionType("OpError", kException, "tensorflow.errors");
// and expose it with TypeValue(kOpError).
//
// The interpreter fills in the location and the traceback as the exception leaves each frame.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "shell/python/values/dict.h"
#include "shell/python/values/native.h"
#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

struct TraceEntry {
  Location where;
  std::string function;  // "<module>" at the top level.
};

// What the user should do next.
struct ErrorHint {
  enum class Kind {
    kPhrase,    // any sentence
    kType,      // a line to type, shown as "Type: …"
    kRun,       // a verb that runs something in the graph, shown as "Run: …"
    kQuestion,  // "did you mean 'matmul'?"
  };
  Kind kind = Kind::kPhrase;
  std::string text;  // "" if there is no hint

  bool empty() const { return text.empty(); }
};

class ExceptionObject : public TrackedObject {
 public:
  static const TypeInfo kType;  // BaseException
  ExceptionObject(const TypeInfo& type, Value args);
  void DropRefs() override;
  void Visit(HeldVisitor& visit) const override {
    visit(args), visit(cause), visit(context), visit(payload), visit(attrs_);
  }
  Dict* attrs() override { return &attrs_; }

  Value args;     // A tuple.
  Value cause;    // The cause in `raise … from cause`.
  Value context;  // The exception that was being handled.
  Value payload;  // StopIteration.value, SystemExit.code, or KeyError's key; unused by other types.
  bool suppress_context = false;
  ErrorHint hint;
  // An explanation for readers who see the error for the first time; "" for most errors.
  std::string explanation;
  // The tensors that the failed run must also be fed, by node name.
  std::vector<std::string> missing_feeds;
  std::vector<TraceEntry> trace;  // Innermost first.
  std::string Message() const;    // str(exc)

 private:
  Dict attrs_;
  Value class_;  // Keeps the user's exception class alive.
};

class PyError : public std::exception {
 public:
  explicit PyError(Value exc) : exc_(std::move(exc)) {}
  const char* what() const noexcept override;
  const Value& value() const { return exc_; }
  ExceptionObject& exception() const;
  const TypeInfo& type() const { return TypeOf(exc_); }
  bool Is(const TypeInfo& type) const { return DerivesFrom(this->type(), type); }
  std::string ClassName() const { return type().name; }
  std::string Message() const { return exception().Message(); }
  PyError& Hint(std::string phrase);
  PyError& Hint(ErrorHint hint);
  PyError& Type(std::string command);
  PyError& Explain(std::string explanation);

 private:
  Value exc_;
  mutable std::string what_;
};

// Returns the table of an exception class. `module` is "builtins" for Python's own classes.
constexpr TypeInfo ExceptionType(const char* name, const TypeInfo& base,
                                 const char* module = "builtins") {
  TypeInfo t;
  t.name = name;
  t.base = &base;
  t.module = module;
  return t;
}

extern const TypeInfo kException, kArithmeticError, kOverflowError, kZeroDivisionError,
    kFloatingPointError, kAssertionError, kAttributeError, kEOFError, kImportError,
    kModuleNotFoundError, kLookupError, kIndexError, kKeyError, kMemoryError, kNameError,
    kUnboundLocalError, kOSError, kFileNotFoundError, kFileExistsError, kPermissionError,
    kIsADirectoryError, kNotADirectoryError, kReferenceError, kRuntimeError, kNotImplementedError,
    kRecursionError, kStopIteration, kStopAsyncIteration, kSyntaxError, kIndentationError,
    kTabError, kSystemError, kTypeError, kValueError, kUnicodeError, kUnicodeDecodeError,
    kUnicodeEncodeError, kWarning, kUserWarning, kDeprecationWarning, kFutureWarning,
    kRuntimeWarning, kConnectionError, kTimeoutError, kBrokenPipeError, kKeyboardInterrupt,
    kSystemExit, kGeneratorExit, kBufferError;

PyError MakeError(const TypeInfo& type, std::string message);
PyError TypeError(std::string message);
PyError ValueError(std::string message);
PyError AttributeError(std::string message);
PyError IndexError(std::string message);
PyError NameError(std::string message);
PyError RuntimeError(std::string message);
PyError OverflowError(std::string message);
PyError ZeroDivisionError(std::string message);
PyError NotImplementedError(std::string message);
PyError KeyError(const Value& key);

// Returns the hint for a builtin or a method that only Python 2 has, or no hint.
ErrorHint HintForPython2(std::string_view name);

// Returns "did you mean 'matmul'?" with the most similar of `names`, or no hint if none is similar.
ErrorHint DidYouMean(std::string_view name, const std::vector<std::string>& names);

}  // namespace tensh::shell
