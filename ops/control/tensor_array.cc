// TensorArrays: creation, reading and writing of single rows, size, gradients and closing.
// Operations on many rows are in tensor_array_rows.cc.
#include "ops/control/tensor_array_grad.h"
#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/tensor_list.h"

namespace tensh::ops {
namespace {

struct MakerState : KernelState {
  HandleKind kind = HandleKind::kResource;
  std::shared_ptr<KeptArrays> kept = MakeKeptArrays();

  // Derives the kind of the handle from the name of the op, "TensorArray…" or "TensorArrayGrad…".
  void ReadVersion(std::string_view op) {
    if (op == "TensorArray" || op == "TensorArrayGrad") kind = HandleKind::kReference;
    if (op.ends_with("V2")) kind = HandleKind::kString;
  }
};

struct ArrayState : MakerState {
  TensorArray::Options options;
  void Read(PrepareCtx& c) {
    ReadVersion(c.op_name());
    const std::string& name = c.attrs().String("tensor_array_name");
    options.name = (name.empty() ? std::string(c.node_name()) : name) + "_0";
    options.dtype = c.attrs().Type("dtype");
    options.element_shape = c.attrs().Get<Shape>("element_shape");
    options.dynamic_size = c.attrs().Bool("dynamic_size");
    options.clear_after_read = c.attrs().Bool("clear_after_read");
    if (c.attrs().Find("identical_element_shapes"))
      options.identical_shapes = c.attrs().Bool("identical_element_shapes");
  }
};

Status GiveHandle(KernelCtx& c, std::shared_ptr<TensorArray> array) {
  const auto& state = c.state<MakerState>();
  TENSH_RETURN_IF_ERROR(GiveArrayHandle(c, std::move(array), state.kind, *state.kept));
  if (c.num_outputs() < 2) return {};
  TENSH_OUTPUT(flow, c.Output(1, Shape()));
  *flow->data<float>() = 0;
  return {};
}

Status MakeArray(KernelCtx& c) {
  constexpr int64_t kMostRows = int64_t{1} << 24;
  const Tensor& size = c.in(0);
  if (size.rank() != 0)
    return InvalidArgument("TensorArray size must be scalar, but had shape: ", size.shape());
  if (size.IntScalar() < 0) return InvalidArgument("Size should be >= 0.");
  if (size.IntScalar() > kMostRows)
    return ResourceExhausted("a TensorArray of ", size.IntScalar(), " tensors is too large");
  return GiveHandle(c,
                    std::make_shared<TensorArray>(c.state<ArrayState>().options, size.IntScalar()));
}

struct SourceState : MakerState {
  std::string source;
  void Read(PrepareCtx& c) {
    ReadVersion(c.op_name());
    source = c.attrs().String("source");
  }
};

Status MakeGradient(KernelCtx& c) {
  TENSH_ASSIGN(auto array, ArrayOf(c));
  Shape prepend;
  if (c.num_inputs() > 2) {
    TENSH_ASSIGN(prepend, ShapeFromTensor(c.in(2)));
  }
  TENSH_ASSIGN(auto gradient, array->Gradient(c.state<SourceState>().source, prepend));
  return GiveHandle(c, std::move(gradient));
}

Result<int64_t> IndexOf(KernelCtx& c) {
  const Tensor& index = c.in(1);
  if (index.rank() != 0)
    return InvalidArgument("TensorArray index must be scalar, but had shape: ", index.shape());
  return index.IntScalar();
}

Status WriteRow(KernelCtx& c) {
  TENSH_ASSIGN(auto array, ArrayOf(c));
  TENSH_ASSIGN(int64_t index, IndexOf(c));
  TENSH_RETURN_IF_ERROR(array->Write(c, index, c.in(2)));
  c.SetOutput(0, c.in(3));
  return {};
}

Status ReadRow(KernelCtx& c) {
  TENSH_ASSIGN(auto array, ArrayOf(c));
  TENSH_RETURN_IF_ERROR(CheckArrayType(c, *array, c.out_dtype(0)));
  TENSH_ASSIGN(int64_t index, IndexOf(c));
  TENSH_ASSIGN(Tensor value, array->Read(index));
  c.SetOutput(0, std::move(value));
  return {};
}

Status GiveSize(KernelCtx& c) {
  TENSH_ASSIGN(auto array, ArrayOf(c));
  TENSH_RETURN_IF_ERROR(array->CheckUsable());
  TENSH_OUTPUT(size, c.Output(0, Shape()));
  *size->data<int32_t>() = static_cast<int32_t>(array->size());
  return {};
}

Status CloseArray(KernelCtx& c) {
  TENSH_ASSIGN(auto array, ArrayOf(c));
  array->Close();
  return {};
}

Status WriteGrad(GradScope& g) {
  const GradientArray array = GradientOf(g, g.dy(0));
  const DType type = g.attrs().Type("T");
  Out value = g.Op("TensorArrayReadV3", {array.handle, g.x(1), array.flow}, {{"dtype", type}});
  return g.Return({Out(), Out(), value, g.dy(0)});
}

Status ReadGrad(GradScope& g) {
  const GradientArray array = GradientOf(g, g.x(2));
  return g.Return({Out(), Out(),
                   g.Op("TensorArrayWriteV3", {array.handle, g.x(1), g.dy(0), array.flow}, {},
                        "TensorArrayWrite/TensorArrayWriteV3")});
}

Status FlowShape(ShapeCtx& c) {
  c.Set(c.num_outputs() - 1, Shape());
  return {};
}

constexpr char kGradient[] = "tf.raw_ops.TensorArraySizeV3(handle=tf.raw_ops.TensorArray";
constexpr char kGradientSize[] = ".grad_handle, flow_in=0.)";
constexpr char kArrayExample[] = "tf.TensorArray(tf.int32, 2).write(0, 5).write(1, 7).read(1)";

void AddMakers(OpRegistry& r) {
  r.Op({.name = "TensorArrayV3",
        .inputs = "size: int32",
        .outputs = "handle: resource, flow: float",
        .attrs = "dtype: type, element_shape: shape = {unknown}, dynamic_size: bool = false, "
                 "clear_after_read: bool = true, identical_element_shapes: bool = false, "
                 "tensor_array_name: string = ''",
        .doc = "An array of size tensors of type dtype that lives for one step. element_shape is "
               "the known part of their shapes, which are all equal if identical_element_shapes is "
               "set. dynamic_size lets the array grow, clear_after_read frees a tensor after it "
               "was read, and tensor_array_name is the name used in messages. flow orders the "
               "operations on the array.",
        .shape = FlowShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{kArrayExample, "7"}}})
      .CpuAny(MakeArray, PrepareFrom<ArrayState>);
  r.Op({.name = "TensorArrayGradV3",
        .inputs = "handle: resource, flow_in: float",
        .outputs = "grad_handle: resource, flow_out: float",
        .attrs = "source: string",
        .doc =
            "The array that accumulates the gradients of the array of handle, one for each source, "
            "with the array's current size. flow_in orders the operation; flow_out is flow_in.",
        .shape = FlowShape,
        .no_gradient = true,
        .stateful = true,
        .role = OpRole::kGradientArray,
        .examples = {{StrCat(kGradient,
                             "GradV3(handle=tf.raw_ops.TensorArrayV3(size=2, dtype=tf.float32)"
                             ".handle, flow_in=0., source='g')",
                             kGradientSize),
                      "2"}}})
      .CpuAny(MakeGradient, PrepareFrom<SourceState>);
  r.Op({.name = "TensorArrayGradWithShape",
        .inputs = "handle: resource, flow_in: float, shape_to_prepend: int32",
        .outputs = "grad_handle: resource, flow_out: float",
        .attrs = "source: string",
        .doc = "TensorArrayGradV3 for gradients with additional leading dimensions, "
               "shape_to_prepend. handle, flow_in and source are those of TensorArrayGradV3.",
        .shape = FlowShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat(
                          kGradient,
                          "GradWithShape(handle=tf.raw_ops.TensorArrayV3(size=2, dtype=tf.float32)"
                          ".handle, flow_in=0., shape_to_prepend=[3], "
                          "source='g')",
                          kGradientSize),
                      "2"}}})
      .CpuAny(MakeGradient, PrepareFrom<SourceState>);
}

Status OldHandleShape(ShapeCtx& c) {
  c.Set(0, Shape({2}));
  return {};
}

void AddOldMakers(OpRegistry& r) {
  for (const ArrayVersion& v : {kArrayVersions[0], kArrayVersions[1]}) {
    const std::string maker = StrCat("TensorArray", v.suffix);
    constexpr char kShape[] = "element_shape: shape = {unknown}, ";
    const bool first = v.kind == HandleKind::kReference;
    r.Op({.name = maker,
          .inputs = "size: int32",
          .outputs = StrCat("handle: ", v.type),
          .attrs = StrCat("dtype: type, ", first ? "" : kShape,
                          "dynamic_size: bool = false, clear_after_read: bool = true, "
                          "tensor_array_name: string = ''",
                          first ? ", element_shape: shape = {unknown}" : ""),
          .doc = "An array of size tensors of type dtype that lives for one step, in its form for "
                 "older graphs. element_shape is the known part of their shapes. dynamic_size lets "
                 "the array grow, clear_after_read frees a tensor after it was read, and "
                 "tensor_array_name is the name used in messages. handle refers to the array.",
          .shape = OldHandleShape,
          .no_gradient = true,
          .stateful = true,
          .examples = {{StrCat("tf.raw_ops.TensorArraySize", v.suffix, OldArrayExample(v),
                               ", flow_in=0.)"),
                        "2"}}})
        .CpuAny(MakeArray, PrepareFrom<ArrayState>);
    const std::string grad = StrCat("TensorArrayGrad", v.suffix);
    r.Op({.name = grad,
          .inputs = "handle: string, flow_in: float",
          .outputs = StrCat("grad_handle: ", v.type),
          .attrs = "source: string",
          .doc = "The array that accumulates the gradients of the array of handle, one for each "
                 "source, in its form for older graphs. flow_in orders the operation.",
          .shape = OldHandleShape,
          .no_gradient = true,
          .stateful = true,
          .examples = {{StrCat("tf.raw_ops.TensorArraySize", v.suffix, "(handle=tf.raw_ops.", grad,
                               OldArrayExample(kArrayVersions[1]),
                               ", flow_in=0., source='g'), flow_in=0.)"),
                        "2"}}})
        .CpuAny(MakeGradient, PrepareFrom<SourceState>);
  }
}

// Registers one version of the ops. As in TensorFlow, only the newest has gradients.
void AddRows(OpRegistry& r, const ArrayVersion& v) {
  const bool now = v.kind == HandleKind::kResource;
  const std::string handle = StrCat("handle: ", v.type);
  const std::string old = StrCat(v.suffix, OldArrayExample(v));
  const Example example = now ? Example{kArrayExample, "7"}
                              : Example{StrCat("tf.raw_ops.TensorArrayRead", v.suffix,
                                               "(handle=(h := tf.raw_ops.TensorArray", v.suffix,
                                               "(size=2, dtype=tf.float32)), index=0, flow_in="
                                               "tf.raw_ops.TensorArrayWrite",
                                               v.suffix,
                                               "(handle=h, index=0, value=5., flow_in=0.), "
                                               "dtype=tf.float32)"),
                                        "5.0"};
  r.Op({.name = StrCat("TensorArrayWrite", v.suffix),
        .inputs = StrCat(handle, ", index: int32, value: T, flow_in: float"),
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .doc = "Stores value at index of the array of handle. flow_in orders the operation; "
               "flow_out is flow_in. T is value's type.",
        .shape = FlowShape,
        .grad = now ? WriteGrad : nullptr,
        .stateful = now,
        .examples = {example}})
      .CpuAny(WriteRow);
  r.Op({.name = StrCat("TensorArrayRead", v.suffix),
        .inputs = StrCat(handle, ", index: int32, flow_in: float"),
        .outputs = "value: dtype",
        .attrs = "dtype: type",
        .doc = "Reads the tensor at index of the array of handle, of type dtype. flow_in orders "
               "the operation.",
        .shape = UnknownOutputs,
        .grad = now ? ReadGrad : nullptr,
        .stateful = now,
        .examples = {example}})
      .CpuAny(ReadRow);
  r.Op({.name = StrCat("TensorArraySize", v.suffix),
        .inputs = StrCat(handle, ", flow_in: float"),
        .outputs = "size: int32",
        .doc = "The size of the array of handle. flow_in orders the operation.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = now,
        .examples =
            {now ? Example{"tf.raw_ops.TensorArraySizeV3(handle=(a := tf.raw_ops.TensorArrayV3("
                           "size=2, dtype=tf.float32)).handle, flow_in=a.flow)",
                           "2"}
                 : Example{StrCat("tf.raw_ops.TensorArraySize", old, ", flow_in=0.)"), "2"}}})
      .CpuAny(GiveSize);
  r.Op({.name = StrCat("TensorArrayClose", v.suffix),
        .inputs = handle,
        .doc = "Frees the tensors in the array of handle.",
        .shape = NoOutputs,
        .no_gradient = true,
        .stateful = now,
        .examples = {now ? Example{"tf.TensorArray(tf.int32, 2).close()", ""}
                         : Example{StrCat("tf.raw_ops.TensorArrayClose", old, ")"), ""}}})
      .CpuAny(CloseArray);
}

}  // namespace

TENSH_OPS(control_tensor_array) {
  AddMakers(r);
  AddOldMakers(r);
  for (const ArrayVersion& version : kArrayVersions) AddRows(r, version);
}

}  // namespace tensh::ops
