// The .npy and .npz formats as bytes: arrays to text and back. ValueError for what is not in the
// format. Zip members may be stored or deflated. Any thread but for arrays themselves.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/np/array.h"

namespace tensh::shell::np {

std::string EncodeNpy(const Array& a);
Array DecodeNpy(std::string_view bytes);

using Members = std::vector<std::pair<std::string, std::string>>;  // name, bytes
std::string EncodeZip(const Members& members, bool compress);
Members DecodeZip(std::string_view bytes);

}  // namespace tensh::shell::np
