// Native functions as table rows, and how arguments reach them.
//
// To add a function, write a row and put the row in a module's or type's table:
//   Value MatMul(Args& a) { return Multiply(a[0], a[1], Truth(a[2])); }
//   {"matmul", "a, b, transpose_a=False, name=None", MatMul, "The matrix product."}
// The signature is Python's text: names, defaults that are literals, `*`, `*args`, `**kwargs`, `/`
// (before it, by position only; then errors read as a C builtin's). A default of `...` means that
// the argument may be absent: a[i].is_null(). It is parsed at the first call. For methods the
// receiver is args.self(), not in the signature. *args arrives as a tuple, **kwargs as a dict, at
// their own index.
//
// To add a module:
//   Value MakePi() { return Value::Float(3.14); }
//   const FunctionRow kRows[] = {...};  const ConstantRow kConstants[] = {{"pi", MakePi}};
//   const ModuleDef kMath = {.name = "math", .functions = kRows, .constants = kConstants};
//   interp.AddModule("math", kMath);
// Functions and constants are made when first asked for. Submodules are constants whose maker
// returns ModuleValue(kOtherDef).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/values/dict.h"
#include "shell/values/value.h"

namespace tensh::shell {

class StrObject;
class TupleObject;
struct Signature;

// Where in the user's text; columns count code points from 1.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;  // One past the last.
  std::string text;    // The line itself.
};

// Arguments as a caller has them: `args` is the positionals, then one value per keyword name.
struct CallArgs {
  std::span<const Value> args = {};
  const TupleObject* keywords = nullptr;  // Names (strs) of the last values; null: none.
  size_t positional() const;
  size_t keyword_count() const { return args.size() - positional(); }
  std::string_view keyword(size_t i) const;
};

struct FunctionRow;

// Bound arguments, one slot per parameter of the signature.
class Args {
 public:
  Args(const FunctionRow& row, const Value& self, Value* slots, size_t count)
      : row_(row), self_(self), slots_(slots), count_(count) {}
  Value& operator[](size_t i) { return slots_[i]; }
  Value& arg(size_t i) { return slots_[i]; }
  bool has(size_t i) const { return !slots_[i].is_null(); }
  size_t size() const { return count_; }
  const Value& self() const { return self_; }
  const FunctionRow& row() const { return row_; }
  Location where() const;  // The caller's expression.

 private:
  const FunctionRow& row_;
  const Value& self_;
  Value* slots_;
  size_t count_;
};

struct FunctionRow {
  const char* name;
  const char* signature;
  Value (*fn)(Args&);
  const char* doc = "";
  const void* data = nullptr;  // For rows that share one fn: args.row().data.
};

// A row as a value. With an owner type it is a method and binds when found on an instance.
class NativeFunction : public TrackedObject {
 public:
  static const TypeInfo kType;        // builtin_function_or_method
  static const TypeInfo kMethodType;  // method_descriptor
  NativeFunction(const FunctionRow& row, const TypeInfo* owner, Value self = Value());
  ~NativeFunction() override;
  void DropRefs() override { self_ = Value(); }

  Value Call(const CallArgs& args) { return Call(self_, args); }
  Value Call(const Value& self, const CallArgs& args);
  const FunctionRow& row() const { return *row_; }
  const TypeInfo* owner() const { return owner_; }
  const Value& self() const { return self_; }
  std::string ParameterText() const { return row_->signature; }

 private:
  const FunctionRow* row_;
  const TypeInfo* owner_;
  Value self_;
  Signature* signature_ = nullptr;  // Owned; parsed at the first call.
};

struct ConstantRow {
  const char* name;
  Value (*make)();
};

struct ModuleDef {
  const char* name = "";
  std::span<const FunctionRow> functions = {};
  std::span<const ConstantRow> constants = {};
  // Asked for a name not in the tables; null Value: not there either.
  Value (*missing)(StrObject* name) = nullptr;
  const char* doc = "";
  const char* short_name = nullptr;                     // Used in error texts: "tf".
  std::span<const FunctionRow> more_functions[6] = {};  // Further tables, e.g. one per area.
};

class ModuleObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit ModuleObject(const ModuleDef& def);
  void DropRefs() override { dict_.Clear(); }
  Dict* attrs() override { return &dict_; }
  const ModuleDef& def() const { return *def_; }
  Value Find(StrObject* name);  // Null when it is not there.
  std::vector<std::string> Names() const;

 private:
  const ModuleDef* def_;
  Dict dict_;
};

// The module of a table; one object per interpreter and table.
Value ModuleValue(const ModuleDef& def);

// Calls anything callable from native code. Keyword values follow the positionals in `args`.
Value Call(const Value& callee, std::span<const Value> args);
Value Call(const Value& callee, const CallArgs& args);
Value Call(const Value& callee, std::initializer_list<Value> args);
Value CallWith(const Value& callee, std::vector<Value> args, const Value& keywords);  // a dict
// Adds the values of a dict (null: none) to args; answers their names, null when there are none.
Value SpreadKeywords(const Value& dict, std::vector<Value>* args);
Value KeywordsOf(const CallArgs& args);  // As a dict; null: none.
Value CallMethod(const Value& self, std::string_view name, std::initializer_list<Value> args);

// The expression being evaluated now in the user's text (empty file when there is none).
Location CallerLocation();

}  // namespace tensh::shell
