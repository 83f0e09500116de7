// random.
#include "shell/lang/modules/modules.h"

namespace tensh::shell {

const ModuleDef kRandomModule = {.name = "random"};

}  // namespace tensh::shell
