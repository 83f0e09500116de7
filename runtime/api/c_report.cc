// Documents the C API gives and takes as JSON: the only file of the runtime that knows JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/api/c_report.h"

using namespace tensh;
using namespace tensh::api;
using Json = nlohmann::ordered_json;

namespace {

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

char* Text(const std::function<Json()>& make) {
  char* text = nullptr;
  Guard(nullptr, [&]() -> Status {
    text = TextOut(Dump(make()));
    return {};
  });
  return text;
}

Json ShapeJson(const Shape& shape) {
  if (!shape.has_rank()) return nullptr;
  Json dims = Json::array();
  for (int64_t d : shape.dims()) dims.push_back(d < 0 ? Json(nullptr) : Json(d));
  return dims;
}

Json AttrJson(const AttrValue& value) {
  if (const int64_t* i = value.Find<int64_t>()) return {{"int", *i}};
  if (const float* f = value.Find<float>()) return {{"float", *f}};
  if (const bool* b = value.Find<bool>()) return {{"bool", *b}};
  if (const DType* t = value.Find<DType>()) return {{"type", SignatureName(*t)}};
  if (const std::string* s = value.Find<std::string>()) return {{"string", *s}};
  if (const Shape* s = value.Find<Shape>()) return {{"shape", ShapeJson(*s)}};
  if (const Tensor* t = value.Find<Tensor>())
    return {{"tensor", {{"dtype", Name(t->dtype())}, {"shape", ShapeJson(t->shape())}}}};
  return {{std::string(value.TypeName()), value.ToString()}};
}

// Defaults as plain JSON, for the op catalogue.
Json PlainJson(const AttrValue& value) {
  if (const int64_t* i = value.Find<int64_t>()) return *i;
  if (const float* f = value.Find<float>()) return *f;
  if (const bool* b = value.Find<bool>()) return *b;
  if (const DType* t = value.Find<DType>()) return SignatureName(*t);
  if (const std::string* s = value.Find<std::string>()) return *s;
  if (const Shape* s = value.Find<Shape>()) return ShapeJson(*s);
  Json list = Json::array();
  if (const auto* l = value.Find<AttrValue::Ints>())
    for (int64_t v : *l) list.push_back(v);
  if (const auto* l = value.Find<AttrValue::Floats>())
    for (float v : *l) list.push_back(v);
  if (const auto* l = value.Find<AttrValue::Bools>())
    for (bool v : *l) list.push_back(v);
  if (const auto* l = value.Find<AttrValue::Types>())
    for (DType v : *l) list.push_back(SignatureName(v));
  if (const auto* l = value.Find<AttrValue::Strings>())
    for (const auto& v : *l) list.push_back(v);
  if (const auto* l = value.Find<AttrValue::Shapes>())
    for (const auto& v : *l) list.push_back(ShapeJson(v));
  return list;
}

Json ArgJson(const ArgDef& arg) {
  std::string type = !arg.type_attr.empty()        ? arg.type_attr
                     : !arg.type_list_attr.empty() ? arg.type_list_attr
                                                   : std::string(SignatureName(arg.type));
  if (!arg.number_attr.empty()) type = arg.number_attr + " * " + type;
  if (arg.is_ref) type = "Ref(" + type + ")";
  return {{"name", arg.name}, {"type", type}};
}

Json AttrDefJson(const AttrDef& def) {
  Json json = {{"name", def.name}, {"type", def.TypeName()}};
  if (def.default_value) json["default"] = PlainJson(*def.default_value);
  if (def.has_minimum) json["minimum"] = def.minimum;
  if (!def.allowed_types.empty() || !def.allowed_strings.empty()) {
    Json allowed = Json::array();
    for (int t = 1; t < 24; ++t)
      if (def.allowed_types.Has(DType(t))) allowed.push_back(SignatureName(DType(t)));
    for (const std::string& s : def.allowed_strings) allowed.push_back(s);
    json["allowed"] = allowed;
  }
  return json;
}

Json OpJson(const OpDef& op) {
  Json json = {{"name", op.name}, {"doc", op.doc}};
  for (auto [key, args] : {std::pair{"inputs", &op.inputs}, {"outputs", &op.outputs}}) {
    json[key] = Json::array();
    for (const ArgDef& arg : *args) json[key].push_back(ArgJson(arg));
  }
  json["attrs"] = Json::array();
  for (const AttrDef& attr : op.attrs) json["attrs"].push_back(AttrDefJson(attr));
  json["stateful"] = op.stateful;
  json["commutative"] = op.commutative;
  json["aggregate"] = op.aggregate;
  json["allows_uninitialized_input"] = op.allows_uninitialized_input;
  json["kernels"] = Json::array();
  for (const KernelRow& row : op.kernels)
    json["kernels"].push_back({{"device", row.device},
                               {"type", row.type_attr.empty() ? "any" : SignatureName(row.type)}});
  json["examples"] = Json::array();
  for (const Example& e : op.examples)
    json["examples"].push_back({{"call", e.call}, {"result", e.result}});
  json["gradient"] = op.grad != nullptr;
  return json;
}

bool ContainsIgnoringCase(std::string_view text, std::string_view pattern) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::search(text.begin(), text.end(), pattern.begin(), pattern.end(),
                     [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

Json InputsJson(const Graph& g, NodeId n) {
  Json inputs = Json::array();
  for (uint32_t i = 0; i < g.num_inputs(n); ++i) inputs.push_back(g.ValueName(g.input(n, i)));
  for (uint32_t i = 0; i < g.num_controls(n); ++i)
    inputs.push_back("^" + std::string(g.name(g.control(n, i))));
  return inputs;
}

}  // namespace

char* tsh_graphs_json(void) {
  return Text([] {
    Json list = Json::array();
    Graph::ForEachLive([&](const Graph& g) {
      list.push_back({{"id", g.id()},
                      {"nodes", g.size()},
                      {"version", g.version()},
                      {"refs", g.refs()},
                      {"sessions", g.sessions.load()},
                      {"bytes", g.bytes()}});
    });
    return list;
  });
}

char* tsh_node_attrs_json(const tsh_graph* graph, tsh_node n) {
  return Text([&] {
    Json attrs = Json::object();
    if (n < G(graph).size())
      for (const NamedAttr& a : G(graph).attrs(NodeId{n}).all()) attrs[a.name] = AttrJson(a.value);
    return attrs;
  });
}

char* tsh_graph_json(const tsh_graph* graph) {
  return Text([&] {
    const Graph& g = G(graph);
    Json nodes = Json::array();
    for (uint32_t i = 0, n = g.size(); i < n; ++i) {
      NodeId node{i};
      Json outputs = Json::array();
      for (uint32_t o = 0; o < g.num_outputs(node); ++o)
        outputs.push_back({{"dtype", Name(g.dtype(g.output(node, o)))},
                           {"shape", ShapeJson(g.shape(g.output(node, o)))}});
      nodes.push_back({{"id", i},
                       {"name", g.name(node)},
                       {"op", g.op(node).name},
                       {"device", g.device(node)},
                       {"inputs", InputsJson(g, node)},
                       {"outputs", outputs},
                       {"source", g.source(node)}});
    }
    return Json{{"version", g.version()}, {"nodes", nodes}};
  });
}

char* tsh_ops_json(const char* pattern) {
  return Text([&] {
    Json list = Json::array();
    std::string_view wanted = pattern ? pattern : "";
    for (size_t i = 0; i < Ops().size(); ++i) {
      const OpDef& op = Ops().Get(static_cast<uint16_t>(i));
      if (ContainsIgnoringCase(op.name, wanted) || ContainsIgnoringCase(op.doc, wanted))
        list.push_back(OpJson(op));
    }
    std::sort(list.begin(), list.end(),
              [](const Json& a, const Json& b) { return a["name"] < b["name"]; });
    return list;
  });
}

char* tsh_session_devices_json(tsh_session* s) {
  return Text([&] {
    Json list = Json::array();
    auto devices = s->session->ListDevices();
    if (!devices.ok()) return list;
    for (const DeviceInfo& info : *devices) {
      auto name = DeviceName::Parse(info.name);
      list.push_back({{"name", info.name},
                      {"short", name.ok() ? name->ShortString() : info.name},
                      {"type", info.type},
                      {"memory_limit", info.memory_limit},
                      {"incarnation", info.incarnation}});
    }
    return list;
  });
}

char* tsh_session_variables_json(tsh_session* s) {
  return Text([&] {
    Json list = Json::array();
    s->session->resources().ForEach([&](const std::string& name, Resource& resource) {
      auto* variable = dynamic_cast<Variable*>(&resource);
      if (!variable) return;
      Tensor value = variable->Read();
      list.push_back({{"name", name},
                      {"dtype", Name(variable->dtype)},
                      {"shape", value ? ShapeJson(value.shape()) : Json(nullptr)},
                      {"initialized", bool(value)},
                      {"bytes", value ? value.bytes() : 0}});
    });
    return list;
  });
}

char* tsh_session_stats_json(tsh_session* s) {
  return Text([&] {
    SessionStats stats = s->session->stats();
    return Json{{"plans", stats.plans},
                {"steps", stats.steps},
                {"compiled", stats.compiled},
                {"compile_ns", stats.compile_ns}};
  });
}

char* tsh_sessions_json(void) {
  return Text([] {
    Json list = Json::array();
    ForEachSession([&](Session& s) {
      Graph* graph = s.graph();
      list.push_back({{"id", s.id()},
                      {"target", s.target()},
                      {"graph", graph ? Json(graph->id()) : Json(nullptr)},
                      {"devices", s.devices().size()},
                      {"closed", s.closed()}});
    });
    return list;
  });
}

namespace tensh::api {

Status ParseConfig(std::string_view text, SessionConfig& config) {
  if (text.empty()) return {};
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    return InvalidArgument("the session's configuration is not a JSON object: ",
                           text.substr(0, 80));
  auto number = [&](const char* key, auto& field) {
    if (json.contains(key) && json[key].is_number_integer())
      field = json[key].get<std::decay_t<decltype(field)>>();
  };
  auto flag = [&](const char* key, bool& field) {
    if (json.contains(key) && json[key].is_boolean()) field = json[key].get<bool>();
  };
  flag("allow_soft_placement", config.allow_soft_placement);
  flag("log_device_placement", config.log_device_placement);
  number("intra_op_parallelism_threads", config.intra_op_threads);
  number("inter_op_parallelism_threads", config.inter_op_threads);
  number("operation_timeout_in_ms", config.operation_timeout_ms);
  if (!json.contains("device_count")) return {};
  if (!json["device_count"].is_object())
    return InvalidArgument("device_count must map device types to numbers");
  for (auto& [type, count] : json["device_count"].items()) {
    if (!count.is_number_integer())
      return InvalidArgument("device_count['", type, "'] must be an integer");
    config.device_count[type] = count.get<int>();
  }
  return {};
}

// The five stages of a plan, and of a step of it, as the C API's header documents them.
class ExplainReport {
 public:
  ExplainReport(const Plan& plan, const DeviceMgr& devices)
      : plan_(plan), g_(plan.graph), devices_(devices) {}

  Json Stages(size_t max_pruned) {
    Json report = {
        {"version", g_.version()}, {"graph_nodes", g_.size()}, {"compile_ns", plan_.compile_ns}};
    report["nodes"] = Json::array();
    size_t pruned_total = 0;
    for (NodeId n : Rows(max_pruned, pruned_total)) report["nodes"].push_back(NodeJson(n));
    report["pruned_total"] = pruned_total;
    report["partitions"] = Partitions();
    report["transfers"] = Transfers();
    return report;
  }

  void AddStep(Json& report, const StepTrace& step) {
    report["wall_ns"] = step.wall_ns;
    std::vector<StepEvent> events = step.events;
    std::sort(events.begin(), events.end(),
              [](const StepEvent& a, const StepEvent& b) { return a.start_ns < b.start_ns; });
    report["steps"] = Json::array();
    std::map<uint32_t, int64_t> bytes;
    for (const StepEvent& e : events) {
      report["steps"].push_back(EventJson(e));
      if (e.kind == StepEvent::kSend) bytes[e.transfer] = e.bytes;
    }
    for (auto [transfer, size] : bytes) report["transfers"][transfer]["bytes"] = size;
    report["critical_path"] = CriticalPath(events);
  }

 private:
  std::string Short(uint16_t device) const { return devices_[device].name().ShortString(); }
  bool Runs(NodeId n) const { return plan_.pruned.position.Find(Index(n)) != UINT32_MAX; }

  // Nodes that run, fed ones, and up to max_pruned of the others, in graph order.
  std::vector<NodeId> Rows(size_t max_pruned, size_t& pruned_total) {
    std::vector<NodeId> rows = plan_.pruned.nodes;
    for (ValueId feed : plan_.signature.feeds)
      if (!Runs(g_.node_of(feed))) rows.push_back(g_.node_of(feed));
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    pruned_total = g_.size() - rows.size();
    std::vector<NodeId> pruned;
    for (uint32_t i = 0; i < g_.size() && pruned.size() < std::min(max_pruned, pruned_total); ++i)
      if (!std::binary_search(rows.begin(), rows.end(), NodeId{i})) pruned.push_back(NodeId{i});
    RunSignature unfed = plan_.signature;
    unfed.feeds.clear();
    without_feeds_ = Prune(g_, unfed);
    rows.insert(rows.end(), pruned.begin(), pruned.end());
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  bool IsFed(NodeId n) const {
    for (ValueId feed : plan_.signature.feeds)
      if (g_.node_of(feed) == n) return true;
    return false;
  }
  bool IsFetched(NodeId n) const {
    for (ValueId fetch : plan_.signature.fetches)
      if (g_.node_of(fetch) == n) return true;
    return false;
  }
  bool IsTarget(NodeId n) const {
    return std::find(plan_.signature.targets.begin(), plan_.signature.targets.end(), n) !=
           plan_.signature.targets.end();
  }

  bool IsUnused(NodeId n) const {
    return Runs(n) && plan_.pruned.unused[plan_.pruned.position.Find(Index(n))];
  }

  Json NodeJson(NodeId n) {
    Json json = {{"id", Index(n)}, {"name", g_.name(n)}, {"op", g_.op(n).name}};
    bool has_output = g_.num_outputs(n) > 0;
    json["dtype"] = has_output ? Json(ShortName(g_.dtype(g_.output(n, 0)))) : Json(nullptr);
    json["shape"] = has_output ? ShapeJson(g_.shape(g_.output(n, 0))) : Json(nullptr);
    json["inputs"] = InputsJson(g_, n);
    json["source"] = g_.source(n);
    bool fed = IsFed(n) && !Runs(n);
    json["state"] = IsFetched(n) && (Runs(n) || fed) ? "fetch"
                    : fed                            ? "fed"
                    : IsTarget(n)                    ? "target"
                    : IsUnused(n)                    ? "unused"
                    : Runs(n)                        ? "runs"
                                                     : "pruned";
    json["asked"] = g_.device(n).empty() ? Json(nullptr) : Json(g_.device(n));
    if (Runs(n)) {
      uint32_t position = plan_.pruned.position.Find(Index(n));
      uint16_t device = plan_.placement.device[position];
      json["device"] = devices_[device].info().name;
      json["short_device"] = Short(device);
      std::string reason(ReasonText(plan_.placement.reason[position]));
      if (plan_.placement.reason[position] == PlaceReason::kColocated)
        reason = "colocated with " + plan_.placement.detail[position];
      json["reason"] = reason;
      if (plan_.placement.reason[position] == PlaceReason::kAskedNotGot)
        json["reason_detail"] = plan_.placement.detail[position];
    } else if (fed) {
      uint16_t device = FeedDevice(n);
      json["device"] = devices_[device].info().name;
      json["short_device"] = Short(device);
      json["reason"] = "feed arrives here";
    } else {
      bool cut = without_feeds_.position.Find(Index(n)) != UINT32_MAX;
      json["pruned_why"] = cut ? "cut off by a feed" : "no path to a fetch";
    }
    return json;
  }

  uint16_t FeedDevice(NodeId n) const {
    for (size_t f = 0; f < plan_.signature.feeds.size(); ++f)
      if (g_.node_of(plan_.signature.feeds[f]) == n) return plan_.placement.feed_device[f];
    return 0;
  }

  std::string TransferTensor(const Transfer& t) const {
    return t.value == kNoValue ? "^" + std::string(g_.name(t.control)) : g_.ValueName(t.value);
  }
  // Send and Recv are no nodes of the graph; they are named for what they carry and where it goes.
  std::string ItemName(const PlanItem& item) const {
    if (item.kind == PlanItem::kNode) return std::string(g_.name(item.node));
    const Transfer& t = plan_.partitioned.transfers[item.transfer];
    return StrCat(item.kind == PlanItem::kSend ? "send " : "recv ", TransferTensor(t));
  }

  Json Partitions() {
    Json list = Json::array();
    for (const Partition& part : plan_.partitioned.parts) {
      Json nodes = Json::array();
      for (const PlanItem& item : part.items) nodes.push_back(ItemName(item));
      list.push_back({{"device", devices_[part.device].info().name},
                      {"short_device", Short(part.device)},
                      {"nodes", nodes}});
    }
    return list;
  }

  Json Transfers() {
    Json list = Json::array();
    for (const Transfer& t : plan_.partitioned.transfers) {
      Json consumers = Json::array();
      for (NodeId n : t.consumers) consumers.push_back(g_.name(n));
      int64_t bytes = 0;
      if (t.value != kNoValue && g_.shape(t.value).IsFullyKnown())
        bytes = g_.shape(t.value).num_elements() * SizeOf(g_.dtype(t.value));
      bool known = t.value == kNoValue || g_.shape(t.value).IsFullyKnown();
      list.push_back({{"tensor", TransferTensor(t)},
                      {"from", Short(plan_.partitioned.parts[t.from].device)},
                      {"to", Short(plan_.partitioned.parts[t.to].device)},
                      {"bytes", known ? Json(bytes) : Json(nullptr)},
                      {"send", "send " + TransferTensor(t)},
                      {"recv", "recv " + TransferTensor(t)},
                      {"consumers", consumers}});
    }
    return list;
  }

  Json EventJson(const StepEvent& e) const {
    static constexpr const char* kKinds[] = {"compute", "read", "send", "recv", "wait"};
    Json json = {{"device", Short(plan_.partitioned.parts[e.part].device)},
                 {"node", e.node == kNoNode ? "" : g_.name(e.node)},
                 {"op", e.node == kNoNode ? "" : g_.op(e.node).name},
                 {"start_ns", e.start_ns},
                 {"end_ns", e.end_ns},
                 {"kind", kKinds[e.kind]},
                 {"bytes", e.bytes}};
    if (e.iterations) json["iterations"] = e.iterations;
    if (e.kind == StepEvent::kSend || e.kind == StepEvent::kRecv || e.kind == StepEvent::kWait)
      json["tensor"] = TransferTensor(plan_.partitioned.transfers[e.transfer]);
    if (e.kind == StepEvent::kWait)
      json["waits_for"] = "send " + TransferTensor(plan_.partitioned.transfers[e.transfer]);
    return json;
  }

  // Back from the compute that ended last, each time to the input that was ready last.
  Json CriticalPath(const std::vector<StepEvent>& events) const {
    std::map<uint32_t, int64_t> ended;
    NodeId last = kNoNode;
    int64_t last_end = -1;
    for (const StepEvent& e : events) {
      if (e.kind != StepEvent::kCompute) continue;
      ended[Index(e.node)] = e.end_ns;
      if (e.end_ns > last_end) last_end = e.end_ns, last = e.node;
    }
    std::vector<std::string> path;
    while (last != kNoNode && path.size() <= g_.size()) {
      path.emplace_back(g_.name(last));
      ended.erase(Index(last));  // a loop comes back to where it began: once each
      NodeId next = kNoNode;
      int64_t latest = -1;
      for (uint32_t i = 0; i < g_.num_inputs(last); ++i) {
        NodeId producer = g_.node_of(g_.input(last, i));
        if (plan_.pruned.fed.Find(Index(g_.input(last, i))) != UINT32_MAX) {
          if (latest < 0) latest = 0, next = producer;
        } else if (auto it = ended.find(Index(producer));
                   it != ended.end() && it->second > latest) {
          latest = it->second, next = producer;
        }
      }
      for (uint32_t i = 0; i < g_.num_controls(last); ++i)
        if (auto it = ended.find(Index(g_.control(last, i)));
            it != ended.end() && it->second > latest)
          latest = it->second, next = g_.control(last, i);
      bool fed = next != kNoNode && !Runs(next);
      if (fed) path.emplace_back(g_.name(next));
      last = fed ? kNoNode : next;
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  const Plan& plan_;
  const Graph& g_;
  const DeviceMgr& devices_;
  Pruned without_feeds_;
};

}  // namespace tensh::api

int tsh_session_run_traced(tsh_session* s, const tsh_run* run, tsh_tensor** fetched, char** report,
                           tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_ASSIGN(RunTrace trace, RunTraced(s, *run, fetched));
    ExplainReport stages(*trace.plan, s->session->devices());
    Json json = stages.Stages(1000);
    stages.AddStep(json, trace.step);
    *report = TextOut(Dump(json));
    return {};
  });
}

char* tsh_session_explain(tsh_session* s, const tsh_run* run, size_t max_pruned,
                          tsh_status* status) {
  char* text = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_ASSIGN(auto plan, PlanOf(s, *run));
    text = TextOut(Dump(ExplainReport(*plan, s->session->devices()).Stages(max_pruned)));
    return {};
  });
  return text;
}
