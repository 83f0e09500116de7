// Access control of the live page: secrets, and checks of the headers of a request. Pure functions;
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tensh::shell::live {

std::string Secret();  // Returns 64 random hexadecimal digits.
// Compares in constant time. An empty secret matches nothing.
bool Same(std::string_view a, std::string_view b);
// Returns the value of `name` in "a=b; name=value" or "?a=b&name=value".
std::string_view Field(std::string_view text, std::string_view name);
bool HostIsOurs(std::string_view host, uint16_t port);
bool OriginIsOurs(std::string_view origin, uint16_t port);  // A missing origin is accepted.

}  // namespace tensh::shell::live
