#include "shell/commands/base/value_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "shell/text/json.h"

namespace tensh::shell {
namespace {

template <class T>
TensorHandle Tensor(int dtype, std::vector<int64_t> dims, const std::vector<T>& values) {
  TensorHandle tensor = TensorHandle::Make(dtype, Dims(dims.data(), dims.size()));
  std::copy(values.begin(), values.end(), tensor.data<T>());
  return tensor;
}

Json Parsed(const TensorHandle& tensor, size_t slice = 0) {
  bool ok = false;
  Json json = Json::Parse(TensorJson(tensor, 1, slice), &ok);
  EXPECT_TRUE(ok);
  return json;
}

std::string Data(const Json& value) { return value["cells"]["data"].Dump(); }

TEST(TensorJson, AMatrixHasCellsAndStatistics) {
  const Json value = Parsed(Tensor<float>(TSH_FLOAT, {2, 3}, {0, 1, 2, NAN, 4, -INFINITY}));
  EXPECT_EQ(value["type"].as_string(), "f32[2,3]");
  EXPECT_EQ(value["nan"].as_int(), 1);
  EXPECT_EQ(value["inf"].as_int(), 1);
  EXPECT_EQ(value["zeros"].as_int(), 1);
  EXPECT_EQ(value["max"].as_int(), 4);
  EXPECT_EQ(value["mean"].as_float(), 1.75);
  EXPECT_EQ(Data(value), R"([0, 1, 2, "nan", 4, "-inf"])");
  int64_t counted = 0;
  for (const Json& bin : value["histogram"].items()) counted += bin.as_int();
  EXPECT_EQ(counted, 4);
}

TEST(TensorJson, ALargeGridIsReducedButKeepsNaN) {
  std::vector<float> values(1000 * 500, 1.0f);
  values[777 * 500 + 333] = NAN;
  const Json value = Parsed(Tensor<float>(TSH_FLOAT, {1000, 500}, values));
  EXPECT_EQ(value["cells"]["rows"].as_int(), 64);
  EXPECT_EQ(value["cells"]["cols"].as_int(), 64);
  size_t odd = 0;
  for (const Json& cell : value["cells"]["data"].items()) odd += cell.is_string() ? 1 : 0;
  EXPECT_EQ(odd, 1u);
}

TEST(TensorJson, ImagesHaveChannels) {
  std::vector<uint8_t> pixels(2 * 4 * 5 * 3, 0);
  pixels[4 * 5 * 3] = 255;
  const TensorHandle tensor = Tensor<uint8_t>(TSH_UINT8, {2, 4, 5, 3}, pixels);
  const Json value = Parsed(tensor, 1);
  EXPECT_EQ(value["slices"].as_int(), 2);
  EXPECT_EQ(value["cells"]["channels"].as_int(), 3);
  EXPECT_EQ(value["cells"]["data"].items()[0].as_int(), 1);
  EXPECT_EQ(Parsed(tensor, 99)["slice"].as_int(), 1);
}

TEST(TensorJson, OtherValuesAreTexts) {
  EXPECT_EQ(TensorJson(TensorHandle(), 1, 0), "{}");
  EXPECT_EQ(Parsed(TensorHandle::Float(2.5f))["text"].as_string(), "2.5");
  EXPECT_TRUE(Parsed(TensorHandle::Float(2.5f))["cells"].is_null());
  const Json text = Parsed(TensorHandle::String("<a>"));
  EXPECT_EQ(text["text"].as_string(), "b'<a>'");
  EXPECT_TRUE(text["mean"].is_null());
  EXPECT_EQ(Parsed(Tensor<int64_t>(TSH_INT64, {0, 3}, {}))["count"].as_int(), 0);
}

TEST(TensorJson, EveryTypeOfNumber) {
  EXPECT_EQ(Data(Parsed(Tensor<uint8_t>(TSH_BOOL, {2}, {0, 1}))), "[0, 1]");
  EXPECT_EQ(Data(Parsed(Tensor<int8_t>(TSH_INT8, {2}, {-1, 1}))), "[-1, 1]");
  EXPECT_EQ(Data(Parsed(Tensor<uint16_t>(TSH_HALF, {2}, {0x3c00, 0xbc00}))), "[1, -1]");
  EXPECT_EQ(Data(Parsed(Tensor<uint16_t>(TSH_BFLOAT16, {2}, {0x3f80, 0xbf80}))), "[1, -1]");
  EXPECT_EQ(Data(Parsed(Tensor<double>(TSH_DOUBLE, {2}, {.5, 2}))), "[0.5, 2]");
}

}  // namespace
}  // namespace tensh::shell
