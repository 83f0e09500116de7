// Tells models and data from scripts on the command line: `tensh train.py` runs a script, and
// `tensh model/` opens a model.
#pragma once

#include <string>

namespace tensh::shell {

// Returns true for a folder, and for a regular file that is not a text, or whose text begins like a
// graph or is the JSON of a model. Reads the first 4 kB. A pipe or device is not read.
bool LooksLikeModel(const std::string& path);

}  // namespace tensh::shell
