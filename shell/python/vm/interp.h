// The interpreter of one running program or prompt. It parses, compiles and runs text statement by
// statement.
//
// Ownership: owns the globals, the modules made so far and the output buffer.
//
// Threads: one Interp at a time is current, which is the last one made. Only the thread that holds
// the interpreter's lock (threads.h) may touch Values. Interrupt() may be called from any thread
// and from signal handlers.
//
//   Interp interp({.argv = {"train.py"}});
//   interp.AddModule("numpy", kNumpy);               // made at the first import
//   interp.AddBuiltinModule("np", "numpy");          // the name np works without an import
//   interp.AddBuiltins(kMyFunctions);
//   interp.AddVerbs({"eval", "run", "devices"});
//   interp.set_hooks(&my_hooks);                     // begin/commit/rollback, verbs
//   Value last = interp.Exec(text, "train.py", ExecMode::kFile);
//
// Errors: Exec throws the PyError of the first statement that failed, unless Hooks::Failed returns
// true.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/python/values/error.h"
#include "shell/python/values/foreign.h"
#include "shell/python/values/native.h"
#include "shell/python/values/value.h"

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
  std::string_view rest;     // The text after the verb, to the end of the statement, trimmed.
  Location where;            // The location of the whole statement.
  bool wants_value = false;  // True for `x = VERB …`.
};

// Callbacks around each top-level statement. By default they do nothing.
class Hooks {
 public:
  virtual ~Hooks() = default;
  virtual void Begin(const Location& where) { (void)where; }
  // `result` is null unless the statement was an expression; `statement` is its text.
  virtual void Committed(const Value& result, const Location& where, std::string_view statement) {
    (void)result, (void)where, (void)statement;
  }
  // Undoes the effects of the statement. If it returns true, Exec continues with the next
  // statement; otherwise Exec throws the error.
  virtual bool Failed(const PyError& error, const Location& where) {
    (void)error, (void)where;
    return false;
  }
  // Returns the value of the verb if it is wanted; otherwise null.
  virtual Value RunVerb(const VerbCall& call) { return (void)call, Value(); }
  // Resolves an undefined name in an expression that a verb evaluates, as in "eval matmul(a, b)".
  // Returns null if the name is an error.
  virtual Value NameInVerb(std::string_view name) { return (void)name, Value(); }
  // Returns further names that NameInVerb resolves and that a misspelled name may have meant.
  virtual std::vector<std::string> NamesInVerb() { return {}; }
  // Returns true if the verb alone on its line is a command ("devices"). Returns false if the word
  // is then a Python name ("eval").
  virtual bool VerbAlone(std::string_view verb) { return (void)verb, true; }
  // Returns true if the next line belongs to a verb whose text so far is `text`. At the end of the
  // text to parse, `next` is empty, and true means that the statement is incomplete.
  virtual bool VerbContinues(std::string_view verb, std::string_view text, std::string_view next) {
    return (void)verb, (void)text, (void)next, false;
  }
  // Returns true if `x = VERB …` assigns a value that the verb makes.
  virtual bool VerbGivesValue(std::string_view verb) { return (void)verb, false; }
  // Called in the main thread between two instructions, after Interp::Ask(kLook) and before
  // KeyboardInterrupt is thrown: notes how far the program has come.
  virtual void Look() {}
  // Reports an exception that was not caught in a thread started by the program.
  virtual void ThreadFailed(const PyError& error, std::string_view thread) {
    (void)error, (void)thread;
  }
};

struct InterpOptions {
  std::vector<std::string> argv = {};
  // The full name of the module that runs as the program, or "". Its relative imports start from its
  // package, and sys.path starts with the current folder.
  std::string module = {};
  // Writes each line at once even if standard output is not a terminal.
  bool line_buffered = false;
  bool python2 = false;  // The program and its modules are written in Python 2.
  bool sandbox = false;  // Restricts open() and ops to files of the working directory.
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

  // Returns the value of the last statement if it is an expression; otherwise null.
  Value Exec(std::string text, std::string file, ExecMode mode);
  // Tells whether the text is a complete cell or the prompt must read another line ("...").
  Completeness Check(std::string_view text);

  // Evaluates an expression for a verb. `piece` should be part of VerbCall::rest, so that errors
  // point at the user's text.
  Value Eval(std::string_view piece);
  // Returns the length in bytes of the longest prefix of `text` that is one expression, including
  // white space. Returns 0 if there is none.
  size_t ExpressionLength(std::string_view text);
  Location Locate(std::string_view piece);  // Location of a part of the running verb's text.

  // Runs a library: a module of tensh that is written in Python. A library has its own globals and
  // does not appear in tracebacks. Returns the library's number.
  uint16_t LoadLibrary(std::string_view text, std::string file);
  // Returns a number for the globals of a text that is run later. Throws ImportError if 60,000 are in use.
  uint16_t NewLibrary();
  // Clears the globals of a number of NewLibrary, which may return it again. No code may still use them.
  void FreeLibrary(uint16_t library);
  // Returns null if the library does not define the name.
  Value LibraryName(uint16_t library, StrObject* name);
  // Lists the names of a library, except those that begin with an underscore.
  std::vector<std::string> LibraryNames(uint16_t library) const;

  void AddModule(std::string name, const ModuleDef& def);
  void AddModule(std::string name, Value (*make)());
  // Registers the error message for a module that will never exist: "tf.contrib is not part of
  // tensh".
  void RefuseModule(std::string name, std::string sentence);
  void AddBuiltinModule(std::string name, std::string module);
  void AddBuiltins(std::span<const FunctionRow> rows);
  void AddVerbs(const std::vector<std::string>& names);
  void set_hooks(Hooks* hooks) { hooks_ = hooks; }
  Hooks* hooks() { return hooks_; }
  // Returns the module itself ("os.path"), or throws ModuleNotFoundError.
  Value Import(std::string_view name);
  std::vector<std::pair<std::string, Value>> MadeModules() const;  // Of those imported so far.
  std::vector<std::string> ModuleNames() const;  // Of the modules that can be imported, unsorted.

  // Returns null if the name is not set. Does not search the builtins.
  Value GetGlobal(std::string_view name);
  void SetGlobal(std::string_view name, Value value);
  void DelGlobal(std::string_view name);
  std::vector<std::string> GlobalNames();
  std::vector<std::string> CompletionNames();  // Globals, builtins and keywords.
  void ClearGlobals();                         // Implements the verb `reset`.
  const Options& options() const { return options_; }

  // Requests that loops check between instructions, as bits.
  enum Attention : uint8_t { kInterrupt = 1, kSwitch = 2, kEnding = 4, kLook = 8 };
  void Ask(Attention what) { attention_.fetch_or(what, std::memory_order_relaxed); }
  void Forget(Attention what) {
    attention_.fetch_and(static_cast<uint8_t>(~what), std::memory_order_relaxed);
  }
  bool Asked(Attention what) const {
    return (attention_.load(std::memory_order_relaxed) & what) != 0;
  }
  void Interrupt() {
    Ask(kInterrupt);
    if (foreign_hooks.interrupt != nullptr) foreign_hooks.interrupt();
  }
  bool interrupted() const { return Asked(kInterrupt); }
  void ClearInterrupt() { Forget(kInterrupt); }
  // Called between two instructions of a loop. Collects cycles if a collection is due, gives other
  // threads a turn, and then calls CheckInterrupt.
  bool wants_attention() const {
    return attention_.load(std::memory_order_relaxed) != 0 || heap::collection_due;
  }
  void Attend();
  // In the main thread, throws KeyboardInterrupt if an interrupt was requested. In other threads,
  // throws Ended when the program ends.
  void CheckInterrupt() {
    if (attention_.load(std::memory_order_relaxed) & (kInterrupt | kEnding)) AnswerInterrupt();
  }

  // Sets the destination of print, by default standard output, and returns the previous one. Output
  // is buffered; in a terminal, Print writes each line at its end, as Python does.
  std::function<void(std::string_view)> set_stdout(std::function<void(std::string_view)> sink) {
    return std::exchange(sink_, std::move(sink));
  }
  void Write(std::string_view text);
  void Print(std::string_view text);
  void Flush();
  // The errno of the first failed write to standard output; 0 if all output was written.
  int output_error() const { return output_error_; }
  // Sets the destination of errors, by default standard error, and returns the previous one.
  std::function<void(std::string_view)> set_stderr(std::function<void(std::string_view)> sink) {
    return std::exchange(error_sink_, std::move(sink));
  }
  void WriteError(std::string_view text);

  Location caller() const;  // Location of the expression that is being evaluated.

  // For tests: prints the tree of each statement and parses the printed text again before running
  // it, in every interpreter.
  static inline bool reparse = false;

  Vm& vm() { return *running_; }  // The Vm of the thread that holds the lock.
  Vm& main_vm() { return *vm_; }
  void set_running(Vm* vm) { running_ = vm; }
  Globals& globals() { return *globals_; }
  Value FindBuiltin(StrObject* name);
  Value FindInVerb(StrObject* name);       // Returns null outside of verbs; see Hooks::NameInVerb.
  std::vector<std::string> NamesInVerb();  // Returns none outside of verbs.
  bool IsVerb(std::string_view name) const;
  std::vector<std::string> BuiltinNames() const;
  Value ModuleFor(const ModuleDef& def);  // See ModuleValue.

 private:
  friend class Vm;
  Value ImportForeign(std::string_view name, ForeignAdvice* advice);
  void GiveAway(const std::string& package);
  Value RunVerb(const std::shared_ptr<const Source>& source, const CodeVerb& verb,
                const Location& where);
  void AnswerInterrupt();

  struct State;
  Options options_;
  std::unique_ptr<State> state_;
  std::unique_ptr<Globals> globals_;
  std::unique_ptr<Vm> vm_;
  Vm* running_ = nullptr;
  // Number of libraries being loaded. Other threads must not run meanwhile and see half a library.
  int loading_ = 0;
  Hooks* hooks_ = nullptr;
  std::function<void(std::string_view)> sink_;
  std::function<void(std::string_view)> error_sink_;
  std::string buffer_;
  int output_error_ = 0;
  const bool line_buffered_;
  std::atomic<uint8_t> attention_{0};
};

}  // namespace tensh::shell
