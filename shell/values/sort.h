// Sorting as list.sort and sorted do: stable, by <, with a key; a comparison may raise.
#pragma once

#include <vector>

#include "shell/values/value.h"

namespace tensh::shell {

void SortValues(std::vector<Value>* items, const Value& key, bool reverse);

}  // namespace tensh::shell
