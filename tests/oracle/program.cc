#include "tests/oracle/program.h"

#include <sstream>
#include <stdexcept>

#include "tests/oracle/attr_json.h"

namespace tensh::oracle {
namespace {

constexpr int64_t kWaitMs = 50, kTimeoutMs = 20000;
constexpr int kFirstRef = 101;  // TensorFlow's dtype of a reference is that of its value + 100

bool IsValue(int dtype) {
  if (dtype >= kFirstRef) dtype -= kFirstRef - 1;
  return dtype != TSH_RESOURCE && dtype != TSH_VARIANT;
}

}  // namespace

Program::Program() : status_(tsh_status_new()), graph_(tsh_graph_new()) {}

Program::~Program() {
  if (session_) tsh_session_unref(session_);
  tsh_graph_unref(graph_);
  tsh_status_free(status_);
}

Outcome Program::Failure() const {
  Outcome out;
  out.error = ErrorName(tsh_status_code(status_));
  out.message = tsh_status_message(status_);
  return out;
}

// Adds a helper node and returns its output 0.
tsh_output Program::Simple(const char* op, const tsh_output* input,
                           const std::vector<tsh_attr>& attrs) {
  tsh_node_spec spec{};
  spec.op = op;
  spec.name = spec.device = "";
  spec.inputs = input;
  spec.n_inputs = input ? 1 : 0;
  spec.attrs = attrs.data();
  spec.n_attrs = attrs.size();
  tsh_node node = TSH_NO_NODE;
  if (!tsh_graph_add(graph_, &spec, 1, &node, status_)) {
    throw std::runtime_error(std::string("oracle: ") + op + ": " + tsh_status_message(status_));
  }
  return {node, 0};
}

// Resolves "name", "name:1", or the text of a tensor.
tsh_output Program::Input(const std::string& text, bool hide) {
  if (text.find('[') == std::string::npos) {
    const size_t colon = text.find(':');
    const uint32_t index =
        colon == std::string::npos ? 0 : static_cast<uint32_t>(std::stoul(text.substr(colon + 1)));
    return {nodes_.at(text.substr(0, colon)).node, index};
  }
  AttrList constant;
  constant.Add("value", "tensor", text);
  constant.Add("dtype", "type", text.substr(0, text.find('[')));
  const tsh_output value = Simple("Const", nullptr, constant.attrs());
  if (!hide) return value;
  AttrList unknown;
  unknown.Add("shape", "shape", "<unknown>");
  return Simple("PlaceholderWithDefault", &value, unknown.attrs());
}

Outcome Program::AddNode(const Json& row, bool hide) {
  const std::string name = row[0], op = row[1];
  std::vector<tsh_output> inputs;
  for (const Json& input : row[2]) {
    if (!input.is_array()) {
      inputs.push_back(Input(input.get<std::string>(), hide));
      continue;
    }
    for (const Json& one : input) inputs.push_back(Input(one.get<std::string>(), hide));
  }
  std::vector<tsh_node> controls;
  if (row.size() > 4) {
    for (const Json& before : row[4]) controls.push_back(nodes_.at(before).node);
  }
  AttrList attrs;
  attrs.AddAll(Definition(op), row[3]);
  tsh_node_spec spec{};
  spec.op = op.c_str();
  spec.name = name.c_str();
  spec.device = "";
  spec.inputs = inputs.data();
  spec.n_inputs = inputs.size();
  spec.controls = controls.data();
  spec.n_controls = controls.size();
  spec.attrs = attrs.attrs().data();
  spec.n_attrs = attrs.attrs().size();
  tsh_node node = TSH_NO_NODE;
  if (!tsh_graph_add(graph_, &spec, 1, &node, status_)) return Failure();
  Added& added = nodes_[name];
  added.node = node;
  for (uint32_t i = 0; i < tsh_node_num_outputs(graph_, node); ++i) {
    if (IsValue(tsh_output_dtype(graph_, {node, i}))) added.values.push_back({node, i});
  }
  return {};
}

Outcome Program::Build(const std::string& op, const Json& row, bool hide) {
  for (const Json& node : row["nodes"]) {
    const bool tested = node[1] == op;
    Outcome got = AddNode(node, hide && tested);
    if (!got.error.empty()) return got;
    if (tested) tested_.push_back(nodes_.at(node[0]).node);
  }
  return {};
}

Outcome Program::Start() {
  session_ = tsh_session_new(graph_, "", R"({"intra_op_parallelism_threads":1})", status_);
  return session_ ? Outcome() : Failure();
}

Outcome Program::Run(const std::string& step, bool waited) {
  const bool marked = step[0] == '!';
  std::istringstream names(step.substr(marked));
  std::vector<tsh_output> fetches;
  std::vector<tsh_node> targets;
  for (std::string name; names >> name;) {
    const Added& added = nodes_.at(name);
    if (added.values.empty()) targets.push_back(added.node);
    fetches.insert(fetches.end(), added.values.begin(), added.values.end());
  }
  std::vector<tsh_tensor*> fetched(fetches.size() + 1);
  tsh_run run{};
  run.fetches = fetches.data();
  run.n_fetches = fetches.size();
  run.targets = targets.data();
  run.n_targets = targets.size();
  run.timeout_ms = marked || waited ? kWaitMs : kTimeoutMs;
  if (!tsh_session_run(session_, &run, fetched.data(), status_)) return Failure();
  Outcome out;
  for (size_t i = 0; i < fetches.size(); ++i) out.tensors.emplace_back(fetched[i]);
  return out;
}

Json Program::Shapes() const {
  Json all = Json::array();
  for (tsh_node node : tested_) {
    Json one = Json::array();
    for (uint32_t i = 0; i < tsh_node_num_outputs(graph_, node); ++i) {
      int64_t dims[TSH_MAX_RANK];
      const int rank = tsh_output_shape(graph_, {node, i}, dims);
      one.push_back(FormatShape(dims, rank));
    }
    all.push_back(one);
  }
  return all;
}

}  // namespace tensh::oracle
