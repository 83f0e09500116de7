#include "shell/python/vm/library.h"

#include <algorithm>
#include <map>

#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/local_module.h"

namespace tensh::shell {
namespace {

std::map<std::string, uint16_t, std::less<>>& Loaded() {
  static auto* loaded = new std::map<std::string, uint16_t, std::less<>>();
  return *loaded;
}

uint16_t Load(std::string_view file) {
  auto found = Loaded().find(file);
  if (found != Loaded().end()) return found->second;
  for (const PythonFile& f : PythonFiles()) {
    if (file != f.name) continue;
    const uint16_t number =
        Interp::Current().LoadLibrary(f.text.str(), "<tensh/" + std::string(file) + ".py>");
    return Loaded()[std::string(file)] = number;
  }
  return 0;
}

// A file as a module of `_library`.
struct FileModule : ModuleDef {
  std::string file, full_name;
};

class NamesOfFile : public ModuleNames {
 public:
  Value Find(const ModuleDef& module, StrObject* name) const override {
    return FromLibrary(static_cast<const FileModule&>(module).file, name);
  }
  void List(const ModuleDef& module, std::vector<std::string>* names) const override {
    *names = LibraryNames(static_cast<const FileModule&>(module).file);
  }
  std::string Refusal(const ModuleDef&, StrObject*) const override { return ""; }
};

class Files : public ModuleNames {
 public:
  Value Find(const ModuleDef&, StrObject* name) const override {
    static const NamesOfFile names;
    static auto* modules = new std::map<std::string, FileModule, std::less<>>();
    auto found = modules->find(name->view());
    if (found != modules->end()) return ModuleValue(found->second);
    const std::span<const PythonFile> files = PythonFiles();
    if (std::none_of(files.begin(), files.end(),
                     [&](const PythonFile& f) { return name->view() == f.name; }))
      return Value();
    FileModule& made = (*modules)[name->text()];
    made.file = name->text();
    made.full_name = "_library." + made.file;
    made.name = made.full_name.c_str();
    made.names = &names;
    return ModuleValue(made);
  }
  void List(const ModuleDef&, std::vector<std::string>* names) const override {
    for (const PythonFile& file : PythonFiles()) names->push_back(file.name);
  }
  std::string Refusal(const ModuleDef&, StrObject*) const override { return ""; }
};

// Returns the question that an error about an unknown name ends with, or "".
Value DidYouMeanFunction(Args& a) {
  std::vector<std::string> names;
  for (const Value& name : ToVector(a[1])) names.push_back(Str(name));
  return MakeStr(DidYouMean(ToText(a[0], "name"), names).text);
}
// Runs a module of the user again. Modules of tensh stay as they are.
Value ReloadModule(Args& a) {
  ReloadLocal(a[0]);
  return a[0];
}
Value ModulesOf(Args&) {
  Value all = LocalModules();
  Interp& interp = Interp::Current();
  for (const auto& [name, module] : interp.MadeModules())
    As<DictObject>(all)->dict.Set(Value(Intern(name)), module);
  return all;
}
constexpr FunctionRow kRows[] = {{"reload", "module", ReloadModule},
                                 {"modules", "", ModulesOf},
                                 {"did_you_mean", "name, names", DidYouMeanFunction}};

}  // namespace

const ModuleDef& LibraryModule() {
  static const Files files;
  static const ModuleDef module = {.name = "_library", .functions = kRows, .names = &files};
  return module;
}

Value FromLibrary(std::string_view file, StrObject* name) {
  if (name->view() == kDirName) {
    const std::string held(file);
    const char* const files[] = {held.c_str()};
    return LibraryDir(files);
  }
  const uint16_t library = Load(file);
  if (library == 0) return Value();
  const Value found = Interp::Current().LibraryName(library, name);
  return found.is_null() || As<ModuleObject>(found) ? Value() : found;
}

Value LibraryMethod(std::string_view file, const Value& self, StrObject* name) {
  if (name->view().empty() || name->view()[0] == '_') return Value();
  const Value function = FromLibrary(file, name);
  return function.is_null() ? Value() : Value(New<BoundMethod>(function, self));
}

Value FromLibraries(std::string_view module, std::span<const char* const> files, StrObject* name) {
  if (name->view() == kDirName) return LibraryDir(files);
  std::vector<std::string> names;
  for (const char* file : files) {
    if (Value found = FromLibrary(file, name); !found.is_null()) return found;
    for (std::string& known : LibraryNames(file)) names.push_back(std::move(known));
  }
  if (name->view().substr(0, 2) == "__") return Value();
  throw AttributeError("module '" + std::string(module) + "' has no attribute '" + name->text() +
                       "'")
      .Hint(DidYouMean(name->view(), names));
}

Value LibraryDir(std::span<const char* const> files) {
  std::vector<Value> names;
  for (const char* file : files) {
    for (std::string& name : LibraryNames(file)) names.push_back(MakeStr(std::move(name)));
  }
  return MakeList(std::move(names));
}

std::vector<std::string> LibraryNames(std::string_view file) {
  const uint16_t library = Load(file);
  return library == 0 ? std::vector<std::string>() : Interp::Current().LibraryNames(library);
}

void ForgetLibraries() { Loaded().clear(); }

}  // namespace tensh::shell
