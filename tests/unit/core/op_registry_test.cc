// The registry of ops: names, aliases, and files that run on demand.

#include "runtime/core/op_registry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tensh {
namespace {

TEST(OpRegistry, FindsByNameAndAlias) {
  OpRegistry registry;
  registry.Op({.name = "A", .inputs = "x: T", .attrs = "T: type", .doc = "First."});
  registry.Op({.name = "B", .stateful = true});
  registry.Alias("OldA", "A");
  EXPECT_EQ(registry.All().size(), 2u);
  ASSERT_NE(registry.Find("A"), nullptr);
  EXPECT_EQ(registry.Find("OldA"), registry.Find("A"));
  EXPECT_EQ(registry.Find("A")->doc, "First.");
  EXPECT_EQ(&registry.Get(1), registry.Find("B"));
  EXPECT_TRUE(registry.Find("B")->stateful);
  EXPECT_EQ(registry.FindSpec("OldA")->inputs, "x: T");
  EXPECT_EQ(registry.Find("C"), nullptr);
  EXPECT_EQ(registry.FindSpec(""), nullptr);
}

TEST(OpRegistryDeathTest, NamesAreUnique) {
  OpRegistry registry;
  registry.Op({.name = "A"});
  registry.Op({.name = "B"});
  EXPECT_DEATH(registry.Op({.name = "A"}), "op registered twice: A");
  EXPECT_DEATH(registry.Alias("B", "A"), "op registered twice: B");
  EXPECT_DEATH(registry.Alias("D", "C"), "alias of an unknown op: C");
}

std::string ran;  // the files that ran

constexpr OpRegistry::File kFiles[] = {
    [](OpRegistry& r) {
      ran += "0";
      r.Op({.name = "A"});
      r.Op({.name = "Computed"});
    },
    [](OpRegistry& r) {
      ran += "1";
      r.Op({.name = "B"});
      r.Alias("OldA", "A");
    },
    [](OpRegistry& r) {
      ran += "2";
      r.Op({.name = "C"});
    },
};
// "C" is also a literal in the first file, which does not register it.
constexpr OpRegistry::NameInFile kNames[] = {{"A", 0}, {"B", 1},       {"C", 0},
                                             {"C", 2}, {"Nothing", 2}, {"OldA", 1}};

TEST(OpRegistry, RunsTheFilesThatALookupNeeds) {
  const struct {
    const char *name, *files;
    bool exists;
  } kRows[] = {
      {"A", "0", true},          {"B", "10", true},         {"OldA", "10", true},
      {"C", "02", true},         {"Computed", "012", true}, {"Nothing", "201", false},
      {"Unknown", "012", false},
  };
  for (const auto& row : kRows) {
    OpRegistry registry;
    registry.AddFiles(kFiles, kNames);
    ran.clear();
    EXPECT_EQ(registry.Find(row.name) != nullptr, row.exists) << row.name;
    EXPECT_EQ(ran, row.files) << row.name;
    EXPECT_EQ(registry.All().size(), 4u) << row.name;
    EXPECT_EQ(ran.size(), 3u) << "a file ran twice, or not at all: " << ran;
    EXPECT_EQ(registry.Find("OldA"), registry.Find("A"));
  }
}

TEST(OpRegistry, ThreadsLookUpWhileFilesRun) {
  for (int round = 0; round < 20; ++round) {
    OpRegistry registry;
    registry.AddFiles(kFiles, kNames);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        constexpr const char* kLookups[] = {"OldA", "C", "Computed", "B"};
        for (int i = 0; i < 4; ++i) {
          const std::string name = kLookups[(i + t) % 4];
          const OpDef* op = registry.Find(name);
          const bool right = op && op->name == (name == "OldA" ? "A" : name);
          if (!right || &registry.Get(op->id) != op) ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace tensh
