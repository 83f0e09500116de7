// The keywords of SQLite, for completion and colours.
//
// Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

bool IsSqlKeyword(std::string_view word);  // in any case
std::vector<std::string> SqlKeywords();    // in capital letters

}  // namespace tensh::shell
