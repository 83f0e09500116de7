// Characters as Python's str methods sort them, by Unicode's categories. No state; any thread.
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
bool IsCased(uint32_t c);  // has an upper and a lower form, or is one of both
// Whether a capital sigma before `next` ends its word (its small form is another then). Accents and
// dots within words are looked past.
bool EndsWord(std::string_view before, std::string_view next);

}  // namespace tensh::shell::unicode
