#include "shell/commands/help/op_help.h"

#include "shell/client/client.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

std::string ArgsText(const Json& args) {
  std::string out;
  for (const Json& arg : args.items()) {
    out += (out.empty() ? "" : ", ") + arg["name"].as_string() + ": " + arg["type"].as_string();
  }
  return out;
}

std::string AttrText(const Json& attr) {
  std::string out = attr["name"].as_string() + ": " + attr["type"].as_string();
  if (attr["allowed"].is_array()) {
    std::vector<std::string> allowed;
    for (const Json& each : attr["allowed"].items()) {
      allowed.push_back(each.is_string() ? each.as_string() : each.Dump());
    }
    out += " in {" + Join(allowed, ", ") + "}";
  }
  if (!attr["minimum"].is_null()) out += " >= " + attr["minimum"].Dump();
  if (!attr["default"].is_null()) out += " = " + attr["default"].Dump();
  return out;
}

std::string KernelsText(const Json& kernels) {
  std::vector<std::string> devices;
  std::vector<std::vector<std::string>> types;
  for (const Json& kernel : kernels.items()) {
    const std::string& device = kernel["device"].as_string();
    size_t at = 0;
    while (at < devices.size() && devices[at] != device) ++at;
    if (at == devices.size()) {
      devices.push_back(device);
      types.emplace_back();
    }
    if (!kernel["type"].as_string().empty()) types[at].push_back(kernel["type"].as_string());
  }
  std::vector<std::string> parts;
  for (size_t i = 0; i < devices.size(); ++i) {
    parts.push_back(devices[i] + (types[i].empty() ? "" : " (" + Join(types[i], " ") + ")"));
  }
  return Join(parts, ", ");
}

}  // namespace

std::string OpSignature(const Json& op) {
  const std::string outputs = ArgsText(op["outputs"]);
  return "(" + ArgsText(op["inputs"]) + ")" + (outputs.empty() ? "" : " → " + outputs);
}

std::string OpHelp(const Json& op) {
  std::string out = op["name"].as_string() + OpSignature(op) + "\n";
  if (!op["doc"].as_string().empty()) out += "\n" + op["doc"].as_string() + "\n";
  if (op["contract"].size() > 0) out += "\ninputs\n";
  for (const Json& rule : op["contract"].items())
    out += "  " + rule["input"].as_string() + ": " + rule["text"].as_string() + "\n";
  if (op["attrs"].size() > 0) out += "\nattributes\n";
  for (const Json& attr : op["attrs"].items()) out += "  " + AttrText(attr) + "\n";
  std::vector<std::string> facts;
  if (op["stateful"].as_bool()) facts.push_back("stateful");
  if (op["commutative"].as_bool()) facts.push_back("commutative");
  if (op["aggregate"].as_bool()) facts.push_back("aggregate");
  facts.push_back(op["gradient"].as_bool() ? "has a gradient" : "has no gradient");
  const std::string kernels = KernelsText(op["kernels"]);
  facts.push_back(kernels.empty() ? "has no kernel here" : "kernels: " + kernels);
  out += "\n" + Join(facts, " · ") + "\n";
  if (op["examples"].size() > 0) out += "\nexamples\n";
  for (const Json& example : op["examples"].items()) {
    std::string result = example["result"].as_string();
    for (size_t at = result.find('\n'); at != std::string::npos; at = result.find('\n', at + 1))
      result.insert(at + 1, "  ");
    out += "  >>> eval " + example["call"].as_string() + "\n  " + result + "\n";
  }
  return out;
}

Json FindOp(std::string_view name) {
  const char* own = tsh_op_name(std::string(name).c_str());
  if (own == nullptr) return Json();
  const Json ops = Json::Parse(TakeText(tsh_ops_json(own)));
  for (const Json& op : ops.items()) {
    if (op["name"].as_string() == own) return op;
  }
  return Json();
}

}  // namespace tensh::shell
