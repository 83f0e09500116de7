#include "shell/explain/player.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kListed = 12;

std::string_view Producer(std::string_view input) {
  if (!input.empty() && input[0] == '^') input.remove_prefix(1);
  return input.substr(0, input.rfind(':'));
}

bool IsMerge(const ReportNode& node) { return node.op == "Merge" || node.op == "RefMerge"; }

// The state of the step after the events so far.
//
// Nodes that only pass values on, such as a Switch or an Enter, may have no event of their own. They
// count as run as soon as their inputs are available.
class Stage {
 public:
  Stage(const Report& report, const std::vector<const ReportEvent*>& events)
      : report_(report), sent_(report.transfers.size(), 0) {
    std::unordered_set<std::string_view> with_event;
    for (const ReportEvent* event : events)
      if (event->kind == "compute") with_event.insert(event->node);
    for (const auto* list : {&report.nodes, &report.called}) {
      for (const ReportNode& node : *list) {
        if (node.state == "pruned") continue;
        nodes_.push_back(&node);
        if (node.not_taken || node.state == "fed") continue;
        // Constants, variables and feeds are available before the step begins.
        if (!node.inputs.empty() && with_event.count(node.name) == 0) passing_.insert(&node);
      }
    }
    for (const ReportNode& node : report.called) device_of_.emplace(node.name, node.device);
    for (const ReportNode* node : nodes_)
      if (!node->not_taken && (node->state == "fed" || node->inputs.empty())) Arrive(node->name);
    Pass();
  }

  void Apply(const ReportEvent& event) {
    if (event.kind == "compute") {
      if (event.iteration > 0 || !event.value.empty()) latest_[event.node] = event.value;
      if (IsLoop(event)) EndLoop(event);
      Arrive(event.node);
      began_.erase(event.node);
      // The LoopCond of a loop has run in each iteration, but has no events there.
      const bool counts = !IsLoop(event) || event.op != "LoopCond";
      if (counts && times_[event.node]++ == 0) done_.push_back(event.node);
      NoteCallers(event.node);
    }
    if (event.kind == "recv") received_.insert(event.tensor + " " + event.device);
    for (size_t i = 0; i < sent_.size(); ++i) {
      const ReportTransfer& transfer = report_.transfers[i];
      if (transfer.tensor != event.tensor) continue;
      if (event.kind == "send" && transfer.from == event.device) sent_[i] = std::max(sent_[i], 1);
      if (event.kind == "recv" && transfer.to == event.device) sent_[i] = 2;
    }
    Pass();
  }

  // Describes the state. `next` is the event that follows, or null.
  Moment Now(std::string what, const ReportEvent* event, const ReportEvent* next) {
    Moment moment{.what = std::move(what), .done = done_};
    moment.arrived.swap(arrived_);
    if (event != nullptr) {
      moment.node = event->node;
      moment.at_ns = event->end_ns;
      moment.value = event->value;
      if (event->kind == "compute" && event->iteration == 0 && !IsLoop(*event))
        moment.tensor = event->node + ":0";
    }
    for (const std::string& name : done_) moment.times.push_back(times_.at(name));
    std::unordered_set<std::string> wanted;
    for (const ReportNode* node : nodes_) {
      if (node->not_taken) {
        if (NotTakenYet(*node)) moment.not_taken.push_back(node->name);
        continue;
      }
      // Within an iteration, the ready node is that of the next event.
      if (!MayRun(*node)) continue;
      const bool is_next = next != nullptr && next->kind == "compute" && next->iteration > 0 &&
                           next->node == node->name && began_.count(node->name) == 0;
      if (is_next) moment.ready.push_back(node->name);
      if (Ran(*node) || is_next) continue;
      for (const std::string& input : node->inputs)
        if (input[0] != '^' && there_.count(std::string(Producer(input))) > 0 &&
            wanted.insert(input).second)
          moment.in_flight.push_back(input + LatestOf(input));
      if (node->loop.empty() && began_.count(node->name) == 0 && Ready(*node))
        moment.ready.push_back(node->name);
    }
    for (const int sent : sent_) moment.transfers += static_cast<char>('0' + sent);
    return moment;
  }

 private:
  void Arrive(const std::string& node) {
    if (there_.insert(node).second) arrived_.push_back(node);
  }

  // Notes that the callers of a node have begun.
  void NoteCallers(const std::string& name) {
    const ReportNode* node = report_.called.empty() ? nullptr : report_.Find(name);
    while (node != nullptr && !node->within.empty()) {
      const ReportCall* call = report_.FindCall(node->within);
      if (call == nullptr || !began_.insert(call->caller).second) return;
      node = report_.Find(call->caller);
    }
  }

  // Returns true if it is known by now that the step does not take the node's branch.
  bool NotTakenYet(const ReportNode& node) const {
    if (node.within.empty()) return !node.inputs.empty() && Ready(node);
    const ReportCall* call = report_.FindCall(node.within);
    return call != nullptr && (began_.count(call->caller) > 0 || there_.count(call->caller) > 0);
  }

  // Returns false for a node of a function that is not being called.
  bool MayRun(const ReportNode& node) const {
    const ReportCall* call = node.within.empty() ? nullptr : report_.FindCall(node.within);
    return call == nullptr || began_.count(call->caller) > 0;
  }

  // Not all events of a long loop were kept, but the sums are complete.
  void EndLoop(const ReportEvent& event) {
    for (const ReportLoopTime& sum : report_.loop_times) {
      const auto at = times_.find(sum.node);
      const ReportNode* node = at == times_.end() ? nullptr : report_.Find(sum.node);
      if (node != nullptr && report_.LoopEvent(node->loop) == &event) at->second = sum.calls;
    }
  }

  // Returns " 3" for the first output of a node in a loop whose value in this iteration is 3.
  std::string LatestOf(const std::string& input) const {
    const auto at = latest_.find(std::string(Producer(input)));
    const bool known = at != latest_.end() && !at->second.empty() && input.ends_with(":0");
    return known ? " " + at->second : "";
  }

  bool Ran(const ReportNode& node) const { return there_.count(node.name) > 0; }

  // Returns true if all inputs have arrived; for a Merge, if one has.
  bool Ready(const ReportNode& node) const {
    const auto arrived = [&](const std::string& input) { return Arrived(input, node); };
    return IsMerge(node) ? std::any_of(node.inputs.begin(), node.inputs.end(), arrived)
                         : std::all_of(node.inputs.begin(), node.inputs.end(), arrived);
  }

  // Marks the nodes that only pass values on as run if their inputs are available.
  void Pass() {
    for (bool again = true; again;) {
      again = false;
      for (auto at = passing_.begin(); at != passing_.end();) {
        const bool passes = Ready(**at);
        if (passes) Arrive((*at)->name);
        at = passes ? passing_.erase(at) : std::next(at);
        again |= passes;
      }
    }
  }

  bool Arrived(const std::string& input, const ReportNode& node) const {
    for (size_t i = 0; i < sent_.size(); ++i) {
      const ReportTransfer& transfer = report_.transfers[i];
      if (transfer.tensor == input && transfer.to == node.device && transfer.from != node.device)
        return sent_[i] == 2;
    }
    // The transfers within functions are known only by their events.
    const auto from = node.within.empty() ? device_of_.end() : device_of_.find(Producer(input));
    if (from != device_of_.end() && from->second != node.device)
      return received_.count(input + " " + node.device) > 0;
    return there_.count(std::string(Producer(input))) > 0;
  }

  const Report& report_;
  std::vector<const ReportNode*> nodes_;
  std::unordered_set<const ReportNode*> passing_;
  std::unordered_set<std::string> there_;
  std::vector<std::string> arrived_;                                  // since the last moment
  std::unordered_map<std::string_view, std::string_view> device_of_;  // of nodes of functions
  std::unordered_set<std::string> received_;                          // "tensor device"
  std::unordered_set<std::string> began_;  // nodes whose functions are running
  std::vector<std::string> done_;
  std::unordered_map<std::string, int64_t> times_;
  std::unordered_map<std::string, std::string> latest_;  // values made in the current iteration
  std::vector<int> sent_;  // For each transfer: 0 not sent, 1 sent, 2 received.
};

// Returns ", iteration 2 of 5" for an event inside of a loop.
std::string IterationText(const Report& report, const ReportEvent& event) {
  if (event.iteration == 0) return "";
  const ReportNode* node = report.Find(event.node);
  const ReportEvent* loop = node == nullptr ? nullptr : report.LoopEvent(node->loop);
  std::string text = ", iteration " + std::to_string(event.iteration);
  // the condition is evaluated once more than the body
  if (loop != nullptr && event.iteration <= loop->iterations)
    text += " of " + std::to_string(loop->iterations);
  const auto in_other_loop = [node](const ReportNode& each) {
    return !each.loop.empty() && each.loop != node->loop;
  };
  if (node != nullptr && (std::any_of(report.nodes.begin(), report.nodes.end(), in_other_loop) ||
                          std::any_of(report.called.begin(), report.called.end(), in_other_loop)))
    text += " of " + report.LoopText(node->loop);
  return event.inner > 0 ? text + ", inner " + std::to_string(event.inner) : text;
}

// Returns a remark if not all events inside of loops were kept.
std::string Unseen(const Report& report) {
  int64_t calls = 0;
  for (const ReportLoopTime& sum : report.loop_times) calls += sum.calls;
  const auto shown = static_cast<int64_t>(
      std::count_if(report.in_loops.begin(), report.in_loops.end(),
                    [](const ReportEvent& event) { return event.kind == "compute"; }));
  return shown < calls ? " (" + Count(calls - shown, "event") + " in loops were not kept)" : "";
}

// Returns the branch that a node took, or the function that it called: ", then branch cond_true_4".
// Returns "" if a node in a loop took several branches.
std::string CallText(const Report& report, const ReportEvent& event) {
  const ReportCall* taken = nullptr;
  for (const ReportCall& call : report.calls) {
    if (call.caller != event.node || call.times <= 0) continue;
    if (taken != nullptr) return "";
    taken = &call;
  }
  if (taken == nullptr) return "";
  return ", " + (taken->role.empty() ? "function" : taken->role + " branch") + " " +
         Visible(taken->function);
}

std::string What(const Report& report, const ReportEvent& event) {
  if (IsLoop(event)) {
    const ReportNode* node = event.op == "LoopCond" ? report.Find(event.node) : nullptr;
    return event.device + " leaves " +
           report.LoopText(node == nullptr || node->loop.empty() ? event.node : node->loop) +
           " after " + Count(event.iterations, "iteration") + Unseen(report);
  }
  const std::string in_loop = IterationText(report, event);
  if (event.kind == "compute" && report.Calls(event.node))
    return event.device + " leaves " + Visible(event.node) + " (" + Visible(event.op) +
           CallText(report, event) + ")" + in_loop;
  if (event.kind == "compute")
    return event.device + " runs " + Visible(event.node) + " (" + Visible(event.op) + ")" + in_loop;
  if (event.kind == "read") return event.device + " reads the variable " + Visible(event.node);
  return event.device + (event.kind == "send" ? " sends " : " receives ") + Visible(event.tensor) +
         ", " + Bytes(event.bytes) + in_loop;
}

// Returns " = [4. 6.]" for the value that was made, or "" if it is unknown.
std::string Made(const Moment& moment, const ValueTexts& values) {
  const auto at = values.find(moment.tensor);
  const std::string& text = at == values.end() ? moment.value : at->second;
  return text.empty() ? "" : " = " + text;
}

std::string ListOf(const std::vector<std::string>& items, const ValueTexts* values) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < items.size() && i < kListed; ++i) {
    const auto at = values == nullptr ? ValueTexts::const_iterator() : values->find(items[i]);
    const bool known = values != nullptr && at != values->end();
    shown.push_back(Visible(items[i]) + (known ? " " + at->second : ""));
  }
  return (shown.empty() ? "–" : Join(shown, " · ")) +
         (items.size() > kListed
              ? " · … " + Digits(static_cast<int64_t>(items.size() - kListed)) + " more"
              : "");
}

}  // namespace

std::vector<Moment> Moments(const Report& report, size_t most, size_t* more) {
  std::vector<const ReportEvent*> events;
  for (const ReportEvent& event : report.in_loops) events.push_back(&event);
  for (const ReportEvent& event : report.events) {
    if (event.kind != "wait") events.push_back(&event);
  }
  std::stable_sort(events.begin(), events.end(), [](const ReportEvent* a, const ReportEvent* b) {
    return a->end_ns < b->end_ns;
  });
  const auto at = [&](size_t i) { return i < events.size() ? events[i] : nullptr; };
  Stage stage(report, events);
  std::vector<Moment> moments{
      stage.Now("before the step: constants, variables and feeds are ready", nullptr, at(0))};
  const size_t count = std::min(events.size(), most);
  if (more != nullptr) *more = events.size() - count;
  for (size_t i = 0; i < count; ++i) {
    stage.Apply(*events[i]);
    moments.push_back(stage.Now(What(report, *events[i]), events[i], at(i + 1)));
  }
  return moments;
}

std::string MomentText(const Moment& moment, const ValueTexts& values) {
  return moment.what + Made(moment, values);
}

namespace {

// Returns a line of the state: "   done        a · b". Further lines are indented like the items.
std::string ListLine(const char* label, const std::string& items, size_t width) {
  constexpr size_t kIndent = 15;
  constexpr std::string_view kBetween = " · ";
  std::string out = PadTo(std::string("   ") + label, kIndent);
  size_t used = kIndent;
  for (size_t at = 0; at < items.size();) {
    const size_t end = std::min(items.find(kBetween, at), items.size());
    const std::string_view item = std::string_view(items).substr(at, end - at);
    if (at > 0 && width > 0 && used + 3 + TextWidth(item) > width) {
      out += "\n" + std::string(kIndent, ' ');
      used = kIndent;
    } else if (at > 0) {
      out += kBetween;
      used += 3;
    }
    out += item;
    used += TextWidth(item);
    at = end == items.size() ? end : end + kBetween.size();
  }
  return out + "\n";
}

}  // namespace

std::string RenderMoment(const Report& report, const Moment& moment, size_t number, size_t count,
                         const ValueTexts& values, size_t width) {
  std::string out = " ";
  if (number > 0)
    out +=
        Digits(static_cast<int64_t>(number)) + " of " + Digits(static_cast<int64_t>(count)) + "   ";
  out += MomentText(moment, values);
  if (number > 0) {
    constexpr size_t kWhen =
        13;  // "   at 12.3 µs", so that the place of a break does not depend on times
    const std::string when = "   at " + Duration(static_cast<double>(moment.at_ns));
    out += (width > 0 && TextWidth(out) + kWhen > width ? "\n" : "") + when;
  }
  out += "\n";
  std::vector<std::string> done = moment.done;
  for (size_t i = 0; i < done.size(); ++i)
    if (moment.times[i] > 1) done[i] += " ×" + Digits(static_cast<int64_t>(moment.times[i]));
  out += ListLine("done", ListOf(done, nullptr), width) +
         ListLine("ready", ListOf(moment.ready, nullptr), width);
  if (!moment.not_taken.empty())
    out += ListLine("not taken", ListOf(moment.not_taken, nullptr), width);
  out += ListLine("in flight", ListOf(moment.in_flight, &values), width);
  for (size_t i = 0; i < moment.transfers.size() && i < kListed; ++i) {
    const ReportTransfer& transfer = report.transfers[i];
    constexpr const char* kStates[] = {"–", "sent", "received"};
    out += (i == 0 ? "   rendezvous  " : "               ") +
           Visible(transfer.tensor + " " + transfer.from + " → " + transfer.to + ": " +
                   kStates[moment.transfers[i] - '0']) +
           "\n";
  }
  return out;
}

}  // namespace tensh::shell
