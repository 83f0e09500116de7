#include "runtime/core/shape.h"

#include <algorithm>
#include <bit>

namespace tensh {
namespace {

// Returns the number of extents that the block of a shape of this rank has space for.
size_t Capacity(int rank) { return std::bit_ceil(static_cast<unsigned>(rank)); }

}  // namespace

void Shape::CopyMany(const int64_t* dims) {
  many_ = new int64_t[Capacity(rank_)];
  std::copy_n(dims, rank_, many_);
}

Result<Shape> Shape::Make(std::span<const int64_t> dims, bool fully_known) {
  if (dims.size() > kMaxRank)
    return InvalidArgument("rank ", dims.size(), " is not supported; tensh supports ranks 0 to ",
                           kMaxRank);
  int64_t elements = 1;
  for (int64_t d : dims) {
    if (d < (fully_known ? 0 : -1))
      return InvalidArgument("Dimension ", d, " must be >= ", fully_known ? 0 : -1);
    if (d > 0 && __builtin_mul_overflow(elements, d, &elements)) elements = INT64_MAX;
    if (elements >= int64_t{1} << 62)
      return InvalidArgument("Shape would have more than 2**62 elements");
  }
  return Shape(dims);
}

void Shape::Grow() {
  const size_t more = Capacity(rank_ + 1);
  if (allocated() && Capacity(rank_) == more) return;
  auto* grown = new int64_t[more];
  std::copy_n(data(), rank_, grown);
  if (allocated()) Free();
  many_ = grown;
}

void Shape::Free() { delete[] many_; }

Shape Shape::UnknownOfRank(int rank) {
  Shape s;
  for (int i = 0; i < rank; ++i) s.Append(kUnknownDim);
  return s;
}

bool Shape::IsCompatibleWith(const Shape& other) const {
  if (rank_ < 0 || other.rank_ < 0) return true;
  if (rank_ != other.rank_) return false;
  const int64_t *a = data(), *b = other.data();
  for (int i = 0; i < rank_; ++i)
    if (a[i] >= 0 && b[i] >= 0 && a[i] != b[i]) return false;
  return true;
}

Result<Shape> Shape::Merge(const Shape& a, const Shape& b) {
  if (!a.IsCompatibleWith(b))
    return InvalidArgument("Shapes ", a, " and ", b, " are not compatible");
  if (!a.has_rank()) return b;
  if (!b.has_rank()) return a;
  Shape merged = a;
  for (int i = 0; i < a.rank(); ++i)
    if (a[i] < 0) merged.set_dim(i, b[i]);
  return merged;
}

std::string Shape::ToString() const {
  if (rank_ < 0) return "<unknown>";
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) {
    if (i) text += ',';
    text += dim(i) < 0 ? "?" : std::to_string(dim(i));
  }
  return text + "]";
}

Result<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return Shape::Unknown();
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  int offset = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    const int64_t x = longer[i + offset], y = shorter[i];
    if (x >= 0 && y >= 0) {
      if (x != y && x != 1 && y != 1)
        return InvalidArgument("Incompatible shapes: ", a, " vs. ", b);
      out.set_dim(i + offset, x == 1 ? y : x);
    } else {
      // An unknown extent next to one above 1 must be 1 or equal to it. Next to 1 it remains
      // unknown. Next to 0 it may be 1, so the result remains unknown too.
      out.set_dim(i + offset, std::max(x, y) > 1 ? std::max(x, y) : Shape::kUnknownDim);
    }
  }
  return out;
}

}  // namespace tensh
