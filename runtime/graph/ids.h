#pragma once
// Strong ids of a graph's parts: indices into its arrays, in the order of creation.
#include <cstdint>

namespace tensh {

enum class NodeId : uint32_t {};
enum class ValueId : uint32_t {};  // one output of one node
inline constexpr NodeId kNoNode{UINT32_MAX};
inline constexpr ValueId kNoValue{UINT32_MAX};
constexpr uint32_t Index(NodeId n) { return static_cast<uint32_t>(n); }
constexpr uint32_t Index(ValueId v) { return static_cast<uint32_t>(v); }

}  // namespace tensh
