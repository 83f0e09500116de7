// Files as nodes: reading, writing, matching.
#include "shell/tf/more.h"

namespace tensh::shell::tf {
namespace {

const FunctionRow kRows[] = {
    {"read_file", "filename, name=None", CallOp, "The bytes of a file.", "ReadFile"},
    {"write_file", "filename, contents, name=None", CallOp, "Writes a file.", "WriteFile"},
    {"matching_files", "pattern, name=None", CallOp, "The files a pattern matches.",
     "MatchingFiles"},
};

}  // namespace

std::span<const FunctionRow> FileRows() { return kRows; }

}  // namespace tensh::shell::tf
