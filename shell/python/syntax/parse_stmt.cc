// The part of the Parser that handles simple statements and verbs.
#include <algorithm>
#include <cstring>

#include "shell/python/syntax/parser.h"
#include "shell/python/syntax/verb_line.h"
#include "shell/python/values/error.h"

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

// Extra depth for enclosing blocks, which share the counter with brackets. An expression may thus
// use all kMaxNesting levels even inside blocks.
constexpr int kBlocksAround = 50;

bool IsCompound(Tok t) {
  return t == Tok::kIf || t == Tok::kWhile || t == Tok::kFor || t == Tok::kTry || t == Tok::kWith ||
         t == Tok::kDef || t == Tok::kClass || t == Tok::kAt || t == Tok::kAsync;
}

}  // namespace

Parser::Parser(Ast* ast, const ParseOptions* options)
    : Parser(ast, options, {0, static_cast<uint32_t>(ast->source->text().size())}, false) {}

Parser::Parser(Ast* ast, const ParseOptions* options, Span part, bool expression)
    : ast_(ast),
      options_(options),
      python2_(options ? options->python2 : nullptr),
      lexer_(*ast->source, part.begin, part.end, expression, python2_ != nullptr) {
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
  if (At(Tok::kNewline) && token_.span.begin >= lexer_.source().text().size())
    failed_at_end_ = false;  // the end of the text acts as a newline
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

// Parses a line that begins with a verb, unless it could continue as a Python statement. Returns
// false if the line is Python.
bool Parser::VerbStatement(std::vector<Node*>* out) {
  if (!options_ || !options_->is_verb || has_peek_) return false;
  if (At(Tok::kDot)) return DottedVerb(out), true;
  if (At(Tok::kQuestion)) {  // ?pattern
    out->push_back(Verb("?", lexer_.TakeRestOfLine(token_.span.begin)));
    return true;
  }
  if (At(Tok::kName) && HelpStatement(token_.span.begin, out)) return true;
  const std::string_view word = lexer_.Text(token_.span);
  if (!At(Tok::kName) && KeywordOf(word) == Tok::kName) return false;
  if (!options_->is_verb(word)) return false;
  const VerbLine line = ReadVerbLine(lexer_.source().text(), token_.span.begin, token_.span.end);
  if (line.after == AfterVerb::kPython) return false;
  // `step loss` is the verb even if a variable is named `step`, because it cannot be Python.
  if (!line.certain && IsVariable(word)) return false;
  const bool alone = line.after == AfterVerb::kNothing;
  if (alone && (!options_->verb_alone || !options_->verb_alone(word))) return false;
  out->push_back(Verb(word, VerbText(word, line.rest)));
  return true;
}

// Parses the right side of `rows = nodes where op == Const`, or of `rows = .nodes`. Returns null if it
// is Python.
Node* Parser::VerbValue() {
  if (!options_ || !options_->verb_gives_value || has_peek_) return nullptr;
  const std::string_view text = lexer_.source().text();
  const bool dotted = At(Tok::kDot);
  const uint32_t begin = dotted ? token_.span.end : token_.span.begin;
  const uint32_t end = EndOfWord(text, begin);
  std::string_view word = text.substr(begin, end - begin);
  uint32_t arguments = SkipBlanks(text, end);
  if (const std::string_view verb = VerbOfDotted(word); dotted && !verb.empty()) {
    word = verb;
    arguments = token_.span.begin;
  }
  if (!(dotted || At(Tok::kName)) || !options_->verb_gives_value(word)) return nullptr;
  VerbLine line{AfterVerb::kArguments, arguments, true};
  if (!dotted) line = ReadVerbLine(text, begin, end);
  if (line.after == AfterVerb::kPython || (!line.certain && IsVariable(word))) return nullptr;
  // A name alone is a variable that a function finds when it runs.
  if (line.after == AfterVerb::kNothing && function_depth_ > 0) return nullptr;
  Node* node = Verb(word, VerbText(word, line.rest));
  node->kind = Kind::kVerbValue;
  return node;
}

// Returns true if a global variable has this name, or an earlier line of this text assigns it.
bool Parser::IsVariable(std::string_view word) const {
  return (options_->is_variable && options_->is_variable(word)) ||
         std::ranges::find(bound_verbs_, Intern(word)) != bound_verbs_.end();
}

// Parses X? and X??, which show help on any name, including attributes. X begins at `begin`.
bool Parser::HelpStatement(uint32_t begin, std::vector<Node*>* out) {
  const HelpMark help = ReadHelpMark(lexer_.source().text(), begin);
  if (help.marks == 0) return false;
  lexer_.TakeRestOfLine(help.name_end + help.marks);
  out->push_back(Verb(help.marks == 1 ? "?" : "??", {begin, help.name_end}));
  return true;
}

// Parses `.verb arguments`. No Python statement begins with a dot, so this form denotes the verb
// even if a variable has its name.
void Parser::DottedVerb(std::vector<Node*>* out) {
  const std::string_view text = lexer_.source().text();
  const uint32_t begin = token_.span.end, end = EndOfWord(text, begin);
  if (HelpStatement(begin, out)) return;
  const std::string_view word = text.substr(begin, end - begin);
  if (!options_->is_verb(word)) {
    const std::string_view verb = VerbOfDotted(word);
    if (options_->is_verb(verb))
      return out->push_back(Verb(verb, VerbText(verb, token_.span.begin)));
    Fail({token_.span.begin, end}, word.empty()
                                       ? "invalid syntax: a verb must follow the dot. Type: .help"
                                       : "no verb is named '" + std::string(word) + "'");
  }
  out->push_back(Verb(word, VerbText(word, SkipBlanks(text, end))));
}

// Reads the text of a verb. It may extend over several lines if the verb accepts them.
Span Parser::VerbText(std::string_view verb, uint32_t begin) {
  const std::string_view text = lexer_.source().text();
  Span rest = lexer_.TakeRestOfLine(begin);
  while (options_->verb_continues && !lexer_.at_end()) {
    const uint32_t end = SkipBlanks(text, rest.end);
    if (end < text.size() && text[end] != '\n' && text[end] != '\r')
      break;  // a semicolon, a comment
    const auto next = static_cast<uint32_t>(std::min(text.find('\n', end), text.size() - 1) + 1);
    const std::string_view line = text.substr(next, text.find('\n', next) - next);
    if (!options_->verb_continues(verb, text.substr(begin, rest.end - begin), line)) break;
    if (line.empty()) {
      if (next >= text.size()) lexer_.set_unfinished();
      break;
    }
    rest.end = lexer_.TakeRestOfLine(next).end;
  }
  return rest;
}

// Makes the node of a verb whose text is `rest`, and moves to the token after it.
Node* Parser::Verb(std::string_view verb, Span rest) {
  Node* node = ast_->Make(Kind::kVerb, {token_.span.begin, std::max(rest.end, token_.span.end)});
  node->name = Intern(verb);
  node->text = ast_->Text(lexer_.Text(rest));
  node->rest_begin = rest.begin;
  last_end_ = rest.end;
  token_ = lexer_.Next();
  return node;
}

Node* Parser::SimpleStatement() {
  switch (token_.kind) {
    case Tok::kPass:
      return Word(Kind::kPass);
    case Tok::kBreak:
      if (loop_depth_ == 0) Fail(token_.span, "'break' outside loop");
      return Word(Kind::kBreak);
    case Tok::kContinue:
      if (loop_depth_ == 0) Fail(token_.span, "'continue' not properly in loop");
      return Word(Kind::kContinue);
    case Tok::kReturn:
      return Return();
    case Tok::kRaise:
      return Raise();
    case Tok::kGlobal:
      return NameList(Kind::kGlobal);
    case Tok::kNonlocal:
      return NameList(Kind::kNonlocal);
    case Tok::kImport:
      return Import();
    case Tok::kFrom:
      return ImportFrom();
    case Tok::kDel:
      return Delete();
    case Tok::kAssert:
      return Assert();
    default:
      return ExpressionOrAssign();
  }
}

bool Parser::AtStatementEnd() const {
  return At(Tok::kNewline) || At(Tok::kSemicolon) || At(Tok::kEnd);
}

// Parses a statement that is one keyword.
Node* Parser::Word(Kind kind) {
  const uint32_t begin = Advance().span.begin;
  return Make(kind, begin);
}

Node* Parser::Return() {
  if (function_depth_ == 0) Fail(token_.span, "'return' outside function");
  const uint32_t begin = Advance().span.begin;
  Node* value = AtStatementEnd() ? nullptr : StarExpressions();
  Node* node = Make(Kind::kReturn, begin);
  node->a = value;
  return node;
}

Node* Parser::Raise() {
  const uint32_t begin = Advance().span.begin;
  Node *value = nullptr, *cause = nullptr;
  if (!AtStatementEnd()) {
    value = Expression();
    if (At(Tok::kComma)) value = RaiseArguments(value);
    if (Accept(Tok::kFrom)) cause = Expression();
  }
  Node* node = Make(Kind::kRaise, begin);
  node->a = value, node->b = cause;
  return node;
}

Node* Parser::Delete() {
  const uint32_t begin = Advance().span.begin;
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

Node* Parser::Assert() {
  const uint32_t begin = Advance().span.begin;
  Node* test = Expression();
  Node* message = Accept(Tok::kComma) ? Expression() : nullptr;
  Node* node = Make(Kind::kAssert, begin);
  node->a = test, node->b = message;
  return node;
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
  for (const Node* alias : aliases) {
    if (!python2_ || module != "__future__") break;
    python2_->division |= alias->name->view() == "division";
    python2_->print_function |= alias->name->view() == "print_function";
  }
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
  if (Node* statement = PrintOrExec()) return statement;
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
      value = VerbValue();
      if (!value) value = StarExpressions();
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
    if (row.op == BinaryOp::kTrueDiv && HelperOf(row.op, *first))
      return DivideAssign(first, value, begin);
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
  if (!python2_) RefusePrint(*first);
  Node* node = Make(Kind::kExpression, begin);
  node->a = first;
  return node;
}

}  // namespace tensh::shell
