#pragma once
// Files that ops read and write: which ones they may, and the few operations they need, with
// TensorFlow's error codes. The limit is the process's; set it before any session runs.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "runtime/core/status.h"

namespace tensh {

// From now on ops may only write below one of `write`, and only read below one of these or of
// `read`. Without a call they may do what the process may.
void LimitFiles(const std::string& directory, bool write);
Status CheckFile(const std::string& path, bool write);

struct CloseFile {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

// Each checks the limit first. NotFound, PermissionDenied … with the path in the text.
Result<FilePtr> OpenFile(const std::string& path, const char* mode);  // "rb", "wb", "ab"
Result<std::string> ReadWholeFile(const std::string& path);
// Written beside it first, then renamed, so that no reader sees half of it.
Status WriteWholeFile(const std::string& path, std::string_view contents);
Status RenameFile(const std::string& from, const std::string& to);
Status RemoveFile(const std::string& path);
// Paths that match a pattern with * ? [a-b] in its last parts, sorted.
Result<std::vector<std::string>> MatchFiles(const std::string& pattern);
Status MakeDirectories(const std::string& path);
std::string DirectoryOf(const std::string& path);  // "" when there is none
// The Status of the C library's `error` for `path`.
Status FileError(int error, const std::string& path, const char* what);

}  // namespace tensh
