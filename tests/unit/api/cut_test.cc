// Steps cut for tasks through the C API: a run that names missing nodes is refused.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tensh/tensh_plugin.h"

namespace {

constexpr char kDevice[] = "/job:worker/replica:0/task:0/device:CPU:0";

template <auto free>
struct Free {
  template <class T>
  void operator()(T* t) const {
    free(t);
  }
};
using StatusPtr = std::unique_ptr<tsh_status, Free<tsh_status_free>>;
using GraphPtr = std::unique_ptr<tsh_graph, Free<tsh_graph_unref>>;
using CutterPtr = std::unique_ptr<tsh_cutter, Free<tsh_cutter_free>>;
using CutPtr = std::unique_ptr<tsh_cut, Free<tsh_cut_free>>;

// "a", one output, and "n", an op without outputs.
GraphPtr TwoNodes() {
  GraphPtr graph(tsh_graph_new());
  tsh_attr dtype{};
  dtype.name = "dtype";
  dtype.kind = TSH_ATTR_TYPE;
  dtype.i = TSH_FLOAT;
  tsh_node_spec specs[2] = {};
  specs[0].op = "Placeholder";
  specs[0].name = "a";
  specs[0].attrs = &dtype;
  specs[0].n_attrs = 1;
  specs[1].op = "NoOp";
  specs[1].name = "n";
  tsh_node nodes[2];
  const StatusPtr status(tsh_status_new());
  EXPECT_TRUE(tsh_graph_add(graph.get(), specs, 2, nodes, status.get()))
      << tsh_status_message(status.get());
  return graph;
}

TEST(Cut, RefusesWhatTheGraphLacks) {
  struct Row {
    std::vector<tsh_output> feeds, fetches;
    std::vector<tsh_node> targets;
    const char* want;  // "" if it can be cut
  };
  const Row rows[] = {
      {{{0, 0}}, {{0, 0}}, {1}, ""},
      {{{7, 0}}, {}, {}, "5: a feed is not in this session's graph"},
      {{{TSH_NO_NODE, 0}}, {}, {}, "5: a feed is not in this session's graph"},
      {{{0, 1}}, {}, {}, "3: feed a:1 does not exist: Placeholder has 1 outputs"},
      {{{0, 0}, {0, 0}}, {}, {}, "3: a:0 is fed twice"},
      {{}, {{2, 0}}, {}, "5: a fetch is not in this session's graph"},
      {{}, {{1, 0}}, {}, "3: fetch n:0 does not exist: NoOp has 0 outputs"},
      {{},
       {{0, 4000000000}},
       {},
       "3: fetch a:4000000000 does not exist: Placeholder has 1 outputs"},
      {{}, {}, {2}, "5: a target is not in this session's graph"},
      {{}, {}, {TSH_NO_NODE}, "5: a target is not in this session's graph"},
  };
  const GraphPtr graph = TwoNodes();
  const StatusPtr status(tsh_status_new());
  const tsh_device device{kDevice, "CPU", 1 << 20, 1};
  const CutterPtr cutter(tsh_cutter_new(graph.get(), &device, 1, "", status.get()));
  ASSERT_TRUE(cutter) << tsh_status_message(status.get());
  for (const Row& row : rows) {
    tsh_run run{};
    run.feeds = row.feeds.data();
    run.n_feeds = row.feeds.size();
    run.fetches = row.fetches.data();
    run.n_fetches = row.fetches.size();
    run.targets = row.targets.data();
    run.n_targets = row.targets.size();
    const CutPtr cut(tsh_cutter_cut(cutter.get(), &run, status.get()));
    const std::string got = cut ? ""
                                : std::to_string(tsh_status_code(status.get())) + ": " +
                                      tsh_status_message(status.get());
    EXPECT_EQ(got, row.want);
    if (!cut) continue;
    EXPECT_EQ(tsh_cut_size(cut.get()), 1u);
    EXPECT_STREQ(tsh_cut_task(cut.get(), 0), "/job:worker/replica:0/task:0");
    EXPECT_EQ(tsh_cut_task(cut.get(), 1), nullptr);
    EXPECT_EQ(tsh_cut_graph(cut.get(), 1), nullptr);
  }
}

}  // namespace
