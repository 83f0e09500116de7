#pragma once
// What the runtime reports as JSON, as TensorFlow's messages.
#include "runtime/dist/handles.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

void EncodeDevices(tsh_session* session, tensorflow::ListDevicesResponse* response);
// StepStats of a traced run's report.
void EncodeTrace(const char* report, tensorflow::RunMetadata* metadata);

}  // namespace tensh::dist
