// The builtins eval, exec and compile: text that runs as Python in the namespace of the caller or in dicts.
//
// In a function, or with a dict of locals, the text runs like the body of a class: its names are in the
// dict, and functions and comprehensions in the text do not see them. A dict of globals gets a namespace of
// its own, which is copied from the dict before the text runs and back to it afterwards.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
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

// The names that a text uses: the globals of a module, and a dict that is searched before them, or null.
struct Names {
  uint16_t module = 0;
  Value locals;
  Value globals;  // The dict that `module` stands for, or null.
};

// Returns the number of the namespace that stands for a dict. It is kept for the next call with the same dict, so
// that functions made by the first see the names of the second.
uint16_t ModuleFor(const Value& dict) {
  static auto* last = new Value();
  static uint16_t number = 0;
  if (number == 0 || last->is_null() || last->object() != dict.object()) {
    *last = dict;
    number = Interp::Current().NewLibrary();
  }
  return number;
}

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
    names.module = module < 0 ? ModuleFor(globals) : static_cast<uint16_t>(module);
    if (module < 0) names.globals = globals;
  }
  if (!locals.is_none()) {
    if (As<DictObject>(locals) == nullptr)
      throw TypeError("locals must be a dict, not " + TypeName(locals));
    if (ModuleOfNamespace(locals) != names.module &&
        (names.globals.is_null() || locals.object() != names.globals.object()))
      names.locals = locals;
  }
  return names;
}

void CopyIn(const Names& names) {
  const auto* dict = As<DictObject>(names.globals);
  if (dict == nullptr) return;
  Globals& globals = Interp::Current().globals();
  for (size_t i = 0; const Dict::Entry* e = dict->dict.At(&i);)
    if (IsStr(e->key))
      globals.at(globals.IndexOf(Intern(StrView(e->key)), names.module)) = e->value;
}

void CopyOut(const Names& names) {
  auto* dict = As<DictObject>(names.globals);
  if (dict == nullptr) return;
  Globals& globals = Interp::Current().globals();
  for (uint32_t i = 0; i < globals.size(); ++i) {
    if (globals.library(i) != names.module) continue;
    if (globals.at(i).is_null())
      dict->dict.Erase(Value(globals.name(i)));
    else
      dict->dict.Set(Value(globals.name(i)), globals.at(i));
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
  auto source = std::make_shared<const Source>(
      std::move(body), compiled != nullptr ? compiled->file : "<string>", names.module);
  Ast ast(source);
  Node wrapper;
  const std::vector<const Node*> statements = Parse(&ast, expression, &wrapper);
  Interp& interp = Interp::Current();
  CopyIn(names);
  Value last;
  try {
    for (const Node* n : statements) {
      interp.CheckInterrupt();
      const bool in_dict = !names.locals.is_null();
      last =
          interp.vm().RunTop(CompileStatement(ast, *n, &interp.globals(), in_dict), names.locals);
    }
  } catch (...) {
    CopyOut(names);
    throw;
  }
  CopyOut(names);
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
