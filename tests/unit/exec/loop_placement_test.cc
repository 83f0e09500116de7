// Random programs of loops in branches in loops, whose nodes request random devices. The values
// must equal those of the reference interpreter for every placement. Seeds are fixed.
#include <gtest/gtest.h>

#include "devices/cpu/cpu_device.h"
#include "runtime/exec/step.h"
#include "tests/support/reference.h"
#include "tests/unit/exec/random_program.h"

namespace tensh {
namespace {

struct Outcome {
  float value = 0;
  size_t transfers = 0;
};

Outcome RunOn(const Graph& graph, Output fetch, int devices_count, bool spread, bool reference) {
  DeviceRegistry registry;
  RegisterDevice_cpu(registry);
  auto devices = *DeviceMgr::Create(registry, {.device_count = {{"CPU", devices_count}}});
  ResourceTable resources;
  const PlaceOptions place{.allow_soft_placement = true, .kept = nullptr, .spread = spread};
  const RunSignature signature{{}, {graph.output(fetch.node, fetch.index)}, {}};
  auto plan = Compile(graph, signature, {devices.get(), &resources, place});
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  if (!plan.ok()) return {};
  Outcome outcome{0, (*plan)->stages.partitioned.transfers.size()};
  for (int step = 0; step < 3; ++step) {
    if (step == 2) (*plan)->program()->last_step_ns = 1'000'000;  // with threads
    Tensor fetched;
    const Status status =
        reference ? RunReference((*plan)->stages, {}, {&fetched, 1}, {.resources = &resources})
                  : RunStep(**plan, {}, {&fetched, 1}, {});
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok()) return {};
    if (step > 0) {
      EXPECT_EQ(outcome.value, *fetched.data<float>());
    }
    outcome.value = *fetched.data<float>();
  }
  return outcome;
}

class Placements : public ::testing::TestWithParam<int> {};

TEST_P(Placements, ValuesAreThoseOfTheReference) {
  test::Program program(static_cast<unsigned>(GetParam()));
  const Output fetch = program.Make();
  const float wanted = RunOn(program.graph(), fetch, 1, false, true).value;
  EXPECT_EQ(RunOn(program.graph(), fetch, 1, false, false).value, wanted) << "one device";
  EXPECT_EQ(RunOn(program.graph(), fetch, 3, false, false).value, wanted) << "as asked";
  EXPECT_EQ(RunOn(program.graph(), fetch, 3, true, false).value, wanted) << "spread";
}

INSTANTIATE_TEST_SUITE_P(Seeds, Placements, ::testing::Range(0, 150));

}  // namespace
}  // namespace tensh
