#include "shell/commands/base/feeds.h"

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

std::string FeedsToAdd(const RunRequest& request, const std::string& feeds) {
  if (feeds.empty()) return "";
  return (request.ends_with_feed ? ", " : " feed ") + feeds;
}

AssumedFeeds::AssumedFeeds(const GraphHandle& graph, const tsh_run& run)
    : graph_(graph),
      placeholders_(tf::UnfedPlaceholders(graph, run)),
      feeds_(run.feeds, run.feeds + run.n_feeds),
      run_(run) {
  for (const tsh_node node : placeholders_) feeds_.push_back({node, 0});
  run_.feeds = feeds_.data();
  run_.n_feeds = feeds_.size();
}

std::string AssumedFeeds::Note(std::string report_json) const {
  const size_t end = report_json.rfind('}');
  if (placeholders_.empty() || end == std::string::npos) return report_json;
  std::string names;
  for (const tsh_node node : placeholders_)
    names += (names.empty() ? "" : ",") + JsonQuote(graph_.NodeName(node));
  return report_json.insert(end, ",\"assumed\":[" + names + "]");
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
