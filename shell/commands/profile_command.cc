// The verb `profile`: sums up the times of traced steps by op, scope or device.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include "shell/commands/base/command.h"
#include "shell/commands/base/feeds.h"
#include "shell/commands/base/progress.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/traces.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/data_table.h"
#include "shell/python/values/error.h"
#include "shell/python/vm/threads.h"
#include "shell/session/graphs.h"
#include "shell/session/recording.h"
#include "shell/session/sessions.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr int kTimes = 10;

struct ProfileRow {
  std::string node, op, device, kind;
  int64_t calls = 0, ns = 0, bytes = 0, total_ns = 0;
  int64_t read = 0;       // the bytes of the inputs
  double flops = -1;      // of all calls; -1 if unknown
  double moved = 0;       // bytes that all calls read and write
  double least_ns = 0;    // the time of all calls at the peak rates of this machine
  std::string with = {};  // the node whose time includes that of this one, or ""
};

// Returns the number of elements of a value, or -1 if its shape is unknown.
double Elements(const GraphHandle& graph, tsh_output value) {
  const ShapeInfo shape = graph.Shape(value);
  if (shape.rank < 0) return -1;
  double n = 1;
  for (const int64_t extent : shape.dims()) {
    if (extent < 0) return -1;
    n *= static_cast<double>(extent);
  }
  return n;
}

bool Attr(const GraphHandle& graph, tsh_node node, const char* name) {
  const Json attrs = Json::Parse(graph.AttrsJson(node));
  return attrs[name]["bool"].as_bool();
}

// Returns the number of multiplications and additions in one call, for ops in which these dominate
// the cost. If the shape of the output is not known before a run, as with an unknown batch size, its
// elements follow from the bytes that a call wrote.
double FlopsOf(const GraphHandle& graph, tsh_node node, double written) {
  const std::string_view op = graph.NodeOp(node);
  if (graph.NumOutputs(node) == 0) return -1;
  double out = Elements(graph, {node, 0});
  const size_t size = tsh_dtype_size(graph.DType({node, 0}));
  if (out < 0 && size > 0) out = written / static_cast<double>(size);
  if (out <= 0) return -1;
  const auto extent = [&](size_t input, int from_end) -> double {
    const ShapeInfo shape = graph.Shape(graph.Input(node, input));
    if (shape.rank < from_end) return -1;
    return static_cast<double>(shape.extents[static_cast<size_t>(shape.rank - from_end)]);
  };
  if (op == "MatMul") return 2 * out * extent(0, Attr(graph, node, "transpose_a") ? 2 : 1);
  if (op == "BatchMatMul" || op == "BatchMatMulV2")
    return 2 * out * extent(0, Attr(graph, node, "adj_x") ? 2 : 1);
  if (op == "Conv2D") return 2 * out * extent(1, 4) * extent(1, 3) * extent(1, 2);
  if (op == "DepthwiseConv2dNative") return 2 * out * extent(1, 4) * extent(1, 3);
  if (op == "Conv2DBackpropInput")
    return 2 * Elements(graph, graph.Input(node, 2)) * extent(1, 4) * extent(1, 3) * extent(1, 2);
  if (op == "Conv2DBackpropFilter")
    return 2 * out * Elements(graph, graph.Input(node, 2)) / extent(2, 1);
  constexpr std::string_view kElementwise[] = {"Add",     "AddV2",   "Sub",     "Mul",
                                               "RealDiv", "Maximum", "Minimum", "Relu",
                                               "Neg",     "Square",  "BiasAdd"};
  const bool each =
      std::find(std::begin(kElementwise), std::end(kElementwise), op) != std::end(kElementwise);
  return each ? out : -1;
}

// Ops that return their input, or the results of functions, and therefore write no bytes.
constexpr std::string_view kPassesOn[] = {"Identity",        "Reshape",
                                          "ExpandDims",      "Squeeze",
                                          "StopGradient",    "Snapshot",
                                          "Const",           "Switch",
                                          "Merge",           "If",
                                          "StatelessIf",     "Case",
                                          "StatelessCase",   "While",
                                          "StatelessWhile",  "For",
                                          "PartitionedCall", "StatefulPartitionedCall"};
// Ops that read no more bytes of their inputs than they write.
constexpr std::string_view kReadsParts[] = {"Shape",        "ShapeN",   "Size",           "Rank",
                                            "Gather",       "GatherV2", "ResourceGather", "Slice",
                                            "StridedSlice", "Split",    "SplitV"};

template <size_t n>
bool IsOneOf(const std::string_view (&names)[n], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool Writes(const ProfileRow& row) { return row.kind == "compute" && !IsOneOf(kPassesOn, row.op); }

// Returns the bytes that all calls read and write.
double MovedBy(const ProfileRow& row) {
  if (!Writes(row)) return 0;
  // The variable counts as read and written, but is only written.
  if (row.op == "Assign" || row.op == "AssignVariableOp")
    return static_cast<double>(row.read) * 2 / 3;
  const int64_t read = IsOneOf(kReadsParts, row.op) ? std::min(row.read, row.bytes) : row.read;
  return static_cast<double>(read + row.bytes);
}

// Returns the time of all calls at the peak rates of this machine: that of the arithmetic or that of copying
// as many bytes, whichever is longer. Returns 0 for other devices.
double LeastNs(const ProfileRow& row, const Json& peak) {
  if (!row.device.starts_with("cpu:") || row.calls == 0) return 0;
  const double each = row.moved / static_cast<double>(row.calls);
  double rate = 0;
  for (const Json& copy : peak["copies"].items()) {
    rate = static_cast<double>(copy["rate"].as_int());
    if (static_cast<double>(copy["bytes"].as_int()) >= each) break;
  }
  const auto flops = static_cast<double>(peak["flops"].as_int());
  return 1e9 * std::max(flops > 0 ? std::max(row.flops, 0.0) / flops : 0,
                        rate > 0 ? row.moved / rate : 0);
}

std::vector<ProfileRow> ReadRows(const Json& profile) {
  const GraphHandle graph = CurrentGraph();
  std::vector<ProfileRow> rows;
  for (const Json& json : profile["rows"].items()) {
    ProfileRow row{json["node"].as_string(), json["op"].as_string(), json["device"].as_string(),
                   json["kind"].as_string(), json["calls"].as_int(), json["ns"].as_int(),
                   json["bytes"].as_int()};
    row.total_ns = row.ns;
    row.with = json["with"].as_string();
    row.read = json["read"].as_int(0);
    row.moved = MovedBy(row);
    const int64_t id = json["id"].as_int(-1);
    const bool here = json["graph"].as_int(-1) == static_cast<int64_t>(graph.id());
    if (row.kind == "compute" && here && id >= 0 && id < static_cast<int64_t>(graph.size())) {
      const auto calls = static_cast<double>(row.calls);
      const double flops =
          FlopsOf(graph, static_cast<tsh_node>(id), static_cast<double>(row.bytes) / calls);
      if (flops >= 0) row.flops = flops * calls;
    }
    row.least_ns = LeastNs(row, profile["peak"]);
    rows.push_back(std::move(row));
  }
  return rows;
}

void Add(ProfileRow* to, const ProfileRow& row, bool self) {
  if (self) to->ns += row.ns, to->calls += row.calls;
  to->total_ns += row.ns;
  if (Writes(row)) to->bytes += row.bytes;
  to->moved += row.moved;
  to->least_ns += row.least_ns;
  if (row.flops >= 0) to->flops = std::max(to->flops, 0.0) + row.flops;
}

// Groups the rows by op, device or name scope. For a scope, self covers the nodes directly in it,
// and total includes nested scopes.
std::vector<ProfileRow> Grouped(const std::vector<ProfileRow>& rows, std::string_view by) {
  std::map<std::string, ProfileRow> groups;
  for (const ProfileRow& row : rows) {
    const bool node = row.kind == "compute" || row.kind == "read";
    std::string key = by == "op"       ? (node ? row.op : row.kind)
                      : by == "device" ? row.device
                                       : row.node;
    if (by != "scope") {
      Add(&groups[key], row, true);
      continue;
    }
    if (!node) key = row.kind;
    for (size_t slash = key.rfind('/'); slash != std::string::npos && slash > 0;
         slash = key.rfind('/', slash - 1)) {
      const std::string scope = key.substr(0, slash + 1);
      Add(&groups[scope], row, slash == key.rfind('/'));
    }
    if (key.find('/') == std::string::npos) Add(&groups[node ? "(top)" : key], row, true);
  }
  std::vector<ProfileRow> out;
  for (auto& [name, group] : groups) {
    group.node = name;
    if (by != "device" && name == "wait") group.kind = "wait";
    out.push_back(group);
  }
  return out;
}

// The rate of shorter calls measures the cost of a call.
constexpr int64_t kShortCallNs = 1000;

// Returns the amount per second, or NULL if it is unknown or says nothing.
Cell RateCell(double amount, const ProfileRow& row) {
  const bool brief = row.total_ns <= 0 || row.total_ns < row.calls * kShortCallNs;
  if (amount <= 0 || brief) return Cell();
  return Cell::Real(amount * 1e9 / static_cast<double>(row.total_ns));
}

// Returns the share of the machine's peak in percent, or NULL if it is unknown or says nothing.
Cell PeakCell(const ProfileRow& row) {
  if (row.least_ns <= 0 || row.total_ns < row.calls * kShortCallNs) return Cell();
  return Cell::Real(std::round(1000 * row.least_ns / static_cast<double>(row.total_ns)) / 10);
}

bool IsAnyWith(const std::vector<ProfileRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const ProfileRow& row) { return !row.with.empty(); });
}

void Show(CommandCall& call, const Json& profile, std::string_view by) {
  std::vector<ProfileRow> rows = ReadRows(profile);
  int64_t all = 0;
  for (const ProfileRow& row : rows) all += row.kind == "wait" ? 0 : row.ns;
  if (!by.empty()) rows = Grouped(rows, by);
  std::stable_sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) {
    // Waits come last, because they are no work.
    const bool a_waits = a.kind == "wait", b_waits = b.kind == "wait";
    return a_waits != b_waits ? b_waits : a.total_ns > b.total_ns;
  });
  const bool nodes = by.empty();
  DataTable table{
      .columns = {{.name = nodes ? "node" : "name",
                   .least = 18,
                   .head = by == "op"       ? "op"
                           : by == "scope"  ? "scope"
                           : by == "device" ? "device"
                                            : "node"},
                  {.name = "op", .least = 6, .hidden = !nodes},
                  {.name = "device", .hidden = !nodes},
                  {.name = "kind", .hidden = !nodes},
                  {.name = "calls"},
                  {.name = "self", .unit = DataColumn::Unit::kNs},
                  {.name = "total", .unit = DataColumn::Unit::kNs, .hidden = by != "scope"},
                  {.name = "share", .unit = DataColumn::Unit::kPercent},
                  {.name = "flops", .unit = DataColumn::Unit::kGiga, .head = "GFLOP/s"},
                  {.name = "moved", .unit = DataColumn::Unit::kGiga, .head = "GB/s moved"},
                  {.name = "written", .unit = DataColumn::Unit::kGiga, .hidden = true},
                  {.name = "peak", .unit = DataColumn::Unit::kPercent, .head = "of peak"},
                  {.name = "with", .hidden = !nodes || !IsAnyWith(rows), .head = "in"}}};
  table.noun = "row";
  table.searched = nodes ? 4 : 1;
  for (const ProfileRow& row : rows) {
    const int64_t share = all > 0 && row.kind != "wait" ? 1000 * row.total_ns / all : -1;
    const Cell percent = share < 0 ? Cell() : Cell::Real(static_cast<double>(share) / 10);
    table.rows.push_back(
        {Cell::Text(row.node), Cell::Text(row.op), Cell::Text(row.device), Cell::Text(row.kind),
         Cell::Number(row.calls), Cell::Number(row.ns), Cell::Number(row.total_ns), percent,
         RateCell(row.flops, row), RateCell(row.moved, row),
         !nodes || Writes(row) ? RateCell(static_cast<double>(row.bytes), row) : Cell(),
         PeakCell(row), row.with.empty() ? Cell() : Cell::Text(row.with)});
  }
  if (!call.json() && !call.Has("--csv") && !call.Has("--md") && !call.wants_value()) {
    const int64_t wall = profile["wall_ns"].as_int(), steps = profile["steps"].as_int();
    const std::string text =
        " " + Count(steps, "step") + ", " + Duration(static_cast<double>(wall)) +
        (steps > 1
             ? ", " + Duration(static_cast<double>(wall) / static_cast<double>(steps)) + " each"
             : "") +
        " · kernels and transfers " + Duration(static_cast<double>(all)) + "\n";
    call.out().Print(Wrap(text, call.out().width()));
  }
  ShowTable(call, std::move(table));
}

// Runs X and profiles only these steps. If tracing is on, their timelines are added to the
// collection.
Json ProfileOf(CommandCall& call, std::string_view text) {
  Shell& shell = call.shell();
  const RunRequest request = ParseRun(call, text);
  int64_t times = kTimes;
  if (!request.times.empty()) {
    const Value n = shell.interp().Eval(request.times);
    if (!n.is_int() || n.as_int() < 1) call.Misused("times expects a whole number");
    times = n.as_int();
  }
  const Value session_value = SessionFor(shell, request);
  tsh_session* session = SessionOf(session_value);
  const tf::FlatRun step = StepToRun(shell, request, session_value);
  const tsh_run run = step.run();
  const bool was_on = tsh_trace_is_on() != 0;
  if (!was_on) {
    // The first step is not traced, because it includes planning and first allocations.
    std::vector<TensorHandle> fetched;
    const GraphHandle graph = GraphHandle::Share(tsh_session_graph(session));
    At(shell, request.pieces.front(), [&] {
      return HintingAtFeeds(request, graph, [&] { return RunTraced(session, run, &fetched); });
    });
    tsh_trace_start();
  }
  struct Off {
    bool was_on;
    ~Off() {
      if (!was_on) tsh_trace_stop();
    }
  } const off{was_on};
  std::atomic<int64_t> done = 0;
  const Progress progress(shell,
                          [&](double seconds) { return LoopText(done, times, "step", seconds); });
  for (; done < times; ++done) {
    std::vector<TensorHandle> fetched;
    At(shell, request.pieces.front(), [&] {
      std::vector<tsh_tensor*> raw(run.n_fetches, nullptr);
      Status status;
      int ok = 0;
      {
        const threads::Unlocked unlocked;  // for functions of Python that the step calls
        ok = tsh_session_run(session, &run, raw.data(), status);
      }
      if (ok == 0) status.Check();
      for (tsh_tensor* tensor : raw) fetched.push_back(TensorHandle::Adopt(tensor));
    });
    shell.interp().CheckInterrupt();
  }
  return Json::Parse(TakeText(tsh_trace_profile_json()));
}

void RunProfile(CommandCall& call) {
  constexpr std::string_view kWords[] = {"by", "where", "group", "order", "limit", "count"};
  // A clause at the very beginning means that the user omitted the expression.
  const std::string_view first = FirstWord(call.text());
  const bool all = std::find(std::begin(kWords), std::end(kWords), first) != std::end(kWords) &&
                   call.shell().interp().GetGlobal(first).is_null();
  const std::string with_place = "_ " + std::string(call.text());
  std::vector<Clause> clauses =
      SplitClauses(all ? std::string_view(with_place) : call.text(), kWords);
  if (all) clauses[0].text = "";
  std::string_view by;
  std::string rest;
  for (const Clause& clause : clauses) {
    if (clause.word == "by") by = clause.text;
    // `group by op` is `by op`.
    if (clause.word != "by" && clause.word != "group" && !clause.word.empty())
      rest += (rest.empty() ? "" : " ") + std::string(clause.word) + " " + std::string(clause.text);
  }
  if (!by.empty() && by != "op" && by != "scope" && by != "device")
    call.Misused("expects by op, by scope or by device");
  const std::string_view what = clauses[0].word.empty() ? clauses[0].text : std::string_view();
  if (what.empty() && tsh_trace_steps() == 0)
    throw RuntimeError("no step has been traced yet").Type("profile X, or trace on before a run");
  const Json profile =
      what.empty() ? Json::Parse(TakeText(tsh_trace_profile_json())) : ProfileOf(call, what);
  for (const char* flag : {"--json", "--csv", "--md", "--all"})
    if (call.Has(flag)) rest += std::string(rest.empty() ? "" : " ") + flag;
  CommandCall table(call.shell(), call.command(), rest);
  if (call.wants_value()) table.want_value();
  Show(table, profile, by);
  call.set_value(table.value());
}

constexpr CommandExample kExamples[] = {
    {"a = tf.ones([64, 64]); b = tf.matmul(a, a, name=\"b\")\nprofile b\nprofile b times 3 by op "
     "limit 5",
     nullptr},
};

}  // namespace

void RegisterCommand_profile(CommandRegistry& r) {
  r.Add({.name = "profile",
         .usage = "profile [EXPR[, …]] [feed X=…, …] [on SESSION] [times N] [by "
                  "op|scope|device] " TENSH_TABLE_USAGE,
         .summary = "Profile the traced steps, or ten runs of EXPR.",
         .help =
             "The first step of EXPR is not counted, because it also makes the plan. The column "
             "`flops` (GFLOP/s) counts\nmultiplications and additions where the shapes are "
             "known, and `moved` (GB/s) the bytes that the kernels read and\nwrite. In JSON and "
             "`where`, both are per second, as in `flops > 1e9`, and `written` has the bytes that "
             "are written.\n`peak` compares the faster of the two with this machine: its rate of "
             "multiplications with all cores, and of copying\nas many bytes. A convolution "
             "that multiplies fewer times than its definition may exceed 100 %. The rates are left "
             "out for\ncalls below 1 µs, where they only measure the cost of a call. The time of a "
             "node "
             "does not include the nodes in its loop or in the\nfunctions that it calls. "
             "The column `in` names the node whose time includes this one, because one\npass "
             "computes both. "
             "With `by scope`, `self` covers the nodes directly in a scope, and `total` "
             "includes nested\nscopes. Waits are listed but have no share of the "
             "work.\n" TENSH_TABLE_HELP("`kind == compute` or `calls > 1`"),
         .examples = kExamples,
         .complete = "expr",
         .gives_value = true,
         .pages = true,
         .run = RunProfile});
}

}  // namespace tensh::shell
