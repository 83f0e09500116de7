#include "shell/edit/vi_mode.h"

#include <algorithm>
#include <string>

#include "shell/edit/code_tokens.h"

namespace tensh::shell {
namespace {

constexpr int kMostTimes = 1000;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// The kinds of characters that separate words: blanks, word characters and punctuation. For the `big`
// words of W, B and E, only blanks separate.
int ClassOf(char c, bool big) { return IsBlank(c) ? 0 : IsWordByte(c) || big ? 1 : 2; }

size_t NextWord(std::string_view text, size_t at, bool big) {
  if (at >= text.size()) return text.size();
  const int kind = ClassOf(text[at], big);
  while (at < text.size() && kind != 0 && ClassOf(text[at], big) == kind) ++at;
  while (at < text.size() && IsBlank(text[at])) ++at;
  return at;
}

size_t PreviousWord(std::string_view text, size_t at, bool big) {
  while (at > 0 && IsBlank(text[at - 1])) --at;
  if (at == 0) return 0;
  const int kind = ClassOf(text[at - 1], big);
  while (at > 0 && ClassOf(text[at - 1], big) == kind) --at;
  return at;
}

size_t EndOfWord(std::string_view text, size_t at, bool big) {
  ++at;
  while (at < text.size() && IsBlank(text[at])) ++at;
  if (at >= text.size()) return text.empty() ? 0 : text.size() - 1;
  const int kind = ClassOf(text[at], big);
  while (at + 1 < text.size() && ClassOf(text[at + 1], big) == kind) ++at;
  return at;
}

}  // namespace

void ViMode::Start() {
  inserting_ = true;
  Clear();
}

ViMode::Did ViMode::Handle(const KeyPress& press, TextBuffer* buffer) {
  if (press.key == Key::kEscape) {
    if (inserting_ && buffer->cursor() > buffer->LineStart()) buffer->Left();
    inserting_ = false;
    Clear();
    return Did::kHandled;
  }
  if (inserting_) return Did::kNothing;
  if (press.key == Key::kBackspace) return buffer->Left(), Did::kHandled;
  if (press.key == Key::kSearch) return buffer->Redo(), Did::kHandled;
  if (press.key != Key::kText) return Did::kNothing;
  for (size_t i = 0; i < press.text.size(); ++i) {
    if (inserting_) {
      buffer->Insert(std::string_view(press.text).substr(i));
      break;
    }
    const Did did = Command(press.text[i], buffer);
    if (did != Did::kHandled) return did;
    // In normal mode, the cursor is always on a character.
    if (!inserting_ && buffer->cursor() == buffer->LineEnd() &&
        buffer->cursor() > buffer->LineStart())
      buffer->Left();
  }
  return Did::kHandled;
}

ViMode::Did ViMode::Command(char c, TextBuffer* buffer) {
  if (waiting_ != '\0' && Pending(c, buffer)) return Did::kHandled;
  if ((c >= '1' && c <= '9') || (c == '0' && count_ > 0)) {
    count_ = std::min(count_ * 10 + (c - '0'), kMostTimes);
    return Did::kHandled;
  }
  if (std::string_view("fFtTrg").find(c) != std::string_view::npos) {
    waiting_ = c;
    return Did::kHandled;
  }
  if (std::string_view("dcy").find(c) != std::string_view::npos) {
    if (operator_ == c) {
      WholeLine(buffer);
      Clear();
    } else {
      operator_ = c;
    }
    return Did::kHandled;
  }
  if (const auto motion = MotionOf(c, *buffer)) {
    Apply(*motion, buffer);
  } else if (operator_ == '\0' && !Insertion(c, buffer) && !Change(c, buffer)) {
    Clear();
    switch (c) {
      case 'k':
        return Did::kUp;
      case 'j':
        return Did::kDown;
      case 'v':
        return Did::kEditor;
      case '/':
        return Did::kSearch;
      default:
        return Did::kHandled;
    }
  }
  Clear();
  return Did::kHandled;
}

// Handles the character that follows f, F, t, T, r or g.
bool ViMode::Pending(char c, TextBuffer* buffer) {
  const char kind = waiting_;
  waiting_ = '\0';
  if (kind == 'g') {
    if (c == 'g') Apply({0}, buffer);
  } else if (kind == 'r') {
    const size_t at = buffer->cursor();
    if (at < buffer->LineEnd()) {
      buffer->Replace(at, buffer->After(at), std::string(1, c));
      buffer->Left();
    }
  } else {
    found_kind_ = kind;
    found_ = c;
    if (const auto motion = FindChar(kind, c, *buffer)) Apply(*motion, buffer);
  }
  Clear();
  return true;
}

std::optional<ViMode::Motion> ViMode::FindChar(char kind, char c, const TextBuffer& buffer) const {
  const std::string& text = buffer.text();
  const bool back = kind == 'F' || kind == 'T';
  size_t at = buffer.cursor();
  for (int i = 0; i < times(); ++i) {
    if (back) {
      at = at == 0 ? std::string::npos : text.rfind(c, at - 1);
      if (at == std::string::npos || at < buffer.LineStart()) return std::nullopt;
    } else {
      at = text.find(c, at + 1);
      if (at == std::string::npos || at >= buffer.LineEnd()) return std::nullopt;
    }
  }
  if (kind == 't') return Motion{buffer.Before(at), true};
  if (kind == 'T') return Motion{buffer.After(at), false};
  return Motion{at, !back};
}

// Returns the destination of the motion h, l, space, w, b, e, W, B or E from `at`.
static size_t MovedOnce(char c, size_t at, const TextBuffer& buffer) {
  const std::string& text = buffer.text();
  switch (c) {
    case 'h':
      return at > buffer.LineStart() ? buffer.Before(at) : at;
    case 'w':
    case 'W':
      return NextWord(text, at, c == 'W');
    case 'b':
    case 'B':
      return PreviousWord(text, at, c == 'B');
    case 'e':
    case 'E':
      return EndOfWord(text, at, c == 'E');
    default:
      return at < buffer.LineEnd() ? buffer.After(at) : at;
  }
}

std::optional<ViMode::Motion> ViMode::MotionOf(char c, const TextBuffer& buffer) {
  const std::string& text = buffer.text();
  const size_t start = buffer.LineStart(), cursor = buffer.cursor();
  size_t at = cursor;
  switch (c) {
    case '0':
      return Motion{start};
    case '^':
      return Motion{start + buffer.Indent(start)};
    case '$':
      return Motion{buffer.LineEnd()};
    case 'G':
      return Motion{text.size()};
    case ';':
      return found_kind_ == '\0' ? std::nullopt : FindChar(found_kind_, found_, buffer);
    case ',': {  // as ; in the other direction
      constexpr std::string_view kKinds = "fFtT", kOther = "FfTt";
      const size_t kind = kKinds.find(found_kind_);
      if (kind == kKinds.npos) return std::nullopt;
      return FindChar(kOther[kind], found_, buffer);
    }
    case '%': {
      const size_t other = MatchingBracket(text, TokensOf(text), cursor);
      if (other == text.npos) return std::nullopt;
      return Motion{other, true};
    }
    default:
      break;
  }
  if (std::string_view("hl wbeWBE").find(c) == std::string_view::npos) return std::nullopt;
  // "cw" changes a word without the blanks that follow it.
  const bool word = c == 'w' || c == 'W';
  const bool change_word = word && operator_ == 'c' && at < text.size() && !IsBlank(text[at]);
  if (change_word && at > 0) --at;  // the end of the word may be under the cursor
  const char end = c == 'W' ? 'E' : 'e';
  for (int i = 0; i < times(); ++i) at = MovedOnce(change_word ? end : c, at, buffer);
  return Motion{at, c == 'e' || c == 'E' || change_word};
}

void ViMode::Operate(size_t from, size_t to, TextBuffer* buffer) {
  if (operator_ == 'y') {
    buffer->Copy(buffer->text().substr(from, to - from));
    return buffer->MoveTo(std::min(from, buffer->cursor()));
  }
  buffer->Kill(from, to);
  if (operator_ == 'c') Insert();
}

void ViMode::Apply(const Motion& motion, TextBuffer* buffer) {
  if (operator_ == '\0') return buffer->MoveTo(motion.to);
  const size_t cursor = buffer->cursor();
  const size_t end = motion.inclusive ? buffer->After(motion.to) : motion.to;
  Operate(std::min(cursor, motion.to), std::max(cursor, end), buffer);
}

// Handles dd, cc and yy. A cut line ends with a line break, so that p puts it on a separate line.
void ViMode::WholeLine(TextBuffer* buffer) {
  size_t from = buffer->LineStart(), to = buffer->LineEnd();
  for (int i = 1; i < times() && to < buffer->text().size(); ++i) to = buffer->LineEnd(to + 1);
  buffer->Copy(buffer->text().substr(from, to - from) + "\n");
  if (operator_ == 'y') return;
  if (operator_ == 'c') {
    Insert();
  } else if (to < buffer->text().size()) {
    ++to;
  } else if (from > 0) {
    --from;
  }
  buffer->Erase(from, to);
  if (operator_ == 'd') buffer->MoveTo(buffer->LineStart());
}

void ViMode::Put(bool before, TextBuffer* buffer) {
  const std::string& text = buffer->killed();
  if (!text.ends_with('\n')) {
    if (!before && buffer->cursor() < buffer->LineEnd()) buffer->Right();
    return buffer->Yank();
  }
  const std::string line = text.substr(0, text.size() - 1);
  const size_t at = before ? buffer->LineStart() : buffer->LineEnd();
  buffer->Replace(at, at, before ? line + "\n" : "\n" + line);
  buffer->MoveTo(before ? at : at + 1);
}

bool ViMode::Insertion(char c, TextBuffer* buffer) {
  const size_t start = buffer->LineStart();
  switch (c) {
    case 'i':
      break;
    case 'a':
      if (buffer->cursor() < buffer->LineEnd()) buffer->Right();
      break;
    case 'I':
      buffer->MoveTo(start + buffer->Indent(start));
      break;
    case 'A':
      buffer->End();
      break;
    case 'o':
      buffer->End();
      buffer->Insert("\n" + std::string(buffer->Indent(start), ' '));
      break;
    case 'O':
      buffer->MoveTo(start);
      buffer->Insert(std::string(buffer->Indent(start), ' ') + "\n");
      buffer->Left();
      break;
    case 'C':
      buffer->Kill(buffer->cursor(), buffer->LineEnd());
      break;
    case 'S':
      buffer->Kill(start, buffer->LineEnd());
      break;
    case 's':
      buffer->Delete();
      break;
    default:
      return false;
  }
  Insert();
  return true;
}

bool ViMode::Change(char c, TextBuffer* buffer) {
  const size_t cursor = buffer->cursor();
  switch (c) {
    case 'x': {
      size_t to = cursor;
      for (int i = 0; i < times() && to < buffer->LineEnd(); ++i) to = buffer->After(to);
      return buffer->Kill(cursor, to), true;
    }
    case 'X':
      if (cursor > buffer->LineStart()) buffer->Backspace();
      return true;
    case 'D':
      return buffer->Kill(cursor, buffer->LineEnd()), true;
    case 'Y':
      return buffer->Copy(buffer->text().substr(cursor, buffer->LineEnd() - cursor)), true;
    case '~': {
      for (int i = 0; i < times() && buffer->cursor() < buffer->LineEnd(); ++i) {
        const size_t at = buffer->cursor();
        const char letter = buffer->text()[at];
        const bool other = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
        if (other) buffer->Replace(at, at + 1, std::string(1, static_cast<char>(letter ^ 0x20)));
        buffer->MoveTo(buffer->After(at));
      }
      return true;
    }
    case 'p':
    case 'P':
      return Put(c == 'P', buffer), true;
    case 'u':
      return buffer->Undo(), true;
    default:
      return false;
  }
}

}  // namespace tensh::shell
