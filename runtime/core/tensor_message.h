#pragma once
// Encoding of shapes and tensors as TensorFlow's TensorShapeProto and TensorProto in
// protocol-buffer format, for graphs, checkpoints and messages between servers. Decoding does not
// trust its input: it checks a size against the bytes that are present before it allocates memory.
#include <string>
#include <string_view>

#include "runtime/core/tensor.h"

namespace tensh {

std::string EncodeShape(const Shape& shape);
// Returns InvalidArgument for an invalid shape, and Unimplemented for more dimensions than Shape
// supports.
Result<Shape> DecodeShape(std::string_view message);

// An encoded tensor. A single number is stored in the field of its type, as TensorFlow's Python
// does; several numbers as tensor_content; strings as string_val; variants as variant_val. The message is `head` followed by
// `content`. The two are separate so that senders of large tensors copy the bytes only once.
struct TensorMessage {
  std::string head;
  std::string_view content;  // Refers to the tensor's data.
  std::string Join() const { return head + std::string(content); }
};
// Variants without a message, such as datasets, are left out.
TensorMessage EncodeTensor(const Tensor& tensor);
// The same, but returns an error if the tensor has no message: Unimplemented for resources and for
// variants such as datasets, and ResourceExhausted for lists that are nested too deeply or whose
// message would exceed the 2 GiB of protocol buffers.
Result<TensorMessage> TryEncodeTensor(const Tensor& tensor);
// Encodes the elements as tensor_content in any case, as TensorFlow's kernels do. Returns
// Unimplemented for types without such a form.
Result<std::string> ContentMessage(const Tensor& tensor);
// Decodes any form that TensorFlow writes: tensor_content, or typed values of which the last one
// repeats. Returns InvalidArgument for invalid messages, Unimplemented for types without a message,
// and ResourceExhausted if a few bytes request very many elements.
Result<Tensor> DecodeTensor(std::string_view message);

// The field of a tensor's message that refers to its values in a file, in place of tensor_content.
// Protocol buffers reserve its number, so that no message of another program has it.
inline constexpr int kReferenceField = 19001;

// The functions of files/message_file.h, which registers them before it makes the first reference.
struct ReferenceReader {
  int64_t (*size)(std::string_view reference);
  Status (*read)(std::string_view reference, void* to);
};
void SetReferenceReader(const ReferenceReader& reader);

}  // namespace tensh
