#include "shell/commands/base/shell.h"

#include "shell/commands/base/echo.h"
#include "shell/commands/base/habits.h"
#include "shell/commands/base/live.h"
#include "shell/commands/base/pyplot.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/edit/code_tokens.h"
#include "shell/edit/prompts.h"
#include "shell/explain/report.h"
#include "shell/print/error_printer.h"
#include "shell/python/syntax/lexer.h"
#include "shell/python/syntax/typography.h"
#include "shell/python/syntax/verb_line.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/session/graphs.h"
#include "shell/session/modules.h"
#include "shell/tensorflow/names/tf.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

Interp& WithModules(Interp& interp) {
  AddModules(interp);
  AddPyplot(interp);
  return interp;
}

// Returns an explanation of an error for readers who see it for the first time, or "".
std::string Explanation(const PyError& error) {
  if (!error.exception().explanation.empty()) return error.exception().explanation;
  if (error.Is(kSyntaxError)) return "The line is neither valid Python nor a command of the shell.";
  if (error.Is(kNameError))
    return "A name must be assigned before it is used. Names of nodes can be used only in verbs.";
  return "";
}

// Returns true for a line that may be a misspelled verb and its argument: a name, a number, a string or a path.
bool BeginsLikeVerb(std::string_view word, std::string_view rest) {
  constexpr std::string_view kBegins = "0123456789'\"./~";
  return IsName(word) && KeywordOf(word) == Tok::kName && !rest.empty() &&
         (IsName(rest.substr(0, 1)) || kBegins.find(rest[0]) != kBegins.npos);
}

// Moves the location to the first word of the line, which the hint is about. The parser reported a
// later word.
void MarkFirstWord(Location* where) {
  const size_t begin = where->text.find_first_not_of(" \t");
  if (begin == std::string::npos) return;
  where->column = static_cast<int>(begin) + 1;
  where->end_line = where->line;
  where->end_column = where->column + static_cast<int>(FirstWord(where->text).size());
}

}  // namespace

Shell::Shell(Interp& interp, ShellOptions options)
    : interp_(WithModules(interp)),
      options_(std::move(options)),
      out_(interp_, options_),
      sessions_(options_.cpus),
      progress_(options_, out_, [this] { interp_.Ask(Interp::kLook); }),
      statement_(interp_, progress_) {
  RegisterCommand_all(commands_);
  interp_.AddVerbs(commands_.Names());
  for (const Command& command : commands_.commands()) interp_.AddBuiltins(command.functions);
  interp_.set_hooks(this);
}

Shell::~Shell() { interp_.set_hooks(nullptr); }

ErrorHint Shell::CellsWithValue() const {
  std::string cells;
  for (const ResultOrigin& result : results_.origins())
    cells += (cells.empty() ? "" : ", ") + std::to_string(result.cell);
  return {ErrorHint::Kind::kPhrase,
          cells.empty() ? "No cell has had a value yet" : "Cells with a value: " + cells};
}

namespace {

// Returns true if the error may come from a habit of Python or TensorFlow 2, such as `eval(c)`.
bool MayBeHabit(const PyError& error, std::string_view line) {
  return error.Is(kSyntaxError) || error.Is(kNameError) || error.Is(kAttributeError) ||
         (error.Is(kTypeError) && line.starts_with("eval("));
}

}  // namespace

// Returns the verb that a statement such as "explian mul", which is not valid Python, may have
// meant.
ErrorHint Shell::MeantVerb(const PyError& error) {
  const auto& exception = error.exception();
  if (exception.trace.empty()) return {};
  const std::string_view line = Trim(exception.trace.front().where.text);
  // A line that is a single word may be a verb as well as a name. The user's own names come first.
  if (error.Is(kNameError) && IsName(line) && HabitHint(line).empty() &&
      (exception.hint.empty() || exception.hint.kind == ErrorHint::Kind::kQuestion)) {
    std::vector<std::string> names = interp_.GlobalNames();
    for (std::string& node : NamesInVerb()) names.push_back(std::move(node));
    for (const std::string& verb : commands_.Names()) names.push_back(verb);
    for (std::string& builtin : interp_.BuiltinNames()) names.push_back(std::move(builtin));
    return DidYouMean(line, names);
  }
  if (!exception.hint.empty()) return {};
  if (error.Is(kKeyError) && line.starts_with("Out[")) return CellsWithValue();
  if (MayBeHabit(error, line))
    if (const ErrorHint meant = HabitHint(line); !meant.empty()) return meant;
  const std::string_view word = FirstWord(line);
  if (error.Is(kSyntaxError) && word.size() > 1 && word.starts_with('.') && IsName(word.substr(1)))
    return MeantDottedVerb(word);
  const std::string_view rest = Trim(line.substr(word.size()));
  if (!error.Is(kSyntaxError) || !BeginsLikeVerb(word, rest) || interp_.IsVerb(word)) return {};
  return DidYouMean(word, commands_.Names());
}

// Returns the verb with the most similar name to `word`, which begins with a dot and is not a verb,
// or an empty hint if none is similar.
ErrorHint Shell::MeantDottedVerb(std::string_view word) const {
  if (commands_.Find(word.substr(1)) != nullptr) return {};
  std::vector<std::string> names;
  for (const std::string& name : commands_.Names()) names.push_back("." + name);
  for (const std::string_view name : DottedWords()) names.push_back("." + std::string(name));
  const ErrorHint meant = DidYouMean(word, names);
  return meant.empty() ? ErrorHint{ErrorHint::Kind::kType, ".help"} : meant;
}

namespace {

// Formats a hint as a separate line, or returns "" for a sentence, which the error has already.
std::string AdviceOf(const ErrorHint& hint) {
  if (hint.empty()) return "Try: help";
  const bool command = hint.kind == ErrorHint::Kind::kType || hint.kind == ErrorHint::Kind::kRun;
  return command ? "Try: " + hint.text : "";
}

}  // namespace

void Shell::PrintError(const PyError& error) {
  interp_.Flush();
  if (const ErrorHint meant = MeantVerb(error); !meant.empty()) {
    error.exception().hint = meant;
    if (error.Is(kSyntaxError)) MarkFirstWord(&error.exception().trace.front().where);
  }
  Display* display = Display::Current();
  if (options_.interactive && error.Is(kKeyboardInterrupt)) {
    if (display != nullptr) return display->ShowError(error.ClassName(), "", "KeyboardInterrupt");
    return interp_.WriteError("\nKeyboardInterrupt\n");
  }
  ErrorStyle style{
      .color = options_.color, .width = out_.width(), .cell = cell_text_, .json = options_.json};
  if (options_.interactive && display == nullptr) style.prompt = PromptsOf(cell_).first.size();
  last_error_ = {FormatError(error, style), Explanation(error), AdviceOf(error.exception().hint)};
  if (display != nullptr)
    return display->ShowError(error.ClassName(), error.Message(), last_error_.text);
  out_.PrintError(last_error_.text);
}

void Shell::ThreadFailed(const PyError& error, std::string_view thread) {
  if (!thread.empty()) interp_.WriteError("Exception in thread " + std::string(thread) + ":\n");
  PrintError(error);
}

void Shell::Remember(const Value& value) {
  if (value.is_null() || value.is_none()) return;
  interp_.SetGlobal("_", value);
  gave_value_ = true;
  if (!options_.interactive) return;
  ResultOrigin origin{.cell = cell_, .text = cell_text_, .seed = ""};
  if (HasGraph()) {
    origin.version = CurrentGraph().version();
    origin.seed = GraphSeed();
  }
  results_.Add(interp_, value, std::move(origin));
}

void Shell::set_cell(int number, std::string text) {
  cell_ = number;
  cell_text_ = std::move(text);
}

void Shell::RunNested(std::string text, const std::string& file) {
  struct Nested {
    int& depth;
    explicit Nested(int& depth) : depth(++depth) {}
    ~Nested() { --depth; }
  } const nested(nested_);
  interp_.Exec(std::move(text), file, ExecMode::kFile);
}

void Shell::Begin(const Location& where) {
  if (nested_ > 0) return;
  verb_.clear();
  recorded_.clear();
  changes_ = gave_value_ = fed_ = false;
  echoes_ = true;
  runs_of_statement_ = 0;
  const bool cell = options_.interactive;
  statement_.Begin(cell ? 0 : static_cast<int>(where.line));
  DrawPyplotInAscii(options_.ascii);
  if (cell) (void)CurrentGraph();  // creates the graph, so that it takes part in the transaction
  BeginAll(static_cast<uint32_t>(cell ? cell_ : where.line), cell);
  began_ = std::chrono::steady_clock::now();
  if (!cell && !HasGraph()) return versions_.Begin(GraphHandle());
  extend_clock = {.on = cell};
  versions_.Begin(CurrentGraph());
}

namespace {

// Returns the text of a result and, if its class has the method _repr_html_, its form in HTML.
Shown FormsOf(const Value& result) {
  Shown shown{.text = VisibleLines(Repr(result))};
  const Value method = FindAttr(result, Intern("_repr_html_"));
  if (method.is_null()) return shown;
  try {
    const Value html = Call(method, {});
    if (IsStr(html)) shown.mime = "text/html", shown.data = StrView(html);
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) throw;
  }
  return shown;
}

// Echoes the nodes that each of the versions added.
void EchoVersions(Shell& shell, const std::vector<Version>& versions) {
  for (const GraphHandle& graph : LiveGraphs())
    for (const Version& version : versions)
      if (version.graph == graph.id()) EchoExtend(shell, graph, version, versions.size() == 1);
}

}  // namespace

void Shell::Committed(const Value& result, const Location& where, std::string_view statement) {
  if (nested_ > 0) return;
  statement_.End();
  const bool copies = verb_ == "save" || verb_ == "verify";
  const bool removes = RunsOnly(statement) && HasTemporaries(copies);
  if (removes) {
    runs_.last();  // explains the run while its nodes exist
    PublishLive(*this, where.text);
    CommitWithoutTemporaries(copies);
    runs_.NodesRemoved(CurrentGraph().size());
  } else {
    CommitAll();
  }
  const std::vector<Version> versions = HasGraph() ? Record(where) : std::vector<Version>();
  if (!result.is_null() && !versions.empty()) {
    const Fetch made = AsFetch(result);
    for (const Version& version : versions)
      if (made && version.graph == made.graph.id())
        effects_.Unassigned(made.graph, made.node, version.first);
  }
  size_t added = 0;
  for (const Version& version : versions) added += version.nodes();
  journal_.push_back({.text = recorded_.empty() ? std::string(statement) : recorded_,
                      .nodes = added,
                      .changes = Changes(statement, result, added),
                      .gives_value = gave_value_ || (options_.interactive && !result.is_null() &&
                                                     !result.is_none()),
                      .feeds = fed_});
  if (!removes) PublishLive(*this, where.text);
  if (options_.timing) {
    const std::chrono::duration<double, std::nano> spent =
        std::chrono::steady_clock::now() - began_;
    interp_.WriteError(" " + Duration(spent.count()) + "\n");
  }
  if (!options_.interactive) return;
  if (echoes_) EchoVersions(*this, versions);
  if (result.is_null() || result.is_none()) return;
  if (Display* display = Display::Current())
    display->ShowResult(FormsOf(result));
  else
    out_.PrintLine(VisibleLines(Repr(result)));
  Remember(result);
}

// Returns true for an expression such as `w`, `w.shape` or `d['x']`.
static bool IsLookup(std::string_view statement) {
  bool name = false;
  for (const CodeToken& token : TokensOf(statement)) {
    const std::string_view word = token.In(statement);
    if (token.kind == CodeToken::Kind::kComment) break;
    const bool is_name = token.kind == CodeToken::Kind::kName;
    if (is_name && name) return false;  // a keyword and its argument
    if (token.kind == CodeToken::Kind::kOperator && word != "." && word != "[" && word != "]")
      return false;
    name = is_name;
  }
  return true;
}

// A verb changes the session if its table entry says so or if it ran something that does. An
// expression changes it only by the nodes that it adds or by a call.
bool Shell::Changes(std::string_view statement, const Value& result, size_t added) const {
  if (added > 0 || changes_ || !recorded_.empty()) return true;
  std::string_view word = FirstWord(statement);
  if (word.starts_with('.')) word.remove_prefix(1);
  if (!verb_.empty() && (verb_ == "?" || verb_ == "??" || word == verb_)) {
    const Command* command = commands_.Find(word);
    return command != nullptr && command->lasting;
  }
  if (!verb_.empty() && verb_ == VerbOfDotted(word)) return false;
  if (!result.is_null()) return statement.find('(') != statement.npos;
  return !IsLookup(statement);
}

// Returns true if the statement is a verb that runs or observes expressions. The nodes that were
// created only for it are removed afterwards.
bool Shell::RunsOnly(std::string_view statement) const {
  constexpr std::string_view kVerbs[] = {"eval", "run",  "pt",    "watch", "break",
                                         "plot", "show", "time",  "bench", "profile",
                                         "save", "load", "verify"};
  std::string_view word = FirstWord(statement);
  if (word.starts_with('.')) word.remove_prefix(1);
  return word == verb_ && std::find(std::begin(kVerbs), std::end(kVerbs), word) != std::end(kVerbs);
}

bool Shell::Failed(const PyError& error, const Location& where) {
  if (nested_ > 0) return false;
  statement_.End();
  RollbackAll();
  PublishLive(*this, where.text, &error);
  if (error.Is(kKeyboardInterrupt)) SayWhereItStopped();
  if (error.Is(kSystemExit) || error.Is(kKeyboardInterrupt)) return false;
  ++failures_;
  if (!options_.keep_going) return false;
  PrintError(error);
  return true;
}

// In a terminal, reports how far a statement came that Ctrl-C stopped.
void Shell::SayWhereItStopped() {
  const std::string after = statement_.Stopped();
  if (after.empty() || !(options_.interactive || options_.progress)) return;
  const std::string text = " stopped by Ctrl-C " + after;
  options_.interactive ? out_.Note(text) : out_.PrintError(text + "\n");
}

// Throws a SyntaxError if a word of the verb begins with a curly quote, or with the dash that word
// processors make of `--`.
void Shell::CheckCharacters(const Command& command, const VerbCall& verb) {
  const std::string_view sign = TypographicWord(verb.rest);
  if (sign.empty()) return;
  std::string line(Trim(verb.where.text));
  const std::string_view after =
      verb.rest.substr(static_cast<size_t>(sign.data() - verb.rest.data()) + sign.size());
  const std::string flag = "--" + std::string(after.substr(0, EndOfWord(after, 0)));
  if (flag.size() > 2 && PlainLine(sign) == "-" &&
      std::string_view(command.usage).find(flag) != std::string_view::npos)
    line.replace(line.find(sign), sign.size(), "--");
  // `nodes –all` is the verb, but `nodes --all` would be an expression of the variable.
  if (line.starts_with(verb.verb) && !interp_.GetGlobal(verb.verb).is_null()) line = "." + line;
  At(*this, sign,
     [&] { throw MakeError(kSyntaxError, InvalidCharacter(sign)).Type(PlainLine(line)); });
}

Value Shell::RunVerb(const VerbCall& verb) {
  const bool question = verb.verb == "?" || verb.verb == "??";  // X? and X??
  const Command* command = commands_.Find(question ? "help" : verb.verb);
  verb_ = verb.verb;
  statement_.RunsVerb(verb_);
  if (command == nullptr) throw NameError("no verb '" + std::string(verb.verb) + "'").Type("help");
  CheckCharacters(*command, verb);
  CommandCall call(*this, *command, verb.rest);
  if (question) call.set_question(verb.verb);
  if (verb.wants_value) call.want_value();
  if (call.file().empty() || out_.capturing() || verb.wants_value) {
    if (command->pages) {
      out_.Page([&] { command->run(call); });
    } else {
      command->run(call);
    }
    return call.value();
  }
  const std::string written = out_.Capture([&] { command->run(call); });
  out_.WriteFile(std::string(call.file()), written);
  return Value();
}

bool Shell::VerbContinues(std::string_view verb, std::string_view text, std::string_view next) {
  const Command* command = commands_.Find(verb);
  return command != nullptr && command->continues != nullptr && command->continues(text, next);
}

bool Shell::VerbGivesValue(std::string_view verb) {
  const Command* command = commands_.Find(verb);
  return command != nullptr && command->gives_value;
}

// A function of tf takes precedence over a node, so that `eval add(1, 2)` is a call in every graph.
Value Shell::NameInVerb(std::string_view name) {
  const Value found = tf::FindInVerb(name);
  if (!found.is_null() || !HasGraph()) return found;
  const Value node = FindByName(name);
  if (const Fetch fetch = AsFetch(node)) versions_.CheckVisible(fetch.graph, fetch.node);
  return node;
}

std::vector<std::string> Shell::NamesInVerb() {
  std::vector<std::string> names;
  if (!HasGraph()) return names;
  const GraphHandle graph = CurrentGraph();
  names.reserve(versions_.Visible(graph));
  for (size_t n = 0; n < versions_.Visible(graph); ++n)
    names.emplace_back(graph.NodeName(static_cast<tsh_node>(n)));
  return names;
}

// A verb without its required argument is still a command, so that the error names the missing
// argument. Otherwise it would be a NameError.
bool Shell::VerbAlone(std::string_view verb) { return commands_.Find(verb) != nullptr; }

// Records the versions that the statement made of the live graphs, and returns them.
std::vector<Version> Shell::Record(const Location& where) {
  const bool earlier = versions_.earlier();
  const std::string_view line = Trim(where.text);
  const int cell = options_.interactive ? cell_ : static_cast<int>(where.line);
  const std::string text(line.substr(0, line.find('\n')));
  std::vector<Version> made;
  const GraphHandle current = CurrentGraph();
  for (const GraphHandle& graph : LiveGraphs()) {
    const bool is_current = graph.get() == current.get();
    const Version* version =
        is_current ? versions_.Commit(graph, cell, text) : versions_.CommitOther(graph, cell, text);
    if (version == nullptr) continue;
    made.push_back(*version);
    if (is_current && earlier)
      out_.Note(" the graph was extended, so the view of the earlier version has ended");
  }
  return made;
}

}  // namespace tensh::shell
