// Parser of the text form of protocol buffers: `name: value`, `name { … }`, `name: [v, v]`,
// comments after #, strings with C escapes.
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "runtime/base/wire.h"
#include "shell/python/values/error.h"
#include "shell/tensorflow/io/message_text.h"

namespace tensh::shell::tf {
namespace {

constexpr int kMaxDepth = 100;

class Parser {
 public:
  Parser(std::string_view text, UnknownFields unknown) : text_(text), unknown_(unknown) {
    SkipSpace();
  }

  // Parses fields up to `end` ('\0' for the end of the text) into a message.
  std::string Message(const MessageSchema* schema, char end, int depth) {
    if (depth > kMaxDepth) Fail("messages nest more than " + std::to_string(kMaxDepth) + " deep");
    WireWriter out;
    while (at_ < text_.size() && text_[at_] != end) {
      const size_t begin = at_;
      const std::string name = Name();
      const MessageField* field = Find(schema, name);
      if (!field && unknown_ == UnknownFields::kRefuse) {
        at_ = begin;  // position of the name, for the error message
        Fail(std::string("Message type \"tensorflow.") + schema->name + "\" has no field named \"" +
             name + "\".");
      }
      if (Take(':')) {
        if (Take('[')) {
          for (bool first = true; !Take(']'); first = false) {
            if (!first) Want(',');
            Value(field, depth, &out);
          }
        } else {
          Value(field, depth, &out);
        }
      } else {
        Nested(field, depth, &out);
      }
      if (!Take(',')) Take(';');
    }
    if (end != '\0')
      Want(end);
    else if (at_ < text_.size())
      Fail("expected the name of a field");
    return out.text();
  }

 private:
  static const MessageField* Find(const MessageSchema* schema, std::string_view name) {
    const size_t i = schema ? schema->Find(name) : 0;
    return schema && i < schema->fields.size() ? &schema->fields[i] : nullptr;
  }

  void Nested(const MessageField* field, int depth, WireWriter* out) {
    const char close = Take('{') ? '}' : '>';
    if (close == '>') Want('<');
    const bool known = field && field->is_message();
    if (field && !known) Fail(std::string(field->name) + " is not a message");
    const std::string inner = Message(known ? field->message : nullptr, close, depth + 1);
    if (known) out->AlwaysBytes(field->number, inner);
  }

  // If `field` is null, the value is skipped.
  void Value(const MessageField* field, int depth, WireWriter* out) {
    const char c = Peek();
    if (c == '{' || c == '<') return Nested(field, depth, out);
    if (c == '"' || c == '\'') {
      const std::string text = String();
      if (field && !field->is_text()) Fail(std::string(field->name) + " is not a string");
      if (field) out->AlwaysBytes(field->number, text);
      return;
    }
    const size_t begin = at_;
    const std::string word = Word();
    if (!field) return;
    at_ = begin;  // position of the value, for error messages
    Scalar(*field, word, out);
    Word();
  }

  void Scalar(const MessageField& field, const std::string& word, WireWriter* out) {
    switch (field.kind) {
      case FieldKind::kBool:
        if (word != "true" && word != "false" && word != "0" && word != "1" && word != "t" &&
            word != "f")
          Fail("'" + word + "' is neither true nor false");
        return out->AlwaysInt(field.number, word == "true" || word == "1" || word == "t");
      case FieldKind::kEnum:
        if (const auto number = EnumNumber(field.values, word))
          return out->AlwaysInt(field.number, *number);
        return out->AlwaysInt(field.number, Integer(word));
      case FieldKind::kInt32:
      case FieldKind::kInt64:
      case FieldKind::kUint32:
      case FieldKind::kUint64:
        return out->AlwaysInt(field.number, Integer(word));
      case FieldKind::kFloat:
        return out->AlwaysFloat(field.number, static_cast<float>(Number(word)));
      case FieldKind::kDouble:
        return out->AlwaysDouble(field.number, Number(word));
      default:
        Fail("'" + word + "' is not what " + field.name + " wants");
    }
  }

  int64_t Integer(const std::string& word) {
    char* end = nullptr;
    errno = 0;
    const int64_t v = word[0] == '-' ? std::strtoll(word.c_str(), &end, 0)
                                     : static_cast<int64_t>(std::strtoull(word.c_str(), &end, 0));
    if (*end != '\0' || errno != 0) Fail("'" + word + "' is not an integer");
    return v;
  }

  double Number(std::string word) {
    if (word.size() > 1 && (word.back() == 'f' || word.back() == 'F') &&
        word.find_first_of("xn") == word.npos)
      word.pop_back();
    char* end = nullptr;
    const double v = std::strtod(word.c_str(), &end);
    if (*end != '\0') Fail("'" + word + "' is not a number");
    return v;
  }

  // Parses one string or several adjacent ones.
  std::string String() {
    std::string out;
    while (Peek() == '"' || Peek() == '\'') {
      const char quote = text_[at_++];
      for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
        if (text_[at_] == '\n') Fail("a string that does not end on its line");
        if (text_[at_] == '\\')
          Escape(&out);
        else
          out += text_[at_];
      }
      if (at_ >= text_.size()) Fail("a string without its closing quote");
      ++at_;
      SkipSpace();
    }
    return out;
  }

  // at_ is at the backslash; afterwards, it is at the last character of the escape.
  void Escape(std::string* out) {
    static constexpr std::string_view kNames = "abfnrtv\\'\"?", kMeans = "\a\b\f\n\r\t\v\\'\"?";
    if (++at_ >= text_.size()) Fail("a string without its closing quote");
    const char c = text_[at_];
    if (const size_t known = kNames.find(c); known != kNames.npos) {
      *out += kMeans[known];
      return;
    }
    const bool hex = c == 'x' || c == 'X';
    const int base = hex ? 16 : 8;
    if (hex) ++at_;
    int code = 0, digits = 0;
    for (; at_ < text_.size() && digits < (hex ? 2 : 3); ++at_, ++digits) {
      const int digit = DigitOf(text_[at_]);
      if (digit < 0 || digit >= base) break;
      code = code * base + digit;
    }
    if (digits == 0) Fail(std::string("unknown escape \\") + c);
    --at_;
    *out += static_cast<char>(code);
  }
  static int DigitOf(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }

  static bool IsNameChar(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  std::string Name() {
    const size_t begin = at_;
    if (Peek() == '[') {  // the type of a message of any type, or an extension
      at_ = std::min(text_.find(']', at_), text_.size() - 1) + 1;
      SkipSpace();
      return "[]";
    }
    while (at_ < text_.size() && (IsNameChar(text_[at_]) || text_[at_] == '.')) ++at_;
    if (at_ == begin) Fail("expected the name of a field");
    const std::string name(text_.substr(begin, at_ - begin));
    SkipSpace();
    return name;
  }
  // Parses a number or a name.
  std::string Word() {
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (IsNameChar(text_[at_]) || text_[at_] == '.' || text_[at_] == '-' || text_[at_] == '+'))
      ++at_;
    if (at_ == begin) Fail("expected a value");
    const std::string word(text_.substr(begin, at_ - begin));
    SkipSpace();
    return word;
  }

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (Peek() != c || at_ >= text_.size()) return false;
    ++at_;
    SkipSpace();
    return true;
  }
  void Want(char c) {
    if (!Take(c)) Fail(std::string("'") + c + "' is wanted");
  }
  void SkipSpace() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '#')
        at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      else if (!std::strchr(" \t\r\n\f\v", text_[at_]) || text_[at_] == '\0')
        return;
    }
  }

  [[noreturn]] void Fail(const std::string& what) const {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i) {
      ++column;
      if (text_[i] == '\n') ++line, column = 1;
    }
    throw ValueError(std::to_string(line) + ":" + std::to_string(column) + " : " + what);
  }

  std::string_view text_;
  UnknownFields unknown_;
  size_t at_ = 0;
};

}  // namespace

std::string ParseMessageText(const MessageSchema& schema, std::string_view text,
                             UnknownFields unknown) {
  return Parser(text, unknown).Message(&schema, '\0', 0);
}

}  // namespace tensh::shell::tf
