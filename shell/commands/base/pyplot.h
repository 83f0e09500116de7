// The module matplotlib.pyplot. Figures are drawn with the code of `plot` and `show` (shell/plot).
// The rest of matplotlib can be imported and called, but does nothing.
#pragma once

#include "shell/python/vm/interp.h"

namespace tensh::shell {

void AddPyplot(Interp& interp);
void DrawPyplotInAscii(bool ascii);  // selects ASCII characters for plt.show in the terminal

}  // namespace tensh::shell
