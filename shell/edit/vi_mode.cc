#include "shell/edit/vi_mode.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "shell/edit/code_tokens.h"
#include "shell/text/grapheme.h"

namespace tensh::shell {
namespace {

constexpr size_t kIndent = 4;
constexpr std::string_view kInsertions = "iaIAoOsSCR";

// Commands that an insertion can be repeated by: "3ix".
constexpr std::string_view kRepeatedInsertions = "iaIAoO";

// Returns the keys of a command for the keys that have another name in normal mode.
std::string_view KeysOf(const KeyPress& press) {
  switch (press.key) {
    case Key::kText:
      return press.text;
    case Key::kLeft:
    case Key::kBackspace:
      return "h";
    case Key::kRight:
      return "l";
    case Key::kUp:
      return "k";
    case Key::kDown:
      return "j";
    case Key::kHome:
      return "0";
    case Key::kEnd:
      return "$";
    case Key::kWordLeft:
      return "b";
    case Key::kWordRight:
      return "w";
    case Key::kDelete:
      return "x";
    case Key::kSearch:
      return "\x12";
    default:
      return "";
  }
}

char ChangedCase(char letter, char to) {
  const bool lower = letter >= 'a' && letter <= 'z', upper = letter >= 'A' && letter <= 'Z';
  const bool change = to == 'U' ? lower : to == 'u' ? upper : lower || upper;
  return change ? static_cast<char>(letter ^ 0x20) : letter;
}

std::string ChangedCase(std::string text, char to) {
  for (char& letter : text) letter = ChangedCase(letter, to);
  return text;
}

}  // namespace

// ---- insert mode ----

void ViMode::Start() {
  inserting_ = true;
  replacing_ = false;
  replaced_.clear();
  keys_.clear();
  before_.clear();
  after_.clear();
}

void ViMode::Insert(TextBuffer* buffer) {
  inserting_ = true;
  before_ = buffer->before();
  after_ = buffer->after();
}

// Returns the text that was inserted since Insert(): all that is between the texts around it.
std::string ViMode::Inserted(const TextBuffer& buffer) const {
  const std::string_view text = buffer.text();
  const bool around = text.size() >= before_.size() + after_.size() && text.starts_with(before_) &&
                      text.ends_with(after_);
  if (!around) return "";
  return std::string(text.substr(before_.size(), text.size() - before_.size() - after_.size()));
}

void ViMode::Finish(TextBuffer* buffer) {
  if (inserting_ && !replacing_ && buffer->changing()) inserted_ = Inserted(*buffer);
  buffer->EndChange();
}

void ViMode::Leave(TextBuffer* buffer) {
  const std::string inserted = Inserted(*buffer);
  if (!replacing_ && (buffer->changing() || !inserted.empty())) inserted_ = inserted;
  // Text that is typed at the beginning of a cell counts as a change, as in bash.
  if (!buffer->changing() && !inserted.empty()) change_ = {.verb = "i"};
  const bool again = kRepeatedInsertions.find(change_.verb) != std::string_view::npos;
  for (int i = 1; again && buffer->changing() && i < change_.count; ++i) {
    if (change_.verb == "o" || change_.verb == "O") buffer->Insert("\n");
    buffer->Insert(inserted_);
  }
  inserting_ = replacing_ = false;
  replaced_.clear();
  buffer->EndChange();
  if (buffer->cursor() > buffer->LineStart()) buffer->Left();
}

// Replaces characters by the typed ones. Backspace restores them.
void ViMode::Replace(const KeyPress& press, TextBuffer* buffer) {
  if (press.key == Key::kBackspace) {
    if (replaced_.empty()) return buffer->Left();
    const size_t to = buffer->cursor(), from = buffer->Before(to);
    buffer->Replace(from, to, replaced_.back());
    buffer->MoveTo(from);
    replaced_.pop_back();
    inserted_.resize(GraphemeBefore(inserted_, inserted_.size()));
    return;
  }
  for (std::string_view text = press.text; !text.empty();) {
    const size_t bytes = FirstGrapheme(text).bytes, at = buffer->cursor();
    const size_t to = at < buffer->LineEnd() ? buffer->After(at) : at;
    replaced_.push_back(buffer->text().substr(at, to - at));
    buffer->Replace(at, to, text.substr(0, bytes));
    inserted_ += text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
}

ViMode::Did ViMode::HandleInserting(const KeyPress& press, TextBuffer* buffer) {
  if (press.key == Key::kEscape) return Leave(buffer), Did::kHandled;
  if (!replacing_) return Did::kNothing;
  if (press.key != Key::kText && press.key != Key::kBackspace) {
    replaced_.clear();
    return Did::kNothing;
  }
  Replace(press, buffer);
  return Did::kHandled;
}

// ---- normal mode ----

void ViMode::KeepOnCharacter(TextBuffer* buffer) const {
  if (!inserting_ && buffer->cursor() == buffer->LineEnd() &&
      buffer->cursor() > buffer->LineStart())
    buffer->Left();
}

ViMode::Did ViMode::Handle(const KeyPress& press, TextBuffer* buffer) {
  if (inserting_) return HandleInserting(press, buffer);
  if (press.key == Key::kEscape || press.key == Key::kTab) {
    keys_.clear();
    return Did::kHandled;
  }
  const std::string_view keys = KeysOf(press);
  if (keys.empty()) {
    if (press.key != Key::kScreenChanged) keys_.clear();
    return Did::kNothing;
  }
  keys_ += keys;
  ViCommand command;
  const ViParsed parsed = ParseViCommand(keys_, &command);
  if (parsed == ViParsed::kIncomplete) return Did::kHandled;
  keys_.clear();
  return parsed == ViParsed::kComplete ? Execute(command, buffer) : Did::kHandled;
}

ViMode::Did ViMode::Execute(const ViCommand& command, TextBuffer* buffer) {
  times_ = command.times();
  const bool alone = command.verb.empty();
  switch ((alone ? command.motion : command.verb)[0]) {
    case 'k':
    case '-':
      return Did::kUp;
    case 'j':
    case '+':
      return Did::kDown;
    case 'v':
      return Did::kEditor;
    case '/':
      return Did::kSearchOlder;
    case '?':
      return Did::kSearchNewer;
    case 'n':
      return Did::kSearchAgain;
    case 'N':
      return Did::kSearchBack;
    case '_':
      Change({.verb = "A"}, buffer);
      return Did::kLastArgument;
    case 'u':
      for (int i = 0; i < times_; ++i) buffer->Undo();
      break;
    case 'U':
      while (buffer->Undo()) {
      }
      break;
    case '\x12':
      for (int i = 0; i < times_; ++i) buffer->Redo();
      break;
    case '.':
      if (!change_.verb.empty()) Repeat(command.count, buffer);
      break;
    default:
      if (!alone) {
        Change(command, buffer);
      } else if (const auto motion = ViMotionOf(command, *buffer, &find_)) {
        buffer->MoveTo(motion->to);
      }
  }
  return Did::kHandled;
}

void ViMode::Change(const ViCommand& command, TextBuffer* buffer) {
  buffer->BeginChange();
  const bool insertion = kInsertions.find(command.verb) != std::string_view::npos;
  bool changes = true;
  if (!command.motion.empty()) {
    changes = Operate(command, buffer) && command.verb != "y";
  } else if (insertion) {
    BeginInsertion(command, buffer);
  } else {
    changes = command.verb != "Y";
    ChangeText(command, buffer);
  }
  if (changes) {
    change_ = command;
    inserted_.clear();
  }
  if (!inserting_) buffer->EndChange();
}

// Repeats the last change, with another count if one is given.
void ViMode::Repeat(int count, TextBuffer* buffer) {
  ViCommand command = change_;
  if (count > 0) command.count = count;
  const std::string inserted = inserted_;
  Change(command, buffer);
  if (!inserting_) return;
  if (replacing_) {
    Replace({Key::kText, inserted}, buffer);
  } else {
    buffer->Insert(inserted);
  }
  Leave(buffer);
}

void ViMode::Copy(char reg, std::string text, TextBuffer* buffer) {
  if (reg != '\0') registers_[reg] = text;
  buffer->Copy(std::move(text));
}

void ViMode::Cut(const ViCommand& command, size_t from, size_t to, TextBuffer* buffer) {
  if (from >= to) return;
  Copy(command.reg, buffer->text().substr(from, to - from), buffer);
  buffer->Erase(from, to);
}

// Applies an operator. Returns false if its motion fails.
bool ViMode::Operate(const ViCommand& command, TextBuffer* buffer) {
  const auto range = ViRangeOf(command, *buffer, &find_);
  if (!range) return false;
  const auto [from, to, lines] = *range;
  const std::string text = buffer->text().substr(from, to - from);
  const char verb = command.verb[0];
  if (verb == 'g') {
    const size_t cursor = std::min(from, buffer->cursor());
    buffer->Replace(from, to, ChangedCase(text, command.verb[1]));
    buffer->MoveTo(cursor);
  } else if (lines || verb == '<' || verb == '>') {
    if (verb != '<' && verb != '>') Copy(command.reg, text + "\n", buffer);
    OperateOnLines(verb, {buffer->LineStart(from), buffer->LineEnd(to), true}, buffer);
  } else if (verb == 'y') {
    Copy(command.reg, text, buffer);
    buffer->MoveTo(std::min(from, buffer->cursor()));
  } else {
    Cut(command, from, to, buffer);
    buffer->MoveTo(from);
    if (verb == 'c') Insert(buffer);
  }
  return true;
}

void ViMode::OperateOnLines(char verb, const ViRange& range, TextBuffer* buffer) {
  size_t from = range.from, to = range.to;
  if (verb == 'y') return buffer->MoveTo(std::min(from, buffer->cursor()));
  if (verb == 'c') {
    from += buffer->Indent(from);
    buffer->Erase(from, std::max(from, to));
    buffer->MoveTo(from);
    return Insert(buffer);
  }
  if (verb == 'd') {
    if (to < buffer->text().size()) {
      ++to;
    } else if (from > 0) {
      --from;
    }
    buffer->Erase(from, to);
    const size_t start = buffer->LineStart();
    return buffer->MoveTo(start + buffer->Indent(start));
  }
  std::string shifted;
  for (size_t at = from; at <= to; at = buffer->LineEnd(at) + 1) {
    const size_t indent = buffer->Indent(at), end = buffer->LineEnd(at);
    const size_t removed = verb == '<' ? std::min(indent, kIndent) : 0;
    if (verb == '>' && end > at) shifted.append(kIndent, ' ');
    shifted += buffer->text().substr(at + removed, end - at - removed);
    if (end < to) shifted += '\n';
  }
  buffer->Replace(from, to, shifted);
  buffer->MoveTo(from + buffer->Indent(from));
}

void ViMode::BeginInsertion(const ViCommand& command, TextBuffer* buffer) {
  const size_t start = buffer->LineStart();
  switch (command.verb[0]) {
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
      buffer->Insert("\n" + std::string(IndentAfter(buffer->before()), ' '));
      break;
    case 'O':
      buffer->MoveTo(start);
      buffer->Insert(std::string(buffer->Indent(start), ' ') + "\n");
      buffer->Left();
      break;
    case 'C':
      Cut(command, buffer->cursor(), buffer->LineEnd(), buffer);
      break;
    case 'S':
      Operate({.count = command.count, .reg = command.reg, .verb = "c", .motion = "lines"}, buffer);
      return;
    case 's': {
      size_t to = buffer->cursor();
      for (int i = 0; i < command.times() && to < buffer->LineEnd(); ++i) to = buffer->After(to);
      Cut(command, buffer->cursor(), to, buffer);
      break;
    }
    case 'R':
      replacing_ = true;
      break;
    default:
      break;
  }
  Insert(buffer);
}

// Joins lines with one blank between them, but none before a closing bracket.
static void Join(int lines, TextBuffer* buffer) {
  for (int i = 1; i < std::max(lines, 2) && buffer->LineEnd() < buffer->text().size(); ++i) {
    const std::string& text = buffer->text();
    size_t from = buffer->LineEnd(), to = from + 1;
    while (to < text.size() && (text[to] == ' ' || text[to] == '\t')) ++to;
    while (from > buffer->LineStart() && text[from - 1] == ' ') --from;
    const bool blank = from > buffer->LineStart() && to < text.size() &&
                       std::string_view(")]}\n").find(text[to]) == std::string_view::npos;
    buffer->Replace(from, to, blank ? " " : "");
    buffer->MoveTo(from);
  }
}

void ViMode::ReplaceCharacters(const ViCommand& command, TextBuffer* buffer) {
  size_t to = buffer->cursor();
  std::string characters;
  for (int i = 0; i < command.times(); ++i) {
    if (to >= buffer->LineEnd()) return;
    to = buffer->After(to);
    characters += command.argument;
  }
  buffer->Replace(buffer->cursor(), to, characters);
  buffer->Left();
}

void ViMode::ChangeText(const ViCommand& command, TextBuffer* buffer) {
  const size_t cursor = buffer->cursor(), start = buffer->LineStart(), end = buffer->LineEnd();
  size_t other = cursor;
  switch (command.verb[0]) {
    case 'x':
      for (int i = 0; i < command.times() && other < end; ++i) other = buffer->After(other);
      return Cut(command, cursor, other, buffer);
    case 'X':
      for (int i = 0; i < command.times() && other > start; ++i) other = buffer->Before(other);
      return Cut(command, other, cursor, buffer);
    case 'D':
      return Cut(command, cursor, end, buffer);
    case 'Y':
      return Copy(command.reg, buffer->text().substr(cursor, end - cursor), buffer);
    case 'J':
      return Join(command.count, buffer);
    case 'r':
      return ReplaceCharacters(command, buffer);
    case '~':
      for (int i = 0; i < command.times() && other < end; ++i) other = buffer->After(other);
      return buffer->Replace(cursor, other,
                             ChangedCase(buffer->text().substr(cursor, other - cursor), '~'));
    default:
      return Put(command, buffer);
  }
}

// A text that ends with a line break was cut as lines, and becomes lines again.
void ViMode::Put(const ViCommand& command, TextBuffer* buffer) {
  const bool before = command.verb == "P";
  const std::string& text = command.reg == '\0' ? buffer->killed() : registers_[command.reg];
  if (text.empty()) return;
  std::string all;
  for (int i = 0; i < command.times(); ++i) all += text;
  if (!text.ends_with('\n')) {
    if (!before && buffer->cursor() < buffer->LineEnd()) buffer->Right();
    buffer->Insert(all);
    return buffer->Left();
  }
  all.pop_back();
  const size_t at = before ? buffer->LineStart() : buffer->LineEnd();
  buffer->Replace(at, at, before ? all + "\n" : "\n" + all);
  const size_t line = before ? at : at + 1;
  buffer->MoveTo(line + buffer->Indent(line));
}

}  // namespace tensh::shell
