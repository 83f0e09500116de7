#include "shell/explain/film.h"

#include <gtest/gtest.h>

#include <memory>

#include "shell/text/json.h"

namespace tensh::shell {
namespace {

// a on one task of a cluster, b on another, and a node that is pruned.
constexpr const char* kRun =
    R"({"version":4,"graph_nodes":3,"pruned_total":1,"wall_ns":900,"nodes":[
{"id":0,"name":"a","op":"Const","type":"f32[2]","state":"runs","short_device":"/job:ps/replica:0/task:0/device:CPU:0","inputs":[]},
{"id":1,"name":"b","op":"Exp","type":"f32[2]","state":"fetch","short_device":"/job:worker/replica:0/task:1/device:CPU:0","inputs":["a:0"]},
{"id":2,"name":"<c>","op":"Log","state":"pruned","inputs":["a:0"]}],
"partitions":[{"device":"/job:ps/replica:0/task:0/device:CPU:0","nodes":["a"]},
{"device":"/job:worker/replica:0/task:1/device:CPU:0","nodes":["b"]}],
"transfers":[{"tensor":"a:0","from":"/job:ps/replica:0/task:0/device:CPU:0","to":"/job:worker/replica:0/task:1/device:CPU:0","bytes":8,"consumers":["b"]}],
"steps":[
{"device":"/job:ps/replica:0/task:0/device:CPU:0","node":"a","kind":"send","tensor":"a:0","bytes":8,"start_ns":100,"end_ns":200},
{"device":"/job:worker/replica:0/task:1/device:CPU:0","node":"a","kind":"recv","tensor":"a:0","bytes":8,"start_ns":400,"end_ns":700},
{"device":"/job:worker/replica:0/task:1/device:CPU:0","node":"b","op":"Exp","kind":"compute","start_ns":700,"end_ns":900}]})";

Json FilmOf(const Report& report, const std::vector<Moment>& moments, const ValueTexts& values) {
  const Drawing drawing(std::shared_ptr<const Report>(std::shared_ptr<const Report>(), &report));
  bool ok = false;
  Json json =
      Json::Parse(FilmJson({report, moments, values, "b", 0}, drawing.parts().lanes()), &ok);
  EXPECT_TRUE(ok);
  return json;
}

TEST(Film, HasTheStagesAndTheMoments) {
  Report report;
  ASSERT_TRUE(ParseReport(kRun, &report));
  const Json film = FilmOf(report, Moments(report), {{"b:0", "[1. 2.]"}});
  const std::vector<Json>& stages = film["stages"].items();
  ASSERT_EQ(stages.size(), 4u);
  EXPECT_EQ(stages[0].as_string(), "the graph @4: 3 nodes");
  EXPECT_EQ(stages[1].as_string(), "pruned: 1 node is left out, because no fetch needs it: <c>");
  EXPECT_EQ(stages[2].as_string(), "placed: 1 node on ps:0 cpu:0, 1 node on worker:1 cpu:0");
  EXPECT_EQ(stages[3].as_string(), "cut into 2 partitions: 1 Send/Recv pair, 8 B");
  std::string sent, what;
  for (const Json& moment : film["moments"].items())
    sent += moment["sent"].as_string(), what = moment["what"].as_string();
  EXPECT_EQ(sent, "0122");
  EXPECT_NE(what.find("runs b (Exp) = [1. 2.]"), std::string::npos) << what;
  // The wait for the Send is an event, and not a moment.
  EXPECT_EQ(film["events"].size(), 4u);
  EXPECT_EQ(film["transfers"].items()[0].items()[3].as_int(), 8);
}

TEST(Film, ARunThatWasOnlyPlannedHasNoMoments) {
  Report report;
  ASSERT_TRUE(ParseReport(kRun, &report));
  report.events.clear();
  const Json film = FilmOf(report, {}, {});
  EXPECT_EQ(film["moments"].size(), 0u);
  EXPECT_EQ(film["stages"].size(), 4u);
}

TEST(Film, ThePageIsSafe) {
  Report report;
  ASSERT_TRUE(ParseReport(kRun, &report));
  Drawing drawing(std::shared_ptr<const Report>(std::shared_ptr<const Report>(), &report));
  const std::vector<Moment> moments = Moments(report);
  const std::string page = RenderFilm({report, moments, {}, "b <script>", 0}, &drawing);
  EXPECT_EQ(page.find("<c>"), std::string::npos);
  EXPECT_NE(page.find("step b &lt;script&gt;"), std::string::npos);
}

TEST(Machines, TasksAreNamedAndTransfersAreMeasured) {
  Report report;
  ASSERT_TRUE(ParseReport(kRun, &report));
  Drawing drawing(std::shared_ptr<const Report>(std::shared_ptr<const Report>(), &report));
  EXPECT_EQ(drawing.LaneTask(0), "/job:ps/task:0");
  EXPECT_EQ(drawing.LaneTask(1), "/job:worker/task:1");
  EXPECT_EQ(drawing.LaneTask(2), "");  // not run
  std::string labels;
  for (const DrawnItem& item : drawing.Level(0).items) labels += item.label + "|";
  EXPECT_NE(labels.find("Send a 8 B|"), std::string::npos) << labels;
  EXPECT_NE(labels.find("Recv a 600 ns|"), std::string::npos) << labels;
  EXPECT_NE(labels.find("|cpu:0|"), std::string::npos) << labels;
}

TEST(Machines, NamesOfDevices) {
  constexpr std::string_view kDevice = "/job:worker/replica:0/task:12/device:GPU:1";
  EXPECT_EQ(TaskOfDevice(kDevice), "/job:worker/task:12");
  EXPECT_EQ(DeviceInTask(kDevice), "gpu:1");
  EXPECT_EQ(BriefDevice(kDevice), "worker:12 gpu:1");
  EXPECT_EQ(BriefDevice("/job:ps/task:0/cpu:0"), "ps:0 cpu:0");
  EXPECT_EQ(BriefDevice("/job:ps/task:0"), "ps:0 any device");
  for (const char* other : {"cpu:0", "", "/job:x", "no device requested"}) {
    EXPECT_EQ(TaskOfDevice(other), "") << other;
    EXPECT_EQ(BriefDevice(other), other);
  }
}

}  // namespace
}  // namespace tensh::shell
