// The parts of a graph's store: interned strings, names, attribute sets and shapes, and the guards
// of control flow.
#include <gtest/gtest.h>

#include "runtime/graph/attr_sets.h"
#include "runtime/graph/guards.h"
#include "runtime/graph/names.h"

namespace tensh {
namespace {

TEST(Chunked, KeepsAddressesAcrossChunks) {
  Chunked<uint32_t> numbers;
  constexpr uint32_t kCount = 100 * Chunked<uint32_t>::kFirstChunk + 1;
  numbers.push_back(7);
  const uint32_t* first = &numbers[0];
  for (uint32_t i = 1; i < kCount; ++i) numbers.push_back(i);
  EXPECT_EQ(&numbers[0], first);
  for (uint32_t i = 1; i < kCount; ++i) ASSERT_EQ(numbers[i], i);
  EXPECT_EQ(numbers.bytes(), kCount * sizeof(uint32_t));
  numbers.Truncate(1);
  numbers.push_back(8);
  EXPECT_EQ(numbers.size(), 2u);
  EXPECT_EQ(numbers[1], 8u);
}

TEST(StringPool, EqualStringsHaveOneId) {
  StringPool pool;
  EXPECT_EQ(pool.Intern(""), 0u);
  const uint32_t cpu = pool.Intern("/cpu:0"), gpu = pool.Intern("/gpu:0");
  EXPECT_NE(cpu, gpu);
  EXPECT_EQ(pool.Intern(std::string("/cpu") + ":0"), cpu);
  EXPECT_EQ(pool.Get(cpu), "/cpu:0");
  EXPECT_EQ(pool.Get(0), "");
  const std::string_view kept = pool.Get(gpu);
  for (int i = 0; i < 1000; ++i) pool.Intern(std::to_string(i));
  EXPECT_EQ(pool.Get(gpu).data(), kept.data());
}

TEST(Names, AreFoundByTheirExactText) {
  Names names;
  for (const char* name : {"a", "B", "scope/a", ""}) names.Add(name);
  EXPECT_EQ(names.Find("a"), 0u);
  EXPECT_EQ(names.Find("B"), 1u);
  EXPECT_EQ(names.Find("b"), UINT32_MAX);  // Exact, although the hash ignores case.
  EXPECT_EQ(names.Find("scope/a"), 2u);
  EXPECT_EQ(names.Find(""), 3u);
  EXPECT_EQ(names.Find("scope"), UINT32_MAX);
  EXPECT_EQ(names.Get(2), "scope/a");
  EXPECT_EQ(names.Get(2).data()[7], '\0');  // The C API returns it as it is.
}

// The rule of Graph.unique_name in TensorFlow 1.15, with and without nodes of these names.
TEST(Names, Unique) {
  Names names;
  names.Add("x");
  names.Add("X_1");
  EXPECT_EQ(names.Unique("x", false), "x_2");
  EXPECT_EQ(names.Unique("x", false), "x_2");
  EXPECT_EQ(names.Unique("X", true), "X_2");
  EXPECT_EQ(names.Unique("x", true), "x_3");
  EXPECT_EQ(names.Unique("y", true), "y");
  EXPECT_EQ(names.Unique("Y", true), "Y_1");
  EXPECT_EQ(names.Unique("y_1", true), "y_1_1");
  EXPECT_EQ(names.Unique("x_2", true), "x_2_1");
}

TEST(Names, RollbackRestoresEveryCount) {
  Names names;
  names.Add("x");
  EXPECT_EQ(names.Unique("y", true), "y");
  names.Begin();
  EXPECT_EQ(names.Unique("x", true), "x_1");
  names.Add("x_1");
  EXPECT_EQ(names.Unique("y", true), "y_1");
  EXPECT_EQ(names.Unique("z", true), "z");
  names.Rollback();
  EXPECT_EQ(names.Find("x_1"), UINT32_MAX);
  EXPECT_EQ(names.Unique("x", false), "x_1");
  EXPECT_EQ(names.Unique("y", false), "y_1");
  EXPECT_EQ(names.Unique("z", false), "z");
  names.Begin();
  EXPECT_EQ(names.Unique("z", true), "z");
  names.End();
  EXPECT_EQ(names.Unique("z", false), "z_1");
}

// Removal moves later entries of a run of the hash table; every other name must still be found.
TEST(Names, TruncateKeepsTheOthers) {
  Names names;
  constexpr uint32_t kCount = 5000, kKept = 1234;
  const auto name = [](uint32_t i) { return "node_" + std::to_string(i * 7919 % 100'003); };
  for (uint32_t i = 0; i < kCount; ++i) names.Add(name(i));
  names.Truncate(kKept);
  for (uint32_t i = 0; i < kCount; ++i)
    ASSERT_EQ(names.Find(name(i)), i < kKept ? i : UINT32_MAX) << name(i);
  for (uint32_t i = kKept; i < kCount; ++i) names.Add(name(i));
  for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(names.Find(name(i)), i);
}

TEST(AttrSets, ForgetWhatWasRolledBack) {
  AttrSets sets;
  const uint32_t first = sets.Add({{"T", AttrValue(DType::kFloat)}});
  sets.Remember("Add float", {first, {DType::kFloat}});
  const uint32_t second = sets.Add({{"T", AttrValue(DType::kInt32)}});
  sets.Remember("Add int32", {second, {DType::kInt32}});
  ASSERT_NE(sets.Find("Add int32"), nullptr);
  EXPECT_EQ(sets.Find("Add int32")->set, second);
  EXPECT_EQ(sets.Find("Add bool"), nullptr);
  sets.Truncate(second);
  EXPECT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets.Find("Add int32"), nullptr);
  EXPECT_NE(sets.Find("Add float"), nullptr);
  EXPECT_EQ(sets.Get(first).Type("T"), DType::kFloat);
}

TEST(ShapePool, EqualShapesHaveOneId) {
  ShapePool pool;
  const Shape shapes[] = {Shape(),        Shape({0}),       Shape({2, 3}),          Shape({3, 2}),
                          Shape({-1, 2}), Shape::Unknown(), Shape::UnknownOfRank(2)};
  std::vector<uint32_t> ids;
  for (const Shape& shape : shapes) ids.push_back(pool.Intern(shape));
  for (size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(pool.Intern(shapes[i]), ids[i]);
    EXPECT_EQ(pool.Get(ids[i])->has_rank(), shapes[i].has_rank());
    for (size_t k = 0; k < i; ++k) EXPECT_NE(ids[i], ids[k]) << i << " " << k;
  }
}

// Guards as text: "1 !2" are predicate 1 true and predicate 2 false; "L3@5" is LoopCond 3 of loop 5.
struct GuardTest : testing::Test {
  Guards guards;
  static Literal Yes(uint32_t pred) { return {pred, 0, true}; }
  static Literal No(uint32_t pred) { return {pred, 0, false}; }
  static Literal Loop(uint32_t pred, uint32_t loop) { return {pred, loop, true}; }
  GuardId Of(std::initializer_list<Literal> literals) {
    GuardId g = kAlways;
    for (const Literal& l : literals) g = guards.And(g, l);
    return g;
  }
  std::string Text(GuardId g) {
    if (g == kAlways) return "always";
    if (g == kUnclear) return "unclear";
    std::string out;
    for (const Literal& l : guards.Get(g)) {
      out += out.empty() ? "" : " ";
      if (l.pred & kArrives) out += "arrives:";
      out += l.loop ? "L" : l.branch ? "" : "!";
      out += std::to_string(l.pred & ~kArrives);
      if (l.loop) out += "@" + std::to_string(l.loop);
    }
    return out;
  }
};

TEST_F(GuardTest, Conjunctions) {
  EXPECT_EQ(Text(Of({})), "always");
  EXPECT_EQ(Text(Of({Yes(2), No(1), Yes(2)})), "!1 2");
  EXPECT_EQ(Of({Yes(2), No(1)}), Of({No(1), Yes(2)})) << "equal guards have equal ids";
  EXPECT_EQ(Text(guards.And(Of({Yes(1)}), Of({Yes(1), No(3)}))), "1 !3");
  EXPECT_EQ(guards.And(kAlways, Of({Yes(1)})), Of({Yes(1)}));
  EXPECT_EQ(guards.And(kUnclear, Of({Yes(1)})), kUnclear);
  EXPECT_EQ(guards.And(kUnclear, Yes(1)), kUnclear);
  GuardId many = kAlways;
  for (uint32_t i = 0; i < 64; ++i) many = guards.And(many, Yes(i));
  EXPECT_NE(many, kUnclear);
  EXPECT_EQ(guards.And(many, Yes(64)), kUnclear);
}

TEST_F(GuardTest, MergesOfTwoBranches) {
  const struct {
    GuardId a, b;
    const char* want;
  } rows[] = {
      {Of({Yes(1)}), Of({No(1)}), "always"},
      {Of({Yes(1), Yes(2)}), Of({No(1), Yes(2)}), "2"},
      {Of({Yes(1)}), Of({Yes(1)}), "1"},
      {Of({Yes(1)}), kAlways, "always"},
      {Of({Yes(1)}), Of({Yes(2)}), "unclear"},
      {Of({Yes(1), Yes(2)}), Of({No(1), No(2)}), "unclear"},  // x and y, or neither
      {Of({Yes(1), Yes(2)}), Of({No(1)}), "unclear"},
      {kUnclear, Of({Yes(1)}), "unclear"},
      {Of({Loop(1, 5)}), Of({{1, 5, false}}), "unclear"},  // a loop does not end in a Merge
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Text(guards.Either(row.a, row.b)), row.want) << Text(row.a) << " | " << Text(row.b);
    EXPECT_EQ(Text(guards.Either(row.b, row.a)), row.want) << Text(row.b) << " | " << Text(row.a);
  }
}

TEST_F(GuardTest, Parts) {
  const GuardId mixed = Of({Yes(1), Loop(2, 5), Yes(3 | kArrives)});
  EXPECT_EQ(Text(guards.LoopPart(mixed)), "L2@5");
  EXPECT_EQ(Text(guards.ArrivalPart(mixed)), "arrives:3");
  EXPECT_EQ(Text(guards.WithoutArrivals(mixed)), "1 L2@5");
  EXPECT_EQ(guards.WithoutArrivals(kUnclear), kUnclear);
  EXPECT_TRUE(guards.Branches(mixed));
  EXPECT_TRUE(guards.Branches(kUnclear));
  EXPECT_FALSE(guards.Branches(kAlways));
  EXPECT_FALSE(guards.Branches(Of({Loop(2, 5)})));
}

}  // namespace
}  // namespace tensh
