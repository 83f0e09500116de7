// Shell: what the verbs and the prompt share beside the interpreter: options, where output goes,
// the graphs a command may have extended, the last result and the last run.
//
// Ownership: lives as long as the process; borrows the Interp. Threads: the interpreter's only. It
// is the interpreter's Hooks: each top-level statement is begun, and committed or rolled back, on
// every live graph, so that a command that fails leaves no node behind.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shell/commands/command.h"
#include "shell/lang/interp.h"

namespace tensh::shell {

struct ShellOptions {
  int cpus = 2;              // devices of the default session
  bool interactive = false;  // a terminal on both ends: prompts, echoes, Out
  bool keep_going = false;
  bool json = false;
  bool ascii = false;
  bool color = false;
  size_t width = 0;     // columns; 0: unlimited (a pipe)
  bool timing = false;  // `set timing on`: how long each statement took, on stderr
};

// One Extend: what a statement added to a graph.
struct HistoryEntry {
  uint64_t graph = 0;
  int64_t version = 0;
  size_t first_node = 0, nodes = 0;
  int cell = 0;      // In[n], or the line of a script
  std::string text;  // the statement's first line
};

// A run that was explained; its report has the version.
struct RunEntry {
  std::string request, report;
};

// Where a result came from: Out[n]?
struct ResultEntry {
  int cell = 0;
  int64_t version = 0;
  std::string text;  // what was typed: its fetches and feeds
  std::string seed;  // the graph's, or "not set"
};

// A value looked at after each step of `run … times N`, and what it was.
struct Watch {
  std::string text;             // as typed; what a step or Python gives for it
  std::vector<double> numbers;  // of the last run with it; only those of single numbers
  bool on = true;               // unwatched, its numbers stay for plot
};

class Shell : public Hooks {
 public:
  Shell(Interp& interp, ShellOptions options);
  ~Shell() override;

  Interp& interp() const { return interp_; }
  const CommandRegistry& commands() const { return commands_; }
  const ShellOptions& options() const { return options_; }
  ShellOptions& mutable_options() { return options_; }
  size_t width() const;  // asks the terminal each time: it may have been resized
  int failures() const { return failures_; }

  // To standard output; text of ours is made ASCII when that was asked for.
  void Print(std::string_view text);
  void PrintLine(const std::string& text) { Print(text + "\n"); }
  void PrintError(const PyError& error);
  // While it lives, Print writes into a text of its own: `explain x --svg > x.svg`.
  void Redirect(std::string* to) { redirect_ = to; }
  // A line for a person only: nothing in a pipe.
  void Note(const std::string& text);

  // A value the user asked for: `_`, and Out[n] at the prompt.
  void Remember(const Value& value);
  void set_cell(int number, std::string text);  // what is being typed
  int cell() const { return cell_; }

  // The run that `why` speaks about: what was fetched, as typed, and its report.
  void RememberRun(std::string request, std::string report, bool ran = false);
  // A run by a script, later than what was remembered, is explained now.
  const std::string& last_request() { return CatchUp(), last_request_; }
  const std::string& last_report() { return CatchUp(), last_report_; }
  const std::string& last_trace() { return CatchUp(), last_trace_; }  // of a step that ran
  const std::string& last_traced_request() const { return last_traced_request_; }
  void SkipRuns();  // what ran since then was not the user's
  // The moves of the last `explain … with`: what `apply` makes so.
  const std::string& what_if() const { return what_if_; }
  void set_what_if(std::string moves) { what_if_ = std::move(moves); }

  void WriteFile(const std::string& path, const std::string& text);

  // How many of a graph's nodes `nodes` and its like show: all, or those of a view of the past
  // (`at @5 …`, undo).
  size_t VisibleNodes(const class GraphHandle& graph) const;
  void set_view(size_t nodes) { view_nodes_ = nodes; }
  size_t view() const { return view_nodes_; }
  // Throws when the view of the past has not that node; what this statement itself made is there.
  void CheckInView(const class GraphHandle& graph, uint32_t node) const;

  // `watch X` and `break if COND`.
  std::vector<Watch>& watches() { return watches_; }
  std::string& break_condition() { return break_condition_; }

  // Of a graph: the nodes with effects that have run, or of which it was said that they did not.
  std::vector<bool>& settled_effects(uint64_t graph) { return settled_effects_[graph]; }

  // Every Extend so far, and where the results came from.
  const std::vector<HistoryEntry>& history() const { return history_; }
  const std::vector<ResultEntry>& results() const { return results_; }
  const std::vector<RunEntry>& runs() const { return runs_; }  // the last few
  // The statements that worked, oldest first.
  const std::vector<std::string>& journal() const { return journal_; }
  void ForgetJournal() { journal_.clear(); }
  // The last error, as it was printed but for the place; "" when there was none.
  const std::string& last_error() const { return last_error_; }
  const std::string& last_error_hint() const { return last_error_hint_; }

  // A script from inside a command (`read`): a part of that command, not commands of its own.
  void RunNested(std::string text, const std::string& file);

  void Begin(const Location& where) override;
  void Committed(const Value& result, const Location& where, std::string_view statement) override;
  bool Failed(const PyError& error, const Location& where) override;
  void ThreadFailed(const PyError& error, std::string_view thread) override;
  void RunVerb(const VerbCall& call) override;
  Value NameInVerb(std::string_view name) override;
  bool VerbAlone(std::string_view verb) override;

 private:
  void CatchUp();
  std::string MeantVerb(const PyError& error) const;
  void RecordExtend(const Location& where);
  void EchoExtend();

  Interp& interp_;
  ShellOptions options_;
  CommandRegistry commands_;
  int nested_ = 0;
  int failures_ = 0;
  int cell_ = 0;
  std::string cell_text_;
  size_t nodes_before_ = 0;
  uint64_t graph_before_ = 0;
  std::chrono::steady_clock::time_point began_;
  std::string last_request_, last_report_, last_trace_, last_traced_request_, what_if_;
  uint64_t runs_seen_ = 0;  // bridge::RunNumber() when they were remembered
  std::string last_error_, last_error_hint_;
  std::string* redirect_ = nullptr;
  size_t view_nodes_ = SIZE_MAX;
  std::vector<HistoryEntry> history_;
  std::vector<std::string> journal_;
  std::vector<ResultEntry> results_;
  std::vector<RunEntry> runs_;
  std::vector<Watch> watches_;
  std::string break_condition_;
  std::unordered_map<uint64_t, std::vector<bool>> settled_effects_;
};

}  // namespace tensh::shell
