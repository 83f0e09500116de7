// A line at the cursor of the terminal that shows the state of long work. It is drawn on standard
// error, and removed before anything else is written.
//
// All output of the program goes through Write, which knows whether the cursor is at the beginning
// of an empty line: the status is never drawn over text that the program has not ended with a
// newline, such as a prompt of input() or the program's own bar.
//
// One per process. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell::status_line {

// Turns the line on. Call it once, if standard error is a terminal that can erase a line.
void Enable();

// Draws the text, which must fit into a row. Does nothing if the line is off or held, if the
// cursor is within a line, or if the program runs in the background.
void Draw(std::string_view text);
void Erase();

// Writes the whole text to standard output or standard error, without the status in front of it.
// Returns 0 or the errno.
int Write(int fd, std::string_view text);

// While it lives, nothing is drawn, because someone else uses the terminal: a user who answers
// input(), or a pager.
class Held {
 public:
  Held();
  ~Held();
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
};

// The picture of an editor at the cursor. Output of other threads first removes it, and then asks the
// editor for a new one. At most one exists.
class Picture {
 public:
  // `removed` is called by the thread that wrote. It must only wake the editor.
  explicit Picture(void (*removed)());
  ~Picture();
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  // Writes what changes the picture. `erase` removes it then; "" if no picture remains. Returns false
  // and writes nothing if output has removed the picture since the last call.
  bool Change(std::string_view change, std::string erase);
};

}  // namespace tensh::shell::status_line
