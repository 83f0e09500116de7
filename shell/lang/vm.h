// Vm: runs bytecode. Calls between Python functions, and raising and catching, use no native stack;
// a native function that calls back (sorted's key) runs a nested loop, bounded by RecursionGuard.
//
// Invariant: every stack slot of a frame always holds a valid Value, null when unused, so unwinding
// may clear them without knowing how deep the stack was.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shell/lang/code.h"
#include "shell/lang/function.h"
#include "shell/lang/globals.h"
#include "shell/values/error.h"

namespace tensh::shell {

class Interp;

struct Frame {
  Ref<Code> code;
  Value function;  // Keeps the closure alive.
  Value* locals;   // Locals, then cells, then the stack.
  Value* cells;
  Value* stack;
  Value* sp;        // Where to go on; only right while the frame is suspended.
  uint32_t pc = 0;  // The instruction being run.
  uint32_t slots = 0;
  Frame* back = nullptr;
  Value names;     // A class body's dict.
  Value instance;  // __init__: what the call answers.
  GeneratorObject* generator = nullptr;
  bool heap = false;                     // A generator's; others live on the frame stack.
  size_t mark_chunk = 0, mark_used = 0;  // Of the frame stack, to give back.
};

class Vm {
 public:
  explicit Vm(Interp* interp) : interp_(*interp) {}
  ~Vm();

  Value RunTop(const Ref<Code>& code);
  Value CallFunction(FunctionObject* f, const CallArgs& args);
  // Next value of a generator; false when it returned. `error` is thrown inside instead.
  bool Resume(GeneratorObject* g, Value send, Value error, Value* out);
  void FreeGeneratorFrame(Frame* frame);
  void DropFrames();       // All of a thread that ended in the midst.
  Location Where() const;  // Of the instruction being run.
  const Value& handled() const { return handled_; }
  static int recursion_limit() { return limit_; }
  static void set_recursion_limit(int n) { limit_ = n; }

 private:
  Value Run(Frame* entry);
  Value Loop(Frame* entry);
  // Finds a handler from the current frame down to `entry`; false when there is none.
  bool Unwind(Frame* entry, const Value& exc, bool fresh);
  // Thrown by the loop when an exception has left `entry` already: nothing more to unwind here.
  struct Unwound {
    Value exc;
  };
  Frame* NewFrame(const Ref<Code>& code, const Value& function, bool heap);
  void DropFrame(Frame* f);
  Frame* Enter(FunctionObject* f, const CallArgs& args);  // Binds arguments.
  Frame* EnterSimple(FunctionObject* f, Value* args,
                     size_t count);  // Moves positionals; may be null.
  void FillCells(Frame* frame, FunctionObject* f);
  void CheckDepth();

  // Operations that would make the loop long.
  Value LoadGlobalSlow(uint32_t index);
  Value LoadNameIn(Frame* f, StrObject* name);
  [[noreturn]] void ThrowUnbound(StrObject* name, bool free);
  void LoadMethod(Value* sp, StrObject* name);  // [object] → [function, self] or [null, callee]
  void Unpack(Value* sp, size_t count);         // [value] → [last … first]
  void UnpackStar(Value* sp, size_t before, size_t after);
  Value MakeFunction(const Ref<Code>& code, uint8_t flags, Value** sp);
  Value BuildClass(const Value& function, const Value& bases, const Value& keywords);
  Value CallSpread(const Value& callee, const Value& list, const Value& dict);
  Value RaiseValue(const Value& raised, const Value* cause);
  bool Matches(const Value& exc, const Value& types);
  Value ImportFrom(const Value& module, StrObject* name);
  void ImportStar(const Value& module);
  Value FormatPiece(const Value& v, int conversion, const Value* spec);
  Value Compare(int op, const Value& a, const Value& b);
  void RunVerb(Frame* f, const CodeVerb& verb);
  bool ThrowInto(GeneratorObject* g, Value* send, Value* error, Value* out);
  bool YieldFromStep(const Value& iterator, Value sent, Value* out);
  Value CallSlow(const Value& callee, std::span<const Value> args, const TupleObject* keywords);
  Frame* EnterCall(Value* callee, Value* args,
                   size_t count);  // A frame for it, or null: not Python.

  void* Allocate(size_t bytes);

  Interp& interp_;
  Frame* current_ = nullptr;
  Value handled_;  // The exception whose handler is running; null: none.
  int depth_ = 0;
  struct Chunk {
    std::unique_ptr<char[]> data;
    size_t size;
  };
  std::vector<Chunk> chunks_;
  size_t chunk_ = 0, used_ = 0;
  static int limit_;
};

}  // namespace tensh::shell
