// The state that the verbs and the prompt share besides the interpreter: options, the output, the
// graphs that a command may have extended, the last result and the last run.
//
// A Shell lives as long as the process and borrows the Interp. Only the interpreter's thread may
// use it. It implements the interpreter's Hooks: each top-level statement is a transaction on every
// live graph, which is committed or rolled back, so that a failed command leaves no node behind.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shell/commands/command.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell {

struct ShellOptions {
  int cpus = 2;              // number of devices of the default session
  bool interactive = false;  // stdin and stdout are terminals: prompts, echoes, Out
  bool keep_going = false;
  bool json = false;
  bool ascii = false;
  bool color = false;
  size_t width = 0;     // in columns; 0 means unlimited (a pipe)
  bool timing = false;  // `set timing on`: print the time of each statement to stderr
};

// The nodes that one statement added to a graph.
struct HistoryEntry {
  uint64_t graph = 0;
  int64_t version = 0;
  size_t first_node = 0, nodes = 0;
  int cell = 0;      // n of In[n], or the line of a script
  std::string text;  // the first line of the statement
};

// A run that was explained. Its report contains the version of the graph.
struct RunEntry {
  std::string request, report;
};

// Origin of a result, as shown by `Out[n]?`.
struct ResultEntry {
  int cell = 0;
  int64_t version = 0;
  std::string text;  // the fetches and feeds as typed
  std::string seed;  // the seed of the graph, or "not set"
};

// A watched value: an expression that is evaluated after each step of `run … times N`, and its
// values.
struct Watch {
  std::string text;             // the expression as typed
  std::vector<double> numbers;  // values in the last run that watched it; only for scalars
  bool on = true;               // if false, the numbers are only kept for plot
};

class Shell : public Hooks {
 public:
  Shell(Interp& interp, ShellOptions options);
  ~Shell() override;

  Interp& interp() const { return interp_; }
  const CommandRegistry& commands() const { return commands_; }
  const ShellOptions& options() const { return options_; }
  ShellOptions& mutable_options() { return options_; }
  size_t width() const;  // queries the terminal each time, because it may be resized
  int failures() const { return failures_; }

  // Prints to standard output. The shell's own text is converted to ASCII if that option is set.
  void Print(std::string_view text);
  void PrintLine(const std::string& text) { Print(text + "\n"); }
  void PrintError(const PyError& error);
  // Redirects Print into `to` until the next call, as for `explain x --svg > x.svg`.
  void Redirect(std::string* to) { redirect_ = to; }
  // Prints a line in a terminal; does nothing in a pipe.
  void Note(const std::string& text);

  // Stores a result in `_` and, at the prompt, in Out[n].
  void Remember(const Value& value);
  // sets the number and the text of the statement that is being run
  void set_cell(int number, std::string text);
  int cell() const { return cell_; }

  // Stores the run that `why` explains: its fetches as typed, and its report.
  void RememberRun(std::string request, std::string report, bool ran = false);
  // If a script has started a later run, these functions explain that one first.
  const std::string& last_request() { return CatchUp(), last_request_; }
  const std::string& last_report() { return CatchUp(), last_report_; }
  const std::string& last_trace() { return CatchUp(), last_trace_; }  // of a step that ran
  const std::string& last_traced_request() const { return last_traced_request_; }
  void SkipRuns();  // ignores the runs since then, which the user did not start
  // The device requests of the last `explain … with`, which `apply` applies.
  const std::string& what_if() const { return what_if_; }
  void set_what_if(std::string moves) { what_if_ = std::move(moves); }

  void WriteFile(const std::string& path, const std::string& text);

  // Returns the number of a graph's nodes that `nodes` and similar verbs show: all, or those of an
  // earlier version (`at @5 …`, undo).
  size_t VisibleNodes(const class GraphHandle& graph) const;
  void set_view(size_t nodes) { view_nodes_ = nodes; }
  size_t view() const { return view_nodes_; }
  // Throws if the current view does not contain the node. Nodes of the current statement are always
  // visible.
  void CheckInView(const class GraphHandle& graph, uint32_t node) const;

  // `watch X` and `break if COND`.
  std::vector<Watch>& watches() { return watches_; }
  std::string& break_condition() { return break_condition_; }

  // The nodes with side effects in a graph that have run, or that a reminder has already mentioned.
  std::vector<bool>& settled_effects(uint64_t graph) { return settled_effects_[graph]; }

  // All extensions so far, and the origins of the results.
  const std::vector<HistoryEntry>& history() const { return history_; }
  const std::vector<ResultEntry>& results() const { return results_; }
  const std::vector<RunEntry>& runs() const { return runs_; }  // the most recent ones
  // The statements that succeeded, oldest first.
  const std::vector<std::string>& journal() const { return journal_; }
  void ForgetJournal() { journal_.clear(); }
  // The last error as it was printed, without the location, or "" if there was none.
  const std::string& last_error() const { return last_error_; }
  const std::string& last_error_hint() const { return last_error_hint_; }

  // Runs a script as a part of the current command (`read`), not as separate commands.
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
  uint64_t runs_seen_ = 0;  // value of bridge::RunNumber() when the last run was stored
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
