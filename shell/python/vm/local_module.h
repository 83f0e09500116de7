// Modules of the user: .py files and packages in the folders of sys.path, which begins with the
// folder of the script.
//
// Each local module has separate globals, which its number selects (Interp::NewLibrary). Its frames
// appear in tracebacks. A module is cached under its full name before its text runs, so that modules
// can import each other. If the text fails, the module is removed from the cache.
//
// Threads: the caller holds the interpreter's lock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/python/syntax/source.h"
#include "shell/python/values/error.h"
#include "shell/python/values/foreign.h"
#include "shell/python/values/native.h"

namespace tensh::shell {

class LocalModule : public TrackedObject {
 public:
  static const TypeInfo kType;
  LocalModule() : TrackedObject(kType) {}
  Value Find(StrObject* name) const;  // Returns null if the module does not define the name.
  std::vector<std::string> Names() const;
  // Returns the names that `from module import *` binds: __all__, or those without an underscore.
  std::vector<std::string> StarNames() const;
  void Set(StrObject* name, const Value& value) const;

  std::string name;     // "package.module"
  std::string package;  // The package that relative imports start from; "" for a single file.
  std::string file;     // "" for a folder without __init__.py.
  std::vector<std::string> folders;  // The folders of a package; empty for a file.
  uint16_t number = 0;               // The number of its globals.
  bool loaded = false;               // False while the text of the module runs for the first time.
};

// Returns true if the text belongs to tensh itself. Such frames are not shown.
inline bool IsLibrary(const Source& source) {
  return source.library() != 0 && source.file().starts_with("<tensh/");
}

// Imports a module for the text with this number: a local module, or otherwise a module of tensh.
// The name may begin with the dots of a relative import. `whole` is false for `import a.b`, which
// returns a.
Value ImportFor(uint16_t importer, std::string_view name, bool whole);
// Returns a name of a local module, or imports it as a submodule. Throws ImportError otherwise.
Value ImportFromLocal(const LocalModule& module, StrObject* name);
Value LocalModules();  // Returns a dict of the loaded modules and of the program, "__main__".
// Runs the text of the module again, with the same globals.
void ReloadLocal(const Value& module);
// Returns the local module with this number, or null.
const LocalModule* LocalModuleNumbered(uint16_t number);
// Returns the hint of the error for a module that was not found: the most similar name of those known and that of the other
// interpreter, where the first of equally similar names wins. Otherwise `sentence`, and what the other interpreter says.
ErrorHint HintForModule(std::string_view name, std::vector<std::string> known, std::string sentence,
                        const ForeignAdvice& advice);
// The same, where the modules beside the script are also known.
ErrorHint HintForLocalModule(std::string_view name, std::vector<std::string> known,
                             const ForeignAdvice& advice);
// Returns the folder of the script: the first entry of sys.path.
std::string ScriptFolder();
void ForgetLocalModules();

}  // namespace tensh::shell
