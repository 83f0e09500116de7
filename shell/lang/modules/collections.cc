// collections.
#include "shell/lang/modules/modules.h"

namespace tensh::shell {

const ModuleDef kCollectionsModule = {.name = "collections"};

}  // namespace tensh::shell
