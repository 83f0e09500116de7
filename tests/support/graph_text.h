#pragma once
// Graphs as one line of text, for tests of the planning stages:
// "a;x?;v!;b=Neg(a);c=AddV2(b,x)@cpu:1;d=NoOp()^c". A bare name is a float constant, name? is a
// placeholder, name! is a variable, ^n is a control input, and @d is the requested device.
#include <random>
#include <span>
#include <string>
#include <vector>

#include "runtime/graph/graph.h"

namespace tensh::test {

// The registry of all ops, created once.
const OpRegistry& AllOps();

// Appends the nodes of the text, all at once or one by one. A malformed text or a refused node
// fails the test.
void AppendText(Graph& graph, const std::string& text, bool one_by_one = false);

// Returns the text of elementwise nodes that feed each other. The first `inputs` of the `nodes`
// nodes are placeholders. Their names are prefix0, prefix1 ….
std::string RandomChain(std::mt19937& rng, const std::string& prefix, int inputs, int nodes,
                        std::span<const char* const> unary, std::span<const char* const> binary);
Tensor RandomFloats(std::mt19937& rng, const Shape& shape);  // from a normal distribution

// "b" is output 0 of node b.
ValueId Value(const Graph& graph, const std::string& name);
// "a,b" is the list of values of a and b.
std::vector<ValueId> Values(const Graph& graph, const std::string& names);

}  // namespace tensh::test
