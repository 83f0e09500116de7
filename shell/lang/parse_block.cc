// Statements with a body: if, while, for, try, with, def, class.
#include "shell/lang/parser.h"
#include "shell/values/error.h"

namespace tensh::shell {

NodeList Parser::Block() {
  Expect(Tok::kColon, "':'");
  Deeper deeper(this);
  std::vector<Node*> body;
  if (!At(Tok::kNewline)) {
    SimpleLine(&body);
    return ast_->List(body);
  }
  const Span header = {last_end_ ? last_end_ - 1 : 0, last_end_};
  Advance();
  if (!At(Tok::kIndent)) {
    if (At(Tok::kEnd)) failed_at_end_ = true;
    ThrowSyntax(lexer_.source(), At(Tok::kEnd) ? header : token_.span,
                "expected an indented block after the statement on line " +
                    std::to_string(lexer_.source().Locate(header).line),
                kIndentationError);
  }
  Advance();
  while (!At(Tok::kDedent) && !At(Tok::kEnd)) NextStatements(&body);
  if (At(Tok::kDedent)) Advance();
  return ast_->List(body);
}

Node* Parser::CompoundStatement() {
  switch (token_.kind) {
    case Tok::kIf:
      return If();
    case Tok::kWhile:
      return While();
    case Tok::kFor:
      return For();
    case Tok::kTry:
      return Try();
    case Tok::kWith:
      return With();
    case Tok::kDef:
      return Def({});
    case Tok::kClass:
      return Class({});
    case Tok::kAt:
      return Decorated();
    default:
      Fail(token_.span, "'async' is not supported: there is no asyncio here");
  }
}

Node* Parser::If() {
  const uint32_t begin = token_.span.begin;
  std::vector<Node*> branches;
  while (At(Tok::kIf) || At(Tok::kElif) || At(Tok::kElse)) {
    if (At(Tok::kIf) && !branches.empty()) break;
    const Token word = Advance();
    Node* test = word.kind == Tok::kElse ? nullptr : NamedExpression();
    if (test && At(Tok::kAssign)) {
      Fail({test->span.begin, token_.span.end},
           "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
    }
    NodeList body = Block();
    Node* branch = Make(Kind::kBranch, word.span.begin);
    branch->a = test;
    branch->list = body;
    branches.push_back(branch);
    if (!test) break;
  }
  Node* node = Make(Kind::kIf, begin);
  node->list = ast_->List(branches);
  return node;
}

Node* Parser::While() {
  const uint32_t begin = Advance().span.begin;
  Node* test = NamedExpression();
  if (At(Tok::kAssign)) {
    Fail({test->span.begin, token_.span.end},
         "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
  }
  ++loop_depth_;
  NodeList body = Block();
  --loop_depth_;
  NodeList otherwise;
  if (Accept(Tok::kElse)) otherwise = Block();
  Node* node = Make(Kind::kWhile, begin);
  node->a = test, node->list = body, node->list2 = otherwise;
  return node;
}

Node* Parser::For() {
  const uint32_t begin = Advance().span.begin;
  Node* target = Target();
  CheckTarget(target, "assign to");
  Expect(Tok::kIn, "'in'");
  Node* iterable = StarExpressions();
  ++loop_depth_;
  NodeList body = Block();
  --loop_depth_;
  NodeList otherwise;
  if (Accept(Tok::kElse)) otherwise = Block();
  Node* node = Make(Kind::kFor, begin);
  node->a = target, node->b = iterable, node->list = body, node->list2 = otherwise;
  return node;
}

Node* Parser::Try() {
  const Token word = Advance();
  NodeList body = Block(), otherwise, finally;
  std::vector<Node*> handlers;
  while (At(Tok::kExcept)) {
    const uint32_t begin = Advance().span.begin;
    if (At(Tok::kStar))
      Fail(token_.span, "'except*' is not supported: catch the exceptions one by one");
    Node* type = nullptr;
    StrObject* name = nullptr;
    if (!At(Tok::kColon)) {
      type = Expression();
      if (At(Tok::kComma))
        Fail({type->span.begin, token_.span.end}, "multiple exception types must be parenthesized");
      if (Accept(Tok::kAs)) {
        name = NameOf(Expect(Tok::kName, "a name"));
        Bind(name);
      }
    } else if (!handlers.empty() && !handlers.back()->a) {
      Fail({handlers.back()->span.begin, handlers.back()->span.begin + 6},
           "default 'except:' must be last");
    }
    NodeList handled = Block();
    Node* handler = Make(Kind::kHandler, begin);
    handler->a = type, handler->name = name, handler->list = handled;
    if (!handlers.empty() && !handlers.back()->a) {
      Fail({handlers.back()->span.begin, handlers.back()->span.begin + 6},
           "default 'except:' must be last");
    }
    handlers.push_back(handler);
  }
  if (!handlers.empty() && Accept(Tok::kElse)) otherwise = Block();
  if (Accept(Tok::kFinally)) finally = Block();
  if (handlers.empty() && finally.empty())
    Fail(token_.span, "expected 'except' or 'finally' block");
  Node* node = Make(Kind::kTry, word.span.begin);
  node->list = body, node->list2 = ast_->List(handlers), node->list3 = otherwise,
  node->list4 = finally;
  return node;
}

Node* Parser::WithItem() {
  const uint32_t begin = token_.span.begin;
  Node* context = Expression();
  Node* target = nullptr;
  if (Accept(Tok::kAs)) {
    target = Postfix();
    CheckTarget(target, "assign to");
  }
  Node* node = Make(Kind::kWithItem, begin);
  node->a = context, node->b = target;
  return node;
}

Node* Parser::With() {
  const uint32_t begin = Advance().span.begin;
  std::vector<Node*> items;
  // `with (a as b, c as d):` — parentheses around the items, told from an expression in parentheses
  // by looking for "as" or a comma at the first level.
  bool group = false;
  if (At(Tok::kLParen)) {
    std::string_view text = lexer_.source().text();
    int depth = 0;
    bool as = false;
    size_t i = token_.span.begin;
    for (; i < text.size(); ++i) {
      if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
      if ((text[i] == ')' || text[i] == ']' || text[i] == '}') && --depth == 0) break;
      if (depth == 1 && text.substr(i, 4) == " as ") as = true;
    }
    for (++i; i < text.size() && text[i] == ' ';) ++i;
    group = as && i < text.size() && text[i] == ':';
  }
  if (group) {
    Advance();
    while (!At(Tok::kRParen)) {
      items.push_back(WithItem());
      if (!Accept(Tok::kComma)) break;
    }
    Expect(Tok::kRParen, "')'");
  } else {
    do items.push_back(WithItem());
    while (Accept(Tok::kComma));
  }
  NodeList body = Block();
  Node* node = Make(Kind::kWith, begin);
  node->list = ast_->List(items);
  node->list2 = body;
  return node;
}

NodeList Parser::Parameters(Tok close, bool annotations) {
  std::vector<Node*> params;
  bool star = false, defaults = false, star_star = false, bare_star = false;
  while (!At(close)) {
    const uint32_t begin = token_.span.begin;
    if (star_star) Fail(token_.span, "arguments cannot follow var-keyword argument");
    if (Accept(Tok::kSlash)) {
      if (params.empty()) Fail(From(begin), "at least one argument must precede /");
      if (star) Fail(From(begin), "/ must be ahead of *");
      for (Node* p : params) p->op = static_cast<uint8_t>(ParameterKind::kPositionalOnly);
    } else {
      ParameterKind kind = star ? ParameterKind::kKeywordOnly : ParameterKind::kNormal;
      bool bare = false;
      if (Accept(Tok::kDoubleStar)) {
        kind = ParameterKind::kStarStar;
        star_star = true;
      } else if (Accept(Tok::kStar)) {
        if (star) Fail(From(begin), "* argument may appear only once");
        star = true;
        bare = At(Tok::kComma) || At(close);
        bare_star = bare;
        kind = ParameterKind::kStar;
        if (bare && At(close)) Fail(From(begin), "named arguments must follow bare *");
      }
      if (!bare) {
        if (!At(Tok::kName)) Unexpected();
        StrObject* name = NameOf(Advance());
        Bind(name);
        for (Node* p : params) {
          if (p->name == name)
            Fail(From(begin), "duplicate argument '" + name->text() + "' in function definition");
        }
        Node* annotation = annotations && Accept(Tok::kColon) ? Expression() : nullptr;
        Node* fallback = nullptr;
        if (Accept(Tok::kAssign)) {
          if (kind == ParameterKind::kStar || kind == ParameterKind::kStarStar) {
            Fail(token_.span, kind == ParameterKind::kStar
                                  ? "var-positional argument cannot have default value"
                                  : "var-keyword argument cannot have default value");
          }
          fallback = Expression();
          if (kind == ParameterKind::kNormal) defaults = true;
        } else if (defaults && kind == ParameterKind::kNormal) {
          Fail(From(begin), "non-default argument follows default argument");
        }
        Node* p = Make(Kind::kParameter, begin);
        p->name = name, p->op = static_cast<uint8_t>(kind), p->a = fallback, p->b = annotation;
        params.push_back(p);
        if (kind == ParameterKind::kKeywordOnly) bare_star = false;
      }
    }
    if (!Accept(Tok::kComma)) break;
  }
  if (bare_star) Fail(token_.span, "named arguments must follow bare *");
  return ast_->List(params);
}

Node* Parser::Def(NodeList decorators) {
  const uint32_t begin = Advance().span.begin;
  if (!At(Tok::kName)) Unexpected();
  StrObject* name = NameOf(Advance());
  Bind(name);
  if (!At(Tok::kLParen)) Fail(token_.span, "expected '('");
  Advance();
  NodeList params = Parameters(Tok::kRParen, true);
  Expect(Tok::kRParen, "')'");
  Node* annotation = Accept(Tok::kArrow) ? Expression() : nullptr;
  const Span head = From(begin);
  const int loops = std::exchange(loop_depth_, 0);
  ++function_depth_;
  NodeList body = Block();
  --function_depth_;
  loop_depth_ = loops;
  Node* node = ast_->Make(Kind::kDef, head);
  node->name = name, node->list = body, node->list2 = decorators, node->list3 = params,
  node->a = annotation;
  return node;
}

Node* Parser::Class(NodeList decorators) {
  const uint32_t begin = Advance().span.begin;
  if (!At(Tok::kName)) Unexpected();
  StrObject* name = NameOf(Advance());
  Bind(name);
  NodeList bases;
  if (Accept(Tok::kLParen)) bases = CallArguments();
  const Span head = From(begin);
  const int loops = std::exchange(loop_depth_, 0), functions = std::exchange(function_depth_, 0);
  NodeList body = Block();
  loop_depth_ = loops;
  function_depth_ = functions;
  Node* node = ast_->Make(Kind::kClass, head);
  node->name = name, node->list = body, node->list2 = decorators, node->list3 = bases;
  return node;
}

Node* Parser::Decorated() {
  std::vector<Node*> decorators;
  while (Accept(Tok::kAt)) {
    decorators.push_back(NamedExpression());
    if (!At(Tok::kNewline)) Unexpected();
    Advance();
  }
  if (At(Tok::kDef)) return Def(ast_->List(decorators));
  if (At(Tok::kClass)) return Class(ast_->List(decorators));
  Unexpected();
}

}  // namespace tensh::shell
