#include <algorithm>
#include <charconv>

#include "shell/commands/bridge.h"
#include "shell/commands/command.h"
#include "shell/commands/graph_report.h"
#include "shell/commands/live.h"
#include "shell/commands/shell.h"
#include "shell/commands/tables.h"
#include "shell/explain/export.h"
#include "shell/live/server.h"
#include "shell/print/json.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell {
namespace {

constexpr size_t kDetailed = 500;     // nodes that can be clicked for details
constexpr size_t kValueWidth = 200;

std::string Details(const GraphHandle& graph) {
  std::string out = "[";
  const size_t size = graph.size();
  for (size_t n = size > kDetailed ? size - kDetailed : 0; n < size; ++n) {
    const auto id = static_cast<tsh_node>(n);
    std::string value;
    if (tsh_node_num_outputs(graph.get(), id) > 0) {
      const TensorHandle constant = graph.Constant({id, 0});
      if (constant) value = CutTo(Str(bridge::FromTensor(constant)), kValueWidth);
    }
    out += (out.size() > 1 ? "," : "") + ("{\"name\":" + JsonQuote(graph.NodeName(id))) + ",\"line\":" +
           JsonQuote(NodeLine(graph, id)) + ",\"attrs\":" + JsonQuote(TakeText(tsh_node_attrs_json(graph.get(), id))) +
           ",\"value\":" + JsonQuote(value) + "}";
  }
  return out + "]";
}

// Why each node of the run is where it is, for a click.
std::string Reasons(const Report& report) {
  std::string out = "{";
  size_t count = 0;
  for (const ReportNode& node : report.nodes) {
    if (++count > kDetailed) break;
    std::string why = ExplainWhy(report, node.name);
    while (!why.empty() && why.back() == '\n') why.pop_back();
    out += (out.size() > 1 ? "," : "") + JsonQuote(node.name) + ":" + JsonQuote(why);
  }
  return out + "}";
}

struct Drawn {
  uint64_t graph = 0, version = 0;
  std::string svg, details, run_of, run_svg, reasons;
};

void RunView(CommandCall& call) {
  Shell& shell = call.shell();
  if (call.text() == "off") {
    live::Stop();
    return shell.Note(" the page is off");
  }
  call.WantNothing();
  int port = 0;
  const std::string_view text = call.Option("--port");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (!text.empty() && (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65535))
    call.Misused("--port is 1 to 65535, not '" + std::string(text) + "'");
  std::string why;
  if (live::Start(static_cast<uint16_t>(port), &why) == 0)
    throw MakeError(kOSError, "cannot serve on 127.0.0.1:" + std::to_string(port) + ": " + why)
        .Hint("Another port: view --port 8123");
  PublishLive(shell, "");
  shell.PrintLine(live::NewLink());
  shell.Note(" open it in a browser on this machine; the link works once, view gives another");
  shell.interp().Flush();
}

}  // namespace

void PublishLive(Shell& shell, const std::string& command) {
  if (!live::On()) return;
  static Drawn drawn;
  ViewOptions options;
  std::string json = "{\"command\":" + JsonQuote(CutTo(command, 200));
  if (shell.options().interactive) json += ",\"cell\":" + std::to_string(shell.cell());
  if (bridge::HasGraph()) {
    const GraphHandle graph = bridge::CurrentGraph();
    const uint64_t version = tsh_graph_version(graph.get());
    if (drawn.svg.empty() || drawn.graph != tsh_graph_id(graph.get()) || drawn.version != version) {
      drawn.graph = tsh_graph_id(graph.get()), drawn.version = version;
      drawn.svg = graph.size() == 0 ? "" : RenderSvg(GraphReport(graph, AllNodes(graph)), options);
      drawn.details = Details(graph);
    }
    json += ",\"graph_version\":" + std::to_string(version) + ",\"graph_nodes\":" + std::to_string(graph.size()) +
            ",\"graph\":" + JsonQuote(drawn.svg) + ",\"nodes\":" + drawn.details;
  }
  if (!shell.last_report().empty()) {
    if (drawn.run_of != shell.last_report()) {
      Report report;
      ParseReport(shell.last_report(), &report);
      options.request = shell.last_request();
      drawn.run_of = shell.last_report();
      drawn.run_svg = RenderSvg(report, options);
      drawn.reasons = Reasons(report);
    }
    json += ",\"request\":" + JsonQuote(shell.last_request()) + ",\"run\":" + JsonQuote(drawn.run_svg) +
            ",\"runs\":" + drawn.reasons;
  }
  live::Publish(json + "}");
}

namespace {
constexpr CommandExample kExamples[] = {{"view off", ""}};
}

void RegisterCommand_view(CommandRegistry& r) {
  r.Add({.name = "view",
         .usage = "view [--port N] | view off",
         .summary = "Serve a live page on 127.0.0.1: the graph as it grows, the last run by device with Send/Recv and "
                    "timeline.",
         .help = "Prints a link that works once, for a browser on this machine; the page follows each command. Click a "
                 "node for\nits attributes, its value and why it is where it is. Nothing is loaded from a network.",
         .examples = kExamples,
         .complete = "",
         .run = RunView});
}

}  // namespace tensh::shell
