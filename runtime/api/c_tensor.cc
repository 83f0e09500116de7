// The functions of tensh.h on tensors.
#include <atomic>
#include <cstring>

#include "runtime/api/c_types.h"
#include "runtime/core/tensor_message.h"
#include "tensh/tensh_plugin.h"

using namespace tensh;
using namespace tensh::api;

namespace {

// Accesses the tensor of a handle without changing its count.
class Peek {
 public:
  explicit Peek(const tsh_tensor* t) : tensor_(Tensor::Adopt(const_cast<tsh_tensor*>(t))) {}
  ~Peek() { (void)tensor_.Release(); }
  Tensor* operator->() { return &tensor_; }
  const Tensor& operator*() const { return tensor_; }

 private:
  Tensor tensor_;
};

// The allocator of one borrowed tensor. It ends with its last block, when nothing refers to the memory
// any longer, and then calls release. Kernels may allocate further blocks from it.
class Lender : public Allocator {
 public:
  Lender(void (*release)(void*), void* context) : release_(release), context_(context) {}
  void* Allocate(size_t bytes) override {
    void* block = HostAllocator()->Allocate(bytes);
    if (block) blocks_.fetch_add(1, std::memory_order_relaxed);
    return block;
  }
  void Free(void* data, size_t bytes) override {
    HostAllocator()->Free(data, bytes);
    if (blocks_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (lent_) release_(context_);
    delete this;
  }
  void Lend() { lent_ = true; }

 private:
  void (*release_)(void*);
  void* context_;
  std::atomic<int64_t> blocks_{0};
  bool lent_ = false;  // false if the tensor could not be made
};

// Returns a tensor over memory of the caller: a window on an empty block, moved there. The alias that is
// returned is never unique(), so that no kernel writes it.
Result<Tensor> Borrow(DType dtype, const Shape& shape, void* data, void (*release)(void*),
                      void* context) {
  auto* lender = new Lender(release, context);
  Result<Tensor> base = Tensor::Make(DType::kUint8, Shape({1}), lender);
  if (!base.ok()) {
    delete lender;
    return base.status();
  }
  Tensor window = base->Window();
  const int64_t bytes = shape.num_elements() * static_cast<int64_t>(SizeOf(dtype));
  const auto offset = static_cast<int64_t>(reinterpret_cast<intptr_t>(data) -
                                           reinterpret_cast<intptr_t>(base->raw()));
  window.MoveWindow(*base, offset, Shape({bytes}));
  if (!window.Recycle(dtype, shape)) return Internal("a borrowed tensor does not fit");
  lender->Lend();
  return window.Reshaped(shape);
}

bool HasString(const tsh_tensor* t, int64_t i) {
  return t && Peek(t)->dtype() == DType::kString && i >= 0 && i < Peek(t)->num_elements();
}

}  // namespace

tsh_tensor* tsh_tensor_new(int dtype, const int64_t* dims, int rank, tsh_status* status) {
  tsh_tensor* made = nullptr;
  Guard(status, [&]() -> Status {
    const DType type = TypeIn(dtype);
    if (IsRef(type) || (!IsPod(type) && type != DType::kString))
      return InvalidArgument("no tensor can have type ", dtype);
    TENSH_ASSIGN(Shape shape, ShapeIn(dims, rank, true));
    TENSH_ASSIGN(Tensor tensor, Tensor::Make(type, shape));
    made = Handle(std::move(tensor));
    return {};
  });
  return made;
}

tsh_tensor* tsh_tensor_borrow(int dtype, const int64_t* dims, int rank, void* data,
                              void (*release)(void*), void* context, tsh_status* status) {
  tsh_tensor* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(data);
    TENSH_NEED(release);
    const DType type = TypeIn(dtype);
    if (IsRef(type) || !IsPod(type))
      return InvalidArgument("no tensor of type ", dtype, " can be borrowed");
    TENSH_ASSIGN(Shape shape, ShapeIn(dims, rank, true));
    TENSH_ASSIGN(Tensor tensor, Borrow(type, shape, data, release, context));
    made = Handle(std::move(tensor));
    return {};
  });
  return made;
}

tsh_tensor* tsh_tensor_ref(tsh_tensor* t) { return t ? Handle(FromHandle(t)) : nullptr; }
void tsh_tensor_unref(tsh_tensor* t) { Tensor::Adopt(t); }
int tsh_tensor_unique(const tsh_tensor* t) { return t && Peek(t)->unique(); }
int tsh_tensor_dtype(const tsh_tensor* t) { return t ? static_cast<int>(Peek(t)->dtype()) : 0; }
int tsh_tensor_rank(const tsh_tensor* t) { return t ? Peek(t)->rank() : 0; }
const int64_t* tsh_tensor_dims(const tsh_tensor* t) {
  return t ? Peek(t)->shape().dims().data() : nullptr;
}
int64_t tsh_tensor_elements(const tsh_tensor* t) { return t ? Peek(t)->num_elements() : 0; }
void* tsh_tensor_data(tsh_tensor* t) {
  return t && IsPod(Peek(t)->dtype()) ? Peek(t)->raw() : nullptr;
}

const char* tsh_tensor_string(const tsh_tensor* t, int64_t i, size_t* length) {
  if (length) *length = 0;
  if (!HasString(t, i)) return nullptr;
  const std::string& text = Peek(t)->data<std::string>()[i];
  if (length) *length = text.size();
  return text.c_str();
}

int tsh_tensor_set_string(tsh_tensor* t, int64_t i, const char* text, size_t length) {
  return Guard(nullptr, [&]() -> Status {
    if (!HasString(t, i) || (length > 0 && !text)) return InvalidArgument("no such element");
    Peek(t)->data<std::string>()[i].assign(text, length);
    return {};
  });
}

tsh_tensor* tsh_tensor_reshape(tsh_tensor* t, const int64_t* dims, int rank, tsh_status* status) {
  tsh_tensor* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(t);
    TENSH_ASSIGN(Shape shape, ShapeIn(dims, rank, true));
    if (shape.num_elements() != Peek(t)->num_elements())
      return InvalidArgument("cannot reshape ", Peek(t)->shape(), " to ", shape,
                             ": the sizes differ");
    made = Handle(Peek(t)->Reshaped(shape));
    return {};
  });
  return made;
}

char* tsh_tensor_encode(const tsh_tensor* t, size_t* head_size, size_t* content_size,
                        tsh_status* status) {
  char* head = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(t);
    TENSH_NEED(head_size);
    TENSH_NEED(content_size);
    TENSH_ASSIGN(const TensorMessage message, TryEncodeTensor(*Peek(t)));
    *head_size = message.head.size();
    *content_size = message.content.size();
    head = TextOut(message.head);
    return head ? Status() : ResourceExhausted("out of memory");
  });
  return head;
}

tsh_tensor* tsh_tensor_decode(const char* message, size_t size, tsh_status* status) {
  tsh_tensor* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(message || size == 0);
    TENSH_ASSIGN(Tensor tensor, DecodeTensor({message, size}));
    made = Handle(std::move(tensor));
    return {};
  });
  return made;
}
