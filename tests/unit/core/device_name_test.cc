// Device names: every spelling that TensorFlow accepts, and matching of partial names.
#include <gtest/gtest.h>

#include "runtime/core/device/device.h"
#include "tests/unit/core/rows.h"

namespace tensh {
namespace {

std::string Canonical(const std::string& text) {
  const auto name = DeviceName::Parse(text);
  return name.ok() ? name->ToString() : test::Show(name.status());
}

TEST(DeviceName, Parsed) {
  struct Row {
    const char *text, *want;
  };
  const Row rows[] = {
      {"", ""},
      {"/", ""},
      {"cpu", "/device:CPU:*"},
      {"/cpu:0", "/device:CPU:0"},
      {"CPU:1", "/device:CPU:1"},
      {"/gpu:*", "/device:GPU:*"},
      {"/device:gpu:3", "/device:GPU:3"},
      {"/device:*:2", ""},  // an id without a type is not shown
      {"/device:XLA_CPU:0", "/device:XLA_CPU:0"},
      {"/job:ps", "/job:ps"},
      {"/job:*", ""},
      {"/task:7", "/task:7"},
      {"/job:worker/replica:0/task:1/device:CPU:0", "/job:worker/replica:0/task:1/device:CPU:0"},
      {"/job:worker/task:*/cpu:0", "/job:worker/device:CPU:0"},
      {"/cpu:0/job:a", "/job:a/device:CPU:0"},  // parts in any order
      {"/cpu:0/gpu:1", "/device:GPU:1"},        // the last one counts
      {"/job:", "3: Malformed device specification '/job:'"},
      {"/task:-1", "3: Malformed device specification '/task:-1'"},
      {"/task:x", "3: Malformed device specification '/task:x'"},
      {"/task:", "3: Malformed device specification '/task:'"},
      {"/task:1 ", "3: Malformed device specification '/task:1 '"},
      {"/replica:99999999999", "3: Malformed device specification '/replica:99999999999'"},
      {"/cpu:", "3: Malformed device specification '/cpu:'"},
      {"/cpu:0:1", "3: Malformed device specification '/cpu:0:1'"},
      {"//cpu:0", "3: Malformed device specification '//cpu:0'"},
      {"/0", "3: Malformed device specification '/0'"},
      {"c-pu", "3: Malformed device specification 'c-pu'"},
  };
  for (const Row& row : rows) EXPECT_EQ(Canonical(row.text), row.want) << row.text;
}

TEST(DeviceName, APartThatIsNotSetMatchesAnyValue) {
  const DeviceName full = *DeviceName::Parse("/job:worker/replica:0/task:1/device:GPU:2");
  struct Row {
    const char* partial;
    bool matches;
  };
  const Row rows[] = {{"", true},
                      {"/gpu:2", true},
                      {"/gpu:*", true},
                      {"/gpu", true},
                      {"/task:1", true},
                      {"/job:worker", true},
                      {"/gpu:1", false},
                      {"/cpu:2", false},
                      {"/job:ps", false},
                      {"/task:0/gpu:2", false},
                      {"/replica:1", false},
                      {"/device:*:2", true},
                      {"/device:*:1", false},
                      {"/job:worker/replica:0/task:1/device:GPU:2", true}};
  for (const Row& row : rows)
    EXPECT_EQ(DeviceName::Parse(row.partial)->Matches(full), row.matches) << row.partial;
}

TEST(DeviceName, ShortStrings) {
  EXPECT_EQ(DeviceName::Parse("/job:a/device:CPU:0")->ShortString(), "cpu:0");
  EXPECT_EQ(DeviceName::Parse("/gpu:*")->ShortString(), "gpu");
  EXPECT_TRUE(DeviceName::Parse("/")->empty());
  EXPECT_FALSE(DeviceName::Parse("/task:0")->empty());
  EXPECT_EQ(DeviceName::Parse("x y").status().hint(),
            "write it as /cpu:0 or /job:worker/task:1/device:CPU:0");
}

TEST(DeviceMgr, NeedsACpu) {
  const auto made = DeviceMgr::Create(DeviceRegistry(), {});
  EXPECT_EQ(made.status().code(), Code::kNotFound);
  EXPECT_EQ(made.status().hint(), "request one: device_count={'CPU': 1}");
}

}  // namespace
}  // namespace tensh
