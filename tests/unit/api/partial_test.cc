// Partial runs through the C API: how they end, and that they leave nothing behind.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tensh/tensh.h"

namespace {

class PartialTest : public testing::Test {
 protected:
  PartialTest() {
    a_ = Placeholder("a");
    b_ = Placeholder("b");
    sum_ = Add("AddV2", "sum", {a_, b_});
    twice_ = Add("AddV2", "twice", {sum_, a_});
    session_ = tsh_session_new(graph_, "", R"({"device_count":{"CPU":2}})", status_);
  }
  ~PartialTest() override {
    tsh_session_unref(session_);
    tsh_graph_unref(graph_);
    tsh_status_free(status_);
  }
  tsh_output Add(const char* op, const char* name, std::vector<tsh_output> inputs,
                 std::vector<tsh_attr> attrs = {}) {
    tsh_node_spec spec{};
    spec.op = op;
    spec.name = name;
    spec.device = std::string(name) == "twice" ? "/cpu:1" : "";
    spec.inputs = inputs.data();
    spec.n_inputs = inputs.size();
    spec.attrs = attrs.data();
    spec.n_attrs = attrs.size();
    tsh_node node = TSH_NO_NODE;
    EXPECT_TRUE(tsh_graph_add(graph_, &spec, 1, &node, status_)) << Message();
    return {node, 0};
  }
  tsh_output Placeholder(const char* name) {
    tsh_attr type{};
    type.name = "dtype";
    type.kind = TSH_ATTR_TYPE;
    type.i = TSH_FLOAT;
    return Add("Placeholder", name, {}, {type});
  }
  tsh_partial* SetUp2() {
    const tsh_output feeds[] = {a_, b_}, fetches[] = {sum_, twice_};
    tsh_run run{};
    run.feeds = feeds;
    run.n_feeds = 2;
    run.fetches = fetches;
    run.n_fetches = 2;
    return tsh_partial_new(session_, &run, status_);
  }
  // Returns the fetch, or NaN if the call failed or there was none.
  float Go(tsh_partial* p, std::vector<tsh_output> feeds, std::vector<float> values,
           std::vector<tsh_output> fetches, tsh_status* status) {
    std::vector<tsh_tensor*> in, out(fetches.size(), nullptr);
    for (float v : values) {
      in.push_back(tsh_tensor_new(TSH_FLOAT, nullptr, 0, status));
      *static_cast<float*>(tsh_tensor_data(in.back())) = v;
    }
    tsh_run run{};
    run.feeds = feeds.data();
    run.values = in.data();
    run.n_feeds = feeds.size();
    run.fetches = fetches.data();
    run.n_fetches = fetches.size();
    float got = std::nanf("");
    if (tsh_partial_run(p, &run, out.data(), status) && !out.empty())
      got = *static_cast<float*>(tsh_tensor_data(out[0]));
    for (tsh_tensor* t : in) tsh_tensor_unref(t);
    for (tsh_tensor* t : out) tsh_tensor_unref(t);
    return got;
  }
  std::string Message() const { return tsh_status_message(status_); }

  tsh_graph* graph_ = tsh_graph_new();
  tsh_status* status_ = tsh_status_new();
  tsh_session* session_ = nullptr;
  tsh_output a_, b_, sum_, twice_;
};

TEST_F(PartialTest, GoesOnWhereItStopped) {
  tsh_partial* p = SetUp2();
  ASSERT_NE(p, nullptr) << Message();
  EXPECT_EQ(Go(p, {a_, b_}, {1, 2}, {sum_}, status_), 3);
  EXPECT_FALSE(tsh_partial_done(p));
  EXPECT_EQ(Go(p, {}, {}, {twice_}, status_), 4);
  EXPECT_TRUE(tsh_partial_done(p));
  Go(p, {}, {}, {twice_}, status_);
  EXPECT_EQ(Message(), "Must run 'setup' before performing partial runs!");
  tsh_partial_unref(p);
}

TEST_F(PartialTest, ARefusedCallChangesNothing) {
  tsh_partial* p = SetUp2();
  Go(p, {a_}, {1}, {sum_}, status_);
  EXPECT_EQ(Message(), "Fetch b:0 can't be computed from the feeds that have been fed so far.");
  EXPECT_EQ(Go(p, {a_, b_}, {5, 6}, {sum_}, status_), 11);
  tsh_partial_unref(p);  // abandoned
}

TEST_F(PartialTest, EndsWithItsSession) {
  tsh_partial* p = SetUp2();
  Go(p, {a_}, {1}, {}, status_);
  tsh_session_close(session_, status_);
  Go(p, {b_}, {1}, {sum_}, status_);
  EXPECT_EQ(Message(), "Attempted to use a closed Session.");
  tsh_partial_unref(p);
}

TEST_F(PartialTest, ManyGoOnAtOnce) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      tsh_status* status = tsh_status_new();
      const tsh_output feeds[] = {a_, b_}, fetches[] = {sum_, twice_};
      tsh_run run{};
      run.feeds = feeds;
      run.n_feeds = 2;
      run.fetches = fetches;
      run.n_fetches = 2;
      for (int k = 0; k < 50; ++k) {
        tsh_partial* p = tsh_partial_new(session_, &run, status);
        const float x = static_cast<float>(t * 100 + k);
        Go(p, {a_}, {x}, {}, status);
        wrong += Go(p, {b_}, {1}, {sum_}, status) != x + 1;
        wrong += Go(p, {}, {}, {twice_}, status) != 2 * x + 1;
        tsh_partial_unref(p);
      }
      tsh_status_free(status);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// Ten thousand steps in flight are ten thousand small records and use no thread.
TEST_F(PartialTest, NoneHoldsAThreadWhileItWaits) {
  std::vector<tsh_partial*> all;
  for (int k = 0; k < 10'000; ++k) {
    all.push_back(SetUp2());
    Go(all.back(), {a_}, {static_cast<float>(k)}, {}, status_);
  }
  for (int k = 0; k < 10'000; k += 777)
    EXPECT_EQ(Go(all[static_cast<size_t>(k)], {b_}, {1}, {sum_}, status_),
              static_cast<float>(k + 1));
  for (tsh_partial* p : all) tsh_partial_unref(p);
}

}  // namespace
