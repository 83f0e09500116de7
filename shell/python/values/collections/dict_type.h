// Functions of dict that other types use too.
#pragma once

#include "shell/python/values/dict.h"

namespace tensh::shell {

// Implements dict.update(more), where `more` is a mapping or an iterable of pairs.
void UpdateDict(Dict* dict, const Value& more);

}  // namespace tensh::shell
