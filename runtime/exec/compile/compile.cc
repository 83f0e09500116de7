// Compiles the stages of a run into a program.
#include <chrono>

#include "runtime/exec/compile/joins.h"
#include "runtime/exec/compile/partition_compiler.h"
#include "runtime/exec/dataflow.h"
#include "runtime/plan/rewrites.h"

namespace tensh {
namespace {

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Result<Plan::Code> MakeCode(Stages& stages, const CompileOptions& options, Bindings& bindings) {
  if (NeedsTokens(stages, options.by_tokens)) {
    TENSH_ASSIGN(auto tokens, CompileTokens(stages, options, bindings));
    return Plan::Code(std::move(tokens));
  }
  if (options.optimize) {
    stages.rewrites = FindRewrites(stages, *options.devices);
    FindJoins(stages, options);
  }
  std::vector<PartitionCode> parts;
  for (uint16_t part = 0; part < static_cast<uint16_t>(stages.partitioned.parts.size()); ++part) {
    TENSH_ASSIGN(PartitionCode code, PartitionCompiler(stages, part, options, bindings).Run());
    parts.push_back(std::move(code));
  }
  return Plan::Code(std::make_unique<Program>(std::move(parts)));
}

}  // namespace

Result<std::shared_ptr<Plan>> Compile(const Graph& graph, RunSignature signature,
                                      const CompileOptions& options) {
  const int64_t start = NowNs();
  TENSH_ASSIGN(Stages stages,
               FindStages(graph, std::move(signature), *options.devices, options.place));
  stages.optimized = options.optimize;
  Bindings bindings;
  TENSH_ASSIGN(Plan::Code code, MakeCode(stages, options, bindings));
  for (const auto& resource : bindings.resources)
    if (auto* v = dynamic_cast<Variable*>(resource.get()); v && !bindings.keyed.empty())
      bindings.variables_held.push_back(v);
  graph.NotePlanned(stages.max_node);
  return std::make_shared<Plan>(std::move(stages), std::move(bindings), std::move(code),
                                NowNs() - start);
}

}  // namespace tensh
