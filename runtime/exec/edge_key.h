#pragma once
// The key of an edge on TensorFlow's wire: outside loops, or, within one, without the iteration.
#include <string>
#include <string_view>

namespace tensh {

std::string EdgeKey(std::string_view sender, uint64_t incarnation, std::string_view receiver,
                    std::string_view name, bool in_loop = false);

}  // namespace tensh
