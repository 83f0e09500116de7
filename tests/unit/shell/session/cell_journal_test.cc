// The journal of cells: after any failure of its writer, it reads as a prefix of the session.
#include "shell/session/cell_journal.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>

#include "shell/text/records.h"

namespace tensh::shell {
namespace {

class CellJournalTest : public testing::Test {
 protected:
  CellJournalTest() {
    std::string name = testing::TempDir() + "tensh-journal-XXXXXX";
    folder_ = std::string(::mkdtemp(name.data())) + "/sessions";
  }
  ~CellJournalTest() override {
    std::filesystem::remove_all(folder_.substr(0, folder_.rfind('/')));
  }
  JournalSession Only() {
    const std::vector<std::string> ids = JournalIds(folder_);
    EXPECT_EQ(ids.size(), 1u);
    return ids.empty() ? JournalSession() : ReadJournal(folder_, ids[0]);
  }
  std::string folder_;
};

std::string TextOf(int number) {
  std::mt19937 random(static_cast<unsigned>(number));
  std::string text = "cell_" + std::to_string(number) + " = 1\n";
  text.append(random() % 4000, static_cast<char>('a' + random() % 26));
  return text;
}

// Checks that the cells are those of a session that types TextOf(1), TextOf(2), …
void ExpectPrefix(const JournalSession& session) {
  for (size_t i = 0; i < session.cells.size(); ++i) {
    const JournalCell& cell = session.cells[i];
    ASSERT_EQ(cell.number, static_cast<int>(i) + 1);
    ASSERT_EQ(cell.text, TextOf(cell.number));
    const bool last = i + 1 == session.cells.size();
    if (!last) {
      ASSERT_NE(cell.state, JournalCell::State::kUnfinished);
    }
    if (cell.state == JournalCell::State::kWorked) {
      ASSERT_EQ(cell.repeats, cell.text);
    }
  }
}

void Write(CellJournal* journal, int number) {
  journal->Begin(number, TextOf(number));
  journal->Done({.worked = true, .seconds = 0.5, .nodes = 3, .repeats = TextOf(number)});
}

TEST_F(CellJournalTest, KeepsWhatHappened) {
  {
    CellJournal journal;
    ASSERT_EQ(journal.Open(folder_), 0);
    EXPECT_TRUE(JournalIds(folder_).empty()) << "a session without cells leaves no file";
    Write(&journal, 1);
    journal.Begin(2, "1/0");
    journal.Done({.worked = false, .repeats = "a = 1\n"});
    journal.Saved("/tmp/model");
    journal.Begin(3, "eval a");
    journal.Done({.worked = true});
    journal.Begin(4, "while True: pass");
  }
  const JournalSession session = Only();
  ASSERT_EQ(session.cells.size(), 4u);
  EXPECT_EQ(session.cells[0].repeats, TextOf(1));
  EXPECT_EQ(session.cells[0].nodes, 3);
  EXPECT_EQ(session.cells[0].seconds, 0.5);
  EXPECT_EQ(session.cells[1].state, JournalCell::State::kFailed);
  EXPECT_EQ(session.cells[1].repeats, "a = 1\n");
  EXPECT_EQ(session.cells[2].repeats, "");
  EXPECT_EQ(session.cells[3].state, JournalCell::State::kUnfinished);
  EXPECT_EQ(session.saved_cell, 2);
  EXPECT_EQ(session.saved_file, "/tmp/model");
  EXPECT_FALSE(session.ended);
  struct stat about {};
  ASSERT_EQ(::stat(session.file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(CellJournalTest, KnowsHowASessionEnded) {
  CellJournal journal;
  ASSERT_EQ(journal.Open(folder_), 0);
  Write(&journal, 1);
  const std::string id = JournalIds(folder_).at(0);
  EXPECT_TRUE(ReadJournal(folder_, id).running);
  EXPECT_EQ(HowEnded(folder_, id), JournalEnd::kRuns);
  EXPECT_NE(CellJournal().Continue(ReadJournal(folder_, id)), 0) << "it runs";
  journal.End();
  EXPECT_TRUE(ReadJournal(folder_, id).ended);
}

TEST_F(CellJournalTest, ContinuesBehindATornRecord) {
  {
    CellJournal journal;
    ASSERT_EQ(journal.Open(folder_), 0);
    Write(&journal, 1);
    Write(&journal, 2);
  }
  JournalSession session = Only();
  EXPECT_EQ(HowEnded(folder_, session.id), JournalEnd::kKilled);
  std::filesystem::resize_file(session.file, session.bytes - 3);
  session = Only();
  ASSERT_EQ(session.cells.size(), 2u);
  EXPECT_EQ(session.cells[1].state, JournalCell::State::kUnfinished);
  {
    CellJournal journal;
    ASSERT_EQ(journal.Continue(session), 0);
    EXPECT_EQ(journal.cells().size(), 2u);
    Write(&journal, 3);
    journal.End();
  }
  session = Only();
  EXPECT_EQ(session.cells.size(), 3u);
  EXPECT_TRUE(session.ended);
  EXPECT_EQ(HowEnded(folder_, session.id), JournalEnd::kEnded);
}

// Writes cells until the process is killed, and reports each one that the journal accepted.
[[noreturn]] void WriteUntilKilled(const std::string& folder, int report) {
  CellJournal journal;
  journal.Open(folder);
  for (int number = 1;; ++number) {
    Write(&journal, number);
    if (::write(report, "x", 1) != 1) ::_exit(1);
  }
}

TEST_F(CellJournalTest, EveryKillLeavesAPrefix) {
  std::mt19937 random(1);
  size_t most = 0;
  for (int trial = 0; trial < 250; ++trial) {
    const std::string folder = folder_ + "/" + std::to_string(trial);
    int report[2];
    ASSERT_EQ(::pipe(report), 0);
    const pid_t child = ::fork();
    if (child == 0) WriteUntilKilled(folder, report[1]);
    ::close(report[1]);
    ::usleep(random() % 4000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    size_t reported = 0;
    for (char buffer[4096]; const ssize_t n = ::read(report[0], buffer, sizeof buffer);)
      reported += static_cast<size_t>(n);
    ::close(report[0]);
    const std::vector<std::string> ids = JournalIds(folder);
    if (ids.empty()) {
      ASSERT_EQ(reported, 0u);
      continue;
    }
    const JournalSession session = ReadJournal(folder, ids[0]);
    ExpectPrefix(session);
    ASSERT_GE(session.cells.size(), reported) << "a cell was lost";
    ASSERT_LE(session.cells.size(), reported + 1);
    EXPECT_FALSE(session.running);
    most = std::max(most, session.cells.size());
  }
  EXPECT_GT(most, 10u) << "the children were killed before they wrote";
}

TEST_F(CellJournalTest, SessionsDoNotMix) {
  CellJournal one, two;
  ASSERT_EQ(one.Open(folder_), 0);
  ASSERT_EQ(two.Open(folder_), 0);
  for (int i = 1; i <= 20; ++i) {
    Write(&one, i);
    two.Begin(i, "two");
    two.Done({.worked = true, .repeats = "two"});
  }
  const std::vector<std::string> ids = JournalIds(folder_);
  ASSERT_EQ(ids.size(), 2u);
  for (const std::string& id : ids) {
    const JournalSession session = ReadJournal(folder_, id);
    ASSERT_EQ(session.cells.size(), 20u);
    if (session.cells[0].text != "two") ExpectPrefix(session);
  }
}

TEST_F(CellJournalTest, AFullDiskLosesOnlyWhatDoesNotFit) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400, 400};  // bytes; the file system is as good as full
    ::setrlimit(RLIMIT_FSIZE, &limit);
    CellJournal journal;
    journal.Open(folder_);
    journal.Begin(1, "first");
    journal.Done({.worked = true, .repeats = "first"});
    bool good = journal.TakeError() == 0;
    journal.Begin(2, std::string(1000, 'x'));
    good = good && journal.TakeError() != 0 && journal.TakeError() == 0;
    journal.Begin(3, "third");
    ::_exit(good && journal.TakeError() == 0 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const JournalSession session = Only();
  ASSERT_EQ(session.cells.size(), 2u);
  EXPECT_EQ(session.cells[0].text, "first");
  EXPECT_EQ(session.cells[1].text, "third");
}

TEST_F(CellJournalTest, OldSessionsAreRemoved) {
  for (int i = 0; i < 120; ++i) {
    CellJournal journal;
    ASSERT_EQ(journal.Open(folder_), 0);
    Write(&journal, 1);
  }
  const size_t kept = JournalIds(folder_).size();
  EXPECT_LE(kept, 101u);
  EXPECT_GE(kept, 50u);
}

TEST_F(CellJournalTest, AFolderThatCannotBeWritten) {
  CellJournal journal;
  EXPECT_NE(journal.Open("/dev/null/sessions"), 0);
  journal.Begin(1, "a = 1");
  journal.Done({.worked = true, .repeats = "a = 1"});
  ASSERT_EQ(journal.cells().size(), 1u);
  EXPECT_EQ(journal.cells()[0].state, JournalCell::State::kWorked);
  EXPECT_FALSE(journal.kept());
}

TEST(ParseJournal, HostileTextGivesCellsOrNothing) {
  for (const char* head : {"cell", "cell x y", "done", "done 1", "done 7 worked", "saved", "what",
                           "", "session", "cell 99999999999999999999 0"}) {
    const std::string text = PackRecord(head, "payload") + PackRecord("end", "");
    const JournalSession session = ParseJournal(text);
    EXPECT_TRUE(session.ended);
    EXPECT_LE(session.cells.size(), 1u);
  }
  EXPECT_TRUE(ParseJournal(std::string(100000, '\xff')).cells.empty());
}

}  // namespace
}  // namespace tensh::shell
