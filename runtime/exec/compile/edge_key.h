#pragma once
// The names of edges between processes, as graphs and TensorFlow's messages contain them.
#include <string>
#include <string_view>

namespace tensh {

// Returns the key of an edge in TensorFlow's protocol. For an edge within a loop, the iteration is
// left out; LoopKeys adds it.
std::string EdgeKey(std::string_view sender, uint64_t incarnation, std::string_view receiver,
                    std::string_view name, bool in_loop = false);

// An attribute of _Send and _Recv nodes. A graph that contains it must run by tokens (dataflow.h),
// because other parts of the step do. Only tokens tell the receiver that a loop was not entered.
inline constexpr std::string_view kByTokens = "_by_tokens";

}  // namespace tensh
