// The public names of a package such as `tensorflow`: one row a name. Attribute lookup, dir(),
// completion, did-you-mean, help and the reference page (docs/names.md) read the same rows.
//
// A row is one of two things:
//   * A native function, class or constant: a FunctionRow or ConstantRow beside its C++ function.
//     The package lists the tables of such rows, each with the module that its names belong to.
//   * A line of a names file, for everything else:
//
//       nn               module   Neural networks.
//       nn.dynamic_rnn   python   nn_rnn         defined in the library file nn_rnn.py
//       math.add         =        add            a second name of another row
//       strings.lower    op       StringLower    an op; inputs and attributes are parameters
//       random.beta      method   numpy_state    a Python function that takes the module first
//       contrib.rnn      union    nn.rnn_cell    a module with the names of other modules as well,
//                                                except the modules among them
//       keras            refused  The reason, and the replacement.
//       contrib.*        refused  The same for every other name of contrib; * stands for the name.
//
//     Paths begin below the package; "." is the package itself. `python FILE.NAME` is for a
//     function that has another name in its file. A line of documentation may follow FILE, for
//     a value that has no docstring:
//
//       train.Run        python   hooks          The results of a run: a named tuple.
//
// An examples file, beside the names file, has examples of names: "== nn.relu", then typed lines
// that begin with ">>> " or "... ", then what they print. tests/examples/names_test.py runs them, and
// rewrites what they print with --update.
//
// A names file is sorted by name and holds the rows of one part of the package: nn.names holds
// those below `nn`, and the file with the name of the package holds the names without a dot. A
// lookup is a binary search in the text. Nothing is read when a program starts, and a Python file
// is loaded when a name that it defines is first requested.
//
// Threads: the interpreter's. Catalogues and their modules live as long as the process.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/python/values/native.h"
#include "shell/text/packed_text.h"

namespace tensh::shell {

struct NamesFile {
  std::string_view name;  // "nn" for nn.names
  std::string_view text;
};

struct ExamplesFile {
  std::string_view name;  // "nn" for nn.examples
  PackedText text;
};

// A table of native rows, and the module that its names belong to ("" for the package itself).
struct NativeTable {
  const char* module;
  std::span<const FunctionRow> (*functions)() = nullptr;
  std::span<const ConstantRow> (*constants)() = nullptr;
};

struct Package {
  const char* name;        // "tensorflow"
  const char* short_name;  // "tf"
  const char* doc;
  std::span<const NativeTable> tables;
  std::span<const NamesFile> (*files)();                  // generated from the names files
  std::span<const ExamplesFile> (*examples)() = nullptr;  // generated from the examples files
  Value (*op)(std::string_view op) = nullptr;             // the function of an `op` row
  std::vector<std::string> (*ops)() = nullptr;            // the ops for an `op` row with *
  // Returns a hint for a name without a row; "" for none.
  std::string (*hint)(std::string_view name) = nullptr;
};

enum class NameKind : uint8_t {
  kFunction,
  kConstant,
  kModule,
  kUnion,
  kPython,
  kMethod,
  kOp,
  kAlias,
  kRefused
};

// One row. The views are into the catalogue's texts.
struct NameRow {
  NameKind kind;
  std::string path;  // "nn.relu"
  // Depending on the kind: the Python file, the op, the path of another row, the modules, or the
  // reason for a refusal.
  std::string_view target = {};
  std::string_view doc = {};  // of a Python row: the documentation, if the value has no docstring
  const FunctionRow* function = nullptr;
  const ConstantRow* constant = nullptr;
};

class Catalogue : public ModuleNames {
 public:
  explicit Catalogue(const Package& package) : package_(package) {}

  const ModuleDef& root() const { return ModuleAt(""); }
  // Returns the row of a path below the package, or nothing if it does not exist. Does not follow
  // aliases.
  std::optional<NameRow> FindRow(std::string_view path) const;
  // Returns the row that an alias leads to.
  NameRow Resolve(NameRow row) const;
  // Returns every row, sorted by path, including refused names and rows with a *.
  std::vector<NameRow> Rows() const;
  // Returns the value at a path below the package, or null if it does not exist.
  Value At(std::string_view path) const;
  // Returns the reason why a name is refused, or "" if it is not.
  std::string Refusal(std::string_view path) const;

  // Returns the lines of the example of a name, or "" if it has none. Does not follow aliases.
  std::string ExampleOf(std::string_view path) const;

  std::string ModuleDoc(std::string_view path) const { return ModuleAt(path).doc; }
  // Returns the path of a module of a catalogue.
  static const std::string& PathOf(const ModuleDef& module) {
    return static_cast<const Module&>(module).path;
  }

  Value Find(const ModuleDef& module, StrObject* name) const override;
  void List(const ModuleDef& module, std::vector<std::string>* names) const override;
  std::string Refusal(const ModuleDef& module, StrObject* name) const override;

 private:
  struct Module : ModuleDef {
    std::string path, full_name, full_short_name, full_doc;
  };
  const Module& ModuleAt(std::string_view path) const;
  std::string_view FileOf(std::string_view path) const;
  std::optional<NameRow> NativeRow(std::string_view module, std::string_view name) const;
  Value Make(const NameRow& row) const;
  enum class Parts : uint8_t { kAll, kShared };  // kShared: what a union takes over
  void ListOwn(std::string_view module, Parts parts, std::vector<std::string>* names) const;

  const Package& package_;
  mutable std::map<std::string, Module, std::less<>> modules_;
};

// Returns the catalogue of a module that has one; null otherwise.
const Catalogue* CatalogueOf(const Value& module);

}  // namespace tensh::shell
