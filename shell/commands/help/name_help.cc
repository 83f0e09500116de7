#include "shell/commands/help/name_help.h"

#include <algorithm>

#include "runtime/base/text.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/help/name_examples.h"
#include "shell/numpy/module.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/catalogue.h"
#include "shell/tensorflow/names/tf.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

// Returns an attribute, or null if the value does not have it or the lookup fails.
Value AttributeOf(const Value& value, std::string_view name) {
  try {
    return FindAttr(value, Intern(name));
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) throw;
    return Value();
  }
}

// Replaces defaults that print as an address, "<function f at 0x5581>", by "…".
std::string WithoutObjects(std::string text) {
  for (size_t at = text.find("=<"); at != text.npos; at = text.find("=<", at + 1)) {
    size_t end = ++at;
    for (int depth = 0; end < text.size(); ++end) {
      depth += (text[end] == '<') - (text[end] == '>');
      if (depth == 0) break;
    }
    text.replace(at, std::min(end + 1, text.size()) - at, "…");
  }
  return text;
}

std::string FirstParagraph(std::string text) {
  text = text.substr(0, text.find("\n\n"));
  for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at)) {
    const size_t end = std::min(text.find_first_not_of(" \n", at), text.size());
    text.replace(at, end - at, " ");
  }
  return text;
}

std::string DocOf(const NameRow& row, const Value& value) {
  if (row.constant && row.constant->doc[0] != '\0') return row.constant->doc;
  if (row.kind == NameKind::kOp) return "The op " + std::string(row.target) + ".";
  if (!row.doc.empty()) return std::string(row.doc);
  const Value doc = AttributeOf(value, "__doc__");
  if (!doc.is_null() && IsStr(doc) && !StrView(doc).empty() && !IsStr(value))
    return FirstParagraph(std::string(StrView(doc)));
  const bool plain = !value.is_object() || IsStr(value);
  return plain ? Repr(value) : "";
}

// The public names of a module, for its help.
std::vector<std::string> ListedNames(const Value& module) {
  std::vector<std::string> names;
  const auto& def = As<ModuleObject>(module)->def();
  if (def.names != nullptr) def.names->List(def, &names);
  std::erase_if(names, [](const std::string& name) { return name.starts_with('_'); });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string FullName(const Catalogue& catalogue, std::string_view path) {
  const std::string package = catalogue.root().short_name;
  return path.empty() || path == "." ? package : package + "." + std::string(path);
}

// Returns the text of a row that follows its name and signature.
std::string DocLine(const Catalogue& catalogue, const NameRow& row, const Value& value) {
  if (row.kind == NameKind::kRefused) return catalogue.Refusal(row.path);
  if (row.kind == NameKind::kAlias) return "The same as " + FullName(catalogue, row.target) + ".";
  return DocOf(row, value);
}

std::string PageLine(const Catalogue& catalogue, const NameRow& row) {
  const std::string name = FullName(catalogue, row.path);
  const bool pattern = row.path.ends_with("*");
  if (pattern && row.kind == NameKind::kOp)
    return "* `" + name + "`: Every op of [ops.md](ops.md).";
  if (row.kind == NameKind::kRefused) return "* `" + name + "`: " + std::string(row.target);
  const Value value = catalogue.At(row.path);
  const std::string signature = row.kind == NameKind::kAlias ? "" : SignatureOf(value);
  const std::string doc = DocLine(catalogue, row, value);
  return "* `" + name + signature + "`" + (doc.empty() ? "" : ": " + doc);
}

// Appends the names of one module, followed by those of its submodules.
void AppendPackage(const Catalogue& catalogue, std::string* page) {
  std::vector<std::pair<std::string, NameRow>> rows;  // by module
  for (NameRow& row : catalogue.Rows()) {
    const size_t dot = row.path.rfind('.');
    rows.emplace_back(dot == row.path.npos ? "" : row.path.substr(0, dot), std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::string* module = nullptr;
  for (const auto& [of, row] : rows) {
    if (!module || *module != of)
      *page += "\n## " + FullName(catalogue, of) + "\n\n" + catalogue.ModuleDoc(of) + "\n\n";
    module = &of;
    *page += PageLine(catalogue, row) + "\n";
  }
}

// Finds the catalogue and the path of an expression such as "tf.nn.relu" or "(np.linalg)". The
// catalogue is null for expressions of other kinds.
std::pair<const Catalogue*, std::string> FindPath(Shell& shell, std::string_view expression) {
  if (expression.starts_with("(") && expression.ends_with(")"))  // help(tf.matmul)
    expression = expression.substr(1, expression.size() - 2);
  const size_t dot = expression.find('.');
  const bool is_path = std::all_of(expression.begin(), expression.end(), [](char c) {
    return c == '_' || c == '.' || IsAsciiLower(c) || IsAsciiUpper(c) || IsAsciiDigit(c);
  });
  if (!is_path || dot == expression.npos) return {};
  try {
    const Value first = EvalPiece(shell, expression.substr(0, dot));
    const Catalogue* catalogue = CatalogueOf(first);
    if (!catalogue) return {};
    const std::string& of = Catalogue::PathOf(As<ModuleObject>(first)->def());
    return {catalogue, (of.empty() ? "" : of + ".") + std::string(expression.substr(dot + 1))};
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) throw;
    return {};
  }
}

constexpr size_t kNamesListed = 60;
constexpr size_t kLabel = 14;  // columns of the label of a group

bool Contains(std::string_view name, std::string_view pattern) {
  const auto same = [](char a, char b) { return AsciiLower(a) == AsciiLower(b); };
  size_t at = 0;
  while (!pattern.empty()) {
    const size_t star = std::min(pattern.find('*'), pattern.size());
    const std::string_view part = pattern.substr(0, star);
    const auto found = std::search(name.begin() + static_cast<ptrdiff_t>(at), name.end(),
                                   part.begin(), part.end(), same);
    if (found == name.end() && !part.empty()) return false;
    at = static_cast<size_t>(found - name.begin()) + part.size();
    pattern.remove_prefix(std::min(star + 1, pattern.size()));
  }
  return true;
}

void AddGroup(Shell& shell, const char* label, std::vector<std::string> names,
              std::string_view pattern, std::string* out) {
  std::erase_if(names, [&](const std::string& name) { return !Contains(name, pattern); });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty()) return;
  const size_t all = names.size();
  if (all > kNamesListed) names.resize(kNamesListed);
  std::string line = "  " + PadTo(label, kLabel - 2) + Join(names, " ");
  if (all > names.size())
    line += " … and " + Digits(static_cast<int64_t>(all - names.size())) + " more";
  *out += WrapHanging(line, shell.out().width(), kLabel) + "\n";
}

std::vector<std::string> NamesOf(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const NameRow& row : catalogue.Rows())
    if (row.kind != NameKind::kRefused && !row.path.ends_with("*"))
      names.push_back(std::string(catalogue.root().short_name) + "." + row.path);
  return names;
}

}  // namespace

std::string SignatureOf(const Value& value) {
  if (As<ModuleObject>(value)) return "";
  if (const auto* function = As<NativeFunction>(value))
    return "(" + function->ParameterText() + ")";
  if (AttributeOf(value, "__name__").is_null()) return "";
  try {
    const Value signature = GetAttr(Interp::Current().Import("inspect"), "signature");
    return WithoutObjects(Str(Call(signature, {value})));
  } catch (const PyError& error) {  // a class that is not called by users
    if (error.Is(kKeyboardInterrupt)) throw;
    return "";
  }
}

std::string ExampleText(std::string_view transcript) {
  std::string out = transcript.empty() ? "" : "\nexample\n";
  while (!transcript.empty()) {
    const size_t end = std::min(transcript.find('\n'), transcript.size());
    const std::string_view line = transcript.substr(0, end);
    out += (line.empty() ? "" : "  " + std::string(line)) + "\n";
    transcript.remove_prefix(std::min(end + 1, transcript.size()));
  }
  return out;
}

std::string NameHelp(const Catalogue& catalogue, std::string_view path) {
  const std::optional<NameRow> row = catalogue.FindRow(path);
  if (!row) return "";
  if (row->kind == NameKind::kRefused) return catalogue.Refusal(path) + "\n";
  const Value value = catalogue.At(path);
  if (value.is_null()) return "";
  const NameRow target = catalogue.Resolve(*row);
  std::string out = FullName(catalogue, path) + SignatureOf(value) + "\n";
  const std::string doc = DocOf(target, value);
  if (!doc.empty()) out += "\n" + doc + "\n";
  if (target.path != path) out += "\nThe same as " + FullName(catalogue, target.path) + ".\n";
  if (As<ModuleObject>(value)) out += "\n" + Join(ListedNames(value), " ") + "\n";
  return out + ExampleText(NameExample(catalogue, path));
}

std::string HelpOnPublic(const Value& value) {
  for (const Catalogue* catalogue : {&tf::TensorFlowCatalogue(), &NumpyCatalogue()})
    if (const std::string path = PathOfValue(*catalogue, value); !path.empty())
      return NameHelp(*catalogue, path);
  return "";
}

std::string HelpOnName(Shell& shell, std::string_view expression) {
  const auto [catalogue, path] = FindPath(shell, expression);
  return catalogue == nullptr ? "" : NameHelp(*catalogue, path);
}

std::string SummaryOfName(Shell& shell, std::string_view expression) {
  const auto [catalogue, path] = FindPath(shell, expression);
  const std::optional<NameRow> row = catalogue == nullptr ? std::nullopt : catalogue->FindRow(path);
  if (!row) return "";
  if (row->kind == NameKind::kRefused) return catalogue->Refusal(path);
  const Value value = catalogue->At(path);
  const std::string doc = DocOf(catalogue->Resolve(*row), value);
  return FullName(*catalogue, path) + SignatureOf(value) + "  " + doc.substr(0, doc.find('\n'));
}

std::string NamesLike(Shell& shell, std::string_view pattern) {
  std::string out;
  AddGroup(shell, "verbs", shell.commands().Names(), pattern, &out);
  AddGroup(shell, "variables", shell.interp().GlobalNames(), pattern, &out);
  AddGroup(shell, "nodes", shell.NamesInVerb(), pattern, &out);
  std::vector<std::string> ops;
  const Json known = Json::Parse(TakeText(tsh_ops_json("")));
  for (const Json& op : known.items()) ops.push_back(op["name"].as_string());
  AddGroup(shell, "ops", std::move(ops), pattern, &out);
  AddGroup(shell, "tf", NamesOf(tf::TensorFlowCatalogue()), pattern, &out);
  AddGroup(shell, "np", NamesOf(NumpyCatalogue()), pattern, &out);
  if (out.empty()) return "no name contains '" + Visible(pattern) + "'\n";
  return out;
}

std::string NamesPage() {
  std::string page =
      "# Names of tf and np\n\n"
      "Generated by `./dev docs` from the catalogues in shell/tensorflow/names and "
      "shell/numpy/names and from "
      "the\n"
      "tables beside the C++ functions. `help tf.NAME` shows the same text in the shell.\n";
  AppendPackage(tf::TensorFlowCatalogue(), &page);
  AppendPackage(NumpyCatalogue(), &page);
  return page;
}

}  // namespace tensh::shell
