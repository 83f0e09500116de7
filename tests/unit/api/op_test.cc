// Ops with kernels that a program registers (tensh_op.h).
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tensh/tensh.hpp"
#include "tensh/tensh_op.h"

namespace {

using tensh::v0::Graph;
using tensh::v0::Output;
using tensh::v0::Session;
using tensh::v0::Shape;
using tensh::v0::Status;
using tensh::v0::Tensor;
using tensh::v0::TensorOf;

// y[i] = scale * x[i] + the call's number, which is counted in *data.
int Scale(tsh_kernel_call* call, void* data, tsh_status* status) {
  double scale = 0;
  if (!tsh_attrs_float(tsh_kernel_attrs(call), "scale", &scale)) return 0;
  tsh_tensor* x = tsh_kernel_input(call, 0);
  const float* in = static_cast<const float*>(tsh_tensor_data(x));
  tsh_tensor* y = tsh_kernel_forward(call, 0, 0, status);
  if (!y) return 0;
  struct Range {
    const float* in;
    float* out;
    float scale;
  } range{in, static_cast<float*>(tsh_tensor_data(y)), static_cast<float>(scale)};
  tsh_kernel_parallel_for(
      call, tsh_tensor_elements(y), 1e4,
      [](void* context, int64_t begin, int64_t end) {
        auto& r = *static_cast<Range*>(context);
        for (int64_t i = begin; i < end; ++i) r.out[i] = r.in[i] * r.scale;
      },
      &range);
  ++*static_cast<std::atomic<int>*>(data);
  return 1;
}

int SameShape(tsh_shape_call* call, void*, tsh_status* status) {
  int64_t dims[TSH_MAX_RANK];
  const int rank = tsh_shape_input(call, 0, dims);
  if (rank == 0) {
    tsh_status_set(status, TSH_INVALID_ARGUMENT, "x must not be a scalar", "reshape it");
    return 0;
  }
  return tsh_shape_set(call, 0, dims, rank, status);
}

tsh_op_spec Spec(const char* name, const char* inputs, const char* outputs, const char* attrs) {
  tsh_op_spec spec{};
  spec.name = name;
  spec.inputs = inputs;
  spec.outputs = outputs;
  spec.attrs = attrs;
  spec.kernel = [](tsh_kernel_call*, void*, tsh_status*) { return 0; };
  return spec;
}

TEST(ExternalOp, RunsInGraphsThatWereThereBefore) {
  static std::atomic<int> calls{0};
  Graph graph;
  const Output x = graph.Placeholder<float>("x", Shape{-1});
  Session session(graph);
  tsh_op_spec spec = Spec("TestScale", "x: float", "y: float", "scale: float = 2.0");
  spec.kernel = Scale;
  spec.shape = SameShape;
  spec.data = &calls;
  spec.doc = "Scales. For a test.";
  tsh_status* status = tsh_status_new();
  ASSERT_TRUE(tsh_op_register(&spec, status)) << tsh_status_message(status);
  EXPECT_FALSE(tsh_op_register(&spec, status));
  EXPECT_EQ(tsh_status_code(status), TSH_ALREADY_EXISTS);
  tsh_status_free(status);

  const Output y = graph.Op("TestScale", {x}).Build();
  const Output z = graph.Op("TestScale", {y}).Attr("scale", 10.f).Build();
  int64_t dims[TSH_MAX_RANK];
  EXPECT_EQ(tsh_output_shape(graph.get(), z, dims), 1);
  const std::vector<float> ones(1000, 1.f);
  for (int step = 0; step < 3; ++step) {
    const TensorOf<float> got = session.Run<float>(z, {{x, ones}});
    ASSERT_EQ(got.size(), 1000u);
    EXPECT_EQ(got[0], 20.f);
    EXPECT_EQ(got[999], 20.f);
  }
  EXPECT_EQ(calls, 6);
  EXPECT_STREQ(tsh_op_name("TestScale"), "TestScale");
  const tensh::v0::Owned<char> json(tsh_ops_json("TestScale"));
  EXPECT_NE(std::string(json.get()).find("Scales. For a test."), std::string::npos);

  Status refused;
  graph.Op("TestScale", {graph.Const(1.f)}).Build(&refused);
  EXPECT_EQ(refused.message(), "x must not be a scalar");
  EXPECT_EQ(refused.hint(), "reshape it");
}

// An op without a gradient is refused by tsh_graph_gradients, or its results are constants.
TEST(ExternalOp, GradientsStopOnRequest) {
  Graph graph;
  const Output x = graph.Placeholder<float>("x", Shape{-1});
  tsh_status* status = tsh_status_new();
  for (const bool stops : {false, true}) {
    const char* name = stops ? "TestConstant" : "TestUnknown";
    tsh_op_spec spec = Spec(name, "x: float", "y: float", "");
    spec.no_gradient = stops;
    ASSERT_TRUE(tsh_op_register(&spec, status)) << tsh_status_message(status);
    const tsh_output y = graph.Op(name, {x}).Build(), from = x;
    tsh_gradients request = TSH_GRADIENTS_INIT;
    request.ys = &y, request.n_ys = 1;
    request.xs = &from, request.n_xs = 1;
    tsh_gradient dx{};
    EXPECT_EQ(tsh_graph_gradients(graph.get(), &request, &dx, status) != 0, stops);
    if (stops) {
      EXPECT_EQ(dx.value.node, TSH_NO_NODE);
    } else {
      EXPECT_EQ(tsh_status_code(status), TSH_NOT_FOUND);
    }
  }
  tsh_status_free(status);
}

TEST(ExternalOp, MalformedSpecsAreRefused) {
  const char* const rows[][4] = {
      {"", "x: float", "y: float", ""},
      {"lowerCase", "x: float", "y: float", ""},
      {"Bad Name", "x: float", "y: float", ""},
      {"TestBad", "x", "y: float", ""},
      {"TestBad", "x: nonsense", "y: float", ""},
      {"TestBad", "x: N * float", "y: float", ""},
      {"TestBad", "x: N * float", "y: float", "N: float"},
      {"TestBad", "x: T", "y: T", "T: int"},
      {"TestBad", "x: float, x: float", "y: float", ""},
      {"TestBad", "1x: float", "y: float", ""},
      {"TestBad", "x: T", "y: T", "T"},
      {"TestBad", "x: T", "y: T", "T:"},
      {"TestBad", "x: T", "y: T", "T: {"},
      {"TestBad", "x: T", "y: T", "T: {float, nonsense}"},
      {"TestBad", "x: T", "y: T", "T: type = nonsense"},
      {"TestBad", "x: float", "y: float", "a: list("},
      {"TestBad", "x: float", "y: float", "a: int >= x"},
      {"TestBad", "x: float", "y: float", "a: int = 1.5"},
      {"TestBad", "x: float", "y: float", "a: int x"},
      {"TestBad", "x: float", "y: float", "a: string = x"},
      {"TestBad", "x: float", "y: float", "a: list(int) = [1, x]"},
      {"TestBad", "x: float", "y: float", "a: shape = [1,x]"},
      {"TestBad", "x: float", "y: float", "a: tensor = 3"},
  };
  tsh_status* status = tsh_status_new();
  for (const auto& row : rows) {
    const tsh_op_spec spec = Spec(row[0], row[1], row[2], row[3]);
    EXPECT_FALSE(tsh_op_register(&spec, status)) << row[0] << " " << row[1] << " " << row[3];
    EXPECT_EQ(tsh_status_code(status), TSH_INVALID_ARGUMENT) << tsh_status_message(status);
  }
  EXPECT_EQ(tsh_op_name("TestBad"), nullptr);
  tsh_op_spec spec = Spec("TestBad", "x: float", "y: float", "");
  spec.kernel = nullptr;
  EXPECT_FALSE(tsh_op_register(&spec, status));
  spec.size = 1;
  EXPECT_FALSE(tsh_op_register(&spec, status));
  EXPECT_FALSE(tsh_op_register(nullptr, status));
  spec = Spec("TestBad", "x: Ref(float)", "y: float", "");
  EXPECT_FALSE(tsh_op_register(&spec, status));
  EXPECT_EQ(tsh_status_code(status), TSH_UNIMPLEMENTED);
  EXPECT_FALSE(tsh_load_library(nullptr, nullptr, status));
  EXPECT_FALSE(tsh_load_library("/nonsense.so", nullptr, status));
  EXPECT_EQ(tsh_status_code(status), TSH_NOT_FOUND);
  EXPECT_FALSE(tsh_load_library("libc.so.6", nullptr, status));  // no library of ops
  EXPECT_EQ(tsh_status_code(status), TSH_INVALID_ARGUMENT);
  tsh_status_free(status);
}

// Each behavior of a kernel by the attribute `how`.
int Misbehave(tsh_kernel_call* call, void*, tsh_status* status) {
  const std::string how = tsh_attrs_string(tsh_kernel_attrs(call), "how", nullptr);
  const int64_t bad = -1;
  if (how == "silent") return 0;
  if (how == "says") return tsh_status_set(status, TSH_DATA_LOSS, "it says so", ""), 0;
  if (how == "no output") return 1;
  if (how == "bad shape") return tsh_kernel_output(call, 0, &bad, 1, status) != nullptr;
  if (how == "bad index") return tsh_kernel_output(call, 9, nullptr, 0, status) != nullptr;
  if (how == "bad type") return tsh_kernel_set_output(call, 0, Tensor(1).get(), status);
  if (how == "null") return tsh_kernel_set_output(call, 0, nullptr, status);
  if (how == "throws") throw std::runtime_error("thrown");
  return tsh_kernel_set_output(call, 0, tsh_kernel_input(call, 0), status);
}

TEST(ExternalOp, FailuresEndTheStep) {
  tsh_op_spec spec = Spec("TestMisbehave", "x: float", "y: float", "how: string");
  spec.kernel = Misbehave;
  ASSERT_TRUE(tsh_op_register(&spec, nullptr));
  const struct {
    const char* how;
    int code;
    const char* message;
  } rows[] = {
      {"well", TSH_OK, ""},
      {"silent", TSH_INTERNAL, "TestMisbehave: its kernel failed without a status"},
      {"says", TSH_DATA_LOSS, "it says so"},
      {"no output", TSH_INTERNAL, "TestMisbehave: its kernel did not make output 0"},
      {"bad shape", TSH_INVALID_ARGUMENT, "Dimension -1 must be >= 0"},
      {"bad index", TSH_INVALID_ARGUMENT, "there is no output 9"},
      {"bad type", TSH_INVALID_ARGUMENT, "output 0 is float32, not int32"},
      {"null", TSH_INVALID_ARGUMENT, "tensor is null"},
  };
  Graph graph;
  Session session(graph);
  for (const auto& row : rows) {
    const Output y = graph.Op("TestMisbehave", {graph.Const(1.f)}).Attr("how", row.how).Build();
    Status status;
    session.Run<float>(y, {}, &status);
    EXPECT_EQ(status.code(), row.code) << row.how << ": " << status.message();
    EXPECT_NE(status.message().find(row.message), std::string::npos) << status.message();
  }
  Status status;
  session.Run<float>(graph.Op("TestMisbehave", {graph.Const(1.f)}).Attr("how", "throws").Build(),
                     {}, &status);
  EXPECT_FALSE(status.ok());
}

TEST(ExternalOp, ListsTypesAndAttributes) {
  tsh_op_spec spec = Spec("TestCount", "xs: N * T", "n: int64",
                          "N: int >= 1, T: {float, int32}, more: list(int) = [3, 4], "
                          "shape: shape = {unknown}, on: bool = true, names: list(string) = []");
  spec.kernel = [](tsh_kernel_call* call, void*, tsh_status* status) {
    const tsh_attrs* attrs = tsh_kernel_attrs(call);
    int64_t n = 0, type = 0, more = 0, on = 0;
    int rank = 5;
    if (!tsh_attrs_int(attrs, "N", &n) || !tsh_attrs_int(attrs, "T", &type) ||
        !tsh_attrs_int(attrs, "on", &on) || !tsh_attrs_int_at(attrs, "more", 1, &more) ||
        tsh_attrs_int_at(attrs, "more", 2, &more) ||
        !tsh_attrs_shape(attrs, "shape", nullptr, &rank) || rank != -1 ||
        tsh_attrs_list_size(attrs, "names") != 0 || tsh_attrs_int(attrs, "nope", &n) ||
        tsh_attrs_string(attrs, "N", nullptr) || tsh_attrs_tensor(attrs, "N") ||
        tsh_attrs_string_at(attrs, "names", 0, nullptr) || tsh_kernel_cancelled(call))
      return 0;
    tsh_tensor* out = tsh_kernel_output(call, 0, nullptr, 0, status);
    if (!out || tsh_kernel_output_dtype(call, 0) != TSH_INT64 ||
        static_cast<int64_t>(tsh_kernel_num_inputs(call)) != n)
      return 0;
    *static_cast<int64_t*>(tsh_tensor_data(out)) = n * 1000 + type * 10 + on;
    return 1;
  };
  ASSERT_TRUE(tsh_op_register(&spec, nullptr));
  Graph graph;
  const Output a = graph.Const(1), b = graph.Const(2);
  Session session(graph);
  EXPECT_EQ(session.Run<int64_t>(graph.Op("TestCount", {a, b, a}).Build())[0],
            3000 + TSH_INT32 * 10 + 1);
}

TEST(ExternalOp, AreRegisteredWhileOthersRun) {
  Graph graph;
  const Output y = graph.Op("Neg", {graph.Const(1.f)}).Build();
  Session session(graph);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      Graph more;
      more.Op("Neg", {more.Const(1.f)}).Build();
      session.Run<float>(y);
    }
  });
  for (int i = 0; i < 50; ++i) {
    const std::string name = "TestLate" + std::to_string(i);
    const tsh_op_spec spec = Spec(name.c_str(), "x: float", "y: float", "");
    EXPECT_TRUE(tsh_op_register(&spec, nullptr));
    EXPECT_STREQ(tsh_op_name(name.c_str()), name.c_str());
  }
  stop = true;
  other.join();
}

TEST(ExternalOp, NullsAreAnswered) {
  int64_t i = 0;
  double f = 0;
  int rank = 0;
  EXPECT_FALSE(tsh_attrs_int(nullptr, "x", &i));
  EXPECT_FALSE(tsh_attrs_float(nullptr, "x", &f));
  EXPECT_FALSE(tsh_attrs_string(nullptr, nullptr, nullptr));
  EXPECT_FALSE(tsh_attrs_shape(nullptr, "x", nullptr, &rank));
  EXPECT_FALSE(tsh_attrs_tensor(nullptr, "x"));
  EXPECT_EQ(tsh_attrs_list_size(nullptr, "x"), 0u);
  EXPECT_FALSE(tsh_attrs_int_at(nullptr, "x", 0, &i));
  EXPECT_FALSE(tsh_attrs_float_at(nullptr, "x", 0, &f));
  EXPECT_FALSE(tsh_attrs_string_at(nullptr, "x", 0, nullptr));
  EXPECT_EQ(tsh_shape_num_inputs(nullptr), 0u);
  EXPECT_EQ(tsh_shape_num_outputs(nullptr), 0u);
  EXPECT_EQ(tsh_shape_input(nullptr, 0, nullptr), -1);
  EXPECT_EQ(tsh_shape_input_dtype(nullptr, 0), 0);
  EXPECT_EQ(tsh_shape_constant(nullptr, 0), nullptr);
  EXPECT_EQ(tsh_shape_attrs(nullptr), nullptr);
  EXPECT_EQ(tsh_shape_set(nullptr, 0, nullptr, 0, nullptr), 0);
  EXPECT_EQ(tsh_kernel_num_inputs(nullptr), 0u);
  EXPECT_EQ(tsh_kernel_num_outputs(nullptr), 0u);
  EXPECT_EQ(tsh_kernel_input(nullptr, 0), nullptr);
  EXPECT_EQ(tsh_kernel_output_dtype(nullptr, 0), 0);
  EXPECT_EQ(tsh_kernel_output(nullptr, 0, nullptr, 0, nullptr), nullptr);
  EXPECT_EQ(tsh_kernel_forward(nullptr, 0, 0, nullptr), nullptr);
  EXPECT_EQ(tsh_kernel_set_output(nullptr, 0, nullptr, nullptr), 0);
  EXPECT_EQ(tsh_kernel_attrs(nullptr), nullptr);
  EXPECT_EQ(tsh_kernel_cancelled(nullptr), 0);
  tsh_kernel_parallel_for(nullptr, 1, 1, nullptr, nullptr);
}

}  // namespace
