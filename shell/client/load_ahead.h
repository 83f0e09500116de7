#pragma once
// Loads oneDNN in the background while a program builds its graph (tensh_load.h).
#include "tensh/tensh_load.h"

namespace tensh::shell {

// The main function owns one. Its destructor waits for the loading, because the process must not exit
// while the library is being loaded.
class LoadAhead {
 public:
  LoadAhead() { tsh_load_ahead(1); }
  ~LoadAhead() { tsh_load_ahead(0); }
  LoadAhead(const LoadAhead&) = delete;
  LoadAhead& operator=(const LoadAhead&) = delete;
};

}  // namespace tensh::shell
