#pragma once
// What a person may have meant who names a file that does not exist.
#include <string>

#include "shell/python/values/error.h"

namespace tensh::shell {

// Returns how to download a path that is an address of the web, otherwise the most similar name in its folder, or no hint.
// In a sandbox, which hides names of files, there is none.
ErrorHint HintForMissingFile(const std::string& path);

}  // namespace tensh::shell
