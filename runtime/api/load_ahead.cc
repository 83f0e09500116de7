#include "runtime/api/load_ahead.h"

#include "ops/math/matmul/load_ahead.h"
#include "ops/math/matmul/onednn.h"
#include "tensh/tensh_load.h"

namespace tensh::api {

std::atomic<bool> g_load_ahead{false};

void LoadAheadForNodes(const Graph& graph, uint32_t first) {
  for (uint32_t i = first; i < graph.size(); ++i) {
    const NodeId n{i};
    if (graph.num_inputs(n) != 2 || graph.num_outputs(n) != 1) continue;
    const ValueId y = graph.output(n, 0);
    if (graph.dtype(y) == DType::kFloat &&
        ops::StartLoadingForNode(graph.op(n).name, graph.attrs(n), graph.shape(graph.input(n, 0)),
                                 graph.shape(y)))
      return g_load_ahead.store(false);
  }
}

}  // namespace tensh::api

void tsh_load_ahead(int on) {
  tensh::api::g_load_ahead = on != 0;
  if (!on) tensh::ops::EndLoading();
}
