#pragma once
// The extents of a tensor, fully or partially known. rank() is -1 if the rank is unknown; a
// dimension is -1 if it is unknown. A plain value of at most kMaxRank dimensions. Up to
// kInlineRank dimensions are stored without allocation; only tests and rare models have more.
#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "runtime/core/status.h"

namespace tensh {

class Shape {
 public:
  static constexpr int kMaxRank = 254;  // TensorFlow's limit
  static constexpr int kInlineRank = 8;
  // The positive extents of a tensor have a product below 2^62, so at most this many exceed 1. A
  // loop that skips the extents of 1 needs no more counters and strides, whatever the rank is.
  static constexpr int kMaxLoopRank = 62;
  static constexpr int64_t kUnknownDim = -1;

  Shape() : rank_(0) {}  // A scalar.
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  explicit Shape(std::span<const int64_t> dims) : rank_(static_cast<int16_t>(dims.size())) {
    TENSH_CHECK(dims.size() <= kMaxRank, "rank ", dims.size());
    CopyDims(dims.data());
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
  Shape(const Shape& other) : rank_(other.rank_) { CopyDims(other.data()); }
  Shape(Shape&& other) noexcept : rank_(other.rank_) { TakeDims(other); }
  Shape& operator=(const Shape& other) {
    if (allocated() || other.allocated()) return *this = Shape(other);
    rank_ = other.rank_;
    CopyFew(other.few_);
    return *this;
  }
  Shape& operator=(Shape&& other) noexcept {
    if (this == &other) return *this;
    if (allocated()) Free();
    rank_ = other.rank_;
    TakeDims(other);
    return *this;
  }
  ~Shape() {
    if (allocated()) Free();
  }

  int rank() const { return rank_; }
  bool has_rank() const { return rank_ >= 0; }
  int64_t operator[](int i) const { return data()[i]; }
  int64_t dim(int i) const { return data()[i]; }
  void set_dim(int i, int64_t d) { data()[i] = d; }
  void Append(int64_t d) {
    TENSH_CHECK(rank_ >= 0 && rank_ < kMaxRank, "Append to rank ", int{rank_});
    if (rank_ >= kInlineRank) Grow();
    ++rank_;  // before the extent is stored, because it selects where
    data()[rank_ - 1] = d;
  }
  std::span<const int64_t> dims() const {
    return {data(), static_cast<size_t>(rank_ < 0 ? 0 : rank_)};
  }
  bool IsFullyKnown() const {
    if (rank_ < 0) return false;
    for (int64_t d : dims())
      if (d < 0) return false;
    return true;
  }
  // Returns the product of the dimensions, which must be fully known. The caller must know that it
  // does not overflow, as in the shape of a tensor; otherwise use CountElements.
  int64_t num_elements() const {
    int64_t n = 1;
    for (int64_t d : dims()) n *= d;
    return n;
  }
  // Stores the product of the dimensions, which must be fully known. Returns false if the positive
  // ones alone give 2^62 or more, also if another is 0.
  bool CountElements(int64_t* elements) const {
    int64_t n = 1;
    bool fits = true, empty = false;
    for (int64_t d : dims()) {
      empty |= d == 0;
      fits &= !__builtin_mul_overflow(n, d == 0 ? 1 : d, &n) && n < int64_t{1} << 62;
    }
    *elements = empty ? 0 : n;
    return fits;
  }
  // Compares extents; unknown equals only unknown.
  bool operator==(const Shape& other) const {
    if (rank_ != other.rank_) return false;
    const int64_t *a = data(), *b = other.data();
    for (int i = 0; i < rank_; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  // Returns true if both may describe the same tensor.
  bool IsCompatibleWith(const Shape& other) const;
  // Combines the known extents of both. Returns InvalidArgument if they contradict each other.
  static Result<Shape> Merge(const Shape& a, const Shape& b);
  // Returns "[2,3]", "[?,3]", "[]" or "<unknown>", the form used in messages and tables.
  std::string ToString() const;

 private:
  bool allocated() const { return rank_ > kInlineRank; }
  const int64_t* data() const { return allocated() ? many_ : few_; }
  int64_t* data() { return allocated() ? many_ : few_; }
  void CopyFew(const int64_t* dims) {
    for (int i = 0; i < rank_; ++i) few_[i] = dims[i];
  }
  // Initializes the dimensions; rank_ is set.
  void CopyDims(const int64_t* dims) {
    if (allocated()) return CopyMany(dims);
    CopyFew(dims);
  }
  void TakeDims(Shape& other) {
    if (!allocated()) return CopyFew(other.few_);
    many_ = other.many_;
    other.rank_ = 0;
  }
  void CopyMany(const int64_t* dims);
  void Grow();  // makes space for one dimension more
  void Free();

  int16_t rank_;
  union {
    int64_t few_[kInlineRank];
    int64_t* many_;  // if rank_ > kInlineRank: a block of as many extents as Capacity() returns
  };
};

// A set of dimensions of a tensor.
using DimSet = std::bitset<Shape::kMaxRank>;

// Applies numpy's broadcasting to two fully or partially known shapes. Returns InvalidArgument if
// they are incompatible.
Result<Shape> BroadcastShapes(const Shape& a, const Shape& b);

}  // namespace tensh
