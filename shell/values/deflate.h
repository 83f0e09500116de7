// zlib's compression of whole texts, for .npz files and the modules zlib and gzip. Any thread.
//
// window_bits as zlib has it: 8 to 15 with a zlib header, negative for none, 16 more for gzip's, 32
// more to find out which.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tensh::shell {

// False: there is no such level (-1 to 9) or window.
bool Deflate(std::string_view data, int level, int window_bits, std::string* packed);

struct Inflated {
  int code = 0;  // zlib's; Z_STREAM_END when all is well, Z_BUF_ERROR when data ends too early
  std::string message;  // zlib's, or ""
  std::string data;
  size_t taken = 0;  // of what was given: more may follow
};
// One stream; of more than `most` bytes it is Z_BUF_ERROR. `tick` is called as the result grows,
// and may throw.
Inflated Inflate(std::string_view packed, int window_bits, size_t most, void (*tick)());

}  // namespace tensh::shell
