#pragma once
// Suggestions for the error of a file that does not exist.
#include <string>

#include "shell/python/values/error.h"

namespace tensh::shell {

// Returns the command that downloads the path if it is a web address, and otherwise the most similar name in its folder. Returns
// no hint if no name is similar, or in a sandbox, which hides the names of files.
ErrorHint HintForMissingFile(const std::string& path);

}  // namespace tensh::shell
