// Bytecode of a stack machine. A Code holds one function body, class body, comprehension or
// top-level statement.
//
// Names are resolved at compile time: locals to slots, captured names to cells, and globals to
// indexes into the interpreter's table of globals. A parallel array holds the span of each
// instruction, so that an error can point at the expression that failed.
//
// A Code is not changed after it was compiled. Code objects that run on several threads are
// protected by the interpreter's lock (threads.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shell/python/syntax/source.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/signature.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

// clang-format off
#define TENSH_OPCODES(X)                                                                           \
  X(Nop) X(LoadConst) X(Pop) X(Dup) X(Dup2) X(Swap) X(Rot3) X(Rot4) X(LoadFast) X(StoreFast)       \
  X(DeleteFast) X(LoadCell) X(StoreCell) X(DeleteCell) X(PushCell) X(LoadGlobal) X(StoreGlobal)    \
  X(DeleteGlobal) X(LoadName) X(StoreName) X(DeleteName) X(LoadClassCell) X(LoadAttr)              \
  X(StoreAttr) X(DeleteAttr) X(LoadMethod) X(GetItem) X(StoreItem) X(DeleteItem) X(Binary)         \
  X(Inplace) X(Unary) X(Not) X(Compare) X(Is) X(In) X(Jump) X(JumpIfFalse) X(JumpIfTrue)           \
  X(JumpIfFalseOrPop) X(JumpIfTrueOrPop) X(GetIter) X(ForIter) X(BuildTuple) X(BuildList)          \
  X(BuildSet) X(BuildDict) X(BuildSlice) X(BuildString) X(ListAppend) X(SetAdd) X(DictAdd)         \
  X(ListExtend) X(SetUpdate) X(DictUpdate) X(DictMerge) X(ListToTuple) X(Unpack) X(UnpackStar)     \
  X(Call) X(CallKeywords) X(CallMethod) X(CallSpread) X(MakeFunction) X(BuildClass) X(Return)      \
  X(Yield) X(YieldFrom) X(Raise) X(WithEnter) X(WithExit) X(WithExcept) X(PushExc) X(MatchExc)     \
  X(PopExc) X(Reraise) X(Import) X(ImportFrom) X(ImportStar) X(FormatValue) X(Verb)                \
  X(CompareJump) X(RaiseAssert)
// clang-format on

enum class Op : uint8_t {
#define X(name) k##name,
  TENSH_OPCODES(X)
#undef X
};

// One instruction: an opcode and up to three operands, whose meaning depends on the opcode.
struct Instr {
  Op op;
  uint8_t b = 0;
  uint16_t c = 0;
  int32_t a = 0;
};
static_assert(sizeof(Instr) == 8);

// A guarded range of instructions [begin, end). An exception raised in it jumps to `handler` with
// the stack cut to `depth`.
struct Guard {
  uint32_t begin, end, handler, depth;
};

// A verb statement, or the right side of `x = VERB …`: the verb, the rest of its line, and the offset
// of that rest in the source.
struct CodeVerb {
  std::string verb, rest;
  uint32_t rest_begin;
  bool gives_value = false;  // The instruction pushes the value.
};

class Code : public Object {
 public:
  static const TypeInfo kType;
  Code() : Object(kType) {}

  std::string name = "<module>";
  std::string qualname;
  std::shared_ptr<const Source> source;
  std::vector<Instr> instrs;
  std::vector<Span> spans;
  std::vector<Guard> guards;  // Innermost first.
  std::vector<Value> constants;
  std::vector<StrObject*> names;  // Attribute names, and names for LoadName.
  std::vector<StrObject*> local_names;
  std::vector<StrObject*> cell_names;  // The function's own cells, followed by the captured ones.
  std::vector<CodeVerb> verbs;
  uint32_t own_cells = 0;
  // For each own cell that is a parameter, the slot to move in at entry; otherwise -1.
  std::vector<int32_t> cell_from;
  Signature signature;  // The parameters; the default values belong to the function.
  uint32_t stack_size = 0;
  bool simple_call = false;  // True if all parameters are positional and none is captured.
  bool is_generator = false;
  bool is_class = false;
  Value doc;
};

}  // namespace tensh::shell
