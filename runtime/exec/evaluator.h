#pragma once
// The interface of an evaluator that runs steps in place of compiled programs. A session that is
// configured with one still compiles each run, and gives the evaluator its stages. Tests have such
// an evaluator, to compare with (tests/support/reference.h). tensh and libtensh have none.
#include <span>
#include <string>

#include "runtime/plan/stages.h"

namespace tensh {

struct EvaluatorOptions {
  ResourceTable* resources;
  FunctionRuntime* functions = nullptr;  // what nodes that call functions call
  std::string scope = {};                // the function whose body the graph is; "": none
  CancelFlag* cancel = nullptr;
};
// `feeds` has one value for each feed of the signature, `fetched` one for each fetch. On failure
// nothing is fetched.
using Evaluator = Status (*)(const Stages& stages, std::span<const Tensor> feeds,
                             std::span<Tensor> fetched, const EvaluatorOptions& options);

}  // namespace tensh
