#pragma once
// Requests and responses as bytes. The threads of gRPC, which all clients share, neither decompress
// nor parse a request: that takes long if it is large, and a failed allocation would end the process
// there.
#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include "runtime/core/status.h"

namespace tensh::dist {

bool IsCompressed(const grpc::ByteBuffer& bytes);
// Parses a request. If it is compressed with gzip or deflate, decompresses it first; a message that
// grows by more than its size makes plausible is ResourceExhausted. May throw bad_alloc.
Status ParseRequest(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite* out);
Status WriteResponse(const google::protobuf::MessageLite& message, grpc::ByteBuffer* out);

}  // namespace tensh::dist
