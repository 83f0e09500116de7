#include "shell/python/vm/interp.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "shell/python/compile/compiler.h"
#include "shell/python/compile/globals.h"
#include "shell/python/syntax/ast.h"
#include "shell/python/syntax/lexer.h"
#include "shell/python/syntax/parser.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/out_of_memory.h"
#include "shell/python/vm/builtins.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/library.h"
#include "shell/python/vm/local_module.h"
#include "shell/python/vm/python2.h"
#include "shell/python/vm/threads.h"
#include "shell/python/vm/vm.h"
#include "shell/text/status_line.h"

namespace tensh::shell {
namespace {

Interp* current = nullptr;
constexpr size_t kFlushAt = 64 << 10;

}  // namespace

struct Interp::State {
  struct Module {
    const ModuleDef* def = nullptr;
    Value (*make)() = nullptr;
    std::string refusal;
    Value made;
  };
  std::unordered_map<std::string, Module> modules;
  std::unordered_map<const ModuleDef*, Value> by_def;
  std::unordered_map<std::string, std::string> builtin_modules;
  std::vector<std::span<const FunctionRow>> builtin_rows;
  Dict builtins;
  std::set<std::string, std::less<>> verbs;
  ParseOptions parse;
  ParseOptions parse_piece;  // For expressions of verbs: no verb begins in them.
  Python2 python2;           // Of the program; local modules have separate states.
  uint16_t libraries = 0;
  std::vector<uint16_t> spare_libraries;
  // The verb statements being run, innermost last.
  struct RunningVerb {
    std::shared_ptr<const Source> source;
    std::string_view rest;
    uint32_t begin;
  };
  std::vector<RunningVerb> running;

  const RunningVerb* Around(std::string_view piece) const {
    if (running.empty()) return nullptr;
    const RunningVerb& v = running.back();
    const bool inside = piece.data() >= v.rest.data() &&
                        piece.data() + piece.size() <= v.rest.data() + v.rest.size();
    return inside ? &v : nullptr;
  }
};

Interp::Interp(Options options)
    : options_(std::move(options)),
      state_(std::make_unique<State>()),
      globals_(std::make_unique<Globals>()),
      vm_(std::make_unique<Vm>(this)),
      line_buffered_(options_.line_buffered || ::isatty(STDOUT_FILENO) != 0) {
  current = this;
  running_ = vm_.get();
  state_->parse.is_verb = [this](std::string_view word) { return IsVerb(word); };
  state_->parse.is_variable = [this](std::string_view word) {
    return !globals_->at(globals_->IndexOf(Intern(word))).is_null();
  };
  state_->parse.verb_alone = [this](std::string_view word) {
    return hooks_ && hooks_->VerbAlone(word);
  };
  state_->parse.verb_continues = [this](std::string_view word, std::string_view text,
                                        std::string_view next) {
    return hooks_ && hooks_->VerbContinues(word, text, next);
  };
  state_->parse.verb_gives_value = [this](std::string_view word) {
    return hooks_ && hooks_->VerbGivesValue(word);
  };
  ForgetLibraries();
  if (options_.python2) state_->parse.python2 = state_->parse_piece.python2 = &state_->python2;
  RegisterStandardModules(this);
  UsePython2(options_.python2);
  SetGlobal("__name__", MakeStr("__main__"));
  KeepReserve();
}

Interp::~Interp() {
  Flush();
  globals_->ClearAll();
  globals_->ForgetBuiltins();
  ForgetLocalModules();
  state_.reset();
  running_ = nullptr;
  vm_.reset();
  DropSpareError();
  heap::ReclaimCycles();
  globals_.reset();
  if (current == this) current = nullptr;
}

Interp& Interp::Current() { return *current; }
Interp* Interp::CurrentOrNull() { return current; }

// ---- running ----

Value Interp::Exec(std::string text, std::string file, ExecMode mode) {
  auto source = std::make_shared<const Source>(std::move(text), std::move(file));
  source->Check();
  Ast ast(source);
  std::vector<Node*> statements;
  {
    // Parses everything first, so that a typo on the last line is found before the first line runs.
    Parser parser(&ast, &state_->parse);
    while (parser.NextStatements(&statements)) CheckInterrupt();
  }
  Value last;
  // The text of a statement up to the next one. The span of a def covers only its first line.
  const auto statement = [&](size_t i) {
    const auto end = i + 1 < statements.size() ? statements[i + 1]->span.begin
                                               : static_cast<uint32_t>(source->text().size());
    std::string_view all = source->Text({statements[i]->span.begin, end});
    while (!all.empty() && std::strchr(" \t\r\n;", all.back())) all.remove_suffix(1);
    return all;
  };
  const EndOfPython2 end(options_.python2);
  for (size_t i = 0; i < statements.size(); ++i) {
    if (wants_attention()) Attend();
    const Node* n = statements[i];
    last = Value();
    const Location where = hooks_ ? source->Locate(n->span) : Location();
    if (hooks_) hooks_->Begin(where);
    try {
      Ref<Code> code;
      if (reparse && n->kind != Kind::kVerb) {
        auto again = std::make_shared<const Source>(PrintStatement(ast, *n), source->file());
        Ast copy(again);
        std::vector<Node*> parsed;
        Parser(&copy, &state_->parse).NextStatements(&parsed);
        code = CompileStatement(copy, *parsed.at(0), globals_.get());
      } else {
        code = CompileStatement(ast, *n, globals_.get());
      }
      if (heap::collection_due) heap::CollectCycles();
      last = running_->RunTop(code);
      if (hooks_) hooks_->Committed(mode == ExecMode::kCell ? last : Value(), where, statement(i));
    } catch (const PyError& e) {
      if (e.Is(kSystemExit)) {
        if (hooks_) hooks_->Committed(Value(), where, statement(i));
        throw;
      }
      if (!hooks_ || !hooks_->Failed(e, where) || e.Is(kKeyboardInterrupt)) throw;
    }
  }
  return last;
}

// ---- libraries ----

uint16_t Interp::NewLibrary() {
  std::vector<uint16_t>& spare = state_->spare_libraries;
  if (!spare.empty()) {
    const uint16_t library = spare.back();
    spare.pop_back();
    return library;
  }
  constexpr uint16_t kMost = 60000;
  if (state_->libraries == kMost) throw MakeError(kImportError, "too many modules");
  return ++state_->libraries;
}

void Interp::FreeLibrary(uint16_t library) {
  std::vector<Value> released;  // Released last, because this may run code.
  for (uint32_t i = 0; i < globals_->size(); ++i)
    if (globals_->library(i) == library)
      released.push_back(std::exchange(globals_->at(i), Value()));
  state_->spare_libraries.push_back(library);
}

uint16_t Interp::LoadLibrary(std::string_view text, std::string file) {
  const uint16_t library = NewLibrary();
  Ast ast(std::make_shared<const Source>(std::string(text), std::move(file), library));
  Parser parser(&ast, nullptr);
  std::vector<Node*> statements;
  while (parser.NextStatements(&statements)) {
  }
  ++loading_;
  const std::unique_ptr<int, void (*)(int*)> loaded(&loading_, [](int* count) { --*count; });
  for (const Node* n : statements) running_->RunTop(CompileStatement(ast, *n, globals_.get()));
  return library;
}

Value Interp::LibraryName(uint16_t library, StrObject* name) {
  const Value* found = globals_->Find(name, library);
  return found ? *found : Value();
}

std::vector<std::string> Interp::LibraryNames(uint16_t library) const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < globals_->size(); ++i) {
    const bool defined = globals_->library(i) == library && !globals_->at(i).is_null() &&
                         !As<ModuleObject>(globals_->at(i));
    if (defined && globals_->name(i)->view()[0] != '_') names.push_back(globals_->name(i)->text());
  }
  return names;
}

namespace {

// Returns true if the text ends within its first token, so that there is no parser to ask.
bool EndsInFirstToken(const Source& source, bool python2) {
  Lexer lexer(source, 0, static_cast<uint32_t>(source.text().size()), false, python2);
  try {
    lexer.Next();
  } catch (const PyError&) {
    return lexer.at_end();
  }
  return false;
}

}  // namespace

Completeness Interp::Check(std::string_view text) {
  Ast ast(std::make_shared<const Source>(std::string(text), "<input>"));
  std::unique_ptr<Parser> parser;
  try {
    ast.source->Check();
    parser = std::make_unique<Parser>(&ast, &state_->parse);
    std::vector<Node*> statements;
    while (parser->NextStatements(&statements)) {
    }
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) Interrupt();  // for the caller
    const bool unfinished =
        parser ? parser->unfinished() : EndsInFirstToken(*ast.source, options_.python2);
    return unfinished ? Completeness::kIncomplete : Completeness::kInvalid;
  }
  if (parser->unfinished()) return Completeness::kIncomplete;
  if (!parser->saw_block()) return Completeness::kComplete;
  // An indented block continues until an empty line.
  std::string_view lines = text;
  if (!lines.empty() && lines.back() == '\n') lines.remove_suffix(1);
  const size_t newline = lines.rfind('\n');
  if (newline == lines.npos) return Completeness::kComplete;
  std::string_view last = lines.substr(newline + 1);
  const bool indented = !last.empty() && (last[0] == ' ' || last[0] == '\t') &&
                        last.find_first_not_of(" \t\r") != last.npos;
  return indented ? Completeness::kIncomplete : Completeness::kComplete;
}

Value Interp::Eval(std::string_view piece) {
  std::shared_ptr<const Source> source;
  Span part;
  if (const State::RunningVerb* verb = state_->Around(piece)) {
    source = verb->source;
    part.begin = verb->begin + static_cast<uint32_t>(piece.data() - verb->rest.data());
  } else {
    source = std::make_shared<const Source>(std::string(piece), "<eval>");
    source->Check();
  }
  part.end = part.begin + static_cast<uint32_t>(piece.size());
  Ast ast(source);
  Parser parser(&ast, &state_->parse_piece, part, true);
  return running_->RunTop(CompileExpression(ast, *parser.WholeExpression(), globals_.get()));
}

size_t Interp::ExpressionLength(std::string_view text) {
  auto source = std::make_shared<const Source>(std::string(text), "<input>");
  try {
    source->Check();
    Ast ast(source);
    Parser parser(&ast, &state_->parse_piece, {0, static_cast<uint32_t>(text.size())}, true);
    parser.set_lenient();
    uint32_t end = 0;
    parser.ExpressionPrefix(&end);
    return end;
  } catch (const PyError&) {
    return 0;
  }
}

Location Interp::Locate(std::string_view piece) {
  const State::RunningVerb* verb = state_->Around(piece);
  if (!verb) return caller();
  const uint32_t begin = verb->begin + static_cast<uint32_t>(piece.data() - verb->rest.data());
  return verb->source->Locate({begin, begin + static_cast<uint32_t>(piece.size())});
}

Value Vm::RunVerb(Frame* f, const CodeVerb& verb) {
  return interp_.RunVerb(f->code->source, verb, Where());
}

Value Interp::RunVerb(const std::shared_ptr<const Source>& source, const CodeVerb& verb,
                      const Location& where) {
  if (!hooks_) throw MakeError(kSyntaxError, "invalid syntax");
  Value value;
  state_->running.push_back({source, verb.rest, verb.rest_begin});
  try {
    value = hooks_->RunVerb({verb.verb, verb.rest, where, verb.gives_value});
  } catch (...) {
    state_->running.pop_back();
    throw;
  }
  state_->running.pop_back();
  if (verb.gives_value && value.is_null()) value = Value::None();
  return value;
}

void Interp::Attend() {
  if (heap::collection_due) heap::CollectCycles();
  if (Asked(kSwitch) && loading_ == 0) threads::LetOthersRun();
  if (Asked(kLook) && threads::IsMain()) {
    Forget(kLook);
    if (hooks_) hooks_->Look();
  }
  CheckInterrupt();
}

void Interp::AnswerInterrupt() {
  if (!threads::IsMain()) {
    if (Asked(kEnding)) throw threads::Ended();
    return;
  }
  if (!(attention_.fetch_and(static_cast<uint8_t>(~kInterrupt), std::memory_order_relaxed) &
        kInterrupt))
    return;
  if (hooks_) hooks_->Look();
  throw PyError(New<ExceptionObject>(kKeyboardInterrupt, MakeTuple()));
}

void PollInterrupt() {
  if (current) current->CheckInterrupt();
}

bool Interrupted() { return current && current->interrupted(); }

Location Interp::caller() const { return running_ ? running_->Where() : Location(); }

Location CallerLocation() { return current ? current->caller() : Location(); }

// ---- output ----

void Interp::Write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() < kFlushAt) return;
  Flush();
  if (output_error_)
    throw PyError(New<ExceptionObject>(
        kOSError, MakeTuple({Value::Int(output_error_), MakeStr(std::strerror(output_error_))})));
}

void Interp::Print(std::string_view text) {
  Write(text);
  if (line_buffered_ && !sink_ && text.find('\n') != text.npos) Flush();
}

void Interp::Flush() {
  if (buffer_.empty()) return;
  std::string text;
  text.swap(buffer_);
  if (sink_)
    sink_(text);
  else if (const int error = status_line::Write(STDOUT_FILENO, text))
    output_error_ = error;
}

void Interp::WriteError(std::string_view text) {
  Flush();
  if (error_sink_)
    error_sink_(text);
  else
    status_line::Write(STDERR_FILENO, text);
}

// ---- names ----

Value Interp::GetGlobal(std::string_view name) {
  return globals_->at(globals_->IndexOf(Intern(name)));
}
void Interp::SetGlobal(std::string_view name, Value value) {
  globals_->at(globals_->IndexOf(Intern(name))) = std::move(value);
}
void Interp::DelGlobal(std::string_view name) { SetGlobal(name, Value()); }

std::vector<std::string> Interp::GlobalNames() {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < globals_->size(); ++i) {
    if (globals_->library(i) == 0 && !globals_->at(i).is_null() &&
        globals_->name(i)->view().substr(0, 2) != "__") {
      names.push_back(globals_->name(i)->text());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Interp::BuiltinNames() const {
  std::vector<std::string> names = StandardBuiltinNames();
  for (const auto& rows : state_->builtin_rows) {
    for (const FunctionRow& row : rows) names.emplace_back(row.name);
  }
  for (const auto& [name, module] : state_->builtin_modules) names.push_back(name);
  return names;
}

std::vector<std::string> Interp::CompletionNames() {
  std::vector<std::string> names = GlobalNames();
  for (std::string& name : BuiltinNames()) names.push_back(std::move(name));
  for (std::string_view keyword : Keywords()) names.emplace_back(keyword);
  return names;
}

void Interp::ClearGlobals() {
  globals_->Clear();
  SetGlobal("__name__", MakeStr("__main__"));
}

void Interp::AddBuiltins(std::span<const FunctionRow> rows) {
  state_->builtin_rows.push_back(rows);
  state_->builtins.Clear();
  globals_->ForgetBuiltins();
}

Value Interp::FindInVerb(StrObject* name) {
  return state_->running.empty() || hooks_ == nullptr ? Value() : hooks_->NameInVerb(name->view());
}

std::vector<std::string> Interp::NamesInVerb() {
  return state_->running.empty() || hooks_ == nullptr ? std::vector<std::string>()
                                                      : hooks_->NamesInVerb();
}

Value Interp::FindBuiltin(StrObject* name) {
  if (Value* found = state_->builtins.Find(name)) return *found;
  Value made;
  for (auto rows = state_->builtin_rows.rbegin();
       rows != state_->builtin_rows.rend() && made.is_null(); ++rows) {
    for (const FunctionRow& row : *rows) {
      if (name->view() != row.name) continue;
      made = New<NativeFunction>(row, nullptr);
      break;
    }
  }
  if (made.is_null()) made = StandardBuiltin(name->view());
  if (made.is_null()) {
    auto module = state_->builtin_modules.find(name->text());
    if (module == state_->builtin_modules.end()) return Value();
    made = Import(module->second);
  }
  state_->builtins.Set(Value(name), made);
  return made;
}

void Interp::AddVerbs(const std::vector<std::string>& names) {
  state_->verbs.insert(names.begin(), names.end());
}

bool Interp::IsVerb(std::string_view name) const {
  return state_->verbs.find(name) != state_->verbs.end();
}

// ---- modules ----

std::vector<std::string> Interp::ModuleNames() const {
  std::vector<std::string> names;
  for (const auto& [name, module] : state_->modules)
    if (module.refusal.empty()) names.push_back(name);
  return names;
}

std::vector<std::pair<std::string, Value>> Interp::MadeModules() const {
  std::vector<std::pair<std::string, Value>> made;
  for (const auto& [name, module] : state_->modules)
    if (!module.made.is_null() && name[0] != '_') made.emplace_back(name, module.made);
  std::sort(made.begin(), made.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return made;
}

void Interp::AddModule(std::string name, const ModuleDef& def) {
  state_->modules[std::move(name)].def = &def;
}
void Interp::AddModule(std::string name, Value (*make)()) {
  state_->modules[std::move(name)].make = make;
}
void Interp::RefuseModule(std::string name, std::string sentence) {
  state_->modules[std::move(name)].refusal = std::move(sentence);
}
void Interp::AddBuiltinModule(std::string name, std::string module) {
  state_->builtin_modules[std::move(name)] = std::move(module);
}

Value Interp::ModuleFor(const ModuleDef& def) {
  Value& module = state_->by_def[&def];
  if (module.is_null()) module = New<ModuleObject>(def);
  return module;
}

Value ModuleValue(const ModuleDef& def) { return Interp::Current().ModuleFor(def); }

// Imports a module that only another interpreter has. If that is not possible, returns null and sets *advice.
Value Interp::ImportForeign(std::string_view name, ForeignAdvice* advice) {
  const auto known = state_->modules.find(std::string(name.substr(0, name.find('.'))));
  const bool ours = known != state_->modules.end() && known->second.refusal.empty();
  const auto part = state_->modules.find(std::string(name));
  const bool refused = part != state_->modules.end() && !part->second.refusal.empty();
  if ((ours && !refused) || foreign_hooks.import == nullptr || name[0] == '_' || FilesConfined())
    return Value();
  Value module = foreign_hooks.import(name, advice);
  if (ours && !module.is_null()) GiveAway(known->first);
  return module;
}

// Replaces the names of our modules of a package by those of the other interpreter, because objects of one do not fit
// functions of the other.
void Interp::GiveAway(const std::string& package) {
  for (auto& [name, module] : state_->modules) {
    if (!name.starts_with(package + ".") || !module.refusal.empty()) continue;
    ForeignAdvice ignored;
    const Value theirs = foreign_hooks.import(name, &ignored);
    if (theirs.is_null()) continue;
    const Value ours = Import(name);
    for (const Value& each : ToVector(Call(FindBuiltin(Intern("dir")), {theirs})))
      if (StrView(each)[0] != '_')
        SetAttr(ours, Intern(StrView(each)), GetAttr(theirs, StrView(each)));
  }
}

Value Interp::Import(std::string_view name) {
  auto found = state_->modules.find(std::string(name));
  if (found != state_->modules.end()) {
    State::Module& m = found->second;
    if (!m.refusal.empty()) {
      ForeignAdvice advice;
      if (Value module = ImportForeign(name, &advice); !module.is_null()) return module;
      ErrorHint hint = HintForModule(name, {}, m.refusal, advice);
      if (vm().Guarded())
        throw MakeError(kModuleNotFoundError, "No module named '" + std::string(name) + "'")
            .Hint(std::move(hint));
      return Call(FromLibrary("absent", Intern("module")), {MakeStr(name), MakeStr(hint.text)});
    }
    if (m.made.is_null()) {
      const Value made = m.made = m.def ? ModuleFor(*m.def) : m.make();
      // import a.b: adds the attribute b to the module a.
      const size_t dot = std::min(name.rfind('.'), name.size());
      if (state_->modules.count(std::string(name.substr(0, dot))) != 0 && dot < name.size()) {
        if (auto* parent = As<ModuleObject>(Import(name.substr(0, dot))))
          parent->attrs()->Set(Value(Intern(name.substr(dot + 1))), made);
      }
      return made;
    }
    return m.made;
  }
  ForeignAdvice advice;
  if (Value module = ImportForeign(name, &advice); !module.is_null()) return module;
  std::vector<std::string> names;
  for (const auto& [known, module] : state_->modules) {
    if (module.refusal.empty() && known[0] != '_') names.push_back(known);
  }
  std::sort(names.begin(), names.end());
  ErrorHint hint = HintForLocalModule(name, std::move(names), advice);
  // The name may be a part of an existing module, such as tensorflow.nn.
  if (const size_t dot = name.rfind('.'); dot != name.npos && dot > 0) {
    Value parent = Import(name.substr(0, dot));
    StrObject* last = Intern(name.substr(dot + 1));
    const auto* module = As<ModuleObject>(parent);
    if (module && module->def().names) {
      const std::string refusal = module->def().names->Refusal(module->def(), last);
      if (!refusal.empty())
        throw MakeError(kModuleNotFoundError, "No module named '" + std::string(name) + "'")
            .Hint(refusal);
    }
    Value part = FindAttr(parent, last);
    if (!part.is_null()) return part;
  }
  PyError error = MakeError(kModuleNotFoundError, "No module named '" + std::string(name) + "'");
  error.exception().payload = MakeStr(name);
  throw error.Hint(std::move(hint));
}

}  // namespace tensh::shell
