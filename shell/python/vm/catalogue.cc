#include "shell/python/vm/catalogue.h"

#include <algorithm>

#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"

namespace tensh::shell {
namespace {

// Removes the first word of `text` and the spaces after it. Returns the word.
std::string_view TakeWord(std::string_view* text) {
  const size_t end = std::min(text->find(' '), text->size());
  const std::string_view word = text->substr(0, end);
  text->remove_prefix(std::min(text->find_first_not_of(' ', end), text->size()));
  return word;
}

std::string_view LineAt(std::string_view text, size_t begin) {
  return text.substr(begin, text.find('\n', begin) - begin);
}

// Returns the beginning of the first line whose name is not before `name`.
size_t LowerBound(std::string_view text, std::string_view name) {
  size_t low = 0, high = text.size();  // beginnings of lines, or the end
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const size_t before = middle == 0 ? text.npos : text.rfind('\n', middle - 1);
    const size_t begin = before == text.npos ? 0 : before + 1;
    std::string_view line = LineAt(text, begin);
    if (TakeWord(&line) < name) {
      low = std::min(text.find('\n', begin), text.size() - 1) + 1;
    } else {
      high = begin;
    }
  }
  return low;
}

constexpr std::pair<std::string_view, NameKind> kKinds[] = {
    {"module", NameKind::kModule},  {"union", NameKind::kUnion}, {"python", NameKind::kPython},
    {"method", NameKind::kMethod},  {"op", NameKind::kOp},       {"=", NameKind::kAlias},
    {"refused", NameKind::kRefused}};

std::optional<NameRow> ParseLine(std::string_view line) {
  NameRow row;
  row.path = TakeWord(&line);
  const std::string_view word = TakeWord(&line);
  for (const auto& [name, kind] : kKinds) {
    if (word != name) continue;
    row.kind = kind;
    const bool has_doc = kind == NameKind::kPython || kind == NameKind::kMethod;
    row.target = has_doc ? TakeWord(&line) : line;
    if (has_doc) row.doc = line;
    return row;
  }
  return std::nullopt;  // a comment
}

// Calls fn(row) for the lines of which the name begins with `prefix`.
template <class Fn>
void EachLine(std::string_view text, std::string_view prefix, Fn fn) {
  for (size_t at = LowerBound(text, prefix); at < text.size();) {
    const std::string_view line = LineAt(text, at);
    if (line.substr(0, prefix.size()) != prefix) return;
    if (std::optional<NameRow> row = ParseLine(line)) fn(*row);
    at += line.size() + 1;
  }
}

std::string Join(std::string_view module, std::string_view name) {
  return module.empty() ? std::string(name) : std::string(module) + "." + std::string(name);
}

// "nn.relu" is "relu" of "nn".
std::pair<std::string_view, std::string_view> SplitPath(std::string_view path) {
  const size_t dot = path.rfind('.');
  if (dot == path.npos) return {{}, path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

std::span<const FunctionRow> FunctionsOf(const NativeTable& table) {
  return table.functions ? table.functions() : std::span<const FunctionRow>();
}
std::span<const ConstantRow> ConstantsOf(const NativeTable& table) {
  return table.constants ? table.constants() : std::span<const ConstantRow>();
}

bool IsModule(const NameRow& row) {
  return row.kind == NameKind::kModule || row.kind == NameKind::kUnion;
}

}  // namespace

const Catalogue::Module& Catalogue::ModuleAt(std::string_view path) const {
  auto found = modules_.find(path);
  if (found != modules_.end()) return found->second;
  Module& made = modules_[std::string(path)];
  made.path = path;
  made.full_name = path.empty() ? package_.name : package_.name + ("." + made.path);
  made.full_short_name =
      path.empty() ? package_.short_name : package_.short_name + ("." + made.path);
  made.name = made.full_name.c_str();
  made.short_name = made.full_short_name.c_str();
  made.names = this;
  const std::optional<NameRow> row = path.empty() ? std::nullopt : FindRow(path);
  made.full_doc = path.empty() ? package_.doc : row ? row->target : "";
  if (row && row->kind == NameKind::kUnion) {
    made.full_doc = "The names of";
    for (std::string_view rest = row->target; !rest.empty();) {
      const std::string_view part = TakeWord(&rest);
      if (made.full_doc.ends_with(".")) made.full_doc.back() = ',';
      made.full_doc += std::string(" ") + package_.short_name + (part == "." ? "" : ".") +
                       std::string(part == "." ? "" : part) + ".";
    }
  }
  made.doc = made.full_doc.c_str();
  return made;
}

std::string_view Catalogue::FileOf(std::string_view path) const {
  const std::string_view part = path.substr(0, path.find('.'));
  std::string_view of_package;
  for (const NamesFile& file : package_.files()) {
    if (file.name == part && part.size() < path.size()) return file.text;
    if (file.name == package_.name) of_package = file.text;
  }
  return of_package;
}

std::optional<NameRow> Catalogue::NativeRow(std::string_view module, std::string_view name) const {
  for (const NativeTable& table : package_.tables) {
    if (module != table.module) continue;
    for (const FunctionRow& row : FunctionsOf(table)) {
      if (name == row.name)
        return NameRow{.kind = NameKind::kFunction, .path = Join(module, name), .function = &row};
    }
    for (const ConstantRow& row : ConstantsOf(table)) {
      if (name == row.name)
        return NameRow{.kind = NameKind::kConstant, .path = Join(module, name), .constant = &row};
    }
  }
  return std::nullopt;
}

std::optional<NameRow> Catalogue::FindRow(std::string_view path) const {
  const auto [module, name] = SplitPath(path);
  if (std::optional<NameRow> row = NativeRow(module, name)) return row;
  const std::string_view text = FileOf(path);
  const std::optional<NameRow> row = ParseLine(LineAt(text, LowerBound(text, path)));
  if (row && row->path == path) return row;
  if (name.substr(0, 2) == "__") return std::nullopt;  // Python's own, of every module
  const size_t at = LowerBound(text, Join(module, "*"));
  if (std::optional<NameRow> any = ParseLine(LineAt(text, at));
      any && any->path == Join(module, "*")) {
    any->path = path;
    if (any->kind == NameKind::kOp) any->target = path.substr(path.size() - name.size());
    return any;
  }
  const std::optional<NameRow> owner = module.empty() ? std::nullopt : FindRow(module);
  if (!owner) return std::nullopt;
  if (owner->kind == NameKind::kAlias) return FindRow(Join(Resolve(*owner).path, name));
  if (owner->kind != NameKind::kUnion) return std::nullopt;
  for (std::string_view rest = owner->target; !rest.empty();) {
    const std::string_view part = TakeWord(&rest);
    std::optional<NameRow> found = FindRow(part == "." ? std::string(name) : Join(part, name));
    if (found && found->kind != NameKind::kRefused && !IsModule(Resolve(*found))) return found;
  }
  return std::nullopt;
}

NameRow Catalogue::Resolve(NameRow row) const {
  while (row.kind == NameKind::kAlias) {
    if (row.target == ".") return {.kind = NameKind::kModule, .path = ""};
    std::optional<NameRow> next = FindRow(row.target);
    if (!next) return row;
    row = *next;
  }
  return row;
}

std::vector<NameRow> Catalogue::Rows() const {
  std::vector<NameRow> rows;
  for (const NativeTable& table : package_.tables) {
    for (const FunctionRow& row : FunctionsOf(table))
      rows.push_back(
          {.kind = NameKind::kFunction, .path = Join(table.module, row.name), .function = &row});
    for (const ConstantRow& row : ConstantsOf(table))
      rows.push_back(
          {.kind = NameKind::kConstant, .path = Join(table.module, row.name), .constant = &row});
  }
  for (const NamesFile& file : package_.files())
    EachLine(file.text, "", [&rows](const NameRow& row) { rows.push_back(row); });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const NameRow& a, const NameRow& b) { return a.path < b.path; });
  return rows;
}

Value Catalogue::At(std::string_view path) const {
  Value found = ModuleValue(root());
  while (!path.empty() && path != ".") {
    const size_t end = std::min(path.find('.'), path.size());
    found = FindAttr(found, Intern(path.substr(0, end)));
    if (found.is_null()) return found;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return found;
}

std::string Catalogue::Refusal(std::string_view path) const {
  const std::optional<NameRow> row = FindRow(path);
  if (!row || row->kind != NameKind::kRefused) return "";
  std::string reason(row->target);
  if (const size_t star = reason.find('*'); star != reason.npos)
    reason.replace(star, 1, SplitPath(path).second);
  return reason;
}

std::string Catalogue::ExampleOf(std::string_view path) const {
  if (package_.examples == nullptr) return {};
  const std::string head = "== " + std::string(path) + "\n";
  for (const ExamplesFile& file : package_.examples()) {
    const std::string text = file.text.str();
    for (size_t at = text.find(head); at != text.npos; at = text.find(head, at + 1)) {
      if (at > 0 && text[at - 1] != '\n') continue;
      const size_t begin = at + head.size();
      const size_t end = text.find("\n== ", begin - 1);
      return text.substr(begin, end == text.npos ? end : end + 1 - begin);
    }
  }
  return {};
}

Value Catalogue::Make(const NameRow& row) const {
  switch (row.kind) {
    case NameKind::kFunction:
      return New<NativeFunction>(*row.function, nullptr);
    case NameKind::kConstant:
      return row.constant->make();
    case NameKind::kModule:
    case NameKind::kUnion:
      return ModuleValue(ModuleAt(row.path));
    case NameKind::kAlias:
      return At(row.target);
    case NameKind::kOp:
      return package_.op(row.target);
    case NameKind::kPython:
    case NameKind::kMethod:
      break;
    case NameKind::kRefused:
      return Value();
  }
  const size_t dot = std::min(row.target.find('.'), row.target.size());
  const auto [module, name] = SplitPath(row.path);
  StrObject* defined = Intern(dot == row.target.size() ? name : row.target.substr(dot + 1));
  const Value made = FromLibrary(row.target.substr(0, dot), defined);
  if (row.kind == NameKind::kPython || made.is_null()) return made;
  return New<BoundMethod>(made, ModuleValue(ModuleAt(module)));
}

Value Catalogue::Find(const ModuleDef& module, StrObject* name) const {
  const std::string path = Join(static_cast<const Module&>(module).path, name->view());
  const std::optional<NameRow> row = FindRow(path);
  if (!row) {
    const std::string hint = package_.hint && path == name->view() ? package_.hint(path) : "";
    if (hint.empty()) return Value();
    throw AttributeError("module '" + std::string(module.name) + "' has no attribute '" + path +
                         "'")
        .Hint(hint);
  }
  if (row->kind == NameKind::kRefused) throw AttributeError(Refusal(path));
  return row->path == path ? Make(*row) : At(row->path);
}

std::string Catalogue::Refusal(const ModuleDef& module, StrObject* name) const {
  return Refusal(Join(static_cast<const Module&>(module).path, name->view()));
}

// Lists the names of the module itself, without those of a union: native rows, then lines.
void Catalogue::ListOwn(std::string_view module, Parts parts,
                        std::vector<std::string>* names) const {
  for (const NativeTable& table : package_.tables) {
    if (module != table.module) continue;
    for (const FunctionRow& row : FunctionsOf(table)) names->push_back(row.name);
    for (const ConstantRow& row : ConstantsOf(table)) names->push_back(row.name);
  }
  const std::string prefix = module.empty() ? "" : std::string(module) + ".";
  EachLine(FileOf(prefix), prefix, [&](const NameRow& row) {
    const std::string name = row.path.substr(prefix.size());
    if (row.kind == NameKind::kRefused || name.find('.') != name.npos) return;
    if (parts == Parts::kShared && (name.starts_with("__") || IsModule(Resolve(row)))) return;
    if (name != "*") return names->push_back(name);
    for (std::string& op : package_.ops()) names->push_back(std::move(op));
  });
}

void Catalogue::List(const ModuleDef& module, std::vector<std::string>* names) const {
  const std::string& path = static_cast<const Module&>(module).path;
  ListOwn(path, Parts::kAll, names);
  const std::optional<NameRow> own = path.empty() ? std::nullopt : FindRow(path);
  if (!own || own->kind != NameKind::kUnion) return;
  for (std::string_view rest = own->target; !rest.empty();) {
    const std::string_view part = TakeWord(&rest);
    ListOwn(part == "." ? "" : part, Parts::kShared, names);
  }
}

const Catalogue* CatalogueOf(const Value& module) {
  const auto* object = As<ModuleObject>(module);
  return object ? dynamic_cast<const Catalogue*>(object->def().names) : nullptr;
}

}  // namespace tensh::shell
