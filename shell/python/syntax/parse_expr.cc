// The part of the Parser that handles operators, lambdas, calls and subscripts.
#include <unordered_set>

#include "shell/python/syntax/parser.h"
#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

struct BinaryRow {
  Tok token;
  BinaryOp op;
  int level;
};
// Ordered from the loosest to the tightest level.
constexpr BinaryRow kBinaryRows[] = {
    {Tok::kPipe, BinaryOp::kOr, 0},       {Tok::kCaret, BinaryOp::kXor, 1},
    {Tok::kAmper, BinaryOp::kAnd, 2},     {Tok::kLShift, BinaryOp::kLShift, 3},
    {Tok::kRShift, BinaryOp::kRShift, 3}, {Tok::kPlus, BinaryOp::kAdd, 4},
    {Tok::kMinus, BinaryOp::kSub, 4},     {Tok::kStar, BinaryOp::kMul, 5},
    {Tok::kSlash, BinaryOp::kTrueDiv, 5}, {Tok::kDoubleSlash, BinaryOp::kFloorDiv, 5},
    {Tok::kPercent, BinaryOp::kMod, 5},   {Tok::kAt, BinaryOp::kMatMul, 5},
};

const BinaryRow* FindBinary(Tok token) {
  for (const BinaryRow& row : kBinaryRows) {
    if (row.token == token) return &row;
  }
  return nullptr;
}

bool FindComparison(Tok token, Comparison* out) {
  switch (token) {
    case Tok::kLess:
      *out = Comparison::kLt;
      return true;
    case Tok::kLessEqual:
      *out = Comparison::kLe;
      return true;
    case Tok::kEqual:
      *out = Comparison::kEq;
      return true;
    case Tok::kNotEqual:
      *out = Comparison::kNe;
      return true;
    case Tok::kGreater:
      *out = Comparison::kGt;
      return true;
    case Tok::kGreaterEqual:
      *out = Comparison::kGe;
      return true;
    case Tok::kIn:
      *out = Comparison::kIn;
      return true;
    case Tok::kIs:
      *out = Comparison::kIs;
      return true;
    case Tok::kNot:
      *out = Comparison::kNotIn;
      return true;
    default:
      return false;
  }
}

}  // namespace

bool BeginsExpression(Tok t) {
  switch (t) {
    case Tok::kName:
    case Tok::kInt:
    case Tok::kFloat:
    case Tok::kImaginary:
    case Tok::kString:
    case Tok::kLParen:
    case Tok::kLBracket:
    case Tok::kLBrace:
    case Tok::kMinus:
    case Tok::kPlus:
    case Tok::kTilde:
    case Tok::kNot:
    case Tok::kLambda:
    case Tok::kNone:
    case Tok::kTrue:
    case Tok::kFalse:
    case Tok::kEllipsis:
    case Tok::kStar:
    case Tok::kYield:
    case Tok::kAwait:
    case Tok::kBacktick:
      return true;
    default:
      return false;
  }
}

Node* Parser::StarOrNamed() {
  if (!At(Tok::kStar)) return NamedExpression();
  Deeper deeper(this);
  const uint32_t begin = Advance().span.begin;
  Node* value = Operators(0);
  Node* node = Make(Kind::kStarred, begin);
  node->a = value;
  return node;
}

Node* Parser::Expressions(bool star) {
  const uint32_t begin = token_.span.begin;
  Node* first = star ? StarOrNamed() : Expression();
  if (!At(Tok::kComma)) return first;
  std::vector<Node*> items = {first};
  while (Accept(Tok::kComma)) {
    if (!BeginsExpression(token_.kind)) break;
    items.push_back(star ? StarOrNamed() : Expression());
  }
  Node* node = Make(Kind::kTuple, begin);
  node->list = ast_->List(items);
  return node;
}

Node* Parser::StarExpressions() { return At(Tok::kYield) ? YieldExpression() : Expressions(true); }

Node* Parser::YieldExpression() {
  const uint32_t begin = Advance().span.begin;
  if (function_depth_ == 0) Fail({begin, last_end_}, "'yield' outside function");
  Node* value = nullptr;
  const bool from = Accept(Tok::kFrom);
  if (from)
    value = Expression();
  else if (BeginsExpression(token_.kind))
    value = Expressions(true);
  Node* node = Make(from ? Kind::kYieldFrom : Kind::kYield, begin);
  node->a = value;
  return node;
}

Node* Parser::NamedExpression() {
  Node* left = Expression();
  if (!At(Tok::kWalrus)) return left;
  if (left->kind != Kind::kName || left->parenthesized) {
    Fail(left->span, "cannot use assignment expressions with this target");
  }
  Advance();
  Bind(left->name);
  Node* value = Expression();
  Node* node = Make(Kind::kNamed, left->span.begin);
  node->a = left;
  node->b = value;
  return node;
}

Node* Parser::Expression() {
  Deeper deeper(this);
  if (At(Tok::kLambda)) return Lambda();
  Node* value = Or();
  if (!At(Tok::kIf)) return value;
  Advance();
  Node* test = Or();
  if (!At(Tok::kElse))
    Fail({value->span.begin, test->span.end}, "expected 'else' after 'if' expression");
  Advance();
  Node* otherwise = Expression();
  Node* node = Make(Kind::kIfExp, value->span.begin);
  node->a = value, node->b = test, node->c = otherwise;
  return node;
}

Node* Parser::Lambda() {
  const uint32_t begin = Advance().span.begin;
  NodeList params = Parameters(Tok::kColon, false);
  Expect(Tok::kColon, "':'");
  const auto tuples = std::exchange(tuple_parameters_, {});
  ++function_depth_;
  Node* body = UnpackInLambda(tuples, Expression());
  --function_depth_;
  Node* node = Make(Kind::kLambda, begin);
  node->list3 = params;
  node->a = body;
  return node;
}

Node* Parser::Or() {
  Node* first = And();
  if (!At(Tok::kOr)) return first;
  std::vector<Node*> items = {first};
  while (Accept(Tok::kOr)) items.push_back(And());
  Node* node = Make(Kind::kOr, first->span.begin);
  node->list = ast_->List(items);
  return node;
}

Node* Parser::And() {
  Node* first = Not();
  if (!At(Tok::kAnd)) return first;
  std::vector<Node*> items = {first};
  while (Accept(Tok::kAnd)) items.push_back(Not());
  Node* node = Make(Kind::kAnd, first->span.begin);
  node->list = ast_->List(items);
  return node;
}

Node* Parser::Not() {
  if (!At(Tok::kNot)) return Comparison_();
  Deeper deeper(this);
  const uint32_t begin = Advance().span.begin;
  Node* value = Not();
  Node* node = Make(Kind::kNot, begin);
  node->a = value;
  return node;
}

Node* Parser::Comparison_() {
  Node* first = Operators(0);
  Comparison c;
  if (!FindComparison(token_.kind, &c) || (At(Tok::kNot) && PeekKind() != Tok::kIn)) return first;
  std::vector<Node*> items = {first};
  std::string ops;
  while (FindComparison(token_.kind, &c) && !(At(Tok::kNot) && PeekKind() != Tok::kIn)) {
    const Tok kind = Advance().kind;
    if (kind == Tok::kNot) Expect(Tok::kIn, "'in'");
    if (kind == Tok::kIs && Accept(Tok::kNot)) c = Comparison::kIsNot;
    ops += static_cast<char>(c);
    items.push_back(Operators(0));
  }
  Node* node = Make(Kind::kCompare, first->span.begin);
  node->list = ast_->List(items);
  node->text = ast_->Text(ops);
  return node;
}

// Precedence climbing: an operand costs one call instead of one call per level.
Node* Parser::Operators(int level) {
  Node* left = Unary();
  for (;;) {
    const BinaryRow* row = FindBinary(token_.kind);
    if (!row || row->level < level) return left;
    Advance();
    Node* right = Operators(row->level + 1);
    if (const char* helper = HelperOf(row->op, *left)) {
      left = Helper(helper, {left, right}, left->span.begin);
      continue;
    }
    Node* node = Make(Kind::kBinary, left->span.begin);
    node->op = static_cast<uint8_t>(row->op);
    node->a = left;
    node->b = right;
    left = node;
  }
}

Node* Parser::Unary() {
  UnaryOp op;
  if (At(Tok::kMinus))
    op = UnaryOp::kNeg;
  else if (At(Tok::kPlus))
    op = UnaryOp::kPos;
  else if (At(Tok::kTilde))
    op = UnaryOp::kInvert;
  else
    return Power();
  Deeper deeper(this);
  const uint32_t begin = Advance().span.begin;
  Node* value = Unary();
  Node* node = Make(Kind::kUnary, begin);
  node->op = static_cast<uint8_t>(op);
  node->a = value;
  return node;
}

Node* Parser::Power() {
  if (At(Tok::kAwait)) Fail(token_.span, "'await' is not supported, because tensh has no asyncio");
  Node* base = Postfix();
  if (!At(Tok::kDoubleStar)) return base;
  Deeper deeper(this);
  Advance();
  Node* exponent = Unary();
  Node* node = Make(Kind::kBinary, base->span.begin);
  node->op = static_cast<uint8_t>(BinaryOp::kPow);
  node->a = base;
  node->b = exponent;
  return node;
}

Node* Parser::Postfix() {
  Node* node = Atom();
  for (;;) {
    const uint32_t begin = node->span.begin;
    if (At(Tok::kDot)) {
      Advance();
      if (!At(Tok::kName)) Unexpected();
      StrObject* name = NameOf(Advance());
      Node* next = Make(Kind::kAttribute, begin);
      next->a = node;
      next->name = name;
      node = next;
    } else if (At(Tok::kLParen)) {
      const uint32_t open = token_.span.begin;
      Advance();
      NodeList args = CallArguments();
      Node* next = Make(Kind::kCall, begin);
      // If the only argument is a generator without its own parentheses, its span is that of the
      // call's.
      if (args.size == 1 && args[0]->kind == Kind::kGenerator &&
          args[0]->span.begin == args[0]->a->span.begin)
        args[0]->span = {open, next->span.end};
      next->a = node;
      next->list = args;
      node = python2_ ? CallInPython2(next) : next;
    } else if (At(Tok::kLBracket)) {
      Advance();
      Node* index = Subscript();
      Expect(Tok::kRBracket, "']'");
      Node* next = Make(Kind::kSubscript, begin);
      next->a = node;
      next->b = index;
      node = next;
    } else {
      return node;
    }
  }
}

// The arguments of a call so far. Their order decides what may follow.
struct Parser::CallOrder {
  std::vector<Node*> args;
  std::unordered_set<const StrObject*> names;
  bool named = false;     // A `name=a` was seen.
  bool unpacked = false;  // A `**a` was seen.
};

NodeList Parser::CallArguments() {
  CallOrder order;
  std::vector<Node*>& args = order.args;
  while (!At(Tok::kRParen)) {
    args.push_back(CallArgument(&order));
    if (!Accept(Tok::kComma)) break;
  }
  if (!At(Tok::kRParen)) {
    if (!args.empty() && BeginsExpression(token_.kind)) {
      Fail({args.back()->span.begin, token_.span.end},
           "invalid syntax. Perhaps you forgot a comma?");
    }
    Unexpected();
  }
  Advance();
  return ast_->List(args);
}

// Parses one argument: `*a`, `**a`, `name=a`, an expression or a bare generator. Checks that it may
// follow the earlier ones.
Node* Parser::CallArgument(CallOrder* order) {
  const uint32_t begin = token_.span.begin;
  if (Accept(Tok::kStar)) {
    if (order->unpacked) {
      Fail({begin, token_.span.end},
           "iterable argument unpacking follows keyword argument unpacking");
    }
    Node* value = Expression();
    Node* node = Make(Kind::kStarred, begin);
    node->a = value;
    return node;
  }
  if (Accept(Tok::kDoubleStar)) {
    order->unpacked = true;
    Node* value = Expression();
    Node* node = Make(Kind::kKeyword, begin);
    node->a = value;
    return node;
  }
  if (At(Tok::kName) && PeekKind() == Tok::kAssign) {
    order->named = true;
    // Only a repeated name is looked for among the arguments: a call may have 100,000 of them.
    static const std::vector<Node*> no_arguments;
    const bool is_new = order->names.insert(NameOf(token_)).second;
    return KeywordArgument(is_new ? no_arguments : order->args);
  }
  Node* value = PositionalArgument(order->args.empty());
  if (order->unpacked) Fail(value->span, "positional argument follows keyword argument unpacking");
  if (order->named) Fail(value->span, "positional argument follows keyword argument");
  return value;
}

Node* Parser::KeywordArgument(const std::vector<Node*>& earlier) {
  const uint32_t begin = token_.span.begin;
  StrObject* name = NameOf(Advance());
  Advance();
  for (Node* other : earlier) {
    if (other->kind == Kind::kKeyword && other->name == name)
      Fail({begin, last_end_}, "keyword argument repeated: " + name->text());
  }
  Node* value = Expression();
  Node* node = Make(Kind::kKeyword, begin);
  node->name = name;
  node->a = value;
  return node;
}

Node* Parser::PositionalArgument(bool first) {
  const uint32_t begin = token_.span.begin;
  Node* value = NamedExpression();
  if (At(Tok::kFor)) return BareGenerator(begin, value, first);
  if (At(Tok::kAssign)) {
    Fail({value->span.begin, token_.span.end},
         "expression cannot contain assignment, perhaps you meant \"==\"?");
  }
  return value;
}

// A generator without parentheses of its own must be the only argument. A comma may follow it.
Node* Parser::BareGenerator(uint32_t begin, Node* element, bool first) {
  NodeList clauses = CompClauses();
  Node* generator = Make(Kind::kGenerator, begin);
  generator->a = element;
  generator->list = clauses;
  const bool only = first && (!At(Tok::kComma) || PeekKind() == Tok::kRParen);
  if (!only) Fail(generator->span, "Generator expression must be parenthesized");
  return generator;
}

Node* Parser::SubscriptItem() {
  const uint32_t begin = token_.span.begin;
  Node* lower = nullptr;
  if (!At(Tok::kColon)) {
    lower = StarOrNamed();
    if (!At(Tok::kColon)) return lower;
  }
  Advance();
  auto part = [&]() -> Node* {
    return At(Tok::kColon) || At(Tok::kComma) || At(Tok::kRBracket) ? nullptr : Expression();
  };
  Node* upper = part();
  Node* step = Accept(Tok::kColon) ? part() : nullptr;
  Node* node = Make(Kind::kSlice, begin);
  node->a = lower, node->b = upper, node->c = step;
  return node;
}

Node* Parser::Subscript() {
  const uint32_t begin = token_.span.begin;
  if (At(Tok::kRBracket)) Unexpected();
  Node* first = SubscriptItem();
  if (!At(Tok::kComma) && first->kind != Kind::kStarred) return first;
  std::vector<Node*> items = {first};
  while (Accept(Tok::kComma)) {
    if (At(Tok::kRBracket)) break;
    items.push_back(SubscriptItem());
  }
  Node* node = Make(Kind::kTuple, begin);
  node->list = ast_->List(items);
  return node;
}

}  // namespace tensh::shell
