// Compiles the tree of a statement into bytecode.
//
// A compile-time stack holds the blocks around the current statement (loops, try, with). A return,
// break or continue emits the clean-up of each block that it leaves, and excludes that code from
// the guards. At run time only exceptions therefore need the guard table.
//
// A Compiler is used once, for one Code, by one thread. Each nested function has a separate
// Compiler, which points to the outer one.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "shell/python/compile/code.h"
#include "shell/python/compile/globals.h"
#include "shell/python/compile/scope.h"
#include "shell/python/syntax/ast.h"

namespace tensh::shell {

// Compiles one top-level statement. Running the Code returns the value of an expression statement,
// or a null Value for any other statement. If `in_dict` is true, its names are those of a dict, as in the body
// of a class. Throws SyntaxError.
Ref<Code> CompileStatement(const Ast& ast, const Node& statement, Globals* globals,
                           bool in_dict = false);
// Compiles one expression. The Code returns its value. Throws SyntaxError.
Ref<Code> CompileExpression(const Ast& ast, const Node& expression, Globals* globals);

class Compiler {
 public:
  Compiler(const Ast& ast, Globals* globals, Scope* scope, Compiler* outer);
  Ref<Code> TopLevel(const Node& statement);
  Ref<Code> TopExpression(const Node& expression);

 private:
  using Label = int32_t;
  enum class BlockKind : uint8_t {
    kWhile,
    kFor,
    kFinally,
    kHandler,
    kFinallyHandler,
    kWith,
    kPending
  };
  struct Block {
    BlockKind kind;
    Label on_break = -1, on_continue = -1;  // Loops only.
    const NodeList* finally = nullptr;      // kFinally only.
    StrObject* name = nullptr;              // kHandler only: the name in `except E as name`.
    // The handler of a guarded block; guard_begin and guard_depth say where the guard starts.
    Label handler = -1;
    uint32_t guard_begin = 0, guard_depth = 0;
  };

  // compile_stmt.cc
  void Statement(const Node& n);
  void Body(const NodeList& list);
  void If(const Node& n);
  void While(const Node& n);
  void For(const Node& n);
  void Try(const Node& n);
  void TryExcept(const Node& n);
  void Handler(const Node& handler, Label end);
  void With(const Node& n, size_t item);
  void Discard(const Node& expression);
  void AugAssign(const Node& n);
  void AnnAssign(const Node& n);
  void Assign(const Node& n);
  void Return(const Node& n);
  void Raise(const Node& n);
  void Verb(const Node& n);
  void LoopExit(const Node& n);
  void Unwind(const Block& block, bool keep_top, Span span);
  void UnwindTo(size_t level, bool keep_top, Span span);
  void Delete(const Node& target);
  void Import(const Node& n);
  void Assert(const Node& n);
  void Def(const Node& n);
  void Class(const Node& n);
  void Store(const Node& target);
  void OpenGuard(Block* block, Label handler);
  void CloseGuard(const Block& block);
  // compile_expr.cc
  void Expression(const Node& n);
  // Compiles a node whose leftmost operand is already on the stack.
  void Step(const Node& n);
  // Compiles a node with all its operands.
  void Leaf(const Node& n);
  void OrNone(const Node* n, Span span);
  void Slice(const Node& n);
  void YieldFrom(const Node& n);
  void Named(const Node& n);
  Span FromName(const Node& attribute, Span span) const;
  void Elements(const NodeList& list, Op build, Op extend, Op append);
  void Dict(const Node& n);
  void Compare(const Node& n);
  void Call(const Node& n);
  void Arguments(const NodeList& args, bool method, Span span);
  void Spread(const NodeList& args, Span span);
  void IfExp(const Node& n);
  void BoolOp(const Node& n);
  void Comprehension(const Node& n);
  void CompClause(const Node& n, size_t clause);
  void Joined(const Node& n);
  void JumpIf(const Node& test, bool when, Label target);
  bool SuperCall(const Node& n);
  bool IsConstant(const Node& n, Value* v) const;
  // compiler.cc
  void Function(const Node& n, StrObject* name, const NodeList& params, Scope* scope);
  void Finish();
  void Parameters(const NodeList& params);
  void MakeClosure(const Ref<Code>& inner, int flags, Span span);
  void Load(StrObject* name, Span span);
  void StoreName(StrObject* name, Span span);
  void DeleteName(StrObject* name, Span span);
  int32_t GlobalIndex(StrObject* name) {
    return static_cast<int32_t>(globals_->IndexOf(name, ast_.source->library()));
  }
  int32_t LocalIndex(StrObject* name);
  int32_t CellIndex(StrObject* name);
  int32_t NameIndex(StrObject* name);
  int32_t Constant(Value v);
  void Emit(Op op, Span span, int effect, int32_t a = 0, uint8_t b = 0, uint16_t c = 0);
  void LoadConst(Value v, Span span) { Emit(Op::kLoadConst, span, 1, Constant(std::move(v))); }
  Label NewLabel();
  void Place(Label label);
  uint32_t here() const { return static_cast<uint32_t>(code_->instrs.size()); }
  [[noreturn]] void Fail(Span span, std::string message);
  std::string Qualified(std::string_view name) const;

  const Ast& ast_;
  Globals* globals_;
  Scope* scope_;
  Compiler* outer_;
  Ref<Code> code_;
  std::unordered_map<StrObject*, int32_t> locals_, cells_, names_;
  std::vector<int32_t> labels_;
  std::vector<Block> blocks_;
  std::vector<std::pair<size_t, Guard>> guards_;  // Each guard with its nesting level.
  int depth_ = 0;
  int nesting_ = 0;
  // Target of the latest jump; instructions are not fused across it.
  uint32_t last_label_ = UINT32_MAX;
  int32_t none_ = -1;
};

}  // namespace tensh::shell
