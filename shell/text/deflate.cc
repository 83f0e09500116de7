#include "shell/text/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace tensh::shell {
namespace {

constexpr size_t kFirst = 4096, kMost = std::numeric_limits<uInt>::max();

// zlib only reads its input, but its type lacks the const.
Bytef* Unsigned(std::string_view data) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
}
Bytef* Unsigned(std::string& data, size_t at) { return reinterpret_cast<Bytef*>(data.data() + at); }

}  // namespace

bool Deflate(std::string_view data, int level, int window_bits, std::string* packed) {
  z_stream z{};
  if (data.size() > kMost || level < -1 || level > 9 ||
      deflateInit2(&z, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return false;
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&z, deflateEnd);
  packed->assign(deflateBound(&z, data.size()), '\0');
  z.next_in = Unsigned(data);
  z.avail_in = static_cast<uInt>(data.size());
  z.next_out = Unsigned(*packed, 0);
  z.avail_out = static_cast<uInt>(packed->size());
  const int result = deflate(&z, Z_FINISH);
  packed->resize(z.total_out);
  return result == Z_STREAM_END;
}

Inflated Inflate(std::string_view packed, int window_bits, size_t most, void (*tick)()) {
  Inflated result;
  z_stream z{};
  result.code = packed.size() > kMost ? Z_STREAM_ERROR : inflateInit2(&z, window_bits);
  if (result.code != Z_OK) return result;
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&z, inflateEnd);
  z.next_in = Unsigned(packed);
  z.avail_in = static_cast<uInt>(packed.size());
  std::string& out = result.data;
  while (result.code == Z_OK) {
    const size_t had = out.size();
    out.resize(std::min(std::max(kFirst, had * 2),
                        // Leaves space for one byte beyond the limit, which shows that the limit
                        // was exceeded.
                        most + 1));
    tick();
    const size_t room = std::min(out.size() - had, kMost);
    z.next_out = Unsigned(out, had);
    z.avail_out = static_cast<uInt>(room);
    result.code = inflate(&z, Z_NO_FLUSH);
    out.resize(had + room - z.avail_out);
    const bool cut_short = z.avail_in == 0 && z.avail_out > 0;
    if (out.size() > most || (result.code == Z_OK && cut_short)) result.code = Z_BUF_ERROR;
  }
  if (z.msg != nullptr) result.message = z.msg;
  result.taken = z.total_in;
  return result;
}

}  // namespace tensh::shell
