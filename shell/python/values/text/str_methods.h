// The method tables of str and bytes, and the codecs both use.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "shell/python/values/native.h"

namespace tensh::shell {

extern const FunctionRow kStrMethods[46];
extern const FunctionRow kStrStatics[1];
extern const FunctionRow kBytesMethods[40];  // bytes_methods.cc

Value Decode(std::string_view bytes, const std::string& encoding, const std::string& errors);
std::string Encode(std::string_view text, const std::string& encoding, const std::string& errors);

}  // namespace tensh::shell
