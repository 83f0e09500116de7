// tf.errors: one exception class per status code, with TensorFlow's names.
#pragma once

#include "shell/client/client.h"
#include "shell/python/values/error.h"

namespace tensh::shell::tf {

// Explanations of common errors, for readers who see them for the first time (`why error`).
inline constexpr const char kWhyUnfed[] =
    "A placeholder has no value. Every run must feed all placeholders that its fetches depend on; "
    "the others need no feed.";
inline constexpr const char kWhyUninitialized[] =
    "A variable gets its first value when its initializer runs, not when it is created. Values "
    "live in the session, so each session must initialize its variables.";
inline constexpr const char kWhyOtherGraph[] =
    "A tensor belongs to the graph in which it was created. A session runs one graph, and all "
    "inputs of an op must belong to the same graph.";
inline constexpr const char kWhyNotInGraph[] =
    "Names are looked up in the graph of the session that runs.";
inline constexpr const char kWhyFeedShape[] =
    "A fed value must fit the shape of the placeholder; ? accepts any size.";
inline constexpr const char kWhyFinalized[] =
    "No nodes can be added to a finalized graph. Add them before, or use another graph.";
inline constexpr const char kWhyClosed[] =
    "Closing a session frees its variables. The graph remains and can be used by another session.";

extern const TypeInfo kOpError;
const TypeInfo& ErrorTypeOf(int code);  // for codes 1-16; UnknownError for others
PyError ErrorFromStatus(const ClientError& error);
// Returns the exception for an error in building a graph: ValueError for a bad argument, or
// LookupError for a missing gradient.
PyError BuildErrorFromStatus(const ClientError& error);
PyError OperatorNotAllowed(std::string message);  // a subclass of TypeError
// Makes failed calls of the runtime throw these exceptions from now on (client.h).
void RaiseClientErrors();

}  // namespace tensh::shell::tf
