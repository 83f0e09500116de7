// Responses of RecvTensor as buffers: round trips and malformed bytes.
#include "runtime/dist/wire/tensor_buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tensorflow_wire.pb.h"

namespace tensh::dist {
namespace {

TensorPtr Floats(std::vector<int64_t> dims) {
  Said said;
  TensorPtr t(tsh_tensor_new(TSH_FLOAT, dims.data(), static_cast<int>(dims.size()), said));
  auto* data = static_cast<float*>(tsh_tensor_data(t.get()));
  for (int64_t i = 0; i < tsh_tensor_elements(t.get()); ++i) data[i] = static_cast<float>(i);
  return t;
}

std::string Bytes(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  (void)buffer.Dump(&slices);
  std::string all;
  for (const auto& s : slices) all.append(reinterpret_cast<const char*>(s.begin()), s.size());
  return all;
}

grpc::ByteBuffer Buffer(const std::string& bytes, size_t piece = SIZE_MAX) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at))
    slices.emplace_back(bytes.substr(at, piece));
  return grpc::ByteBuffer(slices.data(), slices.size());
}

TEST(TensorBufferTest, ThereAndBack) {
  const std::vector<std::vector<int64_t>> shapes{{}, {0, 3}, {7}, {40, 50}, {1, 1, 2, 1}};
  for (const auto& dims : shapes) {
    const TensorPtr sent = Floats(dims);
    grpc::ByteBuffer buffer;
    ASSERT_TRUE(EncodeReceived(TensorPtr(tsh_tensor_ref(sent.get())), &buffer).ok());
    for (const size_t piece : {SIZE_MAX, size_t{13}}) {
      grpc::ByteBuffer cut = Buffer(Bytes(buffer), piece);
      TensorPtr got;
      ASSERT_TRUE(DecodeReceived(&cut, &got).ok());
      ASSERT_TRUE(got);
      ASSERT_EQ(tsh_tensor_rank(got.get()), static_cast<int>(dims.size()));
      ASSERT_EQ(tsh_tensor_elements(got.get()), tsh_tensor_elements(sent.get()));
      const size_t bytes = static_cast<size_t>(tsh_tensor_elements(sent.get())) * sizeof(float);
      if (bytes > 0) {
        EXPECT_EQ(std::memcmp(tsh_tensor_data(got.get()), tsh_tensor_data(sent.get()), bytes), 0);
      }
    }
  }
}

// A large tensor is not copied; the buffer holds a reference.
TEST(TensorBufferTest, LargeOnesAreShared) {
  const TensorPtr sent = Floats({1000});
  grpc::ByteBuffer buffer;
  ASSERT_TRUE(EncodeReceived(TensorPtr(tsh_tensor_ref(sent.get())), &buffer).ok());
  EXPECT_FALSE(tsh_tensor_unique(sent.get()));
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(buffer.Dump(&slices).ok());
  EXPECT_EQ(static_cast<const void*>(slices.back().begin()), tsh_tensor_data(sent.get()));
  slices.clear();
  buffer.Clear();
  EXPECT_TRUE(tsh_tensor_unique(sent.get()));
}

TEST(TensorBufferTest, DeadOnes) {
  grpc::ByteBuffer buffer;
  ASSERT_TRUE(EncodeReceived(nullptr, &buffer).ok());
  TensorPtr got = Floats({1});
  ASSERT_TRUE(DecodeReceived(&buffer, &got).ok());
  EXPECT_FALSE(got);
}

TEST(TensorBufferTest, Strings) {
  Said said;
  const int64_t dims[] = {2};
  TensorPtr sent(tsh_tensor_new(TSH_STRING, dims, 1, said));
  tsh_tensor_set_string(sent.get(), 0, "a\0b", 3);
  grpc::ByteBuffer buffer;
  ASSERT_TRUE(EncodeReceived(std::move(sent), &buffer).ok());
  TensorPtr got;
  ASSERT_TRUE(DecodeReceived(&buffer, &got).ok());
  size_t length = 0;
  const char* text = tsh_tensor_string(got.get(), 0, &length);
  EXPECT_EQ(std::string(text, length), std::string("a\0b", 3));
}

// Any other encoding of a tensor is accepted too.
TEST(TensorBufferTest, AnyForm) {
  tensorflow::RecvTensorResponse response;
  response.set_tensor(
      // the value 2, three times
      std::string("\x08\x01\x12\x04\x12\x02\x08\x03\x2d\0\0\0\x40", 13));
  grpc::ByteBuffer buffer = Buffer(response.SerializeAsString());
  TensorPtr got;
  ASSERT_TRUE(DecodeReceived(&buffer, &got).ok());
  ASSERT_EQ(tsh_tensor_elements(got.get()), 3);
  EXPECT_EQ(static_cast<const float*>(tsh_tensor_data(got.get()))[2], 2.f);
}

TEST(TensorBufferTest, BytesNobodyMeant) {
  const TensorPtr sent = Floats({3, 5});
  grpc::ByteBuffer buffer;
  ASSERT_TRUE(EncodeReceived(TensorPtr(tsh_tensor_ref(sent.get())), &buffer).ok());
  const std::string good = Bytes(buffer);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    for (unsigned n = random() % 3 + 1; n > 0; --n) {
      const size_t at = random() % bad.size();
      if (random() % 3 == 0)
        bad.erase(at, random() % 4);
      else
        bad[at] = static_cast<char>(random());
      if (bad.empty()) break;
    }
    grpc::ByteBuffer cut = Buffer(bad, random() % 7 + 1);
    TensorPtr got;
    (void)DecodeReceived(&cut, &got);
  }
}

}  // namespace
}  // namespace tensh::dist
