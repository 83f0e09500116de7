// A `with` block of the TensorFlow layer: what to do on entering and on leaving, as functions. Both
// run at most once a block; leaving also happens when the block failed.
#pragma once

#include <functional>

#include "shell/values/type.h"
#include "shell/values/value.h"

namespace tensh::shell::tf {

class ContextObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  ContextObject(std::function<Value()> on_enter, std::function<void()> on_exit)
      : TrackedObject(kType), on_enter(std::move(on_enter)), on_exit(std::move(on_exit)) {}
  void DropRefs() override { on_enter = nullptr, on_exit = nullptr; }
  std::function<Value()> on_enter;  // gives the value of `as`
  std::function<void()> on_exit;
};

}  // namespace tensh::shell::tf
