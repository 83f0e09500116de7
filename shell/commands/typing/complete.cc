// Completion at the prompt. The text around the cursor determines the kind of candidates.

#include "shell/commands/typing/complete.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/commands/help/name_help.h"
#include "shell/commands/typing/completing.h"
#include "shell/commands/typing/sql_text.h"
#include "shell/edit/code_tokens.h"
#include "shell/edit/text_buffer.h"
#include "shell/python/syntax/verb_line.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/session/graphs.h"
#include "shell/tensorflow/names/tf.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace completing {
namespace {

// Node names of larger graphs are not offered, so that Tab responds at once.
constexpr size_t kMostNodes = 200000;

Names ItemsOf(const Value& value) {
  Names names;
  if (const auto* list = As<ListObject>(value))
    for (const Value& item : list->items) names.push_back(Str(item));
  return names;
}

Names AttributesOf(Shell& shell, std::string_view object) {
  return ItemsOf(shell.interp().Eval("dir(" + std::string(object) + ")"));
}

// Returns the argument names "x=", "name=" of the call whose bracket is the last character of
// `text`, except those that are already given.
Names ArgumentsOf(Shell& shell, std::string_view text, std::string_view given) {
  const std::string callee(DottedAtEnd(text));
  if (callee.empty() || callee.back() == '.') return {};
  Names names;
  const Value signature = GetAttr(shell.interp().Import("inspect"), "signature");
  const Value parameters = GetAttr(Call(signature, {shell.interp().Eval(callee)}), "parameters");
  for (const std::string& name : ItemsOf(Call(shell.interp().Eval("list"), {parameters}))) {
    const size_t at = given.find(name + "=");
    const bool used = at != given.npos && (at == 0 || !IsWordByte(given[at - 1]));
    if (name != "args" && name != "kwargs" && !used) names.push_back(name + "=");
  }
  return names;
}

Names OfJson(const std::string& json, const char* key) {
  Names names;
  const Json items = Json::Parse(json);
  for (const Json& item : items.items()) names.push_back(item[key].as_string());
  return names;
}

// Returns the values that an attribute of ops with this name may have: "SAME" and "VALID" for
// padding.
const Names& ChoicesOf(std::string_view attribute) {
  static const std::map<std::string, Names, std::less<>> choices = [] {
    std::map<std::string, Names, std::less<>> found;
    const Json ops = Json::Parse(TakeText(tsh_ops_json("")));
    for (const Json& op : ops.items())
      for (const Json& attr : op["attrs"].items())
        if (attr["type"].as_string() == "string" && attr["allowed"].is_array())
          for (const Json& word : attr["allowed"].items())
            found[attr["name"].as_string()].push_back(word.as_string());
    return found;
  }();
  static const Names none;
  const auto found = choices.find(attribute);
  return found == choices.end() ? none : found->second;
}

// Returns NAME if the text ends with "NAME=".
std::string_view NamedArgument(std::string_view text) {
  text = Trim(text);
  if (!text.ends_with("=")) return "";
  const std::string_view name = DottedAtEnd(Trim(text.substr(0, text.size() - 1)));
  return name.find('.') == name.npos ? name : "";
}

// Returns an expression whose attributes are those of the value before the last dot: a class for
// the result of a call, because completion does not call functions. Returns "" if the class is
// unknown.
std::string ClassOfResult(Shell& shell, std::string_view before) {
  const std::vector<CodeToken> tokens = TokensOf(before);
  if (tokens.empty()) return "";
  const CodeToken& last = tokens.back();
  if (last.kind == CodeToken::Kind::kString) return "str";
  const char c = before[last.from];
  if (c != ')' && c != ']' && c != '}') return "";
  const size_t open = MatchingBracket(before, tokens, last.from);
  if (open == before.npos) return "";
  const std::string callee(DottedAtEnd(before.substr(0, open)));
  if (callee.empty()) return c == ']' ? "list" : c == '}' ? "dict" : "";
  if (c != ')' || callee[0] == '.') return "";
  const Value function = shell.interp().Eval(callee);
  if (As<Type>(function) != nullptr) return callee;
  const std::string_view root = std::string_view(callee).substr(0, callee.find('.'));
  const Catalogue* catalogue = CatalogueOf(shell.interp().Eval(root));
  if (catalogue == nullptr) return "";
  return catalogue == &tf::TensorFlowCatalogue() ? "tf.Tensor" : "np.ndarray";
}

// Returns the full names of the modules of a package.
Names PackageModules(const Catalogue& catalogue) {
  Names names;
  for (const NameRow& row : catalogue.Rows()) {
    const NameKind kind = catalogue.Resolve(row).kind;
    if ((kind == NameKind::kModule || kind == NameKind::kUnion) && !row.path.ends_with("*"))
      names.push_back(catalogue.root().name + ("." + row.path));
  }
  return names;
}

// Completes the module after import, or the name after from … import. Returns false elsewhere.
bool Imports(Shell& shell, std::string_view text, Completion* found) {
  const size_t begin = PlaceAtEnd(text).statement;
  const std::string_view rest = text.substr(begin);
  const std::string_view line = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
  const bool from = line.starts_with("from "), import = line.starts_with("import ");
  if (!from && !import) return false;
  const size_t word = line.find(" import ");
  if (from && word != line.npos) {
    const std::string module(Trim(line.substr(5, word - 5)));
    const std::string_view typed = DottedAtEnd(text);
    Names names = ItemsOf(Call(shell.interp().Eval("dir"), {shell.interp().Import(module)}));
    *found = Matching(std::move(names), text.size() - typed.size(), typed);
    return true;
  }
  const std::string_view typed = DottedAtEnd(text);
  const size_t at = text.size() - typed.size();
  const std::string_view before = Trim(text.substr(begin, at - begin));
  if (from && before != "from") {
    *found = Matching({"import "}, at, typed);
  } else if (before == "from" || before == "import" || before.ends_with(",")) {
    Names modules = shell.interp().ModuleNames();
    if (typed.starts_with("tensorflow."))
      Append(&modules, PackageModules(tf::TensorFlowCatalogue()));
    *found = Matching(std::move(modules), at, typed);
  } else {
    *found = Matching({"as"}, at, typed);
  }
  return true;
}

// Completes the key in d['KEY. `before_bracket` is the text before the bracket; the candidates
// include the quote.
Names KeysOf(Shell& shell, std::string_view before_bracket) {
  const std::string object(DottedAtEnd(before_bracket));
  if (object.empty()) return {};
  const Value value = shell.interp().Eval(object);
  const auto* dict = As<DictObject>(value);
  Names names;
  // Other containers list their keys as they do for IPython.
  if (dict == nullptr) {
    const Value list = FindAttr(value, Intern("_ipython_key_completions_"));
    if (!list.is_null())
      for (const Value& key : ToVector(Call(list, CallArgs{}))) names.push_back(Str(key));
    return names;
  }
  size_t at = 0;
  while (const Dict::Entry* entry = dict->dict.At(&at))
    if (IsStr(entry->key)) names.push_back(Str(entry->key));
  return names;
}

Completion InString(Shell& shell, std::string_view text, const CodePlace& place) {
  const std::string_view typed = text.substr(place.quote);
  const std::string_view before = Trim(text.substr(0, place.string));
  const auto matching = [&](Names names) { return Matching(std::move(names), place.quote, typed); };
  if (before.ends_with("device(")) return matching(DeviceNames(shell, true));
  if (before.ends_with("[")) {
    Names keys = KeysOf(shell, before.substr(0, before.size() - 1));
    if (!keys.empty()) return matching(std::move(keys));
  }
  const std::string_view argument = NamedArgument(before);
  if (!argument.empty() && !ChoicesOf(argument).empty()) return matching(ChoicesOf(argument));
  for (const std::string_view call : {"_by_name(", "graph_element(", "run(", "run([", "eval("})
    if (before.ends_with(call)) {
      Names names = NodeNames();
      const bool tensor = call.find("_by_name") == call.npos || before.ends_with("tensor_by_name(");
      if (tensor && call.find("_by_name") != call.npos)
        for (std::string& name : names) name += ":0";
      return matching(std::move(names));
    }
  return Files(place.quote, typed);
}

Names DtypeNames() {
  Names names;
  for (const char* type : {"bfloat16", "bool", "complex128", "complex64", "float16", "float32",
                           "float64", "int16", "int32", "int64", "int8", "string", "uint8"})
    names.push_back(std::string("tf.") + type);
  return names;
}

}  // namespace

void Append(Names* to, Names more) { std::move(more.begin(), more.end(), std::back_inserter(*to)); }

std::string_view DottedAtEnd(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && (IsWordByte(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return text.substr(begin);
}

Completion Matching(Names names, size_t from, std::string_view typed) {
  std::erase_if(names, [&](const std::string& name) {
    return name.compare(0, typed.size(), typed) != 0 ||
           (name[0] == '_' && (typed.empty() || typed[0] != '_'));
  });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return {from, std::move(names)};
}

Names NodeNames() {
  Names names;
  if (!HasGraph()) return names;
  const GraphHandle graph = CurrentGraph();
  const size_t n = graph.size();
  for (size_t i = 0; n <= kMostNodes && i < n; ++i)
    names.emplace_back(graph.NodeName(static_cast<tsh_node>(i)));
  return names;
}

Names OpNames() { return OfJson(TakeText(tsh_ops_json("")), "name"); }

Names DeviceNames(Shell& shell, bool with_slash) {
  Names names;
  for (int i = 0; i < shell.sessions().cpus(); ++i)
    names.push_back((with_slash ? "/cpu:" : "cpu:") + std::to_string(i));
  return names;
}

Completion Files(size_t begin, std::string_view typed) {
  const size_t slash = typed.rfind('/');
  const size_t name_at = slash == std::string_view::npos ? 0 : slash + 1;
  std::string folder(typed.substr(0, name_at));
  if (folder.starts_with("~/") && std::getenv("HOME") != nullptr)
    folder.replace(0, 1, std::getenv("HOME"));
  Names names;
  DIR* dir = ::opendir(folder.empty() ? "." : folder.c_str());
  if (dir == nullptr) return {begin, {}};
  while (const dirent* entry = ::readdir(dir)) {
    std::string name = entry->d_name;
    const bool hidden = name[0] == '.' && typed.substr(name_at, 1) != ".";
    if (name == "." || name == ".." || hidden) continue;
    struct stat about {};
    if (::stat((folder + name).c_str(), &about) == 0 && S_ISDIR(about.st_mode)) name += '/';
    names.push_back(std::move(name));
  }
  ::closedir(dir);
  std::erase_if(names,
                [&](const std::string& name) { return !name.starts_with(typed.substr(name_at)); });
  std::sort(names.begin(), names.end());
  return {begin + name_at, std::move(names)};
}

Completion Python(Shell& shell, std::string_view text, Names also) {
  const std::string_view dotted = DottedAtEnd(text);
  const size_t dot = dotted.rfind('.');
  const std::string_view typed = dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
  const size_t from = text.size() - typed.size();
  if (dot == 0) {
    const std::string type = ClassOfResult(shell, text.substr(0, from - 1));
    return type.empty() ? Completion{from, {}} : Matching(AttributesOf(shell, type), from, typed);
  }
  if (dot != std::string_view::npos)
    return Matching(AttributesOf(shell, dotted.substr(0, dot)), from, typed);
  if (!typed.empty() && typed[0] >= '0' && typed[0] <= '9') return {from, {}};
  const CodePlace place = PlaceAtEnd(text);
  if (!place.open.empty() && text[place.open.back()] == '(') {
    const std::string_view argument = NamedArgument(text.substr(0, from));
    if (argument == "dtype" || argument.ends_with("_type")) {
      Completion types = Matching(DtypeNames(), from, typed);
      if (!types.candidates.empty()) return types;
    }
    if (typed.empty() && !ChoicesOf(argument).empty()) {
      Names values;
      for (const std::string& value : ChoicesOf(argument)) values.push_back("'" + value + "'");
      return Matching(std::move(values), from, typed);
    }
    try {
      if (argument.empty())
        Append(&also,
               ArgumentsOf(shell, text.substr(0, place.open.back()),
                           text.substr(place.open.back() + 1, from - place.open.back() - 1)));
    } catch (const PyError& error) {  // not a function, or its parameters are unknown
      if (error.Is(kKeyboardInterrupt)) throw;
    }
    if (typed.empty()) return Matching(std::move(also), from, typed);
  }
  if (typed.empty() && also.empty()) return {from, {}};
  if (!typed.empty()) Append(&also, shell.interp().CompletionNames());
  return Matching(std::move(also), from, typed);
}

Completion Statement(Shell& shell, std::string_view text, size_t begin) {
  const std::string_view first = FirstWord(text.substr(begin));
  if (first.size() == text.size() - begin && DottedAtEnd(text).size() >= first.size() &&
      first.find('.') == first.npos) {
    Completion found = Python(shell, text, shell.commands().Names());
    if (found.candidates.size() == 1 && shell.commands().Find(found.candidates[0]) != nullptr)
      found.candidates[0] += ' ';  // a space after a verb, because its argument follows
    return found;
  }
  // .graph is the verb, even if a variable has its name
  const bool dotted = first.starts_with('.');
  const Command* command = shell.commands().Find(dotted ? first.substr(1) : first);
  if (dotted && command == nullptr && first.size() == text.size() - begin) {
    Names names = shell.commands().Names();
    names.insert(names.end(), DottedWords().begin(), DottedWords().end());
    return Matching(std::move(names), begin + 1, first.substr(1));
  }
  if (dotted && !VerbOfDotted(first.substr(1)).empty()) return DottedSqlWord(text, begin);
  const std::string_view rest = Trim(text.substr(begin + first.size()));
  if (command != nullptr && !rest.starts_with("=") && !rest.starts_with("(") &&
      (command->name == std::string_view("sql") || !rest.starts_with(".")))
    return OfVerb(shell, *command, text, begin);
  return Python(shell, text, {});
}

namespace {

// Returns where the statement after "for i in x:" begins, on the same line; otherwise npos.
size_t AfterHead(std::string_view statement) {
  constexpr std::string_view kHeads[] = {"for",  "if",  "elif",   "else",   "while",
                                         "with", "try", "except", "finally"};
  int depth = 0;
  const std::vector<CodeToken> tokens = TokensOf(statement);
  if (tokens.empty() ||
      std::find(std::begin(kHeads), std::end(kHeads), tokens[0].In(statement)) == std::end(kHeads))
    return statement.npos;
  for (const CodeToken& token : tokens) {
    const std::string_view word = token.In(statement);
    if (word == "(" || word == "[" || word == "{") ++depth;
    if (word == ")" || word == "]" || word == "}") --depth;
    if (word == "lambda") return statement.npos;
    if (word == ":" && depth == 0) return token.to;
  }
  return statement.npos;
}

Completion Find(Shell& shell, std::string_view text) {
  const CodePlace place = PlaceAtEnd(text);
  if (place.quote != std::string_view::npos) {
    const std::string_view statement = text.substr(place.statement);
    const size_t verb = statement.find("sql ");
    return verb != statement.npos && Trim(statement.substr(0, verb)).empty()
               ? SqlString(shell, text, place.statement + verb + 4, place)
               : InString(shell, text, place);
  }
  if (place.comment) return {text.size(), {}};
  Completion imports;
  if (Imports(shell, text, &imports)) return imports;
  size_t begin = place.statement;
  const size_t head = AfterHead(text.substr(begin));
  if (head != text.npos) begin += head;
  begin = std::min(text.find_first_not_of(" \t", begin), text.size());
  return Statement(shell, text, begin);
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// Returns one line about a candidate that completes `text`.
std::string Describe(Shell& shell, const std::string& text, size_t from, const std::string& name) {
  const std::string word(Trim(name));
  const std::string_view before = std::string_view(text).substr(0, from);
  const std::string dotted = std::string(DottedAtEnd(before)) + word;
  const std::string summary = SummaryOfName(shell, dotted);
  if (!summary.empty()) return summary;
  if (dotted != word) return "";
  const bool begins = Trim(before.substr(PlaceAtEnd(before).statement)).empty();
  const Command* command = shell.commands().Find(word);
  if (command != nullptr && begins) return FirstLine(command->summary);
  const Value value = shell.interp().GetGlobal(word);
  if (!value.is_null()) {
    const Fetch fetch = AsFetch(value);
    if (!fetch) return TypeName(value);
    return NodeLine(fetch.graph, fetch.is_tensor() ? fetch.output.node : fetch.node);
  }
  const Value node = FindByName(word);
  if (node.is_null()) return "";
  const Fetch fetch = AsFetch(node);
  return NodeLine(fetch.graph, fetch.is_tensor() ? fetch.output.node : fetch.node);
}

}  // namespace
}  // namespace completing

Completion Complete(Shell& shell, std::string_view before_cursor) {
  try {
    Completion found = completing::Find(shell, before_cursor);
    found.describe = [&shell, text = std::string(before_cursor),
                      from = found.from](const std::string& name) -> std::string {
      try {
        return completing::Describe(shell, text, from, name);
      } catch (const PyError& error) {
        if (error.Is(kKeyboardInterrupt)) throw;
        return "";
      }
    };
    return found;
  } catch (const PyError& error) {  // the expression before the dot has no value
    if (error.Is(kKeyboardInterrupt)) throw;
    return {before_cursor.size(), {}, {}};
  }
}

}  // namespace tensh::shell
