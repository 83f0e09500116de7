// The protocol-buffer encoding and CRC-32C, as bytes in hexadecimal. The first messages are those
// of the encoding's documentation.
#include "runtime/base/wire.h"

#include <gtest/gtest.h>

#include "tests/unit/core/rows.h"

namespace tensh {
namespace {

using test::FromHex;
using test::Hex;

TEST(Wire, Varints) {
  struct Row {
    uint64_t value;
    const char* bytes;
  };
  const Row rows[] = {
      {0, "00"},
      {1, "01"},
      {127, "7f"},
      {128, "8001"},
      {150, "9601"},
      {300, "ac02"},
      {16383, "ff7f"},
      {16384, "808001"},
      {uint64_t{1} << 32, "8080808010"},
      {uint64_t{1} << 63, "80808080808080808001"},
      {UINT64_MAX, "ffffffffffffffffff01"},
  };
  for (const Row& row : rows) {
    std::string bytes;
    AppendVarint(bytes, row.value);
    EXPECT_EQ(Hex(bytes), row.bytes) << row.value;
    bytes += "rest";
    std::string_view in = bytes;
    uint64_t back = 0;
    EXPECT_TRUE(TakeVarint(in, back)) << row.value;
    EXPECT_EQ(back, row.value);
    EXPECT_EQ(in, "rest") << row.value;
    for (size_t n = 0; n + 4 < bytes.size(); ++n) {
      std::string_view cut(bytes.data(), n);
      EXPECT_FALSE(TakeVarint(cut, back)) << row.bytes << " cut to " << n;
    }
  }
  std::string_view endless = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01";
  uint64_t v;
  EXPECT_FALSE(TakeVarint(endless, v));
}

TEST(Wire, FixedNumbersAreLittleEndian) {
  std::string bytes;
  AppendFixed32(bytes, 0x12345678);
  AppendFixed64(bytes, 0x0123456789abcdef);
  EXPECT_EQ(Hex(bytes), "78563412efcdab8967452301");
  EXPECT_EQ(LoadFixed32(bytes.data()), 0x12345678u);
  EXPECT_EQ(LoadFixed64(bytes.data() + 4), 0x0123456789abcdefu);
}

// The examples of RFC 3720, B.4, and the check value of the catalogue of CRCs.
TEST(Wire, Crc32c) {
  std::string up, down;
  for (int i = 0; i < 32; ++i) {
    up += static_cast<char>(i);
    down += static_cast<char>(31 - i);
  }
  struct Row {
    std::string data;
    uint32_t crc;
  };
  const Row rows[] = {{"", 0},
                      {"123456789", 0xe3069283},
                      {std::string(32, '\0'), 0x8a9136aa},
                      {std::string(32, '\xff'), 0x62a8ab43},
                      {up, 0x46dd794e},
                      {down, 0x113fdb5c}};
  for (const Row& row : rows) {
    EXPECT_EQ(Crc32c(row.data), row.crc) << Hex(row.data);
    for (size_t n = 0; n <= row.data.size(); ++n)
      EXPECT_EQ(Crc32c(row.data.substr(n), Crc32c(row.data.substr(0, n))), row.crc)
          << Hex(row.data) << " in two pieces, from " << n;
  }
  EXPECT_EQ(MaskCrc(0), 0xa282ead8u);
  EXPECT_EQ(MaskCrc(1), 0xa284ead8u);  // rotated by 15 to the right
  EXPECT_EQ(MaskedCrc32c("123456789"), MaskCrc(0xe3069283));
}

// Sizes around the ranges that are computed together.
TEST(Wire, Crc32cOfLongDataAndInParts) {
  std::string data;
  for (uint32_t i = 0; i < 100000; ++i) data += static_cast<char>(i * 2654435761u >> 24);
  for (size_t size : {7u, 8u, 4096u, 24575u, 24576u, 24577u, 24583u, 49152u, 99997u}) {
    const std::string_view part = std::string_view(data).substr(3, size);
    EXPECT_EQ(Crc32c(part), Crc32cByTables(part)) << size;
    EXPECT_EQ(Crc32c(part, 77), Crc32cByTables(part, 77)) << size;
    for (size_t n : {size_t{0}, size_t{1}, size / 3, size}) {
      EXPECT_EQ(JoinCrc32c(Crc32c(part.substr(0, n)), Crc32c(part.substr(n)), size - n),
                Crc32c(part))
          << size << " from " << n;
    }
  }
}

TEST(Wire, WriterOmitsDefaults) {
  WireWriter out;
  out.Int(1, 150);
  out.Bytes(2, "testing");
  EXPECT_EQ(Hex(out.text()), "089601120774657374696e67");
  WireWriter none;
  none.Int(1, 0);
  none.Bool(2, false);
  none.Float(3, 0);
  none.Bytes(4, "");
  EXPECT_EQ(none.text(), "");
  WireWriter all;
  all.AlwaysInt(1, 0);
  all.Bool(2, true);
  all.AlwaysFloat(3, 1);
  all.AlwaysDouble(4, -2);
  all.Fixed32(5, 7);
  all.AlwaysBytes(6, "");
  all.Int(16, -1);
  EXPECT_EQ(Hex(all.Take()),
            "0800"
            "1001"
            "1d0000803f"
            "2100000000000000c0"
            "2d07000000"
            "3200"
            "8001ffffffffffffffffff01");
}

// Returns the fields of a message: "1=150 2='testing' 3=#7 4=##7 bad".
std::string Fields(const std::string& message) {
  WireReader in(message);
  std::string text;
  while (in.Next()) {
    text += (text.empty() ? "" : " ") + std::to_string(in.field()) + "=";
    if (in.is_bytes())
      text += "'" + in.text() + "'";
    else if (in.fixed32())
      text += "#" + std::to_string(in.fixed32());
    else if (in.fixed64())
      text += "##" + std::to_string(in.fixed64());
    else
      text += std::to_string(in.integer());
  }
  if (!in.ok()) text += text.empty() ? "bad" : " bad";
  EXPECT_FALSE(in.Next());
  return text;
}

TEST(Wire, Reader) {
  struct Row {
    const char *bytes, *want;
  };
  const Row rows[] = {
      {"", ""},
      {"08 9601", "1=150"},
      {"12 07 74657374696e67", "2='testing'"},
      {"12 00 08 00", "2='' 1=0"},
      {"08 ffffffffffffffffff01", "1=-1"},
      {"1d 07000000", "3=#7"},
      {"21 0700000000000000", "4=##7"},
      {"8001 05", "16=5"},
      {"f8ffffff0f 01", "536870911=1"},  // the largest field number
      {"80", "bad"},                     // half a tag
      {"08", "bad"},                     // no value
      {"08 80", "bad"},
      {"12 05 61", "bad"},  // fewer bytes than announced
      {"12 ffffffffffffffffff01 61", "bad"},
      {"12", "bad"},
      {"1d 070000", "bad"},
      {"21 07000000000000", "bad"},
      {"0b 0c", "bad"},  // groups are not supported
      {"0e 00", "bad"},  // no such wire type
      {"0f 00", "bad"},
      {"08 01 12 05 61", "1=1 bad"},
  };
  for (const Row& row : rows) EXPECT_EQ(Fields(FromHex(row.bytes)), row.want) << row.bytes;
}

TEST(Wire, AValueOfAnotherTypeIsZero) {
  const std::string message = FromHex("1d 0000803f 08 05 12 01 78 21 000000000000f0bf");
  WireReader in(message);
  ASSERT_TRUE(in.Next());
  EXPECT_EQ(in.as_float(), 1.0f);
  EXPECT_EQ(in.varint(), 0u);
  EXPECT_EQ(in.fixed64(), 0u);
  EXPECT_EQ(in.bytes(), "");
  ASSERT_TRUE(in.Next());
  EXPECT_EQ(in.varint(), 5u);
  EXPECT_EQ(in.as_float(), 0.0f);
  EXPECT_EQ(in.as_double(), 0.0);
  ASSERT_TRUE(in.Next());
  EXPECT_EQ(in.bytes(), "x");
  EXPECT_EQ(in.varint(), 0u);
  ASSERT_TRUE(in.Next());
  EXPECT_EQ(in.as_double(), -1.0);
  EXPECT_EQ(in.fixed32(), 0u);
}

}  // namespace
}  // namespace tensh
