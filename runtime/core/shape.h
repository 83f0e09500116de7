#pragma once
// The extents of a tensor, fully or partially known. rank() is -1 if the rank is unknown; a
// dimension is -1 if it is unknown. A plain value without allocation, of at most kMaxRank
// dimensions.
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "runtime/core/status.h"

namespace tensh {

class Shape {
 public:
  static constexpr int kMaxRank = 8;
  static constexpr int64_t kUnknownDim = -1;

  Shape() : rank_(0) {}  // A scalar.
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims) : rank_(static_cast<int8_t>(dims.size())) {
    TENSH_CHECK(dims.size() <= kMaxRank, "rank ", dims.size());
    for (size_t i = 0; i < dims.size(); ++i) dims_[i] = dims[i];
  }
  // Checks dimensions from outside: the rank must be at most kMaxRank, each dimension >= -1 (>= 0
  // if fully_known), and the number of known elements below 2^62.
  static Result<Shape> Make(std::span<const int64_t> dims, bool fully_known);
  static Shape Unknown() {
    Shape s;
    s.rank_ = -1;
    return s;
  }
  static Shape UnknownOfRank(int rank);
  Shape(const Shape& other) : rank_(other.rank_) { CopyDims(other); }
  Shape& operator=(const Shape& other) {
    rank_ = other.rank_;
    CopyDims(other);
    return *this;
  }

  int rank() const { return rank_; }
  bool has_rank() const { return rank_ >= 0; }
  int64_t operator[](int i) const { return dims_[i]; }
  int64_t dim(int i) const { return dims_[i]; }
  void set_dim(int i, int64_t d) { dims_[i] = d; }
  void Append(int64_t d) {
    TENSH_CHECK(rank_ >= 0 && rank_ < kMaxRank, "Append to rank ", int{rank_});
    dims_[rank_++] = d;
  }
  std::span<const int64_t> dims() const {
    return {dims_, static_cast<size_t>(rank_ < 0 ? 0 : rank_)};
  }
  bool IsFullyKnown() const {
    if (rank_ < 0) return false;
    for (int i = 0; i < rank_; ++i)
      if (dims_[i] < 0) return false;
    return true;
  }
  // Returns the product of the dimensions. The shape must be fully known.
  int64_t num_elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= dims_[i];
    return n;
  }
  // Compares extents; unknown equals only unknown.
  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i)
      if (dims_[i] != other.dims_[i]) return false;
    return true;
  }
  // Returns true if both may describe the same tensor.
  bool IsCompatibleWith(const Shape& other) const;
  // Combines the known extents of both. Returns InvalidArgument if they contradict each other.
  static Result<Shape> Merge(const Shape& a, const Shape& b);
  // Returns "[2,3]", "[?,3]", "[]" or "<unknown>", the form used in messages and tables.
  std::string ToString() const;

 private:
  void CopyDims(const Shape& other) {
    for (int i = 0; i < other.rank_; ++i) dims_[i] = other.dims_[i];
  }
  int8_t rank_;
  int64_t dims_[kMaxRank];
};

// Applies numpy's broadcasting to two fully or partially known shapes. Returns InvalidArgument if
// they are incompatible.
Result<Shape> BroadcastShapes(const Shape& a, const Shape& b);

}  // namespace tensh
