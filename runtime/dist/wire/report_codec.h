#pragma once
// Conversion of the runtime's JSON reports to TensorFlow's messages.
#include "runtime/dist/wire/handles.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// Converts the result of tsh_session_devices_json, and frees it.
void EncodeDevices(char* json,
                   google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes>* to);
// Converts the report of a traced run.
void EncodeTrace(const char* report, tensorflow::StepStats* stats);

}  // namespace tensh::dist
