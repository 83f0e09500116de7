#include "runtime/plan/consumers.h"

#include <algorithm>

namespace tensh {
namespace {

auto FindRequest(std::vector<ConsumerIndex::Request>& requests, std::string_view device) {
  return std::find_if(requests.begin(), requests.end(),
                      [&](const ConsumerIndex::Request& r) { return r.device == device; });
}

}  // namespace

void ConsumerIndex::Update(const Graph& graph) {
  const auto size = static_cast<uint32_t>(graph.size());
  for (; end_ < size; ++end_, ++visited_) {
    const NodeId node{end_};
    const auto take = [&](NodeId producer) {
      if (graph.num_inputs(producer) == 0) Add({Index(producer), Index(node), graph.device(node)});
    };
    for (uint32_t k = 0; k < graph.num_inputs(node); ++k) take(graph.node_of(graph.input(node, k)));
    for (uint32_t k = 0; k < graph.num_controls(node); ++k) take(graph.control(node, k));
  }
}

void ConsumerIndex::Add(const Edge& edge) {
  edges_.push_back(edge);
  std::vector<Request>& requests = requests_[edge.from];
  const auto at = FindRequest(requests, edge.device);
  if (at != requests.end())
    ++at->edges;
  else
    requests.push_back({edge.device, 1});
}

void ConsumerIndex::DropFrom(uint32_t first) {
  for (; !edges_.empty() && edges_.back().to >= first; edges_.pop_back()) {
    std::vector<Request>& requests = requests_[edges_.back().from];
    const auto at = FindRequest(requests, edges_.back().device);
    if (--at->edges == 0) requests.erase(at);
    if (requests.empty()) requests_.erase(edges_.back().from);
  }
  end_ = std::min(end_, first);
}

std::span<const ConsumerIndex::Request> ConsumerIndex::Of(NodeId node) const {
  const auto at = requests_.find(Index(node));
  return at == requests_.end() ? std::span<const Request>() : at->second;
}

}  // namespace tensh
