// Conversion of values to tensors and back, as rows of Python text.
#include <gtest/gtest.h>

#include "shell/numpy/module.h"
#include "shell/numpy/ndarray.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell {
namespace {

class Convert : public testing::Test {
 protected:
  Convert() {
    interp_.AddModule("numpy", NumpyCatalogue().root());
    interp_.AddBuiltinModule("np", "numpy");
  }
  Value Eval(const std::string& text) { return interp_.Exec(text, "test", ExecMode::kFile); }
  // Returns "float32 (2,) [1. 2.]", or the error.
  std::string Tensor(const std::string& text, int dtype, Conversion how) {
    try {
      const TensorHandle t = ToTensor(Eval(text), dtype, how);
      return std::string(tsh_dtype_name(t.dtype())) + " " + np::ShapeText(t.dims()) + " " +
             Str(FromTensor(t));
    } catch (const PyError& e) {
      return e.ClassName() + ": " + e.Message();
    }
  }
  Interp interp_;
};

struct Row {
  const char* text;
  int dtype;
  const char* want;
};

TEST_F(Convert, ConstantsAsTensorFlow) {
  const Row rows[] = {
      {"3", 0, "int32 () 3"},
      {"2.5", 0, "float32 () 2.5"},
      {"True", 0, "bool () True"},
      {"'ab'", 0, "string () b'ab'"},
      {"[1, 2]", 0, "int32 (2,) [1 2]"},
      {"[1, 2.5]", 0, "float32 (2,) [1.  2.5]"},
      {"[[1], [2]]", 0, "int32 (2,1) [[1]\n [2]]"},
      {"[3000000000]", 0, "int64 (1,) [3000000000]"},
      {"[]", 0, "float32 (0,) []"},
      {"[b'a', 'é']", 0, "string (2,) [b'a' b'\\xc3\\xa9']"},
      {"np.array([1, 2])", 0, "int64 (2,) [1 2]"},
      {"np.array([1., 2.])[::-1]", 0, "float64 (2,) [2. 1.]"},
      {"np.float64(2)", 0, "float64 () 2.0"},
      {"[np.float32(1), 2]", 0, "float32 (2,) [1. 2.]"},
      {"[np.array([1, 2]), [3, 4]]", 0, "int32 (2,2) [[1 2]\n [3 4]]"},
      {"1", TSH_FLOAT, "float32 () 1.0"},
      {"[1, 2]", TSH_DOUBLE, "float64 (2,) [1. 2.]"},
      {"np.array([1.7])", TSH_INT32, "int32 (1,) [1]"},
      {"1.5", TSH_INT32, "TypeError: Expected int32, got 1.5 of type 'float' instead."},
      {"[1, 'a']", TSH_INT32, "TypeError: Expected int32, got 'a' of type 'str' instead."},
      {"1", TSH_STRING, "TypeError: Expected string, got 1 of type 'int' instead."},
      {"None", 0, "ValueError: None values not supported."},
      {"[[1, 2], [3]]", 0,
       "ValueError: Argument must be a dense tensor: [[1, 2], [3]] - got shape [2], but wanted "
       "[2, 2]."},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Tensor(row.text, row.dtype, Conversion::kConstant), row.want) << row.text;
}

TEST_F(Convert, FeedsAsNumpy) {
  const Row rows[] = {
      {"1.7", TSH_INT32, "int32 () 1"},
      {"[1, 2]", TSH_FLOAT, "float32 (2,) [1. 2.]"},
      {"np.array([[1., 2.]]).T", TSH_FLOAT, "float32 (2,1) [[1.]\n [2.]]"},
      {"[True, False]", TSH_BOOL, "bool (2,) [ True False]"},
      {"['a']", TSH_STRING, "string (1,) [b'a']"},
      {"'x'", TSH_FLOAT, "ValueError: could not convert string to float: 'x'"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Tensor(row.text, row.dtype, Conversion::kFeed), row.want) << row.text;
}

TEST_F(Convert, ShapesWithoutConverting) {
  std::vector<int64_t> dims;
  EXPECT_TRUE(ShapeOf(Eval("[np.zeros((3, 2)), np.zeros((3, 2))]"), &dims));
  EXPECT_EQ(dims, (std::vector<int64_t>{2, 3, 2}));
  EXPECT_FALSE(ShapeOf(Eval("[[1], 2]"), &dims));
}

TEST_F(Convert, TypesByAnyName) {
  const struct {
    const char* text;
    int dtype;
  } rows[] = {{"np.float32", TSH_FLOAT},
              {"'int32'", TSH_INT32},
              {"float", TSH_DOUBLE},
              {"bool", TSH_BOOL},
              {"'<f4'", TSH_FLOAT},
              {"np.dtype('uint8')", TSH_UINT8},
              {"int", TSH_INT64},
              {"3", 0},
              {"None", 0}};
  for (const auto& row : rows) EXPECT_EQ(DTypeOf(Eval(row.text)), row.dtype) << row.text;
}

TEST_F(Convert, FetchedElementsAreSharedUntilWritten) {
  const int64_t n = 2;
  TensorHandle t = TensorHandle::Make(TSH_FLOAT, {&n, 1});
  t.data<float>()[0] = 1;
  t.data<float>()[1] = 2;
  const Value v = FromTensor(t);
  EXPECT_EQ(As<NdArray>(v)->array.as<float>(), t.data<float>());
  SetItem(v, Value::Int(0), Value::Float(9));
  EXPECT_EQ(t.data<float>()[0], 1);
  EXPECT_EQ(Str(v), "[9. 2.]");
}

// Lists nested a million deep are refused without recursion.
TEST_F(Convert, DepthIsBounded) {
  EXPECT_EQ(
      Tensor("x = []\nfor i in range(100000): x = [x]\nx", 0, Conversion::kConstant).substr(0, 10),
      "ValueError");
  EXPECT_EQ(Tensor("x = []\nx.append(x)\nx", 0, Conversion::kFeed).substr(0, 10), "ValueError");
}

}  // namespace
}  // namespace tensh::shell
