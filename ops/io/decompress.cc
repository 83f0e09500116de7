// DecodeCompressed: decompresses zlib and gzip strings.
#include "ops/formats/inflate.h"
#include "ops/op_file.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

struct DecompressState : KernelState {
  Packing packing = Packing::kNone;
  Status Read(PrepareCtx& c) {
    TENSH_ASSIGN(packing, PackingNamed(c.attrs().String("compression_type")));
    return {};
  }
};

Status DecodeCompressed(KernelCtx& c) {
  const Packing packing = c.state<DecompressState>().packing;
  const Tensor& in = c.in(0);
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  for (int64_t i = 0; i < in.num_elements(); ++i)
    TENSH_RETURN_IF_ERROR(
        Inflate(c, packing, in.data<std::string>()[i], out->data<std::string>() + i));
  return {};
}

}  // namespace

TENSH_OPS(io_decompress) {
  r.Op({.name = "DecodeCompressed",
        .inputs = "bytes: string",
        .outputs = "output: string",
        .attrs = "compression_type: string = ''",
        .doc = "Decompresses strings: output has one for each of bytes. compression_type: 'ZLIB', "
               "'GZIP', or '' if the strings are not compressed.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.io.decode_compressed([b'x\\x9cKLLL\\x04\\x00\\x03\\xce\\x01\\x85'], "
                      "'ZLIB')",
                      "[b'aaaa']"}}})
      .CpuAny(DecodeCompressed, PrepareFrom<DecompressState>);
}

}  // namespace tensh::ops
