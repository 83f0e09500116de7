// Parser: tokens into the tree, one statement at a time, by recursive descent. Depth is bounded by
// kMaxNesting; chains that lean left (a+b+c…, x.y.z) are built by loops and cost no depth.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/lang/ast.h"
#include "shell/lang/lexer.h"
#include "shell/values/type.h"

namespace tensh::shell {

struct ParseOptions {
  // Is the word a verb, as things stand (a verb, and no variable of that name)?
  std::function<bool(std::string_view)> is_verb;
  // Is that verb alone on a line a command?
  std::function<bool(std::string_view)> verb_alone;
};

bool BeginsExpression(Tok token);  // can one begin so?

class Parser {
 public:
  Parser(Ast* ast, const ParseOptions* options);
  Parser(Ast* ast, const ParseOptions* options, Span part, bool expression);

  // The next statements: one compound statement, or the simple ones of a line. False at the end.
  bool NextStatements(std::vector<Node*>* out);
  // One expression, and where it ended (for verbs). Null when there is none.
  Node* ExpressionPrefix(uint32_t* end);
  Node* WholeExpression();
  bool unfinished() const;  // The error was that the text ended.
  bool saw_block() const { return saw_block_; }
  // What cannot be read behind an expression ends it (the rest of a verb's line need not be
  // Python).
  void set_lenient() { lenient_ = true; }

 private:
  friend class FString;
  // parse_stmt.cc
  void SimpleLine(std::vector<Node*>* out);
  Node* SimpleStatement();
  Node* CompoundStatement();
  bool VerbStatement(std::vector<Node*>* out);
  NodeList Block();
  Node* If();
  Node* While();
  Node* For();
  Node* Try();
  Node* With();
  Node* WithItem();
  Node* Def(NodeList decorators);
  Node* Class(NodeList decorators);
  Node* Decorated();
  Node* Import();
  Node* ImportFrom();
  Node* NameList(Kind kind);
  Node* ExpressionOrAssign();
  NodeList Parameters(Tok close, bool annotations);
  void CheckTarget(Node* target, const char* action);
  void Bind(StrObject* name);
  // parse_expr.cc
  Node* StarExpressions();  // Commas make a tuple.
  Node* Expressions(bool star);
  Node* NamedExpression();
  Node* Expression();
  Node* Lambda();
  Node* Or();
  Node* And();
  Node* Not();
  Node* Comparison_();
  Node* Operators(int level);
  Node* Unary();
  Node* Power();
  Node* Postfix();
  Node* YieldExpression();
  NodeList CallArguments();
  Node* Subscript();
  Node* SubscriptItem();
  Node* StarOrNamed();
  // parse_atom.cc, parse_string.cc
  Node* Atom();
  Node* Strings();
  Node* ParenAtom();
  Node* ListAtom();
  Node* BraceAtom();
  Node* Number();
  NodeList CompClauses();
  Node* Target();  // of for and comprehensions

  struct Deeper {
    explicit Deeper(Parser* p);
    ~Deeper() { --parser->depth_; }
    Parser* parser;
  };

  Token Advance();
  Token Lex();
  bool At(Tok kind) const { return token_.kind == kind; }
  bool Accept(Tok kind);
  Token Expect(Tok kind, const char* what);
  Tok PeekKind();  // The token after the current one.
  [[noreturn]] void Fail(Span span, std::string message);
  [[noreturn]] void Unexpected();
  StrObject* NameOf(const Token& t);
  Span From(uint32_t begin) const { return {begin, last_end_}; }
  Node* Make(Kind kind, uint32_t begin) { return ast_->Make(kind, From(begin)); }

  Ast* ast_;
  const ParseOptions* options_;
  Lexer lexer_;
  Token token_;
  bool has_peek_ = false;
  Token peek_;
  uint32_t last_end_ = 0;
  int depth_ = 0;
  bool saw_block_ = false;
  bool failed_at_end_ = false;
  bool lenient_ = false;
  int function_depth_ = 0;
  int loop_depth_ = 0;
  std::vector<StrObject*> bound_verbs_;  // Names of verbs that this text assigns.
};

}  // namespace tensh::shell
