#pragma once
// A RecvTensorResponse as gRPC's buffers: the elements go out from where they lie, and come in with
// one copy, into the tensor they become.
#include <grpcpp/support/byte_buffer.h>

#include "runtime/dist/handles.h"

namespace tensh::dist {

// value null: the value is on a branch not taken.
Status EncodeReceived(TensorPtr value, grpc::ByteBuffer* to);
Status DecodeReceived(grpc::ByteBuffer* from, TensorPtr* value);

}  // namespace tensh::dist
