#include "shell/numpy/index.h"

#include <algorithm>
#include <cstring>

#include "shell/numpy/convert.h"
#include "shell/numpy/element.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/ndarray.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell::np {
namespace {

// A parsed key. Basic parts are applied to `view` immediately. Index arrays are kept with the axis
// of `view` that they index.
struct Plan {
  Array view;
  std::vector<int> axes;
  std::vector<Array> indices;  // int64
  bool fancy = false;
};

PyError BadKey() {
  return IndexError(
      "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
      "boolean "
      "arrays are valid indices");
}

PyError OutOfBounds(int64_t i, int axis, int64_t size) {
  return IndexError("index " + std::to_string(i) + " is out of bounds for axis " +
                    std::to_string(axis) + " with size " + std::to_string(size));
}

int64_t Wrapped(int64_t i, int64_t size, int axis) {
  if (i < -size || i >= size) throw OutOfBounds(i, axis, size);
  return i < 0 ? i + size : i;
}

// One part of a key.
struct Part {
  enum Form : uint8_t { kInt, kSlice, kNewAxis, kEllipsis, kArray } form;
  int64_t i = 0;
  const SliceObject* slice = nullptr;
  Array array;  // int64 or bool
  int consumes() const {
    switch (form) {
      case kInt:
      case kSlice:
        return 1;
      case kArray:
        return array.dtype == TSH_BOOL ? array.rank : 1;
      default:
        return 0;
    }
  }
};

Part ArrayPart(const Array& a) {
  if (a.dtype == TSH_BOOL) return {Part::kArray, 0, nullptr, a};
  if (Category(a.dtype) != 1) {
    if (a.size() == 0) return {Part::kArray, 0, nullptr, Cast(a, TSH_INT64)};
    throw IndexError("arrays used as indices must be of integer (or boolean) type");
  }
  const Array indices = Cast(a, TSH_INT64);
  if (indices.rank == 0) return {Part::kInt, *indices.as<int64_t>(), nullptr, {}};
  return {Part::kArray, 0, nullptr, indices};
}

Part ReadPart(const Value& v) {
  if (v.is_int()) return {Part::kInt, v.as_int(), nullptr, {}};
  if (v.is_none()) return {Part::kNewAxis, 0, nullptr, {}};
  if (v.is_ellipsis()) return {Part::kEllipsis, 0, nullptr, {}};
  if (auto* slice = As<SliceObject>(v)) return {Part::kSlice, 0, slice, {}};
  if (auto* a = As<NdArray>(v)) return ArrayPart(a->array);
  if (NpScalar* s = AsScalar(v); s && Category(s->dtype()) < 2) return ArrayPart(s->ToArray());
  if (v.is_bool()) return ArrayPart(ToArray(v));
  if (Sequence(v) || As<RangeObject>(v)) return ArrayPart(ToArray(v));
  if (IsIndex(v)) return {Part::kInt, ToIndex(v), nullptr, {}};
  throw BadKey();
}

std::vector<Part> ReadKey(const Value& key) {
  std::vector<Part> parts;
  if (auto* tuple = As<TupleObject>(key)) {
    for (const Value& item : tuple->items) parts.push_back(ReadPart(item));
  } else {
    parts.push_back(ReadPart(key));
  }
  return parts;
}

// Expands the ellipsis (or adds one at the end), so that the parts cover all axes.
void FillUp(std::vector<Part>* parts, int rank) {
  int used = 0, ellipses = 0;
  for (const Part& p : *parts) {
    used += p.consumes();
    ellipses += p.form == Part::kEllipsis;
  }
  if (ellipses > 1) throw IndexError("an index can only have a single ellipsis ('...')");
  if (used > rank) {
    throw IndexError("too many indices for array: array is " + std::to_string(rank) +
                     "-dimensional, but " + std::to_string(used) + " were indexed");
  }
}

void CheckMask(const Array& mask, const Array& view, int axis, int shown) {
  for (int i = 0; i < mask.rank; ++i) {
    if (mask.dim(i) == view.dim(axis + i)) continue;
    throw IndexError("boolean index did not match indexed array along dimension " +
                     std::to_string(shown + i) + "; dimension is " +
                     std::to_string(view.dim(axis + i)) +
                     " but corresponding boolean dimension is " + std::to_string(mask.dim(i)));
  }
}

// Index arrays keep their axis as a whole slice until the gather.
void AddArray(Plan* plan, const Array& array, int* axis, int* source) {
  if (array.dtype != TSH_BOOL) {
    plan->axes.push_back((*axis)++);
    plan->indices.push_back(array);
    ++*source;
    return;
  }
  if (array.rank == 0) {  // a[True] adds a new axis of extent 1, a[False] one of extent 0.
    plan->view = WithAxis(plan->view, *axis);
    plan->axes.push_back((*axis)++);
    const int64_t n = *array.as<bool>() ? 1 : 0;
    plan->indices.push_back(Zeros(TSH_INT64, {&n, 1}));
    return;
  }
  CheckMask(array, plan->view, *axis, *source);
  for (const Array& index : Nonzero(array)) {
    plan->axes.push_back((*axis)++);
    plan->indices.push_back(index);
    ++*source;
  }
}

Plan MakePlan(const Array& a, const Value& key) {
  std::vector<Part> parts = ReadKey(key);
  FillUp(&parts, a.rank);
  Plan plan;
  plan.view = a;
  plan.fancy =
      std::any_of(parts.begin(), parts.end(), [](const Part& p) { return p.form == Part::kArray; });
  int rest = a.rank;
  for (const Part& p : parts) rest -= p.consumes();
  int axis = 0, source = 0;  // axis: in the view. source: in the array.
  for (const Part& p : parts) {
    switch (p.form) {
      case Part::kInt: {
        const int64_t i = Wrapped(p.i, plan.view.dim(axis), source);
        if (plan.fancy) {
          plan.axes.push_back(axis++);
          plan.indices.push_back(Scalar0<int64_t>(TSH_INT64, i));
        } else {
          plan.view = DropAxis(plan.view, axis, i);
        }
        ++source;
        break;
      }
      case Part::kSlice: {
        int64_t first = 0, last = 0, step = 1;
        const int64_t n = p.slice->Indices(plan.view.dim(axis), &first, &last, &step);
        plan.view = Sliced(plan.view, axis++, first, step, n);
        ++source;
        break;
      }
      case Part::kNewAxis:
        plan.view = WithAxis(plan.view, axis++);
        break;
      case Part::kEllipsis:
        axis += rest;
        source += rest;
        break;
      case Part::kArray:
        AddArray(&plan, p.array, &axis, &source);
        break;
    }
  }
  return plan;
}

// The data of a gather or scatter: the offset of each selected block, and the elements within a
// block.
struct Gather {
  Extents dims;                 // Extents of the result.
  std::vector<int64_t> starts;  // Offset of each block, in the order of the broadcast indices.
  Array block;                  // The view without the indexed axes.
  std::vector<int> order;  // Axes of the result: first the broadcast ones, then those of the block.
};

Gather MakeGather(const Plan& plan) {
  Gather g;
  Extents common;
  for (const Array& index : plan.indices) {
    Extents merged;
    if (!BroadcastDims(common, index.dims(), &merged)) {
      std::string shapes;
      for (const Array& i : plan.indices) shapes += ShapeText(i.dims()) + " ";
      throw IndexError(
          "shape mismatch: indexing arrays could not be broadcast together with shapes " + shapes);
    }
    common = merged;
  }
  g.block = plan.view;
  for (size_t k = plan.axes.size(); k-- > 0;) g.block = DropAxis(g.block, plan.axes[k], 0);
  g.starts.assign(static_cast<size_t>(Product(common)), 0);
  for (size_t k = 0; k < plan.indices.size(); ++k) {
    if (g.block.size() == 0) break;  // If nothing is selected, numpy does not check the indices.
    Array index;
    BroadcastTo(plan.indices[k], common, &index);
    const int64_t size = plan.view.dim(plan.axes[k]), step = plan.view.step(plan.axes[k]);
    size_t next = 0;
    ForEachOffset(index, [&](int64_t at) {
      const int64_t i = *reinterpret_cast<const int64_t*>(index.buffer->data() + at);
      g.starts[next++] += Wrapped(i, size, plan.axes[k]) * step;
    });
  }
  const bool together =
      plan.axes.back() - plan.axes.front() + 1 == static_cast<int>(plan.axes.size());
  const int at = together ? plan.axes.front() : 0;
  const int wide = static_cast<int>(common.size());
  g.dims.assign(g.block.dims().begin(), g.block.dims().end());
  g.dims.insert(g.dims.begin() + at, common.begin(), common.end());
  if (g.dims.size() > kMaxRank) throw IndexError("too many dimensions in the result");
  for (int i = 0; i < wide; ++i) g.order.push_back(at + i);
  for (int i = 0; i < static_cast<int>(g.dims.size()); ++i)
    if (i < at || i >= at + wide) g.order.push_back(i);
  return g;
}

void CopyElement(const Array& to, int64_t to_at, const Array& from, int64_t from_at) {
  if (to.objects)
    to.objects->items[static_cast<size_t>(to_at)] =
        from.objects->items[static_cast<size_t>(from_at)];
  else
    to.SetString(to_at, std::string(from.string_at(from_at)));
}

template <size_t kSize>
void MoveElements(std::span<const int64_t> starts, char* blocks, char* cells, bool into_flat) {
  for (int64_t start : starts) {
    into_flat ? std::memcpy(cells, blocks + start, kSize)
              : std::memcpy(blocks + start, cells, kSize);
    cells += kSize;
  }
}

// Copies dense blocks from or to a dense array.
void MoveBlocks(const Gather& g, const Array& flat, bool into_flat) {
  (into_flat ? flat : g.block).buffer->MakeWritable();
  char* blocks = g.block.buffer->data() + g.block.offset;
  char* cells = flat.buffer->data() + flat.offset;
  const size_t size = static_cast<size_t>(ItemSize(flat.dtype) * g.block.size());
  if (size == 4) return MoveElements<4>(g.starts, blocks, cells, into_flat);
  if (size == 8) return MoveElements<8>(g.starts, blocks, cells, into_flat);
  for (int64_t start : g.starts) {
    into_flat ? std::memcpy(cells, blocks + start, size) : std::memcpy(blocks + start, cells, size);
    cells += size;
  }
}

// Copies between the selected blocks and `flat`, whose axes are in the gather's order.
void Move(const Gather& g, const Array& flat, bool into_flat) {
  if (flat.size() == 0) return;
  if (HasBytes(flat.dtype) && flat.contiguous() && g.block.contiguous())
    return MoveBlocks(g, flat, into_flat);
  std::vector<int64_t> inner, outer;
  ForEachOffset(g.block, [&](int64_t at) { inner.push_back(at); });
  ForEachOffset(flat, [&](int64_t at) { outer.push_back(at); });
  const Array& to = into_flat ? flat : g.block;
  const bool bytes = HasBytes(to.dtype);
  if (bytes) to.buffer->MakeWritable();
  const size_t size = static_cast<size_t>(ItemSize(to.dtype));
  char* blocks = bytes ? g.block.buffer->data() : nullptr;
  char* cells = bytes ? flat.buffer->data() : nullptr;
  size_t next = 0;
  for (int64_t start : g.starts) {
    for (int64_t at : inner) {
      const int64_t in = start + at, out = outer[next++];
      if (bytes)
        into_flat ? std::memcpy(cells + out, blocks + in, size)
                  : std::memcpy(blocks + in, cells + out, size);
      else
        into_flat ? CopyElement(flat, out, g.block, in) : CopyElement(g.block, in, flat, out);
    }
  }
}

Array ValueFor(const Array& target, const Value& v) {
  if (target.dtype == kDTypeObject && !As<NdArray>(v) && !Sequence(v)) {
    Array a = Empty(kDTypeObject, {});
    a.objects->items[0] = v;
    return a;
  }
  // Text among numbers is reported as an error of the element, not of the whole value.
  const Array found = ToArray(v);
  return HasBytes(found.dtype) ? found : Cast(found, target.dtype);
}

}  // namespace

Value GetItem(const Array& a, const Value& key) {
  if (key.is_int() && a.rank > 0) {
    const int64_t i = Wrapped(key.as_int(), a.dim(0), 0);
    if (a.rank == 1) return ScalarElement(a, a.offset + i * a.step(0));
    return MakeArray(DropAxis(a, 0, i));
  }
  const Plan plan = MakePlan(a, key);
  if (plan.fancy) {
    const Gather g = MakeGather(plan);
    const Array out = Empty(a.dtype, g.dims);
    Move(g, Transposed(out, g.order), true);
    return MakeArray(out);
  }
  // a[...] remains an array even if it is 0-d.
  auto* tuple = As<TupleObject>(key);
  const bool whole =
      key.is_ellipsis() || (tuple && std::any_of(tuple->items.begin(), tuple->items.end(),
                                                 [](const Value& v) { return v.is_ellipsis(); }));
  return whole ? MakeArray(plan.view) : ArrayOrScalar(plan.view);
}

void SetItem(const Array& a, const Value& key, const Value& v) {
  const Plan plan = MakePlan(a, key);
  if (!plan.fancy) {
    if (plan.view.rank == 0 && !As<NdArray>(v)) {
      if (Sequence(v) && !a.objects) throw ValueError("setting an array element with a sequence.");
      return StoreElement(plan.view, plan.view.offset, v);
    }
    return Assign(plan.view, ValueFor(a, v));
  }
  const Gather g = MakeGather(plan);
  Array value = Cast(ValueFor(a, v), a.dtype);
  while (value.rank > static_cast<int>(g.dims.size()) && value.dim(0) == 1)
    value = DropAxis(value, 0, 0);
  Array wide;
  if (!BroadcastTo(value, g.dims, &wide)) {
    throw ValueError("shape mismatch: value array of shape " + ShapeText(value.dims()) +
                     " could not be broadcast to indexing result of shape " + ShapeText(g.dims));
  }
  if (value.buffer && value.buffer.get() == a.buffer.get()) wide = Copy(wide);
  Move(g, Transposed(wide, g.order), false);
}

}  // namespace tensh::shell::np
