#include "shell/explain/export.h"

#include <gtest/gtest.h>

#include "shell/explain/predict.h"

namespace tensh::shell {
namespace {

ReportNode Node(std::string name, std::string op, std::vector<std::string> inputs,
                std::string state, std::string device) {
  ReportNode node;
  node.name = std::move(name);
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  node.state = std::move(state);
  node.device = std::move(device);
  return node;
}

Report TwoDevices() {
  Report report;
  report.version = 3;
  report.nodes = {Node("a<&\"", "Const", {}, "runs", "cpu:0"),
                  Node("b", "Exp", {"a<&\":0"}, "runs", "cpu:1"),
                  Node("c", "Log", {"b:0"}, "fetch", "cpu:0"), Node("d", "Log", {}, "pruned", "")};
  report.partitions = {{"cpu:0", {"a<&\"", "c"}}, {"cpu:1", {"b"}}};
  report.transfers = {{"a<&\":0", "cpu:0", "cpu:1", 8, {"b"}}, {"b:0", "cpu:1", "cpu:0", 8, {"c"}}};
  return report;
}

TEST(ExportTest, NamesAreEscaped) {
  const Report report = TwoDevices();
  const ViewOptions view{.request = "c <script>"};
  const std::string html = RenderHtml(report, view);
  EXPECT_EQ(html.find("<script>\n"), std::string::npos);
  EXPECT_NE(html.find("explain c &lt;script&gt;"), std::string::npos);
  EXPECT_NE(html.find("a&lt;&amp;&quot;"), std::string::npos);
  EXPECT_EQ(html.find("http://"), html.find("http://www.w3.org/2000/svg"));
  EXPECT_NE(RenderDot(report, view).find("a<&\\\""), std::string::npos);
}

TEST(ExportTest, DotShowsTransfersAndClusters) {
  const std::string dot = RenderDot(TwoDevices(), {});
  EXPECT_NE(dot.find("Send/Recv b:0 8 B"), std::string::npos);
  EXPECT_NE(dot.find("subgraph cluster_1"), std::string::npos);
}

TEST(PredictTest, TransfersCostAndWaitsAreNamed) {
  Report plan = TwoDevices();
  MeasuredCosts costs;
  costs.node_ns = {{"a<&\"", 100}, {"b", 200}, {"c", 300}};
  costs.send_ns = 10;
  costs.recv_ns = 20;
  costs.transfers_measured = true;
  EXPECT_EQ(PredictStep(costs, &plan), 0u);
  EXPECT_EQ(plan.wall_ns, 100 + 30 + 200 + 30 + 300);
  EXPECT_EQ(plan.critical_path, (std::vector<std::string>{"a<&\"", "b", "c"}));
  int waits = 0;
  for (const ReportEvent& event : plan.events) {
    if (event.kind != "wait") continue;
    ++waits;
    EXPECT_EQ(event.waits_for, "send " + event.tensor);
  }
  EXPECT_EQ(waits, 2);
  EXPECT_EQ(PredictStep({}, &plan), 3u);
}

TEST(RowsTest, AnOpenedScopeShowsItsScopes) {
  Report report;
  for (int i = 0; i < 9; ++i)
    report.nodes.push_back(Node("out/in" + std::to_string(i / 3) + "/n" + std::to_string(i), "NoOp",
                                {}, "runs", "cpu:0"));
  ViewOptions view{.max_rows = 5};
  EXPECT_EQ(MakeRows(report, view).size(), 3u);  // out is opened, because that fits
  view.max_rows = 3;
  ASSERT_EQ(MakeRows(report, view).size(), 1u);
  view.open = {"out"};
  ASSERT_EQ(MakeRows(report, view).size(), 3u);
  EXPECT_EQ(MakeRows(report, view)[1].scope, "out/in1");
  view.open = {"out", "out/in1"};
  EXPECT_EQ(MakeRows(report, view).size(), 5u);
}

// A large scope is opened, but not the loop in it.
TEST(RowsTest, ALoopIsOneRow) {
  Report report;
  for (int i = 0; i < 40; ++i) {
    ReportNode node = Node("rnn/" + std::string(i >= 20 ? "while/" : "") + "n" + std::to_string(i),
                           "NoOp", {}, "runs", "cpu:0");
    if (i >= 22) node.loop = "rnn/while";
    report.nodes.push_back(node);
  }
  const std::vector<ViewRow> rows = MakeRows(report, {.max_rows = 30});
  ASSERT_EQ(rows.size(), 21u);
  EXPECT_EQ(rows[20].scope, "rnn/while");
  EXPECT_EQ(rows[20].op, "loop of 20 nodes");
}

TEST(RowsTest, ABackwardLoopIsNamed) {
  Report report;
  for (const char* loop : {"w", "gradients/w"}) {
    for (int i = 0; i < 3; ++i) {
      report.nodes.push_back(Node(loop + ("/n" + std::to_string(i)), "NoOp", {}, "runs", "cpu:0"));
      report.nodes.back().loop = loop;
    }
  }
  const std::vector<ViewRow> rows = MakeRows(report, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].op, "loop of 3 nodes");
  EXPECT_EQ(rows[1].op, "backward loop of 3 nodes");
  EXPECT_EQ(report.LoopText("w"), "the loop w");
  EXPECT_EQ(report.LoopText("gradients/w"), "the backward loop gradients/w of w");
}

}  // namespace
}  // namespace tensh::shell
