#include <gtest/gtest.h>

#include "runtime/plan/stages.h"
#include "shell/explain/player.h"
#include "shell/explain/rails.h"
#include "shell/explain/view.h"

namespace tensh::shell {
namespace {

constexpr const char* kTwoDevices = R"({"version":5,"graph_nodes":6,"nodes":[
 {"id":0,"name":"a","op":"Const","dtype":"float32","shape":[2],"inputs":[],"state":"runs",
  "device":"/job:localhost/replica:0/task:0/device:CPU:0","asked":"/cpu:0","reason":"asked"},
 {"id":1,"name":"x","op":"Placeholder","dtype":"f32","shape":[2],"inputs":[],"state":"fed","short_device":"cpu:0",
  "reason":"feed arrives here"},
 {"id":2,"name":"add","op":"AddV2","dtype":"f32","shape":[2],"inputs":["a:0","x:0"],"state":"runs","short_device":"cpu:1",
  "asked":"/cpu:1","reason":"asked"},
 {"id":3,"name":"mul/y","op":"Const","dtype":"f32","shape":[],"inputs":[],"state":"runs","short_device":"cpu:0",
  "reason":"default"},
 {"id":4,"name":"mul","op":"Mul","dtype":"f32","shape":[2],"inputs":["add:0","mul/y:0"],"state":"fetch",
  "short_device":"cpu:0","reason":"default"},
 {"id":5,"name":"dead","op":"Exp","dtype":"f32","shape":[2],"inputs":["a:0"],"state":"pruned",
  "pruned_why":"no path to a fetch"}],
 "pruned_total":1,
 "partitions":[{"device":"cpu:0","nodes":["a","x","mul/y","mul"]},{"device":"cpu:1","nodes":["add"]}],
 "transfers":[{"tensor":"a:0","from":"cpu:0","to":"cpu:1","bytes":8,"consumers":["add"]},
  {"tensor":"x:0","from":"cpu:0","to":"cpu:1","bytes":8,"consumers":["add"]},
  {"tensor":"add:0","from":"cpu:1","to":"cpu:0","bytes":8,"consumers":["mul"]}]%s})";

std::string Document(const std::string& run = "") {
  std::string text = kTwoDevices;
  return text.replace(text.find("%s"), 2, run);
}

const std::string kRun = R"(,"steps":[
 {"device":"cpu:0","node":"a","op":"Const","start_ns":0,"end_ns":1000,"kind":"compute"},
 {"device":"cpu:0","node":"","op":"","tensor":"add:0","start_ns":1000,"end_ns":3000,"kind":"wait","waits_for":"send add:0"},
 {"device":"cpu:1","node":"","op":"","tensor":"a:0","start_ns":0,"end_ns":1000,"kind":"wait","waits_for":"send a:0"},
 {"device":"cpu:1","node":"add","op":"AddV2","start_ns":1000,"end_ns":3000,"kind":"compute"},
 {"device":"cpu:0","node":"mul","op":"Mul","start_ns":3000,"end_ns":4000,"kind":"compute"}],
 "wall_ns":4100,"critical_path":["x","add","mul"])";

Report Parsed(const std::string& text) {
  Report report;
  EXPECT_TRUE(ParseReport(text, &report));
  return report;
}

// The keys are the reasons of the runtime. Without this test, a sentence whose reason was renamed
// would be lost silently.
TEST(Why, HasASentenceForEveryReason) {
  for (int r = 0; r < kPlaceReasons; ++r) {
    const std::string reason = ReasonText(static_cast<PlaceReason>(r), "w");
    Report report;
    ReportNode node;
    node.name = "v", node.op = "VariableV2", node.state = "runs";
    node.device = "cpu:1", node.reason = reason;
    if (static_cast<PlaceReason>(r) == PlaceReason::kColocated) node.colocated_with = "w";
    report.nodes.push_back(node);
    const std::string said = ExplainWhy(report, "v");
    EXPECT_EQ(said.find(": " + reason + "."), std::string::npos) << said;
  }
}

TEST(ExplainView, FourStagesOfTwoDevices) {
  EXPECT_EQ(RenderExplain(Parsed(Document()), {.request = "mul feed x=[3,4]"}),
            R"( ① graph @5 · 6 nodes             ② pruned  ③ placed  why
 ●    a      Const        f32[2]  ● runs    cpu:0     asked
 │ ●  x      Placeholder  f32[2]  ◆ fed     cpu:0     feed arrives here
 ╠═╛
 ●    add    AddV2        f32[2]  ● runs    cpu:1     asked
 │ ●  mul/y  Const        f32[]   ● runs    cpu:0     default
 ╟─╯
 ●    mul    Mul          f32[2]  ★ fetch   cpu:0     default
 ○    dead   Exp          f32[2]  ✂ pruned  –         no path to a fetch
 ④ partitions   3 cut edges (═ ║) → 3 Send/Recv pairs, 24 B
   cpu:0    a ──▶ Send ═══ a:0      8 B ══▶ Recv ──▶ add  cpu:1
            x ──▶ Send ═══ x:0      8 B ══▶ Recv ──▶ add
          mul ◀── Recv ◀══ add:0    8 B ═══ Send ◀── add
 next: explain analyze mul feed x=[3,4] · why add · why not dead
)");
}

TEST(ExplainView, TheRun) {
  EXPECT_EQ(RenderExplain(Parsed(Document(kRun)), {.width = 60, .stage = 5}),
            R"( ⑤ ran in 4.1 µs
   ▓ compute   ░ waits on a Recv   · idle
 cpu:0 ▓▓▓▓▓▓▓░░░░░░░░░░░░░░░▓▓▓▓▓▓▓▓
   mul waited 2.0 µs for send add:0
 cpu:1 ░░░░░░░▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓·······
   add waited 1.0 µs for send a:0
 critical path: x → add → mul
)");
}

// One thread runs both partitions. A partition that is stopped before a Recv has waited for its
// Send.
TEST(ExplainView, TurnsOnOneThreadAreWaits) {
  const Report report = Parsed(Document(R"(,"steps":[
    {"device":"cpu:0","node":"a","start_ns":0,"end_ns":1000,"kind":"compute"},
    {"device":"cpu:1","node":"a","tensor":"a:0","start_ns":1000,"end_ns":1010,"kind":"recv"},
    {"device":"cpu:1","node":"add","start_ns":1010,"end_ns":3000,"kind":"compute"},
    {"device":"cpu:0","node":"add","tensor":"add:0","start_ns":3000,"end_ns":3010,"kind":"recv"},
    {"device":"cpu:0","node":"mul","start_ns":3010,"end_ns":4000,"kind":"compute"}])"));
  std::string waits;
  for (const ReportEvent& event : report.events) {
    if (event.kind != "wait") continue;
    waits += event.device + " " + report.Subject(event) + " " + event.waits_for + " " +
             std::to_string(event.end_ns - event.start_ns) + "\n";
  }
  EXPECT_EQ(waits, "cpu:1 add send a:0 1000\ncpu:0 mul send add:0 2000\n");
}

TEST(ExplainView, EachStageAlone) {
  struct Row {
    int stage;
    const char* has;
    const char* has_not;
  };
  const Row rows[] = {{1, "① graph @5", "②"},
                      {2, "② pruned", "③"},
                      {3, "③ placed", "④"},
                      {4, "④ partitions", "①"},
                      {5, "⑤ not run", "①"}};
  for (const Row& row : rows) {
    const std::string text =
        RenderExplain(Parsed(Document()), {.stage = row.stage, .request = "mul"});
    EXPECT_NE(text.find(row.has), std::string::npos) << row.stage << "\n" << text;
    EXPECT_EQ(text.find(row.has_not), std::string::npos) << row.stage << "\n" << text;
  }
}

// Returns a report of a fetch `y` and this many pruned nodes.
Report WithPruned(int pruned) {
  std::string nodes =
      R"({"name":"y","op":"Neg","dtype":"f32","shape":[],"state":"fetch","short_device":"cpu:0","inputs":[]})";
  for (int i = 0; i < pruned; ++i)
    nodes += R"(,{"name":"old)" + std::to_string(i) +
             R"(","op":"Exp","dtype":"f32","shape":[],"state":"pruned","inputs":[],
                "pruned_why":"no path to a fetch"})";
  return Parsed(R"({"version":2,"pruned_total":)" + std::to_string(pruned) + R"(,"nodes":[)" +
                nodes + "]}");
}

TEST(ExplainView, ManyPrunedNodesAreOneLine) {
  const ViewOptions options{.stage = 2, .request = "y", .fold_pruned = true};
  EXPECT_EQ(RenderNodes(WithPruned(4), options),
            " ① graph @2        ② pruned\n"
            " ●  y  Neg  f32[]  ★ fetch\n"
            " ✂ 4 nodes pruned: no path to a fetch; list them: explain y --pruned\n");
  // A few keep their rows.
  EXPECT_NE(RenderNodes(WithPruned(3), options).find("old2"), std::string::npos);
  // --pruned
  EXPECT_NE(RenderNodes(WithPruned(4), {.stage = 2}).find("old3"), std::string::npos);
  // They do not count for the folding by scope.
  EXPECT_EQ(RenderNodes(WithPruned(70), options).find("old"), std::string::npos);
}

TEST(ExplainView, TimesHaveSharesAndBars) {
  const std::string wide = RenderNodes(Parsed(Document(kRun)), {});
  EXPECT_NE(wide.find("why                    time\n"), std::string::npos) << wide;
  EXPECT_NE(wide.find(" 1.0 µs  25 %  ▓····\n"), std::string::npos) << wide;
  EXPECT_NE(wide.find(" 2.0 µs  50 %  ▓▓▓··\n"), std::string::npos) << wide;
  const std::string narrow = RenderNodes(Parsed(Document(kRun)), {.width = 60});
  EXPECT_EQ(narrow.find("▓"), std::string::npos) << narrow;
}

TEST(ExplainView, ColoursMeanDevicesAndStates) {
  const Palette palette("dark", ColorDepth::k256);
  const std::string text =
      RenderExplain(Parsed(Document(kRun)), {.width = 100, .request = "mul", .palette = palette});
  const auto has = [&](Role role, const char* what) {
    EXPECT_NE(text.find(palette.Paint(role, what)), std::string::npos) << what << "\n" << text;
  };
  has(DeviceRole("cpu:0"), "cpu:0");
  has(DeviceRole("cpu:1"), "cpu:1");
  has(Role::kRuns, "● runs");
  has(Role::kFed, "◆ fed");
  has(Role::kFetch, "★ fetch");
  has(Role::kPruned, "dead");
  has(Role::kDtype, "f32[2]");
  has(Role::kHint, "why add");
  EXPECT_NE(DeviceRole("cpu:0"), DeviceRole("cpu:1"));
  // Colors change nothing else.
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\033') at = text.find('m', at) + 1;
    if (at < text.size() && text[at] != '\033')
      plain += text[at];
    else
      --at;
  }
  EXPECT_EQ(plain, RenderExplain(Parsed(Document(kRun)), {.width = 100, .request = "mul"}));
}

TEST(ExplainView, SixtyColumnsAreEnough) {
  std::string text = RenderExplain(Parsed(Document()), {.width = 60, .request = "mul"});
  for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    EXPECT_LE(TextWidth(text.substr(at, end - at)), 60u) << text.substr(at, end - at);
  }
}

// A loop of one node, three times round, of which two were kept; and a branch that was not taken.
constexpr const char* kFlow = R"({"version":1,"nodes":[
{"id":0,"name":"a","op":"Const","state":"runs","short_device":"cpu:0","inputs":[]},
{"id":1,"name":"p","op":"Greater","state":"runs","short_device":"cpu:0","inputs":["a:0","a:0"]},
{"id":2,"name":"s","op":"Switch","state":"runs","short_device":"cpu:0","inputs":["a:0","p:0"]},
{"id":3,"name":"log","op":"Log","state":"runs","short_device":"cpu:0","not_taken":1,"inputs":["s:0"]},
{"id":4,"name":"exp","op":"Exp","state":"runs","short_device":"cpu:0","inputs":["s:1"]},
{"id":5,"name":"m","op":"Merge","state":"runs","short_device":"cpu:0","inputs":["log:0","exp:0"]},
{"id":6,"name":"w/enter","op":"Enter","state":"runs","short_device":"cpu:0","loop":"w","inputs":["m:0"]},
{"id":7,"name":"w/merge","op":"Merge","state":"runs","short_device":"cpu:0","loop":"w","inputs":["w/enter:0","w/next:0"]},
{"id":8,"name":"w/less","op":"Less","state":"runs","short_device":"cpu:0","loop":"w","inputs":["w/merge:0"]},
{"id":9,"name":"w/cond","op":"LoopCond","state":"runs","short_device":"cpu:0","loop":"w","inputs":["w/less:0"]},
{"id":10,"name":"w/next","op":"NextIteration","state":"runs","short_device":"cpu:0","loop":"w","inputs":["w/merge:0"]},
{"id":11,"name":"w/exit","op":"Exit","state":"fetch","short_device":"cpu:0","loop":"w","inputs":["w/merge:0","w/cond:0"]}],
"steps":[
{"device":"cpu:0","node":"p","op":"Greater","kind":"compute","start_ns":0,"end_ns":5},
{"device":"cpu:0","node":"s","op":"Switch","kind":"compute","start_ns":5,"end_ns":6},
{"device":"cpu:0","node":"exp","op":"Exp","kind":"compute","start_ns":6,"end_ns":9},
{"device":"cpu:0","node":"m","op":"Merge","kind":"compute","start_ns":9,"end_ns":10},
{"device":"cpu:0","node":"w/cond","op":"LoopCond","kind":"compute","start_ns":10,"end_ns":40,"iterations":3}],
"in_loops":[
{"device":"cpu:0","node":"w/less","op":"Less","kind":"compute","start_ns":11,"end_ns":15,"iteration":1,"value":"True"},
{"device":"cpu:0","node":"w/less","op":"Less","kind":"compute","start_ns":16,"end_ns":20,"iteration":2}],
"loop_times":[{"node":"w/less","calls":4,"ns":18}]})";

// A row that wraps cannot be read.
TEST(ExplainView, RowsFitInFortyColumns) {
  for (const Report& report : {Parsed(Document()), Parsed(Document(kRun)), Parsed(kFlow)}) {
    for (size_t width = 40; width <= 100; ++width) {
      const std::string text = RenderNodes(report, {.width = width, .request = "m"});
      for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
        const std::string line = text.substr(at, end - at);
        const bool command = line.find("explain ") != line.npos;  // is broken when it is printed
        EXPECT_TRUE(command || TextWidth(line) <= width) << line;
      }
    }
  }
}

TEST(ExplainView, ManyNodesFoldByScope) {
  std::string nodes, between;
  for (int i = 0; i < 100; ++i) {
    nodes +=
        between + R"({"name":"layer)" + std::to_string(i / 50) + "/n" + std::to_string(i) +
        R"(","op":"Neg","dtype":"f32","shape":[],"state":"runs","short_device":"cpu:0","inputs":)" +
        (i == 0
             ? "[]}"
             : R"([")" + ("layer" + std::to_string((i - 1) / 50) + "/n" + std::to_string(i - 1)) +
                   R"(:0"]})");
    between = ",";
  }
  EXPECT_EQ(
      RenderNodes(Parsed(R"({"version":1,"nodes":[)" + nodes + "]}"), {.stage = 2, .request = "y"}),
      " ① graph @1                ② pruned\n"
      " ●  ▸ layer0/  50 nodes    ● 50\n"
      " ●  ▸ layer1/  50 nodes    ● 50\n"
      " 100 nodes, folded by name scope (▸); open one: explain y open=layer0\n");
}

// More scopes than a screen has rows: each one stays a row.
TEST(ExplainView, ManyScopesFold) {
  std::string nodes;
  for (int i = 0; i < 120; ++i) {
    nodes += (i == 0 ? R"({"name":"b)" : R"(,{"name":"b)") + std::to_string(i / 3) + "/n" +
             std::to_string(i) +
             R"(","op":"Neg","dtype":"f32","shape":[],"state":"runs","short_device":"cpu:0",)" +
             R"("inputs":[]})";
  }
  const std::string text =
      RenderNodes(Parsed(R"({"version":1,"nodes":[)" + nodes + "]}"), {.stage = 2, .request = "y"});
  for (int i = 0; i < 40; ++i)
    EXPECT_NE(text.find("▸ b" + std::to_string(i) + "/ "), std::string::npos) << i << "\n" << text;
  EXPECT_EQ(text.find("/n"), std::string::npos) << text;
}

TEST(ExplainView, Why) {
  struct Row {
    std::string got, want;
  };
  const Report ran = Parsed(Document(kRun));
  const Row rows[] = {
      {ExplainWhy(ran, "add"),
       "add (AddV2, f32[2]) is on cpu:1: you requested it. It takes a:0 from cpu:0 through a "
       "Send/Recv pair (8 B). "
       "In the last run it waited 1.0 µs for send a:0. Move it: place add on /cpu:0\n"},
      {ExplainWhy(ran, "x"),
       "x (Placeholder, f32[2]) is fed: its value arrives on cpu:0, and its kernel does not run. "
       "Its consumers: lo x\n"},
      {ExplainWhyNot(ran, "dead", {"mul", "mul"}),
       "dead (Exp) did not run: the fetch mul does not depend on it. Run it: run dead\n"},
      {ExplainWhyNot(ran, "mul", {"mul", "mul"}),
       "mul (Mul, f32[2]) does run, on cpu:0. More: why mul\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(row.got, row.want);
}

TEST(Flow, TheTimeOfALoopIsDividedAmongItsNodes) {
  const Report report = Parsed(kFlow);
  const auto times = report.ComputeTimes();
  EXPECT_EQ(times.at("exp"), 3);
  EXPECT_EQ(times.at("w/less"), 18);
  EXPECT_EQ(times.at("w/cond"), 12);  // 30 ns in all
  EXPECT_EQ(times.count("w/next"), 0u);
}

TEST(Flow, AWalkIsLimited) {
  size_t more = 9;
  EXPECT_EQ(Moments(Parsed(kFlow), 3, &more).size(), 4u);  // and the one before the step
  EXPECT_EQ(more, Moments(Parsed(kFlow)).size() - 4);
  EXPECT_EQ(Moments(Parsed(kFlow), 100, &more).size(), Moments(Parsed(kFlow)).size());
  EXPECT_EQ(more, 0u);
}

// Lists are broken between their items, and go on below the first one.
TEST(Flow, StepsFitTheWidth) {
  const Report report = Parsed(kFlow);
  const std::string text = RenderMoment(report, Moments(report)[3], 3, 9, {}, 22);
  EXPECT_NE(text.find("   done        p · s\n               exp\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 3 of 9   cpu:0 runs exp (Exp)\n   at "), std::string::npos) << text;
}

TEST(Flow, StepsGoThroughIterationsAndLeaveOutBranches) {
  const Report report = Parsed(kFlow);
  const std::vector<Moment> moments = Moments(report);
  std::string got;
  for (const Moment& moment : moments) got += RenderMoment(report, moment, 0, 0, {});
  EXPECT_EQ(got,
            " before the step: constants, variables and feeds are ready\n"
            "   done        –\n   ready       p\n   in flight   a:0\n"
            " cpu:0 runs p (Greater)\n"
            "   done        p\n   ready       s\n   in flight   a:0 · p:0\n"
            " cpu:0 runs s (Switch)\n"
            "   done        p · s\n   ready       exp\n   not taken   log\n   in flight   s:1\n"
            " cpu:0 runs exp (Exp)\n"
            "   done        p · s · exp\n   ready       m\n   not taken   log\n"
            "   in flight   exp:0\n"
            " cpu:0 runs m (Merge)\n"
            "   done        p · s · exp · m\n   ready       w/less\n   not taken   log\n"
            "   in flight   w/merge:0\n"
            " cpu:0 runs w/less (Less), iteration 1 of 3 = True\n"
            "   done        p · s · exp · m · w/less\n   ready       w/less\n   not taken   log\n"
            "   in flight   w/less:0 True · w/merge:0\n"
            " cpu:0 runs w/less (Less), iteration 2 of 3\n"
            "   done        p · s · exp · m · w/less ×2\n   ready       –\n   not taken   log\n"
            "   in flight   w/less:0 · w/merge:0\n"
            " cpu:0 leaves the loop w after 3 iterations (2 events in loops were not kept)\n"
            "   done        p · s · exp · m · w/less ×4\n   ready       –\n   not taken   log\n"
            "   in flight   –\n");
}

TEST(Flow, EdgesThatCloseALoopLeadBack) {
  const std::string rows = RenderNodes(Parsed(kFlow), {.stage = 1, .open = {"w"}});
  EXPECT_NE(rows.find(" │ │ ●  w/next   NextIteration\n │ │ ╰◀ to w/merge\n"), std::string::npos)
      << rows;
  EXPECT_EQ(RenderNodes(Parsed(kFlow), {.stage = 1}).find("to w/merge"), std::string::npos);
}

TEST(Flow, WhyNot) {
  const Report ran = Parsed(kFlow);
  const RunText run{"m feed q=1", "m"};
  EXPECT_EQ(ExplainWhyNot(ran, "log", run),
            "log (Log) did not run: it is on a branch that the step did not take, because p was "
            "True. See it: eval p feed q=1\n");
  EXPECT_EQ(ExplainWhyNot(ran, "w/less", run),
            "w/less (Less) does run, on cpu:0, 4 times: the loop w ran 3 iterations. "
            "More: why w/less\n");
  Report planned = ran;
  planned.events.clear();
  for (ReportNode& node : planned.nodes) node.not_taken = false;
  EXPECT_EQ(ExplainWhyNot(planned, "exp", run),
            "exp (Exp) is on a branch: it runs if p is True, and no measured step shows "
            "whether it is. Find out: explain analyze m feed q=1\n");
}

// A conditional whose branches are functions; the else branch was taken.
constexpr const char* kCalls = R"({"version":1,"nodes":[
{"id":0,"name":"p","op":"Greater","state":"runs","short_device":"cpu:0","inputs":["a:0"]},
{"id":1,"name":"if","op":"If","state":"fetch","short_device":"cpu:0","inputs":["p:0","a:0"]}],
"devices":["cpu:0","cpu:1"],
"calls":[
{"prefix":"if/then/","caller":"if","role":"then","function":"f1","decided_by":"p:0","times":0,"results":["if/then/exp:0"]},
{"prefix":"if/else/","caller":"if","role":"else","function":"f2","decided_by":"p:0","times":1,"results":["if/else/neg:0"]}],
"called":[
{"name":"if/then/exp","op":"Exp","state":"runs","short_device":"cpu:0","inputs":["a:0"],"within":"if/then/","not_taken":1},
{"name":"if/else/neg","op":"Neg","state":"runs","short_device":"cpu:1","reason":"default","inputs":["a:0"],"within":"if/else/"}],
"steps":[
{"device":"cpu:0","node":"p","op":"Greater","kind":"compute","start_ns":0,"end_ns":5},
{"device":"cpu:0","node":"if","op":"If","kind":"compute","start_ns":5,"end_ns":30}],
"in_loops":[
{"device":"cpu:1","node":"if/else/neg","op":"Neg","kind":"compute","start_ns":7,"end_ns":17,"value":"-2.0"}],
"loop_times":[{"node":"if/else/neg","calls":1,"ns":10}]})";

TEST(Calls, TheTimeOfACallIsDividedAmongItsNodes) {
  const Report report = Parsed(kCalls);
  const auto times = report.ComputeTimes();
  EXPECT_EQ(times.at("if/else/neg"), 10);
  EXPECT_EQ(times.at("if"), 15);
}

TEST(Calls, RowsShowTheBranchAndOpenIt) {
  const Report report = Parsed(kCalls);
  const std::string closed = RenderNodes(report, {.stage = 2, .request = "if"});
  EXPECT_NE(closed.find("if  If → else"), std::string::npos) << closed;
  EXPECT_NE(closed.find(" if calls functions; see inside: explain if open=if\n"), std::string::npos)
      << closed;
  const std::string open = RenderNodes(report, {.stage = 2, .request = "if", .open = {"if"}});
  EXPECT_NE(open.find("if/then/exp  Exp          ○ not taken"), std::string::npos) << open;
  EXPECT_NE(open.find("if/else/neg  Neg          ● runs"), std::string::npos) << open;
  EXPECT_EQ(open.find("see inside"), std::string::npos) << open;
}

TEST(Calls, StepsGoIntoThem) {
  const Report report = Parsed(kCalls);
  std::string got;
  for (const Moment& moment : Moments(report)) got += RenderMoment(report, moment, 0, 0, {});
  EXPECT_NE(got.find(" cpu:1 runs if/else/neg (Neg) = -2.0\n   done        p · if/else/neg\n"
                     "   ready       –\n   not taken   if/then/exp\n"),
            std::string::npos)
      << got;
  EXPECT_NE(got.find(" cpu:0 leaves if (If, else branch f2)\n"), std::string::npos) << got;
}

TEST(Calls, WhyAndWhyNot) {
  Report report = Parsed(kCalls);
  const RunText run{"if", "if"};
  EXPECT_EQ(ExplainWhyNot(report, "if/then/exp", run),
            "if/then/exp (Exp) did not run: it is on a branch that the step did not take, because "
            "p was False. See it: eval p\n");
  EXPECT_EQ(ExplainWhyNot(report, "if/else/neg", run),
            "if/else/neg (Neg) does run, on cpu:1. More: why if/else/neg\n");
  EXPECT_EQ(ExplainWhy(report, "if/else/neg"),
            "if/else/neg (Neg) is on cpu:1: no device was requested, so it is computed where the "
            "function is called. It is part of the function f2, which if calls. Move the caller: "
            "place if on /cpu:0\n");
  report.devices = {"cpu:0"};
  EXPECT_EQ(ExplainWhy(report, "p").find("place"), std::string::npos);
}

// With many rails there is no space for the bars, which would otherwise get lines of their own.
TEST(ExplainView, BarsDoNotWrap) {
  std::string nodes, inputs, steps;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "a_rather_long_scope/constant_" + std::to_string(i);
    nodes += R"({"name":")" + name +
             R"(","op":"RandomUniform","dtype":"f32","shape":[4,8],"state":"runs",)" +
             R"("short_device":"cpu:0","reason":"colocated with v","inputs":[]},)";
    inputs += (i > 0 ? ",\"" : "\"") + name + ":0\"";
    steps += R"({"device":"cpu:0","node":")" + name +
             R"(","op":"RandomUniform","kind":"compute","start_ns":1000,"end_ns":9000},)";
  }
  const std::string json =
      R"({"version":1,"nodes":[)" + nodes +
      R"({"name":"sum","op":"AddN","state":"fetch","short_device":"cpu:0","inputs":[)" + inputs +
      R"(]}],"steps":[)" + steps +
      R"({"device":"cpu:0","node":"sum","op":"AddN","kind":"compute","start_ns":9000,"end_ns":9999}]})";
  // Names of devices may be long, as those of the tasks of a cluster.
  std::string cluster = json;
  const std::string device = "cpu:0", task = "/job:worker/task:10/cpu:0";
  for (size_t at = 0; (at = cluster.find(device, at)) != cluster.npos; at += task.size())
    cluster.replace(at, device.size(), task);
  for (const std::string& document : {json, cluster}) {
    for (size_t width = 80; width <= 140; ++width) {
      const std::string text = RenderNodes(Parsed(document.c_str()), {.width = width});
      EXPECT_TRUE(width > 80 || text.find("▓") == text.npos) << text;
      for (size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
        EXPECT_LE(TextWidth(text.substr(begin, text.find('\n', begin) - begin)), width) << text;
    }
  }
}

TEST(ExplainView, BrokenDocuments) {
  Report report;
  for (const char* text : {"", "[]", "{", "\"x\"", "{\"nodes\":"})
    EXPECT_FALSE(ParseReport(text, &report)) << text;
  // Fields of the wrong kind are treated as absent.
  EXPECT_TRUE(ParseReport(R"({"nodes":[{"name":7,"inputs":3,"shape":"x"}],"steps":{}})", &report));
}

struct RailCase {
  const char* name;
  std::vector<RailNode> nodes;
  const char* want;
};

TEST(Rails, Drawn) {
  const RailCase rows[] = {
      {"chain", {{{}}, {{0}}, {{1}}}, "●/●/●/"},
      {"diamond", {{{}}, {{0}}, {{0}}, {{1, 2}}}, "●/├─╮/│ ●/● │/├─╯/●/"},
      {"three into one", {{{}}, {{}}, {{}}, {{0, 1, 2}}}, "●/│ ●/│ │ ●/├─┴─╯/●/"},
      {"crossing", {{{}}, {{}}, {{}}, {{0, 2}}, {{1, 3}}}, "●/│ ●/│ │ ●/├─│─╯/● │/├─╯/●/"},
      {"alone", {{{}}, {{0}, false}, {{0}}}, "●/│ ○/●/"},
      {"backward input", {{{1}}, {{0}}}, "●/●/"},
      {"cut below", {{{}}, {{0}, true, {0}}}, "●/║/●/"},
      {"cut from the right", {{{}}, {{}}, {{0, 1}, true, {1}}}, "●/│ ●/╞═╛/●/"},
      {"cut along", {{{}}, {{}}, {{0, 1}, true, {0}}}, "●/│ ●/╟─╯/●/"},
      {"both cut", {{{}}, {{}}, {{0, 1}, true, {0, 1}}}, "●/│ ●/╠═╛/●/"},
      {"cut to the right", {{{}}, {{0}, true, {0}}, {{0, 1}}}, "●/╞═╕/│ ●/├─╯/●/"},
  };
  for (const RailCase& row : rows) {
    std::string got;
    for (const RailRow& rail : DrawRails(row.nodes, 8)) {
      got += (rail.connector.empty() ? "" : rail.connector + "/") + rail.rail + "/";
    }
    EXPECT_EQ(got, row.want) << row.name;
  }
  EXPECT_TRUE(DrawRails({{{}}, {{}}, {{}}, {{0, 1, 2}}}, 2).empty());
}

// The rails of a graph with too many lanes show its short edges.
TEST(Rails, DropTheLongestEdges) {
  std::vector<RailNode> nodes = {{{}}, {{}}, {{}}, {{0, 1, 2}}, {{3}}};
  EXPECT_EQ(DropLongEdges(&nodes, 3), 0u);
  EXPECT_EQ(DropLongEdges(&nodes, 2), 1u);
  EXPECT_EQ(nodes[3].inputs, (std::vector<size_t>{1, 2}));
  EXPECT_FALSE(DrawRails(nodes, 2).empty());
  std::vector<RailNode> all(200);
  for (size_t n = 0; n < all.size(); ++n)
    for (size_t input = 0; input < n; ++input) all[n].inputs.push_back(input);
  EXPECT_GT(DropLongEdges(&all, 4), 0u);
  EXPECT_FALSE(DrawRails(all, 4).empty());
}

TEST(Layout, Texts) {
  struct Row {
    std::string got, want;
  };
  const Row rows[] = {
      {CutTo("日本語", 4), "日…"},
      {CutTo("abc", 3), "abc"},
      {CutTo("abcd", 3), "ab…"},
      {CutTo("x", 0), ""},
      {PadTo("日", 3) + "|", "日 |"},
      {Visible("a\x1b[31m\xff"), "a\\x1b[31m\\xff"},
      {Count(1, "node"), "1 node"},
      {Count(12345, "node"), "12,345 nodes"},
      {Duration(0), "0 ns"},
      {Duration(4100), "4.1 µs"},
      {Duration(123456), "123 µs"},
      {Duration(2e9), "2.0 s"},
      {Bytes(-1), "? B"},
      {Bytes(8), "8 B"},
      {Bytes(1536), "1.5 KB"},
      {Wrap("  one two three\nfour", 9), "  one two\n  three\nfour"},
      {Wrap("a b", 0), "a b"},
      {ToAscii("●─╯ 3 µs → …"), "*-' 3 us -> ..."},
      {ShortDevice("/job:localhost/replica:0/task:0/device:GPU:2"), "gpu:2"},
      {ShortDevice("/job:worker/task:1/cpu:0"), "/job:worker/task:1/cpu:0"},
      {ShortType("float32_ref"), "f32&"},
  };
  for (const Row& row : rows) EXPECT_EQ(row.got, row.want);
}

}  // namespace
}  // namespace tensh::shell
