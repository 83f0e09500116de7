// The modules absl, absl.app, absl.flags and absl.logging.
#pragma once

namespace tensh::shell {

class Interp;

namespace tf {

void AddAbsl(Interp& interp);

}  // namespace tf
}  // namespace tensh::shell
