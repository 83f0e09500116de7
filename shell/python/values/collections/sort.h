// Sorting for list.sort and sorted: stable, by <, with an optional key. Comparisons may throw.
#pragma once

#include <vector>

#include "shell/python/values/value.h"

namespace tensh::shell {

void SortValues(std::vector<Value>* items, const Value& key, bool reverse);

}  // namespace tensh::shell
