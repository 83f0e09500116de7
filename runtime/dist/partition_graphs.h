#pragma once
// The partition graphs of a step, one for each device, in the form of RunMetadata.
#include "runtime/dist/wire/handles.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// Makes a cutter for these devices. `config` is the JSON of tsh_session_new.
Result<CutterPtr> MakeCutter(
    tsh_graph* graph,
    const google::protobuf::RepeatedPtrField<tensorflow::DeviceAttributes>& devices,
    const std::string& config);
Status TellPartitions(tsh_cutter* cutter, const tsh_run& run, tensorflow::RunMetadata* to);

}  // namespace tensh::dist
