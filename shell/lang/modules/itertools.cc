// itertools.
#include "shell/lang/modules/modules.h"

namespace tensh::shell {

const ModuleDef kItertoolsModule = {.name = "itertools"};

}  // namespace tensh::shell
