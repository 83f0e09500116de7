#include "shell/python/compile/compiler.h"

#include <algorithm>

#include "shell/python/syntax/lexer.h"
#include "shell/python/values/error.h"

namespace tensh::shell {

namespace {

bool IsJump(Op op) {
  switch (op) {
    case Op::kJump:
    case Op::kJumpIfFalse:
    case Op::kJumpIfTrue:
    case Op::kJumpIfFalseOrPop:
    case Op::kJumpIfTrueOrPop:
    case Op::kForIter:
    case Op::kCompareJump:
      return true;
    default:
      return false;
  }
}

}  // namespace

Compiler::Compiler(const Ast& ast, Globals* globals, Scope* scope, Compiler* outer)
    : ast_(ast), globals_(globals), scope_(scope), outer_(outer), code_(New<Code>()) {
  code_->source = ast.source;
  if (outer) nesting_ = outer->nesting_ + 1;
  if (!scope || scope->type == Scope::Type::kModule) return;
  // The function's own cells come first, then the captured ones.
  for (StrObject* name : scope->order) {
    if (scope->Find(name) != Where::kCell) continue;
    cells_[name] = static_cast<int32_t>(code_->cell_names.size());
    code_->cell_names.push_back(name);
  }
  code_->own_cells = static_cast<uint32_t>(code_->cell_names.size());
  code_->cell_from.assign(code_->own_cells, -1);
  for (StrObject* name : scope->order) {
    if (!scope->names.at(name).free || cells_.count(name)) continue;
    cells_[name] = static_cast<int32_t>(code_->cell_names.size());
    code_->cell_names.push_back(name);
  }
}

void Compiler::Fail(Span span, std::string message) {
  ThrowSyntax(*ast_.source, span, std::move(message));
}

void Compiler::Emit(Op op, Span span, int effect, int32_t a, uint8_t b, uint16_t c) {
  code_->instrs.push_back({op, b, c, a});
  code_->spans.push_back(span);
  depth_ += effect;
  // Reserves spare slots, because some instructions push before they pop.
  code_->stack_size = std::max(code_->stack_size, static_cast<uint32_t>(std::max(depth_, 0)) + 2);
}

Compiler::Label Compiler::NewLabel() {
  labels_.push_back(-1);
  return static_cast<Label>(labels_.size() - 1);
}

void Compiler::Place(Label label) {
  labels_[static_cast<size_t>(label)] = static_cast<int32_t>(here());
  last_label_ = here();
}

int32_t Compiler::Constant(Value v) {
  if (v.is_none()) {
    if (none_ < 0) {
      none_ = static_cast<int32_t>(code_->constants.size());
      code_->constants.push_back(Value::None());
    }
    return none_;
  }
  code_->constants.push_back(std::move(v));
  return static_cast<int32_t>(code_->constants.size() - 1);
}

int32_t Compiler::LocalIndex(StrObject* name) {
  auto [it, fresh] = locals_.try_emplace(name, static_cast<int32_t>(code_->local_names.size()));
  if (fresh) code_->local_names.push_back(name);
  return it->second;
}

int32_t Compiler::CellIndex(StrObject* name) {
  auto it = cells_.find(name);
  if (it != cells_.end()) return it->second;
  Fail({}, "internal: no cell for '" + name->text() + "'");
}

int32_t Compiler::NameIndex(StrObject* name) {
  auto [it, fresh] = names_.try_emplace(name, static_cast<int32_t>(code_->names.size()));
  if (fresh) code_->names.push_back(name);
  return it->second;
}

void Compiler::Load(StrObject* name, Span span) {
  switch (scope_->Find(name)) {
    case Where::kLocal:
      Emit(Op::kLoadFast, span, 1, LocalIndex(name));
      break;
    case Where::kCell:
      Emit(Op::kLoadCell, span, 1, CellIndex(name));
      break;
    case Where::kFree:
      // In a class body, the names of the class hide the captured ones.
      Emit(scope_->type == Scope::Type::kClass ? Op::kLoadClassCell : Op::kLoadCell, span, 1,
           CellIndex(name));
      break;
    case Where::kGlobal:
      Emit(Op::kLoadGlobal, span, 1, GlobalIndex(name));
      break;
    case Where::kName:
      Emit(Op::kLoadName, span, 1, NameIndex(name), 0, 0);
      GlobalIndex(name);
      break;
  }
}

void Compiler::StoreName(StrObject* name, Span span) {
  switch (scope_->Find(name)) {
    case Where::kLocal:
      Emit(Op::kStoreFast, span, -1, LocalIndex(name));
      break;
    case Where::kCell:
    case Where::kFree:
      Emit(Op::kStoreCell, span, -1, CellIndex(name));
      break;
    case Where::kGlobal:
      Emit(Op::kStoreGlobal, span, -1, GlobalIndex(name));
      break;
    case Where::kName:
      Emit(Op::kStoreName, span, -1, NameIndex(name));
      break;
  }
}

void Compiler::DeleteName(StrObject* name, Span span) {
  switch (scope_->Find(name)) {
    case Where::kLocal:
      Emit(Op::kDeleteFast, span, 0, LocalIndex(name));
      break;
    case Where::kCell:
    case Where::kFree:
      Emit(Op::kDeleteCell, span, 0, CellIndex(name));
      break;
    case Where::kGlobal:
      Emit(Op::kDeleteGlobal, span, 0, GlobalIndex(name));
      break;
    case Where::kName:
      Emit(Op::kDeleteName, span, 0, NameIndex(name));
      break;
  }
}

std::string Compiler::Qualified(std::string_view name) const {
  if (!scope_ || scope_->type == Scope::Type::kModule) return std::string(name);
  return code_->qualname + (scope_->type == Scope::Type::kClass ? "." : ".<locals>.") +
         std::string(name);
}

void Compiler::Parameters(const NodeList& params) {
  Signature& s = code_->signature;
  bool simple = true;
  for (const Node* p : params) {
    const auto kind = static_cast<ParameterKind>(p->op);
    const auto slot = LocalIndex(p->name);
    s.params.push_back(
        {p->name, Value(),
         p->a != nullptr || kind == ParameterKind::kStar || kind == ParameterKind::kStarStar});
    if (kind == ParameterKind::kPositionalOnly) s.positional_only = s.params.size();
    if (kind == ParameterKind::kPositionalOnly || kind == ParameterKind::kNormal) ++s.positional;
    if (kind == ParameterKind::kStar) s.star = slot;
    if (kind == ParameterKind::kStarStar) s.star_star = slot;
    if (auto cell = cells_.find(p->name); cell != cells_.end()) {
      code_->cell_from[static_cast<size_t>(cell->second)] = slot;
      simple = false;
    }
  }
  code_->simple_call = simple && s.positional == s.params.size();
}

void Compiler::MakeClosure(const Ref<Code>& inner, int flags, Span span) {
  const size_t captured = inner->cell_names.size() - inner->own_cells;
  for (size_t i = inner->own_cells; i < inner->cell_names.size(); ++i) {
    Emit(Op::kPushCell, span, 1, CellIndex(inner->cell_names[i]));
  }
  if (captured > 0) {
    Emit(Op::kBuildTuple, span, 1 - static_cast<int>(captured), static_cast<int32_t>(captured));
    flags |= 2;
  }
  const int popped = (flags & 1) + ((flags >> 1) & 1);
  Emit(Op::kMakeFunction, span, 1 - popped, Constant(Value(inner)), static_cast<uint8_t>(flags));
}

// Leaves the function object on the stack.
void Compiler::Function(const Node& n, StrObject* name, const NodeList& params, Scope* scope) {
  int defaults = 0;
  for (const Node* p : params) {
    if (!p->a) continue;
    Expression(*p->a);
    ++defaults;
  }
  if (defaults) Emit(Op::kBuildTuple, n.span, 1 - defaults, defaults);
  Compiler inner(ast_, globals_, scope, this);
  if (inner.nesting_ > kMaxNesting) Fail(n.span, "functions are nested too deeply");
  inner.code_->name = name->text();
  inner.code_->qualname = Qualified(name->view());
  inner.code_->is_generator = scope->is_generator;
  inner.Parameters(params);
  if (n.kind == Kind::kLambda) {
    inner.Expression(*n.a);
    inner.Emit(Op::kReturn, n.a->span, -1);
  } else {
    if (!n.list.empty() && n.list[0]->kind == Kind::kExpression &&
        n.list[0]->a->kind == Kind::kConstant) {
      Value doc = ast_.constants[n.list[0]->a->constant];
      if (IsStr(doc)) inner.code_->doc = doc;
    }
    inner.Body(n.list);
    inner.LoadConst(Value::None(), n.span);
    inner.Emit(Op::kReturn, n.span, -1);
  }
  inner.Finish();
  MakeClosure(inner.code_, defaults ? 1 : 0, n.span);
}

void Compiler::Finish() {
  for (Instr& i : code_->instrs) {
    if (IsJump(i.op)) i.a = labels_[static_cast<size_t>(i.a)];
  }
  std::stable_sort(guards_.begin(), guards_.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  for (auto& [level, guard] : guards_) {
    guard.handler = static_cast<uint32_t>(labels_[guard.handler]);
    if (guard.begin < guard.end) code_->guards.push_back(guard);
  }
}

Ref<Code> Compiler::TopLevel(const Node& statement) {
  if (statement.kind == Kind::kExpression) return TopExpression(*statement.a);
  Statement(statement);
  Emit(Op::kLoadConst, statement.span, 1, Constant(Value()));
  Emit(Op::kReturn, statement.span, -1);
  Finish();
  return code_;
}

Ref<Code> Compiler::TopExpression(const Node& expression) {
  Expression(expression);
  Emit(Op::kReturn, expression.span, -1);
  Finish();
  return code_;
}

Ref<Code> CompileStatement(const Ast& ast, const Node& statement, Globals* globals, bool in_dict) {
  auto scope = AnalyzeScopes(ast, statement, in_dict ? Scope::Type::kClass : Scope::Type::kModule);
  return Compiler(ast, globals, scope.get(), nullptr).TopLevel(statement);
}

Ref<Code> CompileExpression(const Ast& ast, const Node& expression, Globals* globals) {
  Node wrapper;
  wrapper.kind = Kind::kExpression;
  wrapper.span = expression.span;
  wrapper.a = const_cast<Node*>(&expression);
  return CompileStatement(ast, wrapper, globals);
}

}  // namespace tensh::shell
