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
    {Tok::kPlusAssign, BinaryOp::kAdd},
    {Tok::kMinusAssign, BinaryOp::kSub},
    {Tok::kStarAssign, BinaryOp::kMul},
    {Tok::kAtAssign, BinaryOp::kMatMul},
    {Tok::kSlashAssign, BinaryOp::kTrueDiv},
    {Tok::kPercentAssign, BinaryOp::kMod},
    {Tok::kPowAssign, BinaryOp::kPow},
    {Tok::kLShiftAssign, BinaryOp::kLShift},
    {Tok::kRShiftAssign, BinaryOp::kRShift},
    {Tok::kAmperAssign, BinaryOp::kAnd},
    {Tok::kCaretAssign, BinaryOp::kXor},
    {Tok::kPipeAssign, BinaryOp::kOr},
    {Tok::kDoubleSlashAssign, BinaryOp::kFloorDiv},
};

const char* Describe(const Node& n) {
  switch (n.kind) {
    case Kind::kConstant:
      return "literal";
    case Kind::kCall:
      return "function call";
    case Kind::kBinary:
    case Kind::kUnary:
      return "expression";
    case Kind::kNot:
    case Kind::kAnd:
    case Kind::kOr:
      return "expression";
    case Kind::kCompare:
      return "comparison";
    case Kind::kLambda:
      return "lambda";
    case Kind::kIfExp:
      return "conditional expression";
    case Kind::kDict:
      return "dict literal";
    case Kind::kSet:
      return "set display";
    case Kind::kListComp:
      return "list comprehension";
    case Kind::kSetComp:
      return "set comprehension";
    case Kind::kDictComp:
      return "dict comprehension";
    case Kind::kGenerator:
      return "generator expression";
    case Kind::kYield:
    case Kind::kYieldFrom:
      return "yield expression";
    case Kind::kJoined:
      return "f-string expression";
    case Kind::kNamed:
      return "named expression";
    default:
      return "expression";
  }
}

// Brackets are counted as expressions; blocks around them must not make 500 of them too many.
constexpr int kBlocksAround = 50;

bool IsCompound(Tok t) {
  return t == Tok::kIf || t == Tok::kWhile || t == Tok::kFor || t == Tok::kTry || t == Tok::kWith ||
         t == Tok::kDef || t == Tok::kClass || t == Tok::kAt || t == Tok::kAsync;
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
  if (++p->depth_ > kMaxNesting + kBlocksAround) {
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
    case Tok::kEnd:
      Fail(token_.span, "unexpected EOF while parsing");
    default:
      break;
  }
  // A newline that the text's end stands in for.
  if (At(Tok::kNewline) && token_.span.begin >= lexer_.source().text().size())
    failed_at_end_ = false;
  Fail(token_.span, "invalid syntax");
}

StrObject* Parser::NameOf(const Token& t) { return Intern(lexer_.Text(t.span)); }

void Parser::Bind(StrObject* name) {
  if (options_ && options_->is_verb && options_->is_verb(name->view()))
    bound_verbs_.push_back(name);
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
    while (i < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_' || text[i] == '.'))
      ++i;
    // "Out[3]?": where that result came from.
    uint32_t index = i;
    if (index < text.size() && text[index] == '[') ++index;
    while (index < text.size() && std::isdigit(static_cast<unsigned char>(text[index]))) ++index;
    if (index > i + 1 && index < text.size() && text[index] == ']') i = index + 1;
    uint32_t marks = i;
    while (marks < text.size() && text[marks] == '?') ++marks;
    if (marks > i && marks - i <= 2) {
      uint32_t tail = marks;
      while (tail < text.size() && (text[tail] == ' ' || text[tail] == '\t' || text[tail] == '\r'))
        ++tail;
      if (tail == text.size() || text[tail] == '\n' || text[tail] == ';') {
        lexer_.TakeRestOfLine(marks);
        return emit(marks - i == 1 ? "?" : "??", {begin, i});
      }
    }
  }
  if (!options_->is_verb(word) || (word == "break" && !spaced)) return false;
  StrObject* name = Intern(word);
  if (std::find(bound_verbs_.begin(), bound_verbs_.end(), name) != bound_verbs_.end()) return false;
  const bool alone = word != "break";
  if (!alone && (next == '\n' || next == '\r' || next == ';' || next == '#' || at >= text.size()))
    return false;
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
           (rest.size() == w.size() ||
            !(std::isalnum(static_cast<unsigned char>(rest[w.size()])) || rest[w.size()] == '_'));
  };
  // `break` is Python's own; `break if` is nothing in Python.
  const bool break_if = word == "break" && starts_word("if");
  if (word == "break" && !break_if) return false;
  for (std::string_view w : {"if", "in", "is", "and", "or", "else", "for", "as"}) {
    if (starts_word(w) && !break_if) return false;
  }
  if (starts_word("not")) {
    std::string_view tail = rest.substr(3);
    size_t skip = tail.find_first_not_of(" \t");
    if (skip != tail.npos && tail.substr(skip, 3) == "in ") return false;
  }
  const bool assignment =
      next == '=' ? after != '=' : after == '=' && std::strchr("+-*/%@&|^", next);
  const bool long_assignment =
      std::strchr("*/<>", next) && after == next && text.substr(at + 2, 1) == "=";
  if (assignment || long_assignment || next == '(' ||
      (next == '.' && after != '/' && after != '.') || next == ',' || next == ')' || next == ':' ||
      (next == '=' && after == '=')) {
    return false;
  }
  return emit(word, lexer_.TakeRestOfLine(at));
}

Node* Parser::SimpleStatement() {
  const uint32_t begin = token_.span.begin;
  auto plain = [&](Kind kind) {
    Advance();
    return Make(kind, begin);
  };
  switch (token_.kind) {
    case Tok::kPass:
      return plain(Kind::kPass);
    case Tok::kBreak:
    case Tok::kContinue:
      if (loop_depth_ == 0) {
        Fail(token_.span,
             At(Tok::kBreak) ? "'break' outside loop" : "'continue' not properly in loop");
      }
      return plain(At(Tok::kBreak) ? Kind::kBreak : Kind::kContinue);
    case Tok::kReturn: {
      if (function_depth_ == 0) Fail(token_.span, "'return' outside function");
      Advance();
      Node* value =
          At(Tok::kNewline) || At(Tok::kSemicolon) || At(Tok::kEnd) ? nullptr : StarExpressions();
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
    case Tok::kGlobal:
      return NameList(Kind::kGlobal);
    case Tok::kNonlocal:
      return NameList(Kind::kNonlocal);
    case Tok::kImport:
      return Import();
    case Tok::kFrom:
      return ImportFrom();
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
    default:
      return ExpressionOrAssign();
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
    case Kind::kAttribute:
    case Kind::kSubscript:
      return;
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
    default:
      break;
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
    if (first->kind != Kind::kName && first->kind != Kind::kAttribute &&
        first->kind != Kind::kSubscript) {
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
  if (At(Tok::kColon) && (first->kind == Kind::kName || first->kind == Kind::kAttribute ||
                          first->kind == Kind::kSubscript)) {
    Advance();
    Node* annotation = Expression();
    Node* value = Accept(Tok::kAssign) ? StarExpressions() : nullptr;
    CheckTarget(first, "assign to");
    Node* node = Make(Kind::kAnnAssign, begin);
    node->a = first, node->b = annotation, node->c = value;
    return node;
  }
  if (first->kind == Kind::kStarred) Fail(first->span, "can't use starred expression here");
  if (first->kind == Kind::kName && first->name->view() == "print" &&
      (At(Tok::kString) || At(Tok::kName))) {
    Fail({begin, token_.span.end},
         "Missing parentheses in call to 'print'. Did you mean print(...)?");
  }
  Node* node = Make(Kind::kExpression, begin);
  node->a = first;
  return node;
}

}  // namespace tensh::shell
