// The part of the Parser that reads Python 2. It makes the tree of the same program in Python 3.
// Operations that differ become calls of helpers, whose names begin with a dot so that no variable
// hides them: `.print` is do_print in shell/python/library/python2.py.
#include <algorithm>

#include "shell/python/syntax/parser.h"
#include "shell/python/values/error.h"

namespace tensh::shell {

// Makes the call of a helper.
Node* Parser::Helper(std::string_view name, const std::vector<Node*>& args, uint32_t begin) {
  Node* function = Make(Kind::kName, begin);
  function->name = Intern(name);
  Node* call = Make(Kind::kCall, begin);
  call->a = function;
  call->list = ast_->List(args);
  return call;
}

Node* Parser::Constant(Value v, uint32_t begin) {
  Node* node = Make(Kind::kConstant, begin);
  node->constant = ast_->Constant(std::move(v));
  return node;
}

// Parses a print or exec statement. Returns null if the next statement is neither.
Node* Parser::PrintOrExec() {
  if (!python2_ || !At(Tok::kName) || has_peek_) return nullptr;
  const std::string_view word = lexer_.Text(token_.span);
  const uint32_t begin = token_.span.begin;
  Node* call = nullptr;
  if (word == "print" && !python2_->print_function)
    call = PrintStatement();
  else if (word == "exec")
    call = ExecStatement();
  if (call == nullptr) return nullptr;
  Node* node = Make(Kind::kExpression, begin);
  node->a = call;
  return node;
}

// `print a, b`, `print >>file, a` and, without a newline, `print a,`.
Node* Parser::PrintStatement() {
  const uint32_t begin = Advance().span.begin;
  Node* file = nullptr;
  bool more = true;
  if (Accept(Tok::kRShift)) {
    file = Expression();
    more = Accept(Tok::kComma);
    if (!more && !AtStatementEnd()) Unexpected();
  }
  std::vector<Node*> items;
  bool newline = true;
  while (more && !AtStatementEnd()) {
    items.push_back(Expression());
    more = Accept(Tok::kComma);
    newline = !more;
  }
  if (!AtStatementEnd()) Unexpected();
  items.insert(items.begin(), {file ? file : Constant(Value::None(), begin),
                               Constant(Value::Bool(newline), begin)});
  return Helper(".print", items, begin);
}

// `exec code` and `exec code in globals, locals`.
Node* Parser::ExecStatement() {
  const uint32_t begin = Advance().span.begin;
  std::vector<Node*> args = {Operators(0)};
  if (Accept(Tok::kIn)) {
    do args.push_back(Expression());
    while (Accept(Tok::kComma));
  }
  return Helper(".exec", args, begin);
}

// Throws for a line in Python 3 that begins like a print or exec statement.
void Parser::RefusePrint(const Node& first) {
  const Node* inner = &first;
  if (inner->kind == Kind::kTuple && !inner->list.empty()) inner = inner->list[0];
  const bool shift = inner->kind == Kind::kBinary &&
                     inner->op == static_cast<uint8_t>(BinaryOp::kRShift) &&
                     inner->a->kind == Kind::kName && inner->a->name->view() == "print";
  const std::string_view word = shift                       ? "print"
                                : first.kind == Kind::kName ? first.name->view()
                                                            : "";
  if (word != "print" && word != "exec") return;
  if (!shift && !(BeginsExpression(token_.kind) && !At(Tok::kYield))) return;
  ThrowPython2(lexer_.source(), {first.span.begin, std::max(token_.span.end, first.span.end)},
               "Missing parentheses in call to '" + std::string(word) + "'. Did you mean " +
                   std::string(word) + "(...)?");
}

// `raise type, value` and `raise type, value, traceback`, from the first comma on.
Node* Parser::RaiseArguments(Node* type) {
  if (!python2_) ThrowPython2(lexer_.source(), token_.span, "invalid syntax");
  Advance();
  Node* value = Expression();
  if (Accept(Tok::kComma)) Expression();
  return Helper(".raise", {type, value}, type->span.begin);
}

Node* Parser::Backticks() {
  const uint32_t begin = Advance().span.begin;
  Node* value = Expressions(false);
  Expect(Tok::kBacktick, "'`'");
  return Helper(".repr", {value}, begin);
}

// Returns the helper that computes an operator, or null if both languages agree on it.
const char* Parser::HelperOf(BinaryOp op, const Node& left) const {
  if (!python2_) return nullptr;
  if (op == BinaryOp::kTrueDiv) return python2_->division ? nullptr : ".div";
  const bool text = (left.kind == Kind::kConstant && IsStr(ast_->constants[left.constant]));
  return op == BinaryOp::kMod && text ? ".mod" : nullptr;
}

// Makes `target = helper(target, value)` of `target /= value`.
Node* Parser::DivideAssign(Node* target, Node* value, uint32_t begin) {
  Node* assign = Make(Kind::kAssign, begin);
  assign->list = ast_->List({target});
  assign->a = Helper(".idiv", {target, value}, begin);
  return assign;
}

// Replaces a call whose method or function means something else in Python 3.
Node* Parser::CallInPython2(Node* call) {
  const Node& function = *call->a;
  const uint32_t begin = call->span.begin;
  if (function.kind == Kind::kName && function.name->view() == "str" && call->list.size == 1 &&
      call->list[0]->kind != Kind::kStarred && call->list[0]->kind != Kind::kKeyword)
    return Helper(".str", {call->list[0]}, begin);
  if (function.kind != Kind::kAttribute) return call;
  const std::string_view name = function.name->view();
  if (call->list.empty())
    return name == "keys" || name == "values" || name == "items" ? Helper(".list", {call}, begin)
                                                                 : call;
  const bool format = name == "format" && function.a->kind == Kind::kConstant;
  if (name != "sort" && name != "encode" && !format) return call;
  std::vector<Node*> args(call->list.begin(), call->list.end());
  args.insert(args.begin(), function.a);
  return Helper(name == "sort" ? ".sort" : format ? ".format" : ".encode", args, begin);
}

// Parses a parameter such as (a, b), and returns the parameter that takes its place.
Node* Parser::TupleParameter(uint32_t begin) {
  if (!python2_) {
    ThrowPython2(lexer_.source(), token_.span, "Function parameters cannot be parenthesized");
  }
  Node* target = Atom();
  CheckTarget(target, "assign to");
  Node* p = Make(Kind::kParameter, begin);
  p->name = Intern("." + std::to_string(begin));
  p->op = static_cast<uint8_t>(ParameterKind::kNormal);
  tuple_parameters_.emplace_back(p->name, target);
  return p;
}

// Adds statements that unpack the tuple parameters to the beginning of a function.
NodeList Parser::UnpackInBody(const std::vector<TupleParameterRow>& tuples, NodeList body) {
  if (tuples.empty()) return body;
  std::vector<Node*> all;
  for (const auto& [name, target] : tuples) {
    Node* value = ast_->Make(Kind::kName, target->span);
    value->name = name;
    Node* assign = ast_->Make(Kind::kAssign, target->span);
    assign->list = ast_->List({target});
    assign->a = value;
    all.push_back(assign);
  }
  all.insert(all.end(), body.begin(), body.end());
  return ast_->List(all);
}

// Appends (name := value[i]) for each name of a target.
void Parser::NameParts(Node* target, Node* value, std::vector<Node*>* out) {
  if (target->kind == Kind::kName) {
    Node* named = ast_->Make(Kind::kNamed, target->span);
    named->a = target, named->b = value;
    return out->push_back(named);
  }
  for (uint32_t i = 0; i < target->list.size; ++i) {
    Node* part = ast_->Make(Kind::kSubscript, target->span);
    part->a = value;
    part->b = Constant(Value::Int(i), target->span.begin);
    NameParts(target->list[i], part, out);
  }
}

// Makes (a := x[0], b := x[1], body)[-1] of a lambda's body.
Node* Parser::UnpackInLambda(const std::vector<TupleParameterRow>& tuples, Node* body) {
  if (tuples.empty()) return body;
  std::vector<Node*> items;
  for (const auto& [name, target] : tuples) {
    Node* value = ast_->Make(Kind::kName, target->span);
    value->name = name;
    NameParts(target, value, &items);
  }
  items.push_back(body);
  Node* tuple = ast_->Make(Kind::kTuple, body->span);
  tuple->list = ast_->List(items);
  Node* last = ast_->Make(Kind::kSubscript, body->span);
  last->a = tuple;
  last->b = Constant(Value::Int(-1), body->span.begin);
  return last;
}

// Gives a class the special methods of Python 3 that it defines under the names of Python 2, and
// the metaclass that its body names.
void Parser::NewerMethods(NodeList* body, NodeList* bases) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"next", "__next__"},
      {"__nonzero__", "__bool__"},
      {"__div__", "__truediv__"},
      {"__rdiv__", "__rtruediv__"},
      {"__unicode__", "__str__"}};
  std::vector<Node*> all(body->begin(), body->end());
  std::vector<Node*> parents(bases->begin(), bases->end());
  for (Node* n : *body) {
    for (const auto& [older, newer] : kNames) {
      if (n->kind != Kind::kDef || n->name->view() != older) continue;
      const bool there = std::ranges::any_of(*body, [wanted = newer](const Node* other) {
        return other->kind == Kind::kDef && other->name->view() == wanted;
      });
      if (there) continue;
      Node *target = ast_->Make(Kind::kName, n->span), *value = ast_->Make(Kind::kName, n->span);
      target->name = Intern(newer), value->name = n->name;
      Node* assign = ast_->Make(Kind::kAssign, n->span);
      assign->list = ast_->List({target});
      assign->a = value;
      all.push_back(assign);
    }
    if (n->kind == Kind::kAssign && n->list.size == 1 && n->list[0]->kind == Kind::kName &&
        n->list[0]->name->view() == "__metaclass__") {
      Node* keyword = ast_->Make(Kind::kKeyword, n->span);
      keyword->name = Intern("metaclass");
      keyword->a = n->a;
      parents.push_back(keyword);
    }
  }
  *body = ast_->List(all);
  *bases = ast_->List(parents);
}

}  // namespace tensh::shell
