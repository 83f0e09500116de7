// The journal of a session's cells: what was typed, when, and whether it worked.
//
// A session has one file, made with its first cell and only appended to, one write for a record. The
// file of a session that was killed therefore reads as a prefix of its cells. Its writer holds a
// lock on it, so that other sessions know that it runs. Records survive the end of the process at
// once, and a loss of power a tenth of a second later: a thread brings them to the disk, so that the
// prompt never waits for it.
//
//   session   the version of the format, when it began, and the folder
//   cell      before a cell runs: number, time and text
//   done      after it ran: number, how it went, seconds, nodes that it added, and the statements to
//             run to repeat what it did, unless these are the whole cell
//   saved     `save FILE`: the cell, and the checkpoint
//   resumed   the session continues
//   end       the session ended
//
// Beside it, ID.variables holds the values of variables (shell/session/snapshot.h).
//
// Threads: the interpreter's thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

struct JournalCell {
  enum class State : uint8_t { kUnfinished, kWorked, kFailed };
  int number = 0;
  int64_t time = 0;  // when it began, in seconds since 1970
  std::string text = {};
  State state = State::kUnfinished;
  double seconds = 0;
  int64_t nodes = 0;         // that it added to the graph
  std::string repeats = {};  // the statements that repeat what it did; "" if it only looked
};

// The outcome of a cell.
struct CellDone {
  bool worked = false;
  double seconds = 0;
  int64_t nodes = 0;
  std::string repeats = {};
};

// A session as read from its file.
struct JournalSession {
  std::string id;
  std::string file;
  int64_t began = 0;
  std::string folder;  // the working folder
  bool ended = false;  // by the user
  bool running = false;
  std::vector<JournalCell> cells;
  int saved_cell = 0;  // the last cell that wrote a checkpoint; 0 if none did
  std::string saved_file;
  size_t bytes = 0;  // size of the complete records; an incomplete one may follow
};

JournalSession ParseJournal(std::string_view text);

class DiskWriter;  // brings written records to the disk

class CellJournal {
 public:
  CellJournal();  // keeps the cells in memory, without a file
  ~CellJournal();
  CellJournal(const CellJournal&) = delete;
  CellJournal& operator=(const CellJournal&) = delete;

  // Writes to a new file in the folder. The file is made with the first cell. Returns 0, or the
  // errno if the folder cannot be written.
  int Open(std::string folder);
  // Continues the file of a session that does not run. Returns 0 or the errno.
  int Continue(const JournalSession& session);

  void Begin(int number, std::string_view text);
  void Done(const CellDone& done);
  void Saved(std::string_view checkpoint);
  void End();  // Notes that the user ended the session.

  const std::vector<JournalCell>& cells() const { return cells_; }
  // Returns false if the cells are kept in memory only.
  bool kept() const { return fd_ >= 0 || !folder_.empty(); }
  std::string id() const;  // "" if there is no file yet
  // The file for the values of this session's variables, or "" if there is no journal.
  std::string variables_file() const;
  // Returns the errno of the first record since the last call that could not be written, or 0.
  int TakeError();

 private:
  bool Append(std::string_view head, std::string_view payload);
  bool Create();
  void Close();

  std::string folder_, file_;
  int fd_ = -1, error_ = 0;
  std::unique_ptr<DiskWriter> disk_;  // exists while fd_ is open
  size_t size_ = 0;
  std::vector<JournalCell> cells_;
};

// The folder of the journals, or "" if no home folder is known.
std::string JournalFolder();
// Returns the ids of the sessions in the folder, newest first.
std::vector<std::string> JournalIds(const std::string& folder);
// Reads a session. A file that cannot be read yields a session without cells.
JournalSession ReadJournal(const std::string& folder, const std::string& id);
// Returns how a session ended, without reading all of its file.
enum class JournalEnd : uint8_t { kRuns, kEnded, kKilled };
JournalEnd HowEnded(const std::string& folder, const std::string& id);
// Returns the file for the values of the variables of a session.
std::string VariablesFile(const std::string& folder, const std::string& id);

}  // namespace tensh::shell
