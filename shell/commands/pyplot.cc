#include "shell/commands/pyplot.h"

#include "shell/values/containers.h"
#include "shell/values/native.h"
#include "shell/values/type.h"

namespace tensh::shell {
namespace {

// A figure, an axis, a line, a method of one: whatever is asked of it gives another.
class PlotObject : public Object {
 public:
  static const TypeInfo kType;
  PlotObject() : Object(kType) {}
};

Value Another() { return New<PlotObject>(); }

void SayOnce() {
  static const Interp* said = nullptr;
  Interp& interp = Interp::Current();
  if (said == &interp) return;
  said = &interp;
  interp.Flush();
  interp.WriteError("matplotlib: plots are not drawn here\n");
}

const TypeInfo MakeType() {
  TypeInfo type;
  type.name = "Plot";
  type.module = "matplotlib";
  type.repr = [](const Value&) { return std::string("<plot that is not drawn>"); };
  type.getattr = [](const Value&, StrObject* name) {
    const bool internal = name->view().substr(0, 2) == "__";
    return internal ? Value() : Another();
  };
  type.setattr = [](const Value&, StrObject*, const Value&) { return true; };
  type.getitem = [](const Value&, const Value&) { return Another(); };
  type.call = [](const Value&, const CallArgs&) {
    SayOnce();
    return Another();
  };
  type.enter = [](const Value& self) { return self; };
  type.exit = [](const Value&, const Value&) { return false; };
  return type;
}

const TypeInfo PlotObject::kType = MakeType();

Value Plot(Args&) {
  SayOnce();
  return MakeList({Another()});
}

Value Subplots(Args&) {
  SayOnce();
  return MakeTuple({Another(), Another()});
}

const FunctionRow kFunctions[] = {
    {"plot", "*args, **kwargs", Plot, "Not drawn."},
    {"subplots", "*args, **kwargs", Subplots, "Not drawn."},
};

Value Missing(StrObject* name) { return name->view().substr(0, 2) == "__" ? Value() : Another(); }

const ModuleDef kPyplot = {.name = "matplotlib.pyplot",
                           .functions = kFunctions,
                           .missing = Missing,
                           .doc = "Accepted, not drawn.",
                           .short_name = "plt"};

Value Pyplot() { return ModuleValue(kPyplot); }

const ConstantRow kSubmodules[] = {{"pyplot", Pyplot}};

const ModuleDef kMatplotlib = {.name = "matplotlib",
                               .constants = kSubmodules,
                               .missing = Missing,
                               .doc = "Accepted, not drawn.",
                               .short_name = "matplotlib"};

}  // namespace

void AddPyplot(Interp& interp) {
  interp.AddModule("matplotlib", kMatplotlib);
  interp.AddModule("matplotlib.pyplot", kPyplot);
}

}  // namespace tensh::shell
