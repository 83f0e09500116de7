#pragma once
// Runs one kernel or one shape function without a graph, for tests of single ops. Fills in default
// attributes, infers type attributes from the inputs, prepares the kernel, binds slots and calls
// it.
#include <cstring>
#include <initializer_list>
#include <map>
#include <sstream>

#include "runtime/core/promote.h"

namespace tensh::ops {
void AddOpFiles(OpRegistry& r);
}

namespace tensh::test {

inline const OpRegistry& Registry() {
  static const OpRegistry* registry = [] {
    auto* r = new OpRegistry;
    ops::AddOpFiles(*r);
    return r;
  }();
  return *registry;
}

template <class T>
Tensor Make(const Shape& shape, std::initializer_list<T> values) {
  Tensor t = *Tensor::Make(kDTypeOf<T>, shape);
  std::copy(values.begin(), values.end(), t.data<T>());
  return t;
}
inline Tensor F(const Shape& shape, std::initializer_list<float> v) {
  return Make<float>(shape, v);
}
inline Tensor D(const Shape& shape, std::initializer_list<double> v) {
  return Make<double>(shape, v);
}
inline Tensor I(const Shape& shape, std::initializer_list<int32_t> v) {
  return Make<int32_t>(shape, v);
}
inline Tensor L(const Shape& shape, std::initializer_list<int64_t> v) {
  return Make<int64_t>(shape, v);
}
inline Tensor B(const Shape& shape, std::initializer_list<bool> v) { return Make<bool>(shape, v); }
inline Tensor S(const Shape& shape, std::initializer_list<std::string> v) {
  return Make<std::string>(shape, v);
}

namespace internal {
template <class T>
void Elements(std::ostream& out, const Tensor& t) {
  for (T v : t.flat<T>()) {
    out << ' ';
    if constexpr (sizeof(T) == 1)
      out << static_cast<int>(v);
    else
      out << v;
  }
}
}  // namespace internal

// "f32[2,2] 1 2 3 4"
inline std::string Text(const Tensor& t) {
  std::ostringstream out;
  out << ShortName(t.dtype()) << t.shape().ToString();
  switch (t.dtype()) {
    case DType::kFloat:
      internal::Elements<float>(out, t);
      break;
    case DType::kDouble:
      internal::Elements<double>(out, t);
      break;
    case DType::kInt32:
      internal::Elements<int32_t>(out, t);
      break;
    case DType::kInt64:
      internal::Elements<int64_t>(out, t);
      break;
    case DType::kUint32:
      internal::Elements<uint32_t>(out, t);
      break;
    case DType::kUint64:
      internal::Elements<uint64_t>(out, t);
      break;
    case DType::kInt16:
      internal::Elements<int16_t>(out, t);
      break;
    case DType::kUint16:
      internal::Elements<uint16_t>(out, t);
      break;
    case DType::kInt8:
      internal::Elements<int8_t>(out, t);
      break;
    case DType::kUint8:
      internal::Elements<uint8_t>(out, t);
      break;
    case DType::kBool:
      internal::Elements<bool>(out, t);
      break;
    case DType::kString:
      internal::Elements<std::string>(out, t);
      break;
    default:
      out << " ?";
      break;
  }
  return out.str();
}

// A node outside of a graph, with complete attributes and known output types.
struct Node {
  const OpDef* op = nullptr;
  std::vector<NamedAttr> attrs;
  std::vector<DType> in, out;

  const AttrValue* Find(const std::string& name) const { return Attrs(attrs).Find(name); }
  void Default(const std::string& name, AttrValue value) {
    if (!Find(name)) attrs.push_back({name, std::move(value)});
  }
};

inline Node MakeNode(std::string_view op, std::vector<DType> inputs, std::vector<NamedAttr> attrs) {
  Node node{Registry().Find(op), std::move(attrs), std::move(inputs), {}};
  TENSH_CHECK(node.op, "no op ", op);
  size_t at = 0;
  for (const ArgDef& arg : node.op->inputs) {
    size_t count = 1;
    if (!arg.number_attr.empty()) {
      if (!node.Find(arg.number_attr))
        node.Default(arg.number_attr, int64_t(node.in.size() - (node.op->inputs.size() - 1)));
      count = static_cast<size_t>(Attrs(node.attrs).Int(arg.number_attr));
    }
    if (!arg.type_attr.empty() && at < node.in.size())
      node.Default(arg.type_attr, BaseType(node.in[at]));
    at += count;
  }
  for (const AttrDef& attr : node.op->attrs)
    if (attr.default_value) node.Default(attr.name, *attr.default_value);
  for (const ArgDef& arg : node.op->outputs) {
    const int64_t count = arg.number_attr.empty() ? 1 : Attrs(node.attrs).Int(arg.number_attr);
    for (int64_t i = 0; i < count; ++i)
      node.out.push_back(arg.type_attr.empty() ? arg.type : Attrs(node.attrs).Type(arg.type_attr));
  }
  return node;
}

class FakePrepare : public PrepareCtx {
 public:
  FakePrepare(const Node& node, const std::vector<Tensor>& inputs) : node_(node), inputs_(inputs) {}
  std::string_view node_name() const override { return "node"; }
  Attrs attrs() const override { return Attrs(node_.attrs); }
  int num_inputs() const override { return static_cast<int>(node_.in.size()); }
  DType input_dtype(int i) const override { return node_.in[i]; }
  int num_outputs() const override { return static_cast<int>(node_.out.size()); }
  DType output_dtype(int i) const override { return node_.out[i]; }
  Shape input_shape(int i) const override { return inputs_[i].shape(); }
  ResourceTable& resources() override { return resources_; }

 private:
  const Node& node_;
  const std::vector<Tensor>& inputs_;
  ResourceTable resources_;
};

// Host memory that is never zero when it is handed out, so that a test sees the elements that a
// kernel does not write.
class UsedMemory : public Allocator {
 public:
  void* Allocate(size_t bytes) override {
    void* data = HostAllocator()->Allocate(bytes);
    if (data) std::memset(data, 0xA5, bytes);
    return data;
  }
  void Free(void* data, size_t bytes) override { HostAllocator()->Free(data, bytes); }
};

struct RunOptions {
  bool forwardable = false;  // the output may take over the memory of every input
  ParallelRunner* runner = nullptr;
};

inline Result<std::vector<Tensor>> RunOp(std::string_view op, std::vector<Tensor> inputs,
                                         std::vector<NamedAttr> attrs = {},
                                         RunOptions options = {}) {
  std::vector<DType> types;
  for (const Tensor& t : inputs) types.push_back(t.dtype());
  const Node node = MakeNode(op, types, std::move(attrs));
  const KernelRow* row = node.op->FindKernel("CPU", Attrs(node.attrs));
  if (!row) return Unimplemented("no kernel for ", op);
  std::unique_ptr<KernelState> state;
  FakePrepare prepare(node, inputs);
  TENSH_ASSIGN(state, PrepareKernel(*node.op, *row, prepare));
  const uint16_t n_in = static_cast<uint16_t>(inputs.size());
  const uint16_t n_out = static_cast<uint16_t>(node.out.size());
  std::vector<Tensor> slots = std::move(inputs);
  slots.resize(n_in + n_out);
  std::vector<uint32_t> in, out;
  for (uint32_t i = 0; i < slots.size(); ++i) (i < n_in ? in : out).push_back(i);
  KernelCall call{in.data(),
                  out.data(),
                  node.out.data(),
                  state.get(),
                  n_in,
                  n_out,
                  options.forwardable ? ~0u : 0u};
  Contract placed;
  call.contract =
      PlaceContract(*node.op, Attrs(node.attrs), &placed) ? &placed : &node.op->contract;
  static UsedMemory memory;  // outlives the tensors that are returned
  KernelCtx c(slots.data(), options.runner, nullptr, &memory);
  c.Bind(call);
  TENSH_RETURN_IF_ERROR(CallKernel(row->fn, c));
  return std::vector<Tensor>(slots.begin() + n_in, slots.end());
}

// Returns the text of the first output, or "code: message".
inline std::string RunText(std::string_view op, std::vector<Tensor> inputs,
                           std::vector<NamedAttr> attrs = {}, RunOptions options = {}) {
  Result<std::vector<Tensor>> out = RunOp(op, std::move(inputs), std::move(attrs), options);
  if (out.ok()) return Text((*out)[0]);
  return StrCat(static_cast<int>(out.status().code()), ": ", out.status().message());
}

// An input of a shape function: its shape and, if known, its value.
struct Known {
  Known(const Shape& s, DType t = DType::kFloat) : shape(s), dtype(t) {}
  Known(const Tensor& v) : shape(v.shape()), dtype(v.dtype()), value(v) {}
  Shape shape;
  DType dtype;
  Tensor value;
};

class FakeShape : public ShapeCtx {
 public:
  FakeShape(const Node& node, const std::vector<Known>& inputs) : node_(node), inputs_(inputs) {
    out.assign(node.out.size(), Shape::Unknown());
  }
  int num_inputs() const override { return static_cast<int>(inputs_.size()); }
  int num_outputs() const override { return static_cast<int>(out.size()); }
  const Shape& in(int i) const override { return inputs_[i].shape; }
  DType in_dtype(int i) const override { return inputs_[i].dtype; }
  const Tensor* constant(int i) override { return inputs_[i].value ? &inputs_[i].value : nullptr; }
  Shape ConstantAsShape(int i) override {
    if (!inputs_[i].value) return Shape::Unknown();
    Shape shape;
    for (int64_t k = 0; k < inputs_[i].value.num_elements(); ++k)
      shape.Append(inputs_[i].value.IntScalar(k));
    return shape;
  }
  Attrs attrs() const override { return Attrs(node_.attrs); }
  void Set(int output, const Shape& shape) override { out[output] = shape; }
  std::vector<Shape> out;

 private:
  const Node& node_;
  const std::vector<Known>& inputs_;
};

// Returns the shapes of the outputs as text, or "code: message".
inline std::string ShapeText(std::string_view op, std::vector<Known> inputs,
                             std::vector<NamedAttr> attrs = {}) {
  std::vector<DType> types;
  for (const Known& k : inputs) types.push_back(k.dtype);
  const Node node = MakeNode(op, types, std::move(attrs));
  FakeShape c(node, inputs);
  Status status = node.op->shape(c);
  if (!status.ok()) return StrCat(static_cast<int>(status.code()), ": ", status.message());
  std::string text;
  for (const Shape& s : c.out) text += StrCat(text.empty() ? "" : " ", s);
  return text;
}

}  // namespace tensh::test
