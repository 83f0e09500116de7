// tf.ConfigProto and the other protocol messages that scripts create: objects with named fields and
// nested messages.
#pragma once

#include <string>

#include "shell/python/values/native.h"
#include "shell/python/values/value.h"

namespace tensh::shell::tf {

// Returns the parts of a ConfigProto (or None) that the runtime reads, as JSON.
std::string ConfigJson(const Value& config);
// Returns timeout_in_ms of a RunOptions (or None).
int64_t RunTimeoutMs(const Value& options);
// Replaces the contents of a RunMetadata by the report of a traced run that has just ended.
void SetRunMetadata(const Value& metadata, const std::string& report_json);
std::span<const ConstantRow> ConfigConstants();  // ConfigProto, GPUOptions, RunOptions …

}  // namespace tensh::shell::tf
