// tf.Graph.gradient_override_map. Nodes that are created inside it have the attribute
// `_gradient_op_type`, the name of a user function (tf.RegisterGradient) that computes their
// gradient. The gradient of a graph with such nodes is then computed piecewise: from each such node
// to the next, with the user's function in between (gradient_override.py).
//
// Also tf.container, which sets the attribute `container` of the nodes that are created inside.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "shell/tensorflow/graph/graph.h"

namespace tensh::shell::tf {

// The arguments of tf.gradients.
struct GradientsCall {
  std::span<const Out> ys, xs, grad_ys = {}, stops = {};
  std::string_view name = {};
  bool gate_ops = false, colocate = false;
};

// Returns the name for a new node of this op, or an empty string.
const char* OverriddenGradient(const GraphObject& g, const char* op);
void NoteOverridden(const GraphObject& g, Node node, const char* name);

// Returns the container for new nodes, or null.
const std::string* ContainerOf(const GraphObject& g);
void EnterContainer(const GraphObject& g, std::string name);
void LeaveContainer(const GraphObject& g);

bool HasOverrides(const GraphObject& g);
std::vector<tsh_gradient> SplitGradients(GraphObject& g, const GradientsCall& call);

Value GradientOverrideMap(Args& a);   // the method Graph.gradient_override_map
Value SetGradientOverrides(Args& a);  // helper for the method; returns the previous map

}  // namespace tensh::shell::tf
