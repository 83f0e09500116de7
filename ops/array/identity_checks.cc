// IdentityN, GuaranteeConst, EnsureShape, CheckNumerics, Bitcast and UnravelIndex: ops that pass
// values on, check them, or reinterpret them.
#include <cmath>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/bounds_bins.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {

void MessageState::Read(PrepareCtx& c) {
  message = c.attrs().String("message");
  signs = c.op_name() == "CheckNumericsV2";
}

Status NumericsStatus(const MessageState& s, bool inf, bool nan) {
  if (!inf && !nan) return {};
  return InvalidArgument(s.message, " : Tensor had ",
                         inf && nan ? "Inf and NaN"
                         : inf      ? "Inf"
                                    : "NaN",
                         " values");
}

namespace {

Status PassAll(KernelCtx& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.SetOutput(i, c.in(i));
  return {};
}

Status EachShape(ShapeCtx& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.Set(i, c.in(i));
  return {};
}

Status PassGrad(GradScope& g) {
  std::vector<Out> grads;
  for (int i = 0; i < g.num_outputs(); ++i) grads.push_back(g.dy(i));
  return g.Return(std::move(grads));
}

// Names what the tensor had: "-Inf, +Inf, and NaN", or two of these with "and", or one.
Status SignedStatus(const MessageState& s, bool minus, bool plus, bool nan) {
  std::vector<const char*> had;
  if (minus) had.push_back("-Inf");
  if (plus) had.push_back("+Inf");
  if (nan) had.push_back("NaN");
  if (had.empty()) return {};
  std::string list = had[0];
  for (size_t i = 1; i < had.size(); ++i)
    list += StrCat(had.size() > 2 ? "," : "", i + 1 == had.size() ? " and " : " ", had[i]);
  return InvalidArgument(s.message, " : Tensor had ", list, " values");
}

struct CheckNumerics {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& x = c.in(0);
    bool minus = false, plus = false, nan = false;
    for (T v : x.flat<T>()) {
      minus |= std::isinf(v) && v < 0;
      plus |= std::isinf(v) && v > 0;
      nan |= v != v;
    }
    const auto& s = c.state<MessageState>();
    TENSH_RETURN_IF_ERROR(s.signs ? SignedStatus(s, minus, plus, nan)
                                  : NumericsStatus(s, minus || plus, nan));
    c.SetOutput(0, x);
    return {};
  }
};

Status CheckNumericsGrad(GradScope& g) {
  return g.Return({g.Op(g.op_name(), {g.dy()},
                        {{"message", StrCat("Not a number (NaN) or infinity (Inf) values detected "
                                            "in gradient. ",
                                            g.attrs().String("message"))}})});
}

// ---- Bitcast ----

// Returns the shape after elements of size `from` are reinterpreted as elements of size `to`.
Result<Shape> BitcastShapeOf(const Shape& in, int64_t from, int64_t to) {
  if (from == to) return in;
  Shape out = in;
  if (from > to) {
    if (in.rank() >= Shape::kMaxRank)
      return InvalidArgument("Bitcast would make a tensor of rank ", in.rank() + 1);
    out.Append(from / to);
    return out;
  }
  const int last = in.rank() - 1;
  if (last < 0 || (in[last] >= 0 && in[last] != to / from))
    return InvalidArgument("Cannot bitcast due to shape. The last dimension should be ", to / from,
                           ", input has shape ", in);
  return Shape(in.dims().first(static_cast<size_t>(last)));
}

Status Bitcast(KernelCtx& c) {
  const Tensor& x = c.in(0);
  const int64_t from = SizeOf(x.dtype()), to = SizeOf(c.out_dtype(0));
  TENSH_ASSIGN(Shape shape, BitcastShapeOf(x.shape(), from, to));
  TENSH_RETURN_IF_ERROR(Shape::Make(shape.dims(), true).status());
  TENSH_OUTPUT(y, c.Output(0, shape));
  if (x.bytes()) CopyElements(c, x.dtype(), y->raw(), x.raw(), x.num_elements());
  return {};
}

Status BitcastShape(ShapeCtx& c) {
  if (!c.in(0).has_rank()) return {};
  TENSH_ASSIGN(Shape out,
               BitcastShapeOf(c.in(0), SizeOf(c.in_dtype(0)), SizeOf(c.attrs().Type("type"))));
  c.Set(0, out);
  return {};
}

// ---- EnsureShape and UnravelIndex ----

struct ShapeState : KernelState {
  Shape shape;
  void Read(PrepareCtx& c) { shape = c.attrs().Get<Shape>("shape"); }
};

Status EnsureShape(KernelCtx& c) {
  const Shape& want = c.state<ShapeState>().shape;
  if (!want.IsCompatibleWith(c.in(0).shape()))
    return InvalidArgument("Shape of tensor ", c.in(0).shape(),
                           " is not compatible with expected shape ", want, ".");
  c.SetOutput(0, c.in(0));
  return {};
}

Status EnsureShapeShape(ShapeCtx& c) {
  TENSH_ASSIGN(Shape out, MergeShapes(c.in(0), c.attrs().Get<Shape>("shape")));
  c.Set(0, out);
  return {};
}

struct UnravelIndex {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &indices = c.in(0), &dims = c.in(1);
    const int64_t rank = dims.dim(0), n = indices.num_elements();
    if (n == 0) return InvalidArgument("received empty tensor indices: ", indices.shape());
    int64_t total = 1;
    for (int64_t i = 0; i < rank; ++i) {
      const int64_t d = IndexAt(dims, i);
      if (d <= 0) return InvalidArgument("Input dims cannot contain a dim of ", d);
      if (__builtin_mul_overflow(total, d, &total))
        return InvalidArgument("Input dims product is causing integer overflow");
    }
    TENSH_OUTPUT(out, c.Output(0, indices.rank() ? Shape({rank, n}) : Shape({rank})));
    for (int64_t k = 0; k < n; ++k) {
      int64_t rest = IndexAt(indices, k);
      if (rest < 0 || rest >= total)
        return InvalidArgument("index is out of bound as with dims: ", rest, " is not in [0, ",
                               total, ")");
      for (int64_t i = rank - 1; i >= 0; --i) {
        out->data<T>()[i * n + k] = static_cast<T>(rest % IndexAt(dims, i));
        rest /= IndexAt(dims, i);
      }
    }
    return {};
  }
};

Status UnravelShape(ShapeCtx& c) {
  const Shape &indices = c.in(0), &dims = c.in(1);
  const int64_t rank = dims.has_rank() ? dims[0] : -1;
  if (!indices.has_rank()) return {};
  if (indices.rank() == 0)
    c.Set(0, Shape({rank}));
  else if (indices.rank() == 1)
    c.Set(0, Shape({rank, indices[0]}));
  return {};
}

}  // namespace

TENSH_OPS(array_identity_checks) {
  r.Op({.name = "IdentityN",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: list(type) >= 1",
        .doc = "Returns its inputs. input: any number of tensors. T: their types.",
        .shape = EachShape,
        .grad = PassGrad,
        .examples = {{"tf.identity_n([1, 2.5])[1]", "2.5"}}})
      .CpuAny(PassAll);
  r.Op({.name = "GuaranteeConst",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "T: type",
        .doc = "Returns its input, with the promise that it never changes. input: a tensor. T: its "
               "type.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.guarantee_const(3)", "3"}}})
      .CpuAny(PassAll);
  r.Op({.name = "EnsureShape",
        .inputs = "input: T",
        .outputs = "output: T",
        .attrs = "shape: shape, T: type",
        .doc = "Returns its input after checking its shape. input: a tensor. shape: the shape it "
               "must be compatible with. T: the element type.",
        .shape = EnsureShapeShape,
        .grad = PassGrad,
        .examples = {{"tf.ensure_shape([1, 2], [2])", "[1 2]"}}})
      .CpuAny(EnsureShape, PrepareFrom<ShapeState>);
  for (const bool v2 : {false, true})
    r.Op({.name = v2 ? "CheckNumericsV2" : "CheckNumerics",
          .inputs = "tensor: T",
          .outputs = "output: T",
          .attrs = "T: {bfloat16, half, float, double}, message: string",
          .doc = StrCat("Returns its input, or an error if it contains NaN or infinity.",
                        v2 ? " The error tells the signs of the infinities." : "",
                        " tensor: numbers. message: the beginning of the error. T: the element "
                        "type."),
          .shape = SameAsInput<0>,
          .grad = CheckNumericsGrad,
          .stateful = true,
          .examples = {{v2 ? "tf.raw_ops.CheckNumericsV2(tensor=[1., 2.], message='x')"
                           : "tf.check_numerics([1., 2.], 'x')",
                        "[1. 2.]"}}})
        .Cpu<float, double>(CheckNumerics{}, {.prepare = PrepareFrom<MessageState>});
  static constexpr char kPlain[] =
      "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, "
      "complex64, complex128, qint8, quint8, qint16, quint16, qint32}";
  r.Op({.name = "Bitcast",
        .inputs = "input: T",
        .outputs = "output: type",
        .attrs = StrCat("T: ", kPlain, ", type: ", kPlain),
        .doc = "Reinterprets the bits of a tensor as another type. input: a tensor. T: its type. "
               "type: the new type. Smaller elements add a dimension, larger ones remove one.",
        .shape = BitcastShape,
        .no_gradient = true,
        .examples = {{"tf.bitcast(1., tf.int32)", "1065353216"}}})
      .CpuAny(Bitcast);
  r.Op({.name = "UnravelIndex",
        .inputs = "indices: Tidx, dims: Tidx",
        .outputs = "output: Tidx",
        .attrs = "Tidx: {int32, int64} = int32",
        .doc = "Converts flat indices to coordinates. indices: a scalar or vector. dims: the shape "
               "that they index. Tidx: the type of both.",
        .contract = "indices: rank 0..1 at run, dims: vector",
        .shape = UnravelShape,
        .no_gradient = true,
        .examples = {{"tf.unravel_index([2, 5], [3, 3])", "[[0 1]\n [2 2]]"}}})
      .Cpu<int32_t, int64_t>(UnravelIndex{}, {.type_attr = "Tidx"});
}

}  // namespace tensh::ops
