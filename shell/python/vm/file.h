// Files as returned by open(). A file is read or written as a whole through one buffer, so that an
// error cannot leave it half read or half written.
#pragma once

#include <string>

#include "shell/python/values/native.h"

namespace tensh::shell {

// Implements open().
Value OpenFile(Args& a);
// Writes what the program has written to files that it did not close. Values that refer to each other, or that CPython
// refers to, keep such a file until the end of the process.
void FlushFiles();
// True if files are restricted to the working directory, by --sandbox or ConfineFiles.
bool FilesConfined();
// Restricts files from now on, as --sandbox does. The hint of the errors says how to lift it.
void ConfineFiles(std::string hint);
// With --sandbox, throws PermissionError if the path is outside the working directory.
void CheckPath(const std::string& path);
// Like CheckPath, but a script may also read files in its own folder.
void CheckPathToRead(const std::string& path);
// Returns the result of v.__fspath__() if `v` has this method, as those of pathlib do; otherwise `v`.
Value AsPath(const Value& v);
// Also allows access to everything below this folder.
void AllowFolder(const std::string& path);
// Registers a callback that is called with each allowed folder. The runtime keeps a separate list
// for ops that read and write files.
void OnFolderAllowed(void (*tell)(const std::string& path));

}  // namespace tensh::shell
