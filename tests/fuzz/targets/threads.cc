// Reads the input as several sequences of calls of the C API, which threads make at the same time.
#include "tests/fuzz/targets/api_player.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tensh::fuzz::PlayInThreads(data, size);
  return 0;
}
