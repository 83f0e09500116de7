// Replaces a file or folder as a whole, so that a reader, also one after a crash, finds either the
// old contents or the new ones.
//
// The new contents are written to a temporary file in the same folder, forced to the disk, and
// renamed. Functions return 0 or the errno of the call that failed.
//
// Thread-safe, except that an object belongs to one thread.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell {

// Writes the new contents of one file. Unless Commit succeeds, the destructor removes the temporary
// file, and the old file stays as it was.
//
// A link is followed. Something that is not a regular file, such as /dev/stdout, is written in
// place. The permissions of an existing file are kept.
class FileReplacement {
 public:
  explicit FileReplacement(std::string path) : path_(std::move(path)) {}
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;

  int Open();
  int Write(std::string_view bytes);
  int Commit();
  // The path of the temporary file, or "" if the file is written in place.
  const std::string& temporary() const { return temporary_; }

 private:
  std::string path_, temporary_;
  int fd_ = -1;
};

// Replaces the contents of a file. Returns 0 or the errno.
int ReplaceFileContents(const std::string& path, std::string_view contents);

// Returns the name of a temporary file or folder beside `path`. It contains the process id, and
// every call returns another name.
std::string TemporaryBeside(const std::string& path);

// Forces the names in the folder of `path` to the disk. Does nothing where folders cannot be opened.
void SyncFolderOf(const std::string& path);
// Forces the files in a folder and the folders below it to the disk.
int SyncTree(const std::string& folder);

// Makes the folder `made` the one at `path`. A folder that is already there changes places with it
// in one step and must be removed by the caller, who finds it at `made`: *swapped is then true.
int ReplaceFolder(const std::string& made, const std::string& path, bool* swapped);

}  // namespace tensh::shell
