// The fields of the messages that files of records contain: examples, summaries and events, in the
// form of message_schema.h. Constant data.
#pragma once

#include "shell/tensorflow/io/message_schema.h"

namespace tensh::shell::tf {

const MessageSchema& BytesListSchema();
const MessageSchema& EventSchema();
const MessageSchema& ExampleSchema();
const MessageSchema& FeatureListSchema();
const MessageSchema& FeatureListsSchema();
const MessageSchema& FeatureSchema();
const MessageSchema& FeaturesSchema();
const MessageSchema& FloatListSchema();
const MessageSchema& HistogramProtoSchema();
const MessageSchema& Int64ListSchema();
const MessageSchema& SequenceExampleSchema();
const MessageSchema& SessionLogSchema();
const MessageSchema& SummaryMetadataSchema();
const MessageSchema& SummarySchema();
const MessageSchema& TaggedRunMetadataSchema();
const MessageSchema& VariableDefSchema();

}  // namespace tensh::shell::tf
