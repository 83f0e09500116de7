#include "shell/explain/drawing_json.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "shell/text/json.h"

namespace tensh::shell {
namespace {

ReportNode Node(std::string name, std::string op, std::vector<std::string> inputs) {
  ReportNode node;
  node.name = std::move(name), node.op = std::move(op), node.inputs = std::move(inputs);
  node.state = "runs", node.device = "cpu:0", node.type = "f32[2,3]";
  return node;
}

// Four scopes of four nodes each, one after the other.
Drawing FourScopes() {
  Report report;
  std::string before;
  for (const char* scope : {"a", "b", "c", "d"}) {
    for (int i = 0; i < 4; ++i) {
      const std::string name = scope + std::string("/n<") + std::to_string(i);
      report.nodes.push_back(Node(name, "Exp", {}));
      if (!before.empty()) report.nodes.back().inputs = {before + ":0"};
      before = name;
    }
  }
  return Drawing(std::make_shared<const Report>(report));
}

Json Parsed(const std::string& text) {
  bool ok = false;
  Json json = Json::Parse(text, &ok);
  EXPECT_TRUE(ok) << text;
  return json;
}

TEST(DrawingJson, HasTheOpenLevelsAndNoOthers) {
  Drawing drawing = FourScopes();
  const size_t b = drawing.parts().Find("b/");
  ASSERT_NE(b, kNoPart);
  const Json json = Parsed(DrawingJson(&drawing, {b}, 0));
  ASSERT_EQ(json["first"].size(), 1u);
  EXPECT_EQ(json["first"].items()[0].as_string(), "b/");
  EXPECT_EQ(json["levels"].keys(), (std::vector<std::string>{"", "b/"}));
  EXPECT_EQ(json["levels"]["b/"]["up"].as_string(), "");
}

TEST(DrawingJson, OtherLevelsFollowWhileThereIsRoom) {
  Drawing drawing = FourScopes();
  EXPECT_EQ(Parsed(DrawingJson(&drawing, {}, 1000))["levels"].size(), 5u);
  EXPECT_EQ(Parsed(DrawingJson(&drawing, {}, 14))["levels"].size(), 3u);
}

TEST(DrawingJson, ALevelHasItsItemsAndEdges) {
  Drawing drawing = FourScopes();
  const size_t b = drawing.parts().Find("b/");
  const DrawnLevel& level = drawing.Level(b);
  const Json json = Parsed(LevelJson(&drawing, b));
  ASSERT_EQ(json["items"].size(), level.items.size());
  ASSERT_EQ(json["edges"].size(), level.edges.size());
  std::set<std::string> names;
  size_t closing = 0, tensors = 0;
  for (const Json& item : json["items"].items()) {
    if (item["name"].is_string()) names.insert(item["name"].as_string());
    closing += item["closes"].as_int();
  }
  EXPECT_EQ(names, (std::set<std::string>{"b/n<0", "b/n<1", "b/n<2", "b/n<3"}));
  EXPECT_EQ(closing, 1u);
  for (const Json& edge : json["edges"].items()) {
    EXPECT_NE(edge["f"].as_int(-1), edge["t"].as_int(-1));
    tensors += edge["v"].size();
  }
  EXPECT_EQ(tensors, 5u);  // three within the scope, one that enters and one that leaves
}

}  // namespace
}  // namespace tensh::shell
