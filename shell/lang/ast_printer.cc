// The tree as text again. Every compound operand is put in parentheses, so precedence needs no
// thought; chains that lean left are printed by a loop, as they are parsed.
#include "shell/lang/ast.h"
#include "shell/values/format.h"
#include "shell/values/ops.h"

namespace tensh::shell {
namespace {

class Printer {
 public:
  explicit Printer(const Ast& ast) : ast_(ast) {}
  std::string out;

  void Block(const NodeList& list, int indent) {
    out += ":\n";
    for (const Node* n : list) Statement(*n, indent + 1);
  }

  void Statement(const Node& n, int indent) {
    for (const Node* d : n.kind == Kind::kDef || n.kind == Kind::kClass ? n.list2 : NodeList{}) {
      Pad(indent);
      out += "@";
      Expr(*d);
      out += "\n";
    }
    if (n.kind != Kind::kIf) Pad(indent);
    switch (n.kind) {
      case Kind::kExpression:
        Expr(*n.a);
        break;
      case Kind::kAssign:
        for (const Node* t : n.list) {
          Expr(*t);
          out += " = ";
        }
        Expr(*n.a);
        break;
      case Kind::kAugAssign:
        Expr(*n.a);
        out += std::string(" ") + NamesOf(static_cast<BinaryOp>(n.op)).symbol + "= ";
        Expr(*n.b);
        break;
      case Kind::kAnnAssign:
        Expr(*n.a);
        out += ": ";
        Expr(*n.b);
        if (n.c) {
          out += " = ";
          Expr(*n.c);
        }
        break;
      case Kind::kFor:
        out += "for ";
        Expr(*n.a);
        out += " in ";
        Expr(*n.b);
        Block(n.list, indent);
        Else(n.list2, indent);
        return;
      case Kind::kWhile:
        out += "while ";
        Expr(*n.a);
        Block(n.list, indent);
        Else(n.list2, indent);
        return;
      case Kind::kIf:
        for (size_t i = 0; i < n.list.size; ++i) {
          const Node& branch = *n.list[i];
          Pad(indent);
          out += i == 0 ? "if " : branch.a ? "elif " : "else";
          if (branch.a) Expr(*branch.a);
          Block(branch.list, indent);
        }
        return;
      case Kind::kWith:
        out += "with ";
        for (size_t i = 0; i < n.list.size; ++i) {
          if (i) out += ", ";
          Expr(*n.list[i]->a);
          if (n.list[i]->b) {
            out += " as ";
            Expr(*n.list[i]->b);
          }
        }
        Block(n.list2, indent);
        return;
      case Kind::kDef:
        out += "def " + n.name->text() + "(";
        Parameters(n.list3);
        out += ")";
        if (n.a) {
          out += " -> ";
          Expr(*n.a);
        }
        Block(n.list, indent);
        return;
      case Kind::kClass:
        out += "class " + n.name->text() + "(";
        Items(n.list3);
        out += ")";
        Block(n.list, indent);
        return;
      case Kind::kReturn:
        Keyword("return", n.a);
        break;
      case Kind::kRaise:
        Keyword("raise", n.a);
        if (n.b) {
          out += " from ";
          Expr(*n.b);
        }
        break;
      case Kind::kTry:
        Try(n, indent);
        return;
      case Kind::kGlobal:
        out += "global ", Items(n.list);
        break;
      case Kind::kNonlocal:
        out += "nonlocal ", Items(n.list);
        break;
      case Kind::kImport:
        out += "import ", Aliases(n.list);
        break;
      case Kind::kImportFrom:
        out += "from " + n.name->text() + " import ", Aliases(n.list);
        break;
      case Kind::kPass:
        out += "pass";
        break;
      case Kind::kBreak:
        out += "break";
        break;
      case Kind::kContinue:
        out += "continue";
        break;
      case Kind::kDelete:
        out += "del ", Items(n.list);
        break;
      case Kind::kAssert:
        Keyword("assert", n.a);
        if (n.b) {
          out += ", ";
          Expr(*n.b);
        }
        break;
      case Kind::kVerb:
        out += n.name->view()[0] == '?' ? std::string(n.text) + n.name->text()
                                        : n.name->text() + " " + std::string(n.text);
        break;
      default:
        break;
    }
    out += "\n";
  }

  void Expr(const Node& n) {
    // Down the left spine first, opening parentheses; then outwards.
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
  void Keyword(const char* word, const Node* value) {
    out += word;
    if (!value) return;
    out += " ";
    Expr(*value);
  }
  void Else(const NodeList& list, int indent) {
    if (list.empty()) return;
    Pad(indent);
    out += "else";
    Block(list, indent);
  }
  void Try(const Node& n, int indent) {
    out += "try";
    Block(n.list, indent);
    for (const Node* h : n.list2) {
      Pad(indent);
      Keyword("except", h->a);
      if (h->name) out += " as " + h->name->text();
      Block(h->list, indent);
    }
    Else(n.list3, indent);
    if (n.list4.empty()) return;
    Pad(indent);
    out += "finally";
    Block(n.list4, indent);
  }
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

  // format(a, spec) reads the same and has no trouble with quotes inside quotes.
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

  void Leaf(const Node& n) {
    static constexpr const char* kComparisons[] = {"<",  "<=", "==",     "!=", ">",
                                                   ">=", "in", "not in", "is", "is not"};
    switch (n.kind) {
      case Kind::kConstant:
        Constant(ast_.constants[n.constant]);
        break;
      case Kind::kName:
        out += n.name->text();
        break;
      case Kind::kTuple:
        out += "(";
        Items(n.list);
        out += n.list.size == 1 ? ",)" : ")";
        break;
      case Kind::kList:
        out += "[", Items(n.list), out += "]";
        break;
      case Kind::kSet:
        out += "{", Items(n.list), out += "}";
        break;
      case Kind::kDict:
        out += "{";
        for (size_t i = 0; i < n.list.size; ++i) {
          if (i) out += ", ";
          if (n.list[i]) {
            Expr(*n.list[i]);
            out += ": ";
          } else {
            out += "**";
          }
          Expr(*n.list2[i]);
        }
        out += "}";
        break;
      case Kind::kSlice:
        if (n.a) Expr(*n.a);
        out += ":";
        if (n.b) Expr(*n.b);
        out += ":";
        if (n.c) Expr(*n.c);
        break;
      case Kind::kStarred:
        out += "*", Expr(*n.a);
        break;
      case Kind::kKeyword:
        out += n.name ? n.name->text() + "=" : "**";
        Expr(*n.a);
        break;
      case Kind::kUnary: {
        static constexpr const char* kUnary[] = {"-", "+", "~"};
        out += std::string("(") + kUnary[n.op];
        Expr(*n.a);
        out += ")";
        break;
      }
      case Kind::kNot:
        out += "(not ", Expr(*n.a), out += ")";
        break;
      case Kind::kAnd:
        Joined(n.list, " and ");
        break;
      case Kind::kOr:
        Joined(n.list, " or ");
        break;
      case Kind::kCompare:
        out += "(";
        for (size_t i = 0; i < n.list.size; ++i) {
          if (i) out += std::string(" ") + kComparisons[static_cast<size_t>(n.text[i - 1])] + " ";
          Expr(*n.list[i]);
        }
        out += ")";
        break;
      case Kind::kIfExp:
        out += "(", Expr(*n.a), out += " if ", Expr(*n.b), out += " else ", Expr(*n.c), out += ")";
        break;
      case Kind::kLambda:
        out += "(lambda ", Parameters(n.list3), out += ": ", Expr(*n.a), out += ")";
        break;
      case Kind::kListComp:
        out += "[", Expr(*n.a), Clauses(n.list), out += "]";
        break;
      case Kind::kSetComp:
        out += "{", Expr(*n.a), Clauses(n.list), out += "}";
        break;
      case Kind::kGenerator:
        out += "(", Expr(*n.a), Clauses(n.list), out += ")";
        break;
      case Kind::kDictComp:
        out += "{", Expr(*n.a), out += ": ", Expr(*n.b), Clauses(n.list), out += "}";
        break;
      case Kind::kYield:
        out += "(yield";
        if (n.a) out += " ", Expr(*n.a);
        out += ")";
        break;
      case Kind::kYieldFrom:
        out += "(yield from ", Expr(*n.a), out += ")";
        break;
      case Kind::kNamed:
        out += "(", Expr(*n.a), out += " := ", Expr(*n.b), out += ")";
        break;
      case Kind::kJoined:
        FString(n);
        break;
      default:
        break;
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
