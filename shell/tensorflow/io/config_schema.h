// The fields of the messages that configure sessions, runs and servers, in the form of
// message_schema.h. Constant data.
#pragma once

#include "shell/tensorflow/io/message_schema.h"

namespace tensh::shell::tf {

const MessageSchema& AutoParallelOptionsSchema();
const MessageSchema& ClusterDefSchema();
const MessageSchema& ConfigProtoSchema();
const MessageSchema& DeviceAttributesSchema();
const MessageSchema& DeviceLocalitySchema();
const MessageSchema& GPUOptionsSchema();
const MessageSchema& GraphOptionsSchema();
const MessageSchema& JobDefSchema();
const MessageSchema& OptimizerOptionsSchema();
const MessageSchema& RewriterConfigSchema();
const MessageSchema& RunMetadataSchema();  // the report of a run
const MessageSchema& RunOptionsSchema();
const MessageSchema& ScopedAllocatorOptionsSchema();
const MessageSchema& ServerDefSchema();
const MessageSchema& SessionMetadataSchema();
const MessageSchema& ThreadPoolOptionProtoSchema();

}  // namespace tensh::shell::tf
