// The modules of the shell: tensorflow as tf, and numpy as np.
#pragma once

#include "shell/python/vm/interp.h"

namespace tensh::shell {

// Adds the modules to a new interpreter. Creates no graph and no session.
void AddModules(Interp& interp);

}  // namespace tensh::shell
