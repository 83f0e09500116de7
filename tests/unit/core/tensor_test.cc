// Tensors: memory that is shared, sliced, recycled, limited, and on another device.
#include "runtime/core/tensor.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "runtime/core/memory/host_allocator.h"
#include "runtime/core/memory/limited_allocator.h"
#include "runtime/core/variant.h"
#include "tests/unit/core/rows.h"
#include "tests/unit/ops/kernel_harness.h"

namespace tensh {
namespace {

using test::F;
using test::I;
using test::S;
using test::ShapeOf;
using test::Show;
using test::Text;

TEST(Tensor, MakeChecksSizes) {
  struct Row {
    DType dtype;
    const char *shape, *want;
  };
  const Row rows[] = {
      {DType::kFloat, "[2,3]", "ok"},
      {DType::kFloat, "[0,4]", "ok"},
      {DType::kString, "[3]", "ok"},
      {DType::kFloat, "[4611686018427387904]",
       "8: OOM when allocating tensor with shape[4611686018427387904] and type float"},
      {DType::kDouble, "[4611686018427387904,4]",  // 2^64 elements
       "8: OOM when allocating tensor with shape[4611686018427387904,4] and type double"},
      {DType::kHalf, "[9223372036854775807]",
       "8: OOM when allocating tensor with shape[9223372036854775807] and type half"},
      {DType::kInt8, "[70368744177665]",  // one byte more than the limit
       "8: OOM when allocating tensor with shape[70368744177665] and type int8"},
  };
  for (const Row& row : rows) {
    const auto made = Tensor::Make(row.dtype, ShapeOf(row.shape));
    EXPECT_EQ(Show(made.status()), row.want) << row.shape;
    if (!made.ok()) continue;
    EXPECT_EQ(made->shape().ToString(), row.shape);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(made->raw()) % 64, 0u) << row.shape;
    EXPECT_EQ(made->bytes(), made->num_elements() * SizeOf(row.dtype)) << row.shape;
  }
}

TEST(TensorDeathTest, SizesThatCannotBeAbort) {
  EXPECT_DEATH((void)Tensor::Make(DType::kFloat, ShapeOf("[?]")), "Tensor::Make");
  const Tensor x = F({2}, {1, 2});
  EXPECT_DEATH((void)x.Reshaped({5}), "Reshaped \\[2\\] to \\[5\\]");
}

TEST(Tensor, SlicesAndReshapesShareTheirData) {
  const Tensor x = I({3, 2}, {1, 2, 3, 4, 5, 6});
  struct Row {
    Tensor tensor;
    const char* want;
  };
  const Row rows[] = {
      {x.SliceRows(0, 3), "i32[3,2] 1 2 3 4 5 6"},
      {x.SliceRows(1, 2), "i32[1,2] 3 4"},
      {x.SliceRows(2, 2), "i32[0,2]"},
      {x.SliceRows(1, 3).SliceRows(1, 2), "i32[1,2] 5 6"},
      {x.Reshaped({6}), "i32[6] 1 2 3 4 5 6"},
      {x.Reshaped({6}).SliceRows(2, 5), "i32[3] 3 4 5"},
      {x.SliceRows(1, 3).Reshaped({2, 1, 2}), "i32[2,1,2] 3 4 5 6"},
      {S({3}, {"a", "b", "c"}).SliceRows(1, 3), "str[2] b c"},  // the base is gone
  };
  for (const Row& row : rows) EXPECT_EQ(Text(row.tensor), row.want);
  x.data<int32_t>()[2] = 9;
  EXPECT_EQ(Text(x.SliceRows(1, 2)), "i32[1,2] 9 4");
  EXPECT_EQ(Text(rows[1].tensor), "i32[1,2] 9 4");
  EXPECT_EQ(rows[3].tensor.owner(), x.owner());
  EXPECT_TRUE(rows[0].tensor.SharesDataWith(x));
}

TEST(Tensor, UniqueMeansThatNobodyElseSeesTheElements) {
  Tensor x = F({4}, {1, 2, 3, 4});
  EXPECT_TRUE(x.unique());
  {
    const Tensor copy = x;
    EXPECT_FALSE(x.unique());
  }
  EXPECT_TRUE(x.unique());
  {
    const Tensor view = x.Reshaped({2, 2});
    EXPECT_FALSE(x.unique());
    EXPECT_FALSE(view.unique());
  }
  Tensor deep = x.DeepCopy();
  EXPECT_TRUE(x.unique() && deep.unique());
  EXPECT_FALSE(deep.SharesDataWith(x));
  EXPECT_EQ(Text(deep), Text(x));
  Tensor moved = std::move(deep);
  EXPECT_FALSE(deep);  // NOLINT: a moved-from tensor is null
  void* header = moved.Release();
  EXPECT_FALSE(moved);  // NOLINT
  EXPECT_EQ(Text(Tensor::Adopt(header)), "f32[4] 1 2 3 4");
}

TEST(Tensor, Windows) {
  const Tensor x = I({5}, {1, 2, 3, 4, 5});
  Tensor window = x.Window();
  window.MoveWindow(x, 3, Shape({2, 1}));
  EXPECT_EQ(Text(window), "i32[2,1] 4 5");
  EXPECT_TRUE(window.unique());
  EXPECT_TRUE(window.Recycle(DType::kInt32, Shape({1})));   // fits into the window
  EXPECT_FALSE(window.Recycle(DType::kInt32, Shape({3})));  // would reach beyond it
  window.MoveWindow(x, 1, Shape({1}));
  *window.data<int32_t>() = 7;
  EXPECT_EQ(Text(x), "i32[5] 1 7 3 4 5");
}

// The shape of a tensor without elements is limited as well, because loops count its extents.
TEST(Tensor, ShapesThatAreTooLarge) {
  Tensor t = *Tensor::Make(DType::kFloat, Shape({4}));
  for (const Shape& shape :
       {Shape(std::vector<int64_t>(64, 2)), Shape({0, int64_t{1} << 40, int64_t{1} << 40})}) {
    EXPECT_EQ(Tensor::Make(DType::kFloat, shape).status().code(), Code::kResourceExhausted);
    EXPECT_FALSE(t.Recycle(DType::kFloat, shape));  // 2^64 elements are 0 in 64 bits
  }
}

TEST(Tensor, OfHighRank) {
  std::vector<int64_t> dims(254, 1);
  dims[3] = 2, dims[250] = 3;
  const Tensor t = *Tensor::Make(DType::kInt32, Shape(dims));
  for (int i = 0; i < 6; ++i) t.data<int32_t>()[i] = i;
  EXPECT_EQ(t.num_elements(), 6);
  const Tensor flat = t.Reshaped(Shape({6}));
  EXPECT_EQ(Text(flat), "i32[6] 0 1 2 3 4 5");
  EXPECT_EQ(flat.Reshaped(t.shape()).shape(), t.shape());
  EXPECT_EQ(t.SliceRows(0, 1).shape(), t.shape());
  EXPECT_EQ(t.DeepCopy().shape(), t.shape());
}

TEST(Tensor, Recycle) {
  struct Row {
    DType from;
    const char* from_shape;
    DType to;
    const char* to_shape;
    bool fits;
  };
  const Row rows[] = {
      {DType::kFloat, "[4]", DType::kFloat, "[2,2]", true},
      {DType::kFloat, "[4]", DType::kFloat, "[3]", true},
      {DType::kFloat, "[4]", DType::kFloat, "[5]", false},
      {DType::kFloat, "[4]", DType::kDouble, "[2]", true},
      {DType::kFloat, "[4]", DType::kDouble, "[3]", false},
      {DType::kFloat, "[4]", DType::kInt8, "[16]", true},
      {DType::kFloat, "[4]", DType::kString, "[0]", false},
      {DType::kString, "[2]", DType::kString, "[2]", true},
      {DType::kString, "[2]", DType::kString, "[1]", false},  // a string would be leaked
      {DType::kString, "[2]", DType::kVariant, "[2]", false},
  };
  for (const Row& row : rows) {
    Tensor t = *Tensor::Make(row.from, ShapeOf(row.from_shape));
    const void* data = t.raw();
    EXPECT_EQ(t.Recycle(row.to, ShapeOf(row.to_shape)), row.fits)
        << Name(row.from) << row.from_shape << " to " << Name(row.to) << row.to_shape;
    EXPECT_EQ(t.dtype(), row.fits ? row.to : row.from);
    EXPECT_EQ(t.shape().ToString(), row.fits ? row.to_shape : row.from_shape);
    EXPECT_EQ(t.raw(), data);
  }
  Tensor grows = *Tensor::Make(DType::kFloat, Shape({4}));
  EXPECT_TRUE(grows.Recycle(DType::kInt8, Shape({1})));
  EXPECT_TRUE(grows.Recycle(DType::kFloat, Shape({4})));  // the block stays as large as it was
}

// Memory like that of a device: its data may only be reached by copying.
class FarMemory : public Allocator {
 public:
  FarMemory() : Allocator(false) {}
  void* Allocate(size_t bytes) override {
    ++blocks;
    return bytes > limit ? (--blocks, nullptr) : std::aligned_alloc(64, (bytes + 64) / 64 * 64);
  }
  void Free(void* data, size_t) override {
    --blocks;
    std::free(data);
  }
  int blocks = 0;
  size_t limit = SIZE_MAX;
};

TEST(Tensor, CopiesBetweenMemories) {
  FarMemory near, far;
  {
    const Tensor host = F({3}, {1, 2, 3});
    const Tensor there = *host.CopyTo(&near);
    EXPECT_FALSE(there.on_host());
    EXPECT_TRUE(there.CopyTo(&near)->SharesDataWith(there));
    EXPECT_TRUE(host.CopyTo(HostAllocator())->SharesDataWith(host));
    const Tensor second = *there.CopyTo(&far);  // through the host
    EXPECT_EQ(second.allocator(), &far);
    EXPECT_EQ(Text(*second.SliceRows(1, 3).CopyTo(HostAllocator())), "f32[2] 2 3");
    EXPECT_EQ(Text(*there.DeepCopy().CopyTo(HostAllocator())), "f32[3] 1 2 3");
    EXPECT_EQ(near.blocks, 1);
    EXPECT_EQ(far.blocks, 1);
    // Objects are always in host memory.
    const Tensor text = S({2}, {"a", "b"});
    EXPECT_TRUE(text.CopyTo(&near)->SharesDataWith(text));
    EXPECT_TRUE(Tensor::Make(DType::kString, Shape({2}), &near)->on_host());
    far.limit = 8;
    EXPECT_EQ(there.CopyTo(&far).status().code(), Code::kResourceExhausted);
  }
  EXPECT_EQ(near.blocks, 0);
  EXPECT_EQ(far.blocks, 0);
}

TEST(LimitedAllocator, CountsWhatIsHeld) {
  Tensor kept;
  {
    const auto limited = LimitMemory(HostAllocator(), 10000);
    const auto make = [&](int64_t bytes) {
      return Tensor::Make(DType::kInt8, Shape({bytes}), limited.get());
    };
    EXPECT_EQ(make(20000).status().code(), Code::kResourceExhausted);
    {
      const auto first = make(6000);
      ASSERT_TRUE(first.ok());
      EXPECT_FALSE(make(6000).ok());
    }
    EXPECT_TRUE(make(6000).ok());  // the first one was freed
    kept = *make(9000);
    EXPECT_FALSE(make(2000).ok());
  }
  kept.data<int8_t>()[8999] = 1;  // the allocator lives as long as its blocks
}

struct Number : VariantValue {
  explicit Number(int n) : n(n) {}
  const char* kind() const override { return "Number"; }
  int n;
};

TEST(Memory, BlocksThatAreKeptForReuseAreReleased) {
  constexpr size_t kBytes = 3 << 20;
  ReleaseUnusedHostMemory(std::chrono::milliseconds(0));
  void* block = HostAllocator()->Allocate(kBytes);
  EXPECT_EQ(ReleaseUnusedHostMemory(std::chrono::milliseconds(0)), 0u);  // none is unused
  HostAllocator()->Free(block, kBytes);
  const size_t kept = ReleaseUnusedHostMemory(std::chrono::hours(1));
  EXPECT_TRUE(kept == 0 || kept >= kBytes) << kept;  // sanitizers keep none
  EXPECT_EQ(ReleaseUnusedHostMemory(std::chrono::milliseconds(0)), 0u);
}

TEST(Memory, LimitsAreNested) {
  const std::shared_ptr<Allocator> all = LimitMemory(HostAllocator(), 10'000);
  const std::shared_ptr<Allocator> one = LimitMemory(all.get(), 7'000),
                                   other = LimitMemory(all.get(), 7'000);
  EXPECT_EQ(one->Allocate(8'000), nullptr);
  void* first = one->Allocate(6'000);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(other->Allocate(6'000), nullptr);  // beyond the limit of both together
  void* second = other->Allocate(3'000);
  EXPECT_NE(second, nullptr);
  one->Free(first, 6'000);
  void* third = other->Allocate(4'000);
  EXPECT_NE(third, nullptr);
  other->Free(second, 3'000);
  other->Free(third, 4'000);
}

TEST(Variant, ATensorSharesItsValue) {
  const Tensor x = VariantTensor(std::make_shared<Number>(3));
  EXPECT_EQ(x.dtype(), DType::kVariant);
  EXPECT_EQ(x.rank(), 0);
  const Tensor deep = x.DeepCopy();
  EXPECT_FALSE(deep.SharesDataWith(x));
  EXPECT_EQ(deep.data<Variant>()->value, x.data<Variant>()->value);
  EXPECT_EQ(Show(Number(1).Zeros().status()),
            "12: zeros are not defined for a variant that holds a Number");
  EXPECT_EQ(Show(Number(1).Plus(Number(2)).status()),
            "12: variants that hold a Number cannot be added");
}

struct Chain : VariantValue {
  explicit Chain(Tensor rest) { next.push_back(std::move(rest)); }
  ~Chain() override { ReleaseFlat(std::move(next)); }
  const char* kind() const override { return "Chain"; }
  std::vector<Tensor> next;
};

TEST(Variant, DeeplyNestedValuesAreReleasedWithoutRecursion) {
  Tensor chain = VariantTensor(nullptr);
  for (int i = 0; i < 300000; ++i) chain = VariantTensor(std::make_shared<Chain>(std::move(chain)));
  chain = Tensor();
}

TEST(ResourceTable, OneOfAName) {
  struct Other : Resource {};
  ResourceTable table;
  int made = 0;
  const auto make = [&] { return ++made, std::make_shared<Variable>(); };
  const auto v = table.FindOrMake<Variable>("v", make);
  EXPECT_EQ(table.FindOrMake<Variable>("v", make), v);
  EXPECT_NE(table.FindOrMake<Variable>("w", make), v);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(table.FindOrMake<Other>("v", [] { return std::make_shared<Other>(); }), nullptr);
  EXPECT_EQ(table.Find("v"), v);
  EXPECT_EQ(table.Find("u"), nullptr);
  std::string names;
  table.ForEach([&](const std::string& name, Resource&) { names += name; });
  EXPECT_EQ(names, "vw");
  table.Erase("v");
  EXPECT_EQ(table.Find("v"), nullptr);
  table.Clear();
  EXPECT_EQ(table.Find("w"), nullptr);
  EXPECT_EQ(v.use_count(), 1);
}

}  // namespace
}  // namespace tensh
