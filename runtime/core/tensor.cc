#include "runtime/core/tensor.h"

#include <algorithm>
#include <memory>
#include <new>

#include "runtime/core/resource.h"
#include "runtime/core/variant.h"

namespace tensh {
namespace {

// Calls fn(typed pointer) if the elements are objects. Returns false for plain bytes.
template <class Fn>
bool WithObjects(DType dtype, void* data, Fn fn) {
  if (dtype == DType::kString) return fn(static_cast<std::string*>(data)), true;
  if (dtype == DType::kResource) return fn(static_cast<ResourceHandle*>(data)), true;
  if (dtype == DType::kVariant) return fn(static_cast<Variant*>(data)), true;
  return false;
}

}  // namespace

Status Allocator::CopyIn(void* to, const void* host, size_t bytes) {
  std::memcpy(to, host, bytes);
  return {};
}

Status Allocator::CopyOut(void* host, const void* from, size_t bytes) {
  std::memcpy(host, from, bytes);
  return {};
}

Status Allocator::CopyWithin(void* to, const void* from, size_t bytes) {
  std::memmove(to, from, bytes);
  return {};
}

Status Allocator::CopyAcross(void* to, Allocator& source, const void* from, size_t bytes) {
  if (is_host()) return source.CopyOut(to, from, bytes);
  if (source.is_host()) return CopyIn(to, from, bytes);
  TENSH_ASSIGN(const Tensor between,
               Tensor::Make(DType::kUint8, Shape({static_cast<int64_t>(bytes)})));
  TENSH_RETURN_IF_ERROR(source.CopyOut(between.raw(), from, bytes));
  return CopyIn(to, between.raw(), bytes);
}

// Sizes may come from untrusted messages, so products are checked for overflow before anything is
// allocated.
Result<Tensor> Tensor::Make(DType dtype, const Shape& shape, Allocator* allocator) {
  TENSH_CHECK(shape.IsFullyKnown(), "Tensor::Make ", shape);
  int64_t elements = 0, bytes = 0;
  bool overflow = !shape.CountElements(&elements);
  overflow |= __builtin_mul_overflow(elements, SizeOf(dtype), &bytes);
  if (!IsPod(dtype) && !allocator->is_host()) allocator = HostAllocator();
  const bool together = allocator->is_host(), possible = !overflow && bytes <= (int64_t{1} << 46);
  const size_t size = static_cast<size_t>(bytes);
  void* data = possible && !together ? allocator->Allocate(size) : nullptr;
  void* block = !possible  ? nullptr
                : together ? allocator->Allocate(sizeof(Rep) + size)
                : data     ? HostAllocator()->Allocate(sizeof(Rep))
                           : nullptr;
  if (!block && data) allocator->Free(data, size);
  if (!block)
    return ResourceExhausted("OOM when allocating tensor with shape", shape, " and type ",
                             SignatureName(dtype));
  Rep* rep = new (block) Rep;
  rep->dtype = dtype;
  rep->elements = elements;
  rep->capacity = bytes;
  rep->data = together ? static_cast<char*>(block) + sizeof(Rep) : data;
  rep->base = nullptr;
  rep->allocator = allocator;
  rep->shape = shape;
  WithObjects(dtype, rep->data,
              [&](auto* data) { std::uninitialized_default_construct_n(data, elements); });
  return Tensor(rep);
}

Tensor Tensor::Reshaped(const Shape& shape) const {
  TENSH_CHECK(shape.num_elements() == num_elements(), "Reshaped ", rep_->shape, " to ", shape);
  void* block = HeadersOf(rep_->allocator)->Allocate(sizeof(Rep));
  TENSH_CHECK(block, "no memory for a tensor header");
  Rep* rep = new (block) Rep;
  Rep* base = rep_->base ? rep_->base : rep_;
  base->refs.fetch_add(1, std::memory_order_relaxed);
  rep->dtype = rep_->dtype;
  rep->elements = rep_->elements;
  rep->capacity = 0;
  rep->data = rep_->data;
  rep->base = base;
  rep->allocator = rep_->allocator;
  rep->shape = shape;
  return Tensor(rep);
}

Tensor Tensor::SliceRows(int64_t begin, int64_t end) const {
  Tensor view = Reshaped(rep_->shape);
  int64_t row = 1;
  for (int i = 1; i < rank(); ++i) row *= dim(i);
  view.rep_->shape.set_dim(0, end - begin);
  view.rep_->elements = (end - begin) * row;
  view.rep_->data = static_cast<char*>(rep_->data) + begin * row * SizeOf(dtype());
  return view;
}

Tensor Tensor::Window() const { return Reshaped(shape()); }

void Tensor::MoveWindow(const Tensor& over, int64_t first, const Shape& shape) {
  rep_->elements = shape.num_elements();
  rep_->shape = shape;
  rep_->data = static_cast<char*>(over.raw()) + first * SizeOf(dtype());
  rep_->capacity = bytes();
}

Tensor Tensor::DeepCopy() const {
  Result<Tensor> copy = Make(dtype(), shape(), rep_->allocator);
  if (!copy.ok()) return Tensor();
  if (!copy->CopyElementsFrom(*this).ok()) return Tensor();
  return *std::move(copy);
}

Result<Tensor> Tensor::CopyTo(Allocator* memory) const {
  const bool there =
      rep_->allocator == memory || (on_host() && (memory->is_host() || !IsPod(dtype())));
  if (there) return *this;
  TENSH_ASSIGN(Tensor copy, Make(dtype(), shape(), memory));
  TENSH_RETURN_IF_ERROR(copy.CopyElementsFrom(*this));
  return copy;
}

Status Tensor::CopyElementsFrom(const Tensor& other) const {
  const bool objects = WithObjects(dtype(), other.raw(), [&](auto* from) {
    std::copy_n(from, num_elements(), static_cast<decltype(from)>(raw()));
  });
  const size_t size = static_cast<size_t>(bytes());
  if (objects || !size) return {};
  if (allocator() == other.allocator() || (on_host() && other.on_host()))
    return allocator()->CopyWithin(raw(), other.raw(), size);
  return allocator()->CopyAcross(raw(), *other.allocator(), other.raw(), size);
}

bool Tensor::Recycle(DType dtype, const Shape& shape) {
  if (dtype != rep_->dtype && !(IsPod(dtype) && IsPod(rep_->dtype))) return false;
  if (!IsPod(dtype) && !(shape == rep_->shape)) return false;
  int64_t elements = 0;
  if (!shape.CountElements(&elements) || elements * SizeOf(dtype) > rep_->capacity) return false;
  rep_->dtype = dtype;
  rep_->elements = elements;
  rep_->shape = shape;
  return true;
}

void Tensor::Destroy(Rep* rep) {
  if (rep->base) {
    Unref(rep->base);
  } else {
    WithObjects(rep->dtype, rep->data, [&](auto* data) { std::destroy_n(data, rep->elements); });
  }
  Allocator* allocator = rep->allocator;
  const size_t capacity = rep->base ? 0 : static_cast<size_t>(rep->capacity);
  const bool together = allocator->is_host();
  if (!together && !rep->base) allocator->Free(rep->data, capacity);
  rep->~Rep();
  HeadersOf(allocator)->Free(rep, together ? sizeof(Rep) + capacity : sizeof(Rep));
}

}  // namespace tensh
