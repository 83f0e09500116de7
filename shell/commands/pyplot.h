// matplotlib.pyplot: what scripts draw, by the code of plot and show (shell/plot); the rest of
// matplotlib can be called and does nothing.
#pragma once

#include "shell/lang/interp.h"

namespace tensh::shell {

void AddPyplot(Interp& interp);
void DrawPyplotInAscii(bool ascii);  // what show draws in the terminal

}  // namespace tensh::shell
