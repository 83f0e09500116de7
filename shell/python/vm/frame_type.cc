// The type of frame objects (sys._getframe). A frame object is a copy of a call's state at the time
// when it was requested.
#include "shell/python/compile/code.h"
#include "shell/python/values/error.h"
#include "shell/python/values/type.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/local_module.h"
#include "shell/python/vm/namespaces.h"
#include "shell/python/vm/vm.h"

namespace tensh::shell {
namespace {

class FrameObject final : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit FrameObject(const Frame& frame)
      : TrackedObject(kType),
        code(frame.code),
        line(frame.code->source->Locate(frame.code->spans[frame.pc]).line),
        locals(frame.code->name == "<module>" ? Value() : LocalsOf(frame)) {}
  void DropRefs() override { locals = back = Value(); }

  const Ref<Code> code;
  const int64_t line;
  Value locals;  // Null for the code of a module, whose locals are its globals.
  Value back = Value::None();
};

const FrameObject& Self(const Value& v) { return *static_cast<FrameObject*>(v.object()); }

Value GlobalsOf(const Value& v) { return NamespaceOf(Self(v).code->source->library()); }
Value Locals(const Value& v) { return Self(v).locals.is_null() ? GlobalsOf(v) : Self(v).locals; }

const PropertyRow kProperties[] = {
    {"f_back", [](const Value& v) { return Self(v).back; }},
    {"f_code", [](const Value& v) { return Value(Self(v).code); }},
    {"f_globals", GlobalsOf},
    {"f_lineno", [](const Value& v) { return Value::Int(Self(v).line); }},
    {"f_locals", Locals},
};

std::string FrameRepr(const Value& v) {
  return "<frame, file '" + Self(v).code->source->file() + "', line " +
         std::to_string(Self(v).line) + ", code " + Self(v).code->name + ">";
}

}  // namespace

const TypeInfo FrameObject::kType = {.name = "frame", .properties = kProperties, .repr = FrameRepr};

Value FrameOfCaller(int64_t depth) {
  Value top;
  FrameObject* inner = nullptr;
  for (const Frame* f = Interp::Current().vm().frame(); f != nullptr; f = f->back) {
    if (IsLibrary(*f->code->source) || depth-- > 0) continue;
    auto made = New<FrameObject>(*f);
    if (inner)
      inner->back = Value(made);
    else
      top = Value(made);
    inner = made.get();
  }
  if (top.is_null()) throw ValueError("call stack is not deep enough");
  return top;
}

}  // namespace tensh::shell
