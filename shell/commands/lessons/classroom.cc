#include "shell/commands/lessons/classroom.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "runtime/base/text.h"
#include "shell/commands/base/words.h"
#include "shell/explain/report.h"
#include "shell/print/error_printer.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/session/graphs.h"
#include "shell/session/muted.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/io/file_limits.h"
#include "shell/tensorflow/names/tf.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kShownValue = 60;  // columns of a value in an explanation
constexpr size_t kPrompt = 4;       // columns of ">>> ", below which an error is marked

Value Strings(const std::vector<std::string>& texts) {
  std::vector<Value> items;
  for (const std::string& text : texts) items.push_back(MakeStr(text));
  return MakeList(std::move(items));
}

// Names of the shell itself, and modules, which the learner may have imported.
bool StaysInLesson(const std::string& name, const Value& value) {
  return name.starts_with("__") || name == "In" || name == "Out" || TypeName(value) == "module";
}

// Evaluates a part of a check. Returns null and the reason if it fails.
Value Evaluate(Shell& shell, std::string_view part, std::string* reason) {
  try {
    return shell.interp().Eval(std::string(part));
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) throw;
    *reason = error.Message();
    return {};
  }
}

// Explains why a part of a check does not hold, as in "got ['mul_1'] for the fed nodes; expected
// ['mul']". The answer to a question is not revealed.
std::string Difference(Shell& shell, std::string_view part) {
  std::string reason;
  if (Evaluate(shell, part, &reason).is_null()) return reason;
  const Comparison parts = SplitComparison(part);
  if (parts.op.empty()) return "expected " + InWords(std::string(part));
  const bool contains = parts.op == "in" || parts.op == "not in";
  const std::string looked_at(contains ? parts.right : parts.left);
  const Value got = Evaluate(shell, looked_at, &reason);
  if (got.is_null()) return reason;
  const std::string op(parts.op);
  const std::string wish = contains     ? InWords(std::string(parts.left)) + " " + op + " it"
                           : op == "==" ? InWords(std::string(parts.right))
                                        : op + " " + InWords(std::string(parts.right));
  return "got " + CutTo(Repr(got), kShownValue) + " for " + InWords(looked_at) + "; expected " +
         wish;
}

bool Literal(std::string_view text) {
  constexpr std::string_view kBegins = "0123456789+-.[({'\"";
  return text == "True" || text == "False" || text == "None" ||
         (!text.empty() && kBegins.find(text[0]) != kBegins.npos);
}

struct RunFacts {
  std::vector<std::string> runs, pruned, fed, waits, loops;
  int64_t bytes = 0;
  Value devices = MakeDict();
};

RunFacts FactsOf(const Report& report) {
  RunFacts facts;
  for (const ReportNode& node : report.nodes) {
    (node.state == "pruned" ? facts.pruned
     : node.state == "fed"  ? facts.fed
                            : facts.runs)
        .push_back(node.name);
    if (!node.loop.empty() &&
        std::find(facts.loops.begin(), facts.loops.end(), node.loop) == facts.loops.end())
      facts.loops.push_back(node.loop);
    if (!node.device.empty()) SetItem(facts.devices, MakeStr(node.name), MakeStr(node.device));
  }
  for (const ReportTransfer& transfer : report.transfers)
    facts.bytes += std::max<int64_t>(transfer.bytes, 0);
  for (const ReportEvent& event : report.events)
    if (event.kind == "wait") facts.waits.push_back(event.tensor);
  return facts;
}

constexpr std::string_view kFolder = "tensh-lesson-";  // begins the names of folders of lessons

// Removes the folders of shells that were killed and could not do so themselves.
void RemoveFoldersOfKilled(const std::filesystem::path& temporary) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(temporary, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kFolder)) continue;
    const auto process =
        static_cast<pid_t>(std::strtol(name.c_str() + kFolder.size(), nullptr, 10));
    std::error_code ignored;  // the folder may be that of another user
    if (process > 0 && ::kill(process, 0) != 0 && errno == ESRCH)
      std::filesystem::remove_all(at->path(), ignored);
  }
}

}  // namespace

Classroom& Classroom::Of(Shell& shell) {
  if (shell.classroom() == nullptr) shell.classroom() = std::make_shared<Classroom>(shell);
  return *shell.classroom();
}

void Classroom::Enter(const Lesson& lesson, size_t step) {
  const Lesson taken = lesson;  // the argument may be the current lesson
  std::string failed;
  Leave();
  SetAside();
  try {
    MakeFolder(taken.source);
    servers_.StartAll(taken.servers, folder_);
    std::vector<std::string> problems;
    lesson_ = ParseLesson(FillFields(taken.source, Fields()), &problems);
    lesson_->name = taken.name, lesson_->key = taken.key, lesson_->ours = taken.ours;
    lesson_->source = taken.source;
    step_ = 0;
    BeginStep();
    const Muted muted(shell_.interp(), Muted::kOutputAndErrors);
    Type(lesson_->given);
    failed = error_;
    for (; step_ < step && step_ < lesson_->steps.size(); ++step_) Solve();
  } catch (const PyError&) {
    lesson_.reset();
    servers_.StopAll();
    RemoveFolder();
    BringBack();
    throw;
  }
  BeginStep();
  if (!failed.empty())
    shell_.out().Print("A statement of the lesson failed, so it may be impossible to solve:\n" +
                       failed);
}

bool Classroom::Leave() {
  if (!lesson_) return false;
  lesson_.reset();
  BringBack();
  servers_.StopAll();
  RemoveFolder();
  return true;
}

void Classroom::Advance() {
  ++step_;
  BeginStep();
}

std::vector<std::pair<std::string, std::string>> Classroom::Fields() const {
  auto fields = servers_.Addresses();
  if (!folder_.empty()) fields.emplace_back("folder", folder_);
  return fields;
}

void Classroom::MakeFolder(const std::string& source) {
  if (source.find("{folder}") == source.npos) return;
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  if (!error) RemoveFoldersOfKilled(temporary);
  std::string folder = temporary / (std::string(kFolder) + std::to_string(::getpid()) + "-XXXXXX");
  if (error || ::mkdtemp(folder.data()) == nullptr)
    throw MakeError(kOSError, "the lesson needs a folder for temporary files: " +
                                  std::string(error ? error.message() : std::strerror(errno)))
        .Hint("set TMPDIR to a folder that can be written");
  folder_ = folder;
  AllowFolder(folder_);
}

void Classroom::RemoveFolder() {
  std::error_code error;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
  folder_.clear();
}

// Makes an empty graph the current one, and removes the learner's names.
void Classroom::SetAside() {
  aside_ = true;
  Interp& interp = shell_.interp();
  for (const std::string& name : interp.GlobalNames()) {
    const Value value = interp.GetGlobal(name);
    if (value.is_null() || StaysInLesson(name, value)) continue;
    names_.emplace_back(name, value);
    interp.DelGlobal(name);
  }
  graph_ = Ref<tf::GraphObject>();
  if (HasGraph() && CurrentGraph().size() > 0) {
    graph_ = tf::State().global_graph;
    shell_.sessions().Keep();
    Call(tf::FindInVerb("reset_default_graph"), {});
  }
  shell_.runs().Clear();
  shell_.watches() = Watches();
  shell_.set_last_feeds(Value());
}

void Classroom::DropNames() {
  Interp& interp = shell_.interp();
  for (const std::string& name : interp.GlobalNames()) {
    const Value value = interp.GetGlobal(name);
    if (!value.is_null() && !StaysInLesson(name, value)) interp.DelGlobal(name);
  }
}

void Classroom::BringBack() {
  if (!aside_) return;
  aside_ = false;
  DropNames();
  for (const auto& [name, value] : names_) shell_.interp().SetGlobal(name, value);
  names_.clear();
  shell_.sessions().Use(Value());
  if (graph_) {
    tf::State().global_graph = graph_;
  } else if (HasGraph() && CurrentGraph().size() > 0) {
    Call(tf::FindInVerb("reset_default_graph"), {});
  }
  graph_ = Ref<tf::GraphObject>();
  shell_.runs().Clear();
  shell_.watches() = Watches();
  shell_.set_last_feeds(Value());
}

void Classroom::BeginStep() {
  hints = 0;
  typed_before_ = shell_.journal().size();
  failures_before_ = shell_.failures();
  typed_.clear();
  error_.clear();
  shell_.interp().DelGlobal("answer");
}

std::string Classroom::TypeOne(const std::string& statement) {
  Interp& interp = shell_.interp();
  interp.Flush();
  std::string out;
  const Output::Direct direct(shell_.out());
  const auto keep = [&out](std::string_view piece) { out += piece; };
  auto before = interp.set_stdout(keep);
  auto errors = interp.set_stderr(keep);
  const auto restore = [&] {
    interp.Flush();
    interp.set_stdout(std::move(before));
    interp.set_stderr(std::move(errors));
  };
  try {
    shell_.RunNested(statement + "\n", "lesson");
    interp.Flush();
    typed_.push_back(statement);
  } catch (const PyError& error) {
    interp.Flush();
    if (error.Is(kKeyboardInterrupt) || error.Is(kSystemExit)) {
      restore();
      throw;
    }
    error_ = FormatError(error, {.prompt = kPrompt, .cell = statement});
    out += error_;
  }
  restore();
  return out;
}

std::string Classroom::Type(const std::vector<std::string>& statements) {
  std::string out;
  for (const std::string& statement : statements) out += TypeOne(statement);
  return out;
}

void Classroom::Solve() {
  const LessonStep* step = current();
  if (step != nullptr && !step->asks) Type(step->solution);
}

void Classroom::SetAnswer(std::string_view text) {
  Value answer;
  std::string reason;
  if (Literal(text)) answer = Evaluate(shell_, text, &reason);
  shell_.interp().SetGlobal("answer", answer.is_null() ? MakeStr(std::string(text)) : answer);
}

// Sets the facts about the last run and about this step, which checks read as names.
void Classroom::SetFacts(std::vector<std::string>* names) {
  Report report;
  ParseReport(shell_.runs().last().report, &report);
  const RunFacts run = FactsOf(report);
  std::vector<std::string> typed = typed_, verbs, servers;
  const std::vector<Statement>& journal = shell_.journal();
  for (size_t i = typed_before_; i < journal.size(); ++i) typed.push_back(journal[i].text);
  for (const std::string& line : typed) {
    std::string_view word = FirstWord(line);
    if (word.starts_with('.')) word.remove_prefix(1);
    if (shell_.commands().Find(word) != nullptr) verbs.emplace_back(word);
  }
  for (const auto& [name, address] : servers_.Addresses())
    if (servers_.Runs(name)) servers.push_back(name);
  const bool failed = shell_.failures() > failures_before_;
  const auto set = [&](const char* name, const Value& value) {
    shell_.interp().SetGlobal(name, value);
    names->emplace_back(name);
  };
  set("_request", MakeStr(shell_.runs().last().request));
  set("_runs", Strings(run.runs));
  set("_pruned", Strings(run.pruned));
  set("_fed", Strings(run.fed));
  set("_waits", Strings(run.waits));
  set("_loops", Strings(run.loops));
  set("_devices", run.devices);
  set("_bytes", Value::Int(run.bytes));
  set("_transfers", Value::Int(static_cast<int64_t>(report.transfers.size())));
  set("_partitions", Value::Int(static_cast<int64_t>(report.partitions.size())));
  set("_ran", Value::Bool(!report.events.empty()));
  set("_error", MakeStr(failed ? shell_.last_error().text : error_));
  set("_typed", Strings(typed));
  set("_verbs", Strings(verbs));
  set("_servers", Strings(servers));
  set("_session", shell_.sessions().Current());
}

std::string Classroom::Explain(const LessonCheck& check) {
  std::string reason;
  if (!check.otherwise.empty()) {
    const Value text = Evaluate(shell_, "f'''" + check.otherwise + "'''", &reason);
    if (!text.is_null()) return Str(text);
  }
  if (current()->asks)
    return "your answer is " + CutTo(Repr(shell_.interp().GetGlobal("answer")), kShownValue);
  constexpr std::string_view kAnd[] = {"and"};
  for (const auto& [word, part] : SplitClauses(check.expression, kAnd)) {
    const Value one = Evaluate(shell_, part, &reason);
    if (one.is_null() || !Truth(one)) return Difference(shell_, part);
  }
  return reason.empty() ? "expected " + InWords(check.expression) : reason;
}

std::string Classroom::Differs() {
  const LessonStep* step = current();
  if (step->asks && shell_.interp().GetGlobal("answer").is_null())
    return "the question has no answer yet; type: learn answer …";
  std::string differs, reason;
  std::vector<std::string> facts;
  {
    const SideRuns unseen;
    SetFacts(&facts);
    for (const LessonCheck& check : step->checks) {
      const Value holds = Evaluate(shell_, check.expression, &reason);
      if (!holds.is_null() && Truth(holds)) continue;
      differs = Explain(check);
      break;
    }
    for (const std::string& fact : facts) shell_.interp().DelGlobal(fact);
  }
  shell_.runs().Skip();  // hides the runs of the checks
  return differs;
}

void ConfineSession(Shell& shell, const std::string& lesson) {
  if (FilesConfined()) return;
  ConfineFiles(
      "a lesson that is not tensh's own runs in this session; to lift this, leave tensh and start "
      "the "
      "lesson with: learn " +
      lesson + " --trust");
  tf::LimitFilesOfOps();
  shell.out().Print(
      Wrap(" this lesson is not tensh's own: until you leave tensh, this session may use files of "
           "the working "
           "directory only; --trust allows all\n",
           shell.out().width()));
}

}  // namespace tensh::shell
