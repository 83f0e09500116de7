// Unique, UniqueWithCounts and DynamicPartition, in all versions.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/rows_shape.h"
#include "ops/support/shape_util.h"
#include "runtime/base/random.h"

namespace tensh::ops {
namespace {

// Returns the bytes of n elements as a key. Equal keys mean equal elements.
std::string KeyOf(const Tensor& t, int64_t begin, int64_t n) {
  if (t.dtype() != DType::kString) {
    const int64_t size = SizeOf(t.dtype());
    return {static_cast<const char*>(t.raw()) + begin * size, static_cast<size_t>(n * size)};
  }
  std::string key;
  for (int64_t i = begin; i < begin + n; ++i)
    key += StrCat(t.data<std::string>()[i].size(), ":", t.data<std::string>()[i]);
  return key;
}

void PutIndex(Tensor& t, int64_t i, int64_t value) {
  if (t.dtype() == DType::kInt64)
    t.data<int64_t>()[i] = value;
  else
    t.data<int32_t>()[i] = static_cast<int32_t>(value);
}

// A hash table of numbers, in order of their first occurrence. Numbers that share a place are found one
// after another, so the hash is seeded: no input makes them many. Position is a signed integer that can
// count all elements.
template <class Number, class Position>
class NumberTable {
 public:
  NumberTable() : entries_(256, kFree) {}

  // Returns the position of a number among those that were added, and adds it if it is new.
  Position Find(Number number) {
    Entry& entry = PlaceOf(number);
    if (entry.position >= 0) return entry.position;
    const Position position = size_++;
    entry = {number, position};
    if (static_cast<size_t>(size_) * 2 > entries_.size()) Grow();
    return position;
  }
  // Counts a number that is equal to no other.
  Position AddAlone() { return size_++; }

 private:
  struct Entry {
    Number number;
    Position position;  // -1 if the entry is free
  };
  static constexpr Entry kFree{0, -1};

  Entry& PlaceOf(Number number) {
    const size_t mask = entries_.size() - 1;
    const uint64_t wide = number;
    uint64_t hash = (wide ^ wide >> 32 ^ seed_) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 32) * seed_;
    size_t at = static_cast<size_t>(hash >> 32) & mask;
    while (entries_[at].position >= 0 && entries_[at].number != number) at = (at + 1) & mask;
    return entries_[at];
  }
  void Grow() {
    std::vector<Entry> old(entries_.size() * 4, kFree);
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.position >= 0) PlaceOf(entry.number) = entry;
  }

  static uint64_t Seed() {
    static const uint64_t seed = SystemRandom() | 1;
    return seed;
  }

  const uint64_t seed_ = Seed();
  std::vector<Entry> entries_;  // a power of two of them
  Position size_ = 0;
};

// The first occurrences of the unique slices along the middle dimension of [outer, n, inner].
using Firsts = std::vector<int64_t>;

// FindUnique for single numbers, read as bit patterns. Both zeros are equal, and NaN is equal to
// nothing.
template <class Bits, class T, class Index>
Firsts FindNumbers(const Tensor& x, Index* index) {
  const Bits* bits = static_cast<const Bits*>(x.raw());
  const int64_t n = x.num_elements();
  Firsts first;
  NumberTable<Bits, Index> table;
  for (int64_t i = 0; i < n; ++i) {
    Bits number = 0;
    std::memcpy(&number, bits + i, sizeof(Bits));
    T value;
    std::memcpy(&value, &number, sizeof(T));
    if (value == T{0}) number = 0;
    const Index place = value == value ? table.Find(number) : table.AddAlone();
    if (static_cast<size_t>(place) == first.size()) first.push_back(i);
    index[i] = place;
  }
  return first;
}

template <class Bits, class T = Bits>
Firsts FindNumbers(const Tensor& x, Tensor& index) {
  if (index.dtype() == DType::kInt64) return FindNumbers<Bits, T>(x, index.data<int64_t>());
  return FindNumbers<Bits, T>(x, index.data<int32_t>());
}

// Stores the position of each slice among the unique ones in `index`.
Firsts FindUnique(const Tensor& x, int64_t outer, int64_t n, int64_t inner, Tensor& index) {
  if (outer == 1 && inner == 1) {
    if (x.dtype() == DType::kFloat) return FindNumbers<uint32_t, float>(x, index);
    if (x.dtype() == DType::kDouble) return FindNumbers<uint64_t, double>(x, index);
    if (x.dtype() == DType::kInt32) return FindNumbers<uint32_t>(x, index);
    if (x.dtype() == DType::kInt64) return FindNumbers<uint64_t>(x, index);
  }
  Firsts first;
  std::unordered_map<std::string, int64_t> seen;
  for (int64_t i = 0; i < n; ++i) {
    std::string key;
    if (outer == 1) {
      key = KeyOf(x, i * inner, inner);
    } else {
      for (int64_t o = 0; o < outer; ++o) key += KeyOf(x, (o * n + i) * inner, inner);
    }
    const int64_t next = static_cast<int64_t>(first.size());
    const int64_t place = seen.try_emplace(std::move(key), next).first->second;
    if (place == next) first.push_back(i);
    PutIndex(index, i, place);
  }
  return first;
}

// Counts the occurrences of each of `kept` positions.
void CountPositions(const Tensor& index, int64_t kept, Tensor& count) {
  std::vector<int64_t> counts(static_cast<size_t>(kept));
  for (int64_t i = 0; i < index.num_elements(); ++i)
    ++counts[static_cast<size_t>(IndexAt(index, i))];
  for (int64_t i = 0; i < kept; ++i) PutIndex(count, i, counts[static_cast<size_t>(i)]);
}

// The inputs are x and, in V2, axis; the outputs are y, idx and, in some ops, count.
Status Unique(KernelCtx& c) {
  const Tensor& x = c.in(0);
  int axis = 0;
  if (c.num_inputs() == 2) {
    const Tensor& given = c.in(1);
    if (given.rank() > 1 || given.num_elements() > 1)
      return InvalidArgument("axis must be a scalar or a vector of at most one element, got ",
                             given.shape());
    if (given.num_elements() == 0) {
      if (x.rank() != 1)
        return InvalidArgument("unique expects a 1D vector without an axis, got ", x.shape());
    } else {
      TENSH_ASSIGN(axis, CanonicalAxis(IndexAt(given, 0), x.rank(), "axis"));
    }
  }
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < x.rank(); ++i)
    if (i != axis) (i < axis ? outer : inner) *= x.dim(i);
  const int64_t n = x.dim(axis);
  if (c.out_dtype(1) == DType::kInt32 && n > INT32_MAX)
    return InvalidArgument("unique of ", n,
                           " elements does not fit in int32; pass out_idx=tf.int64");
  TENSH_OUTPUT(index, c.Output(1, Shape({n})));
  const Firsts first = FindUnique(x, outer, n, inner, *index);
  const int64_t kept = static_cast<int64_t>(first.size());
  Shape shape = x.shape();
  shape.set_dim(axis, kept);
  TENSH_OUTPUT(y, c.Output(0, shape));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < kept; ++i)
      CopyElements(x.dtype(), At(*y, (o * kept + i) * inner),
                   At(x, (o * n + first[static_cast<size_t>(i)]) * inner), inner);
  if (c.num_outputs() == 3) {
    TENSH_OUTPUT(count, c.Output(2, Shape({kept})));
    CountPositions(*index, kept, *count);
  }
  return {};
}

Status UniqueShape(ShapeCtx& c) {
  const bool v1 = c.num_inputs() == 1;
  const Shape& x = c.in(0);
  const Tensor* axis = v1 ? nullptr : c.constant(1);
  if (v1 || (axis && axis->num_elements() == 0 && x.has_rank())) {
    if (!v1) TENSH_RETURN_IF_ERROR(c.WithRank(0, 1));
    c.Set(0, Shape({-1}));
    c.Set(1, x.has_rank() ? Shape({x[0]}) : Shape::Unknown());
  } else if (axis && x.has_rank() && axis->num_elements() == 1) {
    TENSH_ASSIGN(int at, CanonicalAxis(IndexAt(*axis, 0), x.rank(), "axis"));
    c.Set(0, Shape::UnknownOfRank(x.rank()));
    c.Set(1, Shape({x[at]}));
  } else {
    if (x.has_rank()) c.Set(0, Shape::UnknownOfRank(x.rank()));
    c.Set(1, Shape({-1}));
  }
  if (c.num_outputs() == 3) c.Set(2, Shape({-1}));
  return {};
}

// The inputs are data and partitions.
Status DynamicPartition(KernelCtx& c) {
  const Tensor &data = c.in(0), &partitions = c.in(1);
  if (data.rank() < partitions.rank() ||
      !std::equal(partitions.shape().dims().begin(), partitions.shape().dims().end(),
                  data.shape().dims().begin()))
    return InvalidArgument("data.shape must start with partitions.shape, got data.shape = ",
                           data.shape(), ", partitions.shape = ", partitions.shape());
  const int64_t n = partitions.num_elements();
  const int parts = c.num_outputs();
  std::vector<std::vector<int64_t>> slices(static_cast<size_t>(parts));  // by partition
  const int32_t* number = partitions.data<int32_t>();
  for (int64_t i = 0; i < n; ++i) {
    if (number[i] < 0 || number[i] >= parts)
      return InvalidArgument("partitions[", i, "] = ", number[i], " is not in [0, ", parts, ")");
    slices[static_cast<size_t>(number[i])].push_back(i);
  }
  int64_t run = 1;
  for (int i = partitions.rank(); i < data.rank(); ++i) run *= data.dim(i);
  for (int p = 0; p < parts; ++p) {
    const std::vector<int64_t>& from = slices[static_cast<size_t>(p)];
    TENSH_ASSIGN(const Shape shape,
                 RowsShape(static_cast<int64_t>(from.size()), data.shape(), partitions.rank()));
    TENSH_OUTPUT(out, c.Output(p, shape));
    TENSH_RETURN_IF_ERROR(CopyRuns(c, data.dtype(), out->raw(), nullptr, data.raw(), from.data(),
                                   static_cast<int64_t>(from.size()), run));
  }
  return {};
}

Status PartitionShape(ShapeCtx& c) {
  const Shape &data = c.in(0), &partitions = c.in(1);
  if (!data.has_rank() || !partitions.has_rank()) return {};
  if (data.rank() < partitions.rank())
    return InvalidArgument("Shape must be at least rank ", partitions.rank(), " but is rank ",
                           data.rank());
  for (int i = 0; i < partitions.rank(); ++i)
    if (data[i] >= 0 && partitions[i] >= 0 && data[i] != partitions[i])
      return InvalidArgument("Dimensions must be equal, but are ", data[i], " and ", partitions[i]);
  TENSH_ASSIGN(const Shape out, RowsShape(Shape::kUnknownDim, data, partitions.rank()));
  for (int o = 0; o < c.num_outputs(); ++o) c.Set(o, out);
  return {};
}

// Partitions the positions of the slices in the same way. Stitching by these positions puts the
// gradients back.
Status PartitionGrad(GradScope& g) {
  const int parts = g.num_outputs();
  Out shape = ShapeOf(g, g.x(1));
  Out total = g.Op("Prod", {shape, ConstInts(g, {0}, "Const")});
  Out places = g.Op("Range", {ConstInt(g, 0, "range/start"), total, ConstInt(g, 1, "range/delta")},
                    {}, "range");
  Out shaped = g.Op("Reshape", {places, shape});
  Out split = g.Op("DynamicPartition", {shaped, g.x(1)}, {{"num_partitions", int64_t{parts}}});
  std::vector<Out> inputs;
  for (int i = 0; i < parts; ++i) inputs.push_back(g.Output(split, i));
  for (int i = 0; i < parts; ++i) inputs.push_back(g.dy(i));
  Out stitched = g.OpN("DynamicStitch", inputs, {{"N", int64_t{parts}}});
  return g.Return({g.Op("Reshape", {stitched, ShapeOf(g, g.x(0), DType::kInt32, "Shape_1")}), {}});
}

void RegisterUnique(OpRegistry& r, bool counts, bool v2) {
  const std::string name = StrCat(counts ? "UniqueWithCounts" : "Unique", v2 ? "V2" : "");
  r.Op({.name = name,
        .inputs = v2 ? "x: T, axis: Taxis" : "x: T",
        .outputs = counts ? "y: T, idx: out_idx, count: out_idx" : "y: T, idx: out_idx",
        .attrs = v2 ? "T: type, Taxis: {int32, int64} = int64, out_idx: {int32, int64} = int32"
                    : "T: type, out_idx: {int32, int64} = int32",
        .doc = StrCat("The unique elements of a vector, in order of their first occurrence. x: ",
                      v2 ? "a tensor. axis: the dimension whose slices are compared; empty if x is "
                           "a vector. Taxis: its type."
                         : "a vector.",
                      " idx: the position of each element in the result.",
                      counts ? " count: the number of occurrences." : "",
                      " T: the element type. out_idx: the type of idx."),
        .contract = v2 ? "" : "x: vector",
        .shape = UniqueShape,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.", name, "(x=[3, 1, 3]", v2 ? ", axis=[0]" : "", ")[0]"),
                      "[3 1]"}}})
      .CpuAny(Unique);
}

}  // namespace

TENSH_OPS(array_index_unique) {
  for (bool counts : {false, true})
    for (bool v2 : {false, true}) RegisterUnique(r, counts, v2);
  r.Op({.name = "DynamicPartition",
        .inputs = "data: T, partitions: int32",
        .outputs = "outputs: num_partitions * T",
        .attrs = "num_partitions: int >= 1, T: type",
        .doc = "Distributes slices to outputs. data: the slices. partitions: the number of the "
               "output for each slice. num_partitions: the number of outputs. T: the element type.",
        .shape = PartitionShape,
        .grad = PartitionGrad,
        .examples = {{"tf.dynamic_partition([10, 20, 30], [1, 0, 1], 2)[1]", "[10 30]"}}})
      .CpuAny(DynamicPartition);
}

}  // namespace tensh::ops
