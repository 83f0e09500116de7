#pragma once
// Sorted tables of keys and values in LevelDB's file format, which a checkpoint's .index is: blocks
// of prefix-compressed entries with a checksum each, an index block, a footer. Whole tables in
// memory: an index is small.
#include <map>
#include <string>
#include <string_view>

#include "runtime/core/status.h"

namespace tensh::ops {

using SortedTable = std::map<std::string, std::string>;

std::string EncodeSortedTable(const SortedTable& table);
// DataLoss when the bytes are no such table.
Result<SortedTable> DecodeSortedTable(std::string_view file);

}  // namespace tensh::ops
