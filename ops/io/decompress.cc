// Strings uncompressed, by zlib.
#include <zlib.h>

#include "ops/op_file.h"

namespace tensh::ops {
namespace {

struct DecompressState : KernelState {
  int window = 0;  // zlib's windowBits; 0: nothing is compressed
};

Result<std::unique_ptr<KernelState>> PrepareDecompress(PrepareCtx& c) {
  auto state = std::make_unique<DecompressState>();
  const std::string& type = c.attrs().String("compression_type");
  if (type != "" && type != "ZLIB" && type != "GZIP")
    return InvalidArgument("Only ZLIB, GZIP or NONE are supported compressions");
  if (type != "") state->window = type == "ZLIB" ? MAX_WBITS : MAX_WBITS + 16;
  return std::unique_ptr<KernelState>(std::move(state));
}

// Bytes grow a thousandfold at most, so what is claimed is also there.
Status Decompress(KernelCtx& c, int window, const std::string& in, std::string* out) {
  if (in.size() > UINT32_MAX)
    return InvalidArgument("a string of ", in.size(), " bytes is too long");
  z_stream stream = {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  if (inflateInit2(&stream, window) != Z_OK)
    return ResourceExhausted("no memory to uncompress a string");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, inflateEnd);
  int code = Z_OK;
  char buffer[1 << 15];
  while (code == Z_OK && !c.cancelled()) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    code = inflate(&stream, Z_NO_FLUSH);
    out->append(buffer, sizeof buffer - stream.avail_out);
    // A gzip file may be several, one after the other.
    if (code == Z_STREAM_END && window > MAX_WBITS && stream.avail_in > 0)
      code = inflateReset(&stream);
  }
  if (code == Z_STREAM_END || in.empty()) return {};
  if (code == Z_MEM_ERROR) return ResourceExhausted("no memory to uncompress a string");
  // What ends too early is what there is of it.
  if (code == Z_BUF_ERROR || code == Z_OK) return {};
  return DataLoss("inflate() failed with error ", code, ": ", stream.msg ? stream.msg : "");
}

Status DecodeCompressed(KernelCtx& c) {
  const int window = c.state<DecompressState>().window;
  const Tensor& in = c.in(0);
  if (!window) {
    c.SetOutput(0, in);
    return {};
  }
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  for (int64_t i = 0; i < in.num_elements(); ++i) {
    std::string& text = out->data<std::string>()[i];
    text.clear();
    TENSH_RETURN_IF_ERROR(Decompress(c, window, in.data<std::string>()[i], &text));
  }
  return {};
}

}  // namespace

TENSH_OPS(io_decompress) {
  r.Op({.name = "DecodeCompressed",
        .inputs = "bytes: string",
        .outputs = "output: string",
        .attrs = "compression_type: string = ''",
        .doc =
            "Strings uncompressed: output has each of bytes. compression_type: 'ZLIB', 'GZIP', or "
            "'' for strings that are not compressed.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.io.decode_compressed([b'x\\x9cKLLL\\x04\\x00\\x03\\xce\\x01\\x85'], "
                      "'ZLIB')",
                      "[b'aaaa']"}}})
      .CpuAny(DecodeCompressed, PrepareDecompress);
}

}  // namespace tensh::ops
