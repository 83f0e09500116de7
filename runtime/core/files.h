#pragma once
// The only access of ops to the file system: the limit on the files that they may use, and the few
// operations they need, with TensorFlow's error codes. Every operation checks the limit before it
// touches the file. The limit is the process's; set it before any session runs.
//
// Thread-safe.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "runtime/core/status.h"

namespace tensh {

class CancelFlag;

// From the first call on, ops may use no files but those below the directories named so far: read
// them, and write them if `write`. "" names no directory. If a directory cannot be resolved, it
// allows nothing, and the error is returned. Before the first call ops may do what the process may.
Status LimitFiles(const std::string& directory, bool write);
bool FilesAreLimited();
// PermissionDenied if the path, with its links resolved, is outside the limit or cannot be resolved.
Status CheckFile(const std::string& path, bool write);
// Likewise, and returns the path to use: without links if there is a limit, as given otherwise.
Result<std::string> AllowedPath(const std::string& path, bool write);
// Makes a path absolute and replaces its links and `..`, as the system would follow them. Its last
// components need not exist. A link to nothing is replaced by where it points to.
Result<std::string> ResolvePath(const std::string& path);

struct CloseFile {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

// NotFound, PermissionDenied … with the path in the text. If there is a limit, only regular files
// can be opened.
Result<FilePtr> OpenFile(const std::string& path, const char* mode);  // "rb", "wb", "ab"
Result<std::string> ReadWholeFile(const std::string& path);
// Written beside it first, then renamed, so that no reader sees half of it.
Status WriteWholeFile(const std::string& path, std::string_view contents);
Status RenameFile(const std::string& from, const std::string& to);
Status RemoveFile(const std::string& path);
// Returns the paths that match a pattern with * ? [a-b], sorted. What lies before the first of these
// must be within the limit; links that lead out of it do not match. `..` cannot follow a wildcard,
// so that the work is bounded by what there is. Ends early when `cancel`, which may be null, is set.
Result<std::vector<std::string>> MatchFiles(const std::string& pattern, const CancelFlag* cancel);
Status MakeDirectories(const std::string& path);
std::string DirectoryOf(const std::string& path);  // "" when there is none
// The Status of the C library's `error` for `path`.
Status FileError(int error, const std::string& path, const char* what);

}  // namespace tensh
