#include "shell/commands/base/node_values.h"

#include <algorithm>

#include "shell/explain/player.h"
#include "shell/print/tensor_printer.h"
#include "shell/session/recording.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr int64_t kMaxShown = 1 << 20;  // maximum bytes of a constant to show

constexpr int kMaxHops = 40;
// Ops that pass a value on unchanged, without a kernel.
constexpr std::string_view kPassing[] = {"Exit",     "RefExit",       "Enter",
                                         "RefEnter", "NextIteration", "RefNextIteration",
                                         "Switch",   "RefSwitch"};

uint64_t Key(tsh_output of) { return uint64_t{of.node} << 32 | of.index; }

}  // namespace

std::string ShapeText(const TensorHandle& tensor) {
  std::string text = tsh_dtype_short_name(tensor.dtype());
  text += "[";
  for (const int64_t extent : tensor.dims())
    text += (text.back() == '[' ? "" : ",") + std::to_string(extent);
  return text + "]";
}

std::string TensorText(const TensorHandle& tensor, size_t width) {
  if (!tensor) return "";
  const std::string_view type = tsh_dtype_name(tensor.dtype());
  if (type == "resource" || type == "variant" || type.find("_ref") != std::string_view::npos)
    return "<" + std::string(type) + ">";
  const bool text = type == "string";
  const Dims dims = tensor.dims();
  // Strides are bytes for numbers, and elements for strings.
  const int64_t unit = text ? 1 : static_cast<int64_t>(tsh_dtype_size(tensor.dtype()));
  std::vector<int64_t> strides(dims.size());
  int64_t stride = unit;
  for (size_t i = dims.size(); i-- > 0; stride *= dims[i]) strides[i] = stride;
  TensorView view;
  view.dtype = tensor.dtype();
  view.dims = {dims.data(), dims.size()};
  view.strides = strides;
  view.data = tensor.raw();
  if (text)
    view.text = [&tensor](int64_t at) { return "b'" + Visible(tensor.string_at(at)) + "'"; };
  std::string out = TensorStr(view, {});
  std::replace(out.begin(), out.end(), '\n', ' ');
  return CutTo(Visible(out), width);
}

NodeValues::NodeValues(std::vector<RecordedValue> values) {
  for (RecordedValue& value : values) values_.emplace(Key(value.of), std::move(value));
}

tsh_output NodeValues::Source(const GraphHandle& graph, tsh_output of, int* hops) const {
  while (values_.count(Key(of)) == 0 && --*hops > 0) {
    const std::string_view op = graph.NodeOp(of.node);
    const bool merge = op == "Merge" || op == "RefMerge";
    if (!merge && std::find(std::begin(kPassing), std::end(kPassing), op) == std::end(kPassing))
      break;
    size_t input = 0;
    // Of the inputs of a Merge, takes the one whose value was kept. That is the value of the last
    // iteration of a loop, or of the branch of a conditional that ran.
    for (size_t k = 1; merge && k < graph.Inputs(of.node).size(); ++k) {
      const tsh_output from = Source(graph, graph.Input(of.node, k), hops);
      if (values_.count(Key(from)) > 0) input = k;
    }
    of = graph.Input(of.node, input);
  }
  return of;
}

const RecordedValue* NodeValues::Recorded(const GraphHandle& graph, tsh_output of) const {
  int hops = kMaxHops;
  const std::string_view op = graph.NodeOp(of.node);
  // It is unknown which output of a Switch had a value.
  const bool passes = !values_.empty() && op != "Switch" && op != "RefSwitch";
  const auto at = values_.find(Key(passes ? Source(graph, of, &hops) : of));
  return at == values_.end() ? nullptr : &at->second;
}

NodeValue NodeValues::Find(const GraphHandle& graph, tsh_output of) const {
  const RecordedValue* value = Recorded(graph, of);
  if (value == nullptr) return {graph.Constant(of), 1};
  const std::string_view op = graph.NodeOp(of.node);
  return {value->tensor, op == "Exit" || op == "RefExit" ? 1 : value->times};
}

std::string NodeValues::Text(const GraphHandle& graph, tsh_output of, size_t width) const {
  const NodeValue value = Find(graph, of);
  if (Recorded(graph, of) == nullptr) {
    if (!value.tensor) return "";
    return value.tensor.elements() > kMaxShown ? ShapeText(value.tensor)
                                               : TensorText(value.tensor, width);
  }
  std::string text = value.tensor ? TensorText(value.tensor, width) : std::string(kNotKept);
  if (value.times > 1) text += " (the last of " + std::to_string(value.times) + ")";
  return text;
}

}  // namespace tensh::shell
