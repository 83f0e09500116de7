// The answers of `why`: sentences made from the records of prune, place, partition and the step.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "shell/explain/view.h"
#include "shell/explain/why_optimized.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxNamed = 4;
constexpr size_t kMaxWaits = 10;

struct ReasonRow {
  const char* reason;
  const char* sentence;
};
constexpr ReasonRow kReasons[] = {
    {"asked", "you requested it"},
    {"only kernel", "it is the only device with a kernel for this op and type"},
    {"follows input", "its input is there"},
    {"follows consumer", "it has no inputs, and all its consumers are there"},
    {"kept", "an earlier run put it there, and its state does not move"},
    {"feed arrives here", "its feed arrives there"},
    {"result of Python", "the result of its Python function arrives there"},
    {"default", "no device was requested, and this is the first device that can run it"},
};

}  // namespace

std::string ReasonSentence(const ReportNode& node) {
  if (!node.within.empty() && node.reason == "default")
    return "no device was requested, so it is computed where the function is called";
  const std::string detail = node.reason_detail.empty() ? "" : " (" + node.reason_detail + ")";
  for (const ReasonRow& row : kReasons) {
    if (node.reason == row.reason) return row.sentence + detail;
  }
  if (node.reason == "asked≠got")
    return "you requested " + node.asked + ", which is not possible" + detail;
  if (!node.colocated_with.empty()) {
    const std::string with = Visible(node.colocated_with);
    if (!node.loop.empty())
      return "no device was requested, so it stays with its loop, on the device of " + with;
    return "it must share the device of " + with +
           ", because it takes a reference to it or its attribute _class names it";
  }
  return node.reason.empty() ? "no reason was recorded" : node.reason;
}

namespace {

std::string Described(const ReportNode& node) {
  return Visible(node.name) + " (" + Visible(node.op) +
         (node.type.empty() ? "" : ", " + node.type) + ")";
}

std::string Time(int64_t ns) { return Duration(static_cast<double>(ns)); }

std::string_view NodeOf(std::string_view input) {
  if (!input.empty() && input[0] == '^') input.remove_prefix(1);
  return input.substr(0, input.rfind(':'));
}

// Returns "a, b, c and 4 more".
std::string Named(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < names.size() && i < kMaxNamed; ++i) shown.push_back(Visible(names[i]));
  const std::string list = Join(shown, ", ");
  return names.size() > kMaxNamed
             ? list + " and " + Digits(static_cast<int64_t>(names.size() - kMaxNamed)) + " more"
             : list;
}

// The predicate that decides whether a node outside of loops runs: that of a Switch, or of the
// caller of a branch; the value with which the node runs, and the one with which it does not.
struct Decision {
  const ReportNode* predicate = nullptr;  // null if the node runs in any case
  std::string value = {}, other = {};     // "True" and "False"
};

const char* Name(bool value) { return value ? "True" : "False"; }
Decision DecisionOf(const ReportNode* predicate, bool value) {
  return {predicate, Name(value), Name(!value)};
}

// Skips nodes such as cond/pred_id, which pass the predicate on and cannot be fetched.
const ReportNode* PredicateOf(const Report& report, const std::string& input) {
  const ReportNode* node = report.Find(NodeOf(input));
  while (node != nullptr && node->op == "Identity" && !node->inputs.empty())
    node = report.Find(NodeOf(node->inputs[0]));
  return node;
}

int64_t RunsInLoops(const Report& report, std::string_view node) {
  for (const ReportLoopTime& each : report.loop_times)
    if (each.node == node) return each.calls;
  return 0;
}

// Finds the decision about a node of a called function: that of the innermost branch around it (in a
// step, of the outermost that was not taken), which is in a loop if `in_loop`.
Decision DecisionOnCall(const Report& report, const ReportNode& node, bool in_loop) {
  const ReportNode* at = &node;
  Decision found;
  while (at != nullptr && !at->within.empty()) {
    const ReportCall* call = report.FindCall(at->within);
    // In a step, the outermost branch that was not taken decides.
    if (call == nullptr || call->times > 0) break;
    const ReportNode* predicate =
        call->decided_by.empty() ? nullptr : PredicateOf(report, call->decided_by);
    if (predicate != nullptr) {
      found = {};
      if (predicate->loop.empty() != in_loop)
        found = call->role == "then" || call->role == "else"
                    ? DecisionOf(predicate, call->role == "then")
                    : Decision{predicate, call->role.substr(call->role.find_first_of("0123456789")),
                               "another number"};
      if (call->times < 0 && found.predicate != nullptr) break;
      // If the caller did not run as often as the predicate, other values chose other branches.
      if (in_loop && RunsInLoops(report, call->caller) != RunsInLoops(report, predicate->name))
        found = {};
    }
    at = report.Find(call->caller);
  }
  return found;
}

// Finds the decision about a node: in its loop if `in_loop`, and otherwise outside of all loops.
Decision DecisionAbout(const Report& report, const ReportNode& node, bool in_loop = false) {
  if (!node.within.empty()) return DecisionOnCall(report, node, in_loop);
  std::unordered_map<std::string_view, const ReportNode*> nodes;
  for (const ReportNode& each : report.nodes) nodes.emplace(each.name, &each);
  const auto find = [&nodes](std::string_view input) {
    const auto at = nodes.find(NodeOf(input));
    return at == nodes.end() ? nullptr : at->second;
  };
  // The Switches of a loop itself depend on its LoopCond.
  const auto decides = [&](const ReportNode& producer) {
    if (producer.op != "Switch" && producer.op != "RefSwitch") return false;
    const ReportNode* by = producer.inputs.size() > 1 ? find(producer.inputs[1]) : nullptr;
    return by != nullptr && by->op != "LoopCond" && producer.loop.empty() != in_loop;
  };
  std::vector<const ReportNode*> open{&node};
  std::unordered_set<const ReportNode*> seen{&node};
  for (size_t i = 0; i < open.size(); ++i) {
    const bool merges = open[i]->op == "Merge" || open[i]->op == "RefMerge";
    if (merges && (in_loop || open[i]->loop.empty())) continue;
    for (const std::string& input : open[i]->inputs) {
      const ReportNode* producer = find(input);
      if (producer == nullptr || producer->state == "pruned") continue;
      if (decides(*producer) && input[0] != '^')
        return DecisionOf(PredicateOf(report, producer->inputs[1]), input.ends_with(":1"));
      if (seen.insert(producer).second) open.push_back(producer);
    }
  }
  return {};
}

// Returns a device of a report as it is typed: cpu:0 has no slash there, and that of a task has one.
std::string Typed(const std::string& device) { return (device[0] == '/' ? "" : "/") + device; }

// Returns another device of the session, to suggest in a command, or "" if it has only one. Prefers
// one that takes part in the run.
std::string OtherDevice(const Report& report, const std::string& device) {
  for (const ReportPartition& partition : report.partitions)
    if (partition.device != device) return Typed(partition.device);
  for (const std::string& other : report.devices)
    if (other != device) return Typed(other);
  return "";
}

const ReportTransfer* TransferInto(const Report& report, const ReportNode& node) {
  for (const ReportTransfer& transfer : report.transfers) {
    const auto& to = transfer.consumers;
    if (std::find(to.begin(), to.end(), node.name) != to.end()) return &transfer;
  }
  return nullptr;
}

std::string Waited(const Report& report, const ReportNode& node) {
  for (const ReportEvent& event : report.events) {
    if (event.kind != "wait" || report.Subject(event) != node.name || event.waits_for.empty())
      continue;
    return " In the last run it waited " + Time(event.end_ns - event.start_ns) + " for " +
           event.waits_for + ".";
  }
  return "";
}

// Returns the nodes that a device computed within an interval, longest first: "a 1.2 µs, b 300 ns".
std::string Meanwhile(const Report& report, const std::string& device, int64_t from, int64_t to) {
  std::vector<const ReportEvent*> ran;
  for (const ReportEvent& event : report.events) {
    if (event.device == device && event.kind == "compute" && event.start_ns < to &&
        event.end_ns > from)
      ran.push_back(&event);
  }
  std::stable_sort(ran.begin(), ran.end(), [](const ReportEvent* a, const ReportEvent* b) {
    return a->end_ns - a->start_ns > b->end_ns - b->start_ns;
  });
  std::vector<std::string> parts;
  for (size_t i = 0; i < ran.size() && i < 3; ++i)
    parts.push_back(Visible(ran[i]->node) + " " + Time(ran[i]->end_ns - ran[i]->start_ns));
  return Join(parts, ", ") + (ran.size() > 3 ? ", …" : "");
}

// Returns the nodes on a shortest path from `from` to `to` along inputs, or {} if none exists.
std::vector<std::string> PathBetween(const Report& report, const std::string& from,
                                     const std::string& to) {
  std::unordered_map<std::string_view, const ReportNode*> nodes;
  for (const ReportNode& node : report.nodes) nodes.emplace(node.name, &node);
  std::unordered_map<std::string_view, std::string_view> next{{to, ""}};
  std::vector<std::string_view> open{to};
  for (size_t i = 0; i < open.size() && next.count(from) == 0; ++i) {
    const auto at = nodes.find(open[i]);
    if (at == nodes.end()) continue;
    for (const std::string& input : at->second->inputs) {
      const std::string_view name = NodeOf(input);
      if (next.emplace(name, open[i]).second) open.push_back(name);
    }
  }
  std::vector<std::string> path;
  if (next.count(from) == 0) return path;
  for (std::string_view at = from; !at.empty(); at = next[at]) path.emplace_back(at);
  return path;
}

bool IsOnce(const Report& report, const ReportNode& node) {
  const auto has = [&](const ReportPartition& part) {
    return std::count(part.once.begin(), part.once.end(), node.name) > 0;
  };
  return node.once || std::any_of(report.partitions.begin(), report.partitions.end(), has);
}

}  // namespace

std::string ExplainPlace(const Report& report, const std::string& name) {
  const ReportNode* node = report.Find(name);
  if (node == nullptr || node->state == "pruned") return ExplainWhyNot(report, name, {});
  std::string out =
      Described(*node) + " is on " + node->device + ": " + ReasonSentence(*node) + ".";
  if (node->state == "fed")
    out = Described(*node) + " is fed: its value arrives on " + node->device +
          ", and its kernel does not run.";
  if (node->state == "fed" && report.Assumes(name))
    out = Described(*node) +
          " has no value of its own: every run that needs it feeds it, and the " +
          "value arrives on " + node->device + ".";
  if (node->reason == "feed arrives here" && node->op == "IteratorGetNext")
    out = Described(*node) + " takes the next element of its iterator before the step (tf.data), " +
          "unless the run feeds it; its value arrives on " + node->device + ".";
  if (report.IsPython(name))
    out = Described(*node) + " is the result of a Python function (tf.py_func), which is called " +
          "before the step; its value arrives on " + node->device + ".";
  if (node->state == "fed" && !node->runs_for.empty())
    out = Described(*node) + " runs in a separate step before this one, for the Python function " +
          "behind " + Visible(node->runs_for) + "; its value arrives on " + node->device + ".";
  if (node->state == "unused")
    out = Described(*node) +
          " is needed only for the order of execution: its value is not used, and "
          "its kernel is skipped.";
  if (const std::string why = WhyNoKernel(report, name); !why.empty())
    out = Described(*node) + " does not run as a separate kernel, because " + why +
          ". To run each node by itself: set optimize off.";
  if (IsOnce(report, *node))
    out +=
        " The first step computes it, and later steps only if a shape has changed. To compute it "
        "in each step: set optimize off.";
  const ReportEvent* loop = node->loop.empty() ? nullptr : report.LoopEvent(node->loop);
  if (node->not_taken)
    out += loop != nullptr && loop->iterations == 0
               ? " Its loop ran no iteration in the last step, so it did not run."
               : " It is on a branch that the last step did not take, so it did not run.";
  if (const ReportTransfer* transfer = TransferInto(report, *node)) {
    out += " It takes " + Visible(transfer->tensor) + " from " + transfer->from +
           " through a Send/Recv pair (" + Bytes(transfer->bytes) + ").";
  }
  return out + Waited(report, *node);
}

namespace {

// Returns a command that changes what was explained. It must not contradict the reason.
std::string Advice(const Report& report, const ReportNode& node) {
  const std::string name = Visible(node.name), to = OtherDevice(report, node.device);
  if (node.not_taken) return "Why it did not run: why not " + name;
  if (const ReportCall* call = node.within.empty() ? nullptr : report.FindCall(node.within)) {
    const std::string part = "It is part of the function " + Visible(call->function) + ", which " +
                             Visible(call->caller) + " calls. ";
    const ReportNode* caller = report.Find(call->caller);
    const bool movable =
        caller != nullptr && caller->within.empty() && !to.empty() && node.reason == "default";
    return part + (movable ? "Move the caller: place " + Visible(call->caller) + " on " + to
                           : "More: why " + Visible(call->caller));
  }
  if (node.state == "fed" || node.reason == "feed arrives here" || report.IsPython(node.name))
    return "Its consumers: lo " + name;
  if (node.reason == "only kernel") return "The kernels: help " + Visible(node.op);
  if (to.empty()) return "The session has no other device; list it: devices";
  if (node.reason == "kept")
    return "Move it in a new session: place " + name + " on " + to + "; session new";
  if (!node.colocated_with.empty())
    return (node.loop.empty() ? "Move both: place " : "Move the loop: place ") +
           Visible(node.colocated_with) + " on " + to;
  return "Move it: place " + name + " on " + to;
}

// Returns true if a node ran directly on the branch that a decision is about.
bool Entered(const Report& report, const Decision& decision) {
  const std::string_view output = decision.value == "True" ? ":1" : ":0";
  std::unordered_map<std::string_view, const ReportNode*> switches;
  for (const ReportNode& node : report.nodes)
    if ((node.op == "Switch" || node.op == "RefSwitch") && node.inputs.size() > 1 &&
        PredicateOf(report, node.inputs[1]) == decision.predicate)
      switches.emplace(node.name, &node);
  return std::any_of(report.nodes.begin(), report.nodes.end(), [&](const ReportNode& node) {
    if (node.not_taken || node.state == "pruned" || node.op == "Merge" || node.op == "RefMerge")
      return false;
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
      return input.ends_with(output) && switches.count(NodeOf(input)) > 0;
    });
  });
}

// Returns true if a predicate inside of a loop was evaluated and never chose the branch.
bool NeverChose(const Report& report, const Decision& decision) {
  const ReportNode* predicate = decision.predicate;
  if (predicate == nullptr || predicate->not_taken) return false;
  if (!predicate->within.empty()) return true;  // the call of the branch was counted
  return !Entered(report, decision);
}

// Returns true for a node of a loop that runs even if the condition is false at once.
bool IsOutsideOfBody(const ReportNode& node) {
  constexpr std::string_view kOps[] = {"Enter", "Exit", "Merge", "Switch", "LoopCond", "Const"};
  return std::find(std::begin(kOps), std::end(kOps), node.op) != std::end(kOps);
}

// Explains why a node of a loop ran, or why it did not run in any iteration.
std::string ExplainInLoop(const Report& report, const ReportNode& node, const ReportEvent& loop,
                          const RunText& run) {
  const std::string name = Visible(node.name), around = report.LoopText(node.loop);
  const std::string iterations = Count(loop.iterations, "iteration");
  if (node.not_taken && loop.iterations > 0) {
    const Decision decision = DecisionAbout(report, node, true);
    return Described(node) + " did not run: " + around + " ran " + iterations +
           (NeverChose(report, decision)
                ? ", and never took its branch, because " + Visible(decision.predicate->name) +
                      " was " + decision.other + " each time"
                : ", and none of them entered its branch or its inner loop") +
           ". Go through the iterations: step " + run.request + "\n";
  }
  const auto times = std::find_if(report.loop_times.begin(), report.loop_times.end(),
                                  [&](const auto& each) { return each.node == node.name; });
  const bool counted = times != report.loop_times.end();
  const bool outside = node.within.empty() ? IsOutsideOfBody(node) : !node.not_taken;
  if (loop.iterations == 0 && !counted && (node.not_taken || !outside))
    return Described(node) + " did not run: " + around + " ran " + iterations + ". More: why " +
           name + "\n";
  // The condition runs once more than the body. A node that ran another number of times is in an
  // inner loop or on a branch.
  const bool varies =
      counted && times->calls != loop.iterations && times->calls != loop.iterations + 1;
  return Described(node) + " does run, on " + node.device +
         (counted ? ", " + Count(times->calls, "time") : "") + ": " + around + " ran " +
         iterations + (varies ? ", with loops or branches inside" : "") + ". More: why " + name +
         "\n";
}

// Explains why a node that the plan contains ran, or did not.
std::string ExplainRan(const Report& report, const ReportNode& node, const RunText& run) {
  const std::string name = Visible(node.name);
  const ReportEvent* loop = node.loop.empty() ? nullptr : report.LoopEvent(node.loop);
  if (loop != nullptr) return ExplainInLoop(report, node, *loop, run);
  const bool ran = !report.events.empty();
  Decision decision = DecisionAbout(report, node);
  // An inner branch is not decided if an outer one is not taken.
  while (ran && decision.predicate != nullptr && decision.predicate->not_taken) {
    const ReportNode* inner = decision.predicate;
    decision = DecisionAbout(report, *inner);
    if (decision.predicate == inner) break;
  }
  const std::string predicate =
      decision.predicate == nullptr ? "" : Visible(decision.predicate->name);
  // The predicate of an inner branch cannot be fetched.
  const bool fetchable = !predicate.empty() && decision.predicate->loop.empty() &&
                         decision.predicate->within.empty() &&
                         DecisionAbout(report, *decision.predicate).predicate == nullptr;
  if (node.not_taken) {
    return Described(node) + " did not run: it is on a branch that the step did not take" +
           (predicate.empty() ? "" : ", because " + predicate + " was " + decision.other) + ". " +
           (fetchable ? "See it: eval " + predicate + run.feeds() : "More: why " + name) + "\n";
  }
  if (!ran && !predicate.empty())
    return Described(node) + " is on a branch: it runs if " + predicate + " is " + decision.value +
           ", and no measured step shows whether it is. Find out: explain analyze " + run.request +
           "\n";
  if (!ran && !node.loop.empty())
    return Described(node) + " is in the loop " + Visible(node.loop) +
           ", and no measured step shows how often it runs. Find out: explain "
           "analyze " +
           run.request + "\n";
  return Described(node) + " does run, on " + node.device + ". More: why " + name + "\n";
}

// Returns a command that runs a node.
std::string RunIt(const std::string& name, const RunText& run) {
  if (!run.inside) return "Run it: run " + Visible(name);
  if (run.user.empty())
    return "It is inside of a branch or a loop, and nothing outside takes its value. Its inputs: "
           "graph " +
           Visible(name);
  return "It is inside of a branch or a loop. Run what takes its value: run " + Visible(run.user);
}

}  // namespace

std::string RunText::feeds() const {
  return request.starts_with(target) ? request.substr(target.size()) : "";
}

std::string ExplainWhy(const Report& report, const std::string& name) {
  const ReportNode* node = report.Find(name);
  const std::string place = ExplainPlace(report, name);
  if (node == nullptr || node->state == "pruned") return place;
  return place + " " + Advice(report, *node) + "\n";
}

std::string ExplainWhyNot(const Report& report, const std::string& name, const RunText& run) {
  const ReportNode* node = report.Find(name);
  if (node != nullptr && node->state != "pruned" && report.IsPython(name))
    return Described(*node) + " does run: Python computes it before the step (tf.py_func). Its " +
           "consumers: lo " + Visible(name) + "\n";
  if (node != nullptr && !node->runs_for.empty())
    return Described(*node) + " does run, in a separate step before this one: the Python " +
           "function behind " + Visible(node->runs_for) + " needs it. More: why " +
           Visible(node->runs_for) + "\n";
  if (node != nullptr && node->state == "fed") {
    return Described(*node) + " did not run: its value was fed. Run it: leave out its feed\n";
  }
  if (node != nullptr && node->state != "pruned") return ExplainRan(report, *node, run);
  const std::string what =
      node == nullptr ? Visible(name) : Visible(node->name) + " (" + Visible(node->op) + ")";
  if (node != nullptr && !node->pruned_by.empty()) {
    return what + " did not run: " + Visible(node->pruned_by) +
           " was fed, and only through it does the fetch depend on " + Visible(name) + ". " +
           (run.inside ? "Leave out the feed"
                       : "Run it: leave out the feed, or run " + Visible(name)) +
           "\n";
  }
  std::string why = run.target.empty() ? "no fetch depends on it"
                                       : "the fetch " + run.target + " does not depend on it";
  return what + " did not run: " + why + ". " + RunIt(name, run) + "\n";
}

std::string ExplainEdge(const Report& report, const std::string& from, const std::string& to) {
  const ReportNode* source = report.Find(from);
  const ReportNode* sink = report.Find(to);
  const std::string edge = Visible(from) + " → " + Visible(to);
  if (sink == nullptr || sink->state == "pruned") {
    return edge + " was not used: " + Visible(to) + " did not run. More: why not " + Visible(to) +
           "\n";
  }
  const auto is_from = [&](const std::string& input) { return NodeOf(input) == from; };
  const auto input = std::find_if(sink->inputs.begin(), sink->inputs.end(), is_from);
  if (input == sink->inputs.end()) {
    const std::vector<std::string> path = PathBetween(report, from, to);
    if (path.empty())
      return "there is no edge " + edge + ", and no path: " + Visible(to) + " does not depend on " +
             Visible(from) + ". Its inputs: graph " + Visible(to) + "\n";
    std::vector<std::string> steps;
    for (const std::string& step : path) steps.push_back(Visible(step));
    return "there is no edge " + edge + "; the path is " + Join(steps, " → ") +
           ". One of its edges: why " + steps[0] + " -> " + steps[1] + "\n";
  }
  const bool control = (*input)[0] == '^';
  if (sink->state == "fed")
    return edge + " was not used: " + Visible(to) + " is fed. Use it: leave out its feed\n";
  const std::string what =
      control ? "it carries no value: " + Visible(to) + " waits until " + Visible(from) + " has run"
              : Visible(*input) + (source == nullptr ? "" : " is " + source->type);
  for (const ReportTransfer& transfer : report.transfers) {
    const auto& consumers = transfer.consumers;
    if (NodeOf(transfer.tensor) != from ||
        std::find(consumers.begin(), consumers.end(), to) == consumers.end())
      continue;
    return edge + " is cut: " + Visible(from) + " is on " + transfer.from + " (" +
           (source == nullptr ? "" : source->reason) + "), " + Visible(to) + " on " + transfer.to +
           " (" + sink->reason + "). " + what + "; a Send/Recv pair transfers it, " +
           Bytes(transfer.bytes) + "." + Waited(report, *sink) + " Join them: place " +
           Visible(to) + " on " + Typed(transfer.from) + "\n";
  }
  const std::string other = OtherDevice(report, sink->device);
  return edge + " stays on " + sink->device + ": nothing is sent. " + what +
         (other.empty()
              ? ". The session has no other device; list it: devices\n"
              : ". Cut it: explain " + Visible(to) + " with " + Visible(to) + "=" + other + "\n");
}

std::string ExplainDevice(const Report& report, const std::string& device) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  size_t here = 0, runs = 0;
  for (const ReportNode& node : report.nodes) {
    if (node.state == "pruned" || node.state == "fed") continue;
    ++runs;
    if (node.device != device) continue;
    ++here;
    const std::string reason = node.colocated_with.empty() ? node.reason : "colocated";
    const auto at = std::find_if(reasons.begin(), reasons.end(),
                                 [&](const auto& each) { return each.first == reason; });
    if (at == reasons.end()) {
      reasons.push_back({reason, {node.name}});
    } else {
      at->second.push_back(node.name);
    }
  }
  if (here == 0) {
    return device +
           " ran nothing: no node requested it, and a node without a request runs on the "
           "first device that can run it. Use it: place X on " +
           Typed(device) + "\n";
  }
  std::string out = device + " has " + Digits(static_cast<int64_t>(here)) + " of " +
                    Count(static_cast<int64_t>(runs), "node") + ":\n";
  for (const auto& [reason, names] : reasons)
    out += "   " + Digits(static_cast<int64_t>(names.size())) + " " + reason + ": " + Named(names) +
           "\n";
  int64_t sent = 0, received = 0, busy = 0, waited = 0;
  for (const ReportTransfer& transfer : report.transfers) {
    if (transfer.from == device) sent += std::max<int64_t>(transfer.bytes, 0);
    if (transfer.to == device) received += std::max<int64_t>(transfer.bytes, 0);
  }
  for (const ReportEvent& event : report.events) {
    if (event.device != device) continue;
    (event.kind == "wait" ? waited : busy) += event.end_ns - event.start_ns;
  }
  out += "   sends " + Bytes(sent) + ", receives " + Bytes(received);
  if (!report.events.empty()) out += "; busy " + Time(busy) + ", waits " + Time(waited);
  const std::string other = OtherDevice(report, device);
  return out + (other.empty() ? "\n The session has no other device; list it: devices\n"
                              : "\n Empty it: place " + Visible(reasons[0].second[0]) + " on " +
                                    other + "\n");
}

std::string ExplainWaits(const Report& report, const std::string& request) {
  std::vector<const ReportEvent*> waits;
  for (const ReportEvent& event : report.events) {
    if (event.kind == "wait") waits.push_back(&event);
  }
  if (report.events.empty()) return "no step was measured yet. Type: explain analyze X\n";
  if (waits.empty())
    return "nothing waited: every value had arrived before it was needed. See: events\n";
  std::stable_sort(waits.begin(), waits.end(), [](const ReportEvent* a, const ReportEvent* b) {
    return a->end_ns - a->start_ns > b->end_ns - b->start_ns;
  });
  std::string out;
  for (size_t i = 0; i < waits.size() && i < kMaxWaits; ++i) {
    const ReportEvent& wait = *waits[i];
    std::string from;
    for (const ReportTransfer& transfer : report.transfers) {
      if (transfer.tensor == wait.tensor && transfer.to == wait.device) from = transfer.from;
    }
    const std::string ran = Meanwhile(report, from, wait.start_ns, wait.end_ns);
    out += Visible(report.Subject(wait)) + " on " + wait.device + " waited " +
           Time(wait.end_ns - wait.start_ns) + " for " + Visible(wait.tensor) + " from " + from +
           (ran.empty() ? ", which ran no kernel meanwhile" : ", which ran " + ran) + "\n";
  }
  if (waits.size() > kMaxWaits)
    out += "… " + Count(static_cast<int64_t>(waits.size() - kMaxWaits), "more wait") +
           ": events where kind == wait\n";
  const std::string node = report.Subject(*waits[0]);
  std::string again = request;
  for (const ReportNode& each : report.nodes)
    if (again.empty() && (each.state == "fetch" || each.state == "target"))
      again = Visible(each.name);
  return out + "Try without: explain " + (again.empty() ? "X" : again) + " with " + Visible(node) +
         "=" + OtherDevice(report, waits[0]->device) + "\n";
}

}  // namespace tensh::shell
