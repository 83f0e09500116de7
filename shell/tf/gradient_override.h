// tf.Graph.gradient_override_map: nodes made under it carry `_gradient_op_type`, the name of a
// function of the user's (tf.RegisterGradient) that makes their gradient. Gradients then flow in
// pieces: from each such node to the next, with the function between (gradient_override.py).
#pragma once

#include "shell/tf/train.h"

namespace tensh::shell::tf {

// What a new node of the op is to carry; empty: nothing.
const char* OverriddenGradient(const GraphObject& g, const char* op);
void NoteOverridden(const GraphObject& g, Node node, const char* name);

bool HasOverrides(const GraphObject& g);
std::vector<tsh_gradient> SplitGradients(GraphObject& g, const GradientsCall& call);

Value GradientOverrideMap(Args& a);   // Graph.gradient_override_map, a row of its methods
Value SetGradientOverrides(Args& a);  // what that is made of: the map in effect before

}  // namespace tensh::shell::tf
