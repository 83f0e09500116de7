// The user's files of tensh, in the folders of the XDG base directory specification.
//
// Thread-safe, as long as no thread changes the environment.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell {

// Returns the path of a file below $XDG_STATE_HOME/tensh, by default ~/.local/state/tensh, or ""
// if no home folder is known.
std::string StateFile(std::string_view name);
// Returns the path of a file below $XDG_CONFIG_HOME/tensh, by default ~/.config/tensh, or "".
std::string ConfigFile(std::string_view name);

// Creates the folders above `path` that do not exist, for the user only. Returns 0 or the errno.
int MakeFoldersOf(const std::string& path);
// Replaces the file atomically. It may be read by the user only. Returns 0 or the errno; after an
// error the file is unchanged.
int ReplaceFile(const std::string& path, std::string_view text);
// Reads a whole file. Returns 0 or the errno; EFBIG for more than `limit` bytes, EINVAL for
// something that is not a regular file.
int ReadFile(const std::string& path, size_t limit, std::string* text);

}  // namespace tensh::shell
