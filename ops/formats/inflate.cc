#include "ops/formats/inflate.h"

#include <zlib.h>

#include <memory>

namespace tensh::ops {

Result<Packing> PackingNamed(const std::string& name) {
  if (name.empty()) return Packing::kNone;
  if (name == "ZLIB") return Packing::kZlib;
  if (name == "GZIP") return Packing::kGzip;
  return InvalidArgument("Only ZLIB, GZIP or NONE are supported compressions, got '", name, "'");
}

// The output may grow without a limit set in advance: deflate expands at most about a thousandfold,
// so its size is bounded by that of the input.
Status Inflate(const KernelCtx& c, Packing packing, const std::string& in, std::string* out) {
  out->clear();
  if (packing == Packing::kNone || in.empty()) {
    *out = in;
    return {};
  }
  if (in.size() > UINT32_MAX)
    return InvalidArgument("a string of ", in.size(), " bytes is too long");
  z_stream stream = {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  const bool gzip = packing == Packing::kGzip;
  if (inflateInit2(&stream, gzip ? MAX_WBITS + 16 : MAX_WBITS) != Z_OK)
    return ResourceExhausted("no memory to uncompress a string");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, inflateEnd);
  int code = Z_OK;
  char buffer[1 << 15];
  while (code == Z_OK && !c.cancelled()) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    code = inflate(&stream, Z_NO_FLUSH);
    out->append(buffer, sizeof buffer - stream.avail_out);
    // A gzip file may consist of several members.
    if (code == Z_STREAM_END && gzip && stream.avail_in > 0) code = inflateReset(&stream);
  }
  if (code == Z_STREAM_END || code == Z_BUF_ERROR || code == Z_OK) return {};
  if (code == Z_MEM_ERROR) return ResourceExhausted("no memory to uncompress a string");
  return DataLoss("inflate() failed with error ", code, ": ", stream.msg ? stream.msg : "");
}

}  // namespace tensh::ops
