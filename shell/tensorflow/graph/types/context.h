// A `with` block of the TensorFlow layer, defined by two functions for entering and leaving. Each
// runs at most once per block. Leaving also runs if the block failed.
#pragma once

#include <functional>

#include "shell/python/values/type.h"
#include "shell/python/values/value.h"

namespace tensh::shell::tf {

class ContextObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  ContextObject(std::function<Value()> on_enter, std::function<void()> on_exit)
      : TrackedObject(kType), on_enter(std::move(on_enter)), on_exit(std::move(on_exit)) {}
  void DropRefs() override { on_enter = nullptr, on_exit = nullptr; }
  std::function<Value()> on_enter;  // returns the value of `as`
  std::function<void()> on_exit;
};

}  // namespace tensh::shell::tf
