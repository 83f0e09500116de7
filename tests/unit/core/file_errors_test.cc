// Operations on files: the state of the folder afterwards, and TensorFlow's error codes.
#include "runtime/core/files/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "tests/unit/core/rows.h"

namespace tensh {
namespace {

using test::Show;
namespace fs = std::filesystem;

// Each test has a separate folder.
class FileOperations : public ::testing::Test {
 protected:
  FileOperations() {
    std::string pattern = (fs::temp_directory_path() / "tensh_files_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FileOperations() override { fs::remove_all(folder_); }
  std::string At(const std::string& name) const { return folder_ + "/" + name; }
  // Without the folder's name.
  std::string Said(const Status& status) const {
    std::string text = Show(status);
    for (size_t at; (at = text.find(folder_)) != text.npos;) text.replace(at, folder_.size(), "T");
    // The number that makes the name of a temporary file unique.
    if (const size_t at = text.find(".tempstate"); at != text.npos)
      text.erase(at + 10, text.find(';') - at - 10);
    return text;
  }
  std::string folder_;
};

TEST_F(FileOperations, AreReadAndReplacedAsAWhole) {
  const std::string zeros("a\0b\n", 4);
  for (const std::string& text :
       {std::string("first"), zeros, std::string(), std::string(200000, 'x')}) {
    ASSERT_EQ(Said(WriteWholeFile(At("f"), text)), "ok");
    const auto back = ReadWholeFile(At("f"));
    ASSERT_TRUE(back.ok());
    EXPECT_TRUE(*back == text) << text.size();
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);  // nothing is left beside it
}

TEST_F(FileOperations, Errors) {
  ASSERT_TRUE(WriteWholeFile(At("f"), "x").ok());
  struct Row {
    const char* what;
    Status status;
    const char* want;
  };
  const Row rows[] = {
      {"read what is not there", ReadWholeFile(At("none")).status(),
       "5: T/none; No such file or directory"},
      {"read a folder", ReadWholeFile(folder_).status(), "9: T; Is a directory"},
      {"read below a file", ReadWholeFile(At("f/g")).status(), "9: T/f/g; Not a directory"},
      {"write into no folder", WriteWholeFile(At("no/f"), "x"),
       "5: T/no/f.tempstate; No such file or directory"},
      {"remove what is not there", RemoveFile(At("none")), "5: T/none; No such file or directory"},
      {"rename what is not there", RenameFile(At("none"), At("g")),
       "5: T/g; No such file or directory"},
      {"a name that is too long", ReadWholeFile(At(std::string(300, 'n'))).status(), nullptr},
      {"a zero byte", ReadWholeFile(At(std::string("f\0g", 3))).status(),
       "3: a file name with a zero byte in it"},
      {"a pattern with one", MatchFiles(std::string("f\0*", 3), nullptr).status(),
       "3: a pattern with a zero byte in it"},
      {"a folder below a file", MakeDirectories(At("f/g")), "9: T/f/g; Not a directory"},
  };
  for (const Row& row : rows) {
    if (row.want)
      EXPECT_EQ(Said(row.status), row.want) << row.what;
    else
      EXPECT_EQ(row.status.code(), Code::kInvalidArgument) << row.what;
  }
  EXPECT_EQ(*ReadWholeFile(At("f")), "x");
}

TEST_F(FileOperations, FoldersAndNames) {
  EXPECT_EQ(Said(MakeDirectories(At("a/b/c"))), "ok");
  EXPECT_EQ(Said(MakeDirectories(At("a/b/c"))), "ok");  // they may exist
  EXPECT_EQ(Said(MakeDirectories("")), "ok");
  EXPECT_TRUE(fs::is_directory(At("a/b/c")));
  EXPECT_TRUE(WriteWholeFile(At("a/from"), "1").ok());
  EXPECT_EQ(Said(RenameFile(At("a/from"), At("a/to"))), "ok");
  EXPECT_FALSE(fs::exists(At("a/from")));
  EXPECT_EQ(Said(RemoveFile(At("a/to"))), "ok");
  EXPECT_FALSE(fs::exists(At("a/to")));
  struct Row {
    const char *path, *directory;
  };
  const Row rows[] = {{"", ""},   {"f", ""},      {"d/f", "d"},   {"/f", "/"},
                      {"/", "/"}, {"/a/b", "/a"}, {"a/b/", "a/b"}};
  for (const Row& row : rows) EXPECT_EQ(DirectoryOf(row.path), row.directory) << row.path;
}

TEST(FileError, CodesOfTheCLibrary) {
  struct Row {
    int error;
    const char* want;
  };
  const Row rows[] = {
      {ENOENT, "5: p; No such file or directory while x"},
      {EACCES, "7: p; Permission denied while x"},
      {EPERM, "7: p; Operation not permitted while x"},
      {EROFS, "7: p; Read-only file system while x"},
      {EEXIST, "6: p; File exists while x"},
      {ENOTDIR, "9: p; Not a directory while x"},
      {EISDIR, "9: p; Is a directory while x"},
      {ENOSPC, "8: p; No space left on device while x"},
      {ENAMETOOLONG, "3: p; File name too long while x"},
      {EIO, "2: p; Input/output error while x"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Show(FileError(row.error, "p", " while x")), row.want) << row.error;
}

}  // namespace
}  // namespace tensh
