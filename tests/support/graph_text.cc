#include "tests/support/graph_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <sstream>

namespace tensh::ops {
void AddOpFiles(OpRegistry& r);
}

namespace tensh::test {
namespace {

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

// Cuts the text at the first `at` and returns the part after it.
std::string CutAt(std::string& text, char at) {
  size_t i = text.find(at);
  if (i == std::string::npos) return "";
  std::string rest = text.substr(i + 1);
  text.resize(i);
  return rest;
}

// One parsed node with the storage for its spec.
struct Line {
  std::string name, op, device;
  std::vector<Output> inputs;
  std::vector<NodeId> controls;
  std::vector<NamedAttr> attrs;
};

Line ParseLine(std::string text, const Graph& graph, const std::map<std::string, NodeId>& made) {
  Line line;
  auto find = [&](const std::string& name) {
    auto it = made.find(name);
    NodeId node = it == made.end() ? graph.Find(name) : it->second;
    EXPECT_NE(node, kNoNode) << "no node " << name;
    return node;
  };
  line.device = CutAt(text, '@');
  for (const std::string& control : Split(CutAt(text, '^'), '^'))
    line.controls.push_back(find(control));
  std::string call = CutAt(text, '=');
  line.name = text;
  if (call.empty()) {
    char kind = text.back();
    if (kind == '?' || kind == '!') line.name.pop_back();
    line.op = kind == '?' ? "Placeholder" : kind == '!' ? "VariableV2" : "Const";
    line.attrs.push_back({"dtype", DType::kFloat});
    if (kind == '!') line.attrs.push_back({"shape", Shape()});
    // The value follows from the first letter of the name: a = 1, b = 2 ….
    if (line.op == "Const")
      line.attrs.push_back({"value", Tensor::Scalar(static_cast<float>(text[0] - 'a' + 1))});
    return line;
  }
  std::string args = CutAt(call, '(');
  args.pop_back();
  line.op = call;
  for (const std::string& arg : Split(args, ',')) line.inputs.push_back({find(arg), 0});
  return line;
}

}  // namespace

const OpRegistry& AllOps() {
  static const OpRegistry* ops = [] {
    auto* r = new OpRegistry;
    ops::AddOpFiles(*r);
    return r;
  }();
  return *ops;
}

void AppendText(Graph& graph, const std::string& text, bool one_by_one) {
  std::deque<Line> lines;
  std::vector<NodeSpec> specs;
  std::map<std::string, NodeId> made;
  auto flush = [&] {
    auto appended = graph.Append(specs);
    ASSERT_TRUE(appended.ok()) << appended.status().message();
    specs.clear();
  };
  for (const std::string& part : Split(text, ';')) {
    NodeId id{graph.size() + static_cast<uint32_t>(specs.size())};
    Line& line = lines.emplace_back(ParseLine(part, graph, made));
    made[line.name] = id;
    specs.push_back({line.op, line.name, line.device, line.inputs, line.controls, line.attrs});
    if (one_by_one) flush();
  }
  if (!specs.empty()) flush();
}

ValueId Value(const Graph& graph, const std::string& name) {
  NodeId node = graph.Find(name);
  EXPECT_NE(node, kNoNode) << name;
  return graph.output(node, 0);
}

std::vector<ValueId> Values(const Graph& graph, const std::string& names) {
  std::vector<ValueId> values;
  for (const std::string& name : Split(names, ',')) values.push_back(Value(graph, name));
  return values;
}

std::string RandomChain(std::mt19937& rng, const std::string& prefix, int inputs, int nodes,
                        std::span<const char* const> unary, std::span<const char* const> binary) {
  const auto below = [&](size_t n) { return static_cast<size_t>(rng()) % n; };
  const auto name = [&](size_t k) { return prefix + std::to_string(k); };
  std::string text;
  for (size_t k = 0; k < static_cast<size_t>(nodes); ++k) {
    text += (k ? ";" : "") + name(k);
    if (k < static_cast<size_t>(inputs)) {
      text += "?";
      continue;
    }
    const std::string near = name(k - 1 - below(std::min<size_t>(k, 4)));
    if (below(2))
      text += std::string("=") + unary[below(unary.size())] + "(" + near + ")";
    else
      text +=
          std::string("=") + binary[below(binary.size())] + "(" + near + "," + name(below(k)) + ")";
  }
  return text;
}

Tensor RandomFloats(std::mt19937& rng, const Shape& shape) {
  Tensor t = *Tensor::Make(DType::kFloat, shape);
  std::normal_distribution<float> normal;
  for (float& x : t.flat<float>()) x = normal(rng);
  return t;
}

}  // namespace tensh::test
