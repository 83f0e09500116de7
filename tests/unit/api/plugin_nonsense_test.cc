// Like nonsense_test.cc, for the functions that servers, plug-ins and files use. These tests limit the
// files of the process, so that they run after those of nonsense_test.cc, whose name is linked first.
#include "tensh/tensh_import.h"
#include "tensh/tensh_plugin.h"
#include "tensh/tensh_server.h"
#include "tensh/tensh_trace.h"
#include "tests/unit/api/nonsense.h"

namespace tensh::api {
namespace {

TEST_F(Nonsense, Traces) {
  tsh_trace_stop();
  EXPECT_EQ(tsh_trace_is_on(), 0);
  tsh_trace_start();
  EXPECT_EQ(tsh_trace_is_on(), 1);
  EXPECT_EQ(tsh_trace_steps(), 0u);
  const tsh_output y{1, 0}, x{0, 0};
  tsh_run run{};
  run.fetches = &y;
  run.n_fetches = 1;
  EXPECT_FALSE(tsh_session_run(session_, &run, &fetched_, s()));
  run.feeds = &x;
  run.values = &one_;
  run.n_feeds = 1;
  ASSERT_TRUE(tsh_session_run(session_, &run, &fetched_, s())) << Message();
  tsh_tensor_unref(fetched_);
  tsh_trace_stop();
  EXPECT_EQ(tsh_trace_steps(), 1u);
  for (char* text : {tsh_trace_json(), tsh_trace_profile_json()}) {
    ASSERT_NE(text, nullptr);
    EXPECT_NE(std::string(text).find("Neg"), std::string::npos) << text;
    tsh_free(text);
  }
}

TEST_F(Nonsense, BorrowedTensors) {
  float data[] = {1, 2};
  const int64_t two = 2, negative = -1;
  int released = 0;
  const auto release = [](void* count) { ++*static_cast<int*>(count); };
  FAILS(TSH_INVALID_ARGUMENT,
        tsh_tensor_borrow(TSH_FLOAT, &two, 1, nullptr, release, &released, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_borrow(TSH_FLOAT, &two, 1, data, nullptr, &released, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_borrow(TSH_STRING, &two, 1, data, release, &released, st));
  FAILS(TSH_INVALID_ARGUMENT,
        tsh_tensor_borrow(TSH_FLOAT, &negative, 1, data, release, &released, st));
  EXPECT_EQ(released, 0);
  tsh_tensor* borrowed = tsh_tensor_borrow(TSH_FLOAT, &two, 1, data, release, &released, s());
  ASSERT_NE(borrowed, nullptr) << Message();
  EXPECT_EQ(tsh_tensor_data(borrowed), data);
  EXPECT_EQ(tsh_tensor_unique(borrowed), 0);
  const int64_t dims[] = {2, 1};
  tsh_tensor* alias = tsh_tensor_reshape(borrowed, dims, 2, s());
  ASSERT_NE(alias, nullptr);
  tsh_tensor_unref(borrowed);
  EXPECT_EQ(released, 0);
  tsh_tensor_unref(alias);
  EXPECT_EQ(released, 1);
}

TEST_F(Nonsense, Lists) {
  EXPECT_STREQ(tsh_version(), TENSH_VERSION);
  char* sessions = tsh_sessions_json();
  ASSERT_NE(sessions, nullptr);
  EXPECT_NE(std::string(sessions).find(std::to_string(tsh_session_id(session_))),
            std::string::npos);
  tsh_free(sessions);
}

TEST_F(Nonsense, Files) {
  int dtype = 0, rank = 0;
  tsh_files_limit(nullptr, 0);
  FAILS(TSH_INVALID_ARGUMENT, tsh_record_append(nullptr, "x", 1, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_record_append("/tmp/x", nullptr, 1, st));
  EXPECT_EQ(tsh_checkpoint_open(nullptr, s()), nullptr);
  EXPECT_EQ(tsh_checkpoint_size(nullptr), 0u);
  EXPECT_EQ(tsh_checkpoint_entry(nullptr, 0, &dtype, &rank, nullptr), nullptr);
  FAILS(TSH_INVALID_ARGUMENT, tsh_checkpoint_tensor(nullptr, "x", st));
}

TEST_F(Nonsense, Plugins) {
  FAILS(TSH_INVALID_ARGUMENT, tsh_server_new(nullptr, st));
  tsh_server_options options{};
  options.port = 99999;
  FAILS(TSH_INVALID_ARGUMENT, tsh_server_new(&options, st));
  options.size = 1;
  FAILS(TSH_INVALID_ARGUMENT, tsh_server_new(&options, st));
  EXPECT_EQ(tsh_server_port(nullptr), 0);
  FAILS(TSH_INVALID_ARGUMENT, tsh_server_reset(nullptr, nullptr, 0, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_server_reset("grpc://127.0.0.1:1", nullptr, 1, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_use_tls(nullptr, st));
  struct {
    tsh_tls tls;
    const char* unknown = "x";
  } newer;
  newer.tls.size = sizeof newer;
  FAILS(TSH_INVALID_ARGUMENT, tsh_use_tls(&newer.tls, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_home_new(nullptr, 0, "", st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_home_renamed(nullptr, "w", 0, "", st));
  EXPECT_EQ(tsh_home_isolated(nullptr), nullptr);
  EXPECT_EQ(tsh_home_limited(nullptr, 5, 5, nullptr), nullptr);
  tsh_release_unused(-1);
  EXPECT_EQ(tsh_release_unused(0), 0u);
  EXPECT_EQ(tsh_home_devices_json(nullptr), nullptr);
  tsh_home_clear(nullptr, nullptr, 1);
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_new_in(nullptr, g_, "", st));
  tsh_cancel_set(nullptr);
  tsh_cancel* cancel = tsh_cancel_new();
  tsh_cancel_set(cancel);
  tsh_cancel_set(cancel);
  EXPECT_EQ(tsh_cancel_watch_new(cancel, nullptr, nullptr), nullptr);
  tsh_cancel_free(cancel);
  EXPECT_EQ(tsh_cancel_watch_new(nullptr, nullptr, nullptr), nullptr);
  tsh_arrive(nullptr, nullptr, nullptr);
  const tsh_device cpu{"/job:a/replica:0/task:0/device:CPU:0", "CPU", 0, 1};
  FAILS(TSH_INVALID_ARGUMENT, tsh_cutter_new(nullptr, &cpu, 1, "", st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_cutter_new(g_, nullptr, 1, "", st));
  tsh_run run{};
  FAILS(TSH_INVALID_ARGUMENT, tsh_partial_run_with(nullptr, &run, nullptr, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_cutter_cut(nullptr, &run, st));
  EXPECT_EQ(tsh_cut_size(nullptr), 0u);
  EXPECT_EQ(tsh_cut_task(nullptr, 0), nullptr);
  EXPECT_EQ(tsh_cut_graph(nullptr, 0), nullptr);
  EXPECT_EQ(tsh_cut_feeds(nullptr, &n_), nullptr);
  EXPECT_EQ(tsh_cut_fetches(nullptr, nullptr), nullptr);
}

}  // namespace
}  // namespace tensh::api
