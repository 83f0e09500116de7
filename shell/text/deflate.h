// Compression by zlib of texts held in memory, for .npz files and the modules zlib and gzip.
//
// window_bits has zlib's meaning: 8 to 15 for a zlib header, negative for no header, plus 16 for a
// gzip header, plus 32 to detect the header.
//
// Thread-safe; the functions keep no state.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tensh::shell {

// Returns false if the level (-1 to 9) or the window is invalid.
bool Deflate(std::string_view data, int level, int window_bits, std::string* packed);

struct Inflated {
  int code = 0;  // zlib's code: Z_STREAM_END on success, Z_BUF_ERROR if the data ends too early.
  std::string message;  // zlib's message, or "".
  std::string data;
  size_t taken = 0;  // Number of input bytes consumed; more streams may follow.
};
// Decompresses one stream. The code is Z_BUF_ERROR if it expands to more than `most` bytes. `tick`
// is called as the result grows, and may throw.
Inflated Inflate(std::string_view packed, int window_bits, size_t most, void (*tick)());

}  // namespace tensh::shell
