#include "shell/session/cell_journal.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "shell/text/records.h"
#include "shell/text/user_files.h"

namespace tensh::shell {
namespace {

constexpr int kFormat = 1;
constexpr std::string_view kEnding = ".cells";
constexpr size_t kMostSessions = 100;      // older files are removed
constexpr size_t kMostWithVariables = 10;  // older files of values are removed
constexpr size_t kLargestFile = size_t{1} << 30;
constexpr size_t kLargestCell = 16 << 20;  // bytes; larger cells are pasted data and are not kept

constexpr std::chrono::milliseconds kLateness{100};  // of records on the disk

constexpr const char* kStateWords[] = {"unfinished", "worked", "failed"};

int64_t Now() { return static_cast<int64_t>(std::time(nullptr)); }

// Splits the head of a record into words at the spaces.
std::vector<std::string> Words(std::string_view head) {
  std::vector<std::string> words;
  while (!head.empty()) {
    const size_t end = std::min(head.find(' '), head.size());
    words.emplace_back(head.substr(0, end));
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  words.resize(std::max<size_t>(words.size(), 6));
  return words;
}

int64_t Number(const std::string& word) { return std::strtoll(word.c_str(), nullptr, 10); }

void TakeDone(const std::vector<std::string>& words, std::string_view payload,
              std::vector<JournalCell>* cells) {
  if (cells->empty() || cells->back().number != Number(words[1])) return;
  JournalCell& cell = cells->back();
  cell.state =
      words[2] == kStateWords[1] ? JournalCell::State::kWorked : JournalCell::State::kFailed;
  cell.seconds = std::strtod(words[3].c_str(), nullptr);
  cell.nodes = Number(words[4]);
  cell.repeats = words[5] == "whole" ? cell.text : std::string(payload);
}

void TakeRecordOf(JournalSession* session, const Record& record) {
  const std::vector<std::string> words = Words(record.head);
  const std::string& kind = words[0];
  session->ended = kind == "end";
  if (kind == "session") {
    session->began = Number(words[2]);
    session->folder = record.payload;
  } else if (kind == "cell") {
    JournalCell& cell = session->cells.emplace_back();
    cell.number = static_cast<int>(Number(words[1]));
    cell.time = Number(words[2]);
    cell.text = record.payload;
  } else if (kind == "done") {
    TakeDone(words, record.payload, &session->cells);
  } else if (kind == "saved") {
    session->saved_cell = static_cast<int>(Number(words[1]));
    session->saved_file = record.payload;
  }
}

std::string CellsFile(const std::string& folder, const std::string& id) {
  return folder + "/" + id + std::string(kEnding);
}

// Returns the time and the process. Ids sort by the time at which the sessions began.
std::string NewId() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[48];
  std::snprintf(text, sizeof text, "%04d%02d%02d-%02d%02d%02d-%d", utc.tm_year + 1900,
                utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, ::getpid());
  return text;
}

// Returns true if another process holds the lock of the file.
bool IsLocked(int fd) {
  if (::flock(fd, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(fd, LOCK_UN);
  return false;
}

// Locks a journal for its writer. Another session that checks the lock may hold it briefly.
bool Lock(int fd) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    ::usleep(5000);
  }
  return false;
}

bool Runs(const std::string& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  const bool locked = IsLocked(fd);
  ::close(fd);
  return locked;
}

void Prune(const std::string& folder) {
  const std::vector<std::string> ids = JournalIds(folder);
  for (size_t i = kMostWithVariables; i < ids.size(); ++i) {
    if (i >= kMostSessions && !Runs(CellsFile(folder, ids[i])))
      ::unlink(CellsFile(folder, ids[i]).c_str());
    ::unlink(VariablesFile(folder, ids[i]).c_str());
  }
}

}  // namespace

// A thread that brings the records of a file to the disk, and at first the file's name. It waits a
// moment after the first record, so that cells that are pasted together are brought together.
class DiskWriter {
 public:
  DiskWriter(int fd, const std::string& file) : fd_(fd), folder_(file.substr(0, file.rfind('/'))) {
    sigset_t all, old;  // handlers run in the main thread
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    try {
      thread_ = std::thread(&DiskWriter::Loop, this);
    } catch (const std::system_error& error) {
      error_ = error.code().value();  // too many threads: the kernel writes the records later
    }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
  }
  // Brings what was written to the disk.
  ~DiskWriter() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  DiskWriter(const DiskWriter&) = delete;
  DiskWriter& operator=(const DiskWriter&) = delete;

  void Written() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      dirty_ = true;
    }
    changed_.notify_all();
  }
  // Returns the errno of a failure since the last call, or 0.
  int TakeError() { return error_.exchange(0); }

 private:
  void Loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return dirty_ || ended_; });
      if (!ended_) changed_.wait_for(lock, kLateness, [this] { return ended_; });
      if (!std::exchange(dirty_, false)) return;
      lock.unlock();
      // Some file systems cannot do this; the records are then as safe as they get.
      if (::fdatasync(fd_) != 0 && errno != EINVAL && errno != EROFS) error_ = errno;
      SyncFolder();
      lock.lock();
    }
  }

  void SyncFolder() {
    if (folder_.empty()) return;
    const int fd = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
      ::fsync(fd);
      ::close(fd);
    }
    folder_.clear();
  }

  const int fd_;
  std::string folder_;  // "" once its list of files is on the disk
  std::mutex mutex_;
  std::condition_variable changed_;
  bool dirty_ = false, ended_ = false;
  std::atomic<int> error_ = 0;
  std::thread thread_;
};

JournalSession ParseJournal(std::string_view text) {
  JournalSession session;
  const size_t all = text.size();
  for (Record record; TakeRecord(&text, &record);) TakeRecordOf(&session, record);
  session.bytes = all - text.size();
  return session;
}

CellJournal::CellJournal() = default;

CellJournal::~CellJournal() { Close(); }

void CellJournal::Close() {
  disk_.reset();
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

int CellJournal::Open(std::string folder) {
  folder_ = std::move(folder);
  int error = MakeFoldersOf(folder_ + "/");
  if (error == 0 && ::access(folder_.c_str(), W_OK | X_OK) != 0) error = errno;
  if (error != 0) folder_.clear();
  return error;
}

bool CellJournal::Create() {
  Prune(folder_);
  const std::string id = NewId();
  for (int n = 1; fd_ < 0 && n < 100; ++n) {  // a process may have several sessions in a second
    file_ = CellsFile(folder_, n == 1 ? id : id + "-" + std::to_string(n));
    fd_ = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) {
    error_ = errno;
    folder_.clear();
    return false;
  }
  Lock(fd_);
  disk_ = std::make_unique<DiskWriter>(fd_, file_);
  char* folder = ::getcwd(nullptr, 0);
  Append("session " + std::to_string(kFormat) + " " + std::to_string(Now()),
         folder == nullptr ? "" : folder);
  std::free(folder);
  return true;
}

int CellJournal::Continue(const JournalSession& session) {
  const int fd = ::open(session.file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return errno;
  if (!Lock(fd) || ::ftruncate(fd, static_cast<off_t>(session.bytes)) != 0) {
    const int error = errno;
    ::close(fd);
    return error;
  }
  Close();
  fd_ = fd;
  file_ = session.file;
  disk_ = std::make_unique<DiskWriter>(fd_, file_);
  size_ = session.bytes;
  cells_ = session.cells;
  Append("resumed " + std::to_string(Now()), "");
  return 0;
}

// If a record was written only in part because the disk is full, it is removed again.
bool CellJournal::Append(std::string_view head, std::string_view payload) {
  const std::string text = PackRecord(head, payload);
  ssize_t n = 0;
  do n = ::write(fd_, text.data(), text.size());
  while (n < 0 && errno == EINTR);
  if (n == static_cast<ssize_t>(text.size())) {
    size_ += text.size();
    disk_->Written();
    return true;
  }
  error_ = n < 0 ? errno : ENOSPC;
  if (n > 0 && ::ftruncate(fd_, static_cast<off_t>(size_)) != 0) {
    Close();  // otherwise a later record would follow an incomplete one
    folder_.clear();
  }
  return false;
}

void CellJournal::Begin(int number, std::string_view text) {
  cells_.push_back({.number = number, .time = Now(), .text = std::string(text)});
  if (fd_ < 0 && (folder_.empty() || !Create())) return;
  if (text.size() > kLargestCell) text = "# this cell was too large for the journal";
  Append("cell " + std::to_string(number) + " " + std::to_string(cells_.back().time), text);
}

void CellJournal::Done(const CellDone& done) {
  if (cells_.empty()) return;
  JournalCell& cell = cells_.back();
  cell.state = done.worked ? JournalCell::State::kWorked : JournalCell::State::kFailed;
  cell.seconds = done.seconds;
  cell.nodes = done.nodes;
  cell.repeats = done.repeats;
  if (fd_ < 0) return;
  const bool whole = done.repeats == cell.text && cell.text.size() <= kLargestCell;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.6g", done.seconds);
  Append("done " + std::to_string(cell.number) + " " + kStateWords[static_cast<int>(cell.state)] +
             " " + seconds + " " + std::to_string(done.nodes) + (whole ? " whole" : " part"),
         whole ? "" : std::string_view(done.repeats));
}

void CellJournal::Saved(std::string_view checkpoint) {
  if (fd_ >= 0 && !cells_.empty())
    Append("saved " + std::to_string(cells_.back().number), checkpoint);
}

void CellJournal::End() {
  if (fd_ >= 0) Append("end", "");
}

std::string CellJournal::id() const {
  if (fd_ < 0) return "";
  const size_t at = file_.rfind('/') + 1;
  return file_.substr(at, file_.size() - at - kEnding.size());
}

std::string CellJournal::variables_file() const {
  return fd_ < 0 ? "" : VariablesFile(file_.substr(0, file_.rfind('/')), id());
}

int CellJournal::TakeError() {
  const int late = disk_ == nullptr ? 0 : disk_->TakeError();
  const int error = std::exchange(error_, 0);
  return error != 0 ? error : late;
}

std::string JournalFolder() { return StateFile("sessions"); }

std::vector<std::string> JournalIds(const std::string& folder) {
  std::vector<std::string> ids;
  DIR* files = ::opendir(folder.c_str());
  if (files == nullptr) return ids;
  while (const dirent* file = ::readdir(files)) {
    const std::string_view name = file->d_name;
    if (name.ends_with(kEnding)) ids.emplace_back(name.substr(0, name.size() - kEnding.size()));
  }
  ::closedir(files);
  std::sort(ids.rbegin(), ids.rend());
  return ids;
}

JournalSession ReadJournal(const std::string& folder, const std::string& id) {
  std::string text;
  ReadFile(CellsFile(folder, id), kLargestFile, &text);
  JournalSession session = ParseJournal(text);
  session.id = id;
  session.file = CellsFile(folder, id);
  session.running = Runs(session.file);
  return session;
}

JournalEnd HowEnded(const std::string& folder, const std::string& id) {
  const std::string end = PackRecord("end", "");
  const int fd = ::open(CellsFile(folder, id).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return JournalEnd::kEnded;
  std::string tail(end.size(), '\0');
  const off_t size = ::lseek(fd, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(tail.size()));
  const ssize_t n = ::pread(fd, tail.data(), tail.size(), from);
  tail.resize(n > 0 ? static_cast<size_t>(n) : 0);
  const bool runs = IsLocked(fd);
  ::close(fd);
  if (runs) return JournalEnd::kRuns;
  return tail == end ? JournalEnd::kEnded : JournalEnd::kKilled;
}

std::string VariablesFile(const std::string& folder, const std::string& id) {
  return folder + "/" + id + ".variables";
}

}  // namespace tensh::shell
