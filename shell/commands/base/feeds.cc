#include "shell/commands/base/feeds.h"

#include <algorithm>

#include "shell/commands/base/shell.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/needs.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
std::string ZeroFeeds(const GraphHandle& graph, const std::vector<tsh_node>& placeholders) {
  std::string out;
  for (const tsh_node node : placeholders)
    out += (out.empty() ? "" : ", ") + Visible(graph.NodeName(node)) + "=" +
           tf::ZeroText(graph, {node, 0});
  return out;
}

void AddLastFeeds(Shell& shell, RunRequest* request) {
  auto* last = As<DictObject>(shell.last_feeds());
  Fetch fetch;
  for (const Value& value : request->fetches)
    if (!fetch) fetch = FirstFetch(value);
  size_t added = 0;
  for (size_t i = 0; const Dict::Entry* entry = last == nullptr ? nullptr : last->dict.At(&i);) {
    Fetch feed;
    try {
      feed = AsFetch(entry->key);
    } catch (const PyError&) {
      continue;  // the tensor was rolled back
    }
    if (fetch && feed && feed.graph.get() != fetch.graph.get()) continue;
    SetItem(request->feeds, entry->key, entry->value);
    ++added;
  }
  if (added == 0)
    throw RuntimeError("feed again: no verb has fed this graph yet")
        .Hint("Type the feeds once: " + std::string(request->verb) + " " + request->target +
              " feed X=VALUE");
}

std::vector<tf::HostFunction> FunctionsOf(const Value& session) {
  auto* object = As<tf::SessionObject>(session);
  return object == nullptr ? std::vector<tf::HostFunction>() : tf::HostFunctions(object->graph());
}

std::string FeedsToAdd(const RunRequest& request, const std::string& feeds) {
  if (feeds.empty()) return "";
  return (request.ends_with_feed ? ", " : " feed ") + feeds;
}

AssumedFeeds::AssumedFeeds(const GraphHandle& graph, const tsh_run& run,
                           const std::vector<tf::HostFunction>& functions)
    : graph_(graph), feeds_(run.feeds, run.feeds + run.n_feeds), run_(run) {
  Find(run, functions);
  std::sort(called_.begin(), called_.end(),
            [](const Called& a, const Called& b) { return a.output < b.output; });
  for (const tsh_node node : placeholders_) feeds_.push_back({node, 0});
  for (const Called& called : called_) feeds_.push_back({called.output, 0});
  run_.feeds = feeds_.data();
  run_.n_feeds = feeds_.size();
}

void AssumedFeeds::Find(const tsh_run& run, const std::vector<tf::HostFunction>& functions) {
  for (const tsh_node node : tf::UnfedPlaceholders(graph_, run)) {
    const auto makes_it = [node](const tf::HostFunction& function) {
      return std::any_of(function.outputs.begin(), function.outputs.end(),
                         [node](const tsh_output& out) { return out.node == node; });
    };
    const auto function = std::find_if(functions.begin(), functions.end(), makes_it);
    const auto is_known = [node](const Called& called) { return called.output == node; };
    if (function == functions.end()) {
      if (std::find(placeholders_.begin(), placeholders_.end(), node) == placeholders_.end())
        placeholders_.push_back(node);
    } else if (std::none_of(called_.begin(), called_.end(), is_known)) {
      called_.push_back({node, {}});
      AddFunction(*function, run, functions);
    }
  }
}

void AssumedFeeds::AddFunction(const tf::HostFunction& function, const tsh_run& run,
                               const std::vector<tf::HostFunction>& functions) {
  constexpr size_t kMostNeeds = 1000;
  const size_t at = called_.size() - 1;
  tsh_run before = run;
  before.fetches = function.inputs.data();
  before.n_fetches = function.inputs.size();
  before.n_targets = 0;
  const auto is_fed = [&run](tsh_node node) {
    return std::any_of(run.feeds, run.feeds + run.n_feeds,
                       [node](const tsh_output& feed) { return feed.node == node; });
  };
  const std::vector<bool> needed = tf::NeededNodes(graph_, before);
  for (tsh_node node = 0; node < needed.size() && called_[at].needs.size() < kMostNeeds; ++node)
    if (needed[node] && !is_fed(node)) called_[at].needs.push_back(node);
  Find(before, functions);
}

std::string AssumedFeeds::Note(std::string report_json) const {
  const size_t end = report_json.rfind('}');
  if (end == std::string::npos) return report_json;
  const auto names = [this](const std::vector<tsh_node>& nodes) {
    std::string list;
    for (const tsh_node node : nodes)
      list += (list.empty() ? "" : ",") + JsonQuote(graph_.NodeName(node));
    return "[" + list + "]";
  };
  std::string note;
  if (!placeholders_.empty()) note += ",\"assumed\":" + names(placeholders_);
  for (const Called& called : called_)
    note += (&called == called_.data() ? ",\"python\":[" : ",") +
            ("{\"node\":" + JsonQuote(graph_.NodeName(called.output))) +
            ",\"needs\":" + names(called.needs) + "}";
  if (!called_.empty()) note += "]";
  return report_json.insert(end, note);
}

void HintAtFeeds(const RunRequest& request, const GraphHandle& graph, const PyError& error) {
  ExceptionObject& exception = error.exception();
  std::vector<tsh_node> nodes;
  for (const std::string& name : exception.missing_feeds)
    if (const tsh_node node = graph.Find(name); node != TSH_NO_NODE) nodes.push_back(node);
  if (nodes.empty()) return;
  const std::string places = tf::Places(graph, exception.missing_feeds);
  if (!places.empty()) exception.explanation += " Not fed: " + places + ".";
  exception.hint = {ErrorHint::Kind::kType, std::string(request.verb) + " " + request.text +
                                                FeedsToAdd(request, ZeroFeeds(graph, nodes))};
}

}  // namespace tensh::shell
