// Tokens of the language.
#pragma once

#include <cstdint>

#include "shell/lang/source.h"

namespace tensh::shell {

enum class Tok : uint8_t {
  kEnd, kNewline, kIndent, kDedent, kName, kInt, kFloat, kImaginary, kString,
  // Operators, longest first where one begins another.
  kLParen, kRParen, kLBracket, kRBracket, kLBrace, kRBrace, kComma, kColon, kWalrus, kSemicolon, kDot, kEllipsis,
  kArrow, kAssign, kPlus, kMinus, kStar, kSlash, kDoubleSlash, kPercent, kDoubleStar, kAt, kLShift, kRShift,
  kAmper, kPipe, kCaret, kTilde, kLess, kGreater, kLessEqual, kGreaterEqual, kEqual, kNotEqual,
  kPlusAssign, kMinusAssign, kStarAssign, kAtAssign, kSlashAssign, kPercentAssign, kPowAssign, kLShiftAssign,
  kRShiftAssign, kAmperAssign, kCaretAssign, kPipeAssign, kDoubleSlashAssign,
  // Keywords, in the order of kKeywords (lexer.cc).
  kFalse, kNone, kTrue, kAnd, kAs, kAssert, kAsync, kAwait, kBreak, kClass, kContinue, kDef, kDel, kElif, kElse,
  kExcept, kFinally, kFor, kFrom, kGlobal, kIf, kImport, kIn, kIs, kLambda, kNonlocal, kNot, kOr, kPass, kRaise,
  kReturn, kTry, kWhile, kWith, kYield,
};

struct Token {
  Tok kind = Tok::kEnd;
  Span span;
};

}  // namespace tensh::shell
