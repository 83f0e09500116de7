// Encoding and decoding of the .npy and .npz formats in memory. Throws ValueError if the bytes do
// not follow the format. Zip members may be stored or deflated. The functions on arrays need the
// interpreter's lock; the others are thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/numpy/array.h"

namespace tensh::shell::np {

std::string EncodeNpy(const Array& a);
Array DecodeNpy(std::string_view bytes);

using Members = std::vector<std::pair<std::string, std::string>>;  // (name, bytes)
std::string EncodeZip(const Members& members, bool compress);
Members DecodeZip(std::string_view bytes);

}  // namespace tensh::shell::np
