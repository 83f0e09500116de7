#pragma once
// Graphs as one line of text, for tests of the stages:
// "a;x?;v!;b=Neg(a);c=AddV2(b,x)@cpu:1;d=NoOp()^c". A bare name is a float constant, name? a
// placeholder, name! a variable, ^n a control input, @d the device asked for.
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh::testing {

// The registry of every op, made once.
const OpRegistry& AllOps();

// Appends the text's nodes, all in one Append or one by one; a malformed text or a refused node
// fails the test.
void AppendText(Graph& graph, const std::string& text, bool one_by_one = false);

// The text of elementwise nodes that feed each other: `inputs` placeholders first, `nodes` in all,
// named prefix0, prefix1 ….
std::string RandomChain(std::mt19937& rng, const std::string& prefix, int inputs, int nodes,
                        std::span<const char* const> unary, std::span<const char* const> binary);
Tensor RandomFloats(std::mt19937& rng, const Shape& shape);  // of the normal distribution

// "b" → its output 0.
ValueId Value(const Graph& graph, const std::string& name);
// "a,b" → values of a and b.
std::vector<ValueId> Values(const Graph& graph, const std::string& names);

}  // namespace tensh::testing
