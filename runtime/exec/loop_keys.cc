#include "runtime/exec/loop_keys.h"

#include "runtime/core/strcat.h"

namespace tensh {
namespace {

// MurmurHash64A with the seed that TensorFlow uses for frame names.
uint64_t Hash(std::string_view text) {
  constexpr uint64_t kMul = 0xc6a4a7935bd1e995, kSeed = 0xDECAFCAFFE;
  constexpr int kShift = 47;
  uint64_t h = kSeed ^ (text.size() * kMul);
  const auto take = [&](size_t bytes) {
    uint64_t k = 0;
    for (size_t i = 0; i < bytes; ++i)
      k |= uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
    text.remove_prefix(bytes);
    return k;
  };
  while (text.size() >= 8) {
    uint64_t k = take(8) * kMul;
    k = (k ^ (k >> kShift)) * kMul;
    h = (h ^ k) * kMul;
  }
  if (!text.empty()) h = (h ^ take(text.size())) * kMul;
  h = (h ^ (h >> kShift)) * kMul;
  return h ^ (h >> kShift);
}

uint64_t Combine(uint64_t a, uint64_t b) {
  return a ^ (b + 0x9e3779b97f4a7800 + (a << 10) + (a >> 4));
}

}  // namespace

uint64_t LoopNumber(uint64_t around, uint64_t iteration, std::string_view frame_name) {
  return Combine(around, Combine(iteration, Hash(frame_name)));
}

void LoopKeys::Begin(const Flow& flow, uint32_t frame) {
  if (at_.empty()) at_.resize(flow.frames.size());
  const At& around = at_[flow.frames[frame].parent];
  at_[frame] = {LoopNumber(around.frame, around.iteration, flow.frames[frame].name), 0};
}

std::string LoopKeys::Key(const std::string& key, uint32_t frame) const {
  return frame ? StrCat(key, at_[frame].frame, ":", at_[frame].iteration) : key;
}

}  // namespace tensh
