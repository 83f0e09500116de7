// Compression by zlib: every kind of header, damaged input and limits.
#include "shell/text/deflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace tensh::shell {
namespace {

TEST(Deflate, RoundTripWithEveryHeader) {
  const std::string data = std::string(1000, 'a') + std::string("\0end", 4);
  for (const int window : {15, 9, -15, 31}) {
    std::string packed;
    ASSERT_TRUE(Deflate(data, 6, window, &packed)) << window;
    EXPECT_LT(packed.size(), 60u) << window;
    const Inflated back = Inflate(packed + "tail", window, 2000, [] {});
    EXPECT_EQ(back.code, Z_STREAM_END) << window;
    EXPECT_EQ(back.data, data) << window;
    EXPECT_EQ(back.taken, packed.size()) << window;
  }
}

TEST(Deflate, EdgeCases) {
  std::string packed;
  ASSERT_TRUE(Deflate("", -1, 15, &packed));
  EXPECT_EQ(packed, std::string("\x78\x9c\x03\x00\x00\x00\x00\x01", 8));
  EXPECT_EQ(Inflate(packed, 47, 10, [] {}).code, Z_STREAM_END) << "the header is detected";
  EXPECT_FALSE(Deflate("a", 10, 15, &packed));
  EXPECT_FALSE(Deflate("a", 6, 99, &packed));
  ASSERT_TRUE(Deflate(std::string(1000, 'b'), 0, 15, &packed));
  EXPECT_GT(packed.size(), 1000u) << "level 0 stores";
}

TEST(Inflate, Refuses) {
  std::string packed;
  ASSERT_TRUE(Deflate(std::string(1000, 'c'), 9, 15, &packed));
  EXPECT_EQ(Inflate(packed, 15, 999, [] {}).code, Z_BUF_ERROR) << "more than allowed";
  EXPECT_EQ(Inflate(packed.substr(0, packed.size() - 2), 15, 2000, [] {}).code, Z_BUF_ERROR);
  const Inflated wrong = Inflate("not zlib", 15, 10, [] {});
  EXPECT_EQ(wrong.code, Z_DATA_ERROR);
  EXPECT_EQ(wrong.message, "incorrect header check");
  packed.back() = static_cast<char>(packed.back() ^ 1);
  EXPECT_EQ(Inflate(packed, 15, 2000, [] {}).message, "incorrect data check");
}

}  // namespace
}  // namespace tensh::shell
