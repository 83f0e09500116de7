// tf.summary: FileWriter. The functions are in python/summary.py, the messages in
// python/messages.py.
#pragma once

#include "shell/values/native.h"

namespace tensh::shell::tf {

Value FileWriterType();
const ModuleDef& SummaryModule();

}  // namespace tensh::shell::tf
