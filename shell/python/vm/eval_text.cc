// The builtins eval, exec and compile: text that runs as Python in the namespace of the caller or in dicts.
//
// In a function, or with a dict of locals, the text runs like the body of a class: its names are in the
// dict, and functions and comprehensions in the text do not see them. A dict of globals gets a namespace of
// its own, which is copied from the dict before the text runs and back to it afterwards.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shell/python/compile/compiler.h"
#include "shell/python/compile/globals.h"
#include "shell/python/syntax/ast.h"
#include "shell/python/syntax/parser.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/builtins.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/local_module.h"
#include "shell/python/vm/namespaces.h"
#include "shell/python/vm/vm.h"

namespace tensh::shell {
namespace {

// The result of compile(): text that has no syntax error.
class CompiledText : public Object {
 public:
  static const TypeInfo kType;
  CompiledText(std::string text, std::string file, bool expression)
      : Object(kType), text(std::move(text)), file(std::move(file)), expression(expression) {}
  const std::string text, file;
  const bool expression;
};
const TypeInfo CompiledText::kType = {.name = "code"};

// The names that a text uses: the globals of a module, or a dict of globals; and a dict that is searched before
// them, or null.
struct Names {
  uint16_t module = 0;  // if `globals` is null
  Value globals;
  Value locals;
};

// The namespace that stands for a dict of globals. It exists while texts run in it, and while functions of these
// texts exist, so that they see the names of later texts with the same dict.
struct DictNamespace {
  Value dict;
  uint16_t number = 0;
  int running = 0;  // texts
  std::vector<std::weak_ptr<const Source>>
      sources;  // of these texts; functions share their ownership
};

class DictNamespaces {
 public:
  DictNamespace& Enter(const Value& dict) {
    const auto found = used_.find(dict.object());
    if (found == used_.end() && used_.size() >= sweep_at_) Sweep();
    DictNamespace& names = used_[dict.object()];
    if (names.number == 0) {
      names.number = Interp::Current().NewLibrary();
      names.dict = dict;
    }
    ++names.running;
    return names;
  }

  void Leave(DictNamespace& names) {
    --names.running;
    if (InUse(names)) return;
    const DictNamespace left = std::move(used_.extract(names.dict.object()).mapped());
    Interp::Current().FreeLibrary(left.number);
  }

 private:
  static bool InUse(DictNamespace& names) {
    std::erase_if(names.sources, [](const auto& source) { return source.expired(); });
    return names.running > 0 || !names.sources.empty();
  }

  // Frees the namespaces whose functions are gone since their last text ran.
  void Sweep() {
    std::vector<DictNamespace> left;
    for (auto it = used_.begin(); it != used_.end();) {
      const auto here = it++;
      if (!InUse(here->second)) left.push_back(std::move(used_.extract(here).mapped()));
    }
    sweep_at_ = std::max(kSweepAt, used_.size() * 2);
    for (const DictNamespace& names : left) Interp::Current().FreeLibrary(names.number);
  }

  static constexpr size_t kSweepAt = 64;
  std::unordered_map<const Object*, DictNamespace> used_;
  size_t sweep_at_ = kSweepAt;
};

// Makes the namespace of a dict usable for one text.
class InDict {
 public:
  explicit InDict(const Value& dict) : names_(dict.is_null() ? nullptr : &All().Enter(dict)) {}
  ~InDict() {
    if (names_ != nullptr) All().Leave(*names_);
  }
  InDict(const InDict&) = delete;
  InDict& operator=(const InDict&) = delete;

  DictNamespace* names() const { return names_; }

 private:
  static DictNamespaces& All() {
    static auto* all = new DictNamespaces();
    return *all;
  }
  DictNamespace* const names_;
};

Names NamesOf(const Value& globals, const Value& locals) {
  Interp& interp = Interp::Current();
  const Frame* frame = interp.vm().frame();
  Names names;
  if (globals.is_none()) {
    const bool program = frame == nullptr || IsLibrary(*frame->code->source);
    names.module = program ? uint16_t{0} : frame->code->source->library();
    if (locals.is_none() && !program &&
        (frame->code->name != "<module>" || !frame->names.is_null()))
      names.locals = LocalsOfCaller();
  } else {
    if (As<DictObject>(globals) == nullptr)
      throw TypeError("globals must be a dict, not " + TypeName(globals));
    const int32_t module = ModuleOfNamespace(globals);
    if (module < 0)
      names.globals = globals;
    else
      names.module = static_cast<uint16_t>(module);
  }
  if (!locals.is_none()) {
    if (As<DictObject>(locals) == nullptr)
      throw TypeError("locals must be a dict, not " + TypeName(locals));
    const bool same = names.globals.is_null() ? ModuleOfNamespace(locals) == names.module
                                              : locals.object() == names.globals.object();
    if (!same) names.locals = locals;
  }
  return names;
}

void CopyIn(const DictNamespace* names) {
  if (names == nullptr) return;
  Globals& globals = Interp::Current().globals();
  for (size_t i = 0; const Dict::Entry* e = As<DictObject>(names->dict)->dict.At(&i);)
    if (IsStr(e->key))
      globals.at(globals.IndexOf(Intern(StrView(e->key)), names->number)) = e->value;
}

void CopyOut(const DictNamespace* names) {
  if (names == nullptr) return;
  Dict& dict = As<DictObject>(names->dict)->dict;
  Globals& globals = Interp::Current().globals();
  for (uint32_t i = 0; i < globals.size(); ++i) {
    if (globals.library(i) != names->number) continue;
    if (globals.at(i).is_null())
      dict.Erase(Value(globals.name(i)));
    else
      dict.Set(Value(globals.name(i)), globals.at(i));
  }
}

// Parses the text. An expression is the only statement of its list.
std::vector<const Node*> Parse(Ast* ast, bool expression, Node* wrapper) {
  ast->source->Check();
  Interp& interp = Interp::Current();
  Python2 python2;
  ParseOptions options;
  if (interp.options().python2) options.python2 = &python2;
  if (expression) {
    const auto size = static_cast<uint32_t>(ast->source->text().size());
    Parser parser(ast, &options, {0, size}, true);
    wrapper->kind = Kind::kExpression;
    wrapper->a = parser.WholeExpression();
    wrapper->span = wrapper->a->span;
    return {wrapper};
  }
  Parser parser(ast, &options);
  std::vector<Node*> statements;
  while (parser.NextStatements(&statements)) interp.CheckInterrupt();
  return {statements.begin(), statements.end()};
}

std::string TextOf(const Value& source, const char* function) {
  if (const auto* bytes = As<BytesObject>(source)) return bytes->data;
  if (!IsStr(source))
    throw TypeError(std::string(function) + "() arg 1 must be a string, bytes or code object");
  return std::string(StrView(source));
}

Value RunText(const Value& text, const Names& names, const char* function, bool expression) {
  const RecursionGuard guard(" in a text that runs as Python");
  const auto* compiled = As<CompiledText>(text);
  std::string body = compiled != nullptr ? compiled->text : TextOf(text, function);
  if (compiled != nullptr) expression = compiled->expression;
  if (expression) body.erase(0, std::min(body.find_first_not_of(" \t"), body.size()));
  const InDict in_dict(names.globals);
  DictNamespace* dict_names = in_dict.names();
  auto source = std::make_shared<const Source>(
      std::move(body), compiled != nullptr ? compiled->file : "<string>",
      dict_names != nullptr ? dict_names->number : names.module);
  if (dict_names != nullptr) dict_names->sources.push_back(source);
  Ast ast(source);
  Node wrapper;
  const std::vector<const Node*> statements = Parse(&ast, expression, &wrapper);
  Interp& interp = Interp::Current();
  CopyIn(dict_names);
  Value last;
  try {
    for (const Node* n : statements) {
      interp.CheckInterrupt();
      last = interp.vm().RunTop(
          CompileStatement(ast, *n, &interp.globals(), !names.locals.is_null()), names.locals);
    }
  } catch (...) {
    CopyOut(dict_names);
    throw;
  }
  CopyOut(dict_names);
  return expression ? last : Value::None();
}

Value Eval(Args& a) { return RunText(a[0], NamesOf(a[1], a[2]), "eval", true); }
Value Exec(Args& a) { return RunText(a[0], NamesOf(a[1], a[2]), "exec", false); }

Value Compile(Args& a) {
  const std::string mode = ToText(a[2], "compile() arg 3");
  if (mode != "exec" && mode != "eval" && mode != "single")
    throw ValueError("compile() mode must be 'exec', 'eval' or 'single'");
  auto made =
      New<CompiledText>(TextOf(a[0], "compile"), ToText(a[1], "compile() arg 2"), mode == "eval");
  Ast ast(std::make_shared<const Source>(made->text, made->file));
  Node wrapper;
  Parse(&ast, made->expression, &wrapper);
  return Value(made);
}

const FunctionRow kRows[] = {
    {"eval", "source, globals=None, locals=None, /", Eval,
     "Return the value of an expression given as text."},
    {"exec", "source, globals=None, locals=None, /", Exec, "Run statements given as text."},
    {"compile", "source, filename, mode, flags=0, dont_inherit=False, optimize=-1", Compile,
     "Check a text for eval or exec."}};

}  // namespace

std::span<const FunctionRow> TextRunners() { return kRows; }

}  // namespace tensh::shell
