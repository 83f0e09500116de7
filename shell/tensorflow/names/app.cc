// tf.app.run, which starts a script.
#include "shell/python/values/error.h"
#include "shell/python/values/foreign.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

// Implements tf.app.run: calls main(argv), then ends the program.
Value AppRun(Args& a) {
  Value main = a[0];
  if (main.is_none()) main = Interp::Current().GetGlobal("main");
  if (main.is_null() && foreign_hooks.type != nullptr) {  // a program of CPython calls this
    ForeignAdvice ignored;
    const Value module = foreign_hooks.import("__main__", &ignored);
    if (!module.is_null()) main = FindAttr(module, Intern("main"));
  }
  if (main.is_null()) throw NameError("name 'main' is not defined");
  const Value argv = a[1].is_none() ? GetAttr(Interp::Current().Import("sys"), "argv") : a[1];
  const Value left = Call(FromLibrary("flags", Intern("_leftover")), {argv});
  const Value code = Call(main, {left});
  throw PyError(Call(TypeValue(kSystemExit), {code}));
}
const FunctionRow kAppRows[] = {
    {"run", "main=None, argv=None", AppRun, "Calls main(argv) and exits."}};

}  // namespace

std::span<const FunctionRow> AppRows() { return kAppRows; }

}  // namespace tensh::shell::tf
