// Modules of the standard library that are Python files of shell/lang/python.
#include "shell/lang/interp.h"
#include "shell/lang/library.h"
#include "shell/lang/modules/modules.h"
#include "shell/values/containers.h"

namespace tensh::shell {
namespace {

#define TENSH_PYTHON_MODULES(X) \
  X(abc) X(argparse) X(contextlib) X(copy) X(csv) X(datetime) X(fnmatch) X(glob) X(inspect) X(io) X(json) X(logging) \
  X(operator) X(pprint) X(re) X(shutil) X(six) X(tempfile) X(typing) X(warnings)

#define X(module)                                                        \
  Value Missing_##module(StrObject* name) {                              \
    static constexpr const char* files[] = {#module};                    \
    return FromLibraries(#module, files, name);                          \
  }                                                                      \
  const ModuleDef kDef_##module = {.name = #module, .missing = Missing_##module};
TENSH_PYTHON_MODULES(X)
#undef X

Value MissingFromSixMoves(StrObject* name) {
  static constexpr const char* files[] = {"six_moves"};
  return FromLibraries("six.moves", files, name);
}
const ModuleDef kSixMovesModule = {.name = "six.moves", .missing = MissingFromSixMoves};

Value MissingFromTextFormat(StrObject* name) {
  static constexpr const char* files[] = {"text_format"};
  return FromLibraries("google.protobuf.text_format", files, name);
}
const ModuleDef kTextFormatModule = {.name = "google.protobuf.text_format", .missing = MissingFromTextFormat};
const ConstantRow kProtobufRows[] = {{"text_format", [] { return ModuleValue(kTextFormatModule); }}};
const ModuleDef kProtobufModule = {.name = "google.protobuf", .constants = kProtobufRows};
const ConstantRow kGoogleRows[] = {{"protobuf", [] { return ModuleValue(kProtobufModule); }}};
const ModuleDef kGoogleModule = {.name = "google", .constants = kGoogleRows};

}  // namespace

void AddPythonModules(Interp* interp) {
#define X(module) interp->AddModule(#module, kDef_##module);
  TENSH_PYTHON_MODULES(X)
#undef X
  interp->AddModule("six.moves", kSixMovesModule);
  interp->AddModule("google", kGoogleModule);
  interp->AddModule("google.protobuf", kProtobufModule);
  interp->AddModule("google.protobuf.text_format", kTextFormatModule);
}

}  // namespace tensh::shell
