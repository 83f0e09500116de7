// The JSON documents of the C API. Only this file of the runtime parses JSON.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/api/c_report.h"
#include "runtime/api/short_value.h"
#include "runtime/base/text.h"
#include "runtime/core/external_op.h"

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

// Returns a default value as plain JSON, for the op catalogue.
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

Json RuleJson(const InputRule& rule) {
  Json json = {{"input", rule.name},
               {"text", rule.text},
               {"ranks", {rule.min_rank, rule.max_rank}},
               {"at_build", rule.at_build},
               {"at_run", rule.at_run}};
  if (rule.last_dim != InputRule::kAny) json["last_dim"] = rule.last_dim;
  if (rule.not_empty) json["not_empty"] = true;
  if (rule.LimitsValues()) json["values"] = {rule.min, rule.max};
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
  json["contract"] = Json::array();
  for (const InputRule& rule : op.contract) json["contract"].push_back(RuleJson(rule));
  json["stateful"] = op.stateful;
  json["commutative"] = op.commutative;
  json["aggregate"] = op.aggregate;
  json["allows_uninitialized_input"] = op.allows_uninitialized_input;
  json["kernels"] = Json::array();
  for (const KernelRow& row : op.kernels)
    json["kernels"].push_back({{"device", row.device},
                               {"attr", row.type_attr},
                               {"type", row.type_attr.empty() ? "any" : SignatureName(row.type)}});
  for (const PluginKernel* row : op.LoadedPluginKernels())
    json["kernels"].push_back(
        {{"device", row->device},
         {"attr", row->type_attr},
         {"type", row->type_attr.empty() ? "any" : SignatureName(row->type)}});
  json["examples"] = Json::array();
  for (const Example& e : op.examples)
    json["examples"].push_back({{"call", e.call}, {"result", e.result}});
  json["gradient"] = op.grad != nullptr;
  return json;
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
  if (!graph) return nullptr;
  return Text([&] {
    Json attrs = Json::object();
    if (n < G(graph).size())
      for (const NamedAttr& a : G(graph).attrs(NodeId{n}).all()) attrs[a.name] = AttrJson(a.value);
    return attrs;
  });
}

char* tsh_graph_json(const tsh_graph* graph) {
  if (!graph) return nullptr;
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
    const auto add = [&](const OpDef& op) {
      if (ContainsIgnoringCase(op.name, wanted) || ContainsIgnoringCase(op.doc, wanted))
        list.push_back(OpJson(op));
    };
    for (const OpDef* op : Ops().All()) add(*op);
    for (const OpDef* op : ExternalOps(Ops())) add(*op);
    std::sort(list.begin(), list.end(),
              [](const Json& a, const Json& b) { return a["name"] < b["name"]; });
    return list;
  });
}

namespace {

Json DevicesJson(std::span<const DeviceInfo> devices) {
  Json list = Json::array();
  const std::vector<std::string> short_names = ShortNames(devices);
  for (const DeviceInfo& info : devices) {
    list.push_back({{"name", info.name},
                    {"short", short_names[list.size()]},
                    {"type", info.type},
                    {"memory_limit", info.memory_limit},
                    {"incarnation", info.incarnation}});
  }
  return list;
}

}  // namespace

std::vector<std::string> tensh::api::ShortNames(std::span<const DeviceInfo> devices) {
  std::vector<DeviceName> parsed;
  std::vector<std::string> names;
  bool several = false;
  for (const DeviceInfo& info : devices) {
    auto name = DeviceName::Parse(info.name);
    parsed.push_back(name.ok() ? *std::move(name) : DeviceName());
    several |= parsed.back().job != parsed[0].job || parsed.back().task != parsed[0].task;
  }
  for (const DeviceName& name : parsed) {
    if (name.type.empty()) {
      names.push_back(devices[names.size()].name);
    } else {
      names.push_back(several
                          ? StrCat("/job:", name.job, "/task:", name.task, "/", name.ShortString())
                          : name.ShortString());
    }
  }
  return names;
}

std::vector<std::string> tensh::api::ShortNames(const DeviceMgr& devices) {
  std::vector<DeviceInfo> list;
  for (size_t i = 0; i < devices.size(); ++i) list.push_back(devices[i].info());
  return ShortNames(list);
}

std::string tensh::api::DevicesText(std::span<const DeviceInfo> devices) {
  return Dump(DevicesJson(devices));
}

char* tsh_session_devices_json(tsh_session* s) {
  if (!s) return nullptr;
  return Text([&] {
    auto devices = s->session->ListDevices();
    return devices.ok() ? DevicesJson(*devices) : Json::array();
  });
}

char* tsh_session_variables_json(tsh_session* s) {
  if (!s) return nullptr;
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
                      {"value", value ? Json(ShortValue(value)) : Json(nullptr)},
                      {"bytes", value ? value.bytes() : 0}});
    });
    return list;
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
  flag("optimize", config.optimize);
  flag("isolate_session_state", config.isolated);
  number("intra_op_parallelism_threads", config.intra_op_threads);
  number("inter_op_parallelism_threads", config.inter_op_threads);
  number("operation_timeout_in_ms", config.operation_timeout_ms);
  if (json.contains("gpu_options") && json["gpu_options"].is_object()) {
    const Json& gpu = json["gpu_options"];
    config.gpu.memory_fraction = gpu.value("per_process_gpu_memory_fraction", 0.0);
    config.gpu.allow_growth = gpu.value("allow_growth", false);
    config.gpu.visible_devices = gpu.value("visible_device_list", "");
  }
  if (json.contains("device_filters")) {
    for (const Json& filter : json["device_filters"]) {
      if (!filter.is_string()) return InvalidArgument("device_filters must be a list of texts");
      config.device_filters.push_back(filter.get<std::string>());
    }
  }
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

}  // namespace tensh::api
