#include "ops/array/string_room.h"

#include <algorithm>

namespace tensh::ops {

Status RoomForStrings(const Tensor& source, int64_t n) {
  constexpr int64_t kWorthAsking = int64_t{1} << 28;
  if (source.dtype() != DType::kString || n == 0) return {};
  int64_t longest = 0, bytes = 0;
  for (const std::string& s : source.flat<std::string>())
    longest = std::max(longest, static_cast<int64_t>(s.size()));
  const bool overflow = __builtin_mul_overflow(longest, n, &bytes);
  if (!overflow && bytes < kWorthAsking) return {};
  // Allocating and freeing memory without touching it tests whether it is available at almost no
  // cost.
  if (!overflow) {
    Result<Tensor> room = Tensor::Make(DType::kUint8, Shape{bytes});
    if (room.ok()) return {};
  }
  return ResourceExhausted("OOM when making ", n, " strings of up to ", longest, " bytes");
}

}  // namespace tensh::ops
