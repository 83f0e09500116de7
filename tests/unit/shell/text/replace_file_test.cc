#include "shell/text/replace_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tensh::shell {
namespace {

namespace fs = std::filesystem;

class ReplaceFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / "replaceXXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string At(const std::string& name) const { return folder_ + "/" + name; }
  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The number of files in the folder, temporary ones included.
  size_t Count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

  std::string folder_;
};

TEST_F(ReplaceFile, ContentsAreReplacedOnlyByCommit) {
  ASSERT_EQ(ReplaceFileContents(At("f"), "old"), 0);
  {
    FileReplacement file(At("f"));
    ASSERT_EQ(file.Open(), 0);
    ASSERT_EQ(file.Write("ne"), 0);
    EXPECT_EQ(Read(At("f")), "old");
    EXPECT_EQ(Count(), 2u);
  }
  EXPECT_EQ(Read(At("f")), "old");
  EXPECT_EQ(Count(), 1u);
  ASSERT_EQ(ReplaceFileContents(At("f"), "new"), 0);
  EXPECT_EQ(Read(At("f")), "new");
  EXPECT_EQ(Count(), 1u);
}

TEST_F(ReplaceFile, LinksPermissionsAndDevicesAreKept) {
  ASSERT_EQ(ReplaceFileContents(At("f"), "old"), 0);
  ASSERT_EQ(::chmod(At("f").c_str(), 0640), 0);
  fs::create_symlink("f", At("link"));
  ASSERT_EQ(ReplaceFileContents(At("link"), "new"), 0);
  EXPECT_TRUE(fs::is_symlink(At("link")));
  EXPECT_EQ(Read(At("f")), "new");
  struct stat found {};
  ASSERT_EQ(::stat(At("f").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0640u);
  EXPECT_EQ(ReplaceFileContents("/dev/null", "gone"), 0);
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
}

TEST_F(ReplaceFile, ErrorsAreThoseOfTheSystem) {
  EXPECT_EQ(ReplaceFileContents(At("no/f"), "x"), ENOENT);
  EXPECT_EQ(ReplaceFileContents(folder_, "x"), EISDIR);
  fs::create_symlink("loop", At("loop"));
  EXPECT_EQ(ReplaceFileContents(At("loop"), "x"), ELOOP);
}

TEST_F(ReplaceFile, FoldersChangePlaces) {
  bool swapped = true;
  fs::create_directory(At("new"));
  ASSERT_EQ(ReplaceFileContents(At("new/f"), "1"), 0);
  ASSERT_EQ(ReplaceFolder(At("new"), At("model"), &swapped), 0);
  EXPECT_FALSE(swapped);
  fs::create_directory(At("new"));
  ASSERT_EQ(ReplaceFileContents(At("new/f"), "2"), 0);
  ASSERT_EQ(ReplaceFolder(At("new"), At("model"), &swapped), 0);
  EXPECT_TRUE(swapped);
  EXPECT_EQ(Read(At("model/f")), "2");
  EXPECT_EQ(Read(At("new/f")), "1");
  EXPECT_NE(ReplaceFolder(At("none"), At("model"), &swapped), 0);
}

}  // namespace
}  // namespace tensh::shell
