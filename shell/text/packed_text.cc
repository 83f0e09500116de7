#include "shell/text/packed_text.h"

#include "shell/text/deflate.h"

namespace tensh::shell {

std::string PackedText::str() const {
  constexpr int kRawDeflate = -15;
  return Inflate(packed, kRawDeflate, size, [] {}).data;
}

}  // namespace tensh::shell
