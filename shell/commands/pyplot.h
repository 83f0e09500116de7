// matplotlib.pyplot as far as scripts need it to go on: everything can be called, nothing is drawn,
// and that is said once on standard error.
#pragma once

#include "shell/lang/interp.h"

namespace tensh::shell {

void AddPyplot(Interp& interp);

}  // namespace tensh::shell
