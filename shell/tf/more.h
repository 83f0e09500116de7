// Functions and submodules of tf beyond the first tables: files, strings, tables, queues, sparse
// tensors, summaries. One list, so that adding an area is adding a row here. Threads: the
// interpreter's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/tf/rows.h"

namespace tensh::shell {
class StrObject;
}
namespace tensh::shell::tf {

std::span<const FunctionRow> FileRows();  // tf.read_file …; also tf.io

// tf.NAME, null when no table has it.
Value FindMore(StrObject* name);
void AddMoreNames(std::vector<std::string>* names);
// The runtime's ops may touch the files that open() may.
void LimitFilesOfOps();

}  // namespace tensh::shell::tf
