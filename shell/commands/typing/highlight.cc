#include "shell/commands/typing/highlight.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "shell/commands/base/words.h"
#include "shell/commands/tables/relation.h"
#include "shell/commands/typing/sql_text.h"
#include "shell/edit/code_tokens.h"
#include "shell/edit/text_buffer.h"
#include "shell/python/syntax/lexer.h"
#include "shell/python/syntax/verb_line.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/catalogue.h"
#include "shell/session/fetch.h"
#include "shell/session/graphs.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell {
namespace {

using Kind = CodeToken::Kind;
using Tokens = std::vector<CodeToken>;
// An unfinished node name is compared with this many nodes; in larger graphs it counts as known.
constexpr size_t kMostCompared = 2000;

bool IsKeyword(std::string_view word) {
  const auto& keywords = Keywords();
  return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

// The names that the text itself defines, anywhere in it.
class OwnNames {
 public:
  OwnNames(std::string_view text, const Tokens& tokens) : text_(text), tokens_(tokens) {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind != Kind::kName) continue;
      const std::string_view word = Word(i);
      if (word == "def" || word == "class") AddSignature(i + 1);
      if (word == "lambda") AddUntil(i + 1, ":");
      if (word == "for") AddUntil(i + 1, "in");
      if (word == "import" || word == "as" || word == "global" || word == "nonlocal")
        AddUntil(i + 1, "\n");
      if (Is(i + 1, ":") && Is(i + 2, "=")) names_.insert(word);
    }
    AddTargets();
  }
  bool Has(std::string_view name) const { return names_.count(name) > 0; }

 private:
  std::string_view Word(size_t i) const { return tokens_[i].In(text_); }
  bool Is(size_t i, std::string_view word) const { return i < tokens_.size() && Word(i) == word; }
  void AddUntil(size_t i, std::string_view end) {
    for (; i < tokens_.size() && Word(i) != end && Word(i) != "\n"; ++i)
      if (tokens_[i].kind == Kind::kName) names_.insert(Word(i));
  }
  // Adds the name after "def" and its parameters.
  void AddSignature(size_t i) {
    if (i < tokens_.size()) names_.insert(Word(i));
    if (!Is(i + 1, "(")) return;
    int depth = 0;
    for (++i; i < tokens_.size(); ++i) {
      if (Is(i, "(")) ++depth;
      if (Is(i, ")") && --depth == 0) return;
      if (tokens_[i].kind == Kind::kName) names_.insert(Word(i));
    }
  }
  // Adds the names before the "=" of an assignment, and before the ":" of an annotation.
  void AddTargets() {
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view word = Word(i);
      if (word == "(" || word == "[" || word == "{") ++depth;
      if (word == ")" || word == "]" || word == "}") --depth;
      if (tokens_[i].kind == Kind::kNewline || word == ";") begin = i + 1, depth = 0;
      const bool annotation = word == ":" && i == begin + 1;
      const bool compared = Is(i + 1, "=") || (i > 0 && IsComparison(i - 1));
      if (depth != 0 || (!annotation && (word != "=" || compared))) continue;
      for (size_t j = begin; j < i; ++j)
        if (tokens_[j].kind == Kind::kName && !Is(j + 1, ".") && (j == 0 || !Is(j - 1, ".")))
          names_.insert(Word(j));
      begin = i + 1;
    }
  }
  bool IsComparison(size_t i) const {
    const std::string_view word = Word(i);
    return (word == "=" || word == "!" || word == "<" || word == ">") &&
           tokens_[i].to == tokens_[i + 1].from;
  }

  std::string_view text_;
  const Tokens& tokens_;
  std::set<std::string_view> names_;
};

const Catalogue* CatalogueOfRoot(Shell& shell, std::string_view name) {
  const Value value = shell.interp().GetGlobal(name);
  return CatalogueOf(value.is_null() ? shell.interp().FindBuiltin(Intern(name)) : value);
}

bool IsNode(std::string_view name) {
  if (!HasGraph() || name.empty()) return false;
  const size_t colon = name.rfind(':');
  return CurrentGraph().Find(std::string(name.substr(0, colon))) != TSH_NO_NODE;
}

// Colors one text. Its members are the state of the pass over the tokens.
class Painter {
 public:
  Painter(Shell& shell, std::string_view text, size_t cursor)
      : shell_(shell), text_(text), cursor_(cursor), tokens_(TokensOf(text)), own_(text, tokens_) {}

  std::vector<StyleSpan> Paint() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const CodeToken& token = tokens_[i];
      if (begins_) StartStatement(i);
      if (token.from < skip_) continue;
      begins_ = false;
      switch (token.kind) {
        case Kind::kString:
          Add(token, IsDeviceString(i) ? Role::kDevice : Role::kString);
          break;
        case Kind::kComment:
          Add(token, Role::kComment);
          break;
        case Kind::kNumber:
          Add(token, Role::kNumber);
          break;
        case Kind::kNewline:
          begins_ = depth_ == 0;
          break;
        case Kind::kOperator:
          Operator(token);
          break;
        case Kind::kName:
          Name(i);
          break;
      }
    }
    return std::move(spans_);
  }

 private:
  std::string_view Word(size_t i) const { return tokens_[i].In(text_); }
  bool Is(size_t i, std::string_view word) const { return i < tokens_.size() && Word(i) == word; }
  void Add(const CodeToken& token, Role role) { Add(token.from, token.to, role); }
  void Add(size_t from, size_t to, Role role) {
    if (role != Role::kPlain) spans_.push_back({from, to, role});
  }

  // Finds the verb of a statement, with or without a dot before it.
  void StartStatement(size_t i) {
    verb_ = nullptr;
    columns_ = nullptr;
    const bool dotted =
        Is(i, ".") && i + 1 < tokens_.size() && tokens_[i + 1].from == tokens_[i].to;
    const CodeToken& word = tokens_[dotted ? i + 1 : i];
    if (word.kind != Kind::kName) return;
    const std::string_view name = word.In(text_);
    const std::string_view alias = dotted ? VerbOfDotted(name) : "";
    const Command* command = shell_.commands().Find(alias.empty() ? name : alias);
    if (command == nullptr) return;
    const VerbLine line =
        ReadVerbLine(text_, static_cast<uint32_t>(word.from), static_cast<uint32_t>(word.to));
    const bool variable = own_.Has(name) || !shell_.interp().GetGlobal(name).is_null();
    if (!dotted && (line.after == AfterVerb::kPython || (variable && !line.certain))) return;
    verb_ = command;
    Add(tokens_[i].from, word.to, Role::kVerb);
    skip_ = word.to;
    begins_ = false;
    if (name == "sql" || !alias.empty())
      return Sql(static_cast<size_t>(&word - tokens_.data()) + 1);
    columns_ = FindTable(name);
    const std::string_view usage = command->usage;
    // Patterns, files and columns are not names.
    checks_ = usage.find("EXPR") != usage.npos || usage.find(" X") != usage.npos;
    if (usage.find("PATTERN") != usage.npos || usage.find("FILE |") != usage.npos) checks_ = false;
  }

  // A statement of SQL, which ends with the line unless it goes on in the next one.
  void Sql(size_t i) {
    const size_t begin = i;
    int depth = 0;
    for (; i < tokens_.size(); ++i) {
      const std::string_view word = Word(i);
      if (word == "(") ++depth;
      if (word == ")") --depth;
      if (word == ";" && depth <= 0) break;
      if (tokens_[i].kind != Kind::kNewline || depth > 0) continue;
      const size_t after = std::min(text_.find('\n', tokens_[i].to), text_.size());
      const size_t from = begin < tokens_.size() ? tokens_[begin].from : tokens_[i].from;
      const std::string_view next = text_.substr(tokens_[i].to, after - tokens_[i].to);
      if (from > tokens_[i].from ||
          !verb_->continues(Trim(text_.substr(from, tokens_[i].from - from)), next))
        break;
    }
    PaintSql(shell_, text_, std::span(tokens_).subspan(begin, i - begin), cursor_, &spans_);
    if (i > begin) skip_ = tokens_[i - 1].to;
  }

  void Operator(const CodeToken& token) {
    const char c = text_[token.from];
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
    if (c == ';' && depth_ == 0) begins_ = true;
    if (c == '/' && verb_ != nullptr) Path(token.from);
  }

  // Returns true for the string in `with tf.device("/cpu:0")`.
  bool IsDeviceString(size_t i) const { return i >= 2 && Is(i - 1, "(") && Is(i - 2, "device"); }

  // Returns the end of the longest run of characters that may belong to a node or device name.
  size_t PathEnd(size_t from) const {
    size_t end = from;
    while (end < text_.size() && (IsWordByte(text_[end]) || text_[end] == '/' ||
                                  text_[end] == ':' || text_[end] == '.' || text_[end] == '-'))
      ++end;
    return end;
  }

  // In a verb, colors the name of a node with its scopes, or a device. Returns false if the text
  // is neither.
  bool Path(size_t from) {
    const size_t end = PathEnd(from);
    const std::string_view path = text_.substr(from, end - from);
    bool device = false;
    for (const std::string_view begin : {"/cpu:", "/gpu:", "/device:", "/job:", "cpu:", "gpu:"})
      device |= path.starts_with(begin) && path.size() > begin.size();
    if (!device && !IsNode(path)) return false;
    Add(from, end, device ? Role::kDevice : Role::kTensor);
    skip_ = end;
    return true;
  }

  void Name(size_t i) {
    const CodeToken& token = tokens_[i];
    const std::string_view word = Word(i);
    if (i > 0 && Is(i - 1, ".")) return Attribute(i);
    if (verb_ != nullptr && depth_ == 0 && IsClauseWord(word)) return Add(token, Role::kKeyword);
    if (columns_ != nullptr && depth_ == 0 && IsColumn(word)) return Add(token, Role::kTensor);
    if (verb_ != nullptr && Path(token.from)) return;
    if (IsKeyword(word)) return Add(token, Role::kKeyword);
    // An argument's name, or the target of a feed.
    const bool named = Is(i + 1, "=") && !Is(i + 2, "=");
    if (named && (depth_ > 0 || verb_ != nullptr)) return;
    const Role role = RoleOf(word);
    if (role == Role::kUnknown && MayBeKnown(token)) return;
    Add(token, role);
  }

  bool IsColumn(std::string_view word) const {
    return std::any_of(columns_->columns.begin(), columns_->columns.end(),
                       [&](const RelationColumn& column) { return column.name == word; });
  }

  bool IsClauseWord(std::string_view word) const {
    const std::string_view usage = verb_->usage;
    for (size_t at = usage.find(word); at != usage.npos; at = usage.find(word, at + 1)) {
      const char before = at == 0 ? ' ' : usage[at - 1];
      const char after = at + word.size() < usage.size() ? usage[at + word.size()] : ' ';
      if (!IsWordByte(before) && !IsWordByte(after) && before != '-') return true;
    }
    return false;
  }

  Role RoleOf(std::string_view word) {
    Interp& interp = shell_.interp();
    const Value value = interp.GetGlobal(word);
    if (!value.is_null()) {
      if (AsFetch(value)) return Role::kTensor;
      const std::string type = TypeName(value);
      const bool callable = type == "module" || type == "type" || type.ends_with("function") ||
                            type.ends_with("method");
      return callable ? Role::kFunction : Role::kPlain;
    }
    if (own_.Has(word)) return Role::kPlain;
    if (!interp.FindBuiltin(Intern(word)).is_null()) return Role::kFunction;
    for (const std::string_view later : {"_", "In", "Out", "__file__"})
      if (word == later) return Role::kPlain;
    if (verb_ != nullptr) {
      if (tsh_op_name(std::string(word).c_str()) != nullptr) return Role::kOp;
      if (tf::TensorFlowCatalogue().FindRow(word)) return Role::kFunction;
      if (!checks_) return Role::kPlain;
    }
    return Role::kUnknown;
  }

  // Colors tf.nn.relu: as known if the catalogue contains it, otherwise as unknown.
  void Attribute(size_t i) {
    size_t root = i;
    while (root >= 2 && Is(root - 1, ".") && tokens_[root - 2].kind == Kind::kName) root -= 2;
    if (root == i || (root > 0 && Is(root - 1, "."))) return;
    const Catalogue* catalogue = CatalogueOfRoot(shell_, Word(root));
    if (catalogue == nullptr) return;
    const std::string path(
        text_.substr(tokens_[root + 2].from, tokens_[i].to - tokens_[root + 2].from));
    const std::optional<NameRow> row = catalogue->FindRow(path);
    if (row && row->kind != NameKind::kRefused) return Add(tokens_[i], Role::kFunction);
    // While an attribute of a class or a value is being typed, it cannot be looked up.
    const size_t dot = path.rfind('.');
    const std::optional<NameRow> owner =
        dot == path.npos ? std::nullopt : catalogue->FindRow(path.substr(0, dot));
    const bool module =
        dot == path.npos || (owner && (catalogue->Resolve(*owner).kind == NameKind::kModule ||
                                       owner->kind == NameKind::kUnion));
    if (module && tokens_[i].to != cursor_ && Word(i).substr(0, 2) != "__")
      Add(tokens_[i], Role::kUnknown);
  }

  // Returns true if the word is still being typed and may become a known name.
  bool MayBeKnown(const CodeToken& token) const {
    if (token.to != cursor_) return false;
    const std::string_view word = token.In(text_);
    const auto begins = [&](const std::string& name) { return name.starts_with(word); };
    const auto any = [&](const std::vector<std::string>& names) {
      return std::any_of(names.begin(), names.end(), begins);
    };
    if (any(shell_.interp().CompletionNames()) || any(shell_.commands().Names())) return true;
    if (verb_ == nullptr || !HasGraph()) return false;
    const GraphHandle graph = CurrentGraph();
    if (graph.size() > kMostCompared) return true;
    for (size_t n = 0; n < graph.size(); ++n)
      if (std::string_view(graph.NodeName(static_cast<tsh_node>(n))).starts_with(word)) return true;
    return false;
  }

  Shell& shell_;
  std::string_view text_;
  size_t cursor_;
  Tokens tokens_;
  OwnNames own_;
  std::vector<StyleSpan> spans_;
  const Command* verb_ = nullptr;        // Of the current statement; null for Python.
  const ShellTable* columns_ = nullptr;  // The table of the verb, such as `nodes`.
  bool checks_ = false;                  // The verb's arguments are expressions.
  bool begins_ = true;                   // The next token begins a statement.
  int depth_ = 0;
  size_t skip_ = 0;  // Tokens before this offset are colored.
};

}  // namespace

std::vector<StyleSpan> Highlight(Shell& shell, std::string_view text, size_t cursor) {
  try {
    return Painter(shell, text, cursor).Paint();
  } catch (const PyError& error) {  // a lookup that failed
    if (error.Is(kKeyboardInterrupt)) throw;
    return {};
  }
}

}  // namespace tensh::shell
