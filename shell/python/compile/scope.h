// Scope analysis: decides for each name in a function, class body or comprehension whether it is
// local, captured or global.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "shell/python/syntax/ast.h"

namespace tensh::shell {

// The kind of access to a name. kName means the dict of a class body, searched before the globals.
enum class Where : uint8_t { kLocal, kCell, kFree, kGlobal, kName };

class Scope {
 public:
  enum class Type : uint8_t { kModule, kFunction, kClass, kComprehension };
  struct Use {
    bool bound = false, used = false, global = false, nonlocal = false, parameter = false;
    bool captured = false;  // Captured by an inner function.
    bool free = false;      // Bound in an outer function.
  };

  Scope(Type type, Scope* parent, const Node* node) : type(type), parent(parent), node(node) {}
  // Returns how code in this scope accesses the name.
  Where Find(StrObject* name) const;
  // Returns the scope of a function, class or comprehension inside this one.
  Scope* ChildOf(const Node* n);

  Type type;
  Scope* parent;
  const Node* node;
  std::vector<StrObject*> order;  // Names in order of their first use.
  std::unordered_map<StrObject*, Use> names;
  std::vector<std::unique_ptr<Scope>> children;
  size_t next_child = 0;
  bool is_generator = false;
  bool needs_class_cell = false;
};

// Builds the scopes of one top-level statement, which is in a module or, if its names are in a dict, in a
// class. Throws SyntaxError for a misplaced global or nonlocal.
std::unique_ptr<Scope> AnalyzeScopes(const Ast& ast, const Node& statement, Scope::Type type);

}  // namespace tensh::shell
