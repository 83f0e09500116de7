// The tokens of the language.
#pragma once

#include <cstdint>

#include "shell/python/syntax/source.h"

namespace tensh::shell {

enum class Tok : uint8_t {
  kEnd,
  kNewline,
  kIndent,
  kDedent,
  kName,
  kInt,
  kFloat,
  kImaginary,
  kString,
  // Operators; if one is a prefix of another, the lexer takes the longest.
  kLParen,
  kRParen,
  kLBracket,
  kRBracket,
  kLBrace,
  kRBrace,
  kComma,
  kColon,
  kWalrus,
  kSemicolon,
  kDot,
  kQuestion,  // only at the beginning of a statement, for help
  kBacktick,  // Python 2 only
  kEllipsis,
  kArrow,
  kAssign,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kDoubleSlash,
  kPercent,
  kDoubleStar,
  kAt,
  kLShift,
  kRShift,
  kAmper,
  kPipe,
  kCaret,
  kTilde,
  kLess,
  kGreater,
  kLessEqual,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kPlusAssign,
  kMinusAssign,
  kStarAssign,
  kAtAssign,
  kSlashAssign,
  kPercentAssign,
  kPowAssign,
  kLShiftAssign,
  kRShiftAssign,
  kAmperAssign,
  kCaretAssign,
  kPipeAssign,
  kDoubleSlashAssign,
  // Keywords, in the order of kKeywords (lexer.cc).
  kFalse,
  kNone,
  kTrue,
  kAnd,
  kAs,
  kAssert,
  kAsync,
  kAwait,
  kBreak,
  kClass,
  kContinue,
  kDef,
  kDel,
  kElif,
  kElse,
  kExcept,
  kFinally,
  kFor,
  kFrom,
  kGlobal,
  kIf,
  kImport,
  kIn,
  kIs,
  kLambda,
  kNonlocal,
  kNot,
  kOr,
  kPass,
  kRaise,
  kReturn,
  kTry,
  kWhile,
  kWith,
  kYield,
};

struct Token {
  Tok kind = Tok::kEnd;
  Span span;
};

}  // namespace tensh::shell
