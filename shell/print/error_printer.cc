#include "shell/print/error_printer.h"

#include <algorithm>
#include <utility>

#include "shell/python/values/containers.h"
#include "shell/python/values/frame_text.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

// Limits a source line, in columns; a longer one is cut around the span.
constexpr size_t kLongestLine = 160;
constexpr size_t kFramesEachEnd = 20;  // Frames printed at each end of a long traceback.
// Repeated calls printed before they are counted, as in Python.
constexpr size_t kRepeatsShown = 3;
constexpr size_t kErrorsShown = 10;  // Limits the chain of earlier errors.

// A source line with the column where the span begins and the width of the span on the screen.
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

// Replaces tabs, because the width of a tab depends on its position.
Location WithoutTabs(Location where) {
  std::replace(where.text.begin(), where.text.end(), '\t', ' ');
  return where;
}

// Returns the hint as a separate sentence.
std::string HintText(ErrorHint::Kind kind, std::string out) {
  if (kind == ErrorHint::Kind::kType) return "Type: " + out;
  if (kind == ErrorHint::Kind::kRun) return "Run: " + out;
  // A name at the beginning of the sentence keeps its case: "tf.keras is not …".
  const bool name = out.substr(0, out.find_first_of(" :")).find_first_of("._(") != out.npos;
  if (!name && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

// Returns the message with control characters of the terminal escaped.
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

// Returns the notes added by add_note(), one per line.
std::string Notes(ExceptionObject& error) {
  const Value* notes = error.attrs()->Find("__notes__");
  const std::vector<Value>* items = notes ? Sequence(*notes) : nullptr;
  std::string out;
  for (size_t i = 0; items && i < items->size(); ++i)
    if (IsStr((*items)[i])) out += "\n" + Harmless(StrView((*items)[i]));
  return out;
}

std::string Sentence(const PyError& error) {
  std::string text = error.ClassName();
  const std::string message = Harmless(error.Message());
  if (!message.empty()) text += ": " + message;
  text += Notes(error.exception());
  const ErrorHint::Kind kind = error.exception().hint.kind;
  const std::string hint = Harmless(error.exception().hint.text);
  if (hint.empty()) return text;
  const bool ended =
      text.back() == '.' || text.back() == '?' || text.back() == '!' || text.back() == '\n';
  if (kind == ErrorHint::Kind::kQuestion) return text + "; " + hint;
  return text + (ended ? " " : ". ") + HintText(kind, hint);
}

std::string Paint(const std::string& text, bool color) {
  return color ? "\033[31m" + text + "\033[0m" : text;
}

std::string Position(const Location& where) {
  return Visible(where.file) + ":" + std::to_string(where.line) + ":" +
         std::to_string(where.column) + ": ";
}

// Returns true if `outer` is the statement around `inner`. A verb evaluates parts of its own
// statement, and the smaller part is more precise.
bool Encloses(const TraceEntry& outer, const TraceEntry& inner) {
  const Location& a = outer.where;
  const Location& b = inner.where;
  if (outer.function != inner.function || a.file != b.file) return false;
  const bool begins = std::pair(a.line, a.column) <= std::pair(b.line, b.column);
  // A text that ends too early has its mark after the statement.
  const bool after = b.line == a.end_line && b.column == a.end_column;
  const bool ends =
      after || std::pair(a.end_line, a.end_column) >= std::pair(b.end_line, b.end_column);
  const bool equal = a.line == b.line && a.column == b.column && a.end_line == b.end_line &&
                     a.end_column == b.end_column;
  return begins && ends && (!equal || outer.function == "<module>");
}

std::vector<TraceEntry> WithoutEnclosing(const std::vector<TraceEntry>& trace) {
  std::vector<TraceEntry> out;
  for (const TraceEntry& entry : trace) {
    if (out.empty() || !Encloses(entry, out.back())) out.push_back(entry);
  }
  return out;
}

bool SameCall(const TraceEntry& a, const TraceEntry& b) {
  return a.where.line == b.where.line && a.where.file == b.where.file && a.function == b.function;
}

// Formats frames like Python, outermost first, from the end of `trace` down to `from`. Repeated
// calls are printed a few times and then counted. The middle of a very long traceback is left out.
std::string Frames(const std::vector<TraceEntry>& trace, size_t from) {
  std::vector<std::string> lines;
  for (size_t i = trace.size(), repeats = 0; i-- > from;) {
    repeats = i + 1 < trace.size() && SameCall(trace[i], trace[i + 1]) ? repeats + 1 : 0;
    if (repeats < kRepeatsShown) {
      lines.push_back(FrameText(trace[i], kLongestLine));
    } else if (i == from || !SameCall(trace[i], trace[i - 1])) {
      const size_t more = repeats - kRepeatsShown + 1;
      lines.push_back("  [Previous line repeated " + std::to_string(more) + " more time" +
                      (more == 1 ? "" : "s") + "]\n");
    }
  }
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines.size() > 2 * kFramesEachEnd + 1 && i >= kFramesEachEnd &&
        i < lines.size() - kFramesEachEnd) {
      if (i == kFramesEachEnd)
        out += "  … " +
               Count(static_cast<int64_t>(lines.size() - 2 * kFramesEachEnd), "more call") + "\n";
      continue;
    }
    out += lines[i];
  }
  return out;
}

constexpr const char* kTraceback = "Traceback (most recent call last):\n";

// Returns the user's calls that led to the failing expression, outermost first.
std::string Calls(const std::vector<TraceEntry>& trace) {
  return trace.size() < 2 ? "" : kTraceback + Frames(trace, 1);
}

// Returns the errors that led to this one, oldest first: its causes, and the errors that were being
// handled. Errors without a line of the user's code are left out.
std::string Earlier(ExceptionObject& error) {
  std::vector<std::string> found;
  ExceptionObject* at = &error;
  while (found.size() < kErrorsShown) {
    const bool caused = !at->cause.is_null() && !at->cause.is_none();
    const Value& before = caused ? at->cause : at->context;
    if (before.is_null() || (!caused && at->suppress_context)) break;
    at = As<ExceptionObject>(before);
    if (at == nullptr || at == &error) break;
    if (at->trace.empty()) continue;
    const std::string text = Harmless(at->Message());
    found.push_back(kTraceback + Frames(WithoutEnclosing(at->trace), 0) + TypeOf(before).name +
                    (text.empty() ? "" : ": " + text) + Notes(*at) + "\n\n" +
                    (caused
                         ? "The above exception was the direct cause of the following exception:"
                         : "During handling of the above exception, another exception occurred:") +
                    "\n\n");
  }
  std::string out;
  for (size_t i = found.size(); i-- > 0;) out += found[i];
  return out;
}

std::string FormatJson(const PyError& error, const Location& where) {
  const ErrorHint& hint = error.exception().hint;
  return "{\"error\": " + JsonQuote(error.ClassName()) +
         ", \"message\": " + JsonQuote(error.Message()) + ", \"file\": " + JsonQuote(where.file) +
         ", \"line\": " + std::to_string(where.line) +
         ", \"column\": " + std::to_string(where.column) +
         ", \"end_column\": " + std::to_string(where.end_column) + ", \"hint\": " +
         JsonQuote((hint.kind == ErrorHint::Kind::kType ? "Type: " : "") + hint.text) + "}\n";
}

// Puts the message next to the carets if it fits; otherwise on the next line.
std::string Beside(const std::string& carets, const std::string& sentence,
                   const ErrorStyle& style) {
  const bool one_line = sentence.find('\n') == std::string::npos;
  const bool fits = style.width == 0 || TextWidth(carets) + 1 + TextWidth(sentence) <= style.width;
  if (one_line && fits) return carets + " " + sentence + "\n";
  return carets + "\n" + WrapAdvice(sentence, style.width) + "\n";
}

std::string FormatTyped(const PyError& error, const std::vector<TraceEntry>& trace,
                        const Location& where, const ErrorStyle& style) {
  const Excerpt excerpt = MakeExcerpt(where);
  const std::string sentence = Paint(Sentence(error), style.color);
  // If the prompt wrapped the line, no single row is above the carets.
  const bool one_row = style.width == 0 || style.prompt + TextWidth(excerpt.line) <= style.width;
  const bool last_typed = style.cell.find('\n') == std::string::npos && where.line == 1 && one_row;
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
  std::string out = Earlier(error.exception()) + Calls(trace) + Position(where) +
                    Paint(Sentence(error), style.color) + "\n";
  if (excerpt.line.find_first_not_of(' ') == std::string::npos) return out;
  out += "    " + excerpt.line + "\n";
  return out + "    " + std::string(excerpt.indent, ' ') + std::string(excerpt.carets, '^') + "\n";
}

}  // namespace tensh::shell
