#pragma once
// Memory that a thread of a kernel uses during a call, for elements without constructors. It comes
// from the kernel's allocator, which keeps large blocks, because the system clears fresh memory.
#include <new>

#include "runtime/core/tensor.h"

namespace tensh::ops {

template <class T>
class Scratch {
 public:
  // The elements are unspecified. If the allocator has no memory, operator new is tried, whose
  // exception becomes the kernel's error.
  Scratch(Allocator* allocator, int64_t n)
      : allocator_(allocator), bytes_(static_cast<size_t>(n) * sizeof(T)) {
    data_ = static_cast<T*>(allocator->Allocate(bytes_));
    if (data_) return;
    allocator_ = nullptr;
    data_ = static_cast<T*>(::operator new(bytes_));
  }
  ~Scratch() {
    if (allocator_)
      allocator_->Free(data_, bytes_);
    else
      ::operator delete(data_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* get() const { return data_; }
  T& operator[](int64_t i) const { return data_[i]; }

 private:
  Allocator* allocator_;
  size_t bytes_;
  T* data_;
};

}  // namespace tensh::ops
