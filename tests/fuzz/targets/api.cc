// Reads the input as a sequence of calls of the C API.
#include "tests/fuzz/targets/api_player.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tensh::fuzz::World world;
  tensh::fuzz::Player(world, tensh::fuzz::Input(data, size)).Play();
  return 0;
}
