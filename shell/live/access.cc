#include "shell/live/access.h"
#include "runtime/base/random.h"

#include <algorithm>

namespace tensh::shell::live {

std::string Secret() {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (int i = 0; i < 4; ++i) {
    uint64_t bits = SystemRandom();
    for (int k = 0; k < 16; ++k, bits >>= 4) out += kHex[bits & 15];
  }
  return out;
}

bool Same(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.empty()) return false;
  unsigned differ = 0;
  for (size_t i = 0; i < a.size(); ++i)
    differ |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return differ == 0;
}

std::string_view Field(std::string_view text, std::string_view name) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(";&", at), text.size());
    std::string_view part = text.substr(at, end - at);
    while (!part.empty() && (part[0] == ' ' || part[0] == '?')) part.remove_prefix(1);
    if (part.substr(0, name.size()) == name && part.size() > name.size() &&
        part[name.size()] == '=')
      return part.substr(name.size() + 1);
    at = end + 1;
  }
  return {};
}

bool HostIsOurs(std::string_view host, uint16_t port) {
  const std::string at = ":" + std::to_string(port);
  return host == "127.0.0.1" + at || host == "localhost" + at;
}

bool OriginIsOurs(std::string_view origin, uint16_t port) {
  const std::string at = ":" + std::to_string(port);
  return origin.empty() || origin == "http://127.0.0.1" + at || origin == "http://localhost" + at;
}

}  // namespace tensh::shell::live
