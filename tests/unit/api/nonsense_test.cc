// Every function of the public headers with null handles, ids that do not exist and structs of a
// wrong size. Each must answer with a status or its documented default, and none may crash.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tensh/tensh_devices.h"
#include "tensh/tensh_import.h"
#include "tensh/tensh_plugin.h"
#include "tensh/tensh_server.h"
#include "tensh/tensh_trace.h"
#include "tests/unit/api/nonsense.h"

namespace tensh::api {
namespace {

TEST_F(Nonsense, Releases) {
  tsh_free(nullptr);
  tsh_status_free(nullptr);
  tsh_tensor_unref(nullptr);
  tsh_graph_unref(nullptr);
  tsh_graph_ref(nullptr);
  tsh_session_unref(nullptr);
  tsh_callable_unref(nullptr);
  tsh_partial_unref(nullptr);
  tsh_checkpoint_free(nullptr);
  tsh_step_free(nullptr);
  tsh_server_free(nullptr);
  tsh_home_unref(nullptr);
  tsh_cancel_free(nullptr);
  tsh_cancel_watch_free(nullptr);
  tsh_cutter_free(nullptr);
  tsh_cut_free(nullptr);
  tsh_session* twice = tsh_session_new(g_, "", "", s());
  tsh_session_unref(twice);
  tsh_session_unref(twice);
}

TEST_F(Nonsense, StatusAndTypes) {
  EXPECT_EQ(tsh_status_code(nullptr), TSH_OK);
  EXPECT_STREQ(tsh_status_message(nullptr), "");
  EXPECT_STREQ(tsh_status_hint(nullptr), "");
  EXPECT_STREQ(tsh_status_node(nullptr), "");
  tsh_status_set(nullptr, 3, "x", "y");
  tsh_status_set(s(), 99, nullptr, nullptr);
  EXPECT_EQ(tsh_status_code(s()), TSH_UNKNOWN);
  EXPECT_EQ(tsh_status_reason(nullptr), TSH_REASON_NONE);
  tsh_status_set_reason(nullptr, TSH_REASON_NO_KERNEL);
  for (const int reason : {-1, TSH_REASON_NO_KERNEL + 1, INT32_MAX, INT32_MIN}) {
    tsh_status_set_reason(s(), reason);
    EXPECT_EQ(tsh_status_reason(s()), TSH_REASON_NONE) << reason;
  }
  tsh_status_set_reason(s(), TSH_REASON_NO_DEVICE);
  EXPECT_EQ(tsh_status_reason(s()), TSH_REASON_NO_DEVICE);
  tsh_status_set(s(), TSH_OK, nullptr, nullptr);
  tsh_status_set_reason(s(), TSH_REASON_NO_DEVICE);
  EXPECT_EQ(tsh_status_reason(s()), TSH_REASON_NONE) << "a status that is ok has no reason";
  for (const int type : {-1, 0, 26, 99, 256 + TSH_FLOAT, INT32_MAX, INT32_MIN}) {
    EXPECT_STREQ(tsh_dtype_name(type), "invalid") << type;
    EXPECT_STREQ(tsh_dtype_short_name(type), "?") << type;
    EXPECT_EQ(tsh_dtype_size(type), 0u) << type;
  }
  EXPECT_EQ(tsh_dtype_parse(nullptr), 0);
  EXPECT_EQ(tsh_dtype_parse("nonsense"), 0);
}

TEST_F(Nonsense, Tensors) {
  const int64_t negative = -1, huge[] = {INT64_MAX, INT64_MAX}, two = 2;
  const int64_t many[TSH_MAX_RANK + 1] = {};
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_new(0, nullptr, 0, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_new(256 + TSH_FLOAT, nullptr, 0, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_new(TSH_RESOURCE, nullptr, 0, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_new(TSH_FLOAT, nullptr, 1, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_new(TSH_FLOAT, nullptr, -1, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_new(TSH_FLOAT, &negative, 1, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_new(TSH_FLOAT, huge, 2, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_new(TSH_FLOAT, many, TSH_MAX_RANK + 1, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_reshape(nullptr, nullptr, 0, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_reshape(one_, &two, 1, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_reshape(one_, nullptr, 1, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_encode(nullptr, &n_, &n_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_encode(one_, nullptr, &n_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_decode(nullptr, 4, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_tensor_decode("nonsense", 8, st));
  EXPECT_EQ(tsh_tensor_ref(nullptr), nullptr);
  EXPECT_EQ(tsh_tensor_unique(nullptr), 0);
  EXPECT_EQ(tsh_tensor_dtype(nullptr), 0);
  EXPECT_EQ(tsh_tensor_rank(nullptr), 0);
  EXPECT_EQ(tsh_tensor_dims(nullptr), nullptr);
  EXPECT_EQ(tsh_tensor_elements(nullptr), 0);
  EXPECT_EQ(tsh_tensor_data(nullptr), nullptr);
  EXPECT_EQ(tsh_tensor_string(nullptr, 0, &n_), nullptr);
  EXPECT_EQ(tsh_tensor_string(one_, 0, nullptr), nullptr);  // no strings
  EXPECT_EQ(tsh_tensor_set_string(one_, 0, "x", 1), 0);
  EXPECT_EQ(tsh_tensor_set_string(nullptr, 0, "x", 1), 0);
  tsh_tensor* texts = tsh_tensor_new(TSH_STRING, &two, 1, s());
  EXPECT_EQ(tsh_tensor_data(texts), nullptr);
  EXPECT_EQ(tsh_tensor_string(texts, 2, nullptr), nullptr);
  EXPECT_EQ(tsh_tensor_string(texts, -1, nullptr), nullptr);
  EXPECT_EQ(tsh_tensor_set_string(texts, 2, "x", 1), 0);
  EXPECT_EQ(tsh_tensor_set_string(texts, 0, nullptr, 1), 0);
  EXPECT_EQ(tsh_tensor_set_string(texts, 0, nullptr, 0), 1);
  tsh_tensor_unref(texts);
}

TEST_F(Nonsense, Attributes) {
  const int64_t minus = -2;
  const struct {
    const char* what;
    std::function<void(tsh_attr&)> spoil;
  } rows[] = {
      {"no name", [](tsh_attr& a) { a.name = nullptr; }},
      {"size 0", [](tsh_attr& a) { a.size = 0; }},
      {"no kind", [](tsh_attr& a) { a.kind = static_cast<tsh_attr_kind>(77); }},
      {"no type", [](tsh_attr& a) { a.i = 256 + TSH_FLOAT; }},
      {"no tensor", [](tsh_attr& a) { a.kind = TSH_ATTR_TENSOR; }},
      {"no string", [](tsh_attr& a) { a.kind = TSH_ATTR_STRING, a.length = 3; }},
      {"no dims", [](tsh_attr& a) { a.kind = TSH_ATTR_SHAPE, a.rank = 2; }},
      {"bad dim", [&](tsh_attr& a) { a.kind = TSH_ATTR_SHAPE, a.rank = 1, a.dims = &minus; }},
      {"rank 999", [&](tsh_attr& a) { a.kind = TSH_ATTR_SHAPE, a.rank = 999, a.dims = &minus; }},
      {"no ints", [](tsh_attr& a) { a.is_list = 1, a.n = 3; }},
      {"no floats", [](tsh_attr& a) { a.kind = TSH_ATTR_FLOAT, a.is_list = 1, a.n = 3; }},
      {"no strings", [](tsh_attr& a) { a.kind = TSH_ATTR_STRING, a.is_list = 1, a.n = 3; }},
      {"no shapes", [](tsh_attr& a) { a.kind = TSH_ATTR_SHAPE, a.is_list = 1, a.n = 3; }},
      {"tensors", [](tsh_attr& a) { a.kind = TSH_ATTR_TENSOR, a.is_list = 1, a.n = 3; }},
  };
  for (const auto& row : rows) {
    tsh_attr attr{};
    attr.name = "dtype";
    attr.kind = TSH_ATTR_TYPE;
    attr.i = TSH_FLOAT;
    row.spoil(attr);
    tsh_node_spec spec{};
    spec.op = "Placeholder";
    spec.attrs = &attr;
    spec.n_attrs = 1;
    Fails(TSH_INVALID_ARGUMENT, row.what,
          [&](tsh_status* st) { return tsh_graph_add(g_, &spec, 1, &node_, st) != 0; });
  }
  EXPECT_EQ(tsh_graph_size(g_), 2u);
}

TEST_F(Nonsense, Nodes) {
  const tsh_output nowhere{77, 0}, no_output{0, 5};
  const tsh_node no_node = 77;
  const struct {
    const char* what;
    int code;
    std::function<void(tsh_node_spec&)> spoil;
  } rows[] = {
      {"size 0", TSH_INVALID_ARGUMENT, [](tsh_node_spec& n) { n.size = 0; }},
      {"no op", TSH_INVALID_ARGUMENT, [](tsh_node_spec& n) { n.op = nullptr; }},
      {"empty op", TSH_NOT_FOUND, [](tsh_node_spec& n) { n.op = ""; }},
      {"null inputs", TSH_INVALID_ARGUMENT, [](tsh_node_spec& n) { n.inputs = nullptr; }},
      {"null controls", TSH_INVALID_ARGUMENT, [](tsh_node_spec& n) { n.n_controls = 1; }},
      {"null attrs", TSH_INVALID_ARGUMENT, [](tsh_node_spec& n) { n.n_attrs = 1; }},
      {"no such node", TSH_INVALID_ARGUMENT, [&](tsh_node_spec& n) { n.inputs = &nowhere; }},
      {"no such output", TSH_OUT_OF_RANGE, [&](tsh_node_spec& n) { n.inputs = &no_output; }},
      {"no such control", TSH_INVALID_ARGUMENT,
       [&](tsh_node_spec& n) { n.controls = &no_node, n.n_controls = 1; }},
      {"bad device", TSH_INVALID_ARGUMENT, [](tsh_node_spec& n) { n.device = "/gpu:x"; }},
      {"bad name", TSH_INVALID_ARGUMENT, [](tsh_node_spec& n) { n.name = "a b!"; }},
  };
  for (const auto& row : rows) {
    const tsh_output x{0, 0};
    tsh_node_spec spec{};
    spec.op = "Neg";
    spec.inputs = &x;
    spec.n_inputs = 1;
    row.spoil(spec);
    Fails(row.code, row.what,
          [&](tsh_status* st) { return tsh_graph_add(g_, &spec, 1, &node_, st) != 0; });
  }
  tsh_node_spec spec{};
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_add(nullptr, &spec, 1, &node_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_add(g_, nullptr, 1, &node_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_add(g_, &spec, 1, nullptr, st));
  EXPECT_EQ(tsh_graph_size(g_), 2u);
}

TEST_F(Nonsense, GraphReaders) {
  const tsh_graph* const graphs[] = {nullptr, g_};
  const tsh_node nodes[] = {2, 77, TSH_NO_NODE};
  for (const tsh_graph* g : graphs) {
    for (const tsh_node n : nodes) {
      EXPECT_STREQ(tsh_node_name(g, n), "");
      EXPECT_STREQ(tsh_node_op(g, n), "");
      EXPECT_STREQ(tsh_node_device(g, n), "");
      EXPECT_EQ(tsh_node_source(g, n), 0u);
      EXPECT_EQ(tsh_node_num_inputs(g, n), 0u);
      EXPECT_EQ(tsh_node_input(g, n, 0).node, TSH_NO_NODE);
      EXPECT_EQ(tsh_node_num_controls(g, n), 0u);
      EXPECT_EQ(tsh_node_control(g, n, 0), TSH_NO_NODE);
      EXPECT_EQ(tsh_node_num_outputs(g, n), 0u);
      EXPECT_EQ(tsh_node_attr_tensor(g, n, "value"), nullptr);
      EXPECT_EQ(tsh_output_dtype(g, {n, 0}), 0);
      EXPECT_EQ(tsh_output_shape(g, {n, 0}, nullptr), -1);
      EXPECT_EQ(tsh_output_constant(g, {n, 0}), nullptr);
    }
    EXPECT_EQ(tsh_graph_find(g, nullptr), TSH_NO_NODE);
  }
  EXPECT_EQ(tsh_node_attr_tensor(g_, 0, nullptr), nullptr);
  tsh_attr attr = TSH_ATTR_INIT;
  EXPECT_EQ(tsh_node_attr(nullptr, 0, 0, &attr), 0);
  EXPECT_EQ(tsh_node_attr(g_, 77, 0, &attr), 0);
  EXPECT_EQ(tsh_node_attr(g_, 0, 99, &attr), 0);
  EXPECT_EQ(tsh_node_attr(g_, 0, 0, nullptr), 0);
  attr.size = 3;  // of no version
  EXPECT_EQ(tsh_node_attr(g_, 0, 0, &attr), 0);
  EXPECT_EQ(tsh_node_input(g_, 1, 9).node, TSH_NO_NODE);
  EXPECT_EQ(tsh_output_dtype(g_, {0, 9}), 0);
  EXPECT_EQ(tsh_graph_id(nullptr), 0u);
  EXPECT_EQ(tsh_graph_size(nullptr), 0u);
  EXPECT_EQ(tsh_graph_version(nullptr), 0u);
  EXPECT_EQ(tsh_graph_generation(nullptr), 0u);
  EXPECT_EQ(tsh_graph_valid_below(nullptr, 0), 0u);
  EXPECT_EQ(tsh_graph_unique_name(nullptr, "x", 1), nullptr);
  EXPECT_EQ(tsh_node_attrs_json(nullptr, 0), nullptr);
  EXPECT_EQ(tsh_graph_json(nullptr), nullptr);
  EXPECT_EQ(tsh_graph_export(nullptr, 0, 1, nullptr, nullptr, &n_), nullptr);
  EXPECT_EQ(tsh_graph_export(g_, 0, 1, nullptr, nullptr, nullptr), nullptr);
  EXPECT_EQ(tsh_graph_export(g_, 99, 98, nullptr, nullptr, &n_), nullptr);
  tsh_free(tsh_graph_export(g_, 99, TSH_NO_NODE, nullptr, nullptr, &n_));
  EXPECT_EQ(n_, 5u);  // the version of the format alone
  EXPECT_EQ(tsh_graph_export(g_, 2, 1, nullptr, nullptr, &n_), nullptr);
}

TEST_F(Nonsense, GraphWriters) {
  const int64_t negative = -7;
  tsh_graph_begin(nullptr);
  tsh_graph_commit(nullptr);
  tsh_graph_rollback(nullptr);
  tsh_graph_commit(g_);
  tsh_graph_rollback(g_);
  tsh_graph_finalize(nullptr);
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_set_input(nullptr, 0, 0, out_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_set_input(g_, 77, 0, out_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_set_input(g_, 0, 0, (tsh_output{77, 0}), st));
  FAILS(TSH_NOT_FOUND, tsh_node_set_device(nullptr, 0, "", st));
  FAILS(TSH_NOT_FOUND, tsh_node_set_device(g_, 77, "", st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_node_set_device(g_, 0, "/gpu:x", st));
  FAILS(TSH_NOT_FOUND, tsh_output_set_shape(nullptr, out_, nullptr, 0, st));
  FAILS(TSH_NOT_FOUND, tsh_output_set_shape(g_, (tsh_output{0, 9}), nullptr, 0, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_output_set_shape(g_, out_, nullptr, 1, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_output_set_shape(g_, out_, &negative, 1, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_output_set_shape(g_, out_, &negative, 99, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_import(nullptr, "", 0, nullptr, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_import(g_, nullptr, 1, nullptr, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_import(g_, "nonsense", 8, nullptr, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_import_known(nullptr, "", 0, nullptr, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_import_known(g_, "nonsense", 8, nullptr, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_inline(nullptr, 0, "p", 0, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_inline_results(nullptr, 0, "p", 0, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_inline(g_, 0, nullptr, 0, st));
  FAILS(TSH_NOT_FOUND, tsh_graph_inline(g_, TSH_NO_NODE, "p", 0, st));
  size_t size = 0;
  char memory[8];
  FAILS(TSH_INVALID_ARGUMENT, tsh_message_read(nullptr, TSH_MESSAGE_GRAPH, &size, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_message_read("/", 9, &size, st));
  FAILS(TSH_NOT_FOUND, tsh_message_read("/no file", TSH_MESSAGE_ONNX, &size, st));
  EXPECT_EQ(tsh_reference_size("nonsense", 8), -1);
  FAILS(TSH_INVALID_ARGUMENT, tsh_reference_read("nonsense", 8, memory, st));
  tsh_import how{};
  how.n_map = 1;
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_import(g_, "", 0, &how, nullptr, st));
  how.map_names = &kNullText;
  how.map_outputs = &out_;
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_import(g_, "", 0, &how, nullptr, st));
  how.size = 3;
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_import(g_, "", 0, &how, nullptr, st));
}

TEST_F(Nonsense, Gradients) {
  const tsh_output good{0, 0}, bad{77, 0};
  tsh_gradient dx{};
  tsh_gradients request{};
  request.ys = request.xs = &good;
  request.n_ys = request.n_xs = 1;
  EXPECT_TRUE(tsh_graph_gradients(g_, &request, &dx, s())) << Message();
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_gradients(nullptr, &request, &dx, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_gradients(g_, nullptr, &dx, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_gradients(g_, &request, nullptr, st));
  request.n_ys = 0;
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_gradients(g_, &request, &dx, st));
  request.n_ys = 1;
  request.xs = &bad;
  FAILS(TSH_NOT_FOUND, tsh_graph_gradients(g_, &request, &dx, st));
  request.xs = nullptr;
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_gradients(g_, &request, &dx, st));
  request.xs = &good;
  request.n_stops = 1;
  FAILS(TSH_INVALID_ARGUMENT, tsh_graph_gradients(g_, &request, &dx, st));
  request.stops = &bad;
  FAILS(TSH_NOT_FOUND, tsh_graph_gradients(g_, &request, &dx, st));
}

TEST_F(Nonsense, Ops) {
  tsh_tensor* const none = nullptr;
  EXPECT_EQ(tsh_op_name(nullptr), nullptr);
  EXPECT_EQ(tsh_op_info_of("nonsense"), nullptr);
  EXPECT_EQ(tsh_op_info_of(nullptr), nullptr);
  tsh_free(tsh_why_no_device(nullptr));
  tsh_free(tsh_what_devices_lack(nullptr));
  FAILS(TSH_NOT_FOUND, tsh_op_run(nullptr, nullptr, 0, nullptr, 0, &fetched_, 1, &n_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_op_run("Neg", nullptr, 1, nullptr, 0, &fetched_, 1, &n_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_op_run("Neg", &none, 1, nullptr, 0, &fetched_, 1, &n_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_op_run("Neg", &one_, 1, nullptr, 0, nullptr, 1, &n_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_op_run("Neg", &one_, 1, nullptr, 0, nullptr, 0, &n_, st));
  EXPECT_EQ(n_, 1u);
  FAILS(TSH_INVALID_ARGUMENT, tsh_op_run("Neg", &one_, 1, nullptr, 1, &fetched_, 1, &n_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_op_run("Neg", &one_, 1, nullptr, 0, &fetched_, 1, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT,
        tsh_op_run("VariableV2", &one_, 0, nullptr, 0, &fetched_, 1, &n_, st));
}

TEST_F(Nonsense, Sessions) {
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_new(nullptr, "", "", st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_new(g_, "", "nonsense", st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_new(g_, "", R"({"device_count": {"CPU": "x"}})", st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_close(nullptr, st));
  EXPECT_EQ(tsh_session_new(g_, "nonsense://x", "", s()), nullptr);
  EXPECT_EQ(tsh_session_id(nullptr), 0u);
  EXPECT_EQ(tsh_session_closed(nullptr), 1);
  EXPECT_EQ(tsh_session_graph(nullptr), nullptr);
  EXPECT_EQ(tsh_session_devices_json(nullptr), nullptr);
  EXPECT_EQ(tsh_session_variables_json(nullptr), nullptr);
  tsh_session_cancel(nullptr);
}

// Every function that takes a run rejects an invalid one.
TEST_F(Nonsense, Runs) {
  const tsh_output nowhere{77, 0}, no_output{0, 9}, x{0, 0}, y{1, 0};
  const tsh_output twice[] = {x, x};
  const tsh_node no_node = 77;
  tsh_tensor* const none[] = {nullptr, nullptr};
  tsh_tensor* const ones[] = {one_, one_};
  const struct {
    const char* what;
    bool at_run_only;
    std::function<void(tsh_run&)> spoil;
  } rows[] = {
      {"size 0", false, [](tsh_run& r) { r.size = 0; }},
      {"null feeds", false, [](tsh_run& r) { r.feeds = nullptr; }},
      {"null values", true, [](tsh_run& r) { r.values = nullptr; }},
      {"null value", true, [&](tsh_run& r) { r.values = none; }},
      {"null fetches", false, [](tsh_run& r) { r.fetches = nullptr; }},
      {"null targets", false, [](tsh_run& r) { r.n_targets = 1; }},
      {"feed nowhere", false, [&](tsh_run& r) { r.feeds = &nowhere; }},
      {"feed no output", false, [&](tsh_run& r) { r.feeds = &no_output; }},
      {"fed twice", false, [&](tsh_run& r) { r.feeds = twice, r.n_feeds = 2; }},
      {"fetch nowhere", false, [&](tsh_run& r) { r.fetches = &nowhere; }},
      {"fetch no output", false, [&](tsh_run& r) { r.fetches = &no_output; }},
      {"no target", false, [&](tsh_run& r) { r.targets = &no_node, r.n_targets = 1; }},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    tsh_run run{};
    run.feeds = &x;
    run.values = ones;
    run.n_feeds = 1;
    run.fetches = &y;
    run.n_fetches = 1;
    row.spoil(run);
    const tsh_control control{};
    tsh_step* step = nullptr;
    EXPECT_FALSE(tsh_session_run(session_, &run, &fetched_, s()));
    EXPECT_TRUE(tsh_status_code(s()) == TSH_INVALID_ARGUMENT ||
                tsh_status_code(s()) == TSH_NOT_FOUND)
        << Message();
    EXPECT_FALSE(tsh_session_run_traced(session_, &run, &fetched_, &text_, s()));
    EXPECT_FALSE(tsh_session_run_recorded(session_, &run, &fetched_, &step, s()));
    EXPECT_FALSE(tsh_session_run_with(session_, &run, &control, &fetched_, s()));
    if (row.at_run_only) continue;
    EXPECT_EQ(tsh_session_explain(session_, &run, 10, s()), nullptr);
    EXPECT_EQ(tsh_callable_new(session_, &run, s()), nullptr);
    EXPECT_EQ(tsh_partial_new(session_, &run, s()), nullptr);
  }
}

TEST_F(Nonsense, Steps) {
  const tsh_output y{1, 0}, x{0, 0};
  tsh_run run{};
  run.fetches = &y;
  run.n_fetches = 1;
  run.feeds = &x;
  run.values = &one_;
  run.n_feeds = 1;
  tsh_step* step = nullptr;
  const tsh_control control{};
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_run(nullptr, &run, &fetched_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_run(session_, nullptr, &fetched_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_run(session_, &run, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_run_traced(session_, &run, nullptr, &text_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_run_traced(session_, &run, &fetched_, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_explain(nullptr, &run, 9, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_explain(session_, nullptr, 9, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_run_recorded(nullptr, &run, &fetched_, &step, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_run_recorded(session_, &run, &fetched_, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_run_with(session_, &run, nullptr, &fetched_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_run_with(nullptr, &run, &control, &fetched_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_callable_new(nullptr, &run, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_callable_new(session_, nullptr, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_callable_run(nullptr, &one_, &fetched_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_partial_new(nullptr, &run, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_partial_run(nullptr, &run, &fetched_, st));
  EXPECT_EQ(tsh_partial_done(nullptr), 1);
  EXPECT_EQ(tsh_callable_is_steady(nullptr), 0);
  tsh_callable* callable = tsh_callable_new(session_, &run, s());
  ASSERT_NE(callable, nullptr) << Message();
  FAILS(TSH_INVALID_ARGUMENT, tsh_callable_run(callable, nullptr, &fetched_, st));
  FAILS(TSH_INVALID_ARGUMENT, tsh_callable_run(callable, &one_, nullptr, st));
  tsh_callable_unref(callable);
  EXPECT_EQ(tsh_step_report(nullptr), nullptr);
  EXPECT_EQ(tsh_step_num_values(nullptr), 0u);
  int64_t times = 0;
  EXPECT_EQ(tsh_step_value(nullptr, 0, &out_, &times), nullptr);
}

// A caller with a newer header: what this build does not know must be zero.
TEST_F(Nonsense, StructsOfAnotherVersion) {
  const tsh_output x{0, 0};
  struct Newer {
    tsh_run run;
    int64_t added[2] = {0, 0};
  };
  Newer newer{};
  newer.run.size = sizeof newer;
  newer.run.fetches = &x;
  newer.run.n_fetches = 1;
  newer.run.feeds = &x;
  newer.run.values = &one_;
  newer.run.n_feeds = 1;
  ASSERT_TRUE(tsh_session_run(session_, &newer.run, &fetched_, s())) << Message();
  tsh_tensor_unref(fetched_);
  newer.added[1] = 1;
  FAILS(TSH_INVALID_ARGUMENT, tsh_session_run(session_, &newer.run, &fetched_, st));
  // In an array the first element's size is the distance to the second.
  struct NewerNode {
    tsh_node_spec spec;
    void* added = nullptr;
  };
  NewerNode nodes[2] = {};
  for (NewerNode& node : nodes) {
    node.spec.size = sizeof node;
    node.spec.op = "Neg";
    node.spec.inputs = &x;
    node.spec.n_inputs = 1;
  }
  ASSERT_TRUE(tsh_graph_add(g_, &nodes[0].spec, 2, &node_, s())) << Message();
  EXPECT_STREQ(tsh_node_name(g_, node_ + 1), "Neg_1");
}

// Collects the timelines of a step that runs and of one that fails.

}  // namespace
}  // namespace tensh::api
