// Finds nodes that compute the same values: of the same op, with the same attributes and inputs.
#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/plan/rewrites.h"

namespace tensh {
namespace {

constexpr uint32_t kFree = UINT32_MAX;
constexpr int64_t kMostBytes = 64;  // of a constant that is compared with others

uint64_t Mix(uint64_t hash, uint64_t more) {
  return std::rotl((hash ^ more) * 0x9E3779B97F4A7C15u, 31);
}

bool IsSmall(const Tensor& t) { return IsPod(t.dtype()) && t.bytes() <= kMostBytes; }

bool AreEqual(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (!a.bytes() || std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0);
}

uint64_t HashOfElements(const Tensor& t) {
  uint64_t hash = static_cast<uint64_t>(t.dtype()) + 1;
  for (const int64_t dim : t.shape().dims()) hash = Mix(hash, static_cast<uint64_t>(dim));
  const auto* bytes = static_cast<const uint8_t*>(t.raw());
  for (int64_t i = 0; i < t.bytes(); ++i) hash = Mix(hash, bytes[i]);
  return hash;
}

}  // namespace

SameNodes::SameNodes(const Stages& stages, const Rewrites& rewrites)
    : stages_(stages),
      g_(stages.graph),
      rewrites_(rewrites),
      table_(std::bit_ceil(stages.pruned.nodes.size() * 2 + 2), kFree) {}

bool SameNodes::IsConst(uint32_t position) const {
  return g_.op(stages_.pruned.nodes[position]).role == OpRole::kConst;
}

ValueId SameNodes::NumberOf(ValueId v) const {
  for (const IdMap* map : {&rewrites_.values, &constants_})
    if (const uint32_t by = map->size() ? map->Find(Index(v)) : UINT32_MAX; by != UINT32_MAX)
      v = ValueId{by};
  return v;
}

uint64_t SameNodes::HashOf(uint32_t position) const {
  const NodeId node = stages_.pruned.nodes[position];
  if (IsConst(position)) return HashOfElements(g_.attrs(node).Get<Tensor>("value"));
  uint64_t hash = Mix(g_.op(node).id, reinterpret_cast<uintptr_t>(&g_.attrs(node).all()));
  hash = Mix(hash, stages_.partitioned.part_of[position]);
  for (uint32_t i = 0; i < g_.num_inputs(node); ++i)
    hash = Mix(hash, Index(NumberOf(g_.input(node, i))));
  return hash;
}

bool SameNodes::AreSame(uint32_t a, uint32_t b) const {
  const NodeId x = stages_.pruned.nodes[a], y = stages_.pruned.nodes[b];
  if (&g_.op(x) != &g_.op(y)) return false;
  if (IsConst(a))
    return AreEqual(g_.attrs(x).Get<Tensor>("value"), g_.attrs(y).Get<Tensor>("value"));
  if (&g_.attrs(x).all() != &g_.attrs(y).all() || g_.num_inputs(x) != g_.num_inputs(y) ||
      stages_.partitioned.part_of[a] != stages_.partitioned.part_of[b])
    return false;
  for (uint32_t i = 0; i < g_.num_inputs(x); ++i)
    if (NumberOf(g_.input(x, i)) != NumberOf(g_.input(y, i))) return false;
  return true;
}

uint32_t SameNodes::FirstOf(uint32_t position) {
  const NodeId node = stages_.pruned.nodes[position];
  const bool is_const = IsConst(position);
  if (is_const && !IsSmall(g_.attrs(node).Get<Tensor>("value"))) return position;
  const size_t mask = table_.size() - 1;
  for (size_t i = HashOf(position) & mask;; i = (i + 1) & mask) {
    if (table_[i] == kFree) table_[i] = position;
    if (table_[i] == position) return position;
    if (!AreSame(table_[i], position)) continue;
    const NodeId first = stages_.pruned.nodes[table_[i]];
    if (is_const) constants_.Insert(Index(g_.output(node, 0)), Index(g_.output(first, 0)));
    return table_[i];
  }
}

}  // namespace tensh
