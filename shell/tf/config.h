// tf.ConfigProto and the other protocol messages that scripts build: named fields, nested messages.
#pragma once

#include <string>

#include "shell/values/native.h"
#include "shell/values/value.h"

namespace tensh::shell::tf {

// What the runtime reads of a ConfigProto (or None), as JSON.
std::string ConfigJson(const Value& config);
// timeout_in_ms of a RunOptions (or None).
int64_t RunTimeoutMs(const Value& options);
void SetRunMetadata(const Value& metadata, std::string report_json);
const ModuleDef& MessagesModule();               // tensorflow.core.protobuf.config_pb2
const ModuleDef& ProtobufModule();               // the module that is in
std::span<const ConstantRow> ConfigConstants();  // ConfigProto, GPUOptions, RunOptions …

}  // namespace tensh::shell::tf
