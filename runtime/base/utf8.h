#pragma once
// Encoding and decoding of UTF-8. Pure functions.
#include <cstdint>
#include <string>
#include <string_view>

namespace tensh {

// Appends a code point, which may be a surrogate.
void AppendUtf8(uint32_t code, std::string* out);

// Decodes the code point at text[*at] and moves past it. The text must be valid, except that
// surrogates are allowed; otherwise the result is any number.
uint32_t DecodeUtf8(std::string_view text, size_t* at);

// Decodes the code point at text[at] and stores its length in bytes. Returns -1 for malformed
// input; its length is that of the longest valid beginning of a character.
int32_t CheckedUtf8(std::string_view text, size_t at, size_t* bytes);

// Returns true for control characters, newlines and tabs included.
bool IsControlCode(uint32_t code);

// Returns true for marks that change the direction of text, and for line ends other than '\n'.
bool TurnsText(uint32_t code);

// Returns the offset of the first byte that is not valid UTF-8, or npos.
size_t FindInvalidUtf8(std::string_view text);

}  // namespace tensh
