// Steps cut for the tasks of a cluster.
#include "runtime/api/c_types.h"
#include "runtime/api/named_devices.h"
#include "runtime/api/tensh_server.h"
#include "runtime/exec/cut.h"

using namespace tensh;
using namespace tensh::api;

struct tsh_cutter {
  Graph* graph;
  DeviceMgr devices;
  SessionConfig config;
  std::mutex mu;
  std::unordered_map<uint32_t, uint16_t> kept;  // guarded by mu
};

struct tsh_cut {
  std::unique_ptr<Cut> cut;
  std::vector<tsh_cut_end> feeds, fetches;
};

tsh_cutter* tsh_cutter_new(tsh_graph* g, const tsh_device* devices, size_t n, const char* config,
                           tsh_status* status) {
  tsh_cutter* made = nullptr;
  Guard(status, [&]() -> Status {
    SessionConfig parsed;
    TENSH_RETURN_IF_ERROR(ParseConfig(config ? config : "", parsed));
    std::vector<DeviceInfo> list;
    for (size_t i = 0; i < n; ++i)
      list.push_back(
          {devices[i].name, devices[i].type, devices[i].memory_limit, devices[i].incarnation, ""});
    TENSH_ASSIGN(DeviceMgr named, NamedDevices(list));
    made = new tsh_cutter{&G(g), std::move(named), std::move(parsed), {}, {}};
    return {};
  });
  return made;
}

void tsh_cutter_free(tsh_cutter* c) { delete c; }

tsh_cut* tsh_cutter_cut(tsh_cutter* c, const tsh_run* run, tsh_status* status) {
  tsh_cut* made = nullptr;
  Guard(status, [&]() -> Status {
    RunSignature signature;
    for (size_t i = 0; i < run->n_feeds; ++i)
      signature.feeds.push_back(c->graph->output(NodeId{run->feeds[i].node}, run->feeds[i].index));
    for (size_t i = 0; i < run->n_fetches; ++i)
      signature.fetches.push_back(
          c->graph->output(NodeId{run->fetches[i].node}, run->fetches[i].index));
    for (size_t i = 0; i < run->n_targets; ++i)
      signature.targets.push_back(NodeId{run->targets[i]});
    std::lock_guard lock(c->mu);
    const PlaceOptions options{c->config.allow_soft_placement, &c->kept, false};
    TENSH_ASSIGN(auto plan, FindStages(*c->graph, std::move(signature), c->devices, options));
    auto out = std::make_unique<tsh_cut>();
    TENSH_ASSIGN(out->cut, CutByTask(*plan, c->devices));
    for (size_t i = 0; i < plan->pruned.nodes.size(); ++i)
      if (c->graph->op(plan->pruned.nodes[i]).stateful)
        c->kept.emplace(Index(plan->pruned.nodes[i]), plan->placement.device[i]);
    for (const CutEnd& e : out->cut->feeds) out->feeds.push_back({e.part, e.index, e.key.c_str()});
    for (const CutEnd& e : out->cut->fetches)
      out->fetches.push_back({e.part, e.index, e.key.c_str()});
    made = out.release();
    return {};
  });
  return made;
}

void tsh_cut_free(tsh_cut* c) { delete c; }
size_t tsh_cut_size(const tsh_cut* c) { return c->cut->parts.size(); }
const char* tsh_cut_task(const tsh_cut* c, size_t part) { return c->cut->parts[part].task.c_str(); }
tsh_graph* tsh_cut_graph(const tsh_cut* c, size_t part) {
  return reinterpret_cast<tsh_graph*>(c->cut->parts[part].graph);
}
const tsh_cut_end* tsh_cut_feeds(const tsh_cut* c, size_t* n) {
  *n = c->feeds.size();
  return c->feeds.data();
}
const tsh_cut_end* tsh_cut_fetches(const tsh_cut* c, size_t* n) {
  *n = c->fetches.size();
  return c->fetches.data();
}
