// The shell around the interpreter: runs the verbs, and makes each top-level statement a
// transaction on every live graph, which is committed or rolled back, so that a failed command
// leaves no node behind. It owns the state of the session, as one object for each concern
// (shell/session).
//
// A Shell lives as long as the process and borrows the Interp. Threads: the interpreter's thread
// only.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/base/command.h"
#include "shell/commands/base/progress.h"
#include "shell/commands/base/statement_progress.h"
#include "shell/python/vm/interp.h"
#include "shell/session/cell_journal.h"
#include "shell/session/effects.h"
#include "shell/session/options.h"
#include "shell/session/output.h"
#include "shell/session/results.h"
#include "shell/session/runs.h"
#include "shell/session/sessions.h"
#include "shell/session/snapshot.h"
#include "shell/session/versions.h"
#include "shell/session/watches.h"

namespace tensh::shell {

// The last error. The texts are "" if there was none.
struct LastError {
  std::string text;         // as it was printed
  std::string explanation;  // what it means, or ""
  std::string hint;         // what the user could do next, or ""
};

// A statement that succeeded.
struct Statement {
  std::string text;
  size_t nodes = 0;          // that it added to graphs
  bool changes = true;       // false if the state of the session is the same without it
  bool gives_value = false;  // it set `_`
  bool feeds = false;        // it set the feeds of `feed again`
};

class Classroom;  // the lessons of this session (shell/commands/lessons)

class Shell : public Hooks {
 public:
  // Adds the modules tensorflow, numpy and matplotlib and the verbs to the interpreter. Creates no
  // graph and no session.
  Shell(Interp& interp, ShellOptions options);
  ~Shell() override;

  Interp& interp() const { return interp_; }
  const CommandRegistry& commands() const { return commands_; }

  ShellOptions& options() { return options_; }
  Output& out() { return out_; }
  Sessions& sessions() { return sessions_; }
  Versions& versions() { return versions_; }
  Results& results() { return results_; }
  Runs& runs() { return runs_; }
  Watches& watches() { return watches_; }
  Effects& effects() { return effects_; }
  ProgressLine& progress() { return progress_; }
  StatementProgress& statement() { return statement_; }
  // The statements that succeeded, oldest first.
  std::vector<Statement>& journal() { return journal_; }
  // Replaces the text of the current statement in the journal. A statement needs this if its effect
  // depends on statements that are not in the journal.
  void RecordAs(std::string statement) { recorded_ = std::move(statement); }
  // The cells of the prompt, which `tensh --resume` runs again, and the values of variables.
  CellJournal& cells() { return cells_; }
  Autosave& autosave() { return autosave_; }
  // True while `tensh --resume` runs cells whose variables will be restored: `run … times N` then
  // runs one step, which adds the same nodes.
  bool repeating() const { return repeating_; }
  void set_repeating(bool on) { repeating_ = on; }
  // Hides the nodes that the current statement adds, which are otherwise shown after it.
  void HideEcho() { echoes_ = false; }
  // The state of `learn`, which makes it when it is first used.
  std::shared_ptr<Classroom>& classroom() { return classroom_; }
  // The cells that the prompt runs next as if they had been typed.
  std::vector<std::string>& next_cells() { return next_cells_; }
  // The device requests of the last `explain … with`, which `apply` applies.
  std::string& tried_moves() { return tried_moves_; }
  // The feeds of the last verb that had feeds, as a dict, for `feed again`. Null if there are none.
  const Value& last_feeds() { return last_feeds_; }
  void set_last_feeds(const Value& feeds) { last_feeds_ = feeds, fed_ = true; }
  // Returns true if it must be found out whether the next run of the current statement changes the
  // session. A loop repeats the same runs, so that only the first ones matter.
  bool WantsChange() { return !changes_ && runs_of_statement_++ < kNotedRuns; }
  // Notes that the current statement changes the session.
  void NoteChange() { changes_ = true; }
  const LastError& last_error() const { return last_error_; }
  int failures() const { return failures_; }  // statements that failed

  void PrintError(const PyError& error);
  // Stores a result in `_` and, at the prompt, in Out[n].
  void Remember(const Value& value);
  // Sets the number and the text of the cell that is being run.
  void set_cell(int number, std::string text);
  int cell() const { return cell_; }
  // Runs a script as a part of the current command (`read`), not as separate commands.
  void RunNested(std::string text, const std::string& file);

  void Begin(const Location& where) override;
  void Committed(const Value& result, const Location& where, std::string_view statement) override;
  bool Failed(const PyError& error, const Location& where) override;
  void ThreadFailed(const PyError& error, std::string_view thread) override;
  Value RunVerb(const VerbCall& call) override;
  Value NameInVerb(std::string_view name) override;
  std::vector<std::string> NamesInVerb() override;
  bool VerbAlone(std::string_view verb) override;
  bool VerbGivesValue(std::string_view verb) override;
  bool VerbContinues(std::string_view verb, std::string_view text, std::string_view next) override;
  void Look() override { statement_.Look(); }

 private:
  void SayWhereItStopped();
  bool RunsOnly(std::string_view statement) const;
  bool Changes(std::string_view statement, const Value& result, size_t added) const;
  ErrorHint CellsWithValue() const;
  ErrorHint MeantVerb(const PyError& error);
  void CheckCharacters(const Command& command, const VerbCall& verb);
  ErrorHint MeantDottedVerb(std::string_view word) const;
  std::vector<Version> Record(const Location& where);

  Interp& interp_;
  CommandRegistry commands_;
  ShellOptions options_;
  Output out_;
  Sessions sessions_;
  Versions versions_;
  Results results_;
  Runs runs_;
  Watches watches_;
  Effects effects_;
  ProgressLine progress_;
  StatementProgress statement_;
  std::vector<Statement> journal_;
  std::string recorded_;  // see RecordAs; usually empty
  CellJournal cells_;
  Autosave autosave_;
  bool repeating_ = false;
  std::vector<std::string> next_cells_;
  std::string tried_moves_;
  std::shared_ptr<Classroom> classroom_;
  Value last_feeds_ = Value();
  LastError last_error_;
  // The statement that is being run.
  static constexpr int kNotedRuns = 16;
  bool gave_value_ = false, fed_ = false;
  bool changes_ = false;  // see NoteChange
  bool echoes_ = true;    // see HideEcho
  int runs_of_statement_ = 0;
  int nested_ = 0, cell_ = 0, failures_ = 0;
  std::string cell_text_, verb_;  // verb_: the last verb of the statement, or ""
  std::chrono::steady_clock::time_point began_;
};

}  // namespace tensh::shell
