// What code becomes at run time: functions, the cells their closures share, and generators.
#pragma once

#include <memory>
#include <vector>

#include "shell/lang/code.h"
#include "shell/values/native.h"
#include "shell/values/type.h"

namespace tensh::shell {

struct Frame;

class CellObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  CellObject() : TrackedObject(kType) {}
  void DropRefs() override { value = Value(); }
  void Visit(HeldVisitor& visit) const override { visit(value); }
  Value value;  // Null: not bound yet.
};

class FunctionObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit FunctionObject(Ref<Code> code);
  void DropRefs() override;
  void Visit(HeldVisitor& visit) const override { visit(closure), visit(attrs_); }
  Dict* attrs() override { return &attrs_; }
  const Signature& signature() const { return own_signature ? *own_signature : code->signature; }

  Ref<Code> code;
  std::unique_ptr<Signature> own_signature;  // With defaults; else the code's.
  std::vector<Value> closure;                // Cells.
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

  Frame* frame;  // Owned; null when finished.
  bool running = false;
  bool started = false;
  Value handled;  // The exception being handled inside when it yielded.
  Value returned;
};

}  // namespace tensh::shell
