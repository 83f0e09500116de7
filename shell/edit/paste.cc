#include "shell/edit/paste.h"

#include <algorithm>
#include <vector>

#include "shell/edit/code_tokens.h"

namespace tensh::shell {
namespace {

using Lines = std::vector<std::string_view>;
constexpr std::string_view kHardBlank = "\xC2\xA0";  // The no-break space of web pages.

size_t Blanks(std::string_view line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

std::string UnifyLineEnds(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool line_begins = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\r') {
      if (i + 1 == text.size() || text[i + 1] != '\n') out += '\n', line_begins = true;
    } else if (line_begins && text.substr(i, 2) == kHardBlank) {
      out += ' ';
      ++i;
    } else {
      out += c;
      line_begins = c == '\n' || (line_begins && (c == ' ' || c == '\t'));
    }
  }
  return out;
}

Lines Split(std::string_view text) {
  Lines lines;
  for (size_t at = 0;;) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    if (end == text.size()) return lines;
    at = end + 1;
  }
}

// Returns the length of "[12]> " or "In [12]: " at the beginning of the line; 0 if it has none.
size_t NumberedPrompt(std::string_view line, std::string_view begin, std::string_view end) {
  if (!line.starts_with(begin)) return 0;
  size_t at = begin.size();
  while (at < line.size() && line[at] >= '0' && line[at] <= '9') ++at;
  if (at == begin.size() || !line.substr(at).starts_with(end)) return 0;
  at += end.size();
  return at == line.size() || line[at] != ' ' ? at : at + 1;
}

size_t Prompt(std::string_view line) {
  for (const std::string_view prompt : {">>>", "tensh>"})
    if (line.starts_with(prompt) && (line.size() == prompt.size() || line[prompt.size()] == ' '))
      return std::min(prompt.size() + 1, line.size());
  const size_t ours = NumberedPrompt(line, "[", "]>");
  return ours > 0 ? ours : NumberedPrompt(line, "In [", "]:");
}

// Returns the length of "... ", "...: " or "...> ".
size_t Continuation(std::string_view line) {
  size_t at = 0;
  while (at < line.size() && line[at] == '.') ++at;
  if (at < 3) return 0;
  if (at < line.size() && (line[at] == ':' || line[at] == '>')) ++at;
  if (at == line.size()) return at;
  return line[at] == ' ' ? at + 1 : 0;
}

std::string WithoutPrompts(const Lines& lines) {
  std::string out;
  bool code = false;  // true if the previous line with text was code and not output
  for (const std::string_view all : lines) {
    const std::string_view line = all.substr(Blanks(all));
    if (line.empty()) continue;  // a block may continue after it
    const size_t first = Prompt(line), next = code ? Continuation(line) : 0;
    code = first > 0 || next > 0;
    if (code) out += std::string(line.substr(std::max(first, next))) + "\n";
  }
  return out;
}

// Returns the blanks that all of the lines begin with, apart from blank lines.
size_t SharedIndent(const Lines& lines, size_t from) {
  std::string_view shared;
  bool any = false;
  for (size_t i = from; i < lines.size(); ++i) {
    if (IsBlank(lines[i])) continue;
    const std::string_view blanks = lines[i].substr(0, Blanks(lines[i]));
    if (!any) shared = blanks;
    any = true;
    size_t same = 0;
    while (same < std::min(shared.size(), blanks.size()) && shared[same] == blanks[same]) ++same;
    shared = shared.substr(0, same);
  }
  return shared.size();
}

// Returns true if the line must begin a statement. If it is indented, the selection began in the
// middle of a block.
bool StandsAlone(std::string_view line) {
  const CodePlace place = PlaceAtEnd(line);
  const size_t last = line.find_last_not_of(" \t");
  return place.open.empty() && place.quote == line.npos && last != line.npos &&
         std::string_view(":,\\").find(line[last]) == line.npos && line[0] != '@';
}

}  // namespace

std::string CleanPaste(std::string_view pasted) {
  const std::string unified = UnifyLineEnds(pasted);
  std::string_view text = unified;
  for (size_t end = text.find('\n'); end != text.npos && IsBlank(text.substr(0, end));
       end = text.find('\n'))
    text.remove_prefix(end + 1);
  const Lines lines = Split(text);
  const std::string_view first = lines[0].substr(Blanks(lines[0]));
  if (Prompt(first) > 0) {
    std::string code = WithoutPrompts(lines);
    if (!text.ends_with('\n') && !code.empty()) code.pop_back();
    return code;
  }
  if (lines.size() == 1) return std::string(text);
  const bool cut = Blanks(lines[0]) == 0 && StandsAlone(lines[0]);
  const size_t shared = SharedIndent(lines, cut ? 1 : 0);
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool keep = cut && i == 0;
    out += lines[i].substr(keep ? 0 : std::min(shared, Blanks(lines[i])));
    if (i + 1 < lines.size()) out += '\n';
  }
  return out;
}

}  // namespace tensh::shell
