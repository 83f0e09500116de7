// Records: after any truncation or change of a file, the records that are read are a prefix of
// those that were written.
#include "shell/text/records.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace tensh::shell {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs ReadBack(std::string_view text) {
  Pairs read;
  for (Record record; TakeRecord(&text, &record);) read.emplace_back(record.head, record.payload);
  return read;
}

Pairs SomeRecords() {
  std::mt19937 random(7);
  Pairs records = {{"cell 1", "a = 1"}, {"", ""}, {"end", "\n\n"}, {"cell 2", "x\n3 00000000\n"}};
  for (int i = 0; i < 20; ++i) {
    std::string payload(random() % 300, '\0');
    for (char& c : payload) c = static_cast<char>(random());
    records.emplace_back("cell " + std::to_string(i), payload);
  }
  return records;
}

std::string Packed(const Pairs& records) {
  std::string text;
  for (const auto& [head, payload] : records) text += PackRecord(head, payload);
  return text;
}

bool IsPrefix(const Pairs& part, const Pairs& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

TEST(Records, ReadAsTheyWereWritten) {
  const Pairs records = SomeRecords();
  EXPECT_EQ(ReadBack(Packed(records)), records);
}

TEST(Records, EveryCutIsAPrefix) {
  const Pairs records = SomeRecords();
  const std::string text = Packed(records);
  size_t before = 0;
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const Pairs read = ReadBack(std::string_view(text).substr(0, cut));
    ASSERT_TRUE(IsPrefix(read, records)) << cut;
    ASSERT_GE(read.size(), before) << cut;
    before = read.size();
  }
  EXPECT_EQ(before, records.size());
}

TEST(Records, EveryChangedByteIsNoticed) {
  const Pairs records = {{"cell 1", "first"}, {"cell 2", "second\nline"}, {"cell 3", "third"}};
  const std::string text = Packed(records);
  for (size_t at = 0; at < text.size(); ++at) {
    for (const int bit : {1, 4, 128}) {
      std::string changed = text;
      changed[at] = static_cast<char>(changed[at] ^ bit);
      const Pairs read = ReadBack(changed);
      EXPECT_LT(read.size(), records.size()) << at;
      EXPECT_TRUE(IsPrefix(read, records)) << at;
    }
  }
}

TEST(Records, HugeLengthsAreRefused) {
  for (const char* text : {"cell 18446744073709551615 00000000\nx\n", "cell -1 00000000\n\n",
                           "cell 99999999999999999999 0\n", "cell 1\nx\n", "\n", " \n", "a b c\n"})
    EXPECT_TRUE(ReadBack(text).empty()) << text;
  EXPECT_TRUE(ReadBack(std::string(5000, 'x')).empty());
}

}  // namespace
}  // namespace tensh::shell
