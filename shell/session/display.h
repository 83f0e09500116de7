// A client that displays more than text, such as a notebook: `tensh --stdio` serves one.
//
// A verb that can draw its output gives the client both forms. Without a client, the text is printed
// as usual (Output::PrintRich). Threads: the interpreter's thread only.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell {

// One output in two forms. Either may be "".
struct Shown {
  std::string text = {};
  const char* mime = "";  // of `data`: "text/html", "image/svg+xml"
  std::string data = {};
};

class Display {
 public:
  virtual ~Display() = default;
  virtual void Show(const Shown& shown) = 0;        // the output of a verb
  virtual void ShowResult(const Shown& shown) = 0;  // the value of an expression statement
  // The error of the cell: the name of its class, its message, and the text that a prompt prints.
  virtual void ShowError(const std::string& name, const std::string& message,
                         std::string_view text) = 0;

  // Returns the client of this process, or null.
  static Display* Current() { return current_; }
  // Borrows the client. Null removes it.
  static void SetCurrent(Display* display) { current_ = display; }

 private:
  static inline Display* current_ = nullptr;
};

}  // namespace tensh::shell
