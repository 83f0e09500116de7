// The shell's own output: text of verbs to standard output or a file, and errors to standard error.
// Output of the user's program goes through the interpreter and is never converted.
//
// Borrows the interpreter and the options. Threads: the interpreter's thread only.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "shell/python/vm/interp.h"
#include "shell/session/display.h"
#include "shell/session/options.h"
#include "shell/text/theme.h"

namespace tensh::shell {

class Output {
 public:
  Output(Interp& interp, const ShellOptions& options) : interp_(interp), options_(options) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Returns the width of the terminal in columns, or 0 for a pipe. Queries the terminal each time,
  // because it may be resized; $COLUMNS takes precedence.
  size_t width() const;
  // Returns the colors for text that is printed now. The palette is plain if the text goes to a pipe
  // or a file, or if the user or the terminal wants no colors.
  Palette palette() const;
  // Prints to standard output. The text is converted to ASCII if that option is set.
  void Print(std::string_view text);
  void PrintLine(const std::string& text) { Print(text + "\n"); }
  // Prints a text. If a client displays richer forms and the text does not go to a file, shows it
  // together with the form that `render` returns, which is of the media type `mime`.
  template <class F>
  void PrintRich(const std::string& text, const char* mime, F render) {
    Display* display = Display::Current();
    if (display == nullptr || capture_ != nullptr || page_ != nullptr) return Print(text);
    display->Show({.text = text, .mime = mime, .data = render()});
  }
  // Prints a value as the program's print() would: never converted and never captured.
  void PrintValue(std::string_view text);
  // Prints a line in a terminal; does nothing in a pipe.
  void Note(const std::string& text);
  // Writes to standard error, converted like Print.
  void PrintError(const std::string& text);
  // Writes the whole text to a file. Throws OSError. In a terminal, prints a confirmation.
  void WriteFile(const std::string& path, const std::string& text);

  // Returns everything that `body` prints, unconverted, instead of printing it. A nested capture
  // leaves the text to the outer one.
  template <class F>
  std::string Capture(F body) {
    const Capturing outer(this);
    body();
    return outer.text;
  }
  bool capturing() const { return capture_ != nullptr; }
  // During its life, text goes to the interpreter even inside of Capture and Page, so that it keeps
  // its order with the program's own output.
  class Direct {
   public:
    explicit Direct(Output& output)
        : output_(output),
          page_(std::exchange(output.page_, nullptr)),
          capture_(std::exchange(output.capture_, nullptr)) {}
    ~Direct() { output_.page_ = page_, output_.capture_ = capture_; }
    Direct(const Direct&) = delete;
    Direct& operator=(const Direct&) = delete;

   private:
    Output& output_;
    std::string *page_, *capture_;
  };

  // At a prompt, shows what `body` prints with the pager if it is taller than the terminal.
  template <class F>
  void Page(F body) {
    if (!pages_ || !options_.interactive || capture_ != nullptr || page_ != nullptr) return body();
    Paging paging(this);
    body();
    paging.Show();
  }
  // Allows or prevents paging. Lessons prevent it.
  void set_pages(bool pages) { pages_ = pages; }

 private:
  struct Capturing {
    explicit Capturing(Output* output) : output(output) { output->capture_ = &text; }
    ~Capturing() { output->capture_ = nullptr; }
    Output* output;
    std::string text;
  };

  // Collects a page. If the body throws, what it printed is shown without a pager.
  struct Paging {
    explicit Paging(Output* output) : output(output) { output->page_ = &text; }
    ~Paging();
    void Show();
    Output* output;
    std::string text;
  };

  Interp& interp_;
  const ShellOptions& options_;
  bool pages_ = true;
  std::string* page_ = nullptr;     // receives the text of Print; null outside of Page
  std::string* capture_ = nullptr;  // receives the text of Print; null outside of Capture
};

}  // namespace tensh::shell
