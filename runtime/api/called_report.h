#pragma once
// The part of a report that is about functions: the functions that the nodes of a run call or may
// call, and the nodes of their bodies, under names such as cond/then/Exp.
#include <span>
#include <string>

#include "runtime/api/json_writer.h"
#include "runtime/session/session.h"

namespace tensh::api {

// Writes the members `calls` and `called` of the report, unless no node of the run calls functions
// or the run takes place elsewhere. `step` is null before a run. Compiles the bodies. A body that
// cannot be compiled is left out: the run itself reports why.
void WriteCalled(Session& session, const Stages& stages, std::span<const std::string> short_names,
                 const StepTrace* step, JsonWriter& json);

}  // namespace tensh::api
