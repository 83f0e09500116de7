// Who may see the live page: secrets, and what a request has to show. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tensh::shell::live {

std::string Secret();  // 64 hexadecimal digits
bool Same(std::string_view a,
          std::string_view b);  // takes as long for a wrong guess; "" is no secret
// "name=value" out of "a=b; name=value" or "?a=b&name=value".
std::string_view Field(std::string_view text, std::string_view name);
bool HostIsOurs(std::string_view host, uint16_t port);
bool OriginIsOurs(std::string_view origin, uint16_t port);  // none at all counts as ours

}  // namespace tensh::shell::live
