// Sessions through the C API, from the client's point of view.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tensh/tensh.h"

namespace {

struct StatusFree {
  void operator()(tsh_status* s) const { tsh_status_free(s); }
};
using StatusPtr = std::unique_ptr<tsh_status, StatusFree>;

tsh_tensor* FloatVector(std::vector<float> values) {
  int64_t n = static_cast<int64_t>(values.size());
  tsh_tensor* t = tsh_tensor_new(TSH_FLOAT, &n, 1, nullptr);
  std::copy(values.begin(), values.end(), static_cast<float*>(tsh_tensor_data(t)));
  return t;
}

std::vector<float> Floats(tsh_tensor* t) {
  auto* data = static_cast<float*>(tsh_tensor_data(t));
  std::vector<float> values(data, data + tsh_tensor_elements(t));
  tsh_tensor_unref(t);
  return values;
}

std::string Text(char* text) {
  std::string copy = text;
  tsh_free(text);
  return copy;
}

class SessionTest : public testing::Test {
 protected:
  SessionTest() : graph_(tsh_graph_new()), status_(tsh_status_new()) {}
  ~SessionTest() override { tsh_graph_unref(graph_); }

  tsh_output Add(const char* op, const char* name, std::vector<tsh_output> inputs,
                 std::vector<tsh_attr> attrs = {}, const char* device = "",
                 std::vector<tsh_node> controls = {}) {
    tsh_node_spec spec{};
    spec.op = op;
    spec.name = name;
    spec.device = device;
    spec.inputs = inputs.data();
    spec.n_inputs = inputs.size();
    spec.controls = controls.data();
    spec.n_controls = controls.size();
    spec.attrs = attrs.data();
    spec.n_attrs = attrs.size();
    tsh_node node = TSH_NO_NODE;
    tsh_graph_add(graph_, &spec, 1, &node, status_.get());
    return {node, 0};
  }
  tsh_output Const(const char* name, std::vector<float> values, const char* device = "") {
    tsh_tensor* value = FloatVector(std::move(values));
    tsh_attr tensor{};
    tensor.name = "value";
    tensor.kind = TSH_ATTR_TENSOR;
    tensor.tensor = value;
    tsh_output out = Add("Const", name, {}, {tensor, Type("dtype", TSH_FLOAT)}, device);
    tsh_tensor_unref(value);
    return out;
  }
  static tsh_attr Type(const char* name, int type) {
    tsh_attr a{};
    a.name = name;
    a.kind = TSH_ATTR_TYPE;
    a.i = type;
    return a;
  }
  tsh_output Placeholder(const char* name) {
    return Add("Placeholder", name, {}, {Type("dtype", TSH_FLOAT)});
  }
  tsh_output Variable(const char* name, int64_t size, const char* device = "") {
    tsh_attr shape{};
    shape.name = "shape";
    shape.kind = TSH_ATTR_SHAPE;
    shape.dims = &size;
    shape.rank = 1;
    return Add("VariableV2", name, {}, {Type("dtype", TSH_FLOAT), shape}, device);
  }

  // Returns the values of the first fetch, or {} with an error status.
  std::vector<float> Run(tsh_session* s, std::vector<tsh_output> fetches,
                         std::vector<tsh_node> targets = {}, std::vector<tsh_output> feeds = {},
                         std::vector<tsh_tensor*> values = {}) {
    status_.reset(tsh_status_new());
    tsh_run run{};
    run.feeds = feeds.data();
    run.values = values.data();
    run.n_feeds = feeds.size();
    run.fetches = fetches.data();
    run.n_fetches = fetches.size();
    run.targets = targets.data();
    run.n_targets = targets.size();
    std::vector<tsh_tensor*> fetched(fetches.size());
    bool ok = tsh_session_run(s, &run, fetched.data(), status_.get());
    for (tsh_tensor* v : values) tsh_tensor_unref(v);
    if (!ok) return {};
    for (size_t i = 1; i < fetched.size(); ++i) tsh_tensor_unref(fetched[i]);
    return fetched.empty() ? std::vector<float>{} : Floats(fetched[0]);
  }
  std::string Message() const { return tsh_status_message(status_.get()); }
  int Code() const { return tsh_status_code(status_.get()); }

  tsh_graph* graph_;
  StatusPtr status_;
};

using V = std::vector<float>;

TEST_F(SessionTest, TheClassicAddPrintsThreeFive) {
  tsh_output sum = Add("AddV2", "add", {Const("a", {1, 2}), Const("b", {2, 3})});
  tsh_session* s = tsh_session_new(graph_, "", "", status_.get());
  EXPECT_EQ(Run(s, {sum}), (V{3, 5}));
  EXPECT_EQ(Run(s, {sum}), (V{3, 5})) << "a recycled frame gives the same";
  tsh_session_unref(s);
}

TEST_F(SessionTest, TwoDevicesGiveTheSameValuesThroughSendAndRecv) {
  tsh_output a = Const("a", {1, 2}, "/cpu:0"), x = Placeholder("x");
  tsh_output add = Add("AddV2", "add", {a, x}, {}, "/cpu:1");
  tsh_output mul = Add("Mul", "mul", {add, a}, {}, "/cpu:0");
  tsh_session* s = tsh_session_new(graph_, "", R"({"device_count":{"CPU":2}})", status_.get());
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(Run(s, {mul}, {}, {x}, {FloatVector({3, 4})}), (V{4, 12})) << Message();
  tsh_session_unref(s);
}

TEST_F(SessionTest, ExplainNamesTheTransfers) {
  tsh_output a = Const("a", {1, 2}, "/cpu:0");
  tsh_output neg = Add("Neg", "neg", {a}, {}, "/cpu:1");
  Add("Neg", "dead", {a});
  tsh_session* s = tsh_session_new(graph_, "", R"({"device_count":{"CPU":2}})", status_.get());
  tsh_run run{};
  run.fetches = &neg;
  run.n_fetches = 1;
  char* text = tsh_session_explain(s, &run, 10, status_.get());
  ASSERT_NE(text, nullptr) << Message();
  std::string report = text;
  tsh_free(text);
  EXPECT_NE(report.find(R"("tensor":"a:0","from":"cpu:0","to":"cpu:1","bytes":8)"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find(R"("pruned_why":"no path to a fetch")"), std::string::npos) << report;
  tsh_session_unref(s);
}

TEST_F(SessionTest, VariablesPersistBetweenRunsAndBelongToTheSession) {
  tsh_output v = Variable("v", 2), one = Const("one", {1, 1});
  tsh_output init = Add("Assign", "init", {v, one}), inc = Add("AssignAdd", "inc", {v, one});
  tsh_session* s1 = tsh_session_new(graph_, "", "", status_.get());
  tsh_session* s2 = tsh_session_new(graph_, "", "", status_.get());
  Run(s1, {}, {init.node});
  EXPECT_EQ(Run(s1, {inc}), (V{2, 2})) << Message();
  EXPECT_EQ(Run(s1, {inc}), (V{3, 3}));
  EXPECT_EQ(Run(s1, {v}), (V{3, 3}));
  EXPECT_EQ(Run(s1, {one}), (V{1, 1})) << "the constant the variable began with is untouched";
  Run(s2, {v});
  EXPECT_EQ(Code(), 9);
  EXPECT_NE(Message().find("uninitialized value v"), std::string::npos);
  EXPECT_EQ(tsh_status_reason(status_.get()), TSH_REASON_UNINITIALIZED);
  EXPECT_STRNE(tsh_status_hint(status_.get()), "");
  Run(s1, {v});
  EXPECT_EQ(tsh_status_reason(status_.get()), TSH_REASON_NONE) << "success resets it";
  tsh_session_unref(s1);
  tsh_session_unref(s2);
}

TEST_F(SessionTest, PlansSurviveExtendAndRollbackDropsTheirs) {
  tsh_output a = Const("a", {1});
  tsh_session* s = tsh_session_new(graph_, "", "", status_.get());
  EXPECT_EQ(Run(s, {a}), (V{1}));
  tsh_graph_begin(graph_);
  tsh_output b = Add("Neg", "b", {a});
  EXPECT_EQ(Run(s, {b}), (V{-1}));
  tsh_graph_rollback(graph_);
  EXPECT_EQ(tsh_graph_size(graph_), 1u);
  EXPECT_EQ(tsh_graph_find(graph_, "b"), TSH_NO_NODE);
  Run(s, {b});
  EXPECT_EQ(Code(), 5) << Message();
  tsh_output c = Add("Square", "b", {Const("three", {3})});
  EXPECT_EQ(Run(s, {c}), (V{9})) << "the name and the ids are free again";
  EXPECT_EQ(Run(s, {a}), (V{1}));
  tsh_session_unref(s);
}

TEST_F(SessionTest, FeedsCutEdges) {
  tsh_output x = Placeholder("x"), y = Add("Neg", "y", {x}), z = Add("Neg", "z", {y});
  tsh_session* s = tsh_session_new(graph_, "", "", status_.get());
  EXPECT_EQ(Run(s, {z}, {}, {y}, {FloatVector({7})}), (V{-7})) << Message();
  EXPECT_EQ(Run(s, {x}, {}, {x}, {FloatVector({7})}), (V{7}));
  Run(s, {z});
  EXPECT_EQ(Code(), 3);
  EXPECT_NE(Message().find("You must feed a value for placeholder tensor 'x' with dtype float"),
            std::string::npos)
      << Message();
  tsh_session_unref(s);
}

TEST_F(SessionTest, ErrorsLeaveNoTrace) {
  Const("a", {1, 2});
  EXPECT_EQ(Add("NoSuchOp", "n", {}).node, TSH_NO_NODE);
  EXPECT_NE(Message().find("NoSuchOp"), std::string::npos);
  EXPECT_EQ(Add("Neg", "n", {{7, 0}}).node, TSH_NO_NODE);
  EXPECT_EQ(Add("Neg", "a", {{0, 0}}).node, TSH_NO_NODE);
  EXPECT_EQ(Add("MatMul", "m", {{0, 0}, {0, 0}}).node, TSH_NO_NODE);
  EXPECT_EQ(tsh_graph_size(graph_), 1u);
}

TEST_F(SessionTest, ADeviceThatIsNotThereIsAnErrorUnlessPlacementIsSoft) {
  tsh_output b = Add("Neg", "b", {Const("a", {1})}, {}, "/gpu:0");
  tsh_session* hard = tsh_session_new(graph_, "", "", status_.get());
  Run(hard, {b});
  EXPECT_EQ(Code(), 3);
  EXPECT_NE(
      Message().find("available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ]"),
      std::string::npos)
      << Message();
  tsh_session* soft =
      tsh_session_new(graph_, "", R"({"allow_soft_placement":true})", status_.get());
  EXPECT_EQ(Run(soft, {b}), (V{-1}));
  tsh_session_unref(hard);
  tsh_session_unref(soft);
}

TEST_F(SessionTest, NoCpuIsAClearError) {
  EXPECT_EQ(tsh_session_new(graph_, "", R"({"device_count":{"CPU":0}})", status_.get()), nullptr);
  EXPECT_NE(Message().find("no CPU device"), std::string::npos);
  EXPECT_EQ(tsh_session_new(graph_, "bogus://x", "", status_.get()), nullptr);
}

TEST_F(SessionTest, AClosedSessionRefusesAndGivesTheGraphBack) {
  tsh_output a = Const("a", {1});
  tsh_session* s = tsh_session_new(graph_, "", "", status_.get());
  std::string before = Text(tsh_graphs_json());
  EXPECT_NE(before.find("\"refs\":2"), std::string::npos) << before;
  tsh_session_close(s, status_.get());
  tsh_session_close(s, status_.get());
  std::string after = Text(tsh_graphs_json());
  EXPECT_EQ(after.find("\"refs\":2"), std::string::npos) << after;
  Run(s, {a});
  EXPECT_EQ(Message(), "Attempted to use a closed Session.");
  tsh_session_unref(s);
}

TEST_F(SessionTest, ManyThreadsStepOneSession) {
  tsh_output x = Placeholder("x"), v = Variable("v", 1, "/cpu:1"), zero = Const("zero", {0}),
             one = Const("one", {1});
  tsh_output init = Add("Assign", "init", {v, zero}), inc = Add("AssignAdd", "inc", {v, one}),
             neg = Add("Neg", "neg", {x});
  tsh_session* s = tsh_session_new(graph_, "", R"({"device_count":{"CPU":2}})", status_.get());
  Run(s, {}, {init.node});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        tsh_tensor* value = FloatVector({static_cast<float>(t * 1000 + i)});
        tsh_run run{};
        run.feeds = &x;
        run.values = &value;
        run.n_feeds = 1;
        run.fetches = &neg;
        run.n_fetches = 1;
        run.targets = &inc.node;
        run.n_targets = 1;
        tsh_tensor* fetched = nullptr;
        EXPECT_TRUE(tsh_session_run(s, &run, &fetched, nullptr));
        EXPECT_EQ(Floats(fetched), (V{-static_cast<float>(t * 1000 + i)}));
        tsh_tensor_unref(value);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(Run(s, {v}), (V{800})) << "no update is lost";
  tsh_session_unref(s);
}

}  // namespace
