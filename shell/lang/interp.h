// Interp: one running program or prompt. Parses, compiles and runs text statement by statement.
//
// Ownership: owns the globals, the modules made so far and the output buffer. One Interp at a time
// is current (the last one made); only the thread that holds the interpreter's lock (threads.h) may
// touch Values. Interrupt() may be called from anywhere, signal handlers included.
//
//   Interp interp({.argv = {"train.py"}});
//   interp.AddModule("numpy", kNumpy);               // made at the first import
//   interp.AddBuiltinModule("np", "numpy");          // the name np works with no import
//   interp.AddBuiltins(kMyFunctions);
//   interp.AddVerbs({"eval", "run", "devices"});
//   interp.set_hooks(&my_hooks);                     // begin/commit/rollback, verbs
//   Value last = interp.Exec(text, "train.py", ExecMode::kFile);
// Exec throws the PyError of the first statement that failed, unless Hooks::Failed says to go on.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/values/error.h"
#include "shell/values/native.h"
#include "shell/values/value.h"

namespace tensh::shell {

class Source;
class Vm;
class Globals;
struct CodeVerb;

enum class ExecMode : uint8_t {
  kFile,  // A script: the value of an expression statement is dropped.
  kCell,  // The prompt: Hooks::Committed gets the value of each expression statement.
};

// A statement whose first word is a verb: `explain mul feed x=[3,4]`.
struct VerbCall {
  std::string_view verb;
  std::string_view rest;  // The text after the verb, to the end of the statement, trimmed.
  Location where;         // The whole statement.
};

// What happens around each top-level statement. All default to nothing.
class Hooks {
 public:
  virtual ~Hooks() = default;
  virtual void Begin(const Location& where) { (void)where; }
  // `result` is null unless the statement was an expression; `statement` is its text.
  virtual void Committed(const Value& result, const Location& where, std::string_view statement) {
    (void)result, (void)where, (void)statement;
  }
  // Undo what the statement did. True: go on with the next statement; false: Exec throws.
  virtual bool Failed(const PyError& error, const Location& where) {
    (void)error, (void)where;
    return false;
  }
  virtual void RunVerb(const VerbCall& call) { (void)call; }
  // A name that is not defined, in an expression that a verb evaluates ("eval matmul(a, b)"); null:
  // an error.
  virtual Value NameInVerb(std::string_view name) { return (void)name, Value(); }
  // The verb alone on its line is a command ("devices"); "eval" alone is a Python name.
  virtual bool VerbAlone(std::string_view verb) { return (void)verb, true; }
  // An exception that nothing in a thread of the program's own caught.
  virtual void ThreadFailed(const PyError& error, std::string_view thread) {
    (void)error, (void)thread;
  }
};

struct InterpOptions {
  std::vector<std::string> argv = {};
  bool allow_files = false;  // open() outside the working directory.
};

enum class Completeness : uint8_t { kComplete, kIncomplete, kInvalid };

class Interp {
 public:
  using Options = InterpOptions;
  explicit Interp(Options options = {});
  ~Interp();
  Interp(const Interp&) = delete;
  static Interp& Current();
  static Interp* CurrentOrNull();

  // Returns the value of the last statement when that is an expression, else null.
  Value Exec(std::string text, std::string file, ExecMode mode);
  // Is this a whole cell, or does the prompt go on ("...")?
  Completeness Check(std::string_view text);

  // For verbs. `piece` should be part of VerbCall::rest, so that errors point at the user's text.
  Value Eval(std::string_view piece);
  // Length of the longest prefix of `text` that is one expression; 0 when none. Whitespace counts.
  size_t ExpressionLength(std::string_view text);
  Location Locate(std::string_view piece);  // Where a part of the running verb's text is.

  // Runs a library: a module of ours in the user's language. It has globals of its own and no place
  // in tracebacks. Answers the library's number.
  uint16_t LoadLibrary(std::string_view text, std::string file);
  Value LibraryName(uint16_t library, StrObject* name);  // Null when it does not define that.
  std::vector<std::string> LibraryNames(
      uint16_t library) const;  // Without those that begin with _.

  void AddModule(std::string name, const ModuleDef& def);
  void AddModule(std::string name, Value (*make)());
  // A sentence for a module that will never be there: "tf.contrib is not part of tensh".
  void RefuseModule(std::string name, std::string sentence);
  void AddBuiltinModule(std::string name, std::string module);
  void AddBuiltins(std::span<const FunctionRow> rows);
  void AddVerbs(const std::vector<std::string>& names);
  void set_hooks(Hooks* hooks) { hooks_ = hooks; }
  Hooks* hooks() { return hooks_; }
  Value Import(std::string_view name);  // The module itself ("os.path"), or ModuleNotFoundError.

  Value GetGlobal(std::string_view name);  // Null when not set; builtins are not searched.
  void SetGlobal(std::string_view name, Value value);
  void DelGlobal(std::string_view name);
  std::vector<std::string> GlobalNames();
  std::vector<std::string> CompletionNames();  // Globals, builtins, keywords.
  void ClearGlobals();                         // `reset`
  const Options& options() const { return options_; }

  // What the instructions of a loop look at, as bits.
  enum Attention : uint8_t { kInterrupt = 1, kSwitch = 2, kEnding = 4 };
  void Ask(Attention what) { attention_.fetch_or(what, std::memory_order_relaxed); }
  void Forget(Attention what) {
    attention_.fetch_and(static_cast<uint8_t>(~what), std::memory_order_relaxed);
  }
  bool Asked(Attention what) const {
    return (attention_.load(std::memory_order_relaxed) & what) != 0;
  }
  void Interrupt() { Ask(kInterrupt); }
  bool interrupted() const { return Asked(kInterrupt); }
  void ClearInterrupt() { Forget(kInterrupt); }
  // Between two instructions of a loop: collects cycles when it is time, lets another thread go on,
  // then CheckInterrupt.
  bool wants_attention() const {
    return attention_.load(std::memory_order_relaxed) != 0 || heap::collection_due;
  }
  void Attend();
  // Throws KeyboardInterrupt when asked for, in the main thread; ends the others at the end.
  void CheckInterrupt() {
    if (attention_.load(std::memory_order_relaxed) & (kInterrupt | kEnding)) AnswerInterrupt();
  }

  // Output of print. Buffered; the default sink is standard output.
  void set_stdout(std::function<void(std::string_view)> sink) { sink_ = std::move(sink); }
  void Write(std::string_view text);
  void Flush();
  int output_error() const {
    return output_error_;
  }  // why standard output takes no more; 0: it does
  void set_stderr(std::function<void(std::string_view)> sink) { error_sink_ = std::move(sink); }
  void WriteError(std::string_view text);

  Location caller() const;  // The expression being evaluated now.

  // Test mode: print each statement's AST and parse it again before running it.
  void set_reparse(bool on) { reparse_ = on; }

  Vm& vm() { return *running_; }  // Of the thread that holds the lock.
  Vm& main_vm() { return *vm_; }
  void set_running(Vm* vm) { running_ = vm; }
  Globals& globals() { return *globals_; }
  Value FindBuiltin(StrObject* name);
  Value FindInVerb(StrObject* name);  // Null outside of verbs; see Hooks::NameInVerb.
  bool IsVerb(std::string_view name) const;
  std::vector<std::string> BuiltinNames() const;
  Value ModuleFor(const ModuleDef& def);  // See ModuleValue.

 private:
  friend class Vm;
  void RunVerb(const std::shared_ptr<const Source>& source, const CodeVerb& verb,
               const Location& where);
  void AnswerInterrupt();

  struct State;
  Options options_;
  std::unique_ptr<State> state_;
  std::unique_ptr<Globals> globals_;
  std::unique_ptr<Vm> vm_;
  Vm* running_ = nullptr;
  int loading_ = 0;  // Libraries being read: no other thread may see half of one.
  Hooks* hooks_ = nullptr;
  std::function<void(std::string_view)> sink_;
  std::function<void(std::string_view)> error_sink_;
  std::string buffer_;
  int output_error_ = 0;
  std::atomic<uint8_t> attention_{0};
  bool reparse_ = false;
};

}  // namespace tensh::shell
