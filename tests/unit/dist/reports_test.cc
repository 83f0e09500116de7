// Reports of a step: from the runtime's JSON to TensorFlow's messages, and from a server's messages
// to the client's graph.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/dist/wire/metadata.h"
#include "runtime/dist/wire/report_codec.h"

namespace tensh::dist {
namespace {

// A copy that tsh_free releases, as functions of the C API return it.
char* Text(const std::string& text) { return strdup(text.c_str()); }

TEST(Devices, Encoded) {
  google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes> devices;
  EncodeDevices(Text(R"([{"name": "/device:CPU:0", "type": "CPU", "memory_limit": 256,
                          "incarnation": 18446744073709551615},
                         {"name": 3, "memory_limit": "much"}, {}])"),
                &devices);
  ASSERT_EQ(devices.size(), 3);
  EXPECT_EQ(devices[0].name(), "/device:CPU:0");
  EXPECT_EQ(devices[0].device_type(), "CPU");
  EXPECT_EQ(devices[0].memory_limit(), 256);
  EXPECT_EQ(devices[0].incarnation(), UINT64_MAX);
  for (int i = 1; i < 3; ++i) {  // Members of the wrong type count as missing.
    EXPECT_EQ(devices[i].name(), "");
    EXPECT_EQ(devices[i].memory_limit(), 0);
  }
}

TEST(Devices, TextThatIsNotAReport) {
  for (const char* text : {"", "[]", "{}", "nonsense", "[1"}) {
    google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes> devices;
    EncodeDevices(Text(text), &devices);
    EXPECT_EQ(devices.size(), 0) << text;
  }
  google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes> devices;
  EncodeDevices(nullptr, &devices);
  EXPECT_EQ(devices.size(), 0);
}

TEST(Traces, Encoded) {
  tensorflow::StepStats stats;
  EncodeTrace(R"({"wall_ns": 9000,
      "partitions": [{"short_device": "cpu:0", "device": "/job:a/device:CPU:0"}],
      "steps": [
        {"kind": "op", "device": "cpu:0", "node": "a", "op": "Add", "start_ns": 1000,
         "end_ns": 3500, "bytes": 8},
        {"kind": "wait", "device": "cpu:0", "start_ns": 3500, "end_ns": 4000},
        {"kind": "send", "device": "cpu:0", "tensor": "a:0", "start_ns": 4000, "end_ns": 3000,
         "bytes": 16},
        {"kind": "recv", "device": "cpu:1", "tensor": "a:0"},
        7]})",
              &stats);
  ASSERT_EQ(stats.dev_stats_size(), 2);
  EXPECT_EQ(stats.dev_stats(0).device(), "/job:a/device:CPU:0");
  EXPECT_EQ(stats.dev_stats(1).device(), "cpu:1");  // No partition says its full name.
  ASSERT_EQ(stats.dev_stats(0).node_stats_size(), 2);
  const auto& op = stats.dev_stats(0).node_stats(0);
  EXPECT_EQ(op.node_name(), "a");
  EXPECT_EQ(op.timeline_label(), "a = Add()");
  EXPECT_EQ(op.op_end_rel_nanos(), 2500);
  EXPECT_EQ(op.op_end_rel_micros(), 3);  // rounded up
  EXPECT_EQ(op.output(0).tensor_description().allocation_description().requested_bytes(), 8);
  const auto& send = stats.dev_stats(0).node_stats(1);
  EXPECT_EQ(send.node_name(), "send a:0");
  EXPECT_EQ(send.timeline_label(), "[16B] send a:0");
  EXPECT_EQ(send.op_end_rel_nanos(), 0);  // An end before the start counts as the start.
  EXPECT_EQ(send.op_end_rel_micros(), 1);
  EXPECT_EQ(send.all_start_nanos() - op.all_start_nanos(), 3000);
  EXPECT_EQ(stats.dev_stats(1).node_stats(0).output_size(), 0);
  for (const char* text : {"", "{}", "[]", "null", "{\"steps\": 3}", "{\"steps\": [[]]}"}) {
    tensorflow::StepStats none;
    EncodeTrace(text, &none);
    EXPECT_EQ(none.dev_stats_size(), 0) << text;
  }
}

// The text of what TellTrace tells: "a on DEVICE" for each node, then one line for each event.
std::string Told(const tensorflow::RunMetadata& metadata) {
  std::string out;
  const std::vector<std::string> names = {"a", "b", "c"};
  const NodeFinder find = [&](const std::string& name) -> tsh_node {
    for (size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return static_cast<tsh_node>(i);
    return TSH_NO_NODE;
  };
  const tensh_dist_trace trace = {
      &out,
      [](void* to, tsh_node node, const char* device) {
        *static_cast<std::string*>(to) += StrCat("abc"[node], " on ", device, "\n");
      },
      [](void* to, const tensh_dist_event* e) {
        const char* kinds[] = {"compute", "send", "recv"};
        const std::string port = e->value.index == TSH_NO_NODE ? "^" : StrCat(e->value.index);
        *static_cast<std::string*>(to) += StrCat(
            kinds[e->kind], " ", "abc"[e->value.node], ":", port, " at ", e->device,
            *e->to ? " to " : "", e->to, " ", e->start_ns, "-", e->end_ns, " ", e->bytes, "B\n");
      }};
  TellTrace(metadata, find, trace);
  return out;
}

tensorflow::NodeExecStats* Stat(tensorflow::RunMetadata* metadata, const char* device,
                                const char* name, int64_t start, int64_t end) {
  tensorflow::DeviceStepStats* to = nullptr;
  for (auto& d : *metadata->mutable_step_stats()->mutable_dev_stats())
    if (d.device() == device) to = &d;
  if (!to) {
    to = metadata->mutable_step_stats()->add_dev_stats();
    to->set_device(device);
  }
  auto* stat = to->add_node_stats();
  stat->set_node_name(name);
  stat->set_all_start_nanos(start);
  stat->set_op_end_rel_nanos(end - start);
  return stat;
}

std::string Attr(const char* text) {
  tensorflow::AttrText attr;
  attr.set_s(text);
  return attr.SerializeAsString();
}

TEST(TellTrace, TimesCountFromTheFirstEvent) {
  tensorflow::RunMetadata metadata;
  Stat(&metadata, "/cpu:0", "a", 5000, 5010);
  Stat(&metadata, "/cpu:0", "b", 5100, 5300)->add_output();
  Stat(&metadata, "/cpu:0", "optimised", 4000, 4100);  // The client has no such node.
  auto* sized = Stat(&metadata, "/cpu:1", "c", 5100, 5000);
  sized->add_output()
      ->mutable_tensor_description()
      ->mutable_allocation_description()
      ->set_requested_bytes(40);
  EXPECT_EQ(Told(metadata),
            "compute a:0 at /cpu:0 0-10 0B\n"
            "compute b:0 at /cpu:0 100-300 0B\n"
            "compute c:0 at /cpu:1 100-100 40B\n");
}

TEST(TellTrace, MicrosecondsOfOlderServers) {
  tensorflow::RunMetadata metadata;
  auto* stat = Stat(&metadata, "/cpu:0", "a", 0, 0);
  stat->set_all_start_micros(7);
  stat->set_op_start_rel_micros(2);
  stat->set_op_end_rel_micros(5);
  EXPECT_EQ(Told(metadata), "compute a:0 at /cpu:0 0-3000 0B\n");
}

TEST(TellTrace, TransfersInTheWordsOfTensh) {
  tensorflow::RunMetadata metadata;
  Stat(&metadata, "/cpu:0", "send a:1", 10, 20);
  Stat(&metadata, "/cpu:1", "recv a:1", 10, 30);
  Stat(&metadata, "/cpu:1", "recv ^b", 10, 30);
  Stat(&metadata, "/cpu:1", "recv unknown:0", 10, 30);
  Stat(&metadata, "/cpu:1", "recv :", 10, 30);
  EXPECT_EQ(Told(metadata),
            "send a:1 at /cpu:0 0-10 0B\n"
            "recv a:1 at /cpu:1 to /cpu:1 0-20 0B\n"
            "recv b:^ at /cpu:1 to /cpu:1 0-20 0B\n");
}

TEST(TellTrace, TransfersInTheGraphsOfTensorFlow) {
  tensorflow::RunMetadata metadata;
  tensorflow::GraphDef graph;
  const auto add = [&](const char* name, const char* op, const char* input, const char* device) {
    auto* node = graph.add_node();
    node->set_name(name);
    node->set_op(op);
    node->set_device(device);
    if (*input) node->add_input(input);
    return node;
  };
  add("a", "Const", "", "/cpu:0");
  add("elsewhere", "Const", "", "/cpu:0");
  add("b", "Add", "a", "");  // A node without a device is not placed.
  for (const char* op : {"_Send", "_Recv"}) {
    auto* node = add(op[1] == 'S' ? "s1" : "r1", op, op[1] == 'S' ? "a:1" : "", "/cpu:0");
    (*node->mutable_attr())["tensor_name"] = Attr("edge_1_a");
    (*node->mutable_attr())["recv_device"] = Attr("/cpu:1");
  }
  metadata.add_partition_graphs(graph.SerializeAsString());
  metadata.add_partition_graphs("\xff nonsense");  // A graph that cannot be read is left out.
  Stat(&metadata, "/cpu:0", "s1", 100, 110);
  Stat(&metadata, "/cpu:1", "r1", 100, 130);
  Stat(&metadata, "/cpu:1", "RecvTensor", 105, 125)
      ->set_timeline_label("[8B] edge_1_a from /cpu:0 to /cpu:1");
  Stat(&metadata, "/cpu:1", "RecvTensor", 105, 125)->set_timeline_label("[8B] edge_1_a");
  Stat(&metadata, "/cpu:1", "RecvTensor", 105, 125)
      ->set_timeline_label("[8B] edge_2_b from /cpu:0 to /cpu:1");
  EXPECT_EQ(Told(metadata),
            "a on /cpu:0\n"
            "send a:1 at /cpu:0 to /cpu:1 0-10 0B\n"
            "recv a:1 at /cpu:1 to /cpu:1 0-30 0B\n"
            "recv a:1 at /cpu:1 to /cpu:1 5-25 8B\n");
}

TEST(TellTrace, TimesThatNoClockShows) {
  tensorflow::RunMetadata metadata;
  Stat(&metadata, "/cpu:0", "a", INT64_MAX, INT64_MAX);
  Stat(&metadata, "/cpu:0", "a", -5, 5);
  auto* stat = Stat(&metadata, "/cpu:0", "b", 100, 100);
  stat->set_op_start_rel_nanos(INT64_MIN);
  stat->set_op_end_rel_nanos(INT64_MAX);
  EXPECT_EQ(Told(metadata), StrCat("compute b:0 at /cpu:0 0-", INT64_MAX / 8, " 0B\n"));
}

}  // namespace
}  // namespace tensh::dist
