#pragma once
// A tensor: the value of an edge, a feed, a fetch or a variable.
//
// It is one pointer to a reference-counted header {dtype, shape, data}; copying shares the data. A
// header owns its data or aliases another tensor's. On the host, data follow the header in the same
// block; on a device they are in a separate block. Elements are dense, row-major and 64-byte
// aligned. Strings are constructed std::string objects. Elements that are objects (strings,
// handles) are always in host memory.
//
// The count is atomic, but the elements are not protected: only write to a tensor that is unique().
#include <atomic>
#include <cstring>
#include <span>

#include "runtime/core/dtype.h"
#include "runtime/core/shape.h"

namespace tensh {

// Memory of one device. Thread-safe. Allocate returns null if memory is exhausted.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void* Allocate(size_t bytes) = 0;  // Aligned to 64 bytes.
  virtual void Free(void* data, size_t bytes) = 0;
  // Host memory may be accessed directly. Data in other memory are copied by these functions, after
  // the work that was queued on the device before.
  bool is_host() const { return is_host_; }
  virtual Status CopyIn(void* to, const void* host, size_t bytes);
  virtual Status CopyOut(void* host, const void* from, size_t bytes);
  virtual Status CopyWithin(void* to, const void* from, size_t bytes);
  // Copies from the memory of another device: directly if possible, otherwise through the host.
  virtual Status CopyAcross(void* to, Allocator& source, const void* from, size_t bytes);

 protected:
  explicit Allocator(bool is_host = true) : is_host_(is_host) {}

 private:
  const bool is_host_;
};

// The host memory of the process. Large blocks are kept for reuse, because the page faults of a
// fresh 64 MB block take longer than most kernels.
Allocator* HostAllocator();

class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor& t) : rep_(t.rep_) {
    if (rep_) rep_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor&& t) noexcept : rep_(t.rep_) { t.rep_ = nullptr; }
  Tensor& operator=(Tensor t) noexcept {
    std::swap(rep_, t.rep_);
    return *this;
  }
  ~Tensor() {
    if (rep_) Unref(rep_);
  }

  // Makes a tensor with uninitialised elements (strings are empty). The shape must be fully known.
  // Returns ResourceExhausted if memory is exhausted. Objects are always allocated in host memory.
  static Result<Tensor> Make(DType dtype, const Shape& shape,
                             Allocator* allocator = HostAllocator());
  // Returns the same elements with another shape of equal size.
  Tensor Reshaped(const Shape& shape) const;
  // Returns elements [begin, end) of the first dimension, sharing the data. The rank must be at
  // least 1.
  Tensor SliceRows(int64_t begin, int64_t end) const;
  // Returns a window on the elements: it is writable and unique() as if it had its own block. The
  // creator moves the window, and must make sure that nobody else reads the elements that are
  // written.
  Tensor Window() const;
  // Moves a window so that it begins at element `first`, which must exist.
  void MoveWindow(const Tensor& over, int64_t first, const Shape& shape);
  // Copies within the same memory; returns a null Tensor if it is exhausted.
  Tensor DeepCopy() const;
  // Returns the same elements in other memory, or this tensor if they already are there.
  Result<Tensor> CopyTo(Allocator* memory) const;
  // Copies the elements of a tensor of the same dtype and size, from any memory.
  Status CopyElementsFrom(const Tensor& other) const;

  template <class T>
  static Tensor Scalar(T value) {
    Tensor t = *Make(kDTypeOf<T>, Shape());
    *t.data<T>() = std::move(value);
    return t;
  }
  template <class T>
  static Tensor Vector(std::span<const T> values) {
    Tensor t = *Make(kDTypeOf<T>, Shape({static_cast<int64_t>(values.size())}));
    for (size_t i = 0; i < values.size(); ++i) t.data<T>()[i] = values[i];
    return t;
  }

  explicit operator bool() const { return rep_ != nullptr; }
  DType dtype() const { return rep_->dtype; }
  const Shape& shape() const { return rep_->shape; }
  int rank() const { return rep_->shape.rank(); }
  int64_t dim(int i) const { return rep_->shape[i]; }
  int64_t num_elements() const { return rep_->elements; }
  int64_t bytes() const { return rep_->elements * SizeOf(rep_->dtype); }
  void* raw() const { return rep_->data; }
  Allocator* allocator() const { return rep_->allocator; }
  bool on_host() const { return rep_->allocator->is_host(); }
  template <class T>
  T* data() const {
    return static_cast<T*>(rep_->data);
  }
  template <class T>
  std::span<T> flat() const {
    return {static_cast<T*>(rep_->data), static_cast<size_t>(rep_->elements)};
  }
  // Returns element i, which must be of type int32 or int64.
  int64_t IntScalar(int64_t i = 0) const {
    return dtype() == DType::kInt64 ? data<int64_t>()[i] : data<int32_t>()[i];
  }
  // Returns true if nobody else holds the header or its data.
  bool unique() const {
    return rep_->refs.load(std::memory_order_acquire) == 1 && (!rep_->base || rep_->capacity);
  }
  // Identifies the block that holds the data: equal for a tensor and its aliases.
  const void* owner() const { return rep_->base ? rep_->base : rep_; }
  bool SharesDataWith(const Tensor& other) const { return rep_->data == other.rep_->data; }

  // Converts between a tensor and an opaque pointer that owns one reference, for the C API.
  void* Release() {
    Rep* rep = rep_;
    rep_ = nullptr;
    return rep;
  }
  static Tensor Adopt(void* header) { return Tensor(static_cast<Rep*>(header)); }

  // For the executor: reuses this header and its block for another value. The tensor must be
  // unique(). Returns false if the block is too small or the types are stored differently.
  bool Recycle(DType dtype, const Shape& shape);

 private:
  struct alignas(64) Rep {
    std::atomic<int32_t> refs{1};
    DType dtype;
    int64_t elements;
    int64_t capacity;  // Bytes available for elements; 0 for an alias that is not a window.
    void* data;
    Rep* base;             // The tensor whose data this aliases, counted; null if owned.
    Allocator* allocator;  // Allocator of the elements. On a device, the header is in host memory.
    Shape shape;
  };
  static Allocator* HeadersOf(Allocator* a) { return a->is_host() ? a : HostAllocator(); }
  explicit Tensor(Rep* rep) : rep_(rep) {}
  static void Unref(Rep* rep) {
    // A sole owner needs no atomic decrement, because nobody else can change the count.
    if (rep->refs.load(std::memory_order_acquire) == 1 ||
        rep->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
      Destroy(rep);
  }
  static void Destroy(Rep* rep);

  Rep* rep_ = nullptr;
};

}  // namespace tensh
