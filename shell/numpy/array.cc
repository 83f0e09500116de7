#include "shell/numpy/array.h"

#include <algorithm>
#include <cstring>

#include "shell/numpy/convert.h"
#include "shell/numpy/element.h"
#include "shell/numpy/quantized.h"
#include "shell/python/values/error.h"

namespace tensh::shell::np {
namespace {

void FillSteps(Array* a) {
  int64_t step = a->unit();
  for (int i = a->rank - 1; i >= 0; --i) {
    a->steps[static_cast<size_t>(i)] = step;
    step *= std::max<int64_t>(a->dim(i), 1);
  }
}

void SetDims(Array* a, Dims dims) {
  if (dims.size() > kMaxRank) {
    throw ValueError("maximum supported dimension for an ndarray is " + std::to_string(kMaxRank) +
                     ", found " + std::to_string(dims.size()));
  }
  int64_t n = 1;
  for (int64_t d : dims) {
    if (d < 0) throw ValueError("negative dimensions are not allowed");
    if (__builtin_mul_overflow(n, std::max<int64_t>(d, 1), &n) || n > (int64_t{1} << 58))
      throw ValueError(
          "array is too big; `arr.size * arr.dtype.itemsize` is larger than the "
          "maximum possible size.");
  }
  a->rank = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), a->extents.begin());
}

int StorageType(int dtype) { return IsText(dtype) ? TSH_STRING : dtype; }

template <class S, class D>
void CastLoop(char** p, int64_t n, const int64_t* steps) {
  const char* in = p[0];
  char* out = p[1];
  for (int64_t i = 0; i < n; ++i, in += steps[0], out += steps[1])
    *reinterpret_cast<D*>(out) = Convert<D>(*reinterpret_cast<const S*>(in));
}

InnerLoop FindCast(int from, int to) {
  InnerLoop loop = nullptr;
  WithType(from, [&]<class S>() { WithType(to, [&]<class D>() { loop = CastLoop<S, D>; }); });
  return loop;
}

void AssignNumbers(const Array& dst, const Array& src) {
  char* out = dst.WritableData();
  char* p[] = {const_cast<char*>(src.data()), out};
  const Array* operands[] = {&src, &dst};
  RunLoop(FindCast(src.dtype, dst.dtype), dst.dims(), p, operands);
}

// Both arrays hold text, or both hold objects.
void AssignElements(const Array& dst, const Array& src) {
  std::vector<int64_t> from;
  from.reserve(static_cast<size_t>(src.size()));
  ForEachOffset(src, [&](int64_t at) { from.push_back(at); });
  size_t next = 0;
  ForEachOffset(dst, [&](int64_t at) {
    const int64_t source = from[next++];
    if (dst.objects)
      dst.objects->items[static_cast<size_t>(at)] = src.objects->items[static_cast<size_t>(source)];
    else
      dst.SetString(at, std::string(src.string_at(source)));
  });
}

bool Overlaps(const Array& a, const Array& b) {
  return (a.buffer && a.buffer.get() == b.buffer.get()) ||
         (a.objects && a.objects.get() == b.objects.get());
}

}  // namespace

void Buffer::Refresh() {
  data_ = tensor_.dtype() == TSH_STRING ? nullptr : static_cast<char*>(tensor_.raw());
}

void Buffer::MakeWritable() {
  if (pinned_ || tensor_.unique()) return;
  TensorHandle copy = TensorHandle::Make(tensor_.dtype(), tensor_.dims());
  if (data_) {
    std::memcpy(copy.raw(), data_,
                static_cast<size_t>(tensor_.elements()) * tsh_dtype_size(tensor_.dtype()));
  } else {
    for (int64_t i = 0; i < tensor_.elements(); ++i) copy.SetString(i, tensor_.string_at(i));
  }
  tensor_ = std::move(copy);
  Refresh();
}

void Array::SetString(int64_t at, std::string_view v) const {
  buffer->MakeWritable();
  buffer->tensor().SetString(at, v);
}

void Array::NoBytes() const {
  throw TypeError("this needs an array of numbers, not of " + std::string(GetType(dtype).name));
}

bool Array::contiguous() const {
  int64_t step = unit();
  for (int i = rank - 1; i >= 0; --i) {
    if (dim(i) == 0) return true;
    if (dim(i) != 1 && this->step(i) != step) return false;
    step *= dim(i);
  }
  return true;
}

Array Empty(int dtype, Dims dims) {
  Array a;
  a.dtype = dtype;
  SetDims(&a, dims);
  FillSteps(&a);
  if (dtype == kDTypeObject) {
    a.objects = New<ListObject>(std::vector<Value>(static_cast<size_t>(a.size()), Value::None()));
  } else {
    a.buffer = Ref<Buffer>(new Buffer(TensorHandle::Make(StorageType(dtype), dims)));
  }
  return a;
}

Array Zeros(int dtype, Dims dims) {
  Array a = Empty(dtype, dims);
  if (HasBytes(dtype) && a.size() > 0)
    std::memset(a.buffer->data(), 0, static_cast<size_t>(a.size() * ItemSize(dtype)));
  return a;
}

Array FromHandle(TensorHandle t) {
  if (t.rank() > kMaxRank)
    throw ValueError("maximum supported dimension for an ndarray is " + std::to_string(kMaxRank) +
                     ", found " + std::to_string(t.rank()) +
                     ". Give the tensor another shape first: tf.reshape(t, [-1])");
  Array a;
  if (IsSmallType(t.dtype())) t = CastTo(t, PlainType(t.dtype()));
  a.dtype = GetType(PlainType(t.dtype())).dtype;
  SetDims(&a, t.dims());
  FillSteps(&a);
  a.buffer = Ref<Buffer>(new Buffer(std::move(t)));
  return a;
}

TensorHandle ToHandle(const Array& a) {
  if (a.objects) return ToHandle(Cast(a, TSH_STRING));
  const TensorHandle& whole = a.buffer->tensor();
  const bool all =
      a.offset == 0 && a.size() == whole.elements() && a.contiguous() && !a.buffer->pinned();
  if (all && whole.dtype() == StorageType(a.dtype)) {
    return SameDims(a.dims(), whole.dims()) ? whole : whole.Reshape(a.dims());
  }
  return Copy(a).buffer->tensor();
}

Array Copy(const Array& a) {
  Array out = Empty(a.dtype, a.dims());
  if (a.size() > 0 && HasBytes(a.dtype) && a.contiguous())
    std::memcpy(out.buffer->data(), a.data(), static_cast<size_t>(a.size() * ItemSize(a.dtype)));
  else
    Assign(out, a);
  return out;
}

Array Contiguous(const Array& a) { return a.contiguous() ? a : Copy(a); }

Array Cast(const Array& a, int dtype) {
  if (a.dtype == dtype) return a;
  if (!HasBytes(a.dtype) || !HasBytes(dtype)) return CastThroughValues(a, dtype);
  Array out = Empty(dtype, a.dims());
  AssignNumbers(out, a);
  return out;
}

void Assign(const Array& dst, const Array& src) {
  Array from;
  if (!BroadcastTo(src, dst.dims(), &from)) {
    // Drops extra leading axes of extent 1.
    Array slim = src;
    while (slim.rank > dst.rank && slim.dim(0) == 1) slim = DropAxis(slim, 0, 0);
    if (!BroadcastTo(slim, dst.dims(), &from)) {
      throw ValueError("could not broadcast input array from shape " + ShapeText(src.dims()) +
                       " into shape " + ShapeText(dst.dims()));
    }
  }
  if (dst.size() == 0) return;
  if (Overlaps(dst, src)) {
    Array apart = Empty(src.dtype, src.dims());
    Assign(apart, src);
    return Assign(dst, apart);
  }
  if (HasBytes(dst.dtype) && HasBytes(src.dtype)) return AssignNumbers(dst, from);
  const bool same =
      dst.objects ? static_cast<bool>(from.objects) : IsText(dst.dtype) && from.dtype == dst.dtype;
  if (same) return AssignElements(dst, from);
  Array cast = CastThroughValues(src, dst.dtype);
  Assign(dst, cast);
}

Array Flat(const Array& a) {
  const int64_t n = a.size();
  return Reshaped(a, {&n, 1});
}

Array Transposed(const Array& a, std::span<const int> axes) {
  Array out = a;
  for (size_t i = 0; i < axes.size(); ++i) {
    out.extents[i] = a.dim(axes[i]);
    out.steps[i] = a.step(axes[i]);
  }
  return out;
}

Array Transposed(const Array& a) {
  Array out = a;
  std::reverse(out.extents.begin(), out.extents.begin() + a.rank);
  std::reverse(out.steps.begin(), out.steps.begin() + a.rank);
  return out;
}

Array WithAxis(const Array& a, int at) {
  if (a.rank == kMaxRank)
    throw IndexError("number of dimensions must be within [0, " + std::to_string(kMaxRank) + "]");
  Array out = a;
  for (int i = a.rank; i > at; --i) {
    out.extents[static_cast<size_t>(i)] = a.dim(i - 1);
    out.steps[static_cast<size_t>(i)] = a.step(i - 1);
  }
  out.extents[static_cast<size_t>(at)] = 1;
  out.steps[static_cast<size_t>(at)] = 0;
  ++out.rank;
  return out;
}

Array DropAxis(const Array& a, int axis, int64_t index) {
  Array out = a;
  out.offset += index * a.step(axis);
  for (int i = axis; i + 1 < a.rank; ++i) {
    out.extents[static_cast<size_t>(i)] = a.dim(i + 1);
    out.steps[static_cast<size_t>(i)] = a.step(i + 1);
  }
  --out.rank;
  return out;
}

Array Sliced(const Array& a, int axis, int64_t start, int64_t step, int64_t n) {
  Array out = a;
  const size_t i = static_cast<size_t>(axis);
  if (n > 0) out.offset += start * a.steps[i];
  out.steps[i] *= step;
  out.extents[i] = n;
  return out;
}

namespace {

// Finds strides for the extents of `out` over the same elements without moving them. Returns false
// if no such strides exist.
bool ViewSteps(const Array& a, Array* out) {
  std::vector<int64_t> extents, steps;
  for (int i = 0; i < a.rank; ++i) {
    if (a.dim(i) == 1) continue;
    extents.push_back(a.dim(i));
    steps.push_back(a.step(i));
  }
  size_t from = 0;
  int to = 0;
  while (from < extents.size() && to < out->rank) {
    int64_t have = extents[from], want = out->dim(to);
    size_t from_end = from + 1;
    int to_end = to + 1;
    while (have != want) {
      if (want < have)
        want *= out->dim(to_end++);
      else
        have *= extents[from_end++];
    }
    for (size_t k = from; k + 1 < from_end; ++k)
      if (steps[k] != steps[k + 1] * extents[k + 1]) return false;
    int64_t step = steps[from_end - 1];
    for (int k = to_end - 1; k >= to; --k) {
      out->steps[static_cast<size_t>(k)] = step;
      step *= out->dim(k);
    }
    from = from_end;
    to = to_end;
  }
  // The remaining extents are 1.
  for (; to < out->rank; ++to) out->steps[static_cast<size_t>(to)] = a.unit();
  return true;
}

}  // namespace

Array Reshaped(const Array& a, Dims dims) {
  Extents want(dims.begin(), dims.end());
  const auto fail = [&] {
    return ValueError("cannot reshape array of size " + std::to_string(a.size()) + " into shape " +
                      ShapeText(dims));
  };
  int64_t known = 1;
  int64_t* unknown = nullptr;
  for (int64_t& d : want) {
    if (d < 0) {
      if (unknown) throw ValueError("can only specify one unknown dimension");
      unknown = &d;
    } else if (__builtin_mul_overflow(known, d, &known)) {
      throw fail();
    }
  }
  if (unknown) {
    if (known == 0 || a.size() % known != 0) throw fail();
    *unknown = a.size() / known;
    known *= *unknown;
  }
  if (known != a.size()) throw fail();
  Array out = a;
  SetDims(&out, want);
  if (a.size() == 0) {
    FillSteps(&out);
    return out;
  }
  if (ViewSteps(a, &out)) return out;
  return Reshaped(Copy(a), want);
}

bool BroadcastTo(const Array& a, Dims dims, Array* out) {
  if (static_cast<size_t>(a.rank) > dims.size()) return false;
  Array wide = a;
  wide.rank = static_cast<int>(dims.size());
  const int shift = wide.rank - a.rank;
  for (int i = wide.rank - 1; i >= 0; --i) {
    const size_t at = static_cast<size_t>(i);
    wide.extents[at] = dims[at];
    const bool repeats = i < shift || (a.dim(i - shift) == 1 && dims[at] != 1);
    if (!repeats && a.dim(i - shift) != dims[at]) return false;
    wide.steps[at] = repeats ? 0 : a.step(i - shift);
  }
  *out = std::move(wide);
  return true;
}

bool BroadcastDims(Dims a, Dims b, Extents* out) {
  const size_t rank = std::max(a.size(), b.size());
  out->assign(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return false;
    (*out)[rank - 1 - i] = x == 1 ? y : x;
  }
  return true;
}

bool SameDims(Dims a, Dims b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::string ShapeText(Dims dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? "," : "") + std::to_string(dims[i]);
  return text + (dims.size() == 1 ? ",)" : ")");
}

int64_t Product(Dims dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

void RunLoop(InnerLoop loop, Dims dims, std::span<char*> p,
             std::span<const Array* const> operands) {
  constexpr size_t kMaxOperands = 4;
  // The first `rank` entries of the arrays are in use.
  std::array<int64_t, kMaxRank> extents, index;
  std::array<std::array<int64_t, kMaxOperands>, kMaxRank> steps;
  size_t rank = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return;
    if (dims[i] == 1) continue;
    std::array<int64_t, kMaxOperands> step{};
    for (size_t k = 0; k < operands.size(); ++k) step[k] = operands[k]->steps[i];
    bool merges = rank > 0;
    for (size_t k = 0; merges && k < operands.size(); ++k)
      merges = steps[rank - 1][k] == step[k] * dims[i];
    if (merges) {
      extents[rank - 1] *= dims[i];
      steps[rank - 1] = step;
    } else {
      extents[rank] = dims[i];
      index[rank] = 0;
      steps[rank++] = step;
    }
  }
  char* at[kMaxOperands] = {};
  std::copy(p.begin(), p.end(), at);
  if (rank == 0) {
    const int64_t none[kMaxOperands] = {};
    return loop(at, 1, none);
  }
  for (;;) {
    char* row[kMaxOperands];
    std::copy(at, at + kMaxOperands, row);
    loop(row, extents[rank - 1], steps[rank - 1].data());
    size_t i = rank - 1;
    for (;;) {
      if (i-- == 0) return;
      for (size_t k = 0; k < p.size(); ++k) at[k] += steps[i][k];
      if (++index[i] < extents[i]) break;
      for (size_t k = 0; k < p.size(); ++k) at[k] -= steps[i][k] * extents[i];
      index[i] = 0;
    }
  }
}

}  // namespace tensh::shell::np
