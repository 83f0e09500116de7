#pragma once
// The only access of ops to the file system: the limit on the files that they may use, and the few
// operations they need, with TensorFlow's error codes. Every operation checks the limit before it
// touches the file. The limit applies to the process and must be set before any session runs.
//
// Thread-safe.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "runtime/core/status.h"

namespace tensh {

class CancelFlag;

// Limits ops to the files below `directory`: they may read them, and write them if `write` is true.
// Later calls add directories. An empty name adds none, and neither does a directory that cannot be
// resolved, for which an error is returned. Before the first call, ops have all rights of the
// process.
Status LimitFiles(const std::string& directory, bool write);
bool FilesAreLimited();
// Returns PermissionDenied if the path, with its links resolved, is outside the limit or cannot be
// resolved.
Status CheckFile(const std::string& path, bool write);
// Checks a path as CheckFile does, and returns the path to use: without links if there is a limit,
// otherwise as given.
Result<std::string> AllowedPath(const std::string& path, bool write);
// Makes a path absolute and resolves its links and `..` as the system would. Its last components
// need not exist. A dangling link is replaced by its target.
Result<std::string> ResolvePath(const std::string& path);

struct CloseFile {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

// Opens or reads a file. Errors (NotFound, PermissionDenied …) contain the path. If there is a
// limit, only regular files can be opened.
Result<FilePtr> OpenFile(const std::string& path, const char* mode);  // "rb", "wb", "ab"
Result<std::string> ReadWholeFile(const std::string& path);
// The identity, size and time of the last change of a file. If two are equal, the content is the same
// as far as the system can tell.
struct FileVersion {
  uint64_t device = 0, inode = 0;
  int64_t size = 0, seconds = 0, nanoseconds = 0;
  bool operator==(const FileVersion&) const = default;
};
Result<FileVersion> VersionOf(std::FILE* file, const std::string& path);
// Writes a temporary file in the same directory, forces it to the disk and renames it, so that no
// reader sees a partial file, also after a crash.
Status WriteWholeFile(const std::string& path, std::string_view contents);
// Forces what was written to a file to the disk. `path` is for the error.
Status SyncFile(std::FILE* file, const std::string& path);
// Gives a file a second name.
Status LinkFile(const std::string& from, const std::string& to);
Status RenameFile(const std::string& from, const std::string& to);
Status RemoveFile(const std::string& path);
// Returns the paths that match a pattern with * ? [a-b], sorted. The directory before the first
// wildcard must be within the limit; links that lead out of it do not match. `..` cannot follow a
// wildcard, so that the work is bounded by the number of files. Stops early when `cancel`, which
// may be null, is set.
Result<std::vector<std::string>> MatchFiles(const std::string& pattern, const CancelFlag* cancel);
Status MakeDirectories(const std::string& path);
std::string DirectoryOf(const std::string& path);  // "" if the path has no directory
// Returns the Status for an `error` number of the C library. `what` is the operation that failed.
Status FileError(int error, const std::string& path, const char* what);

}  // namespace tensh
