#include "shell/python/compile/scope.h"

#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

class Walker {
 public:
  explicit Walker(const Ast& ast) : ast_(ast) {}

  void Statements(Scope* s, const NodeList& list) {
    for (const Node* n : list) Statement(s, *n);
  }

  void Statement(Scope* s, const Node& n) {
    switch (n.kind) {
      case Kind::kAssign:
        Expression(s, n.a);
        for (const Node* t : n.list) Target(s, *t);
        break;
      case Kind::kAugAssign:
        Expression(s, n.b);
        if (n.a->kind == Kind::kName) Use(s, n.a->name);
        Target(s, *n.a);
        break;
      case Kind::kAnnAssign:
        if (s->type != Scope::Type::kFunction) Expression(s, n.b);
        Expression(s, n.c);
        Target(s, *n.a);
        break;
      case Kind::kFor:
        Expression(s, n.b);
        Target(s, *n.a);
        Statements(s, n.list);
        Statements(s, n.list2);
        break;
      case Kind::kWithItem:
        Expression(s, n.a);
        if (n.b) Target(s, *n.b);
        break;
      case Kind::kTry:
        Try(s, n);
        break;
      case Kind::kDelete:
        for (const Node* t : n.list) Target(s, *t);
        break;
      case Kind::kGlobal:
      case Kind::kNonlocal:
        Declare(s, n);
        break;
      case Kind::kImport:
        for (const Node* alias : n.list) BindModule(s, *alias);
        break;
      case Kind::kImportFrom:
        for (const Node* alias : n.list) BindImported(s, *alias);
        break;
      case Kind::kDef:
        Function(s, n);
        break;
      case Kind::kClass:
        Class(s, n);
        break;
      default:
        Expression(s, n.a);
        Expression(s, n.b);
        Expression(s, n.c);
        Statements(s, n.list);
        Statements(s, n.list2);
    }
  }

 private:
  Scope* Child(Scope* s, Scope::Type type, const Node& n) {
    s->children.push_back(std::make_unique<Scope>(type, s, &n));
    return s->children.back().get();
  }

  Scope::Use& At(Scope* s, StrObject* name) {
    auto [it, fresh] = s->names.try_emplace(name);
    if (fresh) s->order.push_back(name);
    return it->second;
  }

  void Use(Scope* s, StrObject* name) {
    At(s, name).used = true;
    if (s->type == Scope::Type::kModule) return;
    if (name->view() == "super" || name->view() == "__class__") UseClassCell(s);
  }

  void UseClassCell(Scope* s) {
    bool in_function = false;
    for (Scope* up = s; up; up = up->parent) {
      if (up->type == Scope::Type::kClass && up->parent != nullptr && in_function) {
        up->needs_class_cell = true;
        Scope::Use& cell = At(up, Intern("__class__"));
        cell.captured = true;
        // The functions in between pass the name on by the usual rule.
        At(s, Intern("__class__")).used = true;
        return;
      }
      if (up->type == Scope::Type::kFunction) in_function = true;
    }
  }

  void Bind(Scope* s, StrObject* name, Span) { At(s, name).bound = true; }

  void Try(Scope* s, const Node& n) {
    Statements(s, n.list);
    for (const Node* h : n.list2) {
      Expression(s, h->a);
      if (h->name) Bind(s, h->name, h->span);
      Statements(s, h->list);
    }
    Statements(s, n.list3);
    Statements(s, n.list4);
  }

  // `import a.b` binds a; `import a.b as c` binds c.
  void BindModule(Scope* s, const Node& alias) {
    const std::string_view name = alias.text.empty() ? alias.name->view() : alias.text;
    Bind(s, Intern(name.substr(0, name.find('.'))), alias.span);
  }

  // The names of `from m import *` are bound at run time.
  void BindImported(Scope* s, const Node& alias) {
    if (alias.name->view() == "*") return;
    Bind(s, alias.text.empty() ? alias.name : Intern(alias.text), alias.span);
  }

  void Declare(Scope* s, const Node& n) {
    for (const Node* name : n.list) {
      Scope::Use& use = At(s, name->name);
      const bool global = n.kind == Kind::kGlobal;
      const char* word = global ? "global" : "nonlocal";
      std::string quoted = "name '" + name->name->text() + "' is ";
      if (use.parameter) ThrowSyntax(*ast_.source, name->span, quoted + "parameter and " + word);
      if (s->type != Scope::Type::kModule) {
        if (use.bound)
          ThrowSyntax(*ast_.source, name->span,
                      quoted + "assigned to before " + word + " declaration");
        if (use.used)
          ThrowSyntax(*ast_.source, name->span, quoted + "used prior to " + word + " declaration");
      }
      if (global) {
        use.global = true;
        continue;
      }
      use.nonlocal = true;
      bool found = false;
      for (Scope* up = s->parent; up && !found; up = up->parent) {
        if (up->type != Scope::Type::kFunction) continue;
        auto it = up->names.find(name->name);
        found = it != up->names.end() && it->second.bound && !it->second.global;
        // An enclosing function may assign the name after this definition.
        found = found || MentionedLater(*up, name->name);
      }
      if (!found) {
        ThrowSyntax(*ast_.source, name->span,
                    "no binding for nonlocal '" + name->name->text() + "' found");
      }
    }
  }

  // Returns true if the function assigns the name anywhere in its own body.
  bool MentionedLater(const Scope& s, StrObject* name) {
    Walker probe(ast_);
    Scope copy(Scope::Type::kFunction, nullptr, s.node);
    probe.probing_ = true;
    if (s.node->kind == Kind::kDef) probe.Statements(&copy, s.node->list);
    auto it = copy.names.find(name);
    return it != copy.names.end() && it->second.bound;
  }

  void Target(Scope* s, const Node& n) {
    switch (n.kind) {
      case Kind::kName:
        Bind(s, n.name, n.span);
        break;
      case Kind::kStarred:
        Target(s, *n.a);
        break;
      case Kind::kTuple:
      case Kind::kList:
        for (const Node* item : n.list) Target(s, *item);
        break;
      default:
        Expression(s, &n);
    }
  }

  void Parameters(Scope* outer, Scope* inner, const NodeList& params) {
    for (const Node* p : params) Expression(outer, p->a);
    if (!inner) return;
    for (const Node* p : params) {
      Scope::Use& use = At(inner, p->name);
      use.bound = use.parameter = true;
    }
  }

  void Function(Scope* s, const Node& n) {
    for (const Node* d : n.list2) Expression(s, d);
    Bind(s, n.name, n.span);
    if (probing_) return;
    Scope* inner = Child(s, Scope::Type::kFunction, n);
    Parameters(s, inner, n.list3);
    Statements(inner, n.list);
  }

  void Class(Scope* s, const Node& n) {
    for (const Node* d : n.list2) Expression(s, d);
    for (const Node* b : n.list3) Expression(s, b);
    Bind(s, n.name, n.span);
    if (probing_) return;
    Scope* inner = Child(s, Scope::Type::kClass, n);
    Statements(inner, n.list);
  }

  void Expression(Scope* s, const Node* n) {
    if (!n) return;
    // A loop walks chains that lean left, which may be very long.
    while (n) {
      switch (n->kind) {
        case Kind::kName:
          Use(s, n->name);
          return;
        case Kind::kConstant:
          return;
        case Kind::kLambda:
          Lambda(s, *n);
          return;
        case Kind::kListComp:
        case Kind::kSetComp:
        case Kind::kDictComp:
        case Kind::kGenerator:
          Comprehension(s, *n);
          return;
        case Kind::kNamed:
          Named(s, *n);
          return;
        case Kind::kYield:
        case Kind::kYieldFrom:
          s->is_generator = true;
          n = n->a;
          continue;
        case Kind::kBinary:
        case Kind::kSubscript:
          Expression(s, n->b);
          n = n->a;
          continue;
        case Kind::kCall:
          for (const Node* arg : n->list) Expression(s, arg);
          n = n->a;
          continue;
        default:
          for (const Node* item : n->list) Expression(s, item);
          for (const Node* item : n->list2) Expression(s, item);
          Expression(s, n->b);
          Expression(s, n->c);
          n = n->a;
      }
    }
  }

  void Lambda(Scope* s, const Node& n) {
    if (probing_) return;
    Scope* inner = Child(s, Scope::Type::kFunction, n);
    Parameters(s, inner, n.list3);
    Expression(inner, n.a);
  }

  // In a comprehension, `name := value` binds the name in the scope around it.
  void Named(Scope* s, const Node& n) {
    Expression(s, n.b);
    Scope* home = s;
    while (home->type == Scope::Type::kComprehension) home = home->parent;
    if (home != s) {
      Scope::Use& inner = At(s, n.a->name);
      inner.used = true;
      if (home->type == Scope::Type::kModule)
        inner.global = true;
      else
        inner.nonlocal = true;
    }
    Bind(home, n.a->name, n.span);
  }

  void Comprehension(Scope* s, const Node& n) {
    // The first iterable is evaluated in the enclosing scope.
    Expression(s, n.list[0]->b);
    if (probing_) return;
    Scope* inner = Child(s, Scope::Type::kComprehension, n);
    inner->is_generator = n.kind == Kind::kGenerator;
    for (size_t i = 0; i < n.list.size; ++i) {
      const Node& clause = *n.list[i];
      if (i > 0) Expression(inner, clause.b);
      Target(inner, *clause.a);
      for (const Node* test : clause.list) Expression(inner, test);
    }
    Expression(inner, n.a);
    Expression(inner, n.b);
  }

  const Ast& ast_;
  bool probing_ = false;
};

// For each name that is used but not bound, finds the enclosing function that binds it.
void Resolve(Scope* s) {
  for (StrObject* name : s->order) {
    Scope::Use& use = s->names[name];
    if (s->type == Scope::Type::kModule || use.global || (use.bound && !use.nonlocal)) continue;
    if (s->type == Scope::Type::kClass && use.captured && name->view() == "__class__") continue;
    for (Scope* up = s->parent; up; up = up->parent) {
      if (up->type == Scope::Type::kModule) break;
      auto it = up->names.find(name);
      if (up->type == Scope::Type::kClass) {
        if (name->view() != "__class__" || it == up->names.end() || !it->second.captured) continue;
      } else if (it == up->names.end() || it->second.global || !it->second.bound ||
                 it->second.nonlocal) {
        continue;
      }
      it->second.captured = true;
      use.free = true;
      // Every function in between passes the cell on.
      for (Scope* mid = s->parent; mid != up; mid = mid->parent) {
        auto [at, fresh] = mid->names.try_emplace(name);
        if (fresh) mid->order.push_back(name);
        at->second.free = true;
      }
      break;
    }
  }
  for (auto& child : s->children) Resolve(child.get());
}

}  // namespace

Scope* Scope::ChildOf(const Node* n) {
  // Scopes are usually requested in order, so this starts with the next one.
  for (size_t i = 0; i < children.size(); ++i) {
    Scope* child = children[(next_child + i) % children.size()].get();
    if (child->node != n) continue;
    next_child = (next_child + i + 1) % children.size();
    return child;
  }
  return nullptr;
}

Where Scope::Find(StrObject* name) const {
  auto it = names.find(name);
  if (it == names.end()) return type == Type::kClass ? Where::kName : Where::kGlobal;
  const Use& use = it->second;
  if (type == Type::kModule || use.global) return Where::kGlobal;
  if (use.free && !(use.bound && !use.nonlocal)) return Where::kFree;
  if (type == Type::kClass)
    return use.captured && name->view() == "__class__" && !use.bound ? Where::kCell : Where::kName;
  if (use.bound) return use.captured ? Where::kCell : Where::kLocal;
  return Where::kGlobal;
}

std::unique_ptr<Scope> AnalyzeScopes(const Ast& ast, const Node& statement, Scope::Type type) {
  auto module = std::make_unique<Scope>(type, nullptr, &statement);
  Walker(ast).Statement(module.get(), statement);
  Resolve(module.get());
  return module;
}

}  // namespace tensh::shell
