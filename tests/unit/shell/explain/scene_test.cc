#include "shell/explain/scene.h"

#include <gtest/gtest.h>

#include <random>

#include "shell/explain/export.h"

namespace tensh::shell {
namespace {

ReportNode Node(std::string name, std::string op, std::vector<std::string> inputs,
                std::string device = "cpu:0", std::string state = "runs") {
  ReportNode node;
  node.name = std::move(name), node.op = std::move(op), node.inputs = std::move(inputs);
  node.state = std::move(state), node.device = std::move(device), node.type = "f32[2,3]";
  return node;
}

// A graph of nested scopes on some devices, in which each node takes values of earlier ones.
Report RandomGraph(unsigned seed, size_t nodes, size_t devices) {
  std::mt19937 random(seed);
  Report report;
  for (size_t n = 0; n < nodes; ++n) {
    std::string name;
    for (size_t depth = random() % 4; depth > 0; --depth)
      name += "scope" + std::to_string(random() % 4) + "/";
    name += "n" + std::to_string(n);
    std::vector<std::string> inputs;
    for (size_t k = random() % 3; k > 0 && n > 0; --k)
      inputs.push_back(report.nodes[n - 1 - random() % std::min<size_t>(n, 20)].name + ":0");
    report.nodes.push_back(Node(name, "Add", inputs, "cpu:" + std::to_string(random() % devices)));
  }
  for (size_t d = 0; d < devices; ++d)
    report.partitions.push_back({"cpu:" + std::to_string(d), {}});
  return report;
}

Report Loop() {
  Report report;
  report.nodes = {Node("w/Enter", "Enter", {}),
                  Node("w/Merge", "Merge", {"w/Enter:0", "w/NextIteration:0"}),
                  Node("w/Less", "Less", {"w/Merge:0"}),
                  Node("w/LoopCond", "LoopCond", {"w/Less:0"}),
                  Node("w/Switch", "Switch", {"w/Merge:0", "w/LoopCond:0"}),
                  Node("w/add", "AddV2", {"w/Switch:1"}),
                  Node("w/NextIteration", "NextIteration", {"w/add:0"}),
                  Node("w/Exit", "Exit", {"w/Switch:0"}),
                  Node("y", "Mul", {"w/Exit:0"}, "cpu:0", "fetch")};
  for (size_t i = 0; i < 8; ++i) report.nodes[i].loop = "w";
  return report;
}

std::set<size_t> AllParts(const Drawing& drawing) {
  std::set<size_t> open;
  for (size_t p = 1; p < drawing.parts().parts().size(); ++p)
    if (drawing.parts().parts()[p].shown && drawing.parts().parts()[p].node == SIZE_MAX)
      open.insert(p);
  return open;
}

// Returns true if the point is strictly inside the box.
bool Inside(const SceneBox& box, double x, double y) {
  return x > box.x + 0.5 && x < box.x + box.w - 0.5 && y > box.y + 0.5 && y < box.y + box.h - 0.5;
}

bool Overlap(const SceneBox& a, const SceneBox& b) {
  return a.x + 0.5 < b.x + b.w && b.x + 0.5 < a.x + a.w && a.y + 0.5 < b.y + b.h &&
         b.y + 0.5 < a.y + a.h;
}

bool Contains(const SceneBox& outer, const SceneBox& inner) {
  return outer.x <= inner.x && outer.y <= inner.y && inner.x + inner.w <= outer.x + outer.w &&
         inner.y + inner.h <= outer.y + outer.h;
}

// Returns a point of the part of the line that ends at point i; `t` is in [0, 1].
std::pair<double, double> At(const SceneLine& line, size_t i, double t) {
  const ScenePoint &a = line.points[i - 1], &b = line.points[i];
  const double x =
      line.points[i].bend ? a.x + (b.x - a.x) * t * t * (3 - 2 * t) : a.x + (b.x - a.x) * t;
  // A bend is a cubic curve whose control points have the middle y.
  const double y = line.points[i].bend ? a.y + (b.y - a.y) * (1.5 * t * (1 - t) + t * t * t)
                                       : a.y + (b.y - a.y) * t;
  return {x, y};
}

void CheckBoxes(const Scene& scene) {
  for (size_t a = 0; a < scene.boxes.size(); ++a)
    for (size_t b = a + 1; b < scene.boxes.size(); ++b) {
      const SceneBox &first = scene.boxes[a], &second = scene.boxes[b];
      EXPECT_TRUE(!Overlap(first, second) || (first.open && Contains(first, second)))
          << first.item->key << " and " << second.item->key;
    }
}

// Text is in titles and closed boxes.
void CheckLines(const Scene& scene) {
  for (const SceneLine& line : scene.lines) {
    for (size_t i = 1; i < line.points.size(); ++i) {
      EXPECT_TRUE(line.route->up || line.points[i].y + 0.01 >= line.points[i - 1].y)
          << "a line that runs upward";
      for (double t = 0; t <= 1; t += 1.0 / 16) {
        const auto point = At(line, i, t);
        for (const SceneBox& box : scene.boxes)
          EXPECT_FALSE(!box.open && Inside(box, point.first, point.second)) << box.item->key;
      }
    }
  }
}

void CheckGeometry(const Report& report, bool open_all) {
  Drawing drawing(std::make_shared<const Report>(report));
  std::set<size_t> open;
  if (open_all) open = AllParts(drawing);
  const Scene scene = Compose(&drawing, open);
  CheckBoxes(scene);
  CheckLines(scene);
  for (const SceneBox& box : scene.boxes) {
    EXPECT_GE(box.x, 0) << box.item->key;
    EXPECT_LE(box.x + box.w, scene.width + 0.01) << box.item->key;
    EXPECT_LE(box.y + box.h, scene.height + 0.01) << box.item->key;
  }
}

TEST(SceneTest, NothingOverlapsText) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    for (const bool open : {false, true}) {
      CheckGeometry(RandomGraph(seed, 60, 1 + seed % 3), open);
      if (HasFailure()) FAIL() << "seed " << seed;
    }
  }
  CheckGeometry(Loop(), true);
}

TEST(SceneTest, OnlyTheEdgeThatClosesALoopRunsUpward) {
  const Report report = Loop();
  Drawing drawing(std::make_shared<const Report>(report));
  const Scene scene = Compose(&drawing, AllParts(drawing));
  int up = 0;
  for (const SceneLine& line : scene.lines) up += line.route->up ? 1 : 0;
  EXPECT_EQ(up, 1);
  EXPECT_TRUE(drawing.parts().parts()[drawing.parts().Find("w/")].loop);
}

TEST(SceneTest, ACutEdgeHasASendAndARecv) {
  Report report;
  report.nodes = {Node("a", "Const", {}, "cpu:0"), Node("b", "Exp", {"a:0"}, "cpu:1"),
                  Node("c", "Log", {"a:0"}, "cpu:1", "fetch")};
  report.partitions = {{"cpu:0", {"a"}}, {"cpu:1", {"b", "c"}}};
  report.transfers = {{"a:0", "cpu:0", "cpu:1", 24, {"b", "c"}}};
  Drawing drawing(std::make_shared<const Report>(report));
  const Scene scene = Compose(&drawing, {});
  int sends = 0, recvs = 0, cut = 0;
  for (const SceneBox& box : scene.boxes) {
    sends += box.item->kind == DrawnKind::kSend ? 1 : 0;
    recvs += box.item->kind == DrawnKind::kRecv ? 1 : 0;
  }
  for (const SceneLine& line : scene.lines) cut += line.edge->cut ? 1 : 0;
  EXPECT_EQ(sends, 1);
  EXPECT_EQ(recvs, 1);
  EXPECT_EQ(cut, 1);
  EXPECT_EQ(scene.areas.size(), 2u);
}

// An open part moves the others but does not rearrange them.
TEST(SceneTest, OpeningKeepsTheOrder) {
  const Report report = RandomGraph(3, 80, 1);
  Drawing drawing(std::make_shared<const Report>(report));
  const Scene closed = Compose(&drawing, {});
  for (const size_t part : drawing.parts().parts()[0].parts) {
    if (drawing.parts().parts()[part].node != SIZE_MAX) continue;
    const Scene scene = Compose(&drawing, {part});
    std::vector<const SceneBox*> boxes;
    for (const SceneBox& box : closed.boxes)
      for (const SceneBox& after : scene.boxes)
        if (after.item == box.item) boxes.push_back(&after);
    ASSERT_EQ(boxes.size(), closed.boxes.size());
    for (size_t a = 0; a < boxes.size(); ++a)
      for (size_t b = 0; b < boxes.size(); ++b)
        EXPECT_TRUE(closed.boxes[a].x + closed.boxes[a].w > closed.boxes[b].x ||
                    boxes[a]->x + boxes[a]->w <= boxes[b]->x + 0.01);
  }
}

TEST(SceneTest, AuxiliaryNodesAreSetAside) {
  Report report;
  report.nodes = {Node("x", "Placeholder", {}),
                  Node("w", "VariableV2", {}),
                  Node("w/Initializer/zeros", "Const", {}),
                  Node("w/Assign", "Assign", {"w:0", "w/Initializer/zeros:0"}),
                  Node("w/read", "Identity", {"w:0"}),
                  Node("y", "MatMul", {"x:0", "w/read:0"})};
  for (int i = 0; i < 10; ++i)
    report.nodes.push_back(Node("gradients/g" + std::to_string(i), "Mul", {"y:0"}));
  Drawing drawing(std::make_shared<const Report>(report));
  const DrawnLevel& root = drawing.Level(0);
  for (size_t i = 0; i < root.items.size(); ++i) {
    const std::string& key = root.items[i].key;
    EXPECT_TRUE(key != "gradients/" || root.layout.items[i].lane == 1) << key;
    EXPECT_TRUE((key != "y" && key != "w/") || root.layout.items[i].lane == 0) << key;
  }
  EXPECT_EQ(drawing.PathTo("gradients/g3").size(), 3u);
  EXPECT_TRUE(drawing.PathTo("nobody").empty());
}

// The state of an optimizer does not depend on the inputs, and only its updates use it.
TEST(SceneTest, TheVariablesOfAnOptimizerAreSetAside) {
  Report report;
  report.nodes = {Node("x", "Placeholder", {}),
                  Node("w", "VariableV2", {}),
                  Node("w/read", "Identity", {"w:0"}),
                  Node("loss", "MatMul", {"x:0", "w/read:0"}),
                  Node("rate", "Const", {}),
                  Node("power", "VariableV2", {}),
                  Node("power/read", "Identity", {"power:0"}),
                  Node("power/next", "Mul", {"power/read:0", "rate:0"}),
                  Node("power/Assign", "Assign", {"power:0", "power/next:0"}),
                  Node("gradients/w", "MatMul", {"x:0", "loss:0"}),
                  Node("update", "ApplyAdam", {"w:0", "power/read:0", "gradients/w:0"}),
                  Node("noise", "RandomUniform", {}),
                  Node("mixed", "Add", {"loss:0", "noise:0"})};
  Drawing drawing(std::make_shared<const Report>(report));
  const std::vector<GraphPart>& parts = drawing.parts().parts();
  for (size_t n = 0; n < report.nodes.size(); ++n) {
    const std::string& name = report.nodes[n].name;
    const bool main =
        name == "x" || name[0] == 'w' || name == "loss" || name == "noise" || name == "mixed";
    EXPECT_EQ(parts[drawing.parts().PartOf(n)].auxiliary, !main) << name;
  }
}

// A device keeps its colour whether or not some nodes have no device.
TEST(SceneTest, OnlyDevicesHaveColours) {
  Report report;
  report.nodes = {Node("a", "Const", {}), Node("b", "Exp", {"a:0"}), Node("c", "Exp", {"b:0"})};
  report.nodes[0].device = "no device requested";
  report.nodes[1].device = "cpu:0", report.nodes[2].device = "cpu:1";
  Drawing drawing(std::make_shared<const Report>(report));
  EXPECT_EQ(drawing.LaneClass(0, 0), "unplaced");
  EXPECT_EQ(drawing.LaneClass(0, 1), "d0");
  EXPECT_EQ(drawing.LaneClass(0, 2), "d1");
  EXPECT_EQ(drawing.LaneClass(0, 3), "aside");
}

TEST(SceneTest, ALargeLevelIsGrouped) {
  Report report;
  for (int i = 0; i < 5000; ++i)
    report.nodes.push_back(Node("n" + std::to_string(i) + "x", "NoOp", {}));
  Drawing drawing(std::make_shared<const Report>(report));
  for (const size_t part : AllParts(drawing)) EXPECT_LE(drawing.Level(part).items.size(), 75u);
  EXPECT_LE(drawing.Level(0).items.size(), 75u);
  EXPECT_EQ(drawing.parts().NodesIn(0).size(), 5000u);
}

TEST(SceneTest, BytesOfTypes) {
  EXPECT_EQ(TypeBytes("f32[2,3]"), 24);
  EXPECT_EQ(TypeBytes("f64[]"), 8);
  EXPECT_EQ(TypeBytes("f32[?,3]"), 12);
  EXPECT_EQ(TypeBytes("str[2]"), -1);
  EXPECT_EQ(TypeBytes(""), -1);
}

}  // namespace
}  // namespace tensh::shell
