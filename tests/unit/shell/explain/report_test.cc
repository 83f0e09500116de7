// The data of a report: reading the JSON document, lookups, and short names of devices and types.
#include "shell/explain/report.h"

#include <gtest/gtest.h>

namespace tensh::shell {
namespace {

TEST(Reports, ShortDevices) {
  const struct {
    const char *device, *want;
  } rows[] = {
      {"/job:localhost/replica:0/task:0/device:CPU:1", "cpu:1"},
      {"/device:GPU:0", "gpu:0"},
      {"/cpu:1", "cpu:1"},
      {"cpu:1", "cpu:1"},
      {"", ""},
      {"nonsense", "nonsense"},
  };
  for (const auto& row : rows) EXPECT_EQ(ShortDevice(row.device), row.want) << row.device;
}

TEST(Reports, AreReadFieldByField) {
  Report report;
  ASSERT_TRUE(ParseReport(R"({"version": 3, "graph_nodes": 9, "nodes": [
      {"id": 1, "name": "a", "op": "Const", "state": "runs", "inputs": []},
      {"id": 2, "name": "b", "op": "Exp", "state": "fetch", "inputs": ["a:0", "^c"]}]})",
                          &report));
  EXPECT_EQ(report.version, 3);
  ASSERT_EQ(report.nodes.size(), 2u);
  EXPECT_EQ(report.nodes[1].inputs.size(), 2u);
  ASSERT_NE(report.Find("b"), nullptr);
  EXPECT_EQ(report.Find("b")->op, "Exp");
  EXPECT_EQ(report.Find("nope"), nullptr);
  EXPECT_TRUE(report.events.empty());
}

TEST(Reports, TextsThatAreNone) {
  for (const char* text : {"", "[]", "3", "null", "{\"nodes\": [", "nonsense"}) {
    Report report;
    EXPECT_FALSE(ParseReport(text, &report)) << text;
  }
}

TEST(Reports, TheSubjectOfAnEvent) {
  Report report;
  report.transfers = {{"a:0", "cpu:0", "cpu:1", 8, {"b", "c"}}};
  ReportEvent event;
  event.kind = "compute";
  event.node = "a";
  EXPECT_EQ(report.Subject(event), "a");
  event = {};
  event.kind = "wait";
  event.tensor = "a:0";
  event.device = "cpu:1";
  EXPECT_EQ(report.Subject(event), "b") << "the first node that needs the tensor";
}

}  // namespace
}  // namespace tensh::shell
