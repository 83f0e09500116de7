// Prints the tree as source text. Every compound operand is put in parentheses, so that no
// precedence rules are needed. A loop prints chains that lean left, because the parser also builds
// them by a loop and they may be deeper than the native stack.
#include <algorithm>

#include "shell/python/syntax/ast.h"
#include "shell/python/values/format.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

// The text of a node whose form is fixed. A dollar sign stands for a part of it: $a, $b and $c for
// operands, $n for the name, $l for the list separated by commas, $f for the list as clauses of a
// comprehension, $i for it as names of an import, $p for parameters, and $= for the operator.
struct Form {
  Kind kind;
  std::string_view text;
};
constexpr Form kForms[] = {
    // Expressions.
    {Kind::kName, "$n"},
    {Kind::kList, "[$l]"},
    {Kind::kSet, "{$l}"},
    {Kind::kStarred, "*$a"},
    {Kind::kNot, "(not $a)"},
    {Kind::kIfExp, "($a if $b else $c)"},
    {Kind::kLambda, "(lambda $p: $a)"},
    {Kind::kListComp, "[$a$f]"},
    {Kind::kSetComp, "{$a$f}"},
    {Kind::kGenerator, "($a$f)"},
    {Kind::kDictComp, "{$a: $b$f}"},
    {Kind::kYieldFrom, "(yield from $a)"},
    {Kind::kNamed, "($a := $b)"},
    // Simple statements.
    {Kind::kExpression, "$a"},
    {Kind::kAugAssign, "$a $== $b"},
    {Kind::kGlobal, "global $l"},
    {Kind::kNonlocal, "nonlocal $l"},
    {Kind::kImport, "import $i"},
    {Kind::kImportFrom, "from $n import $i"},
    {Kind::kPass, "pass"},
    {Kind::kBreak, "break"},
    {Kind::kContinue, "continue"},
    {Kind::kDelete, "del $l"},
    // The first lines of compound statements.
    {Kind::kFor, "for $a in $b"},
    {Kind::kWhile, "while $a"},
};

class Printer {
 public:
  explicit Printer(const Ast& ast) : ast_(ast) {}
  std::string out;

  void Statement(const Node& n, int indent) {
    switch (n.kind) {
      case Kind::kFor:
      case Kind::kWhile:
        Pad(indent);
        Fixed(n);
        Block(n.list, indent);
        return Else(n.list2, indent);
      case Kind::kIf:
        return If(n, indent);
      case Kind::kWith:
        return With(n, indent);
      case Kind::kDef:
        return Def(n, indent);
      case Kind::kClass:
        return Class(n, indent);
      case Kind::kTry:
        return Try(n, indent);
      default:
        Pad(indent);
        SimpleStatement(n);
        out += "\n";
    }
  }

  void Expr(const Node& n) {
    // Walks down the left spine and opens parentheses, then prints the operands from the inside
    // out.
    std::vector<const Node*> spine;
    const Node* at = &n;
    while (at->kind == Kind::kBinary || at->kind == Kind::kAttribute ||
           at->kind == Kind::kSubscript || at->kind == Kind::kCall) {
      spine.push_back(at);
      if (at->kind == Kind::kBinary) out += "(";
      at = at->a;
    }
    const bool number = at->kind == Kind::kConstant && !spine.empty();
    if (number) out += "(";
    Leaf(*at);
    if (number) out += ")";
    for (; !spine.empty(); spine.pop_back()) {
      const Node& s = *spine.back();
      switch (s.kind) {
        case Kind::kBinary:
          out += std::string(" ") + NamesOf(static_cast<BinaryOp>(s.op)).symbol + " ";
          Expr(*s.b);
          out += ")";
          break;
        case Kind::kAttribute:
          out += "." + s.name->text();
          break;
        case Kind::kSubscript:
          out += "[";
          if (s.b->kind == Kind::kTuple && s.b->list.size > 0) {
            Items(s.b->list);
            if (s.b->list.size == 1) out += ",";
          } else {
            Expr(*s.b);
          }
          out += "]";
          break;
        default:
          out += "(";
          Items(s.list);
          out += ")";
      }
    }
  }

 private:
  void Pad(int indent) { out += std::string(static_cast<size_t>(indent), ' '); }

  // Prints a part that may be missing, behind the text that introduces it.
  void Part(std::string_view before, const Node* value) {
    if (!value) return;
    out += before;
    Expr(*value);
  }

  // Prints a node by its row in kForms. Returns false if it has none.
  bool Fixed(const Node& n) {
    const auto* form = std::ranges::find(kForms, n.kind, &Form::kind);
    if (form == std::end(kForms)) return false;
    for (size_t i = 0; i < form->text.size(); ++i) {
      if (form->text[i] == '$')
        Placeholder(n, form->text[++i]);
      else
        out += form->text[i];
    }
    return true;
  }

  void Placeholder(const Node& n, char what) {
    switch (what) {
      case 'a':
        return Expr(*n.a);
      case 'b':
        return Expr(*n.b);
      case 'c':
        return Expr(*n.c);
      case 'n':
        out += n.name->text();
        return;
      case 'l':
        return Items(n.list);
      case 'f':
        return Clauses(n.list);
      case 'i':
        return Aliases(n.list);
      case 'p':
        return Parameters(n.list3);
      case '=':
        out += NamesOf(static_cast<BinaryOp>(n.op)).symbol;
        return;
    }
  }

  // ---- statements ----

  void SimpleStatement(const Node& n) {
    switch (n.kind) {
      case Kind::kAssign:
        for (const Node* target : n.list) {
          Expr(*target);
          out += " = ";
        }
        return Expr(*n.a);
      case Kind::kAnnAssign:
        Expr(*n.a);
        Part(": ", n.b);
        return Part(" = ", n.c);
      case Kind::kReturn:
        out += "return";
        return Part(" ", n.a);
      case Kind::kRaise:
        out += "raise";
        Part(" ", n.a);
        return Part(" from ", n.b);
      case Kind::kAssert:
        Part("assert ", n.a);
        return Part(", ", n.b);
      case Kind::kVerb:
        if (n.name->view()[0] != '?')
          out += n.name->text() + " " + std::string(n.text);
        else  // ?pattern or X?
          out += std::string(n.text) + (n.text.starts_with('?') ? "" : n.name->text());
        return;
      default:
        Fixed(n);
    }
  }

  void Block(const NodeList& list, int indent) {
    out += ":\n";
    for (const Node* n : list) Statement(*n, indent + 1);
  }
  void Else(const NodeList& list, int indent) {
    if (list.empty()) return;
    Pad(indent);
    out += "else";
    Block(list, indent);
  }
  void If(const Node& n, int indent) {
    for (size_t i = 0; i < n.list.size; ++i) {
      const Node& branch = *n.list[i];
      Pad(indent);
      out += i == 0 ? "if" : branch.a ? "elif" : "else";
      Part(" ", branch.a);
      Block(branch.list, indent);
    }
  }
  void With(const Node& n, int indent) {
    Pad(indent);
    out += "with ";
    for (size_t i = 0; i < n.list.size; ++i) {
      Part(i ? ", " : "", n.list[i]->a);
      Part(" as ", n.list[i]->b);
    }
    Block(n.list2, indent);
  }
  void Decorators(const NodeList& list, int indent) {
    for (const Node* decorator : list) {
      Pad(indent);
      Part("@", decorator);
      out += "\n";
    }
  }
  void Def(const Node& n, int indent) {
    Decorators(n.list2, indent);
    Pad(indent);
    out += "def " + n.name->text() + "(";
    Parameters(n.list3);
    out += ")";
    Part(" -> ", n.a);
    Block(n.list, indent);
  }
  void Class(const Node& n, int indent) {
    Decorators(n.list2, indent);
    Pad(indent);
    out += "class " + n.name->text() + "(";
    Items(n.list3);
    out += ")";
    Block(n.list, indent);
  }
  void Try(const Node& n, int indent) {
    Pad(indent);
    out += "try";
    Block(n.list, indent);
    for (const Node* h : n.list2) {
      Pad(indent);
      out += "except";
      Part(" ", h->a);
      if (h->name) out += " as " + h->name->text();
      Block(h->list, indent);
    }
    Else(n.list3, indent);
    if (n.list4.empty()) return;
    Pad(indent);
    out += "finally";
    Block(n.list4, indent);
  }

  // ---- expressions ----

  void Items(const NodeList& list) {
    for (size_t i = 0; i < list.size; ++i) {
      if (i) out += ", ";
      Expr(*list[i]);
    }
  }
  void Aliases(const NodeList& list) {
    for (size_t i = 0; i < list.size; ++i) {
      if (i) out += ", ";
      out += list[i]->name->text();
      if (!list[i]->text.empty()) out += " as " + std::string(list[i]->text);
    }
  }
  void Parameters(const NodeList& list) {
    bool star = false;
    for (size_t i = 0; i < list.size; ++i) {
      const Node& p = *list[i];
      const auto kind = static_cast<ParameterKind>(p.op);
      if (i) out += ", ";
      if (kind == ParameterKind::kKeywordOnly && !star) out += "*, ";
      if (kind == ParameterKind::kStar || kind == ParameterKind::kKeywordOnly) star = true;
      if (kind == ParameterKind::kStar) out += "*";
      if (kind == ParameterKind::kStarStar) out += "**";
      out += p.name->text();
      if (p.b) {
        out += ": ";
        Expr(*p.b);
      }
      if (p.a) {
        out += "=";
        Expr(*p.a);
      }
      const bool last_positional_only =
          kind == ParameterKind::kPositionalOnly &&
          (i + 1 == list.size ||
           static_cast<ParameterKind>(list[i + 1]->op) != ParameterKind::kPositionalOnly);
      if (last_positional_only) out += ", /";
    }
  }
  void Clauses(const NodeList& list) {
    for (const Node* c : list) {
      out += " for ";
      Expr(*c->a);
      out += " in ";
      Expr(*c->b);
      for (const Node* test : c->list) {
        out += " if ";
        Expr(*test);
      }
    }
  }
  void Joined(const NodeList& list, const char* between) {
    out += "(";
    for (size_t i = 0; i < list.size; ++i) {
      if (i) out += between;
      Expr(*list[i]);
    }
    out += ")";
  }

  void Constant(const Value& v) {
    if (v.is_float() && v.as_float() - v.as_float() != 0) {
      out += v.as_float() != v.as_float() ? "(1e999-1e999)" : v.as_float() > 0 ? "1e999" : "-1e999";
    } else if (v.is_ellipsis()) {
      out += "...";
    } else {
      out += Repr(v);
    }
  }

  // An f-string becomes a join of format(a, spec) calls. They mean the same and avoid nested
  // quotes.
  void FString(const Node& n) {
    out += "''.join([";
    for (size_t i = 0; i < n.list.size; ++i) {
      if (i) out += ", ";
      const Node& piece = *n.list[i];
      if (piece.kind == Kind::kConstant) {
        Constant(ast_.constants[piece.constant]);
        continue;
      }
      out += "format(";
      if (piece.op) out += piece.op == 'r' ? "repr(" : piece.op == 's' ? "str(" : "ascii(";
      Expr(*piece.a);
      if (piece.op) out += ")";
      if (piece.b) {
        out += ", ";
        FString(*piece.b);
      }
      out += ")";
    }
    out += "])";
  }

  void Dict(const Node& n) {
    out += "{";
    for (size_t i = 0; i < n.list.size; ++i) {
      if (i) out += ", ";
      Part("", n.list[i]);
      out += n.list[i] ? ": " : "**";
      Expr(*n.list2[i]);
    }
    out += "}";
  }

  void Compare(const Node& n) {
    static constexpr const char* kComparisons[] = {"<",  "<=", "==",     "!=", ">",
                                                   ">=", "in", "not in", "is", "is not"};
    out += "(";
    for (size_t i = 0; i < n.list.size; ++i) {
      if (i) out += std::string(" ") + kComparisons[static_cast<size_t>(n.text[i - 1])] + " ";
      Expr(*n.list[i]);
    }
    out += ")";
  }

  void Unary(const Node& n) {
    static constexpr const char* kUnary[] = {"-", "+", "~"};
    out += std::string("(") + kUnary[n.op];
    Expr(*n.a);
    out += ")";
  }

  // Prints a node without the chain that may lean on it.
  void Leaf(const Node& n) {
    switch (n.kind) {
      case Kind::kConstant:
        return Constant(ast_.constants[n.constant]);
      case Kind::kTuple:
        out += "(";
        Items(n.list);
        out += n.list.size == 1 ? ",)" : ")";
        return;
      case Kind::kDict:
        return Dict(n);
      case Kind::kSlice:
        Part("", n.a);
        out += ":";
        Part("", n.b);
        out += ":";
        return Part("", n.c);
      case Kind::kKeyword:
        out += n.name ? n.name->text() + "=" : "**";
        return Expr(*n.a);
      case Kind::kUnary:
        return Unary(n);
      case Kind::kAnd:
        return Joined(n.list, " and ");
      case Kind::kOr:
        return Joined(n.list, " or ");
      case Kind::kCompare:
        return Compare(n);
      case Kind::kVerbValue:
        out += n.name->text() + " " + std::string(n.text);
        return;
      case Kind::kYield:
        out += "(yield";
        Part(" ", n.a);
        out += ")";
        return;
      case Kind::kJoined:
        return FString(n);
      default:
        Fixed(n);
    }
  }

  const Ast& ast_;
};

}  // namespace

std::string PrintStatement(const Ast& ast, const Node& node) {
  Printer p(ast);
  p.Statement(node, 0);
  return std::move(p.out);
}

std::string PrintExpression(const Ast& ast, const Node& node) {
  Printer p(ast);
  p.Expr(node);
  return std::move(p.out);
}

}  // namespace tensh::shell
