// The virtual machine that runs bytecode. Each thread of the program has one.
//
// Calls between Python functions, and raising and catching exceptions, use no native stack. A
// native function that calls back (the key of sorted) runs a nested loop, which RecursionGuard
// bounds.
//
// Invariant: every stack slot of a frame holds a valid Value at all times, null when unused.
// Unwinding can therefore clear the slots without knowing how deep the stack was.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shell/python/compile/code.h"
#include "shell/python/compile/globals.h"
#include "shell/python/values/error.h"
#include "shell/python/vm/function.h"

namespace tensh::shell {

class Interp;

// The activation record of one call. Frames are on the Vm's frame stack, except those of
// generators, which are on the heap.
struct Frame {
  Ref<Code> code;
  Value function;  // Keeps the closure alive.
  Value* locals;   // The locals, followed by the cells and the stack.
  Value* cells;
  Value* stack;
  Value* sp;        // The stack pointer to resume with; valid only while the frame is suspended.
  uint32_t pc = 0;  // Index of the current instruction.
  uint32_t slots = 0;
  Frame* back = nullptr;
  Value names;     // The dict of a class body.
  Value instance;  // In __init__, the new instance, which is the result of the call.
  GeneratorObject* generator = nullptr;
  bool heap = false;  // True for the frame of a generator.
  // State of the frame stack before this frame, restored when it is dropped.
  size_t mark_chunk = 0, mark_used = 0;
};

class Vm {
 public:
  explicit Vm(Interp* interp) : interp_(*interp) {}
  ~Vm();

  // Runs a top-level Code from start to end. `names` is the dict of its names if it was compiled like the
  // body of a class.
  Value RunTop(const Ref<Code>& code, const Value& names = Value());
  Value CallFunction(FunctionObject* f, const CallArgs& args);
  // Resumes a generator. Returns true with the value it yielded, or false when it has returned. If
  // `error` is not null, throws it inside the generator instead of sending `send`.
  bool Resume(GeneratorObject* g, Value send, Value error, Value* out);
  void FreeGeneratorFrame(Frame* frame);
  void DropFrames();       // Drops all frames, after the thread has ended in the middle of a call.
  Location Where() const;  // The location of the current instruction.
  // Returns true if the user's code that runs is within a `try` or `with` block of its function.
  bool Guarded() const;
  // The outermost `for` loop over something whose length is known. `loop` tells one execution of a
  // loop from another; it is null outside such loops.
  struct LoopPosition {
    const void* loop = nullptr;
    int64_t done = 0, total = 0;  // iterations
  };
  LoopPosition OutermostLoop() const;
  const Frame* frame() const { return current_; }  // Null if no Python code runs.
  const Value& handled() const { return handled_; }
  static int recursion_limit() { return limit_; }
  static void set_recursion_limit(int n) { limit_ = n; }

 private:
  Value Run(Frame* entry);
  Value Loop(Frame* entry);
  // Finds a handler from the current frame down to `entry`. Returns false if none exists.
  bool Unwind(Frame* entry, const Value& exc, bool fresh);
  // Thrown by the loop when an exception has already left `entry`, so that nothing remains to
  // unwind.
  struct Unwound {
    Value exc;
  };
  Frame* NewFrame(const Ref<Code>& code, const Value& function, bool heap);
  void DropFrame(Frame* f);
  Frame* Enter(FunctionObject* f, const CallArgs& args);  // Binds the arguments.
  // Moves positional arguments into a new frame. Returns null if the function needs the general
  // way.
  Frame* EnterSimple(FunctionObject* f, Value* args, size_t count);
  void FillCells(Frame* frame, FunctionObject* f);
  void CheckDepth();

  // Operations that would make the loop too long.
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
  Value Import(const Frame& f, std::string_view name, bool whole);
  Value ImportFrom(const Value& module, StrObject* name);
  void ImportStar(const Value& module);
  Value FormatPiece(const Value& v, int conversion, const Value* spec);
  Value Compare(int op, const Value& a, const Value& b);
  Value RunVerb(Frame* f, const CodeVerb& verb);
  bool ThrowInto(GeneratorObject* g, Value* send, Value* error, Value* out);
  bool YieldFromStep(const Value& iterator, Value sent, Value* out);
  Value CallSlow(const Value& callee, std::span<const Value> args, const TupleObject* keywords);
  // Returns a frame for the callee, or null if it is not a Python function.
  Frame* EnterCall(Value* callee, Value* args, size_t count);

  void* Allocate(size_t bytes);

  Interp& interp_;
  Frame* current_ = nullptr;
  Value handled_;  // The exception whose handler is running, or null.
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
