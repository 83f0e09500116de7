// TensorProto and TensorShapeProto: encoded bytes, every form that TensorFlow writes, and messages
// that must be refused. Bytes are in hexadecimal.
#include "runtime/core/tensor_message.h"

#include <gtest/gtest.h>

#include "runtime/base/wire.h"
#include "runtime/core/half.h"
#include "runtime/core/variant.h"
#include "tests/unit/core/rows.h"
#include "tests/unit/ops/kernel_harness.h"

namespace tensh {
namespace {

using test::B;
using test::D;
using test::F;
using test::FromHex;
using test::Hex;
using test::I;
using test::L;
using test::Make;
using test::S;
using test::ShapeOf;
using test::Show;

TEST(ShapeMessage, Encoded) {
  struct Row {
    const char *shape, *bytes;
  };
  const Row rows[] = {
      {"[]", ""},
      {"[2]", "1202 0802"},
      {"[0]", "1200"},
      {"[2,300]", "1202 0802 1203 08ac02"},
      {"[?]", "120b 08ffffffffffffffffff01"},
      {"<unknown>", "1801"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Hex(EncodeShape(ShapeOf(row.shape))), Hex(FromHex(row.bytes))) << row.shape;
    EXPECT_EQ(Show(DecodeShape(FromHex(row.bytes))), row.shape) << row.bytes;
  }
}

// A large tensor of equal elements shares its pages. It is encoded as one value, until it changes.
TEST(TensorMessage, EqualElements) {
  // 2^21 elements, the value 2.5
  Result<Tensor> tensor = DecodeTensor(FromHex("0801 1207 1205 0880808001 2d 00002040"));
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->num_elements(), 1 << 21);
  for (int64_t i : {0, 1, 1023, 262144, (1 << 21) - 1})
    EXPECT_EQ(tensor->data<float>()[i], 2.5f) << i;
  EXPECT_LT(EncodeTensor(*tensor).Join().size(), 100u);
  const Tensor copy = tensor->DeepCopy();
  copy.data<float>()[7] = 1;
  EXPECT_EQ(tensor->data<float>()[7], 2.5f);
  EXPECT_GT(EncodeTensor(copy).Join().size(), size_t{1} << 22);
  tensor->data<float>()[9] = 1;
  EXPECT_EQ(tensor->data<float>()[10], 2.5f);
  EXPECT_GT(EncodeTensor(*tensor).Join().size(), size_t{1} << 22);
}

TEST(ShapeMessage, Decoded) {
  struct Row {
    const char *bytes, *want;
  };
  const Row rows[] = {
      {"1207 0803 1203 726f77", "[3]"},  // a dimension with a name
      {"1203 080308", "3: a shape of the message cannot be read"},
      {"12", "3: a shape of the message cannot be read"},
      {"120b 08feffffffffffffffff01", "3: a shape has the dimension -2"},
      {"1800", "[]"},
      {"1202 0802 1801", "<unknown>"},
      {"1200 1200 1200 1200 1200 1200 1200 1200", "[0,0,0,0,0,0,0,0]"},
      {"1200 1200 1200 1200 1200 1200 1200 1200 1200", "[0,0,0,0,0,0,0,0,0]"},
      {"120b 08ffffffffffffffff7f", "3: a shape of the message cannot be read"},
      {"120a 08ffffffffffffffff7f", "3: Shape would have more than 2**62 elements"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Show(DecodeShape(FromHex(row.bytes))), row.want) << row.bytes;
}

TEST(ShapeMessage, OfTheHighestRank) {
  std::string bytes;
  for (int i = 0; i < 254; ++i) bytes += FromHex(i == 200 ? "1202 0802" : "1202 0801");
  const Result<Shape> shape = DecodeShape(bytes);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->rank(), 254);
  EXPECT_EQ((*shape)[200], 2);
  EXPECT_EQ(EncodeShape(*shape), bytes);
  EXPECT_EQ(Show(DecodeShape(bytes + FromHex("1202 0801"))),
            "3: rank 255 is not supported; tensh supports ranks 0 to 254");
}

TEST(TensorMessage, Encoded) {
  struct Row {
    Tensor tensor;
    const char* bytes;
  };
  const Row rows[] = {
      {F({}, {1}), "0801 1200 2d0000803f"},
      {F({1}, {0}), "0801 1204 1202 0801 2d00000000"},
      {D({}, {-2}), "0802 1200 3100000000000000c0"},
      {I({}, {-1}), "0803 1200 38ffffffffffffffffff01"},
      {L({}, {5}), "0809 1200 5005"},
      {B({}, {true}), "080a 1200 5801"},
      {Make<uint8_t>({}, {255}), "0804 1200 38ff01"},
      {I({2}, {1, 2}), "0803 1204 1202 0802 2208 0100000002000000"},
      {F({0}, {}), "0801 1202 1200"},
      {S({2}, {"ab", ""}), "0807 1204 1202 0802 4202 6162 4200"},
      {Make<uint32_t>({}, {7}), "0816 1200 2204 07000000"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Hex(EncodeTensor(row.tensor).Join()), Hex(FromHex(row.bytes)))
        << test::Text(row.tensor);
}

TEST(TensorMessage, Content) {
  EXPECT_EQ(Hex(*ContentMessage(S({2}, {"ab", "c"}))),
            Hex(FromHex("0807 1204 1202 0802 2205 0201 616263")));
  EXPECT_EQ(Hex(*ContentMessage(I({}, {5}))), Hex(FromHex("0803 1200 2204 05000000")));
  EXPECT_EQ(Show(ContentMessage(*Tensor::Make(DType::kResource, {})).status()),
            "12: a tensor of type resource has no message");
}

// The elements of variants are messages of their own. A value whose type is not known here, such as
// TensorFlow's int, is written as it was read.
TEST(TensorMessage, Variants) {
  const std::string one = "7a0b 0a03696e74 1204 01000000";  // the int 1
  const std::string values[] = {
      "0815 1200 " + one, "0815 1204 1202 0802 " + one + " 7a00",
      "0815 1200 7a1e 0a0178 1a19 0815 1200 7a13 0a0179 1a06 0803 1200 3805 1a06 0807 1200 4200"};
  for (const std::string& bytes : values)
    EXPECT_EQ(Hex(TryEncodeTensor(*DecodeTensor(FromHex(bytes)))->Join()), Hex(FromHex(bytes)));
  // The form of TensorFlow's SerializeTensor and RecvTensor.
  EXPECT_EQ(Hex(EncodeTensor(*DecodeTensor(FromHex("0815 1200 220c 0b 0a03696e74 1204 01000000")))
                    .Join()),
            Hex(FromHex("0815 1200 " + one)));
  const auto zeros = DecodeTensor(FromHex("0815 1200 " + one))->data<Variant>()->value->Zeros();
  EXPECT_EQ(Hex(EncodeTensor(VariantTensor(*zeros)).Join()),
            Hex(FromHex("0815 1200 7a0b 0a03696e74 1204 00000000")));
}

std::string Nested(int levels) {
  WireWriter tensor;
  tensor.Int(1, 21);
  if (levels > 0) {
    WireWriter variant;
    variant.Bytes(1, "list");
    variant.AlwaysBytes(3, Nested(levels - 1));
    tensor.AlwaysBytes(15, variant.text());
  }
  return tensor.Take();
}

TEST(TensorMessage, VariantsThatAreRefused) {
  EXPECT_TRUE(DecodeTensor(Nested(39)).ok());
  for (int levels : {40, 1000})
    EXPECT_EQ(Show(DecodeTensor(Nested(levels)).status()),
              "8: variants are nested more than 40 levels deep");
  // A list of 2^20 empty strings, of which none is in the message
  EXPECT_EQ(Show(DecodeTensor(FromHex("0815 7a0f 0a0178 1a0a 0807 1206 1204 08808040")).status()),
            "8: a message of a variant requests too many elements");
  EXPECT_EQ(Show(DecodeTensor(FromHex("0815 1200 7a03 1aff01")).status()),
            "3: a variant of the message cannot be read");
  EXPECT_EQ(Show(DecodeTensor(FromHex("0815 1204 1202 0802 2202 0b0b")).status()),
            "3: tensor_content of the message cannot be read");
}

// A list that contains itself twice at each level would take 2^39 messages.
TEST(TensorMessage, VariantsThatShareTheirValues) {
  Tensor list = *DecodeTensor(Nested(0));
  struct Twice : VariantValue {
    std::vector<Tensor> items;
    const char* kind() const override { return "Twice"; }
    Result<VariantFields> Fields() const override { return VariantFields{"Twice", "", items}; }
  };
  for (int level = 0; level < 39; ++level) {
    auto next = std::make_shared<Twice>();
    next->items = {list, list};
    list = VariantTensor(std::move(next));
  }
  EXPECT_EQ(TryEncodeTensor(list).status().code(), Code::kResourceExhausted);
}

std::string Decoded(const std::string& bytes) {
  const Result<Tensor> tensor = DecodeTensor(bytes);
  return tensor.ok() ? test::Text(*tensor) : Show(tensor.status());
}

TEST(TensorMessage, EveryFormIsRead) {
  struct Row {
    const char *bytes, *want;
  };
  const Row rows[] = {
      {"0801 1200 2a04 0000803f", "f32[] 1"},  // packed, as TensorFlow's Python writes it
      {"0801 1204 1202 0803 2a08 0000803f 00000040", "f32[3] 1 2 2"},  // the last one repeats
      {"0801 1204 1202 0803 2d 0000803f 2d 00000040", "f32[3] 1 2 2"},
      {"0803 1204 1202 0802 3803 3804", "i32[2] 3 4"},
      {"0803 1204 1202 0802 3a02 0304", "i32[2] 3 4"},
      {"0803 1204 1202 0802 3803 3804 3805", "i32[2] 3 4"},  // one too many
      {"0803 1204 1202 0802", "i32[2] 0 0"},                 // no value means zeros
      {"0801", "f32[] 0"},
      {"3803 0803", "i32[] 3"},         // the type follows the value
      {"0803 2d 0000803f", "i32[] 0"},  // a value of another type is ignored
      {"0807 1204 1202 0803 4201 61 4201 62", "str[3] a b b"},
      {"0807 1204 1202 0802 2205 0201 616263", "str[2] ab c"},
      {"0807 1204 1202 0802", "str[2]  "},
      {"080a 1204 1202 0802 2202 0200", "bool[2] 1 0"},  // every byte becomes 0 or 1
      {"0804 1200 38ff01", "u8[] 255"},
      {"0806 1200 38ffffffffffffffffff01", "i8[] -1"},
      {"0816 1200 8001 07", "u32[] 7"},
      {"0801 1202 1200", "f32[0]"},
  };
  for (const Row& row : rows) EXPECT_EQ(Decoded(FromHex(row.bytes)), row.want) << row.bytes;
}

TEST(TensorMessage, SmallTypes) {
  // float8_val is a string of bytes, and the values of int4 are in int_val.
  const Tensor float8 = *DecodeTensor(FromHex("0818 1204 1202 0803 9201 02 3cc1"));
  EXPECT_EQ(Hex({static_cast<const char*>(float8.raw()), 3}), "3cc1c1");
  const Tensor int4 = *DecodeTensor(FromHex("081d 1204 1202 0802 3807 38ffffffffffffffffff01"));
  EXPECT_EQ(Hex({static_cast<const char*>(int4.raw()), 2}), "07ff");
}

TEST(TensorMessage, HalvesAndComplexNumbers) {
  const Tensor half = *DecodeTensor(FromHex("0813 1204 1202 0802 6a03 8078 00"));
  EXPECT_EQ(half.data<Half>()[0].bits, 0x3c00);  // half_val is a list of ints
  EXPECT_EQ(half.data<Half>()[1].bits, 0);
  const Tensor c64 = *DecodeTensor(
      FromHex("0808 1204 1202 0802 4a08 0000803f 00000040"));  // (1 + 2j), which repeats
  for (const auto& z : c64.flat<std::complex<float>>()) EXPECT_EQ(z, std::complex<float>(1, 2));
  const Tensor c128 = *DecodeTensor(FromHex("0812 1200 6210 000000000000f03f 00000000000000c0"));
  EXPECT_EQ(*c128.data<std::complex<double>>(), std::complex<double>(1, -2));
}

TEST(TensorMessage, Refused) {
  struct Row {
    const char *bytes, *want;
  };
  const Row rows[] = {
      {"", "12: a tensor of data type 0 cannot be read here"},
      {"0814", "12: a tensor of data type 20 cannot be read here"},  // a resource
      {"081a", "12: a tensor of data type 26 cannot be read here"},  // float8_e4m3fnuz
      {"0865", "12: a tensor of data type 101 cannot be read here"},
      {"088102", "12: a tensor of data type 257 cannot be read here"},  // 1 in the low byte
      {"0801 12", "3: a tensor of the message cannot be read"},
      {"0801 1202 1801", "3: the shape of a tensor is not fully known"},
      {"0801 120d 120b 08ffffffffffffffffff01", "3: the shape of a tensor is not fully known"},
      {"0801 1204 1202 0802 2207 00000000000000",
       "3: tensor_content has 7 bytes; 2 elements of float32 have 8"},
      {"0801 2a03 000000", "3: the values of the message cannot be read"},
      {"0803 3a01 80", "3: the values of the message cannot be read"},
      {"3803 2d 0000803f 0803", "3: the values of the message cannot be read"},  // two lists
      {"0807 1204 1202 0802 2201 05", "3: tensor_content of the message cannot be read"},
      {"0807 1204 1202 0802 2203 0202 61", "3: tensor_content of the message cannot be read"},
      // A few bytes that request 2^33 floats.
      {"0801 1208 1206 088080808020",
       "8: a message of 12 bytes requests a tensor of 8589934592 elements"},
      {"0807 120b 1209 08ffffffffffffff3f",
       "8: a message of 15 bytes requests a tensor of 36028797018963967 elements"},
  };
  for (const Row& row : rows) EXPECT_EQ(Decoded(FromHex(row.bytes)), row.want) << row.bytes;
}

// Tensors of every type, with a pattern of bytes as elements.
std::vector<Tensor> Samples() {
  std::vector<Tensor> samples = {S({}, {"x"}), S({2, 1}, {"", std::string(200, 'y')}), S({0}, {})};
  for (int number = 1; number < 24; ++number) {
    const auto type = static_cast<DType>(number);
    if (!IsPod(type) || SizeOf(type) == 0) continue;
    for (const char* shape : {"[]", "[1]", "[3]", "[2,2]", "[0]", "[2,0]"}) {
      Tensor t = *Tensor::Make(type, ShapeOf(shape));
      auto* bytes = static_cast<unsigned char*>(t.raw());
      for (int64_t i = 0; i < t.bytes(); ++i)
        bytes[i] = static_cast<unsigned char>(type == DType::kBool ? i % 2 : 37 * i + 251);
      samples.push_back(std::move(t));
    }
  }
  return samples;
}

bool Same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.dtype() == DType::kString)
    return std::equal(a.flat<std::string>().begin(), a.flat<std::string>().end(),
                      b.flat<std::string>().begin());
  return std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0;
}

TEST(TensorMessage, ComesBackInBothForms) {
  for (const Tensor& t : Samples()) {
    for (const std::string& message : {EncodeTensor(t).Join(), *ContentMessage(t)}) {
      const Result<Tensor> back = DecodeTensor(message);
      ASSERT_TRUE(back.ok()) << test::Text(t) << Show(back.status());
      EXPECT_TRUE(Same(t, *back)) << test::Text(t) << " " << Hex(message);
    }
  }
}

// A message that ends early is refused, or it ends between two fields and is a shorter message.
TEST(TensorMessage, CutAnywhereItNeverReadsPastItsEnd) {
  for (const Tensor& t : Samples()) {
    const std::string message = EncodeTensor(t).Join();
    for (size_t n = 0; n < message.size(); ++n) {
      // A copy of the exact size, so that a sanitizer reports a read beyond its end.
      const std::vector<char> cut(message.begin(), message.begin() + static_cast<ptrdiff_t>(n));
      const Result<Tensor> got = DecodeTensor({cut.data(), cut.size()});
      if (got.ok())
        EXPECT_EQ(got->dtype(), t.dtype()) << Hex(message) << " cut to " << n;
      else
        EXPECT_TRUE(got.status().code() == Code::kInvalidArgument ||
                    got.status().code() == Code::kUnimplemented)
            << Show(got.status());
    }
  }
}

}  // namespace
}  // namespace tensh
