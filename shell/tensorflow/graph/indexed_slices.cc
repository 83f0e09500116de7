#include "shell/tensorflow/graph/indexed_slices.h"

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/op_call.h"

namespace tensh::shell::tf {
namespace {

IndexedSlicesObject& Self(const Value& v) { return *As<IndexedSlicesObject>(v); }
TensorObject& Values(const Value& v) { return *As<TensorObject>(Self(v).values()); }

// shape[0], built with a slice like in Python.
Out First(GraphObject& g, Out shape) {
  NameScope scope(g, "strided_slice");
  const int64_t zero[] = {0}, one[] = {1};
  const Out begin = Constant(g, TensorHandle::Int32s(zero), "stack");
  const Out end = Constant(g, TensorHandle::Int32s(one), "stack_1");
  const Out step = Constant(g, TensorHandle::Int32s(one), "stack_2");
  OpCall slice(g, "StridedSlice", g.scope);
  slice.In(shape).In(begin).In(end).In(step).attrs().Int("shrink_axis_mask", 1);
  return slice.Add();
}

Value New_(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1], &a[2]});
  const auto tensor = [&g](const Value& v, const char* name) {
    if (!As<TensorObject>(v) && !v.is_none()) return g.Tensor(Convert(g, v, name));
    return v;
  };
  return New<IndexedSlicesObject>(tensor(a[0], "values"), tensor(a[1], "indices"),
                                  tensor(a[2], "dense_shape"));
}

std::string Text(const Value& v) {
  std::string out =
      "IndexedSlices(indices=" + Str(Self(v).indices()) + ", values=" + Str(Self(v).values());
  if (!Self(v).dense_shape().is_none()) out += ", dense_shape=" + Str(Self(v).dense_shape());
  return out + ")";
}

Value Negative(UnaryOp op, const Value& v) {
  if (op != UnaryOp::kNeg) throw TypeError("bad operand type for an IndexedSlices");
  GraphObject& g = Self(v).graph();
  return Self(v).With(Op(g, "Neg", {Values(v).out()}));
}

// The tensors that a session fetches for an IndexedSlices, and the function that rebuilds it.
Value FetchParts(Args& a) {
  const IndexedSlicesObject& self = Self(a.self());
  std::vector<Value> parts = {self.values(), self.indices()};
  if (!self.dense_shape().is_none()) parts.push_back(self.dense_shape());
  return MakeTuple(std::move(parts));
}

Value FetchValue(Args& a) {
  std::vector<Value> parts = ToVector(a[0]);
  if (parts.size() == 2) parts.push_back(Value::None());
  return Call(FromLibrary("sparse", Intern("IndexedSlicesValue")), std::span<const Value>(parts));
}

const FunctionRow kMethods[] = {
    {"_fetch_parts", "", FetchParts, "Returns the tensors that a session fetches."},
    {"_fetch_value", "parts", FetchValue, "Rebuilds the value from the fetched tensors."},
    {"consumers", "", [](Args& a) { return CallMethod(Self(a.self()).values(), "consumers", {}); },
     "The operations that use the values."},
};

const PropertyRow kProperties[] = {
    {"values", [](const Value& v) { return Self(v).values(); }},
    {"indices", [](const Value& v) { return Self(v).indices(); }},
    {"dense_shape", [](const Value& v) { return Self(v).dense_shape(); }},
    {"name", [](const Value& v) { return GetAttr(Self(v).values(), "name"); }},
    {"device", [](const Value& v) { return GetAttr(Self(v).values(), "device"); }},
    {"op", [](const Value& v) { return GetAttr(Self(v).values(), "op"); }},
    {"dtype", [](const Value& v) { return GetAttr(Self(v).values(), "dtype"); }},
    {"graph", [](const Value& v) { return Value(&Self(v).graph()); }},
};

const FunctionRow kNew = {"IndexedSlices", "values, indices, dense_shape=None", New_,
                          "Rows of a tensor."};

}  // namespace

const TypeInfo IndexedSlicesObject::kType = {
    .name = "IndexedSlices",
    .module = "tensorflow.python.framework.ops",
    .doc = "Rows of a tensor: values, and the indices of the rows.",
    .methods = kMethods,
    .properties = kProperties,
    .construct = &kNew,
    .repr = Text,
    .unary = Negative};

GraphObject& IndexedSlicesObject::graph() const {
  auto* values = As<TensorObject>(values_);
  if (!values) throw TypeError("the values of an IndexedSlices must be a tensor");
  return values->graph();
}

Value IndexedSlicesObject::With(Out values) const {
  return New<IndexedSlicesObject>(graph().Tensor(values), indices_, dense_shape_);
}

Out IndexedSlicesObject::Dense(GraphObject& g, std::string_view name) const {
  if (&graph() != &g)
    throw ValueError(Text(Value(const_cast<IndexedSlicesObject*>(this))) +
                     " must be from the same graph.")
        .Explain(kWhyOtherGraph);
  if (dense_shape_.is_none()) {
    throw ValueError("Tensor conversion requested for IndexedSlices without dense_shape: " +
                     Text(Value(const_cast<IndexedSlicesObject*>(this))));
  }
  const Out rows = First(g, AsOut(g, dense_shape_));
  return Op(g, "UnsortedSegmentSum", {AsOut(g, values_), AsOut(g, indices_), rows}, name);
}

Value GradientValue(GraphObject& g, const tsh_gradient& gradient) {
  if (!Exists(gradient.value)) return Value::None();
  if (!Exists(gradient.indices)) return g.Tensor(gradient.value);
  return New<IndexedSlicesObject>(g.Tensor(gradient.value), g.Tensor(gradient.indices),
                                  g.Tensor(gradient.dense_shape));
}

Out ValuesOf(GraphObject& g, const Value& v, std::string_view name) {
  auto* rows = As<IndexedSlicesObject>(v);
  return Convert(g, rows ? rows->values() : v, name);
}

Value LikeRows(GraphObject& g, const Value& v, Out out) {
  auto* rows = As<IndexedSlicesObject>(v);
  return rows ? rows->With(out) : g.Tensor(out);
}

}  // namespace tensh::shell::tf
