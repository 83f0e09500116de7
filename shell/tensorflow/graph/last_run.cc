#include "shell/tensorflow/graph/last_run.h"

#include <algorithm>

#include "shell/numpy/ndarray.h"
#include "shell/python/values/containers.h"
#include "shell/tensorflow/graph/needs.h"

namespace tensh::shell::tf {
namespace {

constexpr size_t kNamed = 3;
constexpr size_t kLooked = 8;  // items of a result among which a number is sought

tsh_run AsRun(const LastRun& last) {
  tsh_run run{};
  run.feeds = last.feeds.data();
  run.n_feeds = last.feeds.size();
  run.fetches = last.fetches.data();
  run.n_fetches = last.fetches.size();
  run.targets = last.targets.data();
  run.n_targets = last.targets.size();
  return run;
}

// Returns true if all nodes of the run still exist and were not replaced after a rollback.
bool IsWhole(const LastRun& last) {
  if (last.number == 0 || last.graph.get() == nullptr) return false;
  const uint32_t below = last.graph.valid_below(last.generation);
  const auto gone = [below](const auto& of) { return of >= below; };
  const auto out_gone = [below](const Out& of) { return of.node >= below; };
  return std::none_of(last.feeds.begin(), last.feeds.end(), out_gone) &&
         std::none_of(last.fetches.begin(), last.fetches.end(), out_gone) &&
         std::none_of(last.targets.begin(), last.targets.end(), gone);
}

void Name(const GraphHandle& graph, Node node, size_t* count, std::string* text) {
  if (++*count > kNamed) return;
  *text += (*count > 1 ? ", " : "") + std::string(graph.NodeName(node));
}

std::string TargetText(const LastRun& last) {
  std::string text;
  size_t count = 0;
  for (const Out& fetch : last.fetches) Name(last.graph, fetch.node, &count, &text);
  for (const Node target : last.targets) Name(last.graph, target, &count, &text);
  return count > kNamed ? text + ", …" : text;
}

// The values of the feeds are not kept. The text has zeros instead, so that it can be typed.
std::string FeedText(const LastRun& last) {
  std::string text;
  for (const Out& feed : last.feeds)
    text += (text.empty() ? " feed " : ", ") + std::string(last.graph.NodeName(feed.node)) +
            (feed.index > 0 ? ":" + std::to_string(feed.index) : "") + "=" +
            ZeroText(last.graph, feed);
  return text;
}

// Returns null if the value is no number. Arrays are not kept, because they may be large.
Value NumberIn(const Value& value) {
  return value.is_float() || value.is_int() || AsScalar(value) != nullptr ? value : Value();
}

}  // namespace

LastRun& Last() {
  static LastRun* last = new LastRun;
  return *last;
}

void NoteResult(const Value& result) {
  if (Last().paused) return;
  Value number = NumberIn(result);
  const auto look = [&number](const std::vector<Value>& items) {
    for (size_t i = 0; i < items.size() && i < kLooked && number.is_null(); ++i)
      number = NumberIn(items[i]);
  };
  if (const auto* list = As<ListObject>(result)) look(list->items);
  if (const auto* tuple = As<TupleObject>(result)) look(tuple->items);
  if (!number.is_null()) Last().number_fetched = std::move(number);
}

void NoteRun(const SessionObject& session, const tsh_run& run) {
  LastRun& last = Last();
  if (last.paused) return;
  ++last.number;
  if (last.session != &session) {
    last.session = &session;
    last.target = session.target;
    last.config = session.config_json;
  }
  tsh_graph* graph = session.graph().raw();
  if (last.graph.get() != graph) last.graph = GraphHandle::Share(graph);
  last.generation = last.graph.generation();
  last.feeds.assign(run.feeds, run.feeds + run.n_feeds);
  last.fetches.assign(run.fetches, run.fetches + run.n_fetches);
  last.targets.assign(run.targets, run.targets + run.n_targets);
}

void ForgetSession(const SessionObject& session) {
  if (Last().session == &session) Last().session = nullptr;
}

std::string ExplainLast(size_t max_pruned, std::string* target, std::string* request) {
  const LastRun& last = Last();
  if (!IsWhole(last) || !last.target.empty()) return "";
  *target = TargetText(last);
  *request = *target + FeedText(last);
  const tsh_run run = AsRun(last);
  tsh_status* status = ScratchStatus();
  if (last.session != nullptr && !last.session->closed())
    return TakeText(tsh_session_explain(last.session->handle().get(), &run, max_pruned, status));
  // The session was closed. A new session over the same graph and configuration makes the same
  // decisions.
  const SessionHandle again = SessionHandle::Make(last.graph, "", last.config);
  return TakeText(tsh_session_explain(again.get(), &run, max_pruned, status));
}

}  // namespace tensh::shell::tf
