#pragma once
// Shapes and tensors as TensorFlow's TensorShapeProto and TensorProto, in the wire form of protocol
// buffers: in graphs, checkpoints and between servers. Decoding trusts nothing: a size is checked
// against the bytes that came before memory is taken for it.
#include <string>
#include <string_view>

#include "runtime/core/tensor.h"

namespace tensh {

std::string EncodeShape(const Shape& shape);
// InvalidArgument for what is no shape, Unimplemented for more dimensions than Shape has.
Result<Shape> DecodeShape(std::string_view message);

// One number in the field of its type, as TensorFlow's Python writes scalars; more of them as
// tensor_content; strings as string_val. In two parts, so that what sends large tensors copies
// their bytes once: the message is head, then content.
struct TensorMessage {
  std::string head;
  std::string_view content;  // views the tensor
  std::string Join() const { return head + std::string(content); }
};
TensorMessage EncodeTensor(const Tensor& tensor);
// The message with the elements as tensor_content whatever they are, as TensorFlow's kernels write
// it. Unimplemented for types that have none.
Result<std::string> ContentMessage(const Tensor& tensor);
// Any encoding TensorFlow writes: tensor_content, or typed values of which the last stands for the
// rest. InvalidArgument, Unimplemented for a type without a message, ResourceExhausted for a few
// bytes that ask for very many elements.
Result<Tensor> DecodeTensor(std::string_view message);

}  // namespace tensh
