// Parses atoms: numbers, names, bracketed expressions, comprehensions and targets.
#include <charconv>

#include "runtime/base/text.h"
#include "shell/python/syntax/parser.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"

namespace tensh::shell {

Node* Parser::Number() {
  const Token t = Advance();
  std::string text;
  for (char c : lexer_.Text(t.span)) {
    if (c != '_') text += c;
  }
  Value v;
  if (python2_ && t.kind == Tok::kInt) {  // 10L, 0755
    if ((text.back() | 32) == 'l') text.pop_back();
    if (text.size() > 1 && text[0] == '0' && IsAsciiDigit(text[1])) text.insert(1, "o");
  }
  if (t.kind == Tok::kInt) {
    try {
      v = IntFromText(text, 0);
    } catch (const PyError& e) {
      Fail(t.span, e.Message());
    }
  } else {
    if (t.kind == Tok::kImaginary) text.pop_back();
    double d = 0;
    auto r = std::from_chars(text.data(), text.data() + text.size(), d);
    if (r.ec == std::errc::result_out_of_range) d = std::strtod(text.c_str(), nullptr);
    v = t.kind == Tok::kImaginary ? MakeComplex(0, d) : Value::Float(d);
  }
  Node* node = ast_->Make(Kind::kConstant, t.span);
  node->constant = ast_->Constant(std::move(v));
  return node;
}

Node* Parser::Atom() {
  auto constant = [&](Value v) {
    Node* node = ast_->Make(Kind::kConstant, Advance().span);
    node->constant = ast_->Constant(std::move(v));
    return node;
  };
  switch (token_.kind) {
    case Tok::kName: {
      const Token t = Advance();
      Node* node = ast_->Make(Kind::kName, t.span);
      node->name = NameOf(t);
      return node;
    }
    case Tok::kInt:
    case Tok::kFloat:
    case Tok::kImaginary:
      return Number();
    case Tok::kString:
      return Strings();
    case Tok::kTrue:
      return constant(Value::Bool(true));
    case Tok::kFalse:
      return constant(Value::Bool(false));
    case Tok::kNone:
      return constant(Value::None());
    case Tok::kEllipsis:
      return constant(Value::Ellipsis());
    case Tok::kLParen:
      return ParenAtom();
    case Tok::kLBracket:
      return ListAtom();
    case Tok::kLBrace:
      return BraceAtom();
    case Tok::kBacktick:
      return Backticks();
    default:
      Unexpected();
  }
}

Node* Parser::ParenAtom() {
  const uint32_t begin = Advance().span.begin;
  auto close = [&](Node* node) {
    if (!At(Tok::kRParen) && BeginsExpression(token_.kind)) {
      Fail({node->span.begin, token_.span.end}, "invalid syntax. Perhaps you forgot a comma?");
    }
    Expect(Tok::kRParen, "')'");
    node->span = From(begin);
    node->parenthesized = true;
    return node;
  };
  if (At(Tok::kRParen)) return close(ast_->Make(Kind::kTuple, From(begin)));
  if (At(Tok::kYield)) return close(YieldExpression());
  Node* first = StarOrNamed();
  if (At(Tok::kFor)) {
    NodeList clauses = CompClauses();
    Node* node = Make(Kind::kGenerator, begin);
    node->a = first;
    node->list = clauses;
    return close(node);
  }
  if (!At(Tok::kComma)) {
    if (first->kind == Kind::kStarred) Fail(first->span, "cannot use starred expression here");
    return close(first);
  }
  std::vector<Node*> items = {first};
  while (Accept(Tok::kComma)) {
    if (At(Tok::kRParen)) break;
    items.push_back(StarOrNamed());
  }
  Node* node = Make(Kind::kTuple, begin);
  node->list = ast_->List(items);
  return close(node);
}

Node* Parser::ListAtom() {
  const uint32_t begin = Advance().span.begin;
  std::vector<Node*> items;
  NodeList clauses;
  while (!At(Tok::kRBracket)) {
    items.push_back(StarOrNamed());
    if (At(Tok::kFor) && items.size() == 1) {
      clauses = CompClauses();
      break;
    }
    if (!Accept(Tok::kComma)) break;
  }
  if (!At(Tok::kRBracket) && BeginsExpression(token_.kind)) {
    Fail({items.back()->span.begin, token_.span.end},
         "invalid syntax. Perhaps you forgot a comma?");
  }
  Expect(Tok::kRBracket, "']'");
  Node* node = Make(clauses.empty() ? Kind::kList : Kind::kListComp, begin);
  if (clauses.empty()) {
    node->list = ast_->List(items);
  } else {
    node->a = items[0];
    node->list = clauses;
  }
  return node;
}

// The token after the first item decides between a dict and a set; {} is a dict.
Node* Parser::BraceAtom() {
  const uint32_t begin = Advance().span.begin;
  std::vector<Node*> keys, values;
  bool is_set = false;
  NodeList clauses;
  while (!At(Tok::kRBrace)) {
    if (Accept(Tok::kDoubleStar)) {
      Deeper deeper(this);
      keys.push_back(nullptr);
      values.push_back(Operators(0));
    } else {
      Node* key = StarOrNamed();
      if (keys.empty() && !At(Tok::kColon)) is_set = true;
      keys.push_back(key);
      if (!is_set) {
        Expect(Tok::kColon, "':'");
        values.push_back(Expression());
      }
      if (At(Tok::kFor) && keys.size() == 1) {
        clauses = CompClauses();
        break;
      }
    }
    if (!Accept(Tok::kComma)) break;
  }
  if (!At(Tok::kRBrace) && BeginsExpression(token_.kind)) {
    Node* last = values.empty() ? keys.back() : values.back();
    Fail({last->span.begin, token_.span.end}, "invalid syntax. Perhaps you forgot a comma?");
  }
  Expect(Tok::kRBrace, "'}'");
  Kind kind = is_set ? (clauses.empty() ? Kind::kSet : Kind::kSetComp)
                     : (clauses.empty() ? Kind::kDict : Kind::kDictComp);
  Node* node = Make(kind, begin);
  if (clauses.empty()) {
    node->list = ast_->List(keys);
    node->list2 = ast_->List(values);
  } else {
    node->a = keys[0];
    node->b = is_set ? nullptr : values[0];
    node->list = clauses;
  }
  return node;
}

NodeList Parser::CompClauses() {
  std::vector<Node*> clauses;
  while (At(Tok::kFor)) {
    const uint32_t begin = Advance().span.begin;
    Node* target = Target();
    CheckTarget(target, "assign to");
    Expect(Tok::kIn, "'in'");
    Node* iterable = Or();
    std::vector<Node*> conditions;
    while (Accept(Tok::kIf)) {
      Node* test = Or();
      if (At(Tok::kWalrus) && test->kind == Kind::kName) {
        Advance();
        Node* value = Or();
        Node* named = Make(Kind::kNamed, test->span.begin);
        named->a = test, named->b = value;
        test = named;
      }
      conditions.push_back(test);
    }
    Node* node = Make(Kind::kCompFor, begin);
    node->a = target;
    node->b = iterable;
    node->list = ast_->List(conditions);
    clauses.push_back(node);
  }
  if (At(Tok::kAsync)) Fail(token_.span, "'async' is not supported, because tensh has no asyncio");
  return ast_->List(clauses);
}

Node* Parser::Target() {
  const uint32_t begin = token_.span.begin;
  auto one = [&]() -> Node* {
    const uint32_t at = token_.span.begin;
    if (!Accept(Tok::kStar)) return Operators(0);
    Node* value = Operators(0);
    Node* node = Make(Kind::kStarred, at);
    node->a = value;
    return node;
  };
  Node* first = one();
  if (!At(Tok::kComma)) return first;
  std::vector<Node*> items = {first};
  while (Accept(Tok::kComma)) {
    if (At(Tok::kIn)) break;
    items.push_back(one());
  }
  Node* node = Make(Kind::kTuple, begin);
  node->list = ast_->List(items);
  return node;
}

}  // namespace tensh::shell
