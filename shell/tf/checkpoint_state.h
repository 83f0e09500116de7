// The text file `checkpoint` that a Saver keeps beside what it saves, and reading checkpoints
// without a graph. Threads: the interpreter's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shell/tf/saver.h"

namespace tensh::shell::tf {

struct CheckpointState {
  std::string latest;
  std::vector<std::string> all;
};

void WriteCheckpointState(const std::string& directory, const std::string& latest,
                          std::vector<std::string> all, const std::string& file_name,
                          bool relative);
// Paths are made relative to the working directory; nothing when there is no such file.
std::optional<CheckpointState> ReadCheckpointState(const std::string& directory,
                                                   const std::string& file_name);
Value SaverDefRecord(const SaverObject& saver);

}  // namespace tensh::shell::tf
