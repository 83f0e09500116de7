// Partitioning of steps for the tasks of a cluster.
#include "runtime/api/c_types.h"
#include "runtime/api/named_devices.h"
#include "runtime/exec/compile/cut.h"
#include "tensh/tensh_plugin.h"

using namespace tensh;
using namespace tensh::api;

struct tsh_cutter {
  Graph* graph;
  DeviceMgr devices;
  SessionConfig config;
  std::mutex mu;
  std::unordered_map<uint32_t, uint16_t> kept;  // Guarded by mu.
};

struct tsh_cut {
  std::unique_ptr<Cut> cut;
  std::vector<tsh_cut_end> feeds, fetches;
};

tsh_cutter* tsh_cutter_new(tsh_graph* g, const tsh_device* devices, size_t n, const char* config,
                           tsh_status* status) {
  tsh_cutter* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(g);
    TENSH_NEED(devices || n == 0);
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

tsh_cut* tsh_cutter_cut(tsh_cutter* c, const tsh_run* given, tsh_status* status) {
  tsh_cut* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(c);
    Sized<tsh_run> run;
    TENSH_RETURN_IF_ERROR(ReadRun(given, false, run));
    const OutputIds feeds(run->feeds, run->n_feeds), fetches(run->fetches, run->n_fetches);
    const NodeIds targets(run->targets, run->n_targets);
    TENSH_ASSIGN(RunSignature signature,
                 CheckRequest(*c->graph, {feeds.span(), fetches.span(), targets.span()}));
    std::lock_guard lock(c->mu);
    const PlaceOptions options{c->config.allow_soft_placement, &c->kept, false};
    TENSH_ASSIGN(const Stages stages,
                 FindStages(*c->graph, std::move(signature), c->devices, options));
    auto out = std::make_unique<tsh_cut>();
    TENSH_ASSIGN(out->cut, CutByTask(stages, c->devices));
    for (size_t i = 0; i < stages.pruned.nodes.size(); ++i)
      if (c->graph->op(stages.pruned.nodes[i]).stateful)
        c->kept.emplace(Index(stages.pruned.nodes[i]), stages.placement.device[i]);
    for (const CutEnd& e : out->cut->feeds) out->feeds.push_back({e.part, e.index, e.key.c_str()});
    for (const CutEnd& e : out->cut->fetches)
      out->fetches.push_back({e.part, e.index, e.key.c_str()});
    made = out.release();
    return {};
  });
  return made;
}

void tsh_cut_free(tsh_cut* c) { delete c; }
size_t tsh_cut_size(const tsh_cut* c) { return c ? c->cut->parts.size() : 0; }
const char* tsh_cut_task(const tsh_cut* c, size_t part) {
  return part < tsh_cut_size(c) ? c->cut->parts[part].task.c_str() : nullptr;
}
tsh_graph* tsh_cut_graph(const tsh_cut* c, size_t part) {
  return part < tsh_cut_size(c) ? reinterpret_cast<tsh_graph*>(c->cut->parts[part].graph) : nullptr;
}

namespace {

const tsh_cut_end* Ends(const std::vector<tsh_cut_end>* ends, size_t* n) {
  if (n) *n = ends ? ends->size() : 0;
  return ends ? ends->data() : nullptr;
}

}  // namespace

const tsh_cut_end* tsh_cut_feeds(const tsh_cut* c, size_t* n) {
  return Ends(c ? &c->feeds : nullptr, n);
}
const tsh_cut_end* tsh_cut_fetches(const tsh_cut* c, size_t* n) {
  return Ends(c ? &c->fetches : nullptr, n);
}
