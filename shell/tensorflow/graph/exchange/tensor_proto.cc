#include "shell/tensorflow/graph/exchange/tensor_proto.h"

#include "shell/numpy/ndarray.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/proto/message.h"

namespace tensh::shell::tf {
namespace {

// Returns the tensor's message, which keeps its own copy of the elements.
std::string EncodedTensor(const TensorHandle& t) {
  size_t head_size = 0, content_size = 0;
  tsh_status* status = ScratchStatus();
  char* head = tsh_tensor_encode(t.get(), &head_size, &content_size, status);
  if (!head) ThrowStatus(status);
  std::string message(head, head_size);
  tsh_free(head);
  if (content_size > 0)
    message.append(static_cast<const char*>(tsh_tensor_data(t.get())), content_size);
  return message;
}

// Arguments: values, dtype, shape, verify_shape, allow_broadcast.
Value MakeTensorProto(Args& a) {
  if (AsMessage(a[0], TensorProtoSchema())) return a[0];
  if (a[0].is_none()) throw ValueError("None values not supported.");
  const int dtype = a[1].is_none() ? 0 : ToDType(a[1]);
  if (a[2].is_none())
    return MakeMessage(TensorProtoSchema(), EncodedTensor(ToConstant(a[0], dtype)));
  const Ref<ShapeObject> shape = ToShape(a[2]);
  const TensorHandle t = ToConstant(a[0], dtype, shape->dims());
  return MakeMessage(TensorProtoSchema(), EncodedTensor(t));
}

// Arguments: tensor.
Value MakeNdarray(Args& a) {
  auto* proto = AsMessage(a[0], TensorProtoSchema());
  if (!proto) throw TypeError("make_ndarray takes a TensorProto, got " + TypeName(a[0]));
  const Encoded bytes = proto->Bytes();
  tsh_status* status = ScratchStatus();
  const TensorHandle t =
      TensorHandle::Adopt(tsh_tensor_decode(bytes.bytes.data(), bytes.bytes.size(), status));
  if (!t) ThrowStatus(status);
  return MakeArray(np::FromHandle(t));
}

const FunctionRow kTensorProtoRows[] = {
    {"make_ndarray", "tensor", MakeNdarray, "Returns the array of a TensorProto."},
    {"make_tensor_proto",
     "values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False", MakeTensorProto,
     "Returns a TensorProto of values."},
};

}  // namespace

std::span<const FunctionRow> TensorProtoRows() { return kTensorProtoRows; }

}  // namespace tensh::shell::tf
