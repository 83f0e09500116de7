#pragma once
// The interface of an evaluator that runs steps in place of compiled programs. A session that is
// configured with one still compiles each run, and gives the evaluator its stages. Only tests have
// an evaluator, to compare results with (tests/support/reference.h).
#include <span>
#include <string>

#include "runtime/plan/stages.h"

namespace tensh {

struct EvaluatorOptions {
  ResourceTable* resources;
  FunctionRuntime* functions = nullptr;  // resolves the functions that nodes call
  std::string scope = {};                // if the graph is the body of a function: its name
  CancelFlag* cancel = nullptr;
};
// `feeds` has one value for each feed of the signature, `fetched` one for each fetch. On failure
// nothing is fetched.
using Evaluator = Status (*)(const Stages& stages, std::span<const Tensor> feeds,
                             std::span<Tensor> fetched, const EvaluatorOptions& options);

}  // namespace tensh
