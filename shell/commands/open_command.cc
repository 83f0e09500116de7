// The verb `open`: adds a model's graph to the current graph.

#include <algorithm>

#include "shell/commands/base/command.h"
#include "shell/commands/base/progress.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/files.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/session/graphs.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kNamed = 4;  // maximum number of inputs and outputs that are named

std::string Listed(const char* word, const GraphHandle& graph, const std::vector<tsh_node>& nodes) {
  if (nodes.empty()) return {};
  std::string out = std::string(" · ") + word + " ";
  for (size_t i = 0; i < nodes.size() && i < kNamed; ++i)
    out +=
        (i > 0 ? ", " : "") + Visible(graph.NodeName(nodes[i])) + " " + NodeTypes(graph, nodes[i]);
  if (nodes.size() > kNamed)
    out += " and " + Digits(static_cast<int64_t>(nodes.size() - kNamed)) + " more";
  return out;
}

// Summarizes the new nodes: the placeholders to feed, and the outputs that no node uses, which are
// the likely fetches.
std::string Summary(const GraphHandle& graph, size_t first) {
  std::vector<bool> used(graph.size(), false);
  for (size_t n = first; n < graph.size(); ++n) {
    const auto node = static_cast<tsh_node>(n);
    for (size_t i = 0; i < graph.Inputs(node).size(); ++i) used[graph.Input(node, i).node] = true;
  }
  std::vector<tsh_node> feeds, fetches;
  for (size_t n = first; n < graph.size(); ++n) {
    const auto node = static_cast<tsh_node>(n);
    const std::string_view op = graph.NodeOp(node);
    if (op == "Placeholder")
      feeds.push_back(node);
    else if (!used[n] && graph.NumOutputs(node) > 0 && op != "Const")
      fetches.push_back(node);
  }
  return Count(static_cast<int64_t>(graph.size() - first), "node") + Listed("feed", graph, feeds) +
         Listed("fetch", graph, fetches);
}

// The description of a model, with its later lines below the first.
std::string Indented(std::string_view text) {
  std::string out;
  for (const char c : VisibleLines(text)) out += c == '\n' ? "\n   " : std::string(1, c);
  return out;
}

void RunOpen(CommandCall& call) {
  std::string_view text = call.text(), scope;
  if (const size_t as = text.rfind(" as "); as != text.npos && IsName(Trim(text.substr(as + 4)))) {
    scope = Trim(text.substr(as + 4));
    text = text.substr(0, as);
  }
  const std::string file = FileName(call, text);
  if (HasEnding(file, ".py") || HasEnding(file, ".tsh"))
    throw ValueError(file + " is a script").Type("read " + file);
  if (HasEnding(file, ".index") || HasEnding(file, ".ckpt"))
    throw ValueError(file + " is a checkpoint: values, without a graph").Type("load " + file);
  for (const char* ending : {".onnx", ".tflite", ".h5", ".keras", ".pt", ".pth"})
    if (HasEnding(file, ending))
      throw ValueError(file + " is not a graph of TensorFlow")
          .Hint("`open` reads .pb, .pbtxt and .meta files and the folders of SavedModels");
  const Value session = call.shell().sessions().Current();
  const GraphHandle graph = CurrentGraph();
  const size_t first = graph.size();
  Value about;
  {
    const BytesProgress progress(call.shell(), "opening " + Visible(file),
                                 BytesProgress::Counts::kRead, SizeOnDisk(file));
    about = CallWorkspace("open_graph", {MakeStr(file), MakeStr(scope), session});
  }
  if (about.is_none())
    call.out().Note(" opened " + Visible(file) + ": " + Summary(graph, first));
  else
    call.out().Note(" opened " + Visible(file) + ": " + Indented(StrView(about)));
}

}  // namespace

void RegisterCommand_open(CommandRegistry& r) {
  r.Add({.name = "open",
         .usage = "open FILE [as NAME]",
         .summary = "Add a model's graph to this one: a .pb, .pbtxt, .meta or .onnx file, or the "
                    "folder of a SavedModel.",
         .help = "With `as NAME`, the names of its nodes begin with NAME/. A SavedModel also "
                 "restores its variables. The nodes of an ONNX model have the names of its values; "
                 "an operator that is not supported is an error only in a step that needs it.",
         .examples = {},
         .complete = "file",
         .lasting = true,
         .run = RunOpen});
}

}  // namespace tensh::shell
