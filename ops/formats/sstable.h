#pragma once
// Sorted tables of keys and values in LevelDB's file format, used for the .index file of a
// checkpoint: blocks of prefix-compressed entries, each with a checksum, then an index block and a
// footer. Tables are read and written as a whole, in memory, because an index is small.
#include <map>
#include <string>
#include <string_view>

#include "runtime/core/status.h"

namespace tensh::ops {

using SortedTable = std::map<std::string, std::string>;

std::string EncodeSortedTable(const SortedTable& table);
// Returns DataLoss if the file is not a valid table.
Result<SortedTable> DecodeSortedTable(std::string_view file);

}  // namespace tensh::ops
