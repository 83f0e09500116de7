#pragma once
// Builds the nodes of a gradient in one name scope, on behalf of one forward node. Internal to
// gradients; used under the graph's lock.
#include <array>
#include <memory>
#include <utility>

#include "runtime/graph/function_body.h"
#include "runtime/graph/graph.h"

namespace tensh {

// Places a new node in the frames of control flow, and makes its inputs available there.
class NodePlacer {
 public:
  virtual ~NodePlacer() = default;
  // `name` is the name of the new node, and the scope of nodes that have to be made before it. The
  // placer numbers the frames.
  virtual Status Place(std::string_view op, const std::string& name, std::vector<Output>* inputs,
                       std::vector<NodeId>* controls, uint32_t* frame) = 0;
  virtual void Made(NodeId node, uint32_t frame) = 0;
};

inline bool IsTrainable(DType t) { return IsFloating(t) || IsComplex(t); }

// The gradients that consist of some rows of a tensor, like tf.IndexedSlices. GradScope::Rows makes
// one. The Out that it returns stands for the rows until an op takes it as an input. The rows are
// then summed into a dense tensor, as TensorFlow does.
class RowGradients {
 public:
  struct Entry {
    Out values, indices, dense_shape;
  };
  Out Add(const Entry& entry) {
    entries_.push_back(entry);
    return {kFirst + static_cast<uint32_t>(entries_.size() - 1)};
  }
  static bool Is(Out t) { return t && t.id >= kFirst; }
  const Entry& Get(Out t) const { return entries_[t.id - kFirst]; }

 private:
  static constexpr uint32_t kFirst = 0x80000000u;  // Ids of values are smaller.
  std::vector<Entry> entries_;
};

// Builds nodes under one name scope on behalf of one forward node.
class ScopeBuilder : public GradScope {
 public:
  ScopeBuilder(Graph& graph, NodeId forward, std::string scope, const GradientRequest& request)
      : g_(graph),
        forward_(forward),
        grouped_with_(forward),
        scope_(std::move(scope)),
        r_(request) {}

  int num_inputs() const override { return static_cast<int>(g_.num_inputs(forward_)); }
  int num_outputs() const override { return static_cast<int>(g_.num_outputs(forward_)); }
  Out x(int i) const override { return {Index(g_.input(forward_, i))}; }
  Out y(int i) const override { return {Index(g_.output(forward_, i))}; }
  Out dy(int i) override { return dys_[i]; }
  Attrs attrs() const override { return g_.attrs(forward_); }
  DType dtype(Out t) const override {
    if (RowGradients::Is(t)) t = rows_->Get(t).values;
    return t ? BaseType(g_.dtype(ValueId{t.id})) : DType::kFloat;
  }
  Shape shape(Out t) const override {
    return t && !RowGradients::Is(t) ? g_.shape(ValueId{t.id}) : Shape::Unknown();
  }
  const Tensor* constant(Out t) const override {
    if (!t || RowGradients::Is(t)) return nullptr;
    constants_.push_back(std::make_unique<Tensor>(g_.Constant(ValueId{t.id})));
    return *constants_.back() ? constants_.back().get() : nullptr;
  }

  Out Op(std::string_view op, std::initializer_list<Out> inputs, std::vector<NamedAttr> attrs,
         std::string_view name) override {
    return OpN(op, {inputs.begin(), inputs.size()}, std::move(attrs), name);
  }
  Out OpN(std::string_view op, std::span<const Out> inputs, std::vector<NamedAttr> attrs,
          std::string_view name) override {
    // A static shape needs no node to compute it: TensorFlow's Python makes a Const named Shape.
    if (inputs.size() == 1 && inputs[0] && g_.ops().RoleOf(op) == OpRole::kShapeOf &&
        shape(inputs[0]).IsFullyKnown())
      return ShapeConst(inputs[0], attrs, name);
    return Add(op, inputs, {}, std::move(attrs), name.empty() ? op : name);
  }
  Out Output(Out first, int i) const override {
    return first ? Out{first.id + static_cast<uint32_t>(i)} : Out();
  }
  Out Rows(Out values, Out indices, Out dense_shape) override {
    if (!status_.ok()) return {};
    const RowGradients::Entry entry{values, indices, dense_shape};
    return rows_ ? rows_->Add(entry) : SumRows(entry, scope_, "UnsortedSegmentSum");
  }
  Out Const(Tensor value, std::string_view name) override {
    DType type = value.dtype();
    return Add("Const", {}, {}, {{"dtype", type}, {"value", std::move(value)}}, name);
  }
  std::string_view op_name() const override { return g_.op(forward_).name; }
  FuncAttr DefineFunction(std::string_view prefix, const FunctionSpec& spec) override {
    Result<std::string> name = g_.functions().Define(prefix, spec);
    if (name.ok()) return {*std::move(name)};
    if (status_.ok()) status_ = std::move(name).status();
    return {};
  }
  DType HandleType(const FuncAttr& function, int arg) const override {
    return HandleTypeOf(g_.ops(), g_.shared_functions(), function, arg);
  }
  Status Return(std::vector<Out> gradients) override {
    results = std::move(gradients);
    return std::move(status_);
  }

  Out Add(std::string_view op, std::span<const Out> inputs, std::span<const NodeId> controls,
          std::vector<NamedAttr> attrs, std::string_view name) {
    if (!status_.ok()) return {};
    return AddNamed(op, inputs, controls, std::move(attrs),
                    g_.UniqueName(scope_ + "/" + std::string(name), true));
  }
  Out AddNamed(std::string_view op, std::span<const Out> inputs, std::span<const NodeId> controls,
               std::vector<NamedAttr> attrs, const std::string& full) {
    if (!status_.ok()) return {};
    // The gradients of one call are summed in separate arrays.
    if (g_.ops().RoleOf(op) == OpRole::kGradientArray) attrs.push_back({"source", r_.scope});
    if (r_.colocate) attrs.push_back({"_class", Group()});
    std::vector<tensh::Output> in;
    for (Out t : inputs) {
      if (RowGradients::Is(t)) t = SumRows(rows_->Get(t), full, InputName(op, in.size()));
      if (!status_.ok()) return {};
      if (!t) {
        status_ = Internal("the gradient of ", g_.op(forward_).name,
                           " uses a gradient that does not exist");
        return {};
      }
      in.push_back({g_.node_of(ValueId{t.id}), g_.index_of(ValueId{t.id})});
    }
    std::vector<NodeId> waits(controls.begin(), controls.end());
    uint32_t frame = frame_;
    if (placer_) {
      status_ = placer_->Place(op, full, &in, &waits, &frame);
      if (!status_.ok()) return {};
    }
    NodeSpec spec{.op = op,
                  .name = full,
                  .device = {},
                  .inputs = in,
                  .controls = waits,
                  .attrs = attrs,
                  .source = r_.source};
    Result<NodeId> node = g_.Append({&spec, 1});
    if (!node.ok()) {
      status_ = std::move(node).status();
      return {};
    }
    last_node = *node;
    if (placer_) placer_->Made(*node, frame);
    return g_.num_outputs(*node) ? Out{Index(g_.output(*node, 0))} : Out();
  }

  // Returns the dense tensor for the rows.
  Out SumRows(const RowGradients::Entry& rows, std::string_view scope, std::string_view name) {
    std::string before = std::exchange(scope_, std::string(scope));
    const Out count = First(rows.dense_shape);
    const Out in[] = {rows.values, rows.indices, count};
    const Out sum = Add("UnsortedSegmentSum", in, {}, {}, name);
    scope_ = std::move(before);
    return sum;
  }
  std::vector<Out> results;
  NodeId last_node = kNoNode;
  void set_placer(NodePlacer* placer, uint32_t frame) { placer_ = placer, frame_ = frame; }
  // Sets the store of rows. Without it, rows become dense at once.
  void set_rows(RowGradients* rows) { rows_ = rows; }
  // With colocate_gradients_with_ops, the nodes join the group of this node instead of the forward
  // node's.
  void set_grouped_with(NodeId node) { grouped_with_ = node; }
  void set_dys(std::vector<Out> dys) { dys_ = std::move(dys); }
  Status& status() { return status_; }
  void set_scope(std::string scope) { scope_ = std::move(scope); }

 private:
  // The group of nodes that share a device, for colocate_gradients_with_ops.
  AttrValue::Strings Group() const {
    const AttrValue* group = g_.attrs(grouped_with_).Find("_class");
    const auto* names = group ? group->Find<AttrValue::Strings>() : nullptr;
    if (names && !names->empty()) return *names;
    return {"loc:@" + std::string(g_.name(grouped_with_))};
  }
  // Returns shape[0], built as by Python's slicing.
  Out First(Out shape) {
    const std::string slice = g_.UniqueName(scope_ + "/strided_slice", true);
    std::string before = std::exchange(scope_, slice);
    Out in[] = {shape, {}, {}, {}};
    const char* names[] = {"stack", "stack_1", "stack_2"};
    for (int i = 0; i < 3; ++i)
      in[i + 1] = Const(Tensor::Vector<int32_t>(std::array<int32_t, 1>{i > 0}), names[i]);
    scope_ = std::move(before);
    return AddNamed("StridedSlice", in, {}, {{"shrink_axis_mask", 1}}, slice);
  }
  // Returns the name that TensorFlow gives to the converted i-th input of an op.
  std::string InputName(std::string_view op, size_t i) const {
    const OpDef* def = g_.ops().Find(op);
    if (!def || def->inputs.empty()) return "x";
    const ArgDef& arg = def->inputs[std::min(i, def->inputs.size() - 1)];
    return arg.number_attr.empty() ? arg.name : StrCat(arg.name, "_", i);
  }
  Out ShapeConst(Out t, const std::vector<NamedAttr>& attrs, std::string_view name) {
    Shape s = shape(t);
    bool wide = false;
    for (const NamedAttr& a : attrs)
      wide |= a.name == "out_type" && *a.value.Find<DType>() == DType::kInt64;
    std::vector<int32_t> narrow(s.dims().begin(), s.dims().end());
    Tensor value = wide ? Tensor::Vector<int64_t>(s.dims()) : Tensor::Vector<int32_t>(narrow);
    return Const(value, name.empty() ? "Shape" : name);
  }

  Graph& g_;
  NodeId forward_, grouped_with_;
  std::string scope_;
  const GradientRequest& r_;
  NodePlacer* placer_ = nullptr;
  uint32_t frame_ = 0;
  std::vector<Out> dys_;
  RowGradients* rows_ = nullptr;
  mutable std::vector<std::unique_ptr<Tensor>> constants_;
  Status status_;
};

}  // namespace tensh
