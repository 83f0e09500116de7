#include "shell/tensorflow/graph/build.h"

#include <algorithm>

#include "shell/numpy/quantized.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

// maximum elements of a constant; larger fills become Fill nodes
constexpr int64_t kSmallConstant = 1000;

int TrueDivType(int dtype) {
  switch (dtype) {
    case TSH_UINT8:
    case TSH_INT8:
    case TSH_UINT16:
    case TSH_INT16:
      return TSH_FLOAT;
    case TSH_INT32:
    case TSH_INT64:
    case TSH_UINT32:
    case TSH_UINT64:
      return TSH_DOUBLE;
    default:
      return 0;
  }
}

bool FullyDefined(const ShapeInfo& s) {
  if (s.rank < 0) return false;
  for (int64_t d : s.dims()) {
    if (d < 0) return false;
  }
  return true;
}

TensorHandle IntVector(std::span<const int64_t> values, int dtype) {
  return dtype == TSH_INT64 ? TensorHandle::Int64s(values) : TensorHandle::Int32s(values);
}

// Stores the extents if `v` is a shape that is known now. Returns false for tensors and for values
// that are not shapes.
bool StaticDims(const Value& v, std::vector<int64_t>* dims) {
  if (HoldsTensor(v)) return false;
  Ref<ShapeObject> shape = ToShape(v);
  if (!shape->IsFullyDefined()) {
    throw ValueError("Cannot convert a partially known TensorShape to a Tensor: " + shape->Text());
  }
  *dims = shape->dims();
  return true;
}

// Returns the number of elements, but at most `limit` + 1, without overflow.
int64_t CountUpTo(std::span<const int64_t> dims, int64_t limit) {
  int64_t n = 1;
  for (int64_t d : dims) {
    if (d == 0) return 0;
  }
  for (int64_t d : dims) {
    if (d > limit || n * d > limit) return limit + 1;
    n *= d;
  }
  return n;
}

}  // namespace

TensorHandle ScalarTensor(double value, int dtype) {
  if (dtype == TSH_STRING) return TensorHandle::String("");
  if (dtype == TSH_BOOL) return TensorHandle::Bool(value != 0);
  if (IsInteger(np::PlainType(dtype)))
    return ToConstant(Value::Int(static_cast<int64_t>(value)), dtype);
  return ToConstant(Value::Float(value), dtype);
}

Out ScalarConstant(GraphObject& g, double value, int dtype, std::string_view name) {
  return Constant(g, ScalarTensor(value, dtype), name);
}

Out Cast(GraphObject& g, Out x, int dtype, std::string_view name) {
  const int have = BaseType(g.handle().DType(x));
  if (have == dtype) return x;
  OpCall call(g, "Cast", name);
  call.In(x).Type("DstT", dtype);
  return call.Add();
}

Out TrueDiv(GraphObject& g, Out x, Out y, std::string_view name) {
  NameScope scope(g, name);
  const int a = BaseType(g.handle().DType(x)), b = BaseType(g.handle().DType(y));
  if (a != b) {
    throw TypeError("x and y must have the same dtype, got " + Repr(DTypeValue(a)) +
                    " != " + Repr(DTypeValue(b)));
  }
  if (const int wide = TrueDivType(a)) {
    x = Cast(g, x, wide);
    y = Cast(g, y, wide);
  }
  return Op(g, "RealDiv", {x, y}, g.scope);
}

Out ShapeOf(GraphObject& g, Out x, std::string_view name, int out_type, bool optimize) {
  const ShapeInfo info = g.handle().Shape(x);
  if (optimize && FullyDefined(info)) return Constant(g, IntVector(info.dims(), out_type), name);
  OpCall call(g, "Shape", name);
  call.In(x).Type("out_type", out_type);
  return call.Add();
}

Out RankOf(GraphObject& g, Out x, std::string_view name) {
  const ShapeInfo info = g.handle().Shape(x);
  if (info.rank >= 0) return Constant(g, TensorHandle::Int32(info.rank), name);
  return Op(g, "Rank", {x}, name);
}

Out Reshape(GraphObject& g, Out x, const Arg& shape, std::string_view name) {
  OpCall call(g, "Reshape", name);
  return call.In(x).In(shape).Add();
}

Out ReshapeTo(GraphObject& g, Out x, std::span<const int64_t> dims) {
  std::vector<Value> items;
  for (int64_t d : dims) items.push_back(Value::Int(d));
  const Value list = MakeList(std::move(items));
  return Reshape(g, x, list);
}

Out Filled(GraphObject& g, const Value& shape, double value, int dtype, std::string_view name) {
  NameScope scope(g, name);
  std::vector<int64_t> dims;
  Out shape_out = kNoOut;
  if (StaticDims(shape, &dims)) {
    if (CountUpTo(dims, kSmallConstant) < kSmallConstant) {
      return Constant(
          g,
          [&] {
            TensorHandle one = ScalarTensor(value, dtype);
            TensorHandle all = TensorHandle::Make(dtype, dims);
            if (dtype == TSH_STRING) return all;
            const size_t size = tsh_dtype_size(dtype);
            for (int64_t i = 0; i < all.elements(); ++i) {
              std::copy_n(one.data<char>(), size, all.data<char>() + static_cast<size_t>(i) * size);
            }
            return all;
          }(),
          g.scope);
    }
    bool wide = false;
    for (int64_t d : dims) wide |= d > INT32_MAX;
    shape_out = Constant(g, IntVector(dims, wide ? TSH_INT64 : TSH_INT32), "shape_as_tensor");
  } else {
    ConvertOptions options;
    if (!AsOut(g, shape).node || Exists(AsOut(g, shape))) options.dtype = 0;
    shape_out = Convert(g, shape, "shape", options);
    if (g.handle().Shape(shape_out).rank == 0) {
      const int64_t flat[] = {-1};
      shape_out = ReshapeTo(g, shape_out, flat);
    }
  }
  return Op(g, "Fill", {shape_out, ScalarConstant(g, value, dtype)}, g.scope);
}

Out FilledLike(GraphObject& g, Out x, double value, int dtype, std::string_view name) {
  NameScope scope(g, name);
  const int type = dtype ? dtype : BaseType(g.handle().DType(x));
  const ShapeInfo info = g.handle().Shape(x);
  if (value == 0) {
    if (FullyDefined(info)) return Filled(g, ShapeValue(info), 0, type, g.scope);
    if (type == BaseType(g.handle().DType(x))) return Op(g, "ZerosLike", {x}, g.scope);
  }
  const Out shape = ShapeOf(g, x);
  return Op(g, "Fill", {shape, ScalarConstant(g, value, type)}, g.scope);
}

// ---- reductions ----

namespace {

// range(0, limit)
Out UpTo(GraphObject& g, Out limit) {
  NameScope scope(g, "range");
  const Out start = Constant(g, TensorHandle::Int32(0), "start");
  const Out delta = Constant(g, TensorHandle::Int32(1), "delta");
  return Op(g, "Range", {start, limit, delta}, g.scope);
}

// Returns the axes of a reduction over all of x, as a constant if the rank is known.
Out AllAxes(GraphObject& g, Out x, bool is_variable) {
  const ShapeInfo info = g.handle().Shape(x);
  if (info.rank >= 0 && !is_variable) {
    std::vector<int64_t> axes(static_cast<size_t>(info.rank));
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
    return Constant(g, TensorHandle::Int32s(axes), "Const");
  }
  return UpTo(g, RankOf(g, x));
}

Out ReduceOver(GraphObject& g, const char* op, const Arg& x, const Arg& axes, bool keep_dims,
               std::string_view name) {
  OpCall call(g, op, name);
  call.In(x).In(axes);
  if (keep_dims) call.attrs().Bool("keep_dims", true);
  return call.Add();
}

}  // namespace

Out Reduce(GraphObject& g, const char* op, const Value& x, const Value& axis, bool keep_dims,
           std::string_view name) {
  if (!axis.is_none()) return ReduceOver(g, op, x, axis, keep_dims, name);
  const Out in = AsOut(g, x);
  Out made;
  if (Exists(in)) {
    made = ReduceOver(g, op, in, AllAxes(g, in, As<VariableObject>(x) != nullptr), keep_dims, name);
  } else {
    // For a plain value, the rank and axes come first; then the op creates its constant.
    Out rank;
    {
      NameScope scope(g, "Rank");
      const Out plain = Convert(g, x, {});
      rank = RankOf(g, plain, g.scope);
    }
    made = ReduceOver(g, op, x, UpTo(g, rank), keep_dims, name);
  }
  if (!keep_dims) g.handle().NarrowShape(made, Dims());
  return made;
}

Out ReduceOut(GraphObject& g, const char* op, Out x, const Value& axis, bool keep_dims,
              std::string_view name) {
  if (!axis.is_none()) return ReduceOver(g, op, x, axis, keep_dims, name);
  const Out made = ReduceOver(g, op, x, AllAxes(g, x, false), keep_dims, name);
  if (!keep_dims) g.handle().NarrowShape(made, Dims());
  return made;
}

// ---- groups ----

Node NodeOf(const Value& v) {
  if (auto* t = As<TensorObject>(v)) {
    t->graph().CheckLive(t->out().node, t->generation(), "tensor");
    return t->out().node;
  }
  if (auto* op = As<OperationObject>(v)) {
    op->graph().CheckLive(op->node(), op->generation(), "operation");
    return op->node();
  }
  if (auto* var = As<VariableObject>(v)) return var->Reference().node;
  return TSH_NO_NODE;
}

Node NoOp(GraphObject& g, std::string_view name) {
  return g.Add("NoOp", name.empty() ? "NoOp" : name, {}, Attrs());
}

namespace {

Node GroupOn(GraphObject& g, const std::string& device, std::vector<Node> nodes,
             std::string_view name) {
  ControlScope wait(g, std::move(nodes));
  if (device.empty()) return NoOp(g, name);
  DeviceFrame frame;
  frame.spec = DeviceSpec::Parse(device);
  g.devices.push_back(std::move(frame));
  g.RebuildDevice();
  const Node made = NoOp(g, name);
  g.devices.pop_back();
  g.RebuildDevice();
  return made;
}

}  // namespace

Node Group(GraphObject& g, std::span<const Node> nodes, std::string_view name) {
  NameScope scope(g, name.empty() ? "group_deps" : name);
  std::map<std::string, std::vector<Node>> by_device;
  for (Node n : nodes) by_device[g.handle().Device(n)].push_back(n);
  if (by_device.empty()) return NoOp(g, g.scope);
  if (by_device.size() == 1) {
    return GroupOn(g, by_device.begin()->first, std::move(by_device.begin()->second), g.scope);
  }
  std::vector<Node> parts;
  for (auto& [device, members] : by_device)
    parts.push_back(GroupOn(g, device, std::move(members), {}));
  ControlScope wait(g, std::move(parts));
  return NoOp(g, g.scope);
}

// ---- seeds ----

Seeds NextSeeds(GraphObject& g, const Value& op_seed) {
  constexpr int64_t kDefaultGraphSeed = 87654321, kMaxInt32 = 0x7fffffff;
  auto truncate = [](int64_t s) { return ((s % kMaxInt32) + kMaxInt32) % kMaxInt32; };
  const bool given = !op_seed.is_none() && !op_seed.is_null();
  if (!given && !g.seed) return {};
  Seeds seeds;
  seeds.graph = g.seed ? *g.seed : kDefaultGraphSeed;
  seeds.op = given ? ToIndex(op_seed) : static_cast<int64_t>(g.handle().size());
  seeds.graph = truncate(seeds.graph);
  seeds.op = truncate(seeds.op);
  if (seeds.graph == 0 && seeds.op == 0) seeds.op = kMaxInt32;
  return seeds;
}

}  // namespace tensh::shell::tf
