// The syntax tree. There is one node type with a few general fields; the table of kinds says what
// each kind keeps in which field.
//
// An Ast owns its nodes in an arena and frees them together. The tree has no parent links and is
// not changed after parsing. Spans are byte offsets into the Source. A tree is used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shell/python/syntax/source.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/value.h"

namespace tensh::shell {

enum class Kind : uint8_t {
  // Expressions.
  kConstant,   // constant
  kName,       // name
  kTuple,      // list
  kList,       // list
  kSet,        // list
  kDict,       // list: keys (null for **), list2: values
  kAttribute,  // a . name
  kSubscript,  // a [ b ]
  kSlice,      // a : b : c, each may be null
  kCall,       // a ( list ), elements may be kStarred and kKeyword
  kStarred,    // * a
  kKeyword,    // name = a, or ** a when name is null
  kUnary,      // op: UnaryOp; a
  kNot,        // a
  kBinary,     // op: BinaryOp; a, b
  kAnd,        // list
  kOr,         // list
  kCompare,    // list: operands; text: one Comparison for each gap between them
  kIfExp,      // a if b else c
  kLambda,     // list3: parameters; a: body
  kListComp,   // a; list: kFor clauses
  kSetComp,    // a; list
  kGenerator,  // a; list
  kDictComp,   // a: b; list
  kCompFor,    // for a in b, list: conditions
  kYield,      // a, may be null
  kYieldFrom,  // a
  kNamed,      // a := b
  kJoined,     // an f-string; list: kConstant and kFormatted
  kFormatted,  // { a ! op : b }; op is the conversion or 0
  // Statements.
  kExpression,  // a
  kAssign,      // list: targets; a
  kAugAssign,   // a op= b
  kAnnAssign,   // a : b = c
  kFor,         // for a in b: list; else: list2
  kWhile,       // while a: list; else: list2
  kIf,          // list: kBranch
  kBranch,      // a: condition, null for else; list
  kWith,        // list: kWithItem; list2: body
  kWithItem,    // a as b
  kDef,         // name; list: body; list2: decorators; list3: parameters; a: annotation
  kParameter,   // name; op: ParameterKind; a: default; b: annotation
  kClass,       // name; list: body; list2: decorators; list3: bases and kKeyword
  kReturn,      // a, may be null
  kRaise,       // a from b, each may be null
  kTry,         // list: body; list2: kHandler; list3: else; list4: finally
  kHandler,     // a: type or null; name or null; list: body
  kGlobal,      // list: kName
  kNonlocal,    // list: kName
  kImport,      // list: kAlias
  kImportFrom,  // name: module; list: kAlias ("*" imports all names)
  kAlias,       // name (dotted); text: after `as`, or empty
  kPass,
  kBreak,
  kContinue,
  kDelete,     // list
  kAssert,     // a, b
  kVerb,       // name: the verb; text: the rest of the line; rest_begin: the offset of that rest
  kVerbValue,  // The same as an expression, whose value the verb makes.
};

enum class Comparison : char { kLt, kLe, kEq, kNe, kGt, kGe, kIn, kNotIn, kIs, kIsNot };
enum class ParameterKind : uint8_t { kPositionalOnly, kNormal, kStar, kKeywordOnly, kStarStar };

struct Node;
struct NodeList {
  Node** data = nullptr;
  uint32_t size = 0;
  Node** begin() const { return data; }
  Node** end() const { return data + size; }
  bool empty() const { return size == 0; }
  Node* operator[](size_t i) const { return data[i]; }
};

struct Node {
  Kind kind;
  uint8_t op = 0;
  bool parenthesized = false;
  Span span;
  uint32_t constant = 0;    // Index into Ast::constants.
  uint32_t rest_begin = 0;  // kVerb only.
  StrObject* name = nullptr;
  std::string_view text;
  Node *a = nullptr, *b = nullptr, *c = nullptr;
  NodeList list, list2, list3, list4;
};

// An arena of nodes and constants for one Source.
class Ast {
 public:
  explicit Ast(std::shared_ptr<const Source> source) : source(std::move(source)) {}
  Ast(const Ast&) = delete;

  Node* Make(Kind kind, Span span);
  NodeList List(const std::vector<Node*>& nodes);
  // Returns a copy of the text that lives as long as the tree.
  std::string_view Text(std::string_view text);
  uint32_t Constant(Value v);
  void Reset();  // Drops all nodes but keeps the memory for the next statement.

  std::shared_ptr<const Source> source;
  std::vector<Value> constants;

 private:
  void* Allocate(size_t bytes);
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t chunk_ = 0, used_ = 0;
  std::vector<std::unique_ptr<char[]>> large_;
};

// Print the tree as source text. Parsing that text gives the same tree again.
std::string PrintStatement(const Ast& ast, const Node& node);
std::string PrintExpression(const Ast& ast, const Node& node);

}  // namespace tensh::shell
