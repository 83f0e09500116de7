#include "shell/python/vm/python2.h"

#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/python/vm/local_module.h"

namespace tensh::shell {
namespace {

constexpr char kFile[] = "python2";

Value AttributeOfPython2(const Value& v, StrObject* name) {
  if (name->view().starts_with("__")) return Value();
  const Value found = Call(FromLibrary(kFile, Intern("do_attribute")), {v, Value(name)});
  return &TypeOf(found) == &kNotImplementedType ? Value() : found;
}

}  // namespace

void UsePython2(bool on) { missing_attribute = on ? AttributeOfPython2 : nullptr; }

Value Python2Name(StrObject* name, uint16_t library) {
  if (library != 0 && LocalModuleNumbered(library) == nullptr) return Value();
  const std::string_view text = name->view();
  const bool helper = text.starts_with('.');
  return FromLibrary(
      kFile, Intern(helper ? "do_" + std::string(text.substr(1)) : "_" + std::string(text)));
}

EndOfPython2::~EndOfPython2() {
  if (!on_) return;
  try {
    Call(FromLibrary(kFile, Intern("do_end")), CallArgs{});
  } catch (const PyError&) {  // an interrupt, or a full disk, which the next write reports
  }
}

}  // namespace tensh::shell
