#include "shell/numpy/npy.h"

#include <gtest/gtest.h>

#include "shell/numpy/types.h"
#include "shell/python/values/error.h"

namespace tensh::shell::np {
namespace {

Array Sample() {
  const int64_t dims[] = {2, 3};
  const Array a = Empty(TSH_FLOAT, dims);
  for (int64_t i = 0; i < 6; ++i) a.writable<float>()[i] = static_cast<float>(i) / 2;
  return a;
}

TEST(Npy, RoundTrip) {
  const Array b = DecodeNpy(EncodeNpy(Transposed(Sample())));
  EXPECT_EQ(b.dtype, TSH_FLOAT);
  EXPECT_EQ(ShapeText(b.dims()), "(3,2)");
  EXPECT_EQ(b.as<float>()[1], 1.5f);
}

TEST(Npy, TextRoundTrip) {
  const int64_t n = 2;
  const Array a = Empty(kDTypeUnicode, {&n, 1});
  a.SetString(0, "añ中😀");
  a.SetString(1, "");
  const Array b = DecodeNpy(EncodeNpy(a));
  EXPECT_EQ(b.string_at(0), "añ中😀");
  EXPECT_EQ(b.string_at(1), "");
}

TEST(Npy, DataStartsAt64) { EXPECT_EQ((EncodeNpy(Sample()).size() - 24) % 64, 0u); }

TEST(Npz, RoundTripStoredAndDeflated) {
  const Members members = {{"a.npy", EncodeNpy(Sample())}, {"b.npy", std::string(5000, 'x')}};
  for (bool compress : {false, true}) {
    const std::string zip = EncodeZip(members, compress);
    EXPECT_EQ(DecodeZip(zip), members);
    EXPECT_EQ(zip.size() < 2000, compress);
  }
}

// A file that is truncated or modified anywhere gives an error or the same data, but never a crash.
TEST(Npz, DamageIsAnError) {
  const std::string zip = EncodeZip({{"a.npy", EncodeNpy(Sample())}}, true);
  const std::string npy = EncodeNpy(Sample());
  int errors = 0;
  const auto attempt = [&](auto decode, const std::string& bytes) {
    try {
      decode(bytes);
    } catch (const PyError&) {
      ++errors;
    }
  };
  for (size_t i = 0; i < zip.size(); ++i) {
    std::string flipped = zip;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
    attempt([](const std::string& s) { DecodeZip(s); }, flipped);
    attempt([](const std::string& s) { DecodeZip(s); }, zip.substr(0, i));
  }
  for (size_t i = 0; i < npy.size(); ++i) {
    std::string flipped = npy;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x55);
    attempt([](const std::string& s) { DecodeNpy(s); }, flipped);
    attempt([](const std::string& s) { DecodeNpy(s); }, npy.substr(0, i));
  }
  EXPECT_GT(errors, static_cast<int>(zip.size() + npy.size()));
}

}  // namespace
}  // namespace tensh::shell::np
