#include "runtime/graph/graphdef.h"

#include <algorithm>
#include <map>

#include "runtime/core/wire.h"

namespace tensh {
namespace {

// ---- writing ----

std::string ShapeMessage(const Shape& shape) {
  WireWriter out;
  out.Bool(3, !shape.has_rank());
  for (int64_t d : shape.dims()) {
    WireWriter dim;
    dim.Int(1, d);
    out.AlwaysBytes(2, dim.text());
  }
  return out.Take();
}

// One element in the field of its type, as TensorFlow's Python writes scalars.
void AddScalar(WireWriter& out, const Tensor& t) {
  switch (t.dtype()) {
    case DType::kFloat:
      return out.AlwaysFloat(5, *t.data<float>());
    case DType::kDouble:
      return out.AlwaysDouble(6, *t.data<double>());
    case DType::kInt32:
      return out.AlwaysInt(7, *t.data<int32_t>());
    case DType::kInt16:
      return out.AlwaysInt(7, *t.data<int16_t>());
    case DType::kInt8:
      return out.AlwaysInt(7, *t.data<int8_t>());
    case DType::kUint8:
      return out.AlwaysInt(7, *t.data<uint8_t>());
    case DType::kUint16:
      return out.AlwaysInt(7, *t.data<uint16_t>());
    case DType::kInt64:
      return out.AlwaysInt(10, *t.data<int64_t>());
    case DType::kBool:
      return out.AlwaysInt(11, *t.data<bool>());
    default:
      return out.AlwaysBytes(
          4, {static_cast<const char*>(t.raw()), static_cast<size_t>(t.bytes())});
  }
}

std::string TensorMessage(const Tensor& t) {
  WireWriter out;
  out.Int(1, static_cast<int64_t>(t.dtype()));
  out.AlwaysBytes(2, ShapeMessage(t.shape()));
  if (t.dtype() == DType::kString) {
    for (const std::string& s : t.flat<std::string>()) out.AlwaysBytes(8, s);
  } else if (t.num_elements() == 1) {
    AddScalar(out, t);
  } else if (t.num_elements()) {
    out.AlwaysBytes(4, {static_cast<const char*>(t.raw()), static_cast<size_t>(t.bytes())});
  }
  return out.Take();
}

// The `list` and the single fields of an AttrValue have the same numbers.
struct AddElement {
  WireWriter& out;
  void operator()(int64_t v) const { out.AlwaysInt(3, v); }
  void operator()(float v) const { out.AlwaysFloat(4, v); }
  void operator()(bool v) const { out.AlwaysInt(5, v); }
  void operator()(DType v) const { out.AlwaysInt(6, static_cast<int64_t>(v)); }
  void operator()(const std::string& v) const { out.AlwaysBytes(2, v); }
  void operator()(const Shape& v) const { out.AlwaysBytes(7, ShapeMessage(v)); }
  void operator()(const Tensor& v) const { out.AlwaysBytes(8, TensorMessage(v)); }
  void operator()(std::monostate) const {}
  template <class T>
  void operator()(const std::vector<T>& list) const {
    WireWriter items;
    for (size_t i = 0; i < list.size(); ++i) AddElement{items}(T(list[i]));
    out.AlwaysBytes(1, items.text());
  }
};

std::string NodeMessage(const Graph& g, NodeId n) {
  WireWriter out;
  out.Bytes(1, g.name(n));
  out.Bytes(2, g.op(n).name);
  for (uint32_t i = 0; i < g.num_inputs(n); ++i) {
    const ValueId v = g.input(n, i);
    out.Bytes(3, g.index_of(v) ? g.ValueName(v) : std::string(g.name(g.node_of(v))));
  }
  for (uint32_t i = 0; i < g.num_controls(n); ++i)
    out.Bytes(3, StrCat("^", g.name(g.control(n, i))));
  out.Bytes(4, g.device(n));
  for (const NamedAttr& attr : g.attrs(n).all()) {
    WireWriter value, entry;
    std::visit(AddElement{value}, attr.value.value);
    entry.Bytes(1, attr.name);
    entry.AlwaysBytes(2, value.text());
    out.AlwaysBytes(5, entry.text());
  }
  return out.Take();
}

// ---- reading ----

Status Unreadable(std::string_view what) {
  return InvalidArgument("not a GraphDef: ", what, " cannot be read");
}

Result<Shape> ReadShape(std::string_view message) {
  std::vector<int64_t> dims;
  bool unknown = false;
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 3) unknown = in.varint() != 0;
    if (in.field() != 2) continue;
    int64_t size = 0;
    WireReader dim(in.bytes());
    while (dim.Next())
      if (dim.field() == 1) size = dim.integer();
    dims.push_back(std::max<int64_t>(size, -1));
  }
  if (!in.ok()) return Unreadable("a shape");
  if (unknown) return Shape::Unknown();
  return Shape::Make(dims, false);
}

// The numbers of a typed field, packed or one by one.
class Values {
 public:
  void Add(const WireReader& in) {
    if (!in.is_bytes()) {
      numbers_.push_back(in.field() == 5   ? in.fixed32()
                         : in.field() == 6 ? in.fixed64()
                                           : in.varint());
      return;
    }
    std::string_view packed = in.bytes();
    const size_t fixed = in.field() == 5 ? 4 : in.field() == 6 ? 8 : 0;
    uint64_t v;
    while (!packed.empty()) {
      if (fixed) {
        if (packed.size() < fixed) return;
        v = fixed == 4 ? LoadFixed32(packed.data()) : LoadFixed64(packed.data());
        packed.remove_prefix(fixed);
      } else if (!TakeVarint(packed, v)) {
        return;
      }
      numbers_.push_back(v);
    }
  }
  bool empty() const { return numbers_.empty(); }
  // Element i; the last one repeats. The low bytes are the element for every type but bool.
  uint64_t At(int64_t i) const {
    return numbers_[std::min(static_cast<size_t>(i), numbers_.size() - 1)];
  }

 private:
  std::vector<uint64_t> numbers_;
};

Status FillTensor(Tensor& t, std::string_view content, const Values& values,
                  const std::vector<std::string>& strings) {
  const size_t bytes = static_cast<size_t>(t.bytes());
  if (t.dtype() == DType::kString) {
    for (int64_t i = 0; i < t.num_elements() && !strings.empty(); ++i)
      t.data<std::string>()[i] =
          strings[std::min(static_cast<size_t>(i), strings.size() - 1)];
    return {};
  }
  if (bytes == 0) return {};
  char* to = static_cast<char*>(t.raw());
  if (!content.empty()) {
    if (content.size() != bytes) return Unreadable("a tensor's content");
    std::memcpy(to, content.data(), bytes);
  } else if (values.empty()) {
    std::memset(to, 0, bytes);
  } else {
    const size_t size = std::min<size_t>(8, static_cast<size_t>(SizeOf(t.dtype())));
    for (int64_t i = 0; i < t.num_elements(); ++i) {
      const uint64_t v = values.At(i);
      std::memcpy(to + static_cast<size_t>(i) * size, &v, size);
    }
  }
  if (t.dtype() == DType::kBool)
    for (size_t i = 0; i < bytes; ++i) to[i] = to[i] != 0;
  return {};
}

Result<Tensor> ReadTensor(std::string_view message) {
  DType dtype = DType::kInvalid;
  Shape shape;
  std::string_view content;
  Values values;
  std::vector<std::string> strings;
  WireReader in(message);
  while (in.Next()) {
    switch (in.field()) {
      case 1:
        dtype = static_cast<DType>(in.varint() & 0xff);
        break;
      case 2: {
        TENSH_ASSIGN(shape, ReadShape(in.bytes()));
        break;
      }
      case 4:
        content = in.bytes();
        break;
      case 8:
        strings.push_back(in.text());
        break;
      case 5:
      case 6:
      case 7:
      case 10:
      case 11:
      case 13:
      case 16:
      case 17:
        values.Add(in);
        break;
      case 9:
      case 12:
        return Unimplemented("complex numbers in a GraphDef's typed fields");
      default:
        break;
    }
  }
  if (!in.ok() || !shape.IsFullyKnown() || (!IsPod(dtype) && dtype != DType::kString))
    return Unreadable("a tensor");
  TENSH_ASSIGN(Tensor t, Tensor::Make(dtype, shape));
  TENSH_RETURN_IF_ERROR(FillTensor(t, content, values, strings));
  return t;
}

// An attribute of kind list(…): all numbers of one field.
Result<AttrValue> ReadList(std::string_view message, const AttrDef* def) {
  AttrValue::Ints ints;
  AttrValue::Floats floats;
  AttrValue::Strings strings;
  AttrValue::Shapes shapes;
  WireReader in(message);
  int field = 0;
  while (in.Next()) {
    field = in.field();
    if (field == 2) strings.push_back(in.text());
    if (field == 7) {
      TENSH_ASSIGN(Shape shape, ReadShape(in.bytes()));
      shapes.push_back(shape);
    }
    if (field == 8 || field == 9) return Unimplemented("an attribute that is a list of tensors or functions");
    if (field == 4) {
      std::string_view packed = in.bytes();
      if (!in.is_bytes()) floats.push_back(in.as_float());
      for (; packed.size() >= 4; packed.remove_prefix(4)) {
        const uint32_t bits = LoadFixed32(packed.data());
        float v;
        std::memcpy(&v, &bits, sizeof v);
        floats.push_back(v);
      }
    }
    if (field == 3 || field == 5 || field == 6) {
      std::string_view packed = in.bytes();
      uint64_t v;
      if (!in.is_bytes()) ints.push_back(in.integer());
      while (!packed.empty() && TakeVarint(packed, v)) ints.push_back(static_cast<int64_t>(v));
    }
  }
  if (!in.ok()) return Unreadable("an attribute");
  static constexpr std::pair<AttrKind, int> kFields[] = {
      {AttrKind::kInt, 3},  {AttrKind::kFloat, 4},  {AttrKind::kBool, 5},
      {AttrKind::kType, 6}, {AttrKind::kString, 2}, {AttrKind::kShape, 7}};
  if (field == 0 && def)
    for (const auto& [kind, number] : kFields)
      if (kind == def->kind) field = number;
  if (field == 4) return AttrValue(std::move(floats));
  if (field == 2) return AttrValue(std::move(strings));
  if (field == 7) return AttrValue(std::move(shapes));
  if (field == 5) return AttrValue(AttrValue::Bools(ints.begin(), ints.end()));
  if (field == 6) {
    AttrValue::Types types;
    for (int64_t v : ints) types.push_back(static_cast<DType>(v & 0xff));
    return AttrValue(std::move(types));
  }
  return AttrValue(std::move(ints));
}

Result<AttrValue> ReadAttr(std::string_view message, const AttrDef* def) {
  WireReader in(message);
  AttrValue value;
  while (in.Next()) {
    switch (in.field()) {
      case 1: {
        TENSH_ASSIGN(value, ReadList(in.bytes(), def));
        break;
      }
      case 2:
        value = in.text();
        break;
      case 3:
        value = in.integer();
        break;
      case 4:
        value = in.as_float();
        break;
      case 5:
        value = in.varint() != 0;
        break;
      case 6:
        value = static_cast<DType>(in.varint() & 0xff);
        break;
      case 7: {
        TENSH_ASSIGN(Shape shape, ReadShape(in.bytes()));
        value = shape;
        break;
      }
      case 8: {
        TENSH_ASSIGN(Tensor tensor, ReadTensor(in.bytes()));
        value = std::move(tensor);
        break;
      }
      default:
        return Unimplemented("an attribute of a graph is a function");
    }
  }
  if (!in.ok()) return Unreadable("an attribute");
  return value;
}

struct NodeMessageIn {
  std::string name, op, device;
  std::vector<std::string> inputs;
  std::vector<std::pair<std::string, std::string_view>> attrs;
};

Result<NodeMessageIn> ReadNode(std::string_view message) {
  NodeMessageIn node;
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 1) node.name = in.text();
    if (in.field() == 2) node.op = in.text();
    if (in.field() == 3) node.inputs.push_back(in.text());
    if (in.field() == 4) node.device = in.text();
    if (in.field() != 5) continue;
    std::string key;
    std::string_view value;
    WireReader entry(in.bytes());
    while (entry.Next()) {
      if (entry.field() == 1) key = entry.text();
      if (entry.field() == 2) value = entry.bytes();
    }
    node.attrs.emplace_back(std::move(key), value);
  }
  if (!in.ok() || node.name.empty() || node.op.empty()) return Unreadable("a node");
  return node;
}

class Importer {
 public:
  Importer(Graph& g, const ImportRequest& request) : g_(g), request_(request) {
    if (!request.prefix.empty()) prefix_ = StrCat(request.prefix, "/");
    for (const auto& [name, output] : request.input_map) mapped_[name] = output;
  }

  Status Read() {
    WireReader in(request_.graph_def);
    while (in.Next()) {
      if (in.field() != 1) continue;
      TENSH_ASSIGN(NodeMessageIn node, ReadNode(in.bytes()));
      if (!by_name_.emplace(node.name, nodes_.size()).second)
        return InvalidArgument("Node '", node.name, "' is not unique");
      nodes_.push_back(std::move(node));
    }
    return in.ok() ? Status() : Unreadable("the message");
  }

  // Inputs first; an explicit stack, since a graph may be a chain of a million nodes.
  Status AddAll() {
    state_.assign(nodes_.size(), kNew);
    ids_.assign(nodes_.size(), kNoNode);
    for (size_t root = 0; root < nodes_.size(); ++root) {
      std::vector<std::pair<size_t, size_t>> stack = {{root, 0}};
      while (!stack.empty()) {
        auto& [at, next] = stack.back();
        if (state_[at] == kDone) {
          stack.pop_back();
          continue;
        }
        state_[at] = kOpen;
        if (next == nodes_[at].inputs.size()) {
          TENSH_RETURN_IF_ERROR(Add(at));
          state_[at] = kDone;
          stack.pop_back();
          continue;
        }
        const std::string& input = nodes_[at].inputs[next++];
        if (mapped_.count(Canonical(input))) continue;
        TENSH_ASSIGN(const size_t from, Find(at, input));
        if (state_[from] == kOpen)
          return Unimplemented("the graph has a loop through '", nodes_[from].name, "'");
        if (state_[from] == kNew) stack.emplace_back(from, 0);
      }
    }
    return {};
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const NodeMessageIn& node : nodes_) names.push_back(prefix_ + node.name);
    return names;
  }

 private:
  enum State : uint8_t { kNew, kOpen, kDone };

  static std::string NodeName(const std::string& input) {
    const size_t start = input[0] == '^' ? 1 : 0;
    return input.substr(start, input.find(':') - start);
  }
  static std::string Canonical(const std::string& input) {
    return input.empty() || input[0] == '^' || input.find(':') != input.npos ? input : input + ":0";
  }

  Result<size_t> Find(size_t node, const std::string& input) const {
    if (input.empty()) return Unreadable("an input");
    auto it = by_name_.find(NodeName(input));
    if (it == by_name_.end())
      return InvalidArgument("Node '", nodes_[node].name, "': Unknown input node '", input, "'");
    return it->second;
  }

  Result<Output> InputOf(size_t node, const std::string& input) const {
    if (auto it = mapped_.find(Canonical(input)); it != mapped_.end()) return it->second;
    TENSH_ASSIGN(const size_t from, Find(node, input));
    Output out{ids_[from], 0};
    if (const size_t colon = input.find(':'); colon != input.npos)
      std::from_chars(input.data() + colon + 1, input.data() + input.size(), out.index);
    return out;
  }

  static bool IsEmptyValue(const AttrValue& value) {
    const std::string text = value.ToString();
    return text == "false" || text == "0" || text == "\"\"" || text == "[]";
  }

  Status Add(size_t at) {
    const NodeMessageIn& node = nodes_[at];
    const OpDef* op = g_.ops().Find(node.op);
    if (!op)
      return NotFound("Op type not registered '", node.op, "' (node '", node.name, "')");
    std::vector<Output> inputs;
    std::vector<NodeId> controls;
    for (const std::string& input : node.inputs) {
      TENSH_ASSIGN(const Output from, InputOf(at, input));
      if (input[0] == '^')
        controls.push_back(from.node);
      else
        inputs.push_back(from);
    }
    std::vector<NamedAttr> attrs;
    for (const auto& [name, message] : node.attrs) {
      if (name == "_output_shapes") continue;
      const AttrDef* def = op->FindAttr(name);
      TENSH_ASSIGN(AttrValue value, ReadAttr(message, def));
      if (name == "_class" && !prefix_.empty()) AddPrefix(value);
      if (!def && name[0] != '_') {
        if (IsEmptyValue(value)) continue;  // a later version's, and off
        return InvalidArgument("NodeDef mentions attr '", name, "' not in Op<name=", node.op,
                               ">; NodeDef: ", node.name);
      }
      attrs.push_back({name, std::move(value)});
    }
    const std::string name = prefix_ + node.name;
    NodeSpec spec{node.op,  name,  request_.clear_devices ? std::string_view() : node.device,
                  inputs,   controls, attrs,
                  request_.source};
    TENSH_ASSIGN(ids_[at], g_.Append({&spec, 1}));
    return {};
  }

  void AddPrefix(AttrValue& value) const {
    const auto* given = value.Find<AttrValue::Strings>();
    if (!given) return;
    AttrValue::Strings moved;
    for (const std::string& s : *given)
      moved.push_back(s.rfind("loc:@", 0) == 0 ? StrCat("loc:@", prefix_, s.substr(5)) : s);
    value = std::move(moved);
  }

  Graph& g_;
  const ImportRequest& request_;
  std::string prefix_;
  std::map<std::string, Output> mapped_;
  std::map<std::string, size_t> by_name_;
  std::vector<NodeMessageIn> nodes_;
  std::vector<State> state_;
  std::vector<NodeId> ids_;
};

}  // namespace

std::string ExportGraphDef(const Graph& graph) {
  constexpr int64_t kProducer = 134;  // the graph version of TensorFlow 1.15
  WireWriter out, versions;
  for (uint32_t i = 0; i < graph.size(); ++i) out.AlwaysBytes(1, NodeMessage(graph, NodeId{i}));
  versions.Int(1, kProducer);
  out.AlwaysBytes(4, versions.text());
  return out.Take();
}

Result<std::vector<std::string>> ImportGraphDef(Graph& graph, const ImportRequest& request) {
  Importer importer(graph, request);
  TENSH_RETURN_IF_ERROR(importer.Read());
  return graph.AllOrNothing([&]() -> Result<std::vector<std::string>> {
    TENSH_RETURN_IF_ERROR(importer.AddAll());
    return importer.Names();
  });
}

}  // namespace tensh
