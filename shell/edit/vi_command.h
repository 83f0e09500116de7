// The grammar of vi's normal mode.
//
//   ["register] [count] motion
//   ["register] [count] operator [count] motion | text object | the operator again
//   ["register] [count] command
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tensh::shell {

struct ViCommand {
  int count = 0;          // 0 if none was typed; counts before and after an operator are multiplied
  char reg = '\0';        // the register, or '\0' for the unnamed one
  std::string verb = {};  // an operator or a command; "" for a motion alone
  std::string motion = {};    // a motion, a text object such as "iw", or kViLines
  std::string argument = {};  // the character that follows f, F, t, T or r

  int times() const { return count == 0 ? 1 : count; }
};

// The motion of a repeated operator such as "dd".
constexpr std::string_view kViLines = "lines";

enum class ViParsed : uint8_t { kIncomplete, kInvalid, kComplete };

// Parses the keys that were typed so far. Ctrl-R is the byte 0x12. `command` is valid only if the
// result is kComplete.
ViParsed ParseViCommand(std::string_view keys, ViCommand* command);

}  // namespace tensh::shell
