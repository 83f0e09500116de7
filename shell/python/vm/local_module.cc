#include "shell/python/vm/local_module.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "shell/python/compile/compiler.h"
#include "shell/python/compile/globals.h"
#include "shell/python/syntax/ast.h"
#include "shell/python/syntax/parser.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/namespaces.h"
#include "shell/python/vm/vm.h"
#include "shell/text/user_files.h"

namespace tensh::shell {
namespace {

namespace fs = std::filesystem;

// Modules that a file beside the script does not replace: those that tensh is about, and those that
// CPython imports before it runs a script.
constexpr std::string_view kNeverLocal[] = {"tensorflow", "numpy", "sys",    "time", "builtins",
                                            "os",         "io",    "codecs", "abc",  "_library"};

std::map<std::string, Value, std::less<>>& Cache() {
  static auto* cache = new std::map<std::string, Value, std::less<>>();
  return *cache;
}

LocalModule& ModuleOf(const Value& v) { return *static_cast<LocalModule*>(v.object()); }

std::string ReprOf(const Value& v) {
  const LocalModule& m = ModuleOf(v);
  const std::string from = !m.file.empty() ? m.file : m.folders.empty() ? "" : m.folders[0];
  return "<module '" + m.name + "'" + (from.empty() ? "" : " from '" + from + "'") + ">";
}

Value GetAttrOf(const Value& v, StrObject* name) {
  const LocalModule& m = ModuleOf(v);
  if (Value found = m.Find(name); !found.is_null()) return found;
  if (name->view() == "__dict__") return NamespaceOf(m.number);
  if (name->view().starts_with("__")) return Value();
  const std::string kind = m.loaded ? "module '" : "partially initialized module '";
  throw AttributeError(kind + m.name + "' has no attribute '" + name->text() + "'")
      .Hint(DidYouMean(name->view(), m.Names()));
}

bool SetAttrOf(const Value& v, StrObject* name, const Value& value) {
  const bool had = !ModuleOf(v).Find(name).is_null();
  ModuleOf(v).Set(name, value);
  return had || !value.is_null();
}

void DirOf(const Value& v, std::vector<std::string>* names) {
  for (std::string& n : ModuleOf(v).Names()) names->push_back(std::move(n));
}

std::vector<std::string> SearchPath() {
  std::vector<std::string> folders;
  const Value path = GetAttr(Interp::Current().Import("sys"), "path");
  if (auto* list = As<ListObject>(path)) {
    for (const Value& folder : list->items)
      if (IsStr(folder)) folders.push_back(Str(folder));
  }
  return folders;
}

std::string Below(const std::string& folder, std::string_view name) {
  std::error_code gone;  // the current folder may have been deleted
  return (folder.empty() ? fs::current_path(gone).string() : folder) + "/" + std::string(name);
}

void Run(LocalModule* m, const std::string& text) {
  const RecursionGuard guard(" while importing a module");
  Interp& interp = Interp::Current();
  auto source = std::make_shared<const Source>(text, m->file, m->number);
  source->Check();
  Ast ast(source);
  Python2 python2;
  ParseOptions options;
  if (interp.options().python2) options.python2 = &python2;
  Parser parser(&ast, &options);
  std::vector<Node*> statements;
  while (parser.NextStatements(&statements)) interp.CheckInterrupt();
  for (const Node* n : statements) interp.vm().RunTop(CompileStatement(ast, *n, &interp.globals()));
}

std::string TextOf(const LocalModule& m) {
  CheckPathToRead(m.file);
  std::string text;
  if (ReadFile(m.file, kMaxSourceBytes - 1, &text) != 0)
    throw MakeError(kImportError, "cannot read the module '" + m.name + "' (" + m.file + ")");
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

// Returns the part of a module's name before the last dot.
std::string Parent(const std::string& name) {
  const size_t dot = name.rfind('.');
  return dot == name.npos ? "" : name.substr(0, dot);
}

Value Load(const std::string& name, const std::string& file, std::vector<std::string> folders) {
  Interp& interp = Interp::Current();
  auto made = New<LocalModule>();
  LocalModule* m = made.get();
  m->name = name;
  m->file = file;
  m->folders = std::move(folders);
  m->package = m->folders.empty() ? Parent(name) : name;
  const std::string text = file.empty() ? "" : TextOf(*m);
  m->number = interp.NewLibrary();
  m->Set(Intern("__name__"), MakeStr(name));
  m->Set(Intern("__package__"), MakeStr(m->package));
  m->Set(Intern("__doc__"), Value::None());
  if (!file.empty()) m->Set(Intern("__file__"), MakeStr(file));
  if (!m->folders.empty()) {
    std::vector<Value> path;
    for (const std::string& folder : m->folders) path.push_back(MakeStr(folder));
    m->Set(Intern("__path__"), MakeList(std::move(path)));
  }
  const Value module(made);
  Cache()[name] = module;
  try {
    Run(m, text);
  } catch (...) {
    Cache().erase(name);
    throw;
  }
  m->loaded = true;
  return module;
}

// Returns null if no folder has the module. A folder without __init__.py is a package only if
// `bare` is true.
Value Search(const std::string& name, std::string_view last,
             const std::vector<std::string>& folders, bool bare) {
  std::error_code ignored;
  std::vector<std::string> packages;
  for (const std::string& folder : folders) {
    const std::string path = Below(folder, last);
    if (fs::is_regular_file(path + "/__init__.py", ignored))
      return Load(name, path + "/__init__.py", {path});
    if (fs::is_regular_file(path + ".py", ignored)) return Load(name, path + ".py", {});
    if (bare && fs::is_directory(path, ignored)) packages.push_back(path);
  }
  return packages.empty() ? Value() : Load(name, "", packages);
}

// Returns the program as a module.
Value MainModule() {
  Value& module = Cache()["__main__"];
  if (!module.is_null()) return module;
  auto made = New<LocalModule>();
  made->name = "__main__";
  const std::vector<std::string>& argv = Interp::Current().options().argv;
  if (!argv.empty()) made->file = argv[0];
  made->loaded = true;
  return module = Value(made);
}

Value FindLocal(const std::string& name, bool bare) {
  if (auto found = Cache().find(name); found != Cache().end()) return found->second;
  if (name == "__main__") return MainModule();
  const size_t dot = name.rfind('.');
  if (dot == name.npos) {
    const bool never =
        std::find(std::begin(kNeverLocal), std::end(kNeverLocal), name) != std::end(kNeverLocal);
    return never ? Value() : Search(name, name, SearchPath(), bare);
  }
  const Value parent = FindLocal(name.substr(0, dot), bare);
  if (parent.is_null()) return Value();
  const std::string last = name.substr(dot + 1);
  const LocalModule& m = ModuleOf(parent);
  const Value made = m.folders.empty() ? Value() : Search(name, last, m.folders, true);
  if (made.is_null()) {
    PyError error = MakeError(kModuleNotFoundError,
                              "No module named '" + name + "'" +
                                  (m.folders.empty() ? "; '" + m.name + "' is not a package" : ""));
    error.exception().payload = MakeStr(name);
    throw error;
  }
  m.Set(Intern(last), made);
  return made;
}

std::string PackageOf(uint16_t importer) {
  if (importer == 0) return Parent(Interp::Current().options().module);
  const LocalModule* m = LocalModuleNumbered(importer);
  return m == nullptr ? "" : m->package;
}

std::string Absolute(uint16_t importer, std::string_view name) {
  const size_t level = std::min(name.find_first_not_of('.'), name.size());
  if (level == 0) return std::string(name);
  std::string package = PackageOf(importer);
  if (package.empty())
    throw MakeError(kImportError, "attempted relative import with no known parent package");
  for (size_t i = 1; i < level; ++i) {
    const size_t dot = package.rfind('.');
    if (dot == package.npos)
      throw MakeError(kImportError, "attempted relative import beyond top-level package");
    package.resize(dot);
  }
  if (level < name.size()) package += "." + std::string(name.substr(level));
  return package;
}

Value ImportAbsolute(const std::string& name) {
  if (Value found = FindLocal(name, false); !found.is_null()) return found;
  Interp& interp = Interp::Current();
  const std::string first = name.substr(0, name.find('.'));
  const std::vector<std::string> known = interp.ModuleNames();
  if (std::find(known.begin(), known.end(), first) == known.end()) {
    if (Value found = FindLocal(name, true); !found.is_null()) return found;
  }
  return interp.Import(name);
}

}  // namespace

const TypeInfo LocalModule::kType = {
    .name = "module", .repr = ReprOf, .getattr = GetAttrOf, .setattr = SetAttrOf, .dir = DirOf};

Value LocalModule::Find(StrObject* wanted) const {
  return Interp::Current().LibraryName(number, wanted);
}

void LocalModule::Set(StrObject* wanted, const Value& value) const {
  Globals& globals = Interp::Current().globals();
  globals.at(globals.IndexOf(wanted, number)) = value;
}

std::vector<std::string> LocalModule::Names() const {
  Globals& globals = Interp::Current().globals();
  std::vector<std::string> names;
  for (uint32_t i = 0; i < globals.size(); ++i) {
    if (globals.library(i) == number && !globals.at(i).is_null())
      names.push_back(globals.name(i)->text());
  }
  return names;
}

std::vector<std::string> LocalModule::StarNames() const {
  std::vector<std::string> names;
  if (const Value all = Find(Intern("__all__")); !all.is_null()) {
    for (const Value& n : ToVector(all)) names.push_back(ToText(n, "item of __all__"));
    return names;
  }
  for (std::string& n : Names())
    if (n[0] != '_') names.push_back(std::move(n));
  return names;
}

namespace {

// In Python 2, an import in a package first looks beside the importing file. Returns "" if no module is there.
std::string Beside(uint16_t importer, std::string_view name) {
  if (!Interp::Current().options().python2 || name.starts_with('.')) return "";
  const std::string package = PackageOf(importer);
  if (package.empty()) return "";
  std::string first = package + "." + std::string(name.substr(0, name.find('.')));
  try {
    return FindLocal(first, false).is_null() ? "" : first;
  } catch (const PyError& e) {
    const Value& missing = e.exception().payload;
    if (!e.Is(kModuleNotFoundError) || !IsStr(missing) || StrView(missing) != first) throw;
    return "";
  }
}

}  // namespace

Value ImportFor(uint16_t importer, std::string_view name, bool whole) {
  if (const std::string first = Beside(importer, name); !first.empty()) {
    const size_t dot = std::min(name.find('.'), name.size());
    return ImportAbsolute(whole ? first + std::string(name.substr(dot)) : first);
  }
  const std::string full = Absolute(importer, name);
  Value module = ImportAbsolute(full);
  return whole ? module : ImportAbsolute(full.substr(0, full.find('.')));
}

Value ImportFromLocal(const LocalModule& module, StrObject* name) {
  if (Value found = module.Find(name); !found.is_null()) return found;
  if (!module.folders.empty()) {
    const std::string full = module.name + "." + name->text();
    try {
      return FindLocal(full, true);
    } catch (const PyError& e) {
      const Value& missing = e.exception().payload;
      if (!e.Is(kModuleNotFoundError) || !IsStr(missing) || StrView(missing) != full) throw;
    }
  }
  throw MakeError(kImportError,
                  "cannot import name '" + name->text() + "' from " +
                      (module.loaded ? "'" : "partially initialized module '") + module.name +
                      "' " + (module.loaded ? "(" : "(most likely due to a circular import) (") +
                      (module.file.empty() ? "unknown location" : module.file) + ")")
      .Hint(DidYouMean(name->view(), module.Names()));
}

Value LocalModules() {
  MainModule();
  Value out = MakeDict();
  for (const auto& [name, module] : Cache())
    As<DictObject>(out)->dict.Set(Value(Intern(name)), module);
  return out;
}

void ReloadLocal(const Value& module) {
  auto* m = As<LocalModule>(module);
  if (m != nullptr && !m->file.empty()) Run(m, TextOf(*m));
}

const LocalModule* LocalModuleNumbered(uint16_t number) {
  for (const auto& [name, module] : Cache())
    if (ModuleOf(module).number == number) return &ModuleOf(module);
  return nullptr;
}

ErrorHint HintForModule(std::string_view name, std::vector<std::string> known, std::string sentence,
                        const ForeignAdvice& advice) {
  if (!advice.similar.empty()) known.push_back(advice.similar);
  if (ErrorHint near = DidYouMean(name, known); !near.empty()) return near;
  if (!advice.similar.empty())
    return {ErrorHint::Kind::kQuestion, "did you mean '" + advice.similar + "'?"};
  if (!advice.text.empty()) sentence += "; " + advice.text;
  return {ErrorHint::Kind::kPhrase, std::move(sentence)};
}

ErrorHint HintForLocalModule(std::string_view name, std::vector<std::string> known,
                             const ForeignAdvice& advice) {
  std::error_code ignored;
  const std::string folder = ScriptFolder();
  fs::directory_iterator entries(folder.empty() ? "." : folder, ignored);
  for (; entries != fs::directory_iterator(); entries.increment(ignored)) {
    const fs::path& path = entries->path();
    if (path.extension() == ".py") known.push_back(path.stem().string());
  }
  const std::string first(name.substr(0, name.find('.')));
  return HintForModule(name, std::move(known),
                       "no folder of sys.path has " + first +
                           ".py. To add a folder: import sys; sys.path.append('FOLDER')",
                       advice);
}

std::string ScriptFolder() {
  const std::vector<std::string>& argv = Interp::Current().options().argv;
  std::error_code ignored;
  if (!Interp::Current().options().module.empty()) return fs::current_path(ignored).string();
  if (argv.empty() || !fs::is_regular_file(argv[0], ignored)) return "";
  return fs::absolute(argv[0], ignored).parent_path().string();
}

void ForgetLocalModules() { Cache().clear(); }

}  // namespace tensh::shell
