// A recursive-descent parser that turns tokens into the tree, one statement at a time. kMaxNesting
// bounds the depth. Chains that lean left (a+b+c…, x.y.z) are built by loops and cost no depth.
//
// The nodes belong to the Ast that is passed in. Errors are thrown as SyntaxError. A parser is used
// by one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/python/syntax/ast.h"
#include "shell/python/syntax/lexer.h"
#include "shell/python/values/type.h"

namespace tensh::shell {

// The state of a program in Python 2: the features that `from __future__ import` has requested.
struct Python2 {
  bool division = false;
  bool print_function = false;
};

struct ParseOptions {
  // Returns true if a verb has this name.
  std::function<bool(std::string_view)> is_verb;
  // Returns true if a global variable has this name now.
  std::function<bool(std::string_view)> is_variable;
  // Returns true if this verb alone on a line is a command.
  std::function<bool(std::string_view)> verb_alone;
  // Returns true if the line `next` belongs to this verb too; see Hooks::VerbContinues.
  std::function<bool(std::string_view, std::string_view, std::string_view)> verb_continues;
  // Returns true if this verb may be the right side of an assignment.
  std::function<bool(std::string_view)> verb_gives_value;
  // Not null if the text is in Python 2. The caller owns the state, which the parser changes.
  Python2* python2 = nullptr;
};

bool BeginsExpression(Tok token);  // Returns true if an expression can begin with this token.

class Parser {
 public:
  Parser(Ast* ast, const ParseOptions* options);
  Parser(Ast* ast, const ParseOptions* options, Span part, bool expression);

  // Parses the next statements: one compound statement, or all simple statements of a line. Returns
  // false at the end of the text.
  bool NextStatements(std::vector<Node*>* out);
  // Parses one expression and reports where it ended (for verbs). Returns null if the text does not
  // begin with one.
  Node* ExpressionPrefix(uint32_t* end);
  Node* WholeExpression();
  bool unfinished() const;  // True if the error was that the text ended too soon.
  bool saw_block() const { return saw_block_; }
  // Ends an expression at the first token that cannot continue it, without an error. The rest of a
  // verb's line does not have to be Python.
  void set_lenient() { lenient_ = true; }

 private:
  friend class FString;
  // parse_stmt.cc
  void SimpleLine(std::vector<Node*>* out);
  Node* SimpleStatement();
  Node* CompoundStatement();
  bool VerbStatement(std::vector<Node*>* out);
  Node* VerbValue();
  Span VerbText(std::string_view verb, uint32_t begin);
  bool HelpStatement(uint32_t begin, std::vector<Node*>* out);
  void DottedVerb(std::vector<Node*>* out);
  bool IsVariable(std::string_view word) const;
  Node* Verb(std::string_view verb, Span rest);
  bool AtStatementEnd() const;
  Node* Word(Kind kind);
  Node* Return();
  Node* Raise();
  Node* Delete();
  Node* Assert();
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
  struct ParameterOrder;
  NodeList Parameters(Tok close, bool annotations);
  void Parameter(uint32_t begin, ParameterKind kind, ParameterOrder* order);
  Node* ParameterDefault(uint32_t begin, ParameterKind kind, ParameterOrder* order);
  void CheckTarget(Node* target, const char* action);
  void Bind(StrObject* name);
  // parse_expr.cc
  Node* StarExpressions();  // Expressions separated by commas make a tuple.
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
  struct CallOrder;
  Node* CallArgument(CallOrder* order);
  Node* KeywordArgument(const std::vector<Node*>& earlier);
  Node* PositionalArgument(bool first);
  Node* BareGenerator(uint32_t begin, Node* element, bool first);
  Node* Subscript();
  Node* SubscriptItem();
  Node* StarOrNamed();
  // parse_python2.cc
  using TupleParameterRow = std::pair<StrObject*, Node*>;
  Node* Helper(std::string_view name, const std::vector<Node*>& args, uint32_t begin);
  Node* Constant(Value v, uint32_t begin);
  Node* RaiseArguments(Node* type);
  Node* PrintOrExec();
  Node* PrintStatement();
  Node* ExecStatement();
  void RefusePrint(const Node& first);
  const char* HelperOf(BinaryOp op, const Node& left) const;
  Node* DivideAssign(Node* target, Node* value, uint32_t begin);
  Node* CallInPython2(Node* call);
  Node* Backticks();
  Node* TupleParameter(uint32_t begin);
  NodeList UnpackInBody(const std::vector<TupleParameterRow>& tuples, NodeList body);
  Node* UnpackInLambda(const std::vector<TupleParameterRow>& tuples, Node* body);
  void NameParts(Node* target, Node* value, std::vector<Node*>* out);
  void NewerMethods(NodeList* body, NodeList* bases);
  // parse_atom.cc, parse_string.cc
  Node* Atom();
  Node* Strings();
  Node* ParenAtom();
  Node* ListAtom();
  Node* BraceAtom();
  Node* Number();
  NodeList CompClauses();
  Node* Target();  // The target of `for` and of comprehensions.

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
  Python2* python2_;  // See ParseOptions.
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
  // The parameters of the latest function that are tuples, as names and the targets to unpack.
  std::vector<TupleParameterRow> tuple_parameters_;
  // Verbs whose names this text assigns, which makes them variables.
  std::vector<StrObject*> bound_verbs_;
};

}  // namespace tensh::shell
