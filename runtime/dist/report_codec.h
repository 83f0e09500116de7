#pragma once
// What the runtime reports as JSON, as TensorFlow's messages.
#include "runtime/dist/handles.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// Of what tsh_session_devices_json gives, which is freed.
void EncodeDevices(char* json,
                   google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes>* to);
// Of a traced run's report.
void EncodeTrace(const char* report, tensorflow::StepStats* stats);

}  // namespace tensh::dist
