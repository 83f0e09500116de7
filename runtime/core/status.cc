#include "runtime/core/status.h"

#include <cstdio>
#include <cstdlib>

namespace tensh {

Status::Status(Code code, std::string message, std::string hint)
    : rep_(code == Code::kOk
               ? nullptr
               : new Rep{code, Reason::kNone, std::move(message), std::move(hint), {}}) {}

Status::Rep* Status::Copy(const Rep* rep) { return new Rep(*rep); }

void Status::Free(Rep* rep) { delete rep; }

Status MakeError(Code code, std::initializer_list<TextPiece> pieces) {
  return Status(code, ConcatPieces(pieces));
}

Status Status::WithHint(std::string hint) && {
  if (rep_) rep_->hint = std::move(hint);
  return std::move(*this);
}

Status Status::WithReason(Reason reason) && {
  if (rep_) rep_->reason = reason;
  return std::move(*this);
}

Status Status::WithNode(std::string_view node) && {
  if (rep_ && rep_->node.empty()) rep_->node = node;
  return std::move(*this);
}

void CheckFailed(const char* condition, const char* file, int line, const std::string& message) {
  std::fprintf(stderr, "tensh: internal error: %s at %s:%d %s\n", condition, file, line,
               message.c_str());
  std::abort();
}

}  // namespace tensh
