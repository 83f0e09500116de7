// The module _zlib, on which the modules zlib and gzip (shell/python/library) are built.
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "runtime/base/crc32c.h"
#include "shell/python/modules/modules.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/text/deflate.h"

namespace tensh::shell {
namespace {

const std::string& BytesOf(const Value& v) {
  const auto* bytes = As<BytesObject>(v);
  if (bytes == nullptr)
    throw TypeError("a bytes-like object is required, not '" + TypeName(v) + "'");
  if (bytes->data.size() > std::numeric_limits<uInt>::max())
    throw MakeError(kOverflowError, "zlib and gzip accept at most 4 GB of data in one call");
  return bytes->data;
}

int WindowBits(const Value& v) {
  const int64_t bits = ToIndex(v);
  if (bits < -15 || bits > 47) throw ValueError("Invalid initialization option");
  return static_cast<int>(bits);
}

// Decompresses one stream. Returns (bytes, number of input bytes consumed). Raises EOFError if it expands to more than
// `most` bytes.
Value InflateOne(Args& a) {
  const size_t most = a[2].is_none() ? std::string().max_size() - 1
                                     : static_cast<size_t>(std::max<int64_t>(0, ToIndex(a[2])));
  Inflated got =
      Inflate(BytesOf(a[0]), WindowBits(a[1]), most, [] { Interp::Current().CheckInterrupt(); });
  if (got.code == Z_STREAM_ERROR) throw ValueError("Invalid initialization option");
  if (got.code == Z_BUF_ERROR) got.message = "incomplete or truncated stream";
  // zlib.py raises zlib.error with this message, which is CPython's. The class tells gzip.py that the
  // data are incomplete.
  if (got.code != Z_STREAM_END)
    throw MakeError(got.code == Z_BUF_ERROR ? kEOFError : kValueError,
                    "Error " + std::to_string(got.code) + " while decompressing data" +
                        (got.message.empty() ? "" : ": " + got.message));
  return MakeTuple({MakeBytes(std::move(got.data)), Value::Int(static_cast<int64_t>(got.taken))});
}

Value DeflateAll(Args& a) {
  const int64_t level = std::clamp<int64_t>(ToIndex(a[1]), -2, 10);
  std::string packed;
  if (!Deflate(BytesOf(a[0]), static_cast<int>(level), WindowBits(a[2]), &packed))
    throw ValueError("Bad compression level");
  return MakeBytes(std::move(packed));
}

template <uLong (*kSum)(uLong, const Bytef*, uInt)>
Value Checksum(Args& a) {
  const std::string& data = BytesOf(a[0]);
  const auto start = static_cast<uLong>(ToIndex(a[1]) & 0xffffffff);
  return Value::Int(static_cast<int64_t>(
      kSum(start, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size()))));
}

// The checksum of record files.
Value MaskedCrc(Args& a) { return Value::Int(MaskedCrc32c(BytesOf(a[0]))); }

const FunctionRow kRows[] = {{"inflate", "data, wbits, most=None, /", InflateOne},
                             {"deflate", "data, level, wbits, /", DeflateAll},
                             {"crc32", "data, value=0, /", Checksum<crc32>},
                             {"adler32", "data, value=1, /", Checksum<adler32>},
                             {"masked_crc32c", "data, /", MaskedCrc}};

}  // namespace

const ModuleDef kZlibModule = {.name = "_zlib", .functions = kRows};

}  // namespace tensh::shell
