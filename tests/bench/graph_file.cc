#include "tests/bench/graph_file.h"

#include <deque>
#include <fstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/bench/measure.h"
#include "tests/oracle/tensor_text.h"

namespace tensh::bench {
namespace {

using Json = nlohmann::json;
using oracle::TensorPtr;

// The storage that the attributes of one node point to.
struct Storage {
  std::deque<std::string> texts;
  std::deque<std::vector<int64_t>> ints;
  std::vector<TensorPtr> tensors;
  std::vector<tsh_attr> attrs;
};

// A row is [name, kind, value].
void AddAttr(const Json& row, Storage* s) {
  tsh_attr a{};
  a.name = s->texts.emplace_back(row[0].get<std::string>()).c_str();
  const std::string kind = row[1];
  const Json& value = row[2];
  if (kind == "type") {
    a.kind = TSH_ATTR_TYPE;
    a.i = tsh_dtype_parse(value.get<std::string>().c_str());
  } else if (kind == "int" || kind == "bool") {
    a.kind = kind == "int" ? TSH_ATTR_INT : TSH_ATTR_BOOL;
    a.i = value.is_boolean() ? value.get<bool>() : value.get<int64_t>();
  } else if (kind == "float") {
    a.kind = TSH_ATTR_FLOAT;
    a.f = value;
  } else if (kind == "string") {
    a.kind = TSH_ATTR_STRING;
    const std::string& text = s->texts.emplace_back(value.get<std::string>());
    a.string = text.c_str();
    a.length = text.size();
  } else if (kind == "shape" || kind == "list(int)") {
    const bool unknown = value.is_null();
    auto& ints =
        s->ints.emplace_back(unknown ? std::vector<int64_t>() : value.get<std::vector<int64_t>>());
    a.kind = kind == "shape" ? TSH_ATTR_SHAPE : TSH_ATTR_INT;
    a.is_list = kind != "shape";
    a.n = ints.size();
    a.ints = a.dims = ints.data();
    a.rank = unknown ? -1 : static_cast<int>(ints.size());
  } else {
    a.kind = TSH_ATTR_TENSOR;
    a.tensor = s->tensors.emplace_back(oracle::ParseTensor(value.get<std::string>())).get();
  }
  s->attrs.push_back(a);
}

}  // namespace

GraphFile::GraphFile(tsh_graph* graph, const std::string& name) {
  std::ifstream file(std::string(TENSH_BENCH_DIR) + "/graphs/" + name + ".json");
  tsh_status* status = tsh_status_new();
  for (const Json& row : Json::parse(file)) {
    Storage storage;
    for (const Json& attr : row["attrs"]) AddAttr(attr, &storage);
    std::vector<tsh_output> inputs;
    std::vector<tsh_node> controls;
    for (const std::string text : row["inputs"]) {
      const size_t colon = text.find(':');
      if (text[0] == '^') {
        controls.push_back(Node(text.substr(1)));
      } else {
        inputs.push_back({Node(text.substr(0, colon)),
                          static_cast<uint32_t>(std::stoul(text.substr(colon + 1)))});
      }
    }
    const std::string node_name = row["name"], op = row["op"];
    tsh_node_spec spec{};
    spec.op = op.c_str();
    spec.name = node_name.c_str();
    spec.device = "";
    spec.inputs = inputs.data();
    spec.n_inputs = inputs.size();
    spec.controls = controls.data();
    spec.n_controls = controls.size();
    spec.attrs = storage.attrs.data();
    spec.n_attrs = storage.attrs.size();
    tsh_node node = TSH_NO_NODE;
    if (!tsh_graph_add(graph, &spec, 1, &node, status))
      Fail(node_name.c_str(), tsh_status_message(status));
    nodes_[node_name] = node;
  }
  tsh_status_free(status);
}

tsh_node GraphFile::Node(const std::string& name) const {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) Fail("no node", name.c_str());
  return found->second;
}

}  // namespace tensh::bench
