#pragma once
// A RecvTensorResponse as gRPC's buffers. Elements are sent without a copy, and received with a
// single copy into the new tensor.
#include <grpcpp/support/byte_buffer.h>

#include "runtime/dist/wire/handles.h"

namespace tensh::dist {

// A null `value` means that the value is on a branch not taken.
Status EncodeReceived(TensorPtr value, grpc::ByteBuffer* to);
Status DecodeReceived(grpc::ByteBuffer* from, TensorPtr* value);

}  // namespace tensh::dist
