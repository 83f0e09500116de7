// SerializeTensor and ParseTensor, which convert between tensors and TensorProto messages, and
// TensorSummary, which stores such a message in a summary.
#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "runtime/base/wire.h"
#include "runtime/core/tensor_message.h"

namespace tensh::ops {
namespace {

// Stores numbers as tensor_content, even a single one. Strings and variants have their own fields.
Result<std::string> MessageOf(const Tensor& tensor) {
  if (IsPod(tensor.dtype())) return ContentMessage(tensor);
  TENSH_ASSIGN(const TensorMessage message, TryEncodeTensor(tensor));
  return message.Join();
}

Status SetText(KernelCtx& c, std::string text) {
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<std::string>() = std::move(text);
  return {};
}

Status Serialize(KernelCtx& c) {
  TENSH_ASSIGN(std::string message, MessageOf(c.in(0)));
  return SetText(c, std::move(message));
}

Status Parse(KernelCtx& c) {
  auto parsed = DecodeTensor(*c.in(0).data<std::string>());
  if (!parsed.ok())
    return InvalidArgument("Could not parse `serialized` as TensorProto: ",
                           parsed.status().message());
  if (parsed->dtype() != c.out_dtype(0))
    return InvalidArgument("Type mismatch between parsed tensor (", SignatureName(parsed->dtype()),
                           ") and dtype (", SignatureName(c.out_dtype(0)), ")");
  c.SetOutput(0, *std::move(parsed));
  return {};
}

Status UnknownShape(ShapeCtx&) { return {}; }

struct SummaryState : KernelState {
  std::string node;
  void Read(PrepareCtx& c) { node = c.node_name(); }
};

Status SetSummary(KernelCtx& c, const WireWriter& value) {
  WireWriter summary;
  summary.AlwaysBytes(1, value.text());
  return SetText(c, summary.Take());
}

Status TensorSummary(KernelCtx& c) {
  TENSH_ASSIGN(const std::string message, MessageOf(c.in(0)));
  WireWriter value;
  value.Bytes(7, c.state<SummaryState>().node);
  value.AlwaysBytes(8, message);
  return SetSummary(c, value);
}

Status TensorSummaryV2(KernelCtx& c) {
  TENSH_ASSIGN(const std::string message, MessageOf(c.in(1)));
  WireWriter value;
  value.Bytes(1, *c.in(0).data<std::string>());
  value.AlwaysBytes(8, message);
  value.AlwaysBytes(9, *c.in(2).data<std::string>());
  return SetSummary(c, value);
}

}  // namespace

TENSH_OPS(io_serialize_tensor) {
  r.Op({.name = "SerializeTensor",
        .inputs = "tensor: T",
        .outputs = "serialized: string",
        .attrs = "T: type",
        .doc = "Serializes a tensor of type T as a TensorProto message: serialized.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.parse_tensor(tf.io.serialize_tensor([1., 2.]), tf.float32)", "[1. 2.]"}}})
      .CpuAny(Serialize);
  r.Op({.name = "ParseTensor",
        .inputs = "serialized: string",
        .outputs = "output: out_type",
        .attrs = "out_type: type",
        .doc = "Parses the tensor, of type out_type, in the TensorProto message serialized.",
        .contract = "serialized: scalar",
        .shape = UnknownShape,
        .no_gradient = true,
        .examples = {{"tf.parse_tensor(tf.io.serialize_tensor([[3]]), tf.int32)", "[[3]]"}}})
      .CpuAny(Parse);
  r.Op({.name = "TensorSummary",
        .inputs = "tensor: T",
        .outputs = "summary: string",
        .attrs = "T: type, description: string = '', labels: list(string) = [], display_name: "
                 "string = ''",
        .doc = "A Summary message with a tensor of type T, named after the node. description, "
               "labels and display_name are ignored.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.TensorSummary(tensor=1, name='x')",
                      "b'\\n\\x0f:\\x01xB\\n\\x08\\x03\\x12\\x00\"\\x04\\x01\\x00\\x00\\x00'"}}})
      .CpuAny(TensorSummary, PrepareFrom<SummaryState>);
  r.Op({.name = "TensorSummaryV2",
        .inputs = "tag: string, tensor: T, serialized_summary_metadata: string",
        .outputs = "summary: string",
        .attrs = "T: type",
        .doc = "A Summary message with a tensor of type T, named tag. serialized_summary_metadata: "
               "a SummaryMetadata message to include.",
        .contract = "tag: scalar, serialized_summary_metadata: scalar",
        .shape = ScalarOutput,
        .no_gradient = true,
        .examples = {{"tf.strings.length(tf.summary.tensor_summary('x', 1))", "19"}}})
      .CpuAny(TensorSummaryV2);
}

}  // namespace tensh::ops
