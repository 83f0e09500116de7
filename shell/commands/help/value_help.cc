#include "shell/commands/help/value_help.h"

#include <algorithm>

#include "shell/commands/base/graph_report.h"
#include "shell/commands/base/node_values.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/base/words.h"
#include "shell/commands/help/name_help.h"
#include "shell/commands/help/python_examples.h"
#include "shell/explain/report.h"
#include "shell/explain/view.h"
#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/function.h"
#include "shell/python/vm/interp.h"
#include "shell/session/fetch.h"
#include "shell/session/graphs.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kListed = 8;
constexpr size_t kValueWidth = 300, kReprWidth = 400;
constexpr size_t kLabel = 14;  // columns of the label of a line

std::string Line(Shell& shell, const std::string& label, const std::string& text) {
  if (text.empty()) return "";
  return WrapHanging("  " + PadTo(label, kLabel - 2) + text, shell.out().width(), kLabel) + "\n";
}

std::string Listed(const std::vector<std::string>& parts, size_t all) {
  return Join(parts, " · ") +
         (all > parts.size() ? " · … " + Digits(static_cast<int64_t>(all - parts.size())) + " more"
                             : "");
}

// ---- nodes ----

std::string WithType(const GraphHandle& graph, tsh_output output) {
  return Visible(graph.NodeName(output.node)) +
         (output.index > 0 ? ":" + std::to_string(output.index) : "") + " " +
         tsh_dtype_short_name(graph.DType(output)) + ShapeText(graph.Shape(output));
}

std::string InputsOf(const GraphHandle& graph, tsh_node node) {
  std::vector<std::string> parts;
  const size_t values = graph.Inputs(node).size(), controls = graph.Controls(node).size();
  for (size_t i = 0; i < values && parts.size() < kListed; ++i)
    parts.push_back(WithType(graph, graph.Input(node, i)));
  for (size_t i = 0; i < controls && parts.size() < kListed; ++i)
    parts.push_back("^" + Visible(graph.NodeName(graph.Controls(node)[i])));
  return Listed(parts, values + controls);
}

std::string ConsumersOf(const GraphHandle& graph, tsh_node node, size_t visible) {
  std::vector<std::string> parts;
  size_t all = 0;
  for (auto other = static_cast<tsh_node>(node + 1); other < visible; ++other) {
    bool takes = false;
    for (const tsh_output input : graph.Inputs(other)) takes |= input.node == node;
    for (const tsh_node control : graph.Controls(other)) takes |= control == node;
    if (takes && ++all <= kListed) parts.push_back(Visible(graph.NodeName(other)));
  }
  return Listed(parts, all);
}

// Returns "In[4]: c = a + b", the statement that made the node.
std::string MadeIn(Shell& shell, const GraphHandle& graph, tsh_node node) {
  for (const Version* version : shell.versions().Of(graph)) {
    if (node < version->first || node >= version->end) continue;
    return (shell.options().interactive ? "In[" + std::to_string(version->cell) + "]"
                                        : "line " + std::to_string(version->cell)) +
           ": " + Visible(version->text);
  }
  return "";
}

// Returns the device of the node in the last run and the reason, or what it requests.
std::string DeviceOf(Shell& shell, const GraphHandle& graph, tsh_node node) {
  const ExplainedRun& last = shell.runs().last();
  Report report;
  if (last.graph == graph.id() && node < last.kept) ParseReportOf(last, &report);
  const ReportNode* ran = report.Find(graph.NodeName(node));
  if (ran != nullptr && ran->state != "pruned" && !ran->device.empty())
    return ran->device + ": " + ReasonSentence(*ran);
  const std::string asked = graph.Device(node);
  return asked.empty() ? "none is requested; a run decides"
                       : "requests " + Visible(ShortDevice(asked));
}

std::string FetchedText(const Value& value) {
  if (value.is_null()) return "";
  std::string text = Str(value);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return CutTo(Visible(text), kValueWidth);
}

// Returns the outputs of the node in the last run, or of a constant.
std::string ValueOf(Shell& shell, const GraphHandle& graph, tsh_node node) {
  const NodeValues recorded(RecordedValues());
  std::vector<std::string> parts;
  const size_t outputs = graph.NumOutputs(node);
  for (uint32_t i = 0; i < outputs && parts.size() < kListed; ++i) {
    std::string text = recorded.Text(graph, {node, i}, kValueWidth);
    if (text.empty()) text = FetchedText(shell.runs().Fetched(graph.id(), {node, i}));
    if (!text.empty()) parts.push_back((outputs > 1 ? std::to_string(i) + ": " : "") + text);
  }
  return Join(parts, " · ");
}

// Writes {"dtype":{"type":"float"}} as "dtype = float".
std::string AttributesOf(const GraphHandle& graph, tsh_node node) {
  std::vector<std::string> parts;
  const Json attrs = Json::Parse(graph.AttrsJson(node));
  for (size_t i = 0; i < attrs.size(); ++i) {
    const Json& value = attrs.items()[i];
    std::string text = value.size() == 1 ? value.items()[0].Dump() : value.Dump();
    std::erase(text, '"');
    parts.push_back(attrs.keys()[i] + " = " + CutTo(Visible(text), kReprWidth));
  }
  return Join(parts, " · ");
}

std::string NodeHelp(Shell& shell, const Fetch& fetch, bool full) {
  const GraphHandle& graph = fetch.graph;
  const tsh_node node = fetch.is_tensor() ? fetch.output.node : fetch.node;
  const std::string name = Visible(graph.NodeName(node));
  std::string out = NodeLine(graph, node) + "\n";
  out += Line(shell, "made in", MadeIn(shell, graph, node));
  out += Line(shell, "device", DeviceOf(shell, graph, node));
  out += Line(shell, "inputs", InputsOf(graph, node));
  out += Line(shell, "consumers", ConsumersOf(graph, node, shell.versions().Visible(graph)));
  out += Line(shell, "value", ValueOf(shell, graph, node));
  if (full) out += Line(shell, "attributes", AttributesOf(graph, node));
  const std::string_view op = ShownOp(graph, node);
  return out + " next: help " + (op == "PyFunc" ? "tf.py_func" : Visible(op)) + " · why " + name +
         " · graph " + name + (full ? "" : " · " + name + "??") + "\n";
}

// ---- functions and classes ----

std::string DocOf(const Value& value) {
  const Value doc = FindAttr(value, Intern("__doc__"));
  if (doc.is_null() || !IsStr(doc) || StrView(doc).empty()) return "";
  std::string text(Trim(StrView(doc)));
  return "\n" + text + "\n";
}

size_t IndentOf(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// Returns the lines of a definition that begins at `line` (counted from 1), up to the next line
// that is not indented further.
std::string SourceFrom(std::string_view text, size_t line) {
  size_t at = 0;
  for (size_t i = 1; i < line && at < text.size(); ++i)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  const auto line_at = [&](size_t begin) {
    return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
  };
  const size_t indent = IndentOf(line_at(at));
  size_t end = at;
  bool header = true;  // decorators, and the def or class line
  while (end < text.size()) {
    const std::string_view next = line_at(end);
    if (!header && !Trim(next).empty() && IndentOf(next) <= indent && Trim(next)[0] != ')') break;
    header = header && Trim(next).starts_with("@");
    end += next.size() + 1;
  }
  std::string source(text.substr(at, std::min(end, text.size()) - at));
  while (!source.empty() && (source.back() == '\n' || source.back() == ' ')) source.pop_back();
  return source + "\n";
}

// Returns the line of "def name" before the code.
size_t DefinitionLine(const Source& source, const Code& code) {
  const uint32_t at = code.spans.empty() ? 0 : code.spans.front().begin;
  const std::string_view text = source.text();
  const std::string def = "def " + code.name;
  const size_t found = text.rfind(def, at + def.size());
  return static_cast<size_t>(
      source.Locate({static_cast<uint32_t>(found == text.npos ? at : found), 0}).line);
}

std::string FunctionText(const Value& value, const FunctionObject& function, bool full) {
  const Code& code = *function.code;
  std::string out = Visible(function.name) + SignatureOf(value) + "\n" + DocOf(value);
  if (code.source == nullptr || code.source->library() != 0) return out;
  const size_t line = DefinitionLine(*code.source, code);
  out += "\nDefined in " + Visible(code.source->file()) + ", line " + std::to_string(line) + ".";
  return out + (full ? "\n\n" + SourceFrom(code.source->text(), line)
                     : " Its source: " + Visible(function.name) + "??\n");
}

// Finds the text of a class through its __init__, because only functions refer to their source.
std::string ClassSource(const Value& value, const std::string& name) {
  const auto* init = As<FunctionObject>(FindAttr(value, Intern("__init__")));
  if (init == nullptr || init->code->source == nullptr || init->code->source->library() != 0)
    return "";
  const Source& source = *init->code->source;
  const uint32_t at = init->code->spans.empty() ? 0 : init->code->spans.front().begin;
  const size_t found = source.text().rfind("class " + name, at);
  if (found == std::string_view::npos) return "";
  return "\n" +
         SourceFrom(source.text(),
                    static_cast<size_t>(source.Locate({static_cast<uint32_t>(found), 0}).line));
}

std::string ClassText(const Value& value, bool full) {
  const Value own = FindAttr(value, Intern("__name__"));
  const std::string name = IsStr(own) ? std::string(StrView(own)) : "";
  return "class " + Visible(name) + SignatureOf(value) + "\n" + DocOf(value) +
         (full ? ClassSource(value, name) : "");
}

}  // namespace

namespace {

// Lists the public names of a module.
std::string ModuleText(const Value& module) {
  const Value names = Call(GetAttr(Interp::Current().Import("builtins"), "dir"), {module});
  std::vector<std::string> listed;
  for (const Value& name : ToVector(names))
    if (!StrView(name).starts_with('_')) listed.emplace_back(StrView(name));
  constexpr size_t kMostNames = 120;
  return "The module " + Str(GetAttr(module, "__name__")) + "\n" + DocOf(module) + "\n" +
         (listed.size() <= kMostNames
              ? Join(listed, " ")
              : Count(static_cast<int64_t>(listed.size()), "name") + "; find one: ?relu") +
         "\n";
}

// Describes a value that is not a node.
std::string Described(const Value& value, bool full) {
  if (As<ModuleObject>(value)) return ModuleText(value);
  const auto* function = As<FunctionObject>(value);
  const bool own = function != nullptr &&
                   (function->code->source == nullptr || function->code->source->library() == 0);
  if (!own && !full && (function != nullptr || As<NativeFunction>(value) || As<Type>(value)))
    if (std::string help = HelpOnPublic(value); !help.empty()) return help;
  if (auto* native = As<NativeFunction>(value))
    return std::string(native->row().name) + "(" + native->ParameterText() + ")\n" +
           (native->row().doc[0] == '\0' ? "" : "\n" + std::string(native->row().doc) + "\n");
  if (function != nullptr) return FunctionText(value, *function, full);
  if (As<Type>(value) != nullptr) return ClassText(value, full);
  return TypeName(value) + ": " + CutTo(Repr(value), kReprWidth) + "\n" + DocOf(value);
}

}  // namespace

std::string ValueHelp(Shell& shell, const Value& value, bool full) {
  if (const Fetch fetch = AsFetch(value)) return NodeHelp(shell, fetch, full);
  return Described(value, full) + ExampleText(PythonExample(value));
}

}  // namespace tensh::shell
