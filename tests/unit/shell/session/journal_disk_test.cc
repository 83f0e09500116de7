// The journal of cells on the disk: the records reach it soon, in their order, without making the
// prompt wait, and a disk that fails is reported.
//
// This file replaces fdatasync and fsync of the C library, so that a test sees and controls them.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "shell/session/cell_journal.h"

namespace {

// Records the calls by which the journal brings bytes to the disk, and can block them or fail them.
struct Disk {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<size_t> synced;  // sizes of the file when its bytes were brought to the disk
  std::vector<ino_t> folders;
  int waiting = 0;  // threads that wait for a blocked disk
  bool blocked = false;
  int error = 0;
};

Disk& TheDisk() {
  static Disk disk;
  return disk;
}

}  // namespace

extern "C" int fdatasync(int fd) {
  Disk& disk = TheDisk();
  struct stat about {};
  ::fstat(fd, &about);
  std::unique_lock<std::mutex> lock(disk.mutex);
  ++disk.waiting;
  disk.changed.notify_all();
  disk.changed.wait(lock, [&] { return !disk.blocked; });
  --disk.waiting;
  disk.changed.notify_all();
  if (disk.error != 0) {
    errno = disk.error;
    return -1;
  }
  disk.synced.push_back(static_cast<size_t>(about.st_size));
  disk.changed.notify_all();
  return 0;
}

extern "C" int fsync(int fd) {
  struct stat about {};
  ::fstat(fd, &about);
  if (S_ISDIR(about.st_mode)) {
    const std::lock_guard<std::mutex> lock(TheDisk().mutex);
    TheDisk().folders.push_back(about.st_ino);
  }
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace tensh::shell {
namespace {

using namespace std::chrono_literals;

class JournalDiskTest : public testing::Test {
 protected:
  JournalDiskTest() {
    std::string name = testing::TempDir() + "tensh-disk-XXXXXX";
    home_ = ::mkdtemp(name.data());
    folder_ = home_ + "/sessions";
    Set(false, 0);
    disk_.synced.clear();
    disk_.folders.clear();
  }
  ~JournalDiskTest() override {
    Set(false, 0);
    std::filesystem::remove_all(home_);
  }
  void Set(bool blocked, int error) {
    const std::lock_guard<std::mutex> lock(disk_.mutex);
    disk_.blocked = blocked;
    disk_.error = error;
    disk_.changed.notify_all();
  }
  // Returns false if the condition does not become true in a minute.
  template <class Condition>
  bool Becomes(Condition condition) {
    std::unique_lock<std::mutex> lock(disk_.mutex);
    return disk_.changed.wait_for(lock, 60s, condition);
  }
  std::string File() const { return folder_ + "/" + JournalIds(folder_).at(0) + ".cells"; }
  size_t Size() const { return std::filesystem::file_size(File()); }
  bool Reaches(size_t size) {
    return Becomes([&] { return !disk_.synced.empty() && disk_.synced.back() == size; });
  }

  Disk& disk_ = TheDisk();
  std::string home_, folder_;
};

void Write(CellJournal* journal, int number) {
  const std::string text = "cell_" + std::to_string(number);
  journal->Begin(number, text);
  journal->Done({.worked = true, .repeats = text});
}

TEST_F(JournalDiskTest, ARecordReachesTheDiskByItself) {
  CellJournal journal;
  ASSERT_EQ(journal.Open(folder_), 0);
  Write(&journal, 1);
  EXPECT_TRUE(Reaches(Size())) << "nothing brings the first cell to the disk";
  // A cell that runs for hours must be there while it runs.
  journal.Begin(2, "run train times 1000000");
  EXPECT_TRUE(Reaches(Size())) << "the cell that runs is not on the disk";
}

TEST_F(JournalDiskTest, TheNameOfTheFileReachesTheDiskToo) {
  struct stat about {};
  {
    CellJournal journal;
    ASSERT_EQ(journal.Open(folder_), 0);
    Write(&journal, 1);
    ASSERT_EQ(::stat(folder_.c_str(), &about), 0);
  }
  EXPECT_EQ(disk_.folders, std::vector<ino_t>{about.st_ino});
}

TEST_F(JournalDiskTest, TheEndOfTheSessionWaitsForTheDisk) {
  size_t size = 0;
  {
    CellJournal journal;
    ASSERT_EQ(journal.Open(folder_), 0);
    for (int i = 1; i <= 20; ++i) Write(&journal, i);
    journal.End();
    size = Size();
  }
  ASSERT_FALSE(disk_.synced.empty());
  EXPECT_EQ(disk_.synced.back(), size);
}

TEST_F(JournalDiskTest, ThePromptDoesNotWaitForASlowDisk) {
  CellJournal journal;
  ASSERT_EQ(journal.Open(folder_), 0);
  Set(true, 0);
  Write(&journal, 1);
  ASSERT_TRUE(Becomes([&] { return disk_.waiting > 0; }));
  for (int i = 2; i <= 50; ++i) Write(&journal, i);  // would hang here
  EXPECT_TRUE(disk_.synced.empty());
  Set(false, 0);
  EXPECT_TRUE(Reaches(Size())) << "records written meanwhile are forgotten";
}

// After a loss of power the file ends anywhere behind the last size that reached the disk.
TEST_F(JournalDiskTest, ALossOfPowerLeavesAPrefix) {
  CellJournal journal;
  ASSERT_EQ(journal.Open(folder_), 0);
  std::vector<size_t> sizes;  // after each cell
  for (int i = 1; i <= 30; ++i) {
    Write(&journal, i);
    sizes.push_back(Size());
    if (i % 10 != 0) continue;
    ASSERT_TRUE(Reaches(Size()));
  }
  std::ifstream file(File(), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::vector<size_t> synced = [&] {
    const std::lock_guard<std::mutex> lock(disk_.mutex);
    return disk_.synced;
  }();
  ASSERT_GE(synced.size(), 3u);
  for (const size_t reached : synced) {
    size_t complete = 0;
    while (complete < sizes.size() && sizes[complete] <= reached) ++complete;
    for (size_t end = reached; end <= std::min(text.size(), reached + 200); ++end) {
      const JournalSession session = ParseJournal(std::string_view(text).substr(0, end));
      ASSERT_GE(session.cells.size(), complete);
      for (size_t i = 0; i < session.cells.size(); ++i)
        ASSERT_EQ(session.cells[i].text, "cell_" + std::to_string(i + 1));
      for (size_t i = 0; i < complete; ++i)
        ASSERT_EQ(session.cells[i].state, JournalCell::State::kWorked);
    }
  }
}

TEST_F(JournalDiskTest, ADiskThatFailsIsReportedOnce) {
  CellJournal journal;
  ASSERT_EQ(journal.Open(folder_), 0);
  Set(false, EIO);
  Write(&journal, 1);
  int error = 0;
  for (const auto end = std::chrono::steady_clock::now() + 60s;
       error == 0 && std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(10ms))
    error = journal.TakeError();
  EXPECT_EQ(error, EIO);
  EXPECT_EQ(journal.TakeError(), 0);
  Set(false, 0);
  Write(&journal, 2);
  EXPECT_TRUE(Reaches(Size())) << "the journal gave up after one failure";
}

TEST_F(JournalDiskTest, AFileSystemWithoutSyncIsNoFailure) {
  for (const int error : {EINVAL, EROFS}) {
    Set(false, error);
    CellJournal journal;
    ASSERT_EQ(journal.Open(folder_ + std::to_string(error)), 0);
    Set(true, error);
    Write(&journal, 1);
    ASSERT_TRUE(Becomes([&] { return disk_.waiting > 0; }));
    Set(false, error);
    ASSERT_TRUE(Becomes([&] { return disk_.waiting == 0; }));
    Write(&journal, 2);
    EXPECT_EQ(journal.TakeError(), 0);
  }
}

}  // namespace
}  // namespace tensh::shell
