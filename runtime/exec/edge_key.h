#pragma once
// How an edge between processes is written into graphs.
#include <string>
#include <string_view>

namespace tensh {

// The key on TensorFlow's wire: outside loops, or, within one, without the iteration.
std::string EdgeKey(std::string_view sender, uint64_t incarnation, std::string_view receiver,
                    std::string_view name, bool in_loop = false);

// The attribute of a _Send or _Recv whose graph has to be run by tokens (dataflow.h), for other
// parts of the step are: what a loop that is not entered sends is known to tokens alone.
inline constexpr std::string_view kByTokens = "_by_tokens";

}  // namespace tensh
