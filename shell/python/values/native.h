// Native functions as rows of a table, and the binding of arguments to them.
//
// To add a function, write it together with a row and put the row in the table of a module or type:
//   Value MatMul(Args& a) { return Multiply(a[0], a[1], Truth(a[2])); }
//   {"matmul", "a, b, transpose_a=False, name=None", MatMul, "The matrix product."}
// The signature is Python text. It consists of names, literal defaults, `*`, `*args`, `**kwargs`
// and `/`. Parameters before `/` are positional only, and then errors read as those of a C builtin.
// The default `...` means that the argument may be absent: a[i].is_null(). The signature is parsed
// at the first call. The receiver of a method is args.self() and is not part of the signature.
// *args arrives as a tuple and **kwargs as a dict, each at its own index.
//
// To add a module:
//   Value MakePi() { return Value::Float(3.14); }
//   const FunctionRow kRows[] = {...};  const ConstantRow kConstants[] = {{"pi", MakePi}};
//   const ModuleDef kMath = {.name = "math", .functions = kRows, .constants = kConstants};
//   interp.AddModule("math", kMath);
// Functions and constants are made when they are first used. A submodule is a constant whose maker
// returns ModuleValue(kOtherDef).
//
// Tables must live as long as the process. Native functions run in the thread that holds the
// interpreter's lock; they report errors by throwing PyError.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/python/values/dict.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

class StrObject;
class TupleObject;
struct Signature;

// A range of the user's text. Lines and columns count from 1; columns count code points.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;  // One past the last column.
  std::string text;    // The text of the line.
};

// Arguments of a call: `args` holds the positional ones, then one value for each keyword name.
struct CallArgs {
  std::span<const Value> args = {};
  // Names (strs) of the last values; null if there are no keywords.
  const TupleObject* keywords = nullptr;
  size_t positional() const;
  size_t keyword_count() const { return args.size() - positional(); }
  std::string_view keyword(size_t i) const;
};

struct FunctionRow;

// The bound arguments: one slot for each parameter of the signature.
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
  Location where() const;  // Location of the calling expression.

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
  const void* data = nullptr;  // Data for rows that share one fn: args.row().data.
};

class StrObject;

// Finds an attribute that only some native functions have, such as reduce() of numpy's functions. Returns null for other
// attributes. The hook is set once, before programs run.
extern Value (*function_attribute)(const Value& function, StrObject* name);

// A row as a value. If it has an owner type, it is a method and binds when it is found on an
// instance.
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
  Signature* signature_ = nullptr;  // Owned. Parsed at the first call.
};

struct ConstantRow {
  const char* name;
  Value (*make)();
  const char* doc = "";
};

struct ModuleDef;

// The names of a module that has no tables of its own: a catalogue (shell/python/vm/catalogue.h).
class ModuleNames {
 public:
  virtual ~ModuleNames() = default;
  // Returns the value of a name; null if the module does not have it.
  virtual Value Find(const ModuleDef& module, StrObject* name) const = 0;
  virtual void List(const ModuleDef& module, std::vector<std::string>* names) const = 0;
  // Returns why the module does not have this name, and what to use instead; "" without a reason.
  virtual std::string Refusal(const ModuleDef& module, StrObject* name) const = 0;
};

struct ModuleDef {
  const char* name = "";
  std::span<const FunctionRow> functions = {};
  std::span<const ConstantRow> constants = {};
  // Finds a name that is not in the tables. Returns a null Value if it does not exist.
  Value (*missing)(StrObject* name) = nullptr;
  const char* doc = "";
  const char* short_name = nullptr;  // The name used in error messages: "tf".
  const ModuleNames* names = nullptr;
};

class ModuleObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit ModuleObject(const ModuleDef& def);
  void DropRefs() override { dict_.Clear(); }
  Dict* attrs() override { return &dict_; }
  const ModuleDef& def() const { return *def_; }
  Value Find(StrObject* name);  // Returns null if the name does not exist.
  std::vector<std::string> Names() const;

 private:
  const ModuleDef* def_;
  Dict dict_;
};

// Returns the module of a table. Each interpreter has one object per table.
Value ModuleValue(const ModuleDef& def);

// Calls any callable from native code. Keyword values follow the positional ones in `args`.
Value Call(const Value& callee, std::span<const Value> args);
Value Call(const Value& callee, const CallArgs& args);
Value Call(const Value& callee, std::initializer_list<Value> args);
// `keywords` is a dict.
Value CallWith(const Value& callee, std::vector<Value> args, const Value& keywords);
// Appends the values of a dict (or nothing if it is null) to args. Returns their names, or null if
// there are none.
Value SpreadKeywords(const Value& dict, std::vector<Value>* args);
// Returns the keywords as a dict, or null if there are none.
Value KeywordsOf(const CallArgs& args);
Value CallMethod(const Value& self, std::string_view name, std::initializer_list<Value> args);

// Returns the location of the expression that is being evaluated. The file is empty if there is
// none.
Location CallerLocation();

}  // namespace tensh::shell
