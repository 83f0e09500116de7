#include "shell/python/vm/namespaces.h"

#include "shell/python/compile/code.h"
#include "shell/python/compile/globals.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/type.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/local_module.h"
#include "shell/python/vm/vm.h"

namespace tensh::shell {
namespace {

class NamespaceObject : public DictObject {
 public:
  static const TypeInfo kType;
  explicit NamespaceObject(uint16_t number) : DictObject(kType), number(number) {}
  const uint16_t number;
};

void SetName(const Value& self, const Value& key, const Value& value) {
  Dict& names = As<DictObject>(self)->dict;
  if (value.is_null())
    names.Erase(key);
  else
    names.Set(key, value);
  Globals& globals = Interp::Current().globals();
  const uint16_t number = static_cast<NamespaceObject*>(self.object())->number;
  if (IsStr(key)) globals.at(globals.IndexOf(Intern(StrView(key)), number)) = value;
}

TypeInfo MakeType() {
  TypeInfo type;
  type.name = "dict";
  type.base = &DictObject::kType;
  type.setitem = SetName;
  return type;
}
const TypeInfo NamespaceObject::kType = MakeType();

}  // namespace

Value NamespaceOf(uint16_t module) {
  auto made = New<NamespaceObject>(module);
  Globals& globals = Interp::Current().globals();
  for (uint32_t i = 0; i < globals.size(); ++i) {
    if (globals.library(i) == module && !globals.at(i).is_null())
      made->dict.Set(Value(globals.name(i)), globals.at(i));
  }
  return Value(made);
}

int32_t ModuleOfNamespace(const Value& dict) {
  const auto* names = As<NamespaceObject>(dict);
  return names == nullptr ? -1 : names->number;
}

Value GlobalsOfCaller() {
  const Frame* frame = Interp::Current().vm().frame();
  // The libraries of tensh ask for the names of the program.
  const bool program = frame == nullptr || IsLibrary(*frame->code->source);
  return NamespaceOf(program ? uint16_t{0} : frame->code->source->library());
}

Value LocalsOf(const Frame& frame) {
  Value out = MakeDict();
  Dict& names = As<DictObject>(out)->dict;
  const Code& code = *frame.code;
  for (size_t i = 0; i < code.local_names.size(); ++i)
    if (!frame.locals[i].is_null()) names.Set(Value(code.local_names[i]), frame.locals[i]);
  for (size_t i = 0; i < code.cell_names.size(); ++i) {
    const auto* cell = As<CellObject>(frame.cells[i]);
    if (cell != nullptr && !cell->value.is_null())
      names.Set(Value(code.cell_names[i]), cell->value);
  }
  return out;
}

Value LocalsOfCaller() {
  const Frame* frame = Interp::Current().vm().frame();
  if (frame != nullptr && !frame->names.is_null()) return frame->names;
  if (frame == nullptr || frame->code->name == "<module>") return GlobalsOfCaller();
  return LocalsOf(*frame);
}

}  // namespace tensh::shell
