// Properties of characters that Python's str methods use, from Unicode's categories. Thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

namespace tensh::shell::unicode {

uint32_t Lower(uint32_t c);
uint32_t Upper(uint32_t c);
bool IsAlpha(uint32_t c);
bool IsDigit(uint32_t c);
bool IsNumeric(uint32_t c);
bool IsSpace(uint32_t c);
bool IsUpper(uint32_t c);
bool IsLower(uint32_t c);
bool IsCased(uint32_t c);  // True if the character has both cases or is one of them.
// Returns true if a capital sigma between `before` and `next` ends a word. It then has another
// lower-case form. Ignores accents and dots within words.
bool EndsWord(std::string_view before, std::string_view next);

}  // namespace tensh::shell::unicode
