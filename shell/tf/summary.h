// tf.summary's types: FileWriter, Summary. The functions are in python/summary.py.
#pragma once

#include "shell/values/native.h"

namespace tensh::shell::tf {

Value FileWriterType();
Value SummaryType();
const ModuleDef& SummaryModule();

}  // namespace tensh::shell::tf
