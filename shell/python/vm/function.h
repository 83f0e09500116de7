// The run-time objects made from code: functions, the cells that their closures share, and
// generators.
//
// All of them are reference counted and tracked by the cycle collector (DropRefs and Visit). They
// are protected by the interpreter's lock (threads.h).
#pragma once

#include <memory>
#include <vector>

#include "shell/python/compile/code.h"
#include "shell/python/values/native.h"
#include "shell/python/values/type.h"

namespace tensh::shell {

struct Frame;

class CellObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  CellObject() : TrackedObject(kType) {}
  void DropRefs() override { value = Value(); }
  void Visit(HeldVisitor& visit) const override { visit(value); }
  Value value;  // Null until the variable is bound.
};

class FunctionObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit FunctionObject(Ref<Code> code);
  void DropRefs() override;
  void Visit(HeldVisitor& visit) const override;
  Dict* attrs() override { return &attrs_; }
  const Signature& signature() const { return own_signature ? *own_signature : code->signature; }

  Ref<Code> code;
  // The signature with default values; null if the code's own is used.
  std::unique_ptr<Signature> own_signature;
  std::vector<Value> closure;  // One cell for each captured name.
  std::string name, qualname;
  Value doc;

 private:
  Dict attrs_;
};

class GeneratorObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit GeneratorObject(Frame* frame);
  ~GeneratorObject() override;
  void DropRefs() override;

  Frame* frame;  // Owned. Null when the generator has finished.
  bool running = false;
  bool started = false;
  Value handled;  // The exception that was being handled when it yielded.
  // The value of its return statement.
  Value returned;
};

}  // namespace tensh::shell
