// What other types share with dict.
#pragma once

#include "shell/values/dict.h"

namespace tensh::shell {

// dict.update(more): a mapping, or pairs.
void UpdateDict(Dict* dict, const Value& more);

}  // namespace tensh::shell
