// The tables of the graph: nodes, edges, attrs and its versions. Their cursors walk over the nodes.
#include <algorithm>
#include <cstring>

#include "shell/commands/base/shell.h"
#include "shell/commands/base/tables.h"
#include "shell/commands/tables/relation.h"
#include "shell/explain/report.h"
#include "shell/session/graphs.h"
#include "shell/text/json.h"

namespace tensh::shell {
namespace {

using Type = RelationColumn::Type;

// The type, shape and size of one output. The tables of nodes and of edges end with these columns.
enum ValueColumn : size_t { kDType, kShape, kRank, kElements, kBytes, kValueColumns };
#define TENSH_VALUE_COLUMNS(of)                                                       \
  {"dtype", Type::kText, "the element type of " of ", such as f32"},                  \
      {"shape", Type::kText, "its shape, such as [2,?]; […] if the rank is unknown"}, \
      {"rank", Type::kInteger, "the number of dimensions"},                           \
      {"elements", Type::kInteger, "the number of elements"}, {                       \
    "bytes", Type::kBytes, "its size in bytes; NULL if that is unknown before a run"  \
  }

int64_t ElementsOf(const ShapeInfo& shape) {
  if (shape.rank < 0) return -1;
  int64_t elements = 1;
  for (const int64_t extent : shape.dims())
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements)) return -1;
  return elements;
}

Cell ValueCell(const GraphHandle& graph, tsh_output value, size_t column) {
  if (value.node == TSH_NO_NODE) return Cell();
  const int dtype = graph.DType(value);
  if (column == kDType) return Cell::Text(ShortType(tsh_dtype_name(dtype)));
  const ShapeInfo shape = graph.Shape(value);
  if (column == kShape) return Cell::Text(ShapeText(shape));
  if (column == kRank) return Cell::Known(shape.rank);
  int64_t elements = ElementsOf(shape);
  if (column == kElements) return Cell::Known(elements);
  const auto size = static_cast<int64_t>(tsh_dtype_size(dtype));
  if (elements < 0 || size <= 0 || __builtin_mul_overflow(elements, size, &elements)) return Cell();
  return Cell::Number(elements);
}

// Walks over the visible nodes of the current graph.
class NodeCursor : public RowCursor {
 public:
  explicit NodeCursor(Shell& shell)
      : graph_(CurrentGraph()), visible_(shell.versions().Visible(graph_)), end_(visible_) {}

  bool Next() override { return ++node_ < end_; }
  uint64_t position() const override { return node_; }
  void Restore(uint64_t position) override { node_ = static_cast<tsh_node>(position); }
  // The keys are the ids and the names of nodes.
  void Seek(size_t, const Cell& value) override {
    tsh_node found = TSH_NO_NODE;
    if (value.kind == Cell::Kind::kText) {
      found = graph_.Find(value.text);
    } else if (value.number >= 0 && value.number < TSH_NO_NODE) {
      found = static_cast<tsh_node>(value.number);
    }
    if (found >= visible_)
      found = 0, end_ = 0;
    else
      end_ = found + 1;
    node_ = found - 1;
  }

 protected:
  const GraphHandle graph_;
  const size_t visible_;
  size_t end_;  // the nodes before it are visited
  // Before the first row, the predecessor of the first node. That of node 0 is TSH_NO_NODE.
  tsh_node node_ = TSH_NO_NODE;
};
static_assert(static_cast<tsh_node>(TSH_NO_NODE + 1) == 0);

const Version* VersionOf(const std::vector<const Version*>& versions, tsh_node node) {
  const auto after =
      std::upper_bound(versions.begin(), versions.end(), node,
                       [](tsh_node n, const Version* version) { return n < version->end; });
  return after == versions.end() || node < (*after)->first ? nullptr : *after;
}

constexpr RelationColumn kNodeColumns[] = {
    {"id", Type::kInteger, "the number of the node, in the order of creation"},
    {"name", Type::kText, "the name of the node"},
    {"op", Type::kText, "the name of its op, as in the table ops"},
    {"type", Type::kText, "the types and shapes of its outputs"},
    {"device", Type::kText, "the short name of the requested device, such as cpu:1, or ''"},
    {"inputs", Type::kText, "the names of its inputs; ^ marks a control input"},
    {"scope", Type::kText, "the name scope, such as layer/gate, or ''"},
    {"in_count", Type::kInteger, "the number of data inputs"},
    {"out_count", Type::kInteger, "the number of outputs"},
    {"version", Type::kInteger, "the version of the graph that added it, as in the table history"},
    {"cell", Type::kInteger, "the cell, or the line of a script, that added it"},
    TENSH_VALUE_COLUMNS("the first output"),
};
constexpr size_t kNodeValue = std::size(kNodeColumns) - kValueColumns;

class NodesCursor : public NodeCursor {
 public:
  explicit NodesCursor(Shell& shell) : NodeCursor(shell), versions_(shell.versions().Of(graph_)) {}

  Cell At(size_t column) const override {
    switch (column) {
      case 0:
        return Cell::Number(node_);
      case 1:
        return Cell::Text(graph_.NodeName(node_));
      case 2:
        return Cell::Text(std::string(ShownOp(graph_, node_)));
      case 3:
        return Cell::Text(NodeTypes(graph_, node_));
      case 4:
        return Cell::Text(ShortDevice(graph_.Device(node_)));
      case 5:
        return Cell::Text(NodeInputs(graph_, node_));
      case 6:
        return Cell::Text(Scope());
      case 7:
        return Cell::Number(static_cast<int64_t>(graph_.Inputs(node_).size()));
      case 8:
        return Cell::Number(graph_.NumOutputs(node_));
      case 9:
      case 10:
        return OfVersion(column == 9);
      default:
        break;
    }
    const bool has_output = graph_.NumOutputs(node_) > 0;
    return ValueCell(graph_, {has_output ? node_ : TSH_NO_NODE, 0}, column - kNodeValue);
  }

 private:
  std::string Scope() const {
    const char* name = graph_.NodeName(node_);
    const char* slash = std::strrchr(name, '/');
    return slash == nullptr ? "" : std::string(name, slash);
  }
  Cell OfVersion(bool number) const {
    const Version* version = VersionOf(versions_, node_);
    if (version == nullptr) return Cell();
    return Cell::Number(number ? version->number : version->cell);
  }

  const std::vector<const Version*> versions_;
};

constexpr RelationColumn kEdgeColumns[] = {
    {"source", Type::kText, "the name of the node that the edge leaves"},
    {"target", Type::kText, "the name of the node that it enters"},
    {"kind", Type::kText, "data or control"},
    {"output", Type::kInteger, "which output of the source; NULL for a control edge"},
    {"input", Type::kInteger, "which input of the target; NULL for a control edge"},
    {"type", Type::kText, "the type and shape of the value"},
    {"source_id", Type::kInteger, "the id of the source, as in the table nodes"},
    {"target_id", Type::kInteger, "the id of the target"},
    TENSH_VALUE_COLUMNS("the value"),
};
constexpr size_t kEdgeValue = std::size(kEdgeColumns) - kValueColumns;

// Walks over the inputs of each node, first the data inputs and then the control inputs.
class EdgesCursor : public NodeCursor {
 public:
  using NodeCursor::NodeCursor;

  bool Next() override {
    if (++slot_ < data_ + controls_) return true;
    do {
      if (!NodeCursor::Next()) return false;
      Enter();
    } while (data_ + controls_ == 0);
    slot_ = 0;
    return true;
  }
  void Seek(size_t column, const Cell& value) override {
    NodeCursor::Seek(column, value);
    slot_ = data_ = controls_ = 0;
  }
  uint64_t position() const override { return uint64_t{node_} << 32 | slot_; }
  void Restore(uint64_t position) override {
    NodeCursor::Restore(position >> 32);
    Enter();
    slot_ = static_cast<uint32_t>(position);
  }

  Cell At(size_t column) const override {
    const bool data = slot_ < data_;
    const tsh_output value =
        data ? graph_.Input(node_, slot_) : tsh_output{graph_.Controls(node_)[slot_ - data_], 0};
    switch (column) {
      case 0:
        return Cell::Text(graph_.NodeName(value.node));
      case 1:
        return Cell::Text(graph_.NodeName(node_));
      case 2:
        return Cell::Text(data ? "data" : "control");
      case 3:
        return data ? Cell::Number(value.index) : Cell();
      case 4:
        return data ? Cell::Number(slot_) : Cell();
      case 5:
        return data ? Cell::Text(ShortType(tsh_dtype_name(graph_.DType(value))) +
                                 ShapeText(graph_.Shape(value)))
                    : Cell();
      case 6:
        return Cell::Number(value.node);
      case 7:
        return Cell::Number(node_);
      default:
        break;
    }
    return data ? ValueCell(graph_, value, column - kEdgeValue) : Cell();
  }

 private:
  void Enter() {
    data_ = static_cast<uint32_t>(graph_.Inputs(node_).size());
    controls_ = static_cast<uint32_t>(graph_.Controls(node_).size());
  }
  uint32_t slot_ = 0, data_ = 0, controls_ = 0;
};

constexpr RelationColumn kAttrColumns[] = {
    {"node", Type::kText, "the name of the node"},
    {"node_id", Type::kInteger, "its id, as in the table nodes"},
    {"op", Type::kText, "the name of its op"},
    {"name", Type::kText, "the name of the attribute"},
    {"kind", Type::kText, "int, float, bool, type, string, shape, tensor, func or list(…)"},
    {"value", Type::kAny,
     "a number for int, float and bool; otherwise text, of shapes and tensors as JSON"},
};

constexpr const char* kAttrKinds[] = {"int",    "float", "bool",   "type",
                                      "string", "shape", "tensor", "func"};
static_assert(std::size(kAttrKinds) == TSH_ATTR_FUNC + 1);

// Returns a shape as JSON: [2, null], or null if the rank is unknown.
std::string ShapeJson(const int64_t* dims, int rank) {
  if (rank < 0) return "null";
  std::string text = "[";
  for (int i = 0; i < rank; ++i)
    text += (i > 0 ? ", " : "") + (dims[i] < 0 ? std::string("null") : std::to_string(dims[i]));
  return text + "]";
}

Cell AttrValueCell(const GraphHandle& graph, tsh_node node, const tsh_attr& attr) {
  if (attr.is_list == 0) {
    switch (attr.kind) {
      case TSH_ATTR_INT:
      case TSH_ATTR_BOOL:
        return Cell::Number(attr.i);
      case TSH_ATTR_FLOAT:
        return Cell::Real(attr.f);
      case TSH_ATTR_TYPE:
      case TSH_ATTR_STRING:
        return Cell::Text(std::string(attr.string, attr.length));
      case TSH_ATTR_SHAPE:
        return Cell::Text(ShapeJson(attr.dims, attr.rank));
      case TSH_ATTR_TENSOR:
        return Cell::Text(
            "{\"dtype\": \"" + std::string(tsh_dtype_name(tsh_tensor_dtype(attr.tensor))) +
            "\", \"shape\": " +
            ShapeJson(tsh_tensor_dims(attr.tensor), tsh_tensor_rank(attr.tensor)) + "}");
      case TSH_ATTR_FUNC:
        break;
    }
  }
  const Json attrs = Json::Parse(graph.AttrsJson(node));  // {"T": {"list(type)": "[float]"}, …}
  const Json& value = attrs[attr.name].items()[0];
  return Cell::Text(value.is_string() ? value.as_string() : value.Dump());
}

// Walks over the attributes of each node.
class AttrsCursor : public NodeCursor {
 public:
  using NodeCursor::NodeCursor;

  bool Next() override {
    if (inside_ && graph_.ReadAttr(node_, ++slot_, &attr_)) return true;
    slot_ = 0;
    do {
      if (!NodeCursor::Next()) return inside_ = false;
    } while (!graph_.ReadAttr(node_, 0, &attr_));
    return inside_ = true;
  }
  void Seek(size_t column, const Cell& value) override {
    NodeCursor::Seek(column, value);
    inside_ = false;
  }
  uint64_t position() const override { return uint64_t{node_} << 32 | slot_; }
  void Restore(uint64_t position) override {
    NodeCursor::Restore(position >> 32);
    slot_ = static_cast<uint32_t>(position);
    inside_ = graph_.ReadAttr(node_, slot_, &attr_);
  }

  Cell At(size_t column) const override {
    switch (column) {
      case 0:
        return Cell::Text(graph_.NodeName(node_));
      case 1:
        return Cell::Number(node_);
      case 2:
        return Cell::Text(std::string(ShownOp(graph_, node_)));
      case 3:
        return Cell::Text(attr_.name);
      case 4: {
        const std::string kind = kAttrKinds[attr_.kind];
        return Cell::Text(attr_.is_list == 0 ? kind : "list(" + kind + ")");
      }
      default:
        return AttrValueCell(graph_, node_, attr_);
    }
  }

 private:
  tsh_attr attr_ = TSH_ATTR_INIT;
  uint32_t slot_ = 0;
  bool inside_ = false;  // attr_ is that of node_ and slot_
};

constexpr RelationColumn kHistoryColumns[] = {
    {"version", Type::kInteger, "the number of the version, written @7 in verbs"},
    {"nodes", Type::kInteger, "the number of nodes that it added"},
    {"first", Type::kInteger, "the id of the first of them"},
    {"cell", Type::kInteger, "the cell, or the line of a script"},
    {"text", Type::kText, "the first line of the statement"},
};

std::vector<Row> HistoryRows(Shell& shell) {
  std::vector<Row> rows;
  if (!HasGraph()) return rows;
  for (const Version* version : shell.versions().Of(CurrentGraph())) {
    rows.push_back({Cell::Number(version->number),
                    Cell::Number(static_cast<int64_t>(version->nodes())),
                    Cell::Number(static_cast<int64_t>(version->first)), Cell::Number(version->cell),
                    Cell::Text(version->text)});
  }
  return rows;
}

constexpr RelationColumn kGraphColumns[] = {
    {"graph", Type::kInteger, "the number of the graph, written g0 in verbs"},
    {"current", Type::kBool, "true for the default graph"},
    {"version", Type::kInteger, "its version"},
    {"nodes", Type::kInteger, "the number of nodes"},
    {"sessions", Type::kInteger, "the number of open sessions over it"},
    {"refs", Type::kInteger, "the number of references to it"},
    {"bytes", Type::kBytes, "the memory that it uses, in bytes"},
};

std::vector<Row> GraphRows() {
  const auto current = static_cast<int64_t>(CurrentGraph().id());
  const Json graphs = Json::Parse(TakeText(tsh_graphs_json()));
  std::vector<Row> rows;
  for (const Json& graph : graphs.items()) {
    rows.push_back({Cell::Number(graph["id"].as_int()), Cell::Bool(graph["id"].as_int() == current),
                    Cell::Number(graph["version"].as_int()), Cell::Number(graph["nodes"].as_int()),
                    Cell::Number(graph["sessions"].as_int()), Cell::Number(graph["refs"].as_int()),
                    Cell::Number(graph["bytes"].as_int())});
  }
  return rows;
}

using Opener = std::function<std::unique_ptr<RowCursor>()>;

template <class Cursor>
Opener OpenGraph(Shell& shell) {
  return [&shell] { return std::make_unique<Cursor>(shell); };
}

}  // namespace

const ShellTable kNodesTable{
    "nodes", "The nodes of the graph.", kNodeColumns, OpenGraph<NodesCursor>, true, {0, 1}};
const ShellTable kEdgesTable{
    "edges", "The edges of the graph.", kEdgeColumns, OpenGraph<EdgesCursor>, true, {1, 7}};
const ShellTable kAttrsTable{
    "attrs", "The attributes of each node.", kAttrColumns, OpenGraph<AttrsCursor>, true, {0, 1}};
const ShellTable kHistoryTable{
    "history", "The versions of the graph.", kHistoryColumns,
    [](Shell& shell) { return StoredRows([&shell] { return HistoryRows(shell); }); }};
const ShellTable kGraphsTable{"graphs", "The live graphs.", kGraphColumns,
                              [](Shell&) { return StoredRows(GraphRows); }};

}  // namespace tensh::shell
