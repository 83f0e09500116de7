#pragma once
// Tensor: what flows along edges and what escapes a step. One pointer to an intrusively counted
// header {dtype, shape, data}; copying shares the data. A header either owns its data or aliases
// another tensor's. Data is allocated in one block behind the header, on a device in a block there;
// elements are dense, row-major, 64-byte aligned; strings are constructed std::string objects. The
// count is atomic; the elements are not guarded: write only to a tensor that is unique(). Elements
// that are objects (strings, handles) lie in host memory always.
#include <atomic>
#include <cstring>
#include <span>

#include "runtime/core/dtype.h"
#include "runtime/core/shape.h"

namespace tensh {

// Memory on one device. Thread-safe. Null when there is no more.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void* Allocate(size_t bytes) = 0;  // 64-byte aligned
  virtual void Free(void* data, size_t bytes) = 0;
  // Host memory is anybody's to read and write. What lies in other memory goes in and out by these,
  // behind the work that was handed to the device before.
  bool is_host() const { return is_host_; }
  virtual Status CopyIn(void* to, const void* host, size_t bytes);
  virtual Status CopyOut(void* host, const void* from, size_t bytes);
  virtual Status CopyWithin(void* to, const void* from, size_t bytes);
  // From another device's memory: straight where there is a way, else through the host.
  virtual Status CopyAcross(void* to, Allocator& source, const void* from, size_t bytes);

 protected:
  explicit Allocator(bool is_host = true) : is_host_(is_host) {}

 private:
  const bool is_host_;
};

// The process's host memory: large blocks are kept for reuse, because a fresh 64 MB block costs
// more in page faults than most kernels.
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

  // Uninitialised elements (strings are empty). ResourceExhausted when there is no memory; the
  // shape must be fully known. Elements that are objects lie in host memory, whatever is asked for.
  static Result<Tensor> Make(DType dtype, const Shape& shape,
                             Allocator* allocator = HostAllocator());
  // The same elements under another shape of equal size.
  Tensor Reshaped(const Shape& shape) const;
  // Elements [begin, end) of the first dimension, sharing the data. Precondition: rank >= 1.
  Tensor SliceRows(int64_t begin, int64_t end) const;
  // A window on the elements: writable and unique() as if it had a block of its own. Who made it
  // moves it, and sees to it that nobody else looks at what is written.
  Tensor Window() const;
  // Puts a window where element `first` begins. Precondition: the elements are there.
  void MoveWindow(const Tensor& over, int64_t first, const Shape& shape);
  Tensor DeepCopy() const;  // in the same memory; null Tensor when there is none
  // The same elements in other memory: this tensor, where they lie there.
  Result<Tensor> CopyTo(Allocator* memory) const;
  // Takes over the elements of a tensor of the same dtype and size, wherever they lie.
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
  // Precondition: one element of an integer type (int32 or int64).
  int64_t IntScalar(int64_t i = 0) const {
    return dtype() == DType::kInt64 ? data<int64_t>()[i] : data<int32_t>()[i];
  }
  // Nobody else holds the header or its data.
  bool unique() const {
    return rep_->refs.load(std::memory_order_acquire) == 1 && (!rep_->base || rep_->capacity);
  }
  // Whose block the data lies in: equal for a tensor and its aliases.
  const void* owner() const { return rep_->base ? rep_->base : rep_; }
  bool SharesDataWith(const Tensor& other) const { return rep_->data == other.rep_->data; }

  // The header as an opaque pointer that owns this reference, and back: what the C API hands out.
  void* Release() {
    Rep* rep = rep_;
    rep_ = nullptr;
    return rep;
  }
  static Tensor Adopt(void* header) { return Tensor(static_cast<Rep*>(header)); }

  // For the executor: reuse this header and its block for another value. Precondition: unique().
  // False when the block is too small or the types' storage differs.
  bool Recycle(DType dtype, const Shape& shape);

 private:
  struct alignas(64) Rep {
    std::atomic<int32_t> refs{1};
    DType dtype;
    int64_t elements;
    int64_t capacity;  // bytes for elements; 0 for an alias that is no window
    void* data;
    Rep* base;             // whose data this aliases, counted; null when owned
    Allocator* allocator;  // of the elements; on a device, the header is host memory's
    Shape shape;
  };
  static Allocator* HeadersOf(Allocator* a) { return a->is_host() ? a : HostAllocator(); }
  explicit Tensor(Rep* rep) : rep_(rep) {}
  static void Unref(Rep* rep) {
    // A sole owner needs no read-modify-write: nobody else can be counting.
    if (rep->refs.load(std::memory_order_acquire) == 1 ||
        rep->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
      Destroy(rep);
  }
  static void Destroy(Rep* rep);

  Rep* rep_ = nullptr;
};

}  // namespace tensh
