// The limit on the files of ops, and patterns. Each row runs in a separate process, because the
// limit is a process's and can only grow.
#include "runtime/core/files/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "runtime/core/cancel.h"

namespace tensh {
namespace {

namespace fs = std::filesystem;

// root/{file, .dot, dir/inner}, links in and out of root, a pipe, and `outside` beside it.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/tensh_files_XXXXXX";
    path_ = fs::canonical(::mkdtemp(name));
    for (const char* directory : {"root/dir", "outside", "root2"})
      fs::create_directories(path_ / directory);
    for (const char* file : {"root/file", "root/.dot", "root/dir/inner", "outside/secret"})
      Write(path_ / file);
    fs::create_symlink("../outside", path_ / "root/out");
    fs::create_symlink("../outside/new", path_ / "root/nothing");
    fs::create_symlink("dir", path_ / "root/in");
    fs::create_symlink("loop", path_ / "root/loop");
    fs::create_symlink(".", path_ / "root/self");
    ::mkfifo((path_ / "root/pipe").c_str(), 0600);
  }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  std::string operator/(const std::string& name) const { return path_ / name; }

 private:
  static void Write(const fs::path& path) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    std::fputs("text", file);
    std::fclose(file);
  }
  fs::path path_;
};

std::string Said(const Status& status) {
  return status.ok() ? "ok" : StrCat(static_cast<int>(status.code()));
}

// The text that fn returns in a child process.
std::string InChild(const std::function<std::string()>& fn) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);  // a test that would wait forever fails
    const std::string text = fn();
    ::_exit(::write(ends[1], text.data(), text.size()) < 0);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? StrCat("signal ", WTERMSIG(status)) : text;
}

std::string Read(const std::string& path) {
  const Result<std::string> text = ReadWholeFile(path);
  return text.ok() ? *text : Said(text.status());
}

TEST(Files, OnlyBelowTheRoot) {
  const Folder folder;
  struct Row {
    const char *path, *read, *write;
  };
  const Row rows[] = {
      {"root/file", "text", "ok"},
      {"root/dir/../file", "text", "ok"},
      {"root/no/../file", "text", "ok"},
      {"root/in/inner", "text", "ok"},
      {"root/self/self/file", "text", "ok"},
      {"root/new", "5", "ok"},
      {"root/dir", "9", "9"},
      {"root/pipe", "9", "9"},
      {"root/nothing", "7", "7"},
      {"root/out/secret", "7", "7"},
      {"root/out/../root/file", "text", "ok"},
      {"root/loop", "7", "7"},
      {"root/../outside/secret", "7", "7"},
      {"root2/file", "7", "7"},
      {"root/..", "7", "7"},
      {"", "7", "7"},
  };
  for (const Row& row : rows) {
    const std::string path = folder / row.path;
    EXPECT_EQ(InChild([&] {
                if (!LimitFiles(folder / "root", true).ok()) return std::string("no root");
                return Read(path);
              }),
              row.read)
        << row.path;
    EXPECT_EQ(InChild([&] {
                if (!LimitFiles(folder / "root", true).ok()) return std::string("no root");
                return Said(OpenFile(path, "ab").status());
              }),
              row.write)
        << row.path;
  }
  EXPECT_FALSE(fs::exists(folder / "outside/new"));
}

TEST(Files, FailsClosed) {
  const Folder folder;
  struct Row {
    std::string root;
    const char* limit;  // the result of LimitFiles
  };
  const Row rows[] = {{folder / "root/loop", "2"}, {std::string(5000, 'x'), "3"}, {"", "ok"}};
  for (const Row& row : rows) {
    const auto with_root = [&](const std::function<Status()>& fn) {
      return InChild([&] {
        const std::string limit = Said(LimitFiles(row.root, true));
        return StrCat(limit, " ", Said(fn()));
      });
    };
    const std::string want = StrCat(row.limit, " 7"), file = folder / "root/file";
    EXPECT_EQ(with_root([&] { return ReadWholeFile(file).status(); }), want) << row.limit;
    EXPECT_EQ(with_root([&] { return WriteWholeFile(file, "x"); }), want) << row.limit;
    EXPECT_EQ(with_root([&] { return RenameFile(file, folder / "root/x"); }), want) << row.limit;
    EXPECT_EQ(with_root([&] { return RemoveFile(file); }), want) << row.limit;
    EXPECT_EQ(with_root([&] { return MakeDirectories(folder / "root/x"); }), want) << row.limit;
    for (const char* pattern : {"root/*", "root/file", "nothing*", "root/*/../*"})
      EXPECT_EQ(with_root([&] { return MatchFiles(folder / pattern, nullptr).status(); }), want)
          << row.limit << " " << pattern;
  }
}

TEST(Files, NoRootNoAnswerAboutTheFileSystem) {
  const Folder folder;
  for (const char* pattern : {"root/*", "root/none*", "*"})
    EXPECT_EQ(InChild([&] {
                if (!LimitFiles("", false).ok()) return std::string("no limit");
                return std::string(MatchFiles(folder / pattern, nullptr).status().message());
              }),
              StrCat("'", fs::path(folder / pattern).parent_path().string(),
                     "/' is outside the working directory"));
}

std::string Matches(const Folder& folder, const std::string& pattern) {
  const Result<std::vector<std::string>> found = MatchFiles(folder / pattern, nullptr);
  if (!found.ok()) return Said(found.status());
  std::string text;
  for (const std::string& path : *found) {
    const size_t skip = (folder / "").size();
    text += StrCat(text.empty() ? "" : " ", path.substr(skip));
  }
  return text;
}

TEST(Files, Patterns) {
  const Folder folder;
  struct Row {
    const char *pattern, *free, *limited;  // the matches without a limit and with one
  };
  const Row rows[] = {
      {"root/f*", "root/file", "root/file"},
      {"root/file", "root/file", "root/file"},
      {"root/none", "", ""},
      {"root/none/*", "", ""},
      {"root/[d-f]*", "root/dir root/file", "root/dir root/file"},
      {"root/d?r/*", "root/dir/inner", "root/dir/inner"},
      {"root/*/inner", "root/dir/inner root/in/inner", "root/dir/inner root/in/inner"},
      {"root/.d*", "root/.dot", "root/.dot"},
      {"root/*r/", "root/dir/", "root/dir/"},
      {"root/dir/../f*", "root/dir/../file", "root/dir/../file"},
      {"root/o*", "root/out", ""},
      {"root/o*/*", "root/out/secret", ""},
      {"root/out/*", "root/out/secret", "7"},
      {"o*/*", "outside/secret", "7"},
      {"root/*/../file", "3", "3"},
      {"root/\\file", "root/file", "root/file"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Matches(folder, row.pattern), row.free) << row.pattern;
    EXPECT_EQ(InChild([&] {
                if (!LimitFiles(folder / "root", true).ok()) return std::string("no root");
                return Matches(folder, row.pattern);
              }),
              row.limited)
        << row.pattern;
  }
}

// Two links to their own folder double the number of paths that a pattern visits with each part.
TEST(Files, PatternsEndWithTheirStep) {
  const Folder folder;
  fs::create_symlink(".", folder / "root/again");
  std::string pattern = "root";
  for (int i = 0; i < 30; ++i) pattern += "/*";
  CancelFlag cancel;
  ASSERT_TRUE(cancel.StartLimit(50).ok());
  const Result<std::vector<std::string>> found = MatchFiles(folder / pattern, &cancel);
  EXPECT_EQ(Said(found.status()), "4");
  cancel.EndLimit();
}

}  // namespace
}  // namespace tensh
