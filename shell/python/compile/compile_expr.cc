// The part of the Compiler that handles expressions, calls and comprehensions.
#include "shell/python/compile/compiler.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {

bool Compiler::IsConstant(const Node& n, Value* v) const {
  if (n.kind == Kind::kConstant) {
    *v = ast_.constants[n.constant];
    return true;
  }
  // A negative number is a constant too.
  if (n.kind == Kind::kUnary && n.a->kind == Kind::kConstant &&
      static_cast<UnaryOp>(n.op) == UnaryOp::kNeg) {
    const Value& inner = ast_.constants[n.a->constant];
    if (inner.is_int() || inner.is_float()) {
      *v = Unary(UnaryOp::kNeg, inner);
      return true;
    }
  }
  return false;
}

// Walks down the left spine, then emits code on the way back. Long chains such as a+b+c+… and
// x.y.z… therefore use no native stack.
void Compiler::Expression(const Node& n) {
  std::vector<const Node*> spine;
  const Node* at = &n;
  Value v;
  for (;;) {
    const bool left =
        at->kind == Kind::kBinary || at->kind == Kind::kAttribute || at->kind == Kind::kSubscript;
    const bool call = at->kind == Kind::kCall && at->a->kind != Kind::kName;
    if (!left && !call) break;
    spine.push_back(at);
    if (call && at->a->kind == Kind::kAttribute) {
      // In x.f(…), emitting the call looks the callee up as a method.
      at = at->a->a;
    } else {
      at = at->a;
    }
  }
  if (IsConstant(*at, &v)) {
    LoadConst(std::move(v), at->span);
  } else {
    Step(*at);
  }
  while (!spine.empty()) {
    Step(*spine.back());
    spine.pop_back();
  }
}

// If x.name spans several lines, returns the part from the name on, as CPython does.
Span Compiler::FromName(const Node& attribute, Span span) const {
  const std::string_view text = ast_.source->Text(attribute.span);
  if (text.find('\n') == text.npos) return span;
  span.begin = attribute.span.end - static_cast<uint32_t>(attribute.name->view().size());
  return span;
}

void Compiler::Step(const Node& n) {
  switch (n.kind) {
    case Kind::kAttribute:
      return Emit(Op::kLoadAttr, FromName(n, n.span), 0, NameIndex(n.name));
    case Kind::kSubscript:
      Expression(*n.b);
      return Emit(Op::kGetItem, n.span, -1);
    case Kind::kBinary:
      Expression(*n.b);
      return Emit(Op::kBinary, n.span, -1, n.op);
    case Kind::kCall:
      return Call(n);
    default:
      Leaf(n);
  }
}

void Compiler::Leaf(const Node& n) {
  switch (n.kind) {
    case Kind::kConstant:
      return LoadConst(ast_.constants[n.constant], n.span);
    case Kind::kName:
      return Load(n.name, n.span);
    case Kind::kTuple:
      return Elements(n.list, Op::kBuildTuple, Op::kListExtend, Op::kListAppend);
    case Kind::kList:
      return Elements(n.list, Op::kBuildList, Op::kListExtend, Op::kListAppend);
    case Kind::kSet:
      return Elements(n.list, Op::kBuildSet, Op::kSetUpdate, Op::kSetAdd);
    case Kind::kDict:
      return Dict(n);
    case Kind::kSlice:
      return Slice(n);
    case Kind::kStarred:
      Fail(n.span, "can't use starred expression here");
    case Kind::kUnary:
      Expression(*n.a);
      return Emit(Op::kUnary, n.span, 0, n.op);
    case Kind::kNot:
      Expression(*n.a);
      return Emit(Op::kNot, n.span, 0);
    case Kind::kAnd:
    case Kind::kOr:
      return BoolOp(n);
    case Kind::kCompare:
      return Compare(n);
    case Kind::kIfExp:
      return IfExp(n);
    case Kind::kVerbValue:
      return Verb(n);
    case Kind::kLambda:
      return Function(n, Intern("<lambda>"), n.list3, scope_->ChildOf(&n));
    case Kind::kListComp:
    case Kind::kSetComp:
    case Kind::kDictComp:
    case Kind::kGenerator:
      return Comprehension(n);
    case Kind::kYield:
      OrNone(n.a, n.span);
      return Emit(Op::kYield, n.span, 0);
    case Kind::kYieldFrom:
      return YieldFrom(n);
    case Kind::kNamed:
      return Named(n);
    case Kind::kJoined:
      return Joined(n);
    default:
      Fail(n.span, "invalid syntax");
  }
}

// Loads the value of an operand, or None if it was left out.
void Compiler::OrNone(const Node* n, Span span) {
  if (n)
    Expression(*n);
  else
    LoadConst(Value::None(), span);
}

void Compiler::Slice(const Node& n) {
  for (const Node* part : {n.a, n.b, n.c}) OrNone(part, n.span);
  Emit(Op::kBuildSlice, n.span, -2);
}

void Compiler::YieldFrom(const Node& n) {
  Expression(*n.a);
  Emit(Op::kGetIter, n.span, 0);
  LoadConst(Value::None(), n.span);
  Emit(Op::kYieldFrom, n.span, -1);
}

void Compiler::Named(const Node& n) {
  Expression(*n.b);
  Emit(Op::kDup, n.span, 1);
  StoreName(n.a->name, n.a->span);
}

void Compiler::Elements(const NodeList& list, Op build, Op extend, Op append) {
  bool starred = false;
  for (const Node* item : list) starred = starred || item->kind == Kind::kStarred;
  const Span span =
      list.empty() ? Span{} : Span{list[0]->span.begin, list[list.size - 1]->span.end};
  // Long displays are built in pieces to keep the value stack small.
  constexpr uint32_t kMany = 64;
  if (!starred && list.size <= kMany) {
    for (const Node* item : list) Expression(*item);
    Emit(build, span, 1 - static_cast<int>(list.size), static_cast<int32_t>(list.size));
    return;
  }
  Emit(build == Op::kBuildTuple ? Op::kBuildList : build, span, 1, 0);
  for (const Node* item : list) {
    const bool star = item->kind == Kind::kStarred;
    Expression(star ? *item->a : *item);
    Emit(star ? extend : append, item->span, -1, 1);
  }
  if (build == Op::kBuildTuple) Emit(Op::kListToTuple, span, 0);
}

void Compiler::Dict(const Node& n) {
  Emit(Op::kBuildDict, n.span, 1, 0);
  for (size_t i = 0; i < n.list.size; ++i) {
    if (n.list[i]) {
      Expression(*n.list[i]);
      Expression(*n.list2[i]);
      Emit(Op::kDictAdd, n.list[i]->span, -2, 1);
    } else {
      Expression(*n.list2[i]);
      Emit(Op::kDictUpdate, n.list2[i]->span, -1, 1);
    }
  }
}

void Compiler::Compare(const Node& n) {
  auto one = [&](Comparison c, Span span) {
    switch (c) {
      case Comparison::kIn:
      case Comparison::kNotIn:
        Emit(Op::kIn, span, -1, c == Comparison::kNotIn);
        break;
      case Comparison::kIs:
      case Comparison::kIsNot:
        Emit(Op::kIs, span, -1, c == Comparison::kIsNot);
        break;
      default:
        Emit(Op::kCompare, span, -1, static_cast<int32_t>(c));
    }
  };
  Expression(*n.list[0]);
  if (n.list.size == 2) {
    Expression(*n.list[1]);
    one(static_cast<Comparison>(n.text[0]), n.span);
    return;
  }
  Label cleanup = NewLabel(), end = NewLabel();
  for (size_t i = 1; i < n.list.size; ++i) {
    const auto c = static_cast<Comparison>(n.text[i - 1]);
    Expression(*n.list[i]);
    if (i + 1 == n.list.size) {
      one(c, n.span);
      Emit(Op::kJump, n.span, 0, end);
      break;
    }
    Emit(Op::kDup, n.span, 1);
    Emit(Op::kRot3, n.span, 0);
    one(c, n.span);
    Emit(Op::kJumpIfFalseOrPop, n.span, -1, cleanup);
  }
  Place(cleanup);
  ++depth_;
  Emit(Op::kSwap, n.span, 0);
  Emit(Op::kPop, n.span, -1);
  Place(end);
}

void Compiler::BoolOp(const Node& n) {
  Label end = NewLabel();
  for (size_t i = 0; i < n.list.size; ++i) {
    Expression(*n.list[i]);
    if (i + 1 < n.list.size) {
      Emit(n.kind == Kind::kAnd ? Op::kJumpIfFalseOrPop : Op::kJumpIfTrueOrPop, n.list[i]->span, -1,
           end);
    }
  }
  Place(end);
}

void Compiler::IfExp(const Node& n) {
  Label otherwise = NewLabel(), end = NewLabel();
  JumpIf(*n.b, false, otherwise);
  Expression(*n.a);
  Emit(Op::kJump, n.span, -1, end);
  Place(otherwise);
  Expression(*n.c);
  Place(end);
}

// Jumps to the target if the truth of the test equals `when`.
void Compiler::JumpIf(const Node& test, bool when, Label target) {
  if (test.kind == Kind::kNot) return JumpIf(*test.a, !when, target);
  if ((test.kind == Kind::kAnd && !when) || (test.kind == Kind::kOr && when)) {
    for (const Node* item : test.list) JumpIf(*item, when, target);
    return;
  }
  Expression(test);
  Instr& last = code_->instrs.back();
  if (last.op == Op::kCompare && test.kind == Kind::kCompare && test.list.size == 2 &&
      last_label_ != here()) {
    last = {Op::kCompareJump, static_cast<uint8_t>(last.a), static_cast<uint16_t>(when), target};
    --depth_;
    return;
  }
  Emit(when ? Op::kJumpIfTrue : Op::kJumpIfFalse, test.span, -1, target);
}

// super() without arguments means super(__class__, first parameter).
bool Compiler::SuperCall(const Node& n) {
  if (n.a->kind != Kind::kName || n.a->name->view() != "super" || !n.list.empty()) return false;
  StrObject* class_name = Intern("__class__");
  if (scope_->Find(class_name) != Where::kFree || code_->signature.params.empty()) return false;
  Load(n.a->name, n.a->span);
  Load(class_name, n.span);
  Load(code_->signature.params[0].name, n.span);
  Emit(Op::kCall, n.span, -2, 2);
  return true;
}

void Compiler::Call(const Node& n) {
  if (n.a->kind == Kind::kName) {
    if (SuperCall(n)) return;
    Load(n.a->name, n.a->span);
  }
  const bool method = n.a->kind == Kind::kAttribute;
  bool spread = false;
  for (const Node* arg : n.list) {
    spread = spread || arg->kind == Kind::kStarred || (arg->kind == Kind::kKeyword && !arg->name);
  }
  if (method && !spread && n.list.size < 250) {
    Emit(Op::kLoadMethod, FromName(*n.a, n.a->span), 1, NameIndex(n.a->name));
    Arguments(n.list, true, FromName(*n.a, n.span));
    return;
  }
  if (method) Emit(Op::kLoadAttr, FromName(*n.a, n.a->span), 0, NameIndex(n.a->name));
  const Span span = method ? FromName(*n.a, n.span) : n.span;
  if (spread || n.list.size >= 250) {
    Spread(n.list, span);
  } else {
    Arguments(n.list, false, span);
  }
}

void Compiler::Arguments(const NodeList& args, bool method, Span span) {
  std::vector<Value> keywords;
  for (const Node* arg : args) {
    Expression(arg->kind == Kind::kKeyword ? *arg->a : *arg);
    if (arg->kind == Kind::kKeyword) keywords.push_back(Value(arg->name));
  }
  const int count = static_cast<int>(args.size);
  if (keywords.empty()) {
    Emit(method ? Op::kCallMethod : Op::kCall, span, -count - (method ? 1 : 0), count);
    return;
  }
  const int32_t names = Constant(MakeTuple(std::move(keywords)));
  Emit(Op::kCallKeywords, span, -count - (method ? 1 : 0), names, method,
       static_cast<uint16_t>(count));
}

// Compiles f(*a, **k): first collects the arguments in a list and a dict.
void Compiler::Spread(const NodeList& args, Span span) {
  Emit(Op::kBuildList, span, 1, 0);
  bool any_keyword = false;
  for (const Node* arg : args) {
    if (arg->kind == Kind::kKeyword) {
      any_keyword = true;
      continue;
    }
    const bool star = arg->kind == Kind::kStarred;
    Expression(star ? *arg->a : *arg);
    Emit(star ? Op::kListExtend : Op::kListAppend, arg->span, -1, 1, star);
  }
  if (any_keyword) {
    Emit(Op::kBuildDict, span, 1, 0);
    for (const Node* arg : args) {
      if (arg->kind != Kind::kKeyword) continue;
      if (arg->name) {
        LoadConst(Value(arg->name), arg->span);
        Expression(*arg->a);
        Emit(Op::kDictAdd, arg->span, -2, 1, 1);
      } else {
        Expression(*arg->a);
        Emit(Op::kDictMerge, arg->span, -1, 1);
      }
    }
  }
  Emit(Op::kCallSpread, span, any_keyword ? -2 : -1, any_keyword);
}

void Compiler::Comprehension(const Node& n) {
  Scope* scope = scope_->ChildOf(&n);
  Compiler inner(ast_, globals_, scope, this);
  const char* name = n.kind == Kind::kListComp   ? "<listcomp>"
                     : n.kind == Kind::kSetComp  ? "<setcomp>"
                     : n.kind == Kind::kDictComp ? "<dictcomp>"
                                                 : "<genexpr>";
  inner.code_->name = name;
  inner.code_->qualname = Qualified(name);
  inner.code_->is_generator = n.kind == Kind::kGenerator;
  // The only parameter is the iterator of the first iterable, which the enclosing code creates.
  StrObject* iterator = Intern(".0");
  inner.LocalIndex(iterator);
  inner.code_->signature.params.push_back({iterator, Value(), false});
  inner.code_->signature.positional = 1;
  inner.code_->simple_call = true;
  if (n.kind == Kind::kListComp) inner.Emit(Op::kBuildList, n.span, 1, 0);
  if (n.kind == Kind::kSetComp) inner.Emit(Op::kBuildSet, n.span, 1, 0);
  if (n.kind == Kind::kDictComp) inner.Emit(Op::kBuildDict, n.span, 1, 0);
  inner.CompClause(n, 0);
  if (n.kind == Kind::kGenerator) inner.LoadConst(Value::None(), n.span);
  inner.Emit(Op::kReturn, n.span, -1);
  inner.Finish();
  MakeClosure(inner.code_, 0, n.span);
  Expression(*n.list[0]->b);
  Emit(Op::kGetIter, n.list[0]->b->span, 0);
  Emit(Op::kCall, n.span, -1, 1);
}

void Compiler::CompClause(const Node& n, size_t clause) {
  if (clause == n.list.size) {
    const auto up =
        // The iterators are between the result and the item.
        static_cast<int32_t>(n.list.size) + 1;
    Expression(*n.a);
    switch (n.kind) {
      case Kind::kListComp:
        Emit(Op::kListAppend, n.a->span, -1, up);
        break;
      case Kind::kSetComp:
        Emit(Op::kSetAdd, n.a->span, -1, up);
        break;
      case Kind::kDictComp:
        Expression(*n.b);
        Emit(Op::kDictAdd, n.a->span, -2, up);
        break;
      default:
        Emit(Op::kYield, n.a->span, 0);
        Emit(Op::kPop, n.a->span, -1);
    }
    return;
  }
  const Node& c = *n.list[clause];
  if (clause == 0) {
    Emit(Op::kLoadFast, c.span, 1, LocalIndex(Intern(".0")));
  } else {
    Expression(*c.b);
    Emit(Op::kGetIter, c.b->span, 0);
  }
  Label next = NewLabel(), end = NewLabel();
  Place(next);
  // As in CPython, an error of the iterator points at the whole comprehension.
  Emit(Op::kForIter, n.span, 1, end);
  Store(*c.a);
  for (const Node* test : c.list) JumpIf(*test, false, next);
  CompClause(n, clause + 1);
  Emit(Op::kJump, c.span, 0, next);
  Place(end);
  --depth_;  // The loop has popped the iterator.
}

void Compiler::Joined(const Node& n) {
  for (const Node* piece : n.list) {
    if (piece->kind == Kind::kConstant) {
      LoadConst(ast_.constants[piece->constant], piece->span);
      continue;
    }
    Expression(*piece->a);
    if (piece->b) Joined(*piece->b);
    Emit(Op::kFormatValue, piece->span, piece->b ? -1 : 0, piece->op, piece->b != nullptr);
  }
  const int count = static_cast<int>(n.list.size);
  Emit(Op::kBuildString, n.span, 1 - count, count);
}

}  // namespace tensh::shell
