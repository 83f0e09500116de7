// The part of the Compiler that handles statements: assignments, control flow, definitions and
// imports.
#include "shell/python/compile/compiler.h"
#include "shell/python/values/error.h"

namespace tensh::shell {

void Compiler::Body(const NodeList& list) {
  for (const Node* n : list) Statement(*n);
}

void Compiler::Statement(const Node& n) {
  switch (n.kind) {
    case Kind::kExpression:
      return Discard(*n.a);
    case Kind::kAssign:
      return Assign(n);
    case Kind::kAugAssign:
      return AugAssign(n);
    case Kind::kAnnAssign:
      return AnnAssign(n);
    case Kind::kFor:
      return For(n);
    case Kind::kWhile:
      return While(n);
    case Kind::kIf:
      return If(n);
    case Kind::kWith:
      return With(n, 0);
    case Kind::kDef:
      return Def(n);
    case Kind::kClass:
      return Class(n);
    case Kind::kReturn:
      return Return(n);
    case Kind::kRaise:
      return Raise(n);
    case Kind::kTry:
      return Try(n);
    case Kind::kGlobal:
    case Kind::kNonlocal:
    case Kind::kPass:
      return;
    case Kind::kImport:
    case Kind::kImportFrom:
      return Import(n);
    case Kind::kBreak:
    case Kind::kContinue:
      return LoopExit(n);
    case Kind::kDelete:
      for (const Node* target : n.list) Delete(*target);
      return;
    case Kind::kAssert:
      return Assert(n);
    case Kind::kVerb:
      return Verb(n);
    default:
      Fail(n.span, "invalid syntax");
  }
}

// Evaluates an expression for its effects. A constant, such as a docstring, has none.
void Compiler::Discard(const Node& expression) {
  if (expression.kind == Kind::kConstant) return;
  Expression(expression);
  Emit(Op::kPop, expression.span, -1);
}

// Annotations of variables are not evaluated.
void Compiler::AnnAssign(const Node& n) {
  if (!n.c) return;
  Expression(*n.c);
  Store(*n.a);
}

void Compiler::Raise(const Node& n) {
  if (n.a) Expression(*n.a);
  if (n.b) Expression(*n.b);
  const int operands = (n.a != nullptr) + (n.b != nullptr);
  Emit(Op::kRaise, n.span, -operands, operands);
}

void Compiler::Verb(const Node& n) {
  const bool value = n.kind == Kind::kVerbValue;
  code_->verbs.push_back({n.name->text(), std::string(n.text), n.rest_begin, value});
  Emit(Op::kVerb, n.span, value ? 1 : 0, static_cast<int32_t>(code_->verbs.size() - 1));
}

void Compiler::Store(const Node& target) {
  switch (target.kind) {
    case Kind::kName:
      StoreName(target.name, target.span);
      break;
    case Kind::kAttribute:
      Expression(*target.a);
      Emit(Op::kStoreAttr, target.span, -2, NameIndex(target.name));
      break;
    case Kind::kSubscript:
      Expression(*target.a);
      Expression(*target.b);
      Emit(Op::kStoreItem, target.span, -3);
      break;
    case Kind::kTuple:
    case Kind::kList: {
      int star = -1;
      for (size_t i = 0; i < target.list.size; ++i) {
        if (target.list[i]->kind == Kind::kStarred) star = static_cast<int>(i);
      }
      const int count = static_cast<int>(target.list.size);
      if (count > 60000) Fail(target.span, "too many targets in assignment");
      if (star < 0) {
        Emit(Op::kUnpack, target.span, count - 1, count);
      } else {
        Emit(Op::kUnpackStar, target.span, count - 1, star, 0,
             static_cast<uint16_t>(count - star - 1));
      }
      for (const Node* item : target.list) Store(item->kind == Kind::kStarred ? *item->a : *item);
      break;
    }
    default:
      Fail(target.span, "cannot assign to this");
  }
}

void Compiler::Assign(const Node& n) {
  const Node& first = *n.list[0];
  const bool pair = n.list.size == 1 && first.kind == Kind::kTuple && n.a->kind == Kind::kTuple &&
                    first.list.size == 2 && n.a->list.size == 2 &&
                    first.list[0]->kind == Kind::kName && first.list[1]->kind == Kind::kName &&
                    n.a->list[0]->kind != Kind::kStarred && n.a->list[1]->kind != Kind::kStarred;
  if (pair) {
    // Compiles a, b = b, a without building a tuple.
    Expression(*n.a->list[0]);
    Expression(*n.a->list[1]);
    Emit(Op::kSwap, n.span, 0);
    Store(*first.list[0]);
    Store(*first.list[1]);
    return;
  }
  Expression(*n.a);
  for (size_t i = 0; i < n.list.size; ++i) {
    if (i + 1 < n.list.size) Emit(Op::kDup, n.span, 1);
    Store(*n.list[i]);
  }
}

void Compiler::AugAssign(const Node& n) {
  const Node& t = *n.a;
  switch (t.kind) {
    case Kind::kName:
      Load(t.name, t.span);
      Expression(*n.b);
      Emit(Op::kInplace, n.span, -1, n.op);
      StoreName(t.name, t.span);
      break;
    case Kind::kAttribute:
      Expression(*t.a);
      Emit(Op::kDup, t.span, 1);
      Emit(Op::kLoadAttr, t.span, 0, NameIndex(t.name));
      Expression(*n.b);
      Emit(Op::kInplace, n.span, -1, n.op);
      Emit(Op::kSwap, n.span, 0);
      Emit(Op::kStoreAttr, t.span, -2, NameIndex(t.name));
      break;
    default:
      Expression(*t.a);
      Expression(*t.b);
      Emit(Op::kDup2, t.span, 2);
      Emit(Op::kGetItem, t.span, -1);
      Expression(*n.b);
      Emit(Op::kInplace, n.span, -1, n.op);
      Emit(Op::kRot3, n.span, 0);
      Emit(Op::kStoreItem, t.span, -3);
  }
}

void Compiler::If(const Node& n) {
  Label end = NewLabel();
  for (size_t i = 0; i < n.list.size; ++i) {
    const Node& branch = *n.list[i];
    if (!branch.a) {
      Body(branch.list);
      break;
    }
    Label next = NewLabel();
    JumpIf(*branch.a, false, next);
    Body(branch.list);
    if (i + 1 < n.list.size) Emit(Op::kJump, branch.span, 0, end);
    Place(next);
  }
  Place(end);
}

void Compiler::While(const Node& n) {
  Label loop = NewLabel(), otherwise = NewLabel(), end = NewLabel();
  Place(loop);
  Value v;
  const bool forever = IsConstant(*n.a, &v) && (v.is_bool() || v.is_int()) && v.as_int() != 0;
  if (!forever) JumpIf(*n.a, false, otherwise);
  blocks_.push_back({BlockKind::kWhile, end, loop});
  Body(n.list);
  blocks_.pop_back();
  Emit(Op::kJump, n.a->span, 0, loop);
  Place(otherwise);
  Body(n.list2);
  Place(end);
}

void Compiler::For(const Node& n) {
  Label loop = NewLabel(), otherwise = NewLabel(), end = NewLabel();
  Expression(*n.b);
  Emit(Op::kGetIter, n.b->span, 0);
  Place(loop);
  Emit(Op::kForIter, n.b->span, 1, otherwise);
  Store(*n.a);
  blocks_.push_back({BlockKind::kFor, end, loop});
  Body(n.list);
  blocks_.pop_back();
  Emit(Op::kJump, n.span, 0, loop);
  Place(otherwise);
  --depth_;
  Body(n.list2);
  Place(end);
}

void Compiler::OpenGuard(Block* block, Label handler) {
  block->handler = handler;
  block->guard_begin = here();
  block->guard_depth = static_cast<uint32_t>(depth_);
}

void Compiler::CloseGuard(const Block& block) {
  if (block.handler < 0) return;
  guards_.push_back(
      {blocks_.size(),
       {block.guard_begin, here(), static_cast<uint32_t>(block.handler), block.guard_depth}});
}

// Emits what a return, break or continue must do to leave the block. If keep_top is true, the value
// on top of the stack is kept.
void Compiler::Unwind(const Block& block, bool keep_top, Span span) {
  switch (block.kind) {
    case BlockKind::kWhile:
      break;
    case BlockKind::kPending:
    case BlockKind::kFor:
      if (keep_top) Emit(Op::kSwap, span, 0);
      Emit(Op::kPop, span, -1);
      break;
    case BlockKind::kFinally:
      // A break or continue inside the finally block drops the pending return value.
      if (keep_top) blocks_.push_back({BlockKind::kPending});
      Body(*block.finally);
      if (keep_top) blocks_.pop_back();
      break;
    case BlockKind::kHandler:
    case BlockKind::kFinallyHandler:
      if (keep_top) Emit(Op::kRot3, span, 0);
      Emit(Op::kPopExc, span, -2);
      if (block.name) {
        LoadConst(Value::None(), span);
        StoreName(block.name, span);
        DeleteName(block.name, span);
      }
      break;
    case BlockKind::kWith:
      if (keep_top) Emit(Op::kSwap, span, 0);
      Emit(Op::kWithExit, span, -1);
      break;
  }
}

// Leaves the blocks above `level`. The guard of each block ends before its clean-up code.
void Compiler::UnwindTo(size_t level, bool keep_top, Span span) {
  std::vector<Block> left;
  while (blocks_.size() > level) {
    CloseGuard(blocks_.back());
    left.push_back(blocks_.back());
    blocks_.pop_back();
    Unwind(left.back(), keep_top, span);
  }
  while (!left.empty()) {
    blocks_.push_back(left.back());
    left.pop_back();
  }
}

void Compiler::Return(const Node& n) {
  const int depth = depth_;
  if (n.a)
    Expression(*n.a);
  else
    LoadConst(Value::None(), n.span);
  UnwindTo(0, true, n.span);
  Emit(Op::kReturn, n.span, -1);
  depth_ = depth;
  for (Block& b : blocks_) b.guard_begin = here();
}

void Compiler::LoopExit(const Node& n) {
  size_t loop = blocks_.size();
  while (loop > 0 && blocks_[loop - 1].kind != BlockKind::kWhile &&
         blocks_[loop - 1].kind != BlockKind::kFor)
    --loop;
  if (loop == 0) Fail(n.span, "'break' outside loop");
  const int depth = depth_;
  const Block target = blocks_[loop - 1];
  UnwindTo(loop, false, n.span);
  if (n.kind == Kind::kBreak) {
    if (target.kind == BlockKind::kFor) Emit(Op::kPop, n.span, -1);
    Emit(Op::kJump, n.span, 0, target.on_break);
  } else {
    Emit(Op::kJump, n.span, 0, target.on_continue);
  }
  depth_ = depth;
  for (size_t i = loop; i < blocks_.size(); ++i) blocks_[i].guard_begin = here();
}

void Compiler::Try(const Node& n) {
  if (n.list4.empty()) return TryExcept(n);
  Label handler = NewLabel(), end = NewLabel();
  const int depth = depth_;
  blocks_.push_back({BlockKind::kFinally});
  blocks_.back().finally = &n.list4;
  OpenGuard(&blocks_.back(), handler);
  if (n.list2.empty())
    Body(n.list);
  else
    TryExcept(n);
  CloseGuard(blocks_.back());
  blocks_.pop_back();
  Body(n.list4);
  Emit(Op::kJump, n.span, 0, end);
  // If an exception was raised, runs the block with the exception set aside, then raises it again.
  Place(handler);
  depth_ = depth + 1;
  Emit(Op::kPushExc, n.span, 1);
  Label again = NewLabel();
  blocks_.push_back({BlockKind::kFinallyHandler});
  OpenGuard(&blocks_.back(), again);
  Body(n.list4);
  CloseGuard(blocks_.back());
  blocks_.pop_back();
  Emit(Op::kReraise, n.span, -2);
  Place(again);
  depth_ = depth + 3;
  Emit(Op::kReraise, n.span, -3, 1);
  depth_ = depth;
  Place(end);
}

void Compiler::TryExcept(const Node& n) {
  Label handler = NewLabel(), end = NewLabel();
  const int depth = depth_;
  // The guard of the body is a block without clean-up.
  blocks_.push_back({BlockKind::kFinally});
  static const NodeList nothing;
  blocks_.back().finally = &nothing;
  OpenGuard(&blocks_.back(), handler);
  Body(n.list);
  CloseGuard(blocks_.back());
  blocks_.pop_back();
  Body(n.list3);
  Emit(Op::kJump, n.span, 0, end);
  Place(handler);
  depth_ = depth + 1;
  Emit(Op::kPushExc, n.span, 1);
  Label again = NewLabel();
  // Evaluating the type to match may itself raise.
  blocks_.push_back({BlockKind::kHandler});
  OpenGuard(&blocks_.back(), again);
  bool caught_all = false;
  for (const Node* h : n.list2) {
    Label next = NewLabel();
    if (h->a) {
      Expression(*h->a);
      Emit(Op::kMatchExc, h->a->span, 0);
      Emit(Op::kJumpIfFalse, h->a->span, -1, next);
    } else {
      caught_all = true;
    }
    Handler(*h, end);
    Place(next);
    depth_ = depth + 2;
  }
  CloseGuard(blocks_.back());
  blocks_.pop_back();
  if (!caught_all) Emit(Op::kReraise, n.span, -2);
  Place(again);
  depth_ = depth + 3;
  Emit(Op::kReraise, n.span, -3, 1);
  depth_ = depth;
  Place(end);
}

// Compiles the body of one handler. The stack holds the previously handled exception and the new
// one.
void Compiler::Handler(const Node& h, Label end) {
  if (!h.name) {
    Body(h.list);
    // At the normal end, the previously handled exception becomes current again. The enclosing
    // guard already covers this.
    Emit(Op::kPopExc, h.span, -2);
    Emit(Op::kJump, h.span, 0, end);
    return;
  }
  const int depth = depth_;
  Emit(Op::kDup, h.span, 1);
  StoreName(h.name, h.span);
  Label cleanup = NewLabel();
  const Label around = blocks_.back().handler;
  CloseGuard(blocks_.back());
  blocks_.back().name = h.name;
  OpenGuard(&blocks_.back(), cleanup);
  Body(h.list);
  CloseGuard(blocks_.back());
  Emit(Op::kPopExc, h.span, -2);
  LoadConst(Value::None(), h.span);
  StoreName(h.name, h.span);
  DeleteName(h.name, h.span);
  Emit(Op::kJump, h.span, 0, end);
  Place(cleanup);
  depth_ = depth + 1;
  LoadConst(Value::None(), h.span);
  StoreName(h.name, h.span);
  DeleteName(h.name, h.span);
  Emit(Op::kReraise, h.span, -3, 1);
  // Continues with the guard that covers the matching.
  blocks_.back().name = nullptr;
  blocks_.back().handler = around;
  blocks_.back().guard_begin = here();
  depth_ = depth;
}

void Compiler::With(const Node& n, size_t item) {
  if (item == n.list.size) return Body(n.list2);
  const Node& i = *n.list[item];
  Label handler = NewLabel(), suppressed = NewLabel(), again = NewLabel(), end = NewLabel();
  Expression(*i.a);
  Emit(Op::kWithEnter, i.a->span, 1);  // manager → manager, entered
  blocks_.push_back({BlockKind::kWith});
  --depth_;
  OpenGuard(&blocks_.back(), handler);
  ++depth_;
  if (i.b)
    Store(*i.b);
  else
    Emit(Op::kPop, i.span, -1);
  With(n, item + 1);
  CloseGuard(blocks_.back());
  blocks_.pop_back();
  const int depth = depth_;  // The manager is still on the stack.
  Emit(Op::kWithExit, i.a->span, -1);
  Emit(Op::kJump, i.a->span, 0, end);
  Place(handler);
  depth_ = depth + 1;
  Emit(Op::kPushExc, i.a->span, 1);
  blocks_.push_back({BlockKind::kFinallyHandler});
  OpenGuard(&blocks_.back(), again);
  Emit(Op::kWithExcept, i.a->span, 1);
  Emit(Op::kJumpIfTrue, i.a->span, -1, suppressed);
  Emit(Op::kReraise, i.a->span, -2);
  CloseGuard(blocks_.back());
  blocks_.pop_back();
  Place(again);
  depth_ = depth + 3;
  Emit(Op::kReraise, i.a->span, -3, 1);
  Place(suppressed);
  depth_ = depth + 2;
  Emit(Op::kPopExc, i.a->span, -2);
  Emit(Op::kPop, i.a->span, -1);
  Place(end);
}

void Compiler::Delete(const Node& target) {
  switch (target.kind) {
    case Kind::kName:
      DeleteName(target.name, target.span);
      break;
    case Kind::kAttribute:
      Expression(*target.a);
      Emit(Op::kDeleteAttr, target.span, -1, NameIndex(target.name));
      break;
    case Kind::kSubscript:
      Expression(*target.a);
      Expression(*target.b);
      Emit(Op::kDeleteItem, target.span, -2);
      break;
    default:
      for (const Node* item : target.list) Delete(*item);
  }
}

void Compiler::Import(const Node& n) {
  if (n.kind == Kind::kImport) {
    for (const Node* alias : n.list) {
      std::string_view dotted = alias->name->view();
      const bool whole = !alias->text.empty();
      Emit(Op::kImport, alias->span, 1, NameIndex(alias->name), whole);
      StoreName(whole ? Intern(alias->text) : Intern(dotted.substr(0, dotted.find('.'))),
                alias->span);
    }
    return;
  }
  Emit(Op::kImport, n.span, 1, NameIndex(n.name), 1);
  for (const Node* alias : n.list) {
    if (alias->name->view() == "*") {
      Emit(Op::kImportStar, alias->span, 0);
      continue;
    }
    Emit(Op::kImportFrom, alias->span, 1, NameIndex(alias->name), 0, 0);
    StoreName(alias->text.empty() ? alias->name : Intern(alias->text), alias->span);
  }
  Emit(Op::kPop, n.span, -1);
}

void Compiler::Assert(const Node& n) {
  Label fine = NewLabel();
  JumpIf(*n.a, true, fine);
  if (n.b) Expression(*n.b);
  Emit(Op::kRaiseAssert, n.a->span, n.b ? -1 : 0, n.b != nullptr);
  Place(fine);
}

void Compiler::Def(const Node& n) {
  for (const Node* d : n.list2) Expression(*d);
  Function(n, n.name, n.list3, scope_->ChildOf(&n));
  for (size_t i = n.list2.size; i-- > 0;) Emit(Op::kCall, n.list2[i]->span, -1, 1);
  StoreName(n.name, n.span);
}

// The body becomes a function without parameters that returns its __class__ cell or None, which
// kBuildClass fills with the finished class. Decorators are evaluated first and called last, in
// reverse order.
void Compiler::Class(const Node& n) {
  for (const Node* d : n.list2) Expression(*d);
  Scope* scope = scope_->ChildOf(&n);
  Compiler inner(ast_, globals_, scope, this);
  inner.code_->name = n.name->text();
  inner.code_->qualname = Qualified(n.name->view());
  inner.code_->is_class = true;
  if (!n.list.empty() && n.list[0]->kind == Kind::kExpression &&
      n.list[0]->a->kind == Kind::kConstant && IsStr(ast_.constants[n.list[0]->a->constant])) {
    inner.LoadConst(ast_.constants[n.list[0]->a->constant], n.span);
    inner.StoreName(Intern("__doc__"), n.span);
  }
  inner.Body(n.list);
  if (scope->needs_class_cell)
    inner.Emit(Op::kPushCell, n.span, 1, inner.CellIndex(Intern("__class__")));
  else
    inner.LoadConst(Value::None(), n.span);
  inner.Emit(Op::kReturn, n.span, -1);
  inner.Finish();
  MakeClosure(inner.code_, 0, n.span);
  Emit(Op::kBuildList, n.span, 1, 0);
  for (const Node* base : n.list3) {
    if (base->kind == Kind::kKeyword) continue;
    const bool star = base->kind == Kind::kStarred;
    Expression(star ? *base->a : *base);
    Emit(star ? Op::kListExtend : Op::kListAppend, base->span, -1, 1);
  }
  bool keywords = false;
  for (const Node* given : n.list3) {
    if (given->kind != Kind::kKeyword) continue;
    if (!given->name) Fail(given->span, "** is not supported in a class statement");
    if (!keywords) Emit(Op::kBuildDict, n.span, 1, 0);
    keywords = true;
    LoadConst(Value(given->name), given->span);
    Expression(*given->a);
    Emit(Op::kDictAdd, given->span, -2, 1, 1);
  }
  Span whole = n.span;
  if (!n.list.empty()) whole.end = n.list[n.list.size - 1]->span.end;
  Emit(Op::kBuildClass, whole, keywords ? -2 : -1, keywords);
  for (size_t i = n.list2.size; i-- > 0;) Emit(Op::kCall, n.list2[i]->span, -1, 1);
  StoreName(n.name, n.span);
}

}  // namespace tensh::shell
