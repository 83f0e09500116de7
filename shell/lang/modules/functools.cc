// functools.
#include "shell/lang/modules/modules.h"

namespace tensh::shell {

const ModuleDef kFunctoolsModule = {.name = "functools"};

}  // namespace tensh::shell
