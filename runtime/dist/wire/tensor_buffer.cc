#include "runtime/dist/wire/tensor_buffer.h"

#include <google/protobuf/io/coded_stream.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <chrono>
#include <cstring>

#include "runtime/dist/wire/messages.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {
namespace {

using google::protobuf::io::CodedInputStream;

constexpr size_t kShared = 1024;  // In bytes; smaller contents are copied.
constexpr uint32_t Tag(uint32_t field, uint32_t type) { return field << 3 | type; }
constexpr uint32_t kVarint = 0, kBytes = 2;

void AppendVarint(std::string* to, uint64_t n) {
  for (; n >= 0x80; n >>= 7) *to += static_cast<char>(n | 0x80);
  *to += static_cast<char>(n);
}

void AppendField(std::string* to, uint32_t field, uint64_t n) {
  AppendVarint(to, Tag(field, kVarint));
  AppendVarint(to, n);
}

// Reads the fields of a TensorProto of numbers directly into a tensor. The general codec handles
// all unusual forms.
class Elements {
 public:
  explicit Elements(CodedInputStream* in) : in_(*in) {}

  bool Read(uint32_t size, TensorPtr* value) {
    const auto limit = in_.PushLimit(static_cast<int>(size));
    for (uint32_t tag = in_.ReadTag(); tag != 0; tag = in_.ReadTag()) {
      uint32_t n = 0;
      if (tag == Tag(1, kVarint)) {
        if (!in_.ReadVarint32(&n)) return false;
        dtype_ = static_cast<int>(n);
      } else if (tag == Tag(2, kBytes)) {
        if (!in_.ReadVarint32(&n) || !ReadShape(n)) return false;
      } else if (tag == Tag(4, kBytes)) {
        if (value->get() || !in_.ReadVarint32(&n) || !ReadContent(n, value)) return false;
      } else {
        return false;
      }
    }
    if (!in_.ConsumedEntireMessage()) return false;
    in_.PopLimit(limit);
    return value->get() != nullptr;
  }

 private:
  bool ReadShape(uint32_t size) {
    const auto limit = in_.PushLimit(static_cast<int>(size));
    for (uint32_t tag = in_.ReadTag(); tag != 0; tag = in_.ReadTag()) {
      uint32_t n = 0;
      if (tag != Tag(2, kBytes) || rank_ == TSH_MAX_RANK || !in_.ReadVarint32(&n)) return false;
      uint64_t extent = 0;
      const auto dim = in_.PushLimit(static_cast<int>(n));
      for (uint32_t each = in_.ReadTag(); each != 0; each = in_.ReadTag())
        if (each != Tag(1, kVarint) || !in_.ReadVarint64(&extent)) return false;
      if (!in_.ConsumedEntireMessage() || extent > INT64_MAX) return false;
      in_.PopLimit(dim);
      dims_[rank_++] = static_cast<int64_t>(extent);
    }
    if (!in_.ConsumedEntireMessage()) return false;
    in_.PopLimit(limit);
    return true;
  }

  // Compares the size with the bytes that arrived before allocating, because a message may lie
  // about it.
  bool ReadContent(uint32_t size, TensorPtr* value) {
    const size_t element = dtype_ > 0 && dtype_ < 100 ? tsh_dtype_size(dtype_) : 0;
    if (element == 0 || static_cast<int64_t>(size) > in_.BytesUntilLimit()) return false;
    uint64_t bytes = element;
    for (int i = 0; i < rank_; ++i)
      if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dims_[i]), &bytes)) return false;
    if (bytes != size) return false;
    Said said;
    value->reset(tsh_tensor_new(dtype_, dims_, rank_, said));
    return value->get() && in_.ReadRaw(tsh_tensor_data(value->get()), static_cast<int>(size));
  }

  CodedInputStream& in_;
  int dtype_ = 0, rank_ = 0;
  int64_t dims_[TSH_MAX_RANK];  // rank_ of them
};

bool DecodeFast(grpc::ByteBuffer* from, TensorPtr* value) {
  grpc::ProtoBufferReader reader(from);
  if (!reader.status().ok()) return false;
  CodedInputStream in(&reader);
  for (uint32_t tag = in.ReadTag(); tag != 0; tag = in.ReadTag()) {
    uint64_t ignored = 0;
    uint32_t size = 0;
    if (tag == Tag(3, kVarint)) {
      if (!in.ReadVarint64(&ignored)) return false;
    } else if (tag == Tag(1, kBytes)) {
      if (value->get() || !in.ReadVarint32(&size) || size > from->Length()) return false;
      if (!Elements(&in).Read(size, value)) return false;
    } else {
      return false;
    }
  }
  return in.ConsumedEntireMessage() && value->get();
}

}  // namespace

Status EncodeReceived(TensorPtr value, grpc::ByteBuffer* to) {
  std::string start, tensor = "\x08\x01";  // The start of a TensorProto of type float.
  size_t content_size = 0;
  if (value) {
    Said said;
    size_t head_size = 0;
    const TextPtr head(tsh_tensor_encode(value.get(), &head_size, &content_size, said));
    if (!head) return said.Take();
    tensor.assign(head.get(), head_size);
  } else {
    AppendField(&start, 2, 1);
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  AppendField(
      &start, 3,
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()));
  const uint64_t size = tensor.size() + content_size;
  TENSH_RETURN_IF_ERROR(CheckMessageSize(size));
  AppendVarint(&start, Tag(1, kBytes));
  AppendVarint(&start, size);
  start += tensor;
  if (content_size > 0 && content_size <= kShared) {
    start.append(static_cast<const char*>(tsh_tensor_data(value.get())), content_size);
    content_size = 0;
  }
  grpc::Slice slices[2] = {grpc::Slice(start), grpc::Slice()};
  if (content_size > 0) {
    void* data = tsh_tensor_data(value.get());
    slices[1] = grpc::Slice(
        data, content_size,
        [](void* tensor) { tsh_tensor_unref(static_cast<tsh_tensor*>(tensor)); }, value.release());
  }
  *to = grpc::ByteBuffer(slices, content_size > 0 ? 2 : 1);
  return {};
}

Status DecodeReceived(grpc::ByteBuffer* from, TensorPtr* value) {
  if (DecodeFast(from, value)) return {};
  value->reset();
  grpc::ProtoBufferReader reader(from);
  tensorflow::RecvTensorResponse response;
  if (!reader.status().ok() || !response.ParseFromZeroCopyStream(&reader))
    return DataLoss("the other task sent an invalid tensor");
  if (response.is_dead()) return {};
  TENSH_ASSIGN(*value, DecodeTensor(response.tensor()));
  return {};
}

}  // namespace tensh::dist
