#include "shell/resume.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <utility>

#include "shell/commands/base/progress.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/files.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/session/graphs.h"
#include "shell/session/muted.h"
#include "shell/session/snapshot.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kListed = 20;
constexpr size_t kNamed = 5;  // maximum number of variables that a message names

std::string Day(int64_t time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[64];
  const size_t size = std::strftime(text, sizeof text, "%d %b %Y, %H:%M", &local);
  return {text, size};
}

std::string FirstLine(const std::string& text) {
  return CutTo(Visible(std::string(Trim(text.substr(0, text.find('\n'))))), 40);
}

bool Ready(const JournalSession& session) { return !session.running && !session.cells.empty(); }

std::string ReadCheckpoint(Shell& shell, const std::string& file) {
  try {
    const Value loaded =
        CallWorkspace("load_variables", {MakeStr(file), shell.sessions().Current()});
    return Count(loaded.as_int(), "variable") + " from " + Visible(file);
  } catch (const PyError& error) {
    return "no variables: " + error.Message();
  }
}

// The progress of a repetition, for the thread that draws it.
class Repeated {
 public:
  explicit Repeated(const std::vector<JournalCell>& cells) : cells_(cells.size()) {
    for (const JournalCell& cell : cells) seconds_ += SecondsOf(cell);
  }
  void Begin(const JournalCell& cell) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++at_;
    now_ = FirstLine(cell.text);
  }
  void End(const JournalCell& cell) {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ += SecondsOf(cell);
  }
  // "40 % ▓▓▓·· resuming: cell 12 of 30, 41 s left: run train times 3000"
  ProgressText Text(double seconds) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const double left = done_ > 0 ? seconds * (seconds_ - done_) / done_ : 0;
    const std::string text = "resuming: cell " + Digits(static_cast<int64_t>(at_)) + " of " +
                             Digits(static_cast<int64_t>(cells_)) + ", " + Duration(seconds * 1e9) +
                             (left > 0 ? ", about " + Duration(left * 1e9) + " left" : "") + ": " +
                             now_;
    return {text, seconds_ > 0 ? done_ / seconds_ : -1};
  }

 private:
  // The duration of a cell when it was typed. Cells that were too short to measure count as well.
  static double SecondsOf(const JournalCell& cell) { return cell.seconds + 1e-3; }

  const size_t cells_;
  double seconds_ = 0;  // of all cells
  mutable std::mutex mutex_;
  size_t at_ = 0;
  double done_ = 0;
  std::string now_;
};

// Runs cells without their output, and collects messages about them.
class Repetition {
 public:
  Repetition(Shell& shell, const JournalSession& session)
      : shell_(shell), session_(session), muted_(shell.interp(), Muted::kOutputAndErrors) {
    const std::string file = VariablesFile(Folder(), session.id);
    const int kept = SnapshotCell(file);
    if (kept > 0 && kept >= session.saved_cell) {
      values_of_ = kept, snapshot_ = file;
    } else if (session.saved_cell > 0) {
      values_of_ = session.saved_cell;
    }
  }
  ~Repetition() { shell_.set_repeating(false); }
  Repetition(const Repetition&) = delete;
  Repetition& operator=(const Repetition&) = delete;

  std::string All() {
    const auto began = std::chrono::steady_clock::now();
    Repeated repeated(session_.cells);
    {
      const Progress progress(shell_, [&](double seconds) { return repeated.Text(seconds); });
      for (const JournalCell& cell : session_.cells) {
        if (cell.number > values_of_) RestoreVariables();
        repeated.Begin(cell);
        if (!Run(cell)) break;
        repeated.End(cell);
      }
      RestoreVariables();
    }
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - began;
    const int64_t nodes = HasGraph() ? static_cast<int64_t>(CurrentGraph().size()) : 0;
    return " resumed the session of " + Day(session_.began) + ": " + Count(ran_, "cell") + " in " +
           Duration(spent.count()) + " · " + Count(nodes, "node") +
           (variables_.empty() ? "" : " · " + variables_) + "\n" + notes_;
  }

 private:
  std::string Folder() const { return session_.file.substr(0, session_.file.rfind('/')); }

  // Returns false if Ctrl-C ended the repetition.
  bool Run(const JournalCell& cell) {
    const std::string name = "cell " + std::to_string(cell.number);
    const std::string again = "; to run it: rerun " + std::to_string(cell.number) + "\n";
    if (cell.state == JournalCell::State::kUnfinished)
      notes_ += " " + name + " had not finished, so it was left out" + again;
    if (cell.repeats.empty()) return true;
    shell_.set_cell(cell.number, cell.text);
    shell_.set_repeating(cell.number <= values_of_);
    try {
      shell_.interp().Exec(cell.repeats, "In[" + std::to_string(cell.number) + "]",
                           ExecMode::kCell);
      ++ran_;
    } catch (const PyError& error) {
      if (error.Is(kKeyboardInterrupt)) return Stop(cell.number), false;
      if (error.Is(kSystemExit)) return ++ran_, true;  // a program that the cell contains ended
      notes_ += " " + name + " fails now, with " + error.ClassName() + ": " +
                Visible(error.Message()) + again;
    }
    return true;
  }

  void Stop(int cell) {
    shell_.interp().ClearInterrupt();
    const int last = session_.cells.back().number;
    const std::string to = last > cell ? "-" + std::to_string(last) : "";
    notes_ += " Ctrl-C stopped it at cell " + std::to_string(cell) +
              ". The prompt has what was repeated before; to run the rest: rerun " +
              std::to_string(cell) + to + "\n";
  }

  void RestoreVariables() {
    if (std::exchange(restored_, true) || values_of_ == 0) return;
    const std::string after = " as of cell " + std::to_string(values_of_);
    if (snapshot_.empty()) {
      variables_ = ReadCheckpoint(shell_, session_.saved_file) + after;
      return;
    }
    const SnapshotCount count = RestoreSnapshot(shell_.interp(), snapshot_);
    variables_ = Count(count.variables, "variable") + after;
    shell_.autosave().Skip();
    if (count.wants.empty()) return;
    std::string names;
    for (size_t i = 0; i < count.wants.size() && i < kNamed; ++i)
      names += (i > 0 ? ", " : "") + Visible(count.wants[i]);
    if (count.wants.size() > kNamed)
      names += " and " + Digits(static_cast<int64_t>(count.wants.size() - kNamed)) + " more";
    notes_ += " not restored, because no open session has them: " + names + "\n";
  }

  Shell& shell_;
  const JournalSession& session_;
  const Muted muted_;
  int values_of_ = 0;     // the cell after which the variables were last saved; 0 if they were not
  std::string snapshot_;  // their file, or "" for the checkpoint
  bool restored_ = false;
  int64_t ran_ = 0;
  std::string variables_, notes_;
};

}  // namespace

std::optional<JournalSession> FindSession(const std::string& folder, const std::string& which,
                                          std::string* why) {
  const std::vector<std::string> ids = JournalIds(folder);
  size_t number = 0;
  const auto [end, error] = std::from_chars(which.data(), which.data() + which.size(), number);
  const bool counts = error == std::errc() && end == which.data() + which.size() && number < 10000;
  std::optional<JournalSession> last;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (counts ? i + 1 != number : !ids[i].starts_with(which)) continue;
    JournalSession session = ReadJournal(folder, ids[i]);
    if (!which.empty() && session.running) {
      *why = "session " + ids[i] + " is running";
      return std::nullopt;
    }
    if (!Ready(session)) continue;
    if (!which.empty() || !session.ended) return session;
    if (!last) last = std::move(session);
  }
  if (!last)
    *why = which.empty() ? "there is no earlier session"
                         : "there is no session " + which + "; tensh --resume=list lists them";
  return last;
}

std::string ListSessions(const std::string& folder) {
  std::vector<GridRow> rows;
  const std::vector<std::string> ids = JournalIds(folder);
  for (size_t i = 0; i < ids.size() && i < kListed; ++i) {
    const JournalSession session = ReadJournal(folder, ids[i]);
    const char* how = session.running ? "runs" : session.ended ? "ended" : "did not end";
    rows.push_back({" ",
                    {std::to_string(i + 1), session.id, Day(session.began),
                     Count(static_cast<int64_t>(session.cells.size()), "cell"), how,
                     session.cells.empty() ? "" : FirstLine(session.cells.back().text)}});
  }
  if (rows.empty()) return "no sessions\n";
  return FormatGrid({{""}, {""}, {""}, {""}, {""}, {"", 10}}, rows, 0, false);
}

std::string Resume(Shell& shell, const JournalSession& session) {
  std::string said = Repetition(shell, session).All();
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  if (!session.folder.empty() && folder != session.folder)
    said += " it ran in the folder " + Visible(session.folder) + "\n";
  return Wrap(said, shell.out().width());
}

void FinishCell(Shell& shell, const std::string& text, size_t before, bool worked, double seconds) {
  const std::vector<Statement>& statements = shell.journal();
  CellDone done{.worked = worked, .seconds = seconds, .nodes = 0, .repeats = ""};
  bool whole = worked;
  if (before > statements.size()) before = 0;  // after `reset`, which empties the list
  for (size_t i = before; i < statements.size(); ++i) {
    const Statement& each = statements[i];
    if (text.find(each.text) == text.npos) whole = false;  // see Shell::RecordAs
    // A statement that changes nothing is repeated only for `_` and `feed again`.
    if (!each.changes && !each.gives_value && !each.feeds) {
      whole = false;
    } else {
      done.repeats += each.text + "\n";
    }
    done.nodes += static_cast<int64_t>(each.nodes);
  }
  if (whole && !done.repeats.empty()) done.repeats = text;
  shell.cells().Done(done);
}

}  // namespace tensh::shell
