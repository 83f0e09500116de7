// Scope: what each name means in a function, class body or comprehension — local, captured or
// global.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "shell/lang/ast.h"

namespace tensh::shell {

enum class Where : uint8_t {
  kLocal,
  kCell,
  kFree,
  kGlobal,
  kName
};  // kName: a class body's own dict

class Scope {
 public:
  enum class Type : uint8_t { kModule, kFunction, kClass, kComprehension };
  struct Use {
    bool bound = false, used = false, global = false, nonlocal = false, parameter = false;
    bool captured = false;  // By an inner function.
    bool free = false;      // Comes from an outer function.
  };

  Scope(Type type, Scope* parent, const Node* node) : type(type), parent(parent), node(node) {}
  Where Find(StrObject* name) const;
  Scope* ChildOf(const Node* n);  // The scope of a function, class or comprehension in this one.

  Type type;
  Scope* parent;
  const Node* node;
  std::vector<StrObject*> order;  // Names as first met.
  std::unordered_map<StrObject*, Use> names;
  std::vector<std::unique_ptr<Scope>> children;
  size_t next_child = 0;
  bool is_generator = false;
  bool needs_class_cell = false;
};

// The scopes of one top-level statement. Throws SyntaxError for a misplaced global or nonlocal.
std::unique_ptr<Scope> AnalyzeScopes(const Ast& ast, const Node& statement);

}  // namespace tensh::shell
