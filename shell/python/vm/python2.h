// The names and attributes of Python 2, which exist under the option --python2. The functions are in
// shell/python/library/python2.py.
//
// Threads: the caller holds the interpreter's lock.
#pragma once

#include <cstdint>

#include "shell/python/values/value.h"

namespace tensh::shell {

class StrObject;

// Prepares an interpreter: with `on`, attributes that a value lacks are looked up as those of
// Python 2.
void UsePython2(bool on);
// Returns a builtin of Python 2, or a helper, whose name begins with a dot. Returns null if neither
// has this name or the text with this number is a library of tensh.
Value Python2Name(StrObject* name, uint16_t library);

// Ends the line that `print a,` left open, at the end of a text.
class EndOfPython2 {
 public:
  explicit EndOfPython2(bool on) : on_(on) {}
  EndOfPython2(const EndOfPython2&) = delete;
  ~EndOfPython2();

 private:
  const bool on_;
};

}  // namespace tensh::shell
