// Parses statements with a body: if, while, for, try, with, def and class.
#include <unordered_set>

#include "shell/python/syntax/parser.h"
#include "shell/python/values/error.h"

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
      Fail(token_.span, "'async' is not supported, because tensh has no asyncio");
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
      if (At(Tok::kComma) && !python2_) {
        ThrowPython2(lexer_.source(), {type->span.begin, token_.span.end},
                     "multiple exception types must be parenthesized");
      }
      if (Accept(Tok::kAs) || Accept(Tok::kComma)) {
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
  // In `with (a as b, c as d):` the parentheses enclose the items. They differ from a parenthesized
  // expression by an "as" or a comma at the first level.
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

// The parameters of a function so far. Their order decides what may follow.
struct Parser::ParameterOrder {
  bool annotations;  // Annotations are allowed. A lambda has none.
  std::vector<Node*> list;
  std::unordered_set<const StrObject*> names = {};
  bool star = false;       // A `*` was seen: the others are keyword-only.
  bool star_star = false;  // A `**` was seen: nothing may follow.
  bool bare_star = false;  // A `*` without a name was seen, and no parameter after it yet.
  bool defaults = false;   // A default was seen: the other positional parameters need one too.
};

// Checks the order of the kinds of parameters, with CPython's error messages.
NodeList Parser::Parameters(Tok close, bool annotations) {
  ParameterOrder order = {.annotations = annotations, .list = {}};
  while (!At(close)) {
    const uint32_t begin = token_.span.begin;
    if (order.star_star) Fail(token_.span, "arguments cannot follow var-keyword argument");
    if (Accept(Tok::kSlash)) {
      if (order.list.empty()) Fail(From(begin), "at least one argument must precede /");
      if (order.star) Fail(From(begin), "/ must be ahead of *");
      for (Node* p : order.list) p->op = static_cast<uint8_t>(ParameterKind::kPositionalOnly);
    } else if (Accept(Tok::kDoubleStar)) {
      order.star_star = true;
      Parameter(begin, ParameterKind::kStarStar, &order);
    } else if (Accept(Tok::kStar)) {
      if (order.star) Fail(From(begin), "* argument may appear only once");
      if (At(close)) Fail(From(begin), "named arguments must follow bare *");
      order.star = true;
      order.bare_star = At(Tok::kComma);
      if (!order.bare_star) Parameter(begin, ParameterKind::kStar, &order);
    } else {
      const bool keyword_only = order.star;
      if (keyword_only) order.bare_star = false;
      Parameter(begin, keyword_only ? ParameterKind::kKeywordOnly : ParameterKind::kNormal, &order);
    }
    if (!Accept(Tok::kComma)) break;
  }
  if (order.bare_star) Fail(token_.span, "named arguments must follow bare *");
  return ast_->List(order.list);
}

// Parses `name: annotation = default` and appends it. The stars before it have been read.
void Parser::Parameter(uint32_t begin, ParameterKind kind, ParameterOrder* order) {
  if (At(Tok::kLParen) && kind == ParameterKind::kNormal) {
    Node* p = TupleParameter(begin);
    p->a = ParameterDefault(begin, kind, order);
    return order->list.push_back(p);
  }
  if (!At(Tok::kName)) Unexpected();
  StrObject* name = NameOf(Advance());
  Bind(name);
  if (!order->names.insert(name).second)
    Fail(From(begin), "duplicate argument '" + name->text() + "' in function definition");
  Node* annotation = order->annotations && Accept(Tok::kColon) ? Expression() : nullptr;
  Node* fallback = ParameterDefault(begin, kind, order);
  Node* p = Make(Kind::kParameter, begin);
  p->name = name, p->op = static_cast<uint8_t>(kind), p->a = fallback, p->b = annotation;
  order->list.push_back(p);
}

// Parses `= default`. Returns null if there is none.
Node* Parser::ParameterDefault(uint32_t begin, ParameterKind kind, ParameterOrder* order) {
  if (!Accept(Tok::kAssign)) {
    if (order->defaults && kind == ParameterKind::kNormal)
      Fail(From(begin), "non-default argument follows default argument");
    return nullptr;
  }
  if (kind == ParameterKind::kStar)
    Fail(token_.span, "var-positional argument cannot have default value");
  if (kind == ParameterKind::kStarStar)
    Fail(token_.span, "var-keyword argument cannot have default value");
  Node* fallback = Expression();
  if (kind == ParameterKind::kNormal) order->defaults = true;
  return fallback;
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
  const auto tuples = std::exchange(tuple_parameters_, {});
  ++function_depth_;
  NodeList body = UnpackInBody(tuples, Block());
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
  if (python2_) NewerMethods(&body, &bases);
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
