// _zlib: what the modules zlib and gzip (shell/lang/python) are made of.
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "shell/lang/interp.h"
#include "shell/lang/modules/modules.h"
#include "shell/values/containers.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

namespace tensh::shell {
namespace {

const std::string& BytesOf(const Value& v) {
  const auto* bytes = As<BytesObject>(v);
  if (bytes == nullptr)
    throw TypeError("a bytes-like object is required, not '" + TypeName(v) + "'");
  if (bytes->data.size() > std::numeric_limits<uInt>::max())
    throw MakeError(kOverflowError, "more than 4 GB at once");
  return bytes->data;
}

// zlib only reads what it is given, but its type says otherwise.
Bytef* Unsigned(const std::string& data) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
}

int WindowBits(const Value& v) {
  const int64_t bits = ToIndex(v);
  if (bits < -15 || bits > 47) throw ValueError("Invalid initialization option");
  return static_cast<int>(bits);
}

// The text of a failure, as CPython's zlib.error has it; zlib.py makes one of it.
[[noreturn]] void Fail(int code, const char* doing, const char* message) {
  throw ValueError("Error " + std::to_string(code) + " while " + doing +
                   (message != nullptr ? std::string(": ") + message : ""));
}

// (bytes, how much of the data it took): one stream.
Value Inflate(Args& a) {
  const std::string& data = BytesOf(a[0]);
  z_stream z{};
  if (inflateInit2(&z, WindowBits(a[1])) != Z_OK) throw ValueError("Invalid initialization option");
  z.next_in = Unsigned(data);
  z.avail_in = static_cast<uInt>(data.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK) {
    const size_t had = out.size();
    try {
      out.resize(std::max<size_t>(4096, had * 2));
      Interp::Current().CheckInterrupt();
    } catch (...) {
      inflateEnd(&z);
      throw;
    }
    const size_t room = std::min<size_t>(out.size() - had, std::numeric_limits<uInt>::max());
    z.next_out = reinterpret_cast<Bytef*>(out.data() + had);
    z.avail_out = static_cast<uInt>(room);
    result = inflate(&z, Z_NO_FLUSH);
    out.resize(had + room - z.avail_out);
    if (result == Z_BUF_ERROR || (result == Z_OK && z.avail_in == 0 && z.avail_out > 0))
      result = Z_BUF_ERROR;
  }
  const std::string message = z.msg != nullptr ? z.msg : "";
  const uint64_t taken = z.total_in;
  inflateEnd(&z);
  if (result == Z_BUF_ERROR) Fail(result, "decompressing data", "incomplete or truncated stream");
  if (result != Z_STREAM_END)
    Fail(result, "decompressing data", message.empty() ? nullptr : message.c_str());
  return MakeTuple({MakeBytes(std::move(out)), Value::Int(static_cast<int64_t>(taken))});
}

Value Deflate(Args& a) {
  const std::string& data = BytesOf(a[0]);
  const int64_t level = ToIndex(a[1]);
  z_stream z{};
  if (level < -1 || level > 9 ||
      deflateInit2(&z, static_cast<int>(level), Z_DEFLATED, WindowBits(a[2]), 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw ValueError("Bad compression level");
  std::string out(deflateBound(&z, data.size()), '\0');
  z.next_in = Unsigned(data);
  z.avail_in = static_cast<uInt>(data.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  if (result != Z_STREAM_END) Fail(result, "compressing data", nullptr);
  return MakeBytes(std::move(out));
}

template <uLong (*kSum)(uLong, const Bytef*, uInt)>
Value Checksum(Args& a) {
  const std::string& data = BytesOf(a[0]);
  const auto start = static_cast<uLong>(ToIndex(a[1]) & 0xffffffff);
  return Value::Int(
      static_cast<int64_t>(kSum(start, Unsigned(data), static_cast<uInt>(data.size()))));
}

const FunctionRow kRows[] = {{"inflate", "data, wbits, /", Inflate},
                             {"deflate", "data, level, wbits, /", Deflate},
                             {"crc32", "data, value=0, /", Checksum<crc32>},
                             {"adler32", "data, value=1, /", Checksum<adler32>}};

}  // namespace

const ModuleDef kZlibModule = {.name = "_zlib", .functions = kRows};

}  // namespace tensh::shell
