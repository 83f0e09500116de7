#include "shell/session/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shell/python/values/error.h"
#include "shell/python/vm/file.h"
#include "shell/session/pager.h"
#include "shell/text/layout.h"
#include "shell/text/replace_file.h"

namespace tensh::shell {
namespace {

// columns; widths outside of this range are ignored
constexpr int kNarrowest = 20, kWidest = 10000;

}  // namespace

size_t Output::width() const {
  if (const char* columns = std::getenv("COLUMNS")) {
    const int n = std::atoi(columns);
    if (n >= kNarrowest && n < kWidest) return static_cast<size_t>(n);
  }
  winsize size{};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col < kNarrowest ? 0 : size.ws_col;
}

Palette Output::palette() const {
  const bool colored = options_.color && capture_ == nullptr && isatty(STDOUT_FILENO) != 0;
  return {options_.theme, colored ? DepthOfEnvironment() : ColorDepth::kNone};
}

void Output::Print(std::string_view text) {
  if (capture_ != nullptr) {
    capture_->append(text);
  } else if (page_ != nullptr) {
    page_->append(options_.ascii ? ToAscii(text) : std::string(text));
  } else if (options_.ascii) {
    interp_.Write(ToAscii(text));
  } else {
    interp_.Write(text);
  }
}

void Output::PrintValue(std::string_view text) {
  if (page_ != nullptr && capture_ == nullptr) {
    page_->append(text);
  } else {
    interp_.Write(text);
  }
}

Output::Paging::~Paging() {
  output->page_ = nullptr;
  if (!text.empty()) output->interp_.Write(text);
}

void Output::Paging::Show() {
  output->interp_.Flush();
  if (ShowInPager(text, output->options_.pager)) text.clear();
}

void Output::Note(const std::string& text) {
  if (options_.interactive && capture_ == nullptr) Print(WrapAdvice(text, width()) + "\n");
}

void Output::PrintError(const std::string& text) {
  interp_.WriteError(options_.ascii ? ToAscii(text) : text);
}

void Output::WriteFile(const std::string& path, const std::string& text) {
  CheckPath(path);
  if (const int code = ReplaceFileContents(path, text))
    throw MakeError(kOSError, "cannot write " + Visible(path) + ": " + std::strerror(code));
  Note(" wrote " + Visible(path) + ", " + Bytes(static_cast<int64_t>(text.size())));
}

}  // namespace tensh::shell
