// The text file `checkpoint`, which a Saver writes next to its checkpoints, and reading of
// checkpoints without a graph.
//
// Threads: the interpreter's thread only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shell/tensorflow/train/saver.h"

namespace tensh::shell::tf {

struct CheckpointState {
  std::string latest;
  std::vector<std::string> all;
};

void WriteCheckpointState(const std::string& directory, const std::string& latest,
                          std::vector<std::string> all, const std::string& file_name,
                          bool relative);
// Returns the state with paths relative to the working directory, or nothing if the file does not
// exist.
std::optional<CheckpointState> ReadCheckpointState(const std::string& directory,
                                                   const std::string& file_name);
Value SaverDefRecord(const SaverObject& saver);

}  // namespace tensh::shell::tf
