#include "shell/print/error_printer.h"

#include <algorithm>
#include <utility>

#include "shell/explain/layout.h"
#include "shell/print/json.h"

namespace tensh::shell {
namespace {

constexpr size_t kLongestLine = 160;  // of the source, before it is cut around the span
constexpr size_t kFramesEachEnd = 4;

// Where in the bytes of `line` the 1-based code point `column` starts.
size_t ByteOfColumn(const std::string& line, int column) {
  size_t at = 0;
  for (int c = 1; c < column && at < line.size(); ++c) {
    ++at;
    while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0) == 0x80) ++at;
  }
  return at;
}

// The source line and, as columns of the screen, where the span begins and how wide it is.
struct Excerpt {
  std::string line;
  size_t indent = 0;
  size_t carets = 1;
};

Excerpt MakeExcerpt(const Location& where) {
  std::string line = where.text;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  const bool one_line = where.end_line == where.line && where.end_column > where.column;
  size_t begin = ByteOfColumn(line, where.column);
  size_t end = one_line ? ByteOfColumn(line, where.end_column) : line.size();
  end = std::max(end, begin);
  if (line.size() > kLongestLine) {
    const size_t from = begin > kLongestLine / 3 ? begin - kLongestLine / 3 : 0;
    const size_t cut = ByteOfColumn(line, 1) + from;
    line = (from > 0 ? "..." : "") + line.substr(cut, kLongestLine) +
           (cut + kLongestLine < line.size() ? "..." : "");
    begin = begin - from + (from > 0 ? 3 : 0);
    end = std::min(end - from + (from > 0 ? 3 : 0), line.size());
  }
  Excerpt excerpt;
  const std::string before = Visible(std::string_view(line).substr(0, begin));
  excerpt.indent = TextWidth(before);
  excerpt.carets =
      std::max<size_t>(TextWidth(Visible(std::string_view(line).substr(begin, end - begin))), 1);
  excerpt.line = Visible(line);
  return excerpt;
}

// Tabs would put the carets anywhere.
Location WithoutTabs(Location where) {
  std::replace(where.text.begin(), where.text.end(), '\t', ' ');
  return where;
}

// The runtime's hints are what to type ("run init") or a phrase; both read as a sentence of their
// own.
std::string HintText(const std::string& hint) {
  if (hint.rfind("run ", 0) == 0) return "Run: " + hint;
  std::string out = hint;
  // A sentence may begin with a name, which stays as it is written: "tf.keras is not …".
  const bool name = out.substr(0, out.find_first_of(" :")).find_first_of("._(") != out.npos;
  if (!name && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

// The lines of a message, with what would command a terminal written out.
std::string Harmless(std::string_view text) {
  std::string out;
  for (;;) {
    const size_t end = text.find_first_of("\n\t");
    out += Visible(text.substr(0, end));
    if (end == text.npos) return out;
    out += text[end];
    text.remove_prefix(end + 1);
  }
}

std::string Sentence(const PyError& error) {
  std::string text = error.ClassName();
  const std::string message = Harmless(error.Message());
  if (!message.empty()) text += ": " + message;
  const std::string hint = Harmless(error.exception().hint);
  if (hint.empty()) return text;
  const bool ended =
      text.back() == '.' || text.back() == '?' || text.back() == '!' || text.back() == '\n';
  const bool question = hint.rfind("did you mean", 0) == 0;
  return question ? text + "; " + hint : text + (ended ? " " : ". ") + HintText(hint);
}

std::string Paint(const std::string& text, bool color) {
  return color ? "\033[31m" + text + "\033[0m" : text;
}

std::string Position(const Location& where) {
  return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": ";
}

std::string FrameLine(const TraceEntry& entry) {
  std::string out = "  File \"" + Visible(entry.where.file) + "\", line " +
                    std::to_string(entry.where.line) + ", in " + Visible(entry.function) + "\n";
  const std::string text = WithoutTabs(entry.where).text;
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return out;
  const std::string line = Visible(text.substr(begin, text.find('\n') - begin));
  out += "    " + CutTo(line, kLongestLine) + "\n";
  if (text.size() > kLongestLine || entry.where.column <= 0) return out;
  // As Python, a part of the line is underlined, the whole of it is not.
  const Excerpt part = MakeExcerpt(WithoutTabs(entry.where));
  if (part.indent < begin || (part.indent == begin && part.carets >= TextWidth(line))) return out;
  return out + std::string(4 + part.indent - begin, ' ') + std::string(part.carets, '^') + "\n";
}

// A verb evaluates parts of its own statement: the part says it better than the statement around
// it.
bool Encloses(const TraceEntry& outer, const TraceEntry& inner) {
  const Location& a = outer.where;
  const Location& b = inner.where;
  if (outer.function != inner.function || a.file != b.file) return false;
  const bool begins = std::pair(a.line, a.column) <= std::pair(b.line, b.column);
  const bool ends = std::pair(a.end_line, a.end_column) >= std::pair(b.end_line, b.end_column);
  const bool equal = a.line == b.line && a.column == b.column && a.end_line == b.end_line &&
                     a.end_column == b.end_column;
  return begins && ends && !equal;
}

std::vector<TraceEntry> WithoutEnclosing(const std::vector<TraceEntry>& trace) {
  std::vector<TraceEntry> out;
  for (const TraceEntry& entry : trace) {
    if (out.empty() || !Encloses(entry, out.back())) out.push_back(entry);
  }
  return out;
}

// The user's calls that led to the failing expression, outermost first.
std::string Calls(const std::vector<TraceEntry>& trace) {
  if (trace.size() < 2) return "";
  std::string out = "Traceback (most recent call last):\n";
  const size_t calls = trace.size() - 1;
  for (size_t i = 0; i < calls; ++i) {
    if (calls > 2 * kFramesEachEnd + 1 && i >= kFramesEachEnd && i < calls - kFramesEachEnd) {
      if (i == kFramesEachEnd)
        out += "  … " + Count(static_cast<int64_t>(calls - 2 * kFramesEachEnd), "more call") + "\n";
      continue;
    }
    out += FrameLine(trace[trace.size() - 1 - i]);
  }
  return out;
}

std::string FormatJson(const PyError& error, const Location& where) {
  return "{\"error\": " + JsonQuote(error.ClassName()) +
         ", \"message\": " + JsonQuote(error.Message()) + ", \"file\": " + JsonQuote(where.file) +
         ", \"line\": " + std::to_string(where.line) +
         ", \"column\": " + std::to_string(where.column) +
         ", \"end_column\": " + std::to_string(where.end_column) +
         ", \"hint\": " + JsonQuote(error.exception().hint) + "}\n";
}

// The message goes beside the carets where it fits, else on its own line.
std::string Beside(const std::string& carets, const std::string& sentence,
                   const ErrorStyle& style) {
  const bool one_line = sentence.find('\n') == std::string::npos;
  const bool fits = style.width == 0 || TextWidth(carets) + 1 + TextWidth(sentence) <= style.width;
  if (one_line && fits) return carets + " " + sentence + "\n";
  return carets + "\n" + Wrap(sentence, style.width) + "\n";
}

std::string FormatTyped(const PyError& error, const std::vector<TraceEntry>& trace,
                        const Location& where, const ErrorStyle& style) {
  const Excerpt excerpt = MakeExcerpt(where);
  const std::string sentence = Paint(Sentence(error), style.color);
  const bool last_typed = style.cell.find('\n') == std::string::npos && where.line == 1;
  std::string out = Calls(trace);
  const size_t margin = last_typed && out.empty() ? style.prompt : 4;
  if (margin != style.prompt || !last_typed || !out.empty()) {
    out += Position(where).substr(0, Position(where).size() - 1) + "\n    " + excerpt.line + "\n";
  }
  return out + Beside(std::string(margin + excerpt.indent, ' ') + std::string(excerpt.carets, '^'),
                      sentence, style);
}

}  // namespace

std::string FormatError(const PyError& error, const ErrorStyle& style) {
  const std::vector<TraceEntry> trace = WithoutEnclosing(error.exception().trace);
  const Location where = trace.empty() ? Location{} : WithoutTabs(trace.front().where);
  if (style.json) return FormatJson(error, where);
  if (where.line == 0) return Paint(Sentence(error), style.color) + "\n";
  if (style.prompt > 0) return FormatTyped(error, trace, where, style);
  const Excerpt excerpt = MakeExcerpt(where);
  std::string out = Calls(trace) + Position(where) + Paint(Sentence(error), style.color) + "\n";
  if (excerpt.line.find_first_not_of(' ') == std::string::npos) return out;
  out += "    " + excerpt.line + "\n";
  return out + "    " + std::string(excerpt.indent, ' ') + std::string(excerpt.carets, '^') + "\n";
}

}  // namespace tensh::shell
