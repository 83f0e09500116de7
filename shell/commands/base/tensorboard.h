// Writes the last traced step as a log folder of TensorBoard: the placed graph with its Sends and
// Recvs and the times and memory of its nodes, for the page Graphs, and the timelines, for Profile.
#pragma once

#include <string>

#include "shell/commands/base/command.h"

namespace tensh::shell {

// Returns true if the text names a folder: it ends with a slash, or such a folder exists.
bool NamesFolder(const std::string& path);
// Creates the folder if it does not exist. Throws RuntimeError if nothing has been traced.
void SaveForTensorBoard(CommandCall& call, std::string folder);

}  // namespace tensh::shell
