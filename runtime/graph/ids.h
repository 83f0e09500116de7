#pragma once
// Ids of nodes and values as distinct types. They index the graph's arrays, in order of creation.
#include <cstdint>

namespace tensh {

enum class NodeId : uint32_t {};
enum class ValueId : uint32_t {};  // An output of a node.
inline constexpr NodeId kNoNode{UINT32_MAX};
inline constexpr ValueId kNoValue{UINT32_MAX};
constexpr uint32_t Index(NodeId n) { return static_cast<uint32_t>(n); }
constexpr uint32_t Index(ValueId v) { return static_cast<uint32_t>(v); }

}  // namespace tensh
