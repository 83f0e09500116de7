#include "runtime/core/tensor.h"

#include <algorithm>
#include <memory>
#include <new>

#include "runtime/core/resource.h"
#include "runtime/core/variant.h"

namespace tensh {
namespace {

// fn(typed pointer) for element types that are objects; false for plain bytes.
template <class Fn>
bool WithObjects(DType dtype, void* data, Fn fn) {
  if (dtype == DType::kString) return fn(static_cast<std::string*>(data)), true;
  if (dtype == DType::kResource) return fn(static_cast<ResourceHandle*>(data)), true;
  if (dtype == DType::kVariant) return fn(static_cast<Variant*>(data)), true;
  return false;
}

}  // namespace

Result<Tensor> Tensor::Make(DType dtype, const Shape& shape, Allocator* allocator) {
  TENSH_CHECK(shape.IsFullyKnown(), "Tensor::Make ", shape);
  int64_t elements = 1, bytes = 0;
  bool overflow = false;
  for (int64_t d : shape.dims()) overflow |= __builtin_mul_overflow(elements, d, &elements);
  overflow |= __builtin_mul_overflow(elements, SizeOf(dtype), &bytes);
  void* block = overflow || bytes > (int64_t{1} << 46)
                    ? nullptr
                    : allocator->Allocate(sizeof(Rep) + static_cast<size_t>(bytes));
  if (!block)
    return ResourceExhausted("OOM when allocating tensor with shape", shape, " and type ",
                             SignatureName(dtype));
  Rep* rep = new (block) Rep;
  rep->dtype = dtype;
  rep->elements = elements;
  rep->capacity = bytes;
  rep->data = static_cast<char*>(block) + sizeof(Rep);
  rep->base = nullptr;
  rep->allocator = allocator;
  rep->shape = shape;
  WithObjects(dtype, rep->data,
              [&](auto* data) { std::uninitialized_default_construct_n(data, elements); });
  return Tensor(rep);
}

Tensor Tensor::Reshaped(const Shape& shape) const {
  TENSH_CHECK(shape.num_elements() == num_elements(), "Reshaped ", rep_->shape, " to ", shape);
  void* block = rep_->allocator->Allocate(sizeof(Rep));
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

Tensor Tensor::DeepCopy() const {
  Result<Tensor> copy = Make(dtype(), shape(), rep_->allocator);
  if (!copy.ok()) return Tensor();
  const bool objects = WithObjects(dtype(), raw(), [&](auto* from) {
    std::copy_n(from, num_elements(), static_cast<decltype(from)>(copy->raw()));
  });
  if (!objects && bytes()) std::memcpy(copy->raw(), raw(), bytes());
  return *std::move(copy);
}

bool Tensor::Recycle(DType dtype, const Shape& shape) {
  if (dtype != rep_->dtype && !(IsPod(dtype) && IsPod(rep_->dtype))) return false;
  if (!IsPod(dtype) && !(shape == rep_->shape)) return false;
  int64_t elements = shape.num_elements();
  if (elements * SizeOf(dtype) > rep_->capacity) return false;
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
  size_t bytes = sizeof(Rep) + static_cast<size_t>(rep->capacity);
  rep->~Rep();
  allocator->Free(rep, bytes);
}

}  // namespace tensh
