#include "runtime/dist/wire/requests.h"

#include <google/protobuf/message_lite.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/proto_buffer_reader.h>
#include <grpcpp/support/proto_buffer_writer.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

namespace tensh::dist {
namespace {

// A compressed message may have the larger of these sizes. Deflate can shrink zeros by a factor of
// 1,032, so that a few megabytes could fill the memory.
constexpr size_t kAlwaysAllowed = 64 << 20;
constexpr size_t kMostGrowth = 16;
constexpr size_t kPiece = 1 << 20;

// Reads a buffer and knows whether its sender compressed it.
class Reader : public grpc::ProtoBufferReader {
 public:
  explicit Reader(grpc::ByteBuffer* bytes) : ProtoBufferReader(bytes) {}
  bool compressed() { return reader()->buffer_in->data.raw.compression != GRPC_COMPRESS_NONE; }
};

// A stream of zlib, which is freed with the object.
struct Inflater {
  z_stream stream{};
  bool started = inflateInit2(&stream, MAX_WBITS + 32) == Z_OK;  // Accepts gzip and zlib headers.
  ~Inflater() {
    if (started) inflateEnd(&stream);
  }
};

Status Decompress(Reader& from, size_t compressed_size, grpc::ByteBuffer* to) {
  const size_t limit = std::max(kAlwaysAllowed, kMostGrowth * compressed_size);
  Inflater inflater;
  if (!inflater.started) return ResourceExhausted("out of memory");
  z_stream& z = inflater.stream;
  std::vector<grpc::Slice> pieces;  // All but the last are full.
  for (int said = Z_OK; said != Z_STREAM_END;) {
    const void* data = nullptr;
    int n = 0;
    while (z.avail_in == 0 && from.Next(&data, &n)) {
      z.next_in = static_cast<Bytef*>(const_cast<void*>(data));
      z.avail_in = static_cast<uInt>(n);
    }
    if (z.avail_out == 0) {
      if (pieces.size() * kPiece >= limit)
        return ResourceExhausted("the request has ", compressed_size, " B, and more than ", limit,
                                 " B after decompression")
            .WithHint("send it without compression");
      pieces.emplace_back(kPiece);
      z.next_out = const_cast<Bytef*>(pieces.back().begin());
      z.avail_out = kPiece;
    }
    said = inflate(&z, Z_NO_FLUSH);
    if (said != Z_OK && said != Z_STREAM_END)
      return InvalidArgument("the compressed request is damaged or incomplete");
  }
  pieces.back() = grpc::Slice(pieces.back().begin(), kPiece - z.avail_out);
  *to = grpc::ByteBuffer(pieces.data(), pieces.size());
  return {};
}

Status Parse(Reader& reader, google::protobuf::MessageLite* out) {
  if (reader.status().ok() && out->ParseFromZeroCopyStream(&reader)) return {};
  return InvalidArgument("the request is not a ", out->GetTypeName());
}

}  // namespace

bool IsCompressed(const grpc::ByteBuffer& bytes) {
  grpc::ByteBuffer copy(bytes);  // shares the bytes
  Reader reader(&copy);
  return reader.status().ok() && reader.compressed();
}

Status ParseRequest(const grpc::ByteBuffer& bytes, google::protobuf::MessageLite* out) {
  grpc::ByteBuffer copy(bytes);  // shares the bytes
  if (copy.Length() == 0) return out->ParseFromString("") ? Status() : Internal("empty request");
  Reader reader(&copy);
  if (!reader.status().ok() || !reader.compressed()) return Parse(reader, out);
  grpc::ByteBuffer whole;
  TENSH_RETURN_IF_ERROR(Decompress(reader, copy.Length(), &whole));
  if (whole.Length() == 0) return {};
  Reader plain(&whole);
  return Parse(plain, out);
}

Status WriteResponse(const google::protobuf::MessageLite& message, grpc::ByteBuffer* out) {
  bool own = false;
  const grpc::Status status =
      grpc::GenericSerialize<grpc::ProtoBufferWriter, google::protobuf::MessageLite>(message, out,
                                                                                     &own);
  return status.ok() ? Status() : Internal(status.error_message());
}

}  // namespace tensh::dist
