// Text files, as open() gives them: whole-file buffers, so that nothing is half-read or
// half-written.
#pragma once

#include <string>

#include "shell/values/native.h"

namespace tensh::shell {

Value OpenFile(Args& a);
// Throws PermissionError unless the path is below the working directory or files are allowed.
void CheckPath(const std::string& path);
// Makes that hold for everything below this folder too.
void AllowFolder(const std::string& path);
// Called with each such folder: ops have a list of their own.
void OnFolderAllowed(void (*tell)(const std::string& path));

}  // namespace tensh::shell
