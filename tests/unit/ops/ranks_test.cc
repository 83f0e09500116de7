// Ops on tensors of many dimensions. Dimensions of extent 1 never move an element, so an op must compute the
// same elements with them and without them. Dimensions that no loop can merge are compared with a loop over all
// indices.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/unit/core/rows.h"
#include "tests/unit/ops/kernel_harness.h"

namespace tensh::test {
namespace {

using Ints = std::vector<int64_t>;

Tensor Vector(const Ints& v) { return Tensor::Vector<int64_t>(v); }
Tensor Counted(const Shape& shape) {
  Tensor t = *Tensor::Make(DType::kFloat, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) t.data<float>()[i] = static_cast<float>(i + 1);
  return t;
}

// The elements of the results, without their shapes, or the error.
std::string ElementsOf(const std::string& op, const std::vector<Tensor>& in,
                       const std::vector<NamedAttr>& attrs = {}) {
  const auto out = RunOp(op, in, attrs);
  if (!out.ok()) return Show(out.status());
  std::string text;
  for (const Tensor& t : *out) text += Text(t.Reshaped(Shape({t.num_elements()}))) + "; ";
  return text;
}

// The dimensions of a tensor, at places within a higher rank: dimension i is at place[i].
struct Places {
  int rank = 0;
  std::vector<int> place;

  // Returns a list with one entry for each dimension, with `fill` for the added ones.
  Ints Spread(const Ints& v, int64_t fill) const {
    Ints out(static_cast<size_t>(rank), fill);
    for (size_t i = 0; i < v.size(); ++i) out[static_cast<size_t>(place[i])] = v[i];
    return out;
  }
  Shape Of(const Ints& dims) const { return Shape(Spread(dims, 1)); }
  Tensor Axes(const Ints& axes) const {
    Ints out;
    for (const int64_t axis : axes) out.push_back(place[static_cast<size_t>(axis)]);
    return Vector(out);
  }
  // A matrix with two columns, whose row is [0, 0] for added dimensions.
  Tensor Pairs(const Ints& first, const Ints& second) const {
    const Ints a = Spread(first, 0), b = Spread(second, 0);
    Ints both;
    for (size_t i = 0; i < a.size(); ++i) both.insert(both.end(), {a[i], b[i]});
    return Vector(both).Reshaped(Shape({rank, 2}));
  }
  // The permutation of all dimensions that moves the named ones among their places.
  Tensor Permutation(const Ints& order) const {
    Ints out;
    for (int i = 0; i < rank; ++i) out.push_back(i);
    for (size_t i = 0; i < order.size(); ++i)
      out[static_cast<size_t>(place[i])] = place[static_cast<size_t>(order[i])];
    return Vector(out);
  }
};

// Returns `count` places among `rank`, in order. The same rank gives the dimensions themselves.
Places RandomPlaces(int rank, int count, std::mt19937& random) {
  Places p{rank, {}};
  std::vector<int> all;
  for (int i = 0; i < rank; ++i) all.push_back(i);
  std::sample(all.begin(), all.end(), std::back_inserter(p.place), count, random);
  return p;
}

using Run = std::function<std::string(const Places&)>;
struct NamedRun {
  const char* name;
  Run run;
};

const Ints kDims = {2, 3, 2, 4}, kRow = {1, 3, 1, 4}, kColumn = {2, 1, 2, 1};

std::vector<NamedRun> Moves() {
  const auto x = [](const Places& p) { return Counted(p.Of(kDims)); };
  return {
      {"Transpose",
       [=](const Places& p) {
         return ElementsOf("Transpose", {x(p), p.Permutation({3, 1, 0, 2})},
                           {{"Tperm", DType::kInt64}});
       }},
      {"ReverseV2",
       [=](const Places& p) {
         return ElementsOf("ReverseV2", {x(p), p.Axes({1, 3})});
       }},
      {"Slice",
       [=](const Places& p) {
         return ElementsOf("Slice", {x(p), Vector(p.Spread({1, 0, 1, 1}, 0)),
                                     Vector(p.Spread({1, 2, 1, 2}, -1))});
       }},
      {"Tile",
       [=](const Places& p) {
         return ElementsOf("Tile", {x(p), Vector(p.Spread({2, 1, 3, 1}, 1))});
       }},
      {"Pad",
       [=](const Places& p) {
         return ElementsOf("Pad", {x(p), p.Pairs({1, 0, 0, 2}, {0, 0, 1, 1})});
       }},
      {"MirrorPad",
       [=](const Places& p) {
         return ElementsOf("MirrorPad", {x(p), p.Pairs({1, 0, 0, 2}, {0, 2, 1, 1})},
                           {{"mode", std::string("SYMMETRIC")}});
       }},
      {"MirrorPadGrad",
       [=](const Places& p) {
         return ElementsOf("MirrorPadGrad", {x(p), p.Pairs({0, 1, 0, 1}, {0, 0, 1, 1})},
                           {{"mode", std::string("SYMMETRIC")}});
       }},
      {"Roll",
       [=](const Places& p) {
         return ElementsOf("Roll", {x(p), Vector({1, -1, 5}), p.Axes({0, 1, 3})},
                           {{"Taxis", DType::kInt64}, {"Tshift", DType::kInt64}});
       }},
      {"BroadcastTo",
       [=](const Places& p) {
         return ElementsOf("BroadcastTo", {Counted(p.Of(kRow)), Vector(p.Spread(kDims, 1))},
                           {{"Tidx", DType::kInt64}});
       }},
      {"ConcatV2",
       [=](const Places& p) {
         return ElementsOf("ConcatV2",
                           {x(p), Counted(p.Of({2, 1, 2, 4})), p.Axes({1}).Reshaped(Shape())});
       }},
      {"GatherV2",
       [=](const Places& p) {
         return ElementsOf("GatherV2", {x(p), Vector({2, 0, 1, 2}), p.Axes({1}).Reshaped(Shape())},
                           {{"Taxis", DType::kInt64}});
       }},
      {"Cumsum",
       [=](const Places& p) {
         return ElementsOf("Cumsum", {x(p), p.Axes({2}).Reshaped(Shape())},
                           {{"Tidx", DType::kInt64}});
       }},
  };
}

std::vector<NamedRun> Calculations() {
  const auto x = [](const Places& p) { return Counted(p.Of(kDims)); };
  const auto row = [](const Places& p) { return Counted(p.Of(kRow)); };
  const auto column = [](const Places& p) { return Counted(p.Of(kColumn)); };
  const auto reduce = [=](const char* op, const Ints& axes) {
    return NamedRun{op, [=](const Places& p) {
                      return ElementsOf(op, {x(p), p.Axes(axes)},
                                        {{"Tidx", DType::kInt64}, {"keep_dims", true}}) +
                             ElementsOf(op, {x(p), p.Axes(axes)}, {{"Tidx", DType::kInt64}});
                    }};
  };
  return {
      {"AddV2",
       [=](const Places& p) {
         return ElementsOf("AddV2", {x(p), row(p)});
       }},
      {"Sub",
       [=](const Places& p) {
         return ElementsOf("Sub", {column(p), row(p)});
       }},
      {"Less",
       [=](const Places& p) {
         return ElementsOf("Less", {row(p), column(p)});
       }},
      {"SelectV2",
       [=](const Places& p) {
         const Tensor less = (*RunOp("Less", {column(p), row(p)}))[0];
         return ElementsOf("SelectV2", {less, x(p), row(p)});
       }},
      reduce("Sum", {0, 2}),
      reduce("Sum", {0, 3}),
      reduce("Max", {1, 3}),
      reduce("Mean", {1}),
      reduce("Prod", {}),
      reduce("EuclideanNorm", {0, 1, 2, 3}),
      {"ArgMax",
       [=](const Places& p) {
         return ElementsOf("ArgMax", {x(p), p.Axes({2}).Reshaped(Shape())},
                           {{"Tidx", DType::kInt64}, {"output_type", DType::kInt64}});
       }},
  };
}

void CompareAtAllRanks(const std::vector<NamedRun>& runs) {
  std::mt19937 random(5);
  for (const auto& [name, run] : runs) {
    const std::string want = run(RandomPlaces(4, 4, random));
    EXPECT_EQ(want.find("f32[0]"), want.npos) << name << " " << want;
    EXPECT_TRUE(want.rfind("f32[", 0) == 0 || want.rfind("i64[", 0) == 0 ||
                want.rfind("bool[", 0) == 0)
        << name << " " << want;
    for (const int rank : {5, 8, 9, 10, 12, 17, 32, 63, 64, 127, 253, 254})
      EXPECT_EQ(run(RandomPlaces(rank, 4, random)), want) << name << " at rank " << rank;
  }
}

TEST(Ranks, ElementsAreMovedAlike) { CompareAtAllRanks(Moves()); }
TEST(Ranks, ElementsAreComputedAlike) { CompareAtAllRanks(Calculations()); }

// ---- dimensions that cannot be merged ----

// Calls fn(index) for each index of a shape, in row-major order.
void ForEachIndex(const Shape& shape, const std::function<void(const Ints&)>& fn) {
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    Ints index(static_cast<size_t>(shape.rank()));
    int64_t rest = i;
    for (int d = shape.rank(); d-- > 0; rest /= shape[d])
      index[static_cast<size_t>(d)] = rest % shape[d];
    fn(index);
  }
}

float At(const Tensor& t, const Ints& index) {
  int64_t at = 0;
  for (int d = 0; d < t.rank(); ++d)
    at = at * t.dim(d) + (t.dim(d) == 1 ? 0 : index[static_cast<size_t>(d)]);
  return t.data<float>()[at];
}

TEST(Ranks, DimensionsThatDoNotMerge) {
  for (const int rank : {9, 10, 12, 40, 254}) {
    const int count = std::min(rank, 12);
    Ints all(static_cast<size_t>(rank), 1), even = all, odd = all, back, axes;
    for (int i = 0; i < count; ++i) {
      all[static_cast<size_t>(i)] = 2;
      (i % 2 ? odd : even)[static_cast<size_t>(i)] = 2;
    }
    for (int i = rank; i-- > 0;) back.push_back(i);
    for (int i = 1; i < rank; i += 2) axes.push_back(i);
    const Tensor x = Counted(Shape(all)), a = Counted(Shape(even)), b = Counted(Shape(odd));
    const Tensor turned = (*RunOp("Transpose", {x, Vector(back)}, {{"Tperm", DType::kInt64}}))[0];
    const Tensor sum = (*RunOp("AddV2", {a, b}))[0];
    const Tensor reduced =
        (*RunOp("Sum", {x, Vector(axes)}, {{"Tidx", DType::kInt64}, {"keep_dims", true}}))[0];
    const Tensor chosen = (*RunOp("SelectV2", {(*RunOp("Less", {a, b}))[0], x, b}))[0];
    Tensor want = Counted(reduced.shape());
    std::fill_n(want.data<float>(), want.num_elements(), 0.f);
    EXPECT_EQ(sum.shape(), x.shape());
    EXPECT_EQ(chosen.shape(), x.shape());
    int64_t wrong = 0;
    ForEachIndex(x.shape(), [&](const Ints& index) {
      const Ints reversed(index.rbegin(), index.rend());
      wrong += At(turned, reversed) != At(x, index);
      wrong += At(sum, index) != At(a, index) + At(b, index);
      wrong += At(chosen, index) != (At(a, index) < At(b, index) ? At(x, index) : At(b, index));
      int64_t to = 0;
      for (int d = 0; d < rank; ++d)
        if (want.dim(d) != 1) to = to * 2 + index[static_cast<size_t>(d)];
      want.data<float>()[to] += At(x, index);
    });
    EXPECT_EQ(wrong, 0) << rank;
    EXPECT_EQ(Text(reduced), Text(want)) << rank;
  }
}

// ---- results that are too large ----

TEST(Ranks, ResultsAboveTheLimits) {
  const Shape highest(Ints(254, 1));
  const Tensor x = Counted(highest), zero = I({}, {0});
  const struct {
    const char* op;
    std::vector<Tensor> in;
    std::vector<NamedAttr> attrs;
  } rows[] = {
      {"ExpandDims", {x, zero}, {}},
      {"Pack", {x, x}, {}},
      {"Reshape", {Counted(Shape()), Vector(Ints(255, 1))}, {{"Tshape", DType::kInt64}}},
      {"Fill", {Vector(Ints(255, 1)), F({}, {1})}, {{"index_type", DType::kInt64}}},
      {"BroadcastTo", {Counted(Shape()), Vector(Ints(255, 1))}, {{"Tidx", DType::kInt64}}},
      {"OneHot", {L(highest, {0}), I({}, {3}), F({}, {1}), F({}, {0})}, {}},
      {"GatherV2", {x, L({1, 1}, {0}), zero}, {{"Taxis", DType::kInt32}}},
      {"Diag", {x}, {}},
      {"Bitcast", {x}, {{"type", DType::kUint8}}},
      {"StridedSlice",
       {x, I({1}, {0}), I({1}, {0}), I({1}, {1})},
       {{"new_axis_mask", 1}, {"Index", DType::kInt32}}},
  };
  for (const auto& row : rows) {
    const auto out = RunOp(row.op, row.in, row.attrs);
    ASSERT_FALSE(out.ok()) << row.op;
    EXPECT_EQ(out.status().code(), Code::kInvalidArgument) << row.op << " " << Show(out.status());
  }
}

// Three operands of 2^24 elements, which broadcast to 2^72.
TEST(Ranks, BroadcastingThatOverflows) {
  std::vector<Tensor> in;
  for (int k = 0; k < 3; ++k) {
    Ints dims(254, 1);
    for (size_t i = 0; i < 24; ++i) dims[3 * i + static_cast<size_t>(k)] = 2;
    in.push_back(*Tensor::Make(k == 0 ? DType::kBool : DType::kInt8, Shape(dims)));
    std::memset(in.back().raw(), 1, static_cast<size_t>(in.back().bytes()));
  }
  EXPECT_EQ(RunOp("SelectV2", in).status().code(), Code::kResourceExhausted);
}

}  // namespace
}  // namespace tensh::test
