#pragma once
// The graphs a step was cut into, one a device, as RunMetadata carries them.
#include "runtime/dist/handles.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// A cutter for what runs on these devices; config: JSON, as tsh_session_new.
Result<CutterPtr> MakeCutter(
    tsh_graph* graph,
    const google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes>& devices,
    const std::string& config);
Status TellPartitions(tsh_cutter* cutter, const tsh_run& run, tensorflow::RunMetadata* to);

}  // namespace tensh::dist
