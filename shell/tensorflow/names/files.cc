// Ops that read, write and match files.
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

const FunctionRow kRows[] = {
    {"read_file", "filename, name=None", CallOp, "Reads a file.", "ReadFile"},
    {"write_file", "filename, contents, name=None", CallOp, "Writes a file.", "WriteFile"},
    {"matching_files", "pattern, name=None", CallOp, "The files that match a pattern.",
     "MatchingFiles"},
};

}  // namespace

std::span<const FunctionRow> FileRows() { return kRows; }

}  // namespace tensh::shell::tf
