// Pruning, placement and partitioning, with text as input and output.
#include <gtest/gtest.h>

#include <set>

#include "devices/cpu/cpu_device.h"
#include "runtime/plan/stages.h"
#include "tests/support/graph_text.h"

namespace tensh {
namespace {

using test::AppendText;
using test::Values;

struct TestGraph {
  explicit TestGraph(const std::string& text) : graph(new Graph(test::AllOps())) {
    AppendText(*graph, text);
  }
  ~TestGraph() { graph->Unref(); }
  RunSignature Signature(const std::string& feeds, const std::string& fetches,
                         const std::string& targets = "") {
    RunSignature s{Values(*graph, feeds), Values(*graph, fetches), {}};
    std::string name;
    for (ValueId v : Values(*graph, targets)) s.targets.push_back(graph->node_of(v));
    return s;
  }
  Graph* graph;
};

std::unique_ptr<DeviceMgr> Devices(int count) {
  DeviceRegistry registry;
  RegisterDevice_cpu(registry);
  return *DeviceMgr::Create(registry, {.device_count = {{"CPU", count}}});
}

std::string PruneText(const std::string& text, const std::string& feeds,
                      const std::string& fetches) {
  TestGraph t(text);
  std::string out;
  for (NodeId n : Prune(*t.graph, t.Signature(feeds, fetches)).nodes)
    out += std::string(out.empty() ? "" : ";") + std::string(t.graph->name(n));
  return out;
}

std::string UnusedText(const std::string& text, const std::string& fetches) {
  TestGraph t(text);
  const Pruned pruned = Prune(*t.graph, t.Signature("", fetches));
  std::string out;
  for (size_t i = 0; i < pruned.nodes.size(); ++i)
    if (pruned.unused[i])
      out += std::string(out.empty() ? "" : ";") + std::string(t.graph->name(pruned.nodes[i]));
  return out;
}

TEST(Prune, ANodeThatOnlyOrdersIsUnused) {
  struct Row {
    const char *graph, *fetches, *unused;
  };
  const Row kRows[] = {
      {"a;b=Neg(a);c=Neg(b)", "c", ""},
      {"a;b=Neg(a);c=NoOp()^b;d=Neg(a)^c", "d", "b"},
      {"a;e;b=Neg(e);c=NoOp()^b;d=Neg(a)^c", "d", "e;b"},
      {"a;b=Neg(a);c=AddV2(a,b)^b", "c", ""},
  };
  for (const Row& r : kRows) EXPECT_EQ(UnusedText(r.graph, r.fetches), r.unused) << r.graph;
}

TEST(Prune, KeepsWhatTheFetchesNeed) {
  struct Row {
    const char *graph, *feeds, *fetches, *kept;
  };
  const Row kRows[] = {
      {"a;b=Neg(a);c=Neg(a)", "", "b", "a;b"},
      {"a;b=Neg(a);c=Neg(b)", "", "c", "a;b;c"},
      {"a;b=Neg(a);c=Neg(b)", "b", "c", "c"},
      {"a;b=Neg(a);c=Neg(b)", "c", "c", ""},
      {"a;b=Neg(a);c=AddV2(a,b)", "b", "c", "a;c"},
      {"a;b=Neg(a);c=NoOp()^b;d=Neg(a)^c", "", "d", "a;b;c;d"},
      {"a;b=Neg(a);c=Neg(a)^b", "b", "c", "a;b;c"},  // a feed cuts data edges, never control edges
      {"a;b;c", "", "", ""},
  };
  for (const Row& r : kRows)
    EXPECT_EQ(PruneText(r.graph, r.feeds, r.fetches), r.kept) << r.graph << " feed " << r.feeds;
}

TEST(Prune, IsIdempotent) {
  TestGraph t("a;x?;b=Neg(a);c=AddV2(b,x);d=Neg(c);e=Neg(a)");
  RunSignature s = t.Signature("x", "d");
  EXPECT_EQ(Prune(*t.graph, s).nodes, Prune(*t.graph, s).nodes);
}

std::string PlaceText(const std::string& text, const std::string& fetches, bool soft = false) {
  TestGraph t(text);
  RunSignature s = t.Signature("", fetches);
  Pruned pruned = Prune(*t.graph, s);
  auto devices = Devices(2);
  auto placement = Place(*t.graph, s, pruned, *devices, {.allow_soft_placement = soft});
  if (!placement.ok()) return std::string(placement.status().message());
  std::string out;
  for (size_t i = 0; i < pruned.nodes.size(); ++i)
    out += StrCat(i ? ";" : "", t.graph->name(pruned.nodes[i]), "=",
                  (*devices)[placement->device[i]].name().ShortString(), " ",
                  ReasonText(placement->reason[i]));
  return out;
}

TEST(Place, GivesEachNodeADeviceAndAReason) {
  struct Row {
    const char *graph, *fetch, *wanted;
  };
  const Row kRows[] = {
      {"a;b=Neg(a)", "b", "a=cpu:0 default;b=cpu:0 default"},
      {"a@cpu:1;b=Neg(a)", "b", "a=cpu:1 asked;b=cpu:0 default"},
      {"a;v!@cpu:1;b=Assign(v,a)", "b", "a=cpu:1 follows consumer;v=cpu:1 asked;b=cpu:1 colocated"},
      {"a;v!;b=Assign(v,a)@cpu:1", "b", "a=cpu:1 follows consumer;v=cpu:1 asked;b=cpu:1 asked"},
      // Consumers on two devices, of which one does not run.
      {"a;b=Neg(a)@cpu:1;c=Neg(a)", "b", "a=cpu:0 default;b=cpu:1 asked"},
      {"a;b=Neg(a)@cpu:1;c=Neg(a)@cpu:1", "b", "a=cpu:1 follows consumer;b=cpu:1 asked"},
      {"a@cpu:0;b=Neg(a)@cpu:1", "b", "a=cpu:0 asked;b=cpu:1 asked"},
  };
  for (const Row& r : kRows) EXPECT_EQ(PlaceText(r.graph, r.fetch), r.wanted) << r.graph;
}

// Returns the placement of a run after an earlier plan put the named nodes on cpu:1.
std::string PlaceKeptText(const std::string& text, const std::string& kept,
                          const std::string& fetches) {
  TestGraph t(text);
  std::unordered_map<uint32_t, uint16_t> placed;
  for (ValueId v : Values(*t.graph, kept)) placed[Index(t.graph->node_of(v))] = 1;
  const RunSignature s = t.Signature("", fetches);
  const Pruned pruned = Prune(*t.graph, s);
  auto devices = Devices(2);
  const Placement placement = *Place(*t.graph, s, pruned, *devices, {.kept = &placed});
  std::string out;
  for (size_t i = 0; i < pruned.nodes.size(); ++i)
    out += StrCat(i ? ";" : "", t.graph->name(pruned.nodes[i]), "=",
                  (*devices)[placement.device[i]].name().ShortString(), " ",
                  ReasonText(placement.reason[i], placement.detail[i]));
  return out;
}

TEST(Place, KeepsStatefulNodesWhereAnEarlierPlanPutThem) {
  struct Row {
    const char *graph, *kept, *fetch, *wanted;
  };
  const Row kRows[] = {
      {"v!;b=Identity(v)", "", "b", "v=cpu:0 default;b=cpu:0 colocated with v"},
      {"v!;b=Identity(v)", "v", "b", "v=cpu:1 kept;b=cpu:1 colocated with v"},
      {"v!@cpu:1;b=Identity(v)", "v", "b", "v=cpu:1 asked;b=cpu:1 colocated with v"},
      {"v!@cpu:0;b=Identity(v)", "v", "b", "v=cpu:1 kept;b=cpu:1 colocated with v"},
      {"a;v!;b=Assign(v,a)", "v", "b",
       "a=cpu:1 follows consumer;v=cpu:1 kept;b=cpu:1 colocated with v"},
  };
  for (const Row& r : kRows)
    EXPECT_EQ(PlaceKeptText(r.graph, r.kept, r.fetch), r.wanted) << r.graph << " kept " << r.kept;
}

TEST(Place, EveryReasonHasAText) {
  std::set<std::string> texts;
  for (int r = 0; r < kPlaceReasons; ++r) {
    texts.insert(ReasonText(static_cast<PlaceReason>(r)));
    EXPECT_NE(ReasonText(static_cast<PlaceReason>(r)), "") << r;
  }
  EXPECT_EQ(texts.size(), static_cast<size_t>(kPlaceReasons));
  EXPECT_EQ(ReasonText(static_cast<PlaceReason>(kPlaceReasons)), "");
}

// A constant that would move is the one case in which placement needs consumers that do not run.
TEST(Place, VisitsEachNodeOutsideTheRunOnce) {
  constexpr int kOthers = 1000;
  std::string text = "a;b=Neg(a)@cpu:1";
  for (int i = 0; i < kOthers; ++i) text += StrCat(";n", i, "=Neg(b)");
  TestGraph t(text);
  auto devices = Devices(2);
  ConsumerIndex consumers;
  const auto device_of_a = [&] {
    const RunSignature s = t.Signature("", "b");
    const Placement p =
        *Place(*t.graph, s, Prune(*t.graph, s), *devices, {.consumers = &consumers});
    return StrCat((*devices)[p.device[0]].name().ShortString(), " ", ReasonText(p.reason[0]));
  };
  EXPECT_EQ(device_of_a(), "cpu:1 follows consumer");
  EXPECT_EQ(consumers.visited(), t.graph->size());
  EXPECT_EQ(device_of_a(), "cpu:1 follows consumer");
  EXPECT_EQ(consumers.visited(), t.graph->size()) << "a second placement visits nothing again";
  const uint32_t before = static_cast<uint32_t>(t.graph->size());
  AppendText(*t.graph, "c=Neg(a)@cpu:0");
  EXPECT_EQ(device_of_a(), "cpu:0 default") << "consumers on two devices";
  EXPECT_EQ(consumers.visited(), t.graph->size());
  consumers.DropFrom(before);
  EXPECT_EQ(consumers.Of(NodeId{0}).size(), 1u);
  EXPECT_EQ(device_of_a(), "cpu:0 default");
  EXPECT_EQ(consumers.visited(), t.graph->size() + 1) << "only the dropped node again";
}

TEST(Place, SaysWhatThereIsWhenADeviceIsNot) {
  std::string message = PlaceText("a;b=Neg(a)@gpu:0", "b");
  EXPECT_NE(message.find("explicitly assigned to /device:GPU:0"), std::string::npos) << message;
  EXPECT_NE(message.find("/job:localhost/replica:0/task:0/device:CPU:1"), std::string::npos)
      << message;
  EXPECT_EQ(PlaceText("a;b=Neg(a)@gpu:0", "b", true), "a=cpu:0 default;b=cpu:0 asked≠got");
}

// In "cpu:0: a !0 | cpu:1: ?0 b", !t sends transfer t and ?t receives it.
std::string PartitionText(const std::string& text, const std::string& feeds,
                          const std::string& fetches) {
  TestGraph t(text);
  RunSignature s = t.Signature(feeds, fetches);
  Pruned pruned = Prune(*t.graph, s);
  auto devices = Devices(2);
  Placement placement = *Place(*t.graph, s, pruned, *devices, {});
  std::string out;
  for (const Partition& part : MakePartitions(*t.graph, pruned, placement).parts) {
    out += StrCat(out.empty() ? "" : " | ", (*devices)[part.device].name().ShortString(), ":");
    for (const PlanItem& item : part.items)
      out += item.kind == PlanItem::kNode
                 ? StrCat(" ", t.graph->name(item.node))
                 : StrCat(item.kind == PlanItem::kSend ? " !" : " ?", item.transfer);
  }
  return out;
}

TEST(Partition, CutsEdgesThatCrossDevices) {
  struct Row {
    const char *graph, *feeds, *fetches, *wanted;
  };
  const Row kRows[] = {
      {"a;b=Neg(a)", "", "b", "cpu:0: a b"},
      {"a@cpu:0;b=Neg(a)@cpu:1", "", "b", "cpu:0: a !0 | cpu:1: ?0 b"},
      // One transfer per value and destination, regardless of the number of consumers there.
      {"a@cpu:0;b=Neg(a)@cpu:1;c=Neg(a)@cpu:1;d=AddV2(b,c)", "", "d",
       "cpu:0: a !0 ?1 ?2 d | cpu:1: ?0 b !1 c !2"},
      {"x?;b=Neg(x)@cpu:1", "x", "b", "cpu:1: ?0 b | cpu:0: !0"},
      // A feed arrives from the client on the first device, even if its placeholder requests
      // another one.
      {"x?@cpu:1;b=Neg(x)@cpu:1", "x", "b", "cpu:1: ?0 b | cpu:0: !0"},
      {"a;n=NoOp()^a;b=Neg(a)^n@cpu:1", "", "b", "cpu:0: a !0 n !1 | cpu:1: ?0 ?1 b"},
  };
  for (const Row& r : kRows)
    EXPECT_EQ(PartitionText(r.graph, r.feeds, r.fetches), r.wanted) << r.graph;
}

}  // namespace
}  // namespace tensh
