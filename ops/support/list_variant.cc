#include "ops/support/list_variant.h"

#include <atomic>

#include "ops/support/array_copy.h"
#include "ops/support/rows_shape.h"
#include "ops/support/shape_util.h"
#include "ops/support/tensor_list.h"
#include "runtime/base/wire.h"
#include "runtime/core/tensor_message.h"

namespace tensh::ops {
namespace {

// Limits the nesting of lists within lists, which are copied and destroyed recursively.
class DepthGuard {
 public:
  DepthGuard() { ++depth; }
  ~DepthGuard() { --depth; }
  static Status Check() {
    return depth <= 1000 ? Status() : ResourceExhausted("lists are nested too deeply");
  }

 private:
  static thread_local int depth;
};
thread_local int DepthGuard::depth = 0;

Result<std::shared_ptr<VariantValue>> ValueIn(KernelCtx& c, int i) {
  const Tensor& t = c.in(i);
  if (t.num_elements() != 1 || t.rank() != 0)
    return InvalidArgument("Input handle is not a scalar. Saw: ", t.shape());
  return t.data<Variant>()->value;
}

Status CheckList(KernelCtx& c, const TensorListValue* list, const VariantValue* value,
                 bool check_dtype) {
  if (!list)
    return InvalidArgument("Input handle is not a list. Saw: '",
                           value ? value->kind() : "uninitialized", "'");
  const DType wanted = check_dtype ? c.state<ListState>().dtype : list->dtype;
  if (list->dtype != wanted)
    return InvalidArgument("Invalid data types; op elements ", Name(wanted), " but list elements ",
                           Name(list->dtype));
  return {};
}

}  // namespace

Result<Tensor> ZerosLikeTensor(const Tensor& t) {
  const DepthGuard guard;
  TENSH_RETURN_IF_ERROR(DepthGuard::Check());
  if (t.dtype() != DType::kVariant) return ZerosOf(t.dtype(), t.shape());
  TENSH_ASSIGN(Tensor zeros, Tensor::Make(DType::kVariant, t.shape()));
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const auto& value = t.data<Variant>()[i].value;
    if (!value) continue;
    TENSH_ASSIGN(zeros.data<Variant>()[i].value, value->Zeros());
  }
  return zeros;
}

Result<Tensor> AddTensors(const Tensor& a, const Tensor& b) {
  const DepthGuard guard;
  TENSH_RETURN_IF_ERROR(DepthGuard::Check());
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape()))
    return InvalidArgument("cannot add a tensor of type ", Name(a.dtype()), " and shape ",
                           a.shape(), " and one of type ", Name(b.dtype()), " and shape ",
                           b.shape());
  if (a.dtype() != DType::kVariant) {
    TENSH_ASSIGN(const Tensor x, a.CopyTo(HostAllocator()));
    TENSH_ASSIGN(const Tensor y, b.CopyTo(HostAllocator()));
    return SumOf(x, y);
  }
  TENSH_ASSIGN(Tensor sum, Tensor::Make(DType::kVariant, a.shape()));
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const auto &x = a.data<Variant>()[i].value, &y = b.data<Variant>()[i].value;
    // An empty variant counts as zero.
    if (!x || !y) {
      sum.data<Variant>()[i].value = x ? x : y;
      continue;
    }
    TENSH_ASSIGN(sum.data<Variant>()[i].value, x->Plus(*y));
  }
  return sum;
}

Result<std::shared_ptr<VariantValue>> TensorListValue::Zeros() const {
  auto zeros = std::make_shared<TensorListValue>(dtype, element_shape);
  zeros->max_size = max_size;
  for (const Tensor& t : items) {
    Tensor& zero = zeros->items.emplace_back();
    if (!t) continue;
    TENSH_ASSIGN(zero, ZerosLikeTensor(t));
  }
  return std::shared_ptr<VariantValue>(std::move(zeros));
}

Result<std::shared_ptr<VariantValue>> TensorListValue::Plus(const VariantValue& other) const {
  const auto* b = dynamic_cast<const TensorListValue*>(&other);
  if (!b) return InvalidArgument("cannot add a TensorList and a ", other.kind());
  if (dtype != b->dtype)
    return InvalidArgument("Trying to add two lists of tensors of different dtypes. One is ",
                           Name(dtype), " and the other is ", Name(b->dtype));
  if (items.size() != b->items.size())
    return InvalidArgument("Trying to add two lists of tensors with different lengths. One is ",
                           items.size(), " and the other is ", b->items.size());
  TENSH_ASSIGN(Shape shape, Shape::Merge(element_shape, b->element_shape));
  auto sum = std::make_shared<TensorListValue>(dtype, shape);
  for (size_t i = 0; i < items.size(); ++i) {
    Tensor& t = sum->items.emplace_back();
    if (!items[i] || !b->items[i]) {
      t = items[i] ? items[i] : b->items[i];
      continue;
    }
    TENSH_ASSIGN(t, AddTensors(items[i], b->items[i]));
  }
  return std::shared_ptr<VariantValue>(std::move(sum));
}

// The metadata of TensorFlow: the number of the elements that are not set and their positions, the
// dtype, the maximum size, and the shape as a message. The tensors are the elements that are set.
Result<VariantFields> TensorListValue::Fields() const {
  VariantFields fields{.type_name = kTypeName, .metadata = {}, .tensors = {}};
  std::vector<size_t> unset;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i])
      fields.tensors.push_back(items[i]);
    else
      unset.push_back(i);
  }
  AppendVarint(fields.metadata, unset.size());
  for (const size_t i : unset) AppendVarint(fields.metadata, i);
  AppendVarint(fields.metadata, static_cast<uint64_t>(dtype));
  AppendVarint(fields.metadata, static_cast<uint64_t>(max_size));
  fields.metadata += EncodeShape(element_shape);
  return fields;
}

Result<std::shared_ptr<VariantValue>> TensorListValue::Read(VariantFields fields) {
  std::string_view in = fields.metadata;
  uint64_t count = 0, type = 0, max_size = 0;
  const auto bad = [] { return InvalidArgument("the metadata of a TensorList cannot be read"); };
  if (!TakeVarint(in, count) || count > in.size()) return bad();
  std::vector<bool> is_unset(fields.tensors.size() + count);
  uint64_t next = 0;
  for (uint64_t at = 0; count > 0; --count, next = at + 1) {
    if (!TakeVarint(in, at) || at < next || at >= is_unset.size()) return bad();
    is_unset[at] = true;
  }
  if (!TakeVarint(in, type) || !TakeVarint(in, max_size)) return bad();
  const auto dtype = static_cast<DType>(type < uint64_t{kRefOffset} ? type : 0);
  if (dtype == DType::kInvalid || SizeOf(dtype) == 0) return bad();
  TENSH_ASSIGN(const Shape shape, DecodeShape(in));
  auto list = std::make_shared<TensorListValue>(dtype, shape);
  list->max_size = static_cast<int64_t>(max_size);
  auto from = fields.tensors.begin();
  for (const bool unset : is_unset) {
    Tensor& item = list->items.emplace_back();
    if (unset) continue;
    item = std::move(*from++);
    if (item.dtype() != dtype || !item.shape().IsCompatibleWith(shape))
      return InvalidArgument("a TensorList of ", Name(dtype), " and shape ", shape,
                             " contains a tensor of ", Name(item.dtype()), " and shape ",
                             item.shape());
  }
  return std::shared_ptr<VariantValue>(std::move(list));
}

void ListState::Read(PrepareCtx& c) {
  if (const AttrValue* v = c.attrs().Find("element_dtype")) dtype = *v->Find<DType>();
  if (const AttrValue* v = c.attrs().Find("num_elements")) number = *v->Find<int64_t>();
  if (const AttrValue* v = c.attrs().Find("resize_if_index_out_of_bounds"))
    resizes = *v->Find<bool>();
}

Result<const TensorListValue*> ListIn(KernelCtx& c, int i, bool check_dtype) {
  TENSH_ASSIGN(auto value, ValueIn(c, i));
  const auto* list = dynamic_cast<const TensorListValue*>(value.get());
  TENSH_RETURN_IF_ERROR(CheckList(c, list, value.get(), check_dtype));
  return list;
}

Result<OwnedList> OwnedList::Take(KernelCtx& c, int i, bool check_dtype) {
  TENSH_RETURN_IF_ERROR(ListIn(c, i, check_dtype).status());
  OwnedList out;
  out.tensor_ = c.TakeInput(i);
  Variant& variant = *out.tensor_.data<Variant>();
  const bool ours = out.tensor_.unique();
  auto value = ours ? std::move(variant.value) : variant.value;
  auto list = std::static_pointer_cast<TensorListValue>(std::move(value));
  if (ours && list.use_count() == 1) {
#ifndef __SANITIZE_THREAD__  // TSan does not model fences
    // Synchronizes with the release of the list by its previous owner, whose writes must be visible
    // here.
    std::atomic_thread_fence(std::memory_order_acquire);
#endif
    out.list_ = std::move(list);
  } else {
    out.list_ = std::make_shared<TensorListValue>(*list);
  }
  if (!ours) out.tensor_ = Tensor();
  return out;
}

void OwnedList::Give(KernelCtx& c, int o) {
  if (tensor_) {
    tensor_.data<Variant>()->value = std::move(list_);
    c.SetOutput(o, std::move(tensor_));
  } else {
    c.SetOutput(o, VariantTensor(std::move(list_)));
  }
}

void GiveList(KernelCtx& c, std::shared_ptr<TensorListValue> list) {
  c.SetOutput(0, VariantTensor(std::move(list)));
}

Result<Shape> ElementShape(const Tensor& t) {
  if (t.rank() == 0) {
    if (t.IntScalar() == -1) return Shape::Unknown();
    return InvalidArgument(
        "The only valid scalar shape tensor is the fully unknown shape specified as -1.");
  }
  if (t.rank() != 1)
    return InvalidArgument("Expected the shape to be a vector or the scalar -1, but has shape ",
                           t.shape());
  return Shape::Make(IndexValues(t), false);
}

Result<Shape> ElementShape(const Tensor& t, const TensorListValue& list) {
  TENSH_ASSIGN(Shape shape, ElementShape(t));
  if (!shape.IsCompatibleWith(list.element_shape))
    return InvalidArgument("Incompatible ranks or shapes: the list's elements have shape ",
                           list.element_shape, ", the op's ", shape);
  return Shape::Merge(shape, list.element_shape);
}

Result<Tensor> ItemOrZeros(const TensorListValue& list, size_t i, const Shape& shape) {
  if (list.items[i]) return list.items[i];
  if (!shape.IsFullyKnown())
    return InvalidArgument(
        "Trying to read an uninitialized tensor but element_shape is not fully "
        "defined: ",
        shape);
  if (list.dtype == DType::kVariant) return Tensor::Make(DType::kVariant, shape);
  return ZerosOf(list.dtype, shape);
}

Result<Shape> ShapeOfItems(const TensorListValue& list, Shape shape) {
  for (const Tensor& t : list.items) {
    if (!t) continue;
    if (!shape.IsCompatibleWith(t.shape()))
      return InvalidArgument("the list has an element of shape ", t.shape(),
                             ", but other elements or the op require ", shape);
    shape = t.shape();
  }
  return shape;
}

Result<Shape> StackedShape(int64_t count, const Shape& shape) { return RowsShape(count, shape); }

Tensor RowOf(const Tensor& t, int64_t i) {
  return t.SliceRows(i, i + 1).Reshaped(Shape(t.shape().dims().subspan(1)));
}

Result<Tensor> UsableBy(KernelCtx& c, const Tensor& item) {
  if (!c.allocator()->is_host()) return item;
  return item.CopyTo(c.allocator());
}

Status GiveRows(KernelCtx& c, int o, const Shape& shape, std::span<const Tensor> rows) {
  TENSH_OUTPUT(out, c.Output(o, shape));
  int64_t at = 0;
  for (const Tensor& row : rows) {
    const int64_t n = row.num_elements();
    TENSH_ASSIGN(const Tensor near, row.CopyTo(out->on_host() ? HostAllocator() : c.allocator()));
    if (n) CopyElements(c, out->dtype(), At(*out, at), near.raw(), n);
    at += n;
  }
  return {};
}

Result<int64_t> ScalarIn(KernelCtx& c, int i, const char* what) {
  if (c.in(i).num_elements() == 1) return c.in(i).IntScalar();
  return InvalidArgument(what, " must be a scalar, but has shape ", c.in(i).shape());
}

Status HandleShape(ShapeCtx& c) {
  c.Set(0, Shape());
  return {};
}

Status ZerosLikeVariants(KernelCtx& c) {
  TENSH_ASSIGN(Tensor zeros, ZerosLikeTensor(c.in(0)));
  c.SetOutput(0, std::move(zeros));
  return {};
}

Status AddVariants(KernelCtx& c) {
  Tensor sum = c.in(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    TENSH_ASSIGN(sum, AddTensors(sum, c.in(i)));
  }
  c.SetOutput(0, std::move(sum));
  return {};
}

}  // namespace tensh::ops
