// The verb `place`: requests a device for nodes.

#include <optional>

#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/explain/report.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/fetch.h"
#include "shell/session/placements.h"
#include "shell/session/sessions.h"
#include "shell/tensorflow/graph/device_spec.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kWords[] = {"on"};

// Returns a device name. `/cpu:1` and `cpu:1` are taken literally; a quoted text is evaluated as a
// Python expression.
std::string DeviceText(Shell& shell, std::string_view text) {
  if (!text.empty() && (text[0] == '"' || text[0] == '\''))
    return ToText(shell.interp().Eval(text), "device");
  if (text == "none" || text == "None") return "";
  return text.empty() || text[0] == '/' ? std::string(text) : "/" + std::string(text);
}

// Returns true if the device satisfies the request.
bool Matches(const tf::DeviceSpec& asked, const tf::DeviceSpec& device) {
  const auto fits = [](const auto& want, const auto& unset, const auto& has) {
    return want == unset || want == has;
  };
  return fits(asked.job, "", device.job) && fits(asked.replica, -1, device.replica) &&
         fits(asked.task, -1, device.task) && fits(asked.type, "", device.type) &&
         fits(asked.index, -1, device.index);
}

// Throws ValueError if no device of the session matches. The devices of a cluster are not checked,
// because its servers may start later.
void CheckDevice(Shell& shell, const std::string& text, std::string_view typed) {
  if (text.empty()) return;
  const Value session = shell.sessions().Current();
  const bool local = Str(GetAttr(session, Intern("sess_str"))).empty();
  std::vector<std::string> names;
  std::optional<tf::DeviceSpec> asked;
  try {
    asked = tf::DeviceSpec::Parse(text);
    if (!local) return;
  } catch (const PyError&) {  // no device has such a name
  }
  const Json devices = Json::Parse(TakeText(tsh_session_devices_json(SessionOf(session))));
  for (const Json& device : devices.items()) {
    const std::string& name = device["name"].as_string();
    if (asked && Matches(*asked, tf::DeviceSpec::Parse(name))) return;
    const std::string& brief = device["short"].as_string();
    names.push_back(brief[0] == '/' ? brief : "/" + brief);
  }
  throw ValueError((asked ? "there is no device " : "no device is named ") + std::string(typed))
      .Hint("The devices are " + Join(names, ", "));
}

void RunPlace(CommandCall& call) {
  Shell& shell = call.shell();
  const std::vector<Clause> clauses = SplitClauses(call.text(), kWords);
  if (clauses.size() != 2 || clauses[0].text.empty() || clauses[1].text.empty())
    call.Misused("expects X on DEVICE");
  const std::string device = DeviceText(shell, clauses[1].text);
  At(shell, clauses[1].text, [&] { CheckDevice(shell, device, clauses[1].text); });
  for (const std::string_view piece : SplitCommas(clauses[0].text)) {
    const Fetch node = EvalNode(shell, piece);
    At(shell, piece, [&] { ApplyMoves({{node.graph, node.node, device}}); });
    const std::string name = Visible(node.graph.NodeName(node.node));
    shell.out().Note(" " + name +
                     (device.empty() ? " requests no device" : " requests " + ShortDevice(device)) +
                     " from the next run on. See: explain " + name);
  }
}

constexpr CommandExample kExamples[] = {
    {"a = tf.constant(1., name=\"a\")\nplace a on /cpu:1\ngraph", "a = Const() f32[] cpu:1\n"},
};

}  // namespace

void RegisterCommand_place(CommandRegistry& r) {
  r.Add({.name = "place",
         .usage = "place X[, …] on DEVICE",
         .summary = "Move a node to a device, or remove the request with `none`.",
         .help = "Cached plans are dropped, and the next run places the node again. Variables that "
                 "already have a value\nstay on their device.",
         .examples = kExamples,
         .complete = "expr",
         .lasting = true,
         .run = RunPlace});
}

}  // namespace tensh::shell
