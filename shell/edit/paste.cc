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

// Returns true for the prompt of a notebook, which stands alone above its cell: "In [3]:".
bool IsPromptOfNotebook(std::string_view line) {
  const size_t size = NumberedPrompt(line, "In [", "]:");
  return size > 0 && IsBlank(line.substr(size));
}

std::string WithoutPrompts(const Lines& lines) {
  std::string out;
  bool code = false;      // true if the previous line with text was code and not output
  bool notebook = false;  // true in a cell that has no prompts in front of its lines
  for (const std::string_view all : lines) {
    const std::string_view line = all.substr(Blanks(all));
    const size_t first = Prompt(line), next = code ? Continuation(line) : 0;
    notebook = first > 0 ? IsPromptOfNotebook(line) : notebook && !line.starts_with("Out[");
    if (notebook && first == 0) {
      if (!out.empty() || !IsBlank(all)) out += std::string(all) + "\n";
      continue;
    }
    if (line.empty() || notebook) continue;  // a block may continue after an empty line
    code = first > 0 || next > 0;
    if (code) out += std::string(line.substr(std::max(first, next))) + "\n";
  }
  return out;
}

// Returns true for a line that a terminal shows before the first prompt: the command that started
// the program, or its banner.
bool IsBanner(std::string_view line) {
  const size_t shell = line.find("$ ");
  if (shell != line.npos) line.remove_prefix(shell + 2);
  for (const std::string_view program : {"tensh", "python", "ipython", "Python ", "IPython "})
    if (line.starts_with(program) &&
        (shell != line.npos || line.substr(program.size()).find('.') != line.npos))
      return true;
  return false;
}

// Removes the lines before the first prompt if they begin with a banner.
void DropBanner(Lines* lines) {
  if (!IsBanner(lines->front())) return;
  const auto first = std::find_if(lines->begin(), lines->end(),
                                  [](std::string_view line) { return Prompt(line) > 0; });
  if (first != lines->end()) lines->erase(lines->begin(), first);
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

// The commands with which notebooks begin, and which have no effect here: plots are drawn in the
// terminal, and TensorFlow's names are always there.
constexpr std::string_view kNotebookLines[] = {"%matplotlib", "%tensorflow_version",
                                               "%load_ext",   "%reload_ext",
                                               "%autoreload", "%config",
                                               "%pip",        "!pip",
                                               "%%capture",   "%%time"};

// Turns these commands into comments, so that the rest of the paste runs.
std::string WithoutNotebookLines(std::string code) {
  for (size_t at = 0; at < code.size(); at = std::min(code.find('\n', at), code.size() - 1) + 1) {
    const std::string_view line = std::string_view(code).substr(at);
    const std::string_view word = line.substr(0, line.find_first_of(" \t\n"));
    if (std::ranges::find(kNotebookLines, word) == std::end(kNotebookLines)) continue;
    const CodePlace place = PlaceAtEnd(std::string_view(code).substr(0, at));
    if (place.open.empty() && place.quote == line.npos) code.insert(at, "# ");
  }
  return code;
}

}  // namespace

std::string CleanPaste(std::string_view pasted) {
  const std::string unified = UnifyLineEnds(pasted);
  std::string_view text = unified;
  for (size_t end = text.find('\n'); end != text.npos && IsBlank(text.substr(0, end));
       end = text.find('\n'))
    text.remove_prefix(end + 1);
  Lines lines = Split(text);
  DropBanner(&lines);
  const std::string_view first = lines[0].substr(Blanks(lines[0]));
  if (Prompt(first) > 0) {
    std::string code = WithoutPrompts(lines);
    if (!text.ends_with('\n') && !code.empty()) code.pop_back();
    return WithoutNotebookLines(std::move(code));
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
  return WithoutNotebookLines(std::move(out));
}

}  // namespace tensh::shell
