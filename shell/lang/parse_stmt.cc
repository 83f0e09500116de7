#include <algorithm>
#include <cstring>

#include "shell/lang/parser.h"
#include "shell/values/error.h"

namespace tensh::shell {
namespace {

struct AugRow {
  Tok token;
  BinaryOp op;
};
constexpr AugRow kAugmented[] = {
    {Tok::kPlusAssign, BinaryOp::kAdd},     {Tok::kMinusAssign, BinaryOp::kSub},   {Tok::kStarAssign, BinaryOp::kMul},
    {Tok::kAtAssign, BinaryOp::kMatMul},    {Tok::kSlashAssign, BinaryOp::kTrueDiv}, {Tok::kPercentAssign, BinaryOp::kMod},
    {Tok::kPowAssign, BinaryOp::kPow},      {Tok::kLShiftAssign, BinaryOp::kLShift}, {Tok::kRShiftAssign, BinaryOp::kRShift},
    {Tok::kAmperAssign, BinaryOp::kAnd},    {Tok::kCaretAssign, BinaryOp::kXor},   {Tok::kPipeAssign, BinaryOp::kOr},
    {Tok::kDoubleSlashAssign, BinaryOp::kFloorDiv},
};

const char* Describe(const Node& n) {
  switch (n.kind) {
    case Kind::kConstant: return "literal";
    case Kind::kCall: return "function call";
    case Kind::kBinary: case Kind::kUnary: return "expression";
    case Kind::kNot: case Kind::kAnd: case Kind::kOr: return "expression";
    case Kind::kCompare: return "comparison";
    case Kind::kLambda: return "lambda";
    case Kind::kIfExp: return "conditional expression";
    case Kind::kDict: return "dict literal";
    case Kind::kSet: return "set display";
    case Kind::kListComp: return "list comprehension";
    case Kind::kSetComp: return "set comprehension";
    case Kind::kDictComp: return "dict comprehension";
    case Kind::kGenerator: return "generator expression";
    case Kind::kYield: case Kind::kYieldFrom: return "yield expression";
    case Kind::kJoined: return "f-string expression";
    case Kind::kNamed: return "named expression";
    default: return "expression";
  }
}

bool IsCompound(Tok t) {
  return t == Tok::kIf || t == Tok::kWhile || t == Tok::kFor || t == Tok::kTry || t == Tok::kWith || t == Tok::kDef ||
         t == Tok::kClass || t == Tok::kAt || t == Tok::kAsync;
}

}  // namespace

Parser::Parser(Ast* ast, const ParseOptions* options)
    : Parser(ast, options, {0, static_cast<uint32_t>(ast->source->text().size())}, false) {}

Parser::Parser(Ast* ast, const ParseOptions* options, Span part, bool expression)
    : ast_(ast), options_(options), lexer_(*ast->source, part.begin, part.end, expression) {
  token_.span = {part.begin, part.begin};
  last_end_ = part.begin;
  token_ = lexer_.Next();
}

Parser::Deeper::Deeper(Parser* p) : parser(p) {
  if (++p->depth_ > kMaxNesting) {
    --p->depth_;
    p->Fail(p->token_.span, "too many nested parentheses");
  }
}

Token Parser::Advance() {
  Token t = token_;
  last_end_ = t.span.end;
  if (has_peek_) {
    token_ = peek_;
    has_peek_ = false;
  } else {
    token_ = Lex();
  }
  return t;
}

Token Parser::Lex() {
  if (!lenient_) return lexer_.Next();
  try {
    return lexer_.Next();
  } catch (const PyError&) {
    return {Tok::kEnd, {last_end_, last_end_}};
  }
}

Tok Parser::PeekKind() {
  if (!has_peek_) {
    peek_ = Lex();
    has_peek_ = true;
  }
  return peek_.kind;
}

bool Parser::Accept(Tok kind) {
  if (!At(kind)) return false;
  Advance();
  return true;
}

Token Parser::Expect(Tok kind, const char* what) {
  if (!At(kind)) {
    if (std::string_view(what) == "':'" && !At(Tok::kEnd)) Fail(token_.span, "expected ':'");
    Unexpected();
  }
  return Advance();
}

bool Parser::unfinished() const { return failed_at_end_ || lexer_.at_end(); }

void Parser::Fail(Span span, std::string message) {
  if (At(Tok::kEnd)) failed_at_end_ = true;
  if (span.end == span.begin) span.end = span.begin + 1;
  ThrowSyntax(lexer_.source(), span, std::move(message));
}

void Parser::Unexpected() {
  switch (token_.kind) {
    case Tok::kIndent:
      ThrowSyntax(lexer_.source(), token_.span, "unexpected indent", kIndentationError);
    case Tok::kEnd: Fail(token_.span, "unexpected EOF while parsing");
    default: break;
  }
  // A newline that the text's end stands in for.
  if (At(Tok::kNewline) && token_.span.begin >= lexer_.source().text().size()) failed_at_end_ = false;
  Fail(token_.span, "invalid syntax");
}

StrObject* Parser::NameOf(const Token& t) { return Intern(lexer_.Text(t.span)); }

void Parser::Bind(StrObject* name) {
  if (options_ && options_->is_verb && options_->is_verb(name->view())) bound_verbs_.push_back(name);
}

Node* Parser::WholeExpression() {
  Node* node = StarExpressions();
  if (At(Tok::kNewline)) Advance();
  if (!At(Tok::kEnd)) Unexpected();
  return node;
}

Node* Parser::ExpressionPrefix(uint32_t* end) {
  Node* node = Expression();
  *end = last_end_;
  return node;
}

bool Parser::NextStatements(std::vector<Node*>* out) {
  while (At(Tok::kNewline)) Advance();
  if (At(Tok::kEnd)) return false;
  if (At(Tok::kIndent)) Unexpected();
  if (IsCompound(token_.kind)) {
    saw_block_ = true;
    out->push_back(CompoundStatement());
  } else {
    SimpleLine(out);
  }
  return true;
}

void Parser::SimpleLine(std::vector<Node*>* out) {
  for (;;) {
    if (!VerbStatement(out)) out->push_back(SimpleStatement());
    if (!Accept(Tok::kSemicolon)) break;
    if (At(Tok::kNewline) || At(Tok::kEnd)) break;
    if (IsCompound(token_.kind)) Unexpected();
  }
  if (At(Tok::kEnd)) return;
  if (!At(Tok::kNewline)) Unexpected();
  Advance();
}

// A line whose first word is a verb and goes on as no Python statement could.
bool Parser::VerbStatement(std::vector<Node*>* out) {
  if (!options_ || !options_->is_verb || has_peek_) return false;
  std::string_view text = lexer_.source().text();
  const uint32_t begin = token_.span.begin;
  uint32_t word_end = token_.span.end;
  if (!At(Tok::kName) && KeywordOf(lexer_.Text(token_.span)) == Tok::kName) return false;
  std::string_view word = lexer_.Text(token_.span);
  uint32_t at = word_end;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  const bool spaced = at > word_end;
  const char next = at < text.size() ? text[at] : '\n';
  const char after = at + 1 < text.size() ? text[at + 1] : '\n';
  auto emit = [&](std::string_view verb, Span rest) {
    Node* node = ast_->Make(Kind::kVerb, {begin, std::max(rest.end, word_end)});
    node->name = Intern(verb);
    node->text = ast_->Text(text.substr(rest.begin, rest.end - rest.begin));
    node->rest_begin = rest.begin;
    out->push_back(node);
    last_end_ = rest.end;
    token_ = lexer_.Next();
    return true;
  };
  // X? and X??: help on any name, attributes included.
  if (At(Tok::kName)) {
    uint32_t i = begin;
    while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_' || text[i] == '.')) ++i;
    uint32_t marks = i;
    while (marks < text.size() && text[marks] == '?') ++marks;
    if (marks > i && marks - i <= 2) {
      uint32_t tail = marks;
      while (tail < text.size() && (text[tail] == ' ' || text[tail] == '\t' || text[tail] == '\r')) ++tail;
      if (tail == text.size() || text[tail] == '\n' || text[tail] == ';') {
        lexer_.TakeRestOfLine(marks);
        return emit(marks - i == 1 ? "?" : "??", {begin, i});
      }
    }
  }
  if (!options_->is_verb(word)) return false;
  StrObject* name = Intern(word);
  if (std::find(bound_verbs_.begin(), bound_verbs_.end(), name) != bound_verbs_.end()) return false;
  if (next == '\n' || next == '\r' || next == ';' || next == '#' || at >= text.size()) {
    if (!options_->verb_alone || !options_->verb_alone(word)) return false;
    return emit(word, lexer_.TakeRestOfLine(at));
  }
  if (!spaced) {
    if (next != '?') return false;
    return emit(word, lexer_.TakeRestOfLine(at));
  }
  // What can follow a name in Python keeps its meaning.
  std::string_view rest = text.substr(at, 16);
  auto starts_word = [&](std::string_view w) {
    return rest.substr(0, w.size()) == w &&
           (rest.size() == w.size() || !(std::isalnum(static_cast<unsigned char>(rest[w.size()])) || rest[w.size()] == '_'));
  };
  for (std::string_view w : {"if", "in", "is", "and", "or", "else", "for", "as"}) {
    if (starts_word(w)) return false;
  }
  if (starts_word("not")) {
    std::string_view tail = rest.substr(3);
    size_t skip = tail.find_first_not_of(" \t");
    if (skip != tail.npos && tail.substr(skip, 3) == "in ") return false;
  }
  const bool assignment = next == '=' ? after != '=' : after == '=' && std::strchr("+-*/%@&|^", next);
  const bool long_assignment = std::strchr("*/<>", next) && after == next && text.substr(at + 2, 1) == "=";
  if (assignment || long_assignment || next == '(' || next == '.' || next == ',' || next == ')' || next == ':' ||
      (next == '=' && after == '=')) {
    return false;
  }
  return emit(word, lexer_.TakeRestOfLine(at));
}

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
    case Tok::kIf: return If();
    case Tok::kWhile: return While();
    case Tok::kFor: return For();
    case Tok::kTry: return Try();
    case Tok::kWith: return With();
    case Tok::kDef: return Def({});
    case Tok::kClass: return Class({});
    case Tok::kAt: return Decorated();
    default: Fail(token_.span, "'async' is not supported: there is no asyncio here");
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
      Fail({test->span.begin, token_.span.end}, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
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
    Fail({test->span.begin, token_.span.end}, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
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
    if (At(Tok::kStar)) Fail(token_.span, "'except*' is not supported: catch the exceptions one by one");
    Node* type = nullptr;
    StrObject* name = nullptr;
    if (!At(Tok::kColon)) {
      type = Expression();
      if (At(Tok::kComma)) Fail({type->span.begin, token_.span.end}, "multiple exception types must be parenthesized");
      if (Accept(Tok::kAs)) {
        name = NameOf(Expect(Tok::kName, "a name"));
        Bind(name);
      }
    } else if (!handlers.empty() && !handlers.back()->a) {
      Fail({handlers.back()->span.begin, handlers.back()->span.begin + 6}, "default 'except:' must be last");
    }
    NodeList handled = Block();
    Node* handler = Make(Kind::kHandler, begin);
    handler->a = type, handler->name = name, handler->list = handled;
    if (!handlers.empty() && !handlers.back()->a) {
      Fail({handlers.back()->span.begin, handlers.back()->span.begin + 6}, "default 'except:' must be last");
    }
    handlers.push_back(handler);
  }
  if (!handlers.empty() && Accept(Tok::kElse)) otherwise = Block();
  if (Accept(Tok::kFinally)) finally = Block();
  if (handlers.empty() && finally.empty()) Fail(token_.span, "expected 'except' or 'finally' block");
  Node* node = Make(Kind::kTry, word.span.begin);
  node->list = body, node->list2 = ast_->List(handlers), node->list3 = otherwise, node->list4 = finally;
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
  // `with (a as b, c as d):` — parentheses around the items, told from an expression in parentheses by
  // looking for "as" or a comma at the first level.
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
          if (p->name == name) Fail(From(begin), "duplicate argument '" + name->text() + "' in function definition");
        }
        Node* annotation = annotations && Accept(Tok::kColon) ? Expression() : nullptr;
        Node* fallback = nullptr;
        if (Accept(Tok::kAssign)) {
          if (kind == ParameterKind::kStar || kind == ParameterKind::kStarStar) {
            Fail(token_.span, kind == ParameterKind::kStar ? "var-positional argument cannot have default value"
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
  node->name = name, node->list = body, node->list2 = decorators, node->list3 = params, node->a = annotation;
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

Node* Parser::SimpleStatement() {
  const uint32_t begin = token_.span.begin;
  auto plain = [&](Kind kind) {
    Advance();
    return Make(kind, begin);
  };
  switch (token_.kind) {
    case Tok::kPass: return plain(Kind::kPass);
    case Tok::kBreak:
    case Tok::kContinue:
      if (loop_depth_ == 0) {
        Fail(token_.span, At(Tok::kBreak) ? "'break' outside loop" : "'continue' not properly in loop");
      }
      return plain(At(Tok::kBreak) ? Kind::kBreak : Kind::kContinue);
    case Tok::kReturn: {
      if (function_depth_ == 0) Fail(token_.span, "'return' outside function");
      Advance();
      Node* value = At(Tok::kNewline) || At(Tok::kSemicolon) || At(Tok::kEnd) ? nullptr : StarExpressions();
      Node* node = Make(Kind::kReturn, begin);
      node->a = value;
      return node;
    }
    case Tok::kRaise: {
      Advance();
      Node *value = nullptr, *cause = nullptr;
      if (!At(Tok::kNewline) && !At(Tok::kSemicolon) && !At(Tok::kEnd)) {
        value = Expression();
        if (Accept(Tok::kFrom)) cause = Expression();
      }
      Node* node = Make(Kind::kRaise, begin);
      node->a = value, node->b = cause;
      return node;
    }
    case Tok::kGlobal: return NameList(Kind::kGlobal);
    case Tok::kNonlocal: return NameList(Kind::kNonlocal);
    case Tok::kImport: return Import();
    case Tok::kFrom: return ImportFrom();
    case Tok::kDel: {
      Advance();
      std::vector<Node*> targets;
      do {
        if (At(Tok::kNewline) || At(Tok::kEnd)) break;
        targets.push_back(Postfix());
        CheckTarget(targets.back(), "delete");
      } while (Accept(Tok::kComma));
      if (targets.empty()) Unexpected();
      Node* node = Make(Kind::kDelete, begin);
      node->list = ast_->List(targets);
      return node;
    }
    case Tok::kAssert: {
      Advance();
      Node* test = Expression();
      Node* message = Accept(Tok::kComma) ? Expression() : nullptr;
      Node* node = Make(Kind::kAssert, begin);
      node->a = test, node->b = message;
      return node;
    }
    default: return ExpressionOrAssign();
  }
}

Node* Parser::NameList(Kind kind) {
  const uint32_t begin = Advance().span.begin;
  if (kind == Kind::kNonlocal && function_depth_ == 0) {
    Fail({begin, last_end_}, "nonlocal declaration not allowed at module level");
  }
  std::vector<Node*> names;
  do {
    const Token t = Expect(Tok::kName, "a name");
    Node* name = ast_->Make(Kind::kName, t.span);
    name->name = NameOf(t);
    names.push_back(name);
  } while (Accept(Tok::kComma));
  Node* node = Make(kind, begin);
  node->list = ast_->List(names);
  return node;
}

Node* Parser::Import() {
  const uint32_t begin = Advance().span.begin;
  std::vector<Node*> aliases;
  do {
    const uint32_t at = token_.span.begin;
    std::string dotted = NameOf(Expect(Tok::kName, "a name"))->text();
    while (Accept(Tok::kDot)) dotted += "." + NameOf(Expect(Tok::kName, "a name"))->text();
    std::string as;
    if (Accept(Tok::kAs)) {
      StrObject* name = NameOf(Expect(Tok::kName, "a name"));
      Bind(name);
      as = name->text();
    }
    Node* alias = Make(Kind::kAlias, at);
    alias->name = Intern(dotted);
    alias->text = ast_->Text(as);
    aliases.push_back(alias);
  } while (Accept(Tok::kComma));
  Node* node = Make(Kind::kImport, begin);
  node->list = ast_->List(aliases);
  return node;
}

Node* Parser::ImportFrom() {
  const uint32_t begin = Advance().span.begin;
  std::string module;
  while (At(Tok::kDot) || At(Tok::kEllipsis)) module += Advance().kind == Tok::kDot ? "." : "...";
  if (At(Tok::kName)) {
    module += NameOf(Advance())->text();
    while (Accept(Tok::kDot)) module += "." + NameOf(Expect(Tok::kName, "a name"))->text();
  }
  if (module.empty()) Unexpected();
  if (!At(Tok::kImport)) Unexpected();
  Advance();
  std::vector<Node*> aliases;
  const bool paren = Accept(Tok::kLParen);
  const uint32_t star_at = token_.span.begin;
  if (!paren && Accept(Tok::kStar)) {
    if (function_depth_ > 0) Fail({begin, last_end_}, "import * only allowed at module level");
    Node* alias = Make(Kind::kAlias, star_at);
    alias->name = Intern("*");
    aliases.push_back(alias);
  } else {
    do {
      if (paren && At(Tok::kRParen)) break;
      const uint32_t at = token_.span.begin;
      StrObject* name = NameOf(Expect(Tok::kName, "a name"));
      std::string as;
      if (Accept(Tok::kAs)) as = NameOf(Expect(Tok::kName, "a name"))->text();
      Bind(as.empty() ? name : Intern(as));
      Node* alias = Make(Kind::kAlias, at);
      alias->name = name;
      alias->text = ast_->Text(as);
      aliases.push_back(alias);
    } while (Accept(Tok::kComma));
    if (!paren && last_end_ > 0 && lexer_.source().text()[last_end_ - 1] == ',') {
      Fail(token_.span, "trailing comma not allowed without surrounding parentheses");
    }
  }
  if (paren) Expect(Tok::kRParen, "')'");
  Node* node = Make(Kind::kImportFrom, begin);
  node->name = Intern(module);
  node->list = ast_->List(aliases);
  return node;
}

void Parser::CheckTarget(Node* target, const char* action) {
  switch (target->kind) {
    case Kind::kName:
      Bind(target->name);
      return;
    case Kind::kAttribute: case Kind::kSubscript: return;
    case Kind::kStarred:
      if (std::string_view(action) == "delete") Fail(target->span, "cannot delete starred");
      return CheckTarget(target->a, action);
    case Kind::kTuple:
    case Kind::kList: {
      int stars = 0;
      for (Node* item : target->list) {
        stars += item->kind == Kind::kStarred;
        CheckTarget(item, action);
      }
      if (stars > 1) Fail(target->span, "multiple starred expressions in assignment");
      return;
    }
    default: break;
  }
  std::string what = Describe(*target);
  if (target->kind == Kind::kConstant) {
    const Value& v = ast_->constants[target->constant];
    if (v.is_none()) what = "None";
    if (v.is_bool()) what = v.as_bool() ? "True" : "False";
    if (v.is_ellipsis()) what = "ellipsis";
  }
  const bool hint = std::string_view(action) == "assign to" && At(Tok::kAssign);
  Fail(target->span, std::string("cannot ") + action + " " + what +
                         (hint && what != "True" && what != "False" && what != "None"
                              ? " here. Maybe you meant '==' instead of '='?"
                              : ""));
}

Node* Parser::ExpressionOrAssign() {
  const uint32_t begin = token_.span.begin;
  Node* first = StarExpressions();
  if (At(Tok::kAssign)) {
    std::vector<Node*> targets;
    Node* value = first;
    while (At(Tok::kAssign)) {
      CheckTarget(value, "assign to");
      if (value->kind == Kind::kStarred) {
        Fail(value->span, "starred assignment target must be in a list or tuple");
      }
      targets.push_back(value);
      Advance();
      value = StarExpressions();
    }
    if (value->kind == Kind::kStarred) Fail(value->span, "can't use starred expression here");
    Node* node = Make(Kind::kAssign, begin);
    node->list = ast_->List(targets);
    node->a = value;
    return node;
  }
  for (const AugRow& row : kAugmented) {
    if (row.token != token_.kind) continue;
    if (first->kind != Kind::kName && first->kind != Kind::kAttribute && first->kind != Kind::kSubscript) {
      Fail(first->span, std::string("'") +
                            (first->kind == Kind::kTuple  ? "tuple"
                             : first->kind == Kind::kList ? "list"
                                                          : Describe(*first)) +
                            "' is an illegal expression for augmented assignment");
    }
    CheckTarget(first, "assign to");
    Advance();
    Node* value = StarExpressions();
    Node* node = Make(Kind::kAugAssign, begin);
    node->op = static_cast<uint8_t>(row.op);
    node->a = first, node->b = value;
    return node;
  }
  if (At(Tok::kColon) && (first->kind == Kind::kName || first->kind == Kind::kAttribute || first->kind == Kind::kSubscript)) {
    Advance();
    Node* annotation = Expression();
    Node* value = Accept(Tok::kAssign) ? StarExpressions() : nullptr;
    CheckTarget(first, "assign to");
    Node* node = Make(Kind::kAnnAssign, begin);
    node->a = first, node->b = annotation, node->c = value;
    return node;
  }
  if (first->kind == Kind::kStarred) Fail(first->span, "can't use starred expression here");
  if (first->kind == Kind::kName && first->name->view() == "print" && (At(Tok::kString) || At(Tok::kName))) {
    Fail({begin, token_.span.end}, "Missing parentheses in call to 'print'. Did you mean print(...)?");
  }
  Node* node = Make(Kind::kExpression, begin);
  node->a = first;
  return node;
}

}  // namespace tensh::shell
