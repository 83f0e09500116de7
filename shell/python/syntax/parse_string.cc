// Parses string literals: escapes, adjacent literals and f-strings.
#include <cstring>

#include "shell/python/syntax/parser.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"

namespace tensh::shell {
namespace {

int HexDigit(char c) {
  return c >= '0' && c <= '9'                 ? c - '0'
         : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                              : -1;
}

}  // namespace

// Reads the body of one literal, including escapes and fields.
class FString {
 public:
  struct Prefix {
    bool raw = false, bytes = false, formatted = false, unicode = false;
  };
  FString(Parser* parser, Span body, const Prefix& prefix)
      : p_(*parser),
        text_(parser->lexer_.source().text()),
        body_(body),
        raw_(prefix.raw),
        bytes_(prefix.bytes),
        code_points_(!prefix.bytes && (prefix.unicode || !parser->python2_)),
        formatted_(prefix.formatted) {}

  // Appends the pieces of the literal: constants and fields.
  void Parse(std::vector<Node*>* pieces, std::string* plain) {
    at_ = body_.begin;
    ParsePart(body_.end, 0, pieces, plain);
  }

 private:
  // If depth > 0, parses a format spec, which ends at an unnested '}'.
  void ParsePart(uint32_t end, int depth, std::vector<Node*>* pieces, std::string* plain) {
    std::string literal;
    uint32_t begin = at_;
    auto flush = [&] {
      if (literal.empty()) return;
      Node* node = p_.ast_->Make(Kind::kConstant, {begin, at_});
      node->constant = p_.ast_->Constant(MakeStr(std::move(literal)));
      pieces->push_back(node);
      literal.clear();
    };
    while (at_ < end) {
      const char c = text_[at_];
      if (formatted_ && c == '{') {
        if (depth == 0 && at_ + 1 < end && text_[at_ + 1] == '{') {
          literal += '{';
          at_ += 2;
          continue;
        }
        flush();
        Field(end, depth, pieces);
        begin = at_;
      } else if (formatted_ && c == '}') {
        if (depth > 0) break;
        if (at_ + 1 >= end || text_[at_ + 1] != '}')
          p_.Fail({at_, at_ + 1}, "f-string: single '}' is not allowed");
        literal += '}';
        at_ += 2;
      } else if (c == '\\' && !raw_) {
        Escape(end, &literal);
      } else if (c == '\r' && at_ + 1 < end && text_[at_ + 1] == '\n') {
        ++at_;
      } else {
        if (bytes_ && static_cast<unsigned char>(c) >= 128) {
          p_.Fail({at_, at_ + 1}, "bytes can only contain ASCII literal characters");
        }
        literal += c;
        ++at_;
      }
    }
    if (formatted_) {
      flush();
    } else {
      *plain += literal;
    }
  }

  uint32_t Hex(uint32_t end, int digits, const char* what) {
    uint32_t value = 0;
    const uint32_t begin = at_;
    for (int i = 0; i < digits; ++i, ++at_) {
      const int d = at_ < end ? HexDigit(text_[at_]) : -1;
      if (d < 0) {
        if (bytes_)
          p_.Fail({begin - 2, at_}, "(value error) invalid \\x escape at position " +
                                        std::to_string(begin - 2 - body_.begin));
        p_.Fail({begin - 2, at_},
                "(unicode error) 'unicodeescape' codec can't decode bytes in position " +
                    std::to_string(begin - 2 - body_.begin) + "-" +
                    std::to_string(at_ - 1 - body_.begin) + ": truncated " + what + " escape");
      }
      value = value * 16 + static_cast<uint32_t>(d);
    }
    return value;
  }

  void Escape(uint32_t end, std::string* out) {
    const char c = at_ + 1 < end ? text_[at_ + 1] : '\\';
    at_ += 2;
    static constexpr std::string_view kFrom = "\\'\"abfnrtv", kTo = "\\'\"\a\b\f\n\r\t\v";
    if (size_t i = kFrom.find(c); i != kFrom.npos) {
      *out += kTo[i];
    } else if (c == '\n') {
      // A backslash at the end of a line joins it with the next one.
    } else if (c == '\r') {
      if (at_ < end && text_[at_] == '\n') ++at_;
    } else if (c >= '0' && c <= '7') {
      uint32_t v = static_cast<uint32_t>(c - '0');
      for (int i = 0; i < 2 && at_ < end && text_[at_] >= '0' && text_[at_] <= '7'; ++i) {
        v = v * 8 + static_cast<uint32_t>(text_[at_++] - '0');
      }
      Put(v & (bytes_ ? 0xFF : 0x1FF), out);
    } else if (c == 'x') {
      Put(Hex(end, 2, "\\xXX"), out);
    } else if (code_points_ && (c == 'u' || c == 'U')) {
      const uint32_t begin = at_ - 2;
      const uint32_t v = Hex(end, c == 'u' ? 4 : 8, c == 'u' ? "\\uXXXX" : "\\UXXXXXXXX");
      if (v > 0x10FFFF) {
        p_.Fail({begin, at_},
                "(unicode error) 'unicodeescape' codec can't decode bytes in position " +
                    std::to_string(begin - body_.begin) + "-" +
                    std::to_string(at_ - 1 - body_.begin) + ": illegal Unicode character");
      }
      Put(v, out);
    } else if (code_points_ && c == 'N') {
      p_.Fail({at_ - 2, at_}, "\\N{…} names are not supported: write the character, or \\uXXXX");
    } else {
      *out += '\\';
      *out += c;
    }
  }

  void Put(uint32_t v, std::string* out) {
    if (bytes_)
      *out += static_cast<char>(v);
    else
      AppendUtf8(v, out);
  }

  // Parses a field from '{' to the matching '}', and moves past it.
  void Field(uint32_t end, int depth, std::vector<Node*>* pieces) {
    const uint32_t open = at_++;
    if (depth >= 2) p_.Fail({open, open + 1}, "f-string: expressions nested too deeply");
    const uint32_t close = FindEnd(end);
    std::string_view inner = text_.substr(at_, close - at_);
    if (inner.find_first_not_of(" \t\n\r") == inner.npos) {
      p_.Fail({open, close + 1}, "f-string: empty expression not allowed");
    }
    const uint32_t expression_begin = at_;
    uint32_t stop = close;
    bool self_documenting = false;
    {
      // "{x=}" also shows the text of the expression. Its '=' is the last character and not part of
      // an operator such as "==".
      uint32_t last = close;
      while (last > at_ && text_[last - 1] == ' ') --last;
      if (last > at_ + 1 && text_[last - 1] == '=' && !std::strchr("=!<>", text_[last - 2])) {
        self_documenting = true;
        stop = last - 1;
      }
    }
    Parser sub(p_.ast_, p_.options_, {expression_begin, stop}, true);
    sub.depth_ = p_.depth_ + 1;
    sub.function_depth_ = p_.function_depth_;
    Node* value = sub.WholeExpression();
    at_ = close;
    Node* node = p_.ast_->Make(Kind::kFormatted, {open, close});
    node->a = value;
    if (self_documenting) {
      Node* shown = p_.ast_->Make(Kind::kConstant, {expression_begin, close});
      shown->constant =
          p_.ast_->Constant(MakeStr(text_.substr(expression_begin, close - expression_begin)));
      pieces->push_back(shown);
    }
    if (text_[at_] == '!') {
      ++at_;
      const char conversion = at_ < end ? text_[at_++] : 0;
      if (conversion != 'r' && conversion != 's' && conversion != 'a') {
        p_.Fail({open, at_}, "f-string: invalid conversion character: expected 's', 'r', or 'a'");
      }
      node->op = static_cast<uint8_t>(conversion);
    } else if (self_documenting && text_[at_] == '}') {
      node->op = 'r';
    }
    if (at_ < end && text_[at_] == ':') {
      const uint32_t spec_begin = ++at_;
      std::vector<Node*> spec;
      std::string plain;
      ParsePart(end, depth + 1, &spec, &plain);
      Node* joined = p_.ast_->Make(Kind::kJoined, {spec_begin, at_});
      joined->list = p_.ast_->List(spec);
      node->b = joined;
    }
    if (at_ >= end || text_[at_] != '}')
      p_.Fail({open, std::min(at_ + 1, end)}, "f-string: expecting '}'");
    ++at_;
    node->span = {open, at_};
    pieces->push_back(node);
  }

  // Returns the end of the expression in a field: the first '}', ':' or '!' outside brackets and
  // strings.
  uint32_t FindEnd(uint32_t end) {
    const uint32_t open = at_ - 1;
    int nested = 0;
    for (uint32_t i = at_; i < end; ++i) {
      const char c = text_[i];
      if (nested == 0 && EndsExpression(i, end)) return i;
      if (c == '\'' || c == '"') {
        i = EndOfQuoted(i, end) - 1;
      } else if (c == '(' || c == '[' || c == '{') {
        ++nested;
      } else if (c == ')' || c == ']' || c == '}') {
        if (--nested < 0) p_.Fail({i, i + 1}, std::string("f-string: unmatched '") + c + "'");
      } else if (c == '#') {
        p_.Fail({i, i + 1}, "f-string expression part cannot include '#'");
      } else if (c == '\\') {
        p_.Fail({i, i + 1}, "f-string expression part cannot include a backslash");
      }
    }
    p_.Fail({open, end}, "f-string: expecting '}'");
  }

  // Returns true if the character ends an expression. The '!' of "!=" does not.
  bool EndsExpression(uint32_t at, uint32_t end) const {
    const char c = text_[at];
    return c == '}' || c == ':' || (c == '!' && !(at + 1 < end && text_[at + 1] == '='));
  }

  // Returns the end of the quoted string that begins at `begin`.
  uint32_t EndOfQuoted(uint32_t begin, uint32_t end) {
    const std::string_view text = text_.substr(0, end), one = text.substr(begin, 1);
    const std::string three(3, one[0]);
    const std::string_view quotes = text.substr(begin).starts_with(three) ? three : one;
    const size_t close = text.find(quotes, begin + quotes.size());
    if (close == text.npos) p_.Fail({begin, end}, "f-string: unterminated string");
    return static_cast<uint32_t>(close + quotes.size());
  }

  Parser& p_;
  std::string_view text_;
  Span body_;
  bool raw_, bytes_;
  bool code_points_;  // \u and \N are escapes.
  bool formatted_;
  uint32_t at_ = 0;
};

// Joins adjacent literals. If one of them is an f-string, the result is a kJoined node; otherwise a
// constant.
Node* Parser::Strings() {
  const uint32_t begin = token_.span.begin;
  std::vector<Node*> pieces;
  std::string plain;
  bool any_bytes = false, any_text = false, any_formatted = false;
  auto flush = [&](uint32_t at) {
    if (plain.empty()) return;
    Node* node = ast_->Make(Kind::kConstant, {begin, at});
    node->constant = ast_->Constant(MakeStr(std::exchange(plain, "")));
    pieces.push_back(node);
  };
  while (At(Tok::kString)) {
    const Token token = Advance();
    std::string_view text = lexer_.Text(token.span);
    FString::Prefix prefix;
    uint32_t at = 0;
    for (; text[at] != '"' && text[at] != '\''; ++at) {
      const char c = static_cast<char>(text[at] | 32);
      prefix.raw |= c == 'r';
      prefix.bytes |= c == 'b';
      prefix.formatted |= c == 'f';
      prefix.unicode |= c == 'u';
    }
    const bool triple =
        text.size() >= at + 6 && text[at + 1] == text[at] && text[at + 2] == text[at];
    const uint32_t quote = triple ? 3 : 1;
    any_bytes = any_bytes || prefix.bytes;
    any_text = any_text || !prefix.bytes;
    any_formatted = any_formatted || prefix.formatted;
    if (any_bytes && any_text) Fail(From(begin), "cannot mix bytes and nonbytes literals");
    if (prefix.formatted) flush(token.span.begin);
    FString(this, {token.span.begin + at + quote, token.span.end - quote}, prefix)
        .Parse(&pieces, &plain);
  }
  if (any_formatted) {
    flush(last_end_);
    Node* node = Make(Kind::kJoined, begin);
    node->list = ast_->List(pieces);
    return node;
  }
  Node* node = Make(Kind::kConstant, begin);
  node->constant =
      ast_->Constant(any_bytes ? MakeBytes(std::move(plain)) : MakeStr(std::move(plain)));
  return node;
}

}  // namespace tensh::shell
