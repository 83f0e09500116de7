#include "shell/lang/library.h"

#include <map>

#include "shell/lang/interp.h"
#include "shell/values/containers.h"
#include "shell/values/error.h"
#include "shell/values/native.h"

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
        Interp::Current().LoadLibrary(f.text, "<tensh/" + std::string(file) + ".py>");
    return Loaded()[std::string(file)] = number;
  }
  return 0;
}

}  // namespace

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
