// The indexes of planning: a map from ids to numbers, and the devices that consumers request.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "runtime/plan/stages.h"
#include "tests/support/graph_text.h"

namespace tensh {
namespace {

TEST(IdMap, AgainstAMap) {
  std::mt19937 random(3);
  IdMap ids(1);
  std::map<uint32_t, uint32_t> want;
  for (int i = 0; i < 20'000; ++i) {
    const uint32_t key = random() % 5000 * 64, value = random();
    if (i % 3 == 0) {
      ids.Set(key, value);
      want[key] = value;
    } else {
      ASSERT_EQ(ids.Insert(key, value), want.emplace(key, value).second);
    }
  }
  EXPECT_EQ(ids.size(), want.size());
  for (uint32_t key = 0; key < 5000 * 64; key += 16) {
    const auto found = want.find(key);
    ASSERT_EQ(ids.Find(key), found == want.end() ? UINT32_MAX : found->second) << key;
  }
  EXPECT_EQ(IdMap().Find(0), UINT32_MAX);
}

class Consumers : public ::testing::Test {
 protected:
  Consumers() : g_(new Graph(test::AllOps())) {}
  ~Consumers() override { g_->Unref(); }
  // Returns "DEVICE×EDGES" of each request, in order of the devices.
  std::string Of(const char* node) const {
    std::map<std::string, uint32_t> requests;
    for (const auto& r : index_.Of(g_->Find(node))) requests[std::string(r.device)] += r.edges;
    std::string out;
    for (const auto& [device, edges] : requests)
      out += StrCat(out.empty() ? "" : " ", device.empty() ? "none" : device, "×", edges);
    return out;
  }
  Graph* g_;
  ConsumerIndex index_;
};

TEST_F(Consumers, AreCountedByTheDeviceThatTheyRequest) {
  test::AppendText(*g_, "a;b;c=AddV2(a,a)@/cpu:1;d=Neg(a);e=NoOp()^a;f=Neg(c)@/cpu:1");
  index_.Update(*g_);
  EXPECT_EQ(Of("a"), "none×2 /device:CPU:1×2");
  EXPECT_EQ(Of("b"), "");
  EXPECT_EQ(index_.visited(), 6u);
  index_.Update(*g_);
  EXPECT_EQ(index_.visited(), 6u) << "nothing is new";
}

TEST_F(Consumers, GrowAndShrinkWithTheGraph) {
  test::AppendText(*g_, "a;b=Neg(a)@/cpu:1");
  index_.Update(*g_);
  g_->Begin();
  test::AppendText(*g_, "c=Neg(a)@/cpu:0;d;e=Neg(d)");
  index_.Update(*g_);
  EXPECT_EQ(Of("a"), "/device:CPU:0×1 /device:CPU:1×1");
  g_->Rollback();
  index_.DropFrom(g_->size());
  EXPECT_EQ(Of("a"), "/device:CPU:1×1");
  test::AppendText(*g_, "c=Neg(a)@/cpu:1");
  index_.Update(*g_);
  EXPECT_EQ(Of("a"), "/device:CPU:1×2");
}

}  // namespace
}  // namespace tensh
