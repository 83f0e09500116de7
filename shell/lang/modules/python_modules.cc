// Modules of the standard library that are Python files of shell/lang/python.
#include "shell/lang/interp.h"
#include "shell/lang/library.h"
#include "shell/lang/modules/modules.h"
#include "shell/values/containers.h"

namespace tensh::shell {
namespace {

#define TENSH_PYTHON_MODULES(X)                                                                   \
  X(abc)                                                                                          \
  X(argparse) X(bisect) X(contextlib) X(copy) X(csv) X(datetime) X(fnmatch) X(glob) X(gzip)       \
      X(heapq) X(inspect) X(io) X(json) X(logging) X(operator) X(pprint) X(queue) X(re) X(shutil) \
          X(six) X(tempfile) X(threading) X(typing) X(warnings) X(zlib)

// File and module, where the module is in a package.
#define TENSH_PACKAGED_MODULES(X)               \
  X(concurrent_futures, "concurrent.futures")   \
  X(six_moves, "six.moves")                     \
  X(text_format, "google.protobuf.text_format") \
  X(wire_format, "google.protobuf.internal.wire_format")

#define X2(file, module)                            \
  Value Missing_##file(StrObject* name) {           \
    static constexpr const char* files[] = {#file}; \
    return FromLibraries(module, files, name);      \
  }                                                 \
  const ModuleDef kDef_##file = {.name = module, .missing = Missing_##file};
#define X(module) X2(module, #module)
TENSH_PYTHON_MODULES(X)
TENSH_PACKAGED_MODULES(X2)
#undef X
#undef X2

const ConstantRow kInternalRows[] = {{"wire_format", [] { return ModuleValue(kDef_wire_format); }}};
const ModuleDef kInternalModule = {.name = "google.protobuf.internal", .constants = kInternalRows};
const ConstantRow kProtobufRows[] = {{"internal", [] { return ModuleValue(kInternalModule); }},
                                     {"text_format", [] { return ModuleValue(kDef_text_format); }}};
const ModuleDef kProtobufModule = {.name = "google.protobuf", .constants = kProtobufRows};
const ConstantRow kGoogleRows[] = {{"protobuf", [] { return ModuleValue(kProtobufModule); }}};
const ModuleDef kGoogleModule = {.name = "google", .constants = kGoogleRows};

const ConstantRow kConcurrentRows[] = {
    {"futures", [] { return ModuleValue(kDef_concurrent_futures); }}};
const ModuleDef kConcurrentModule = {.name = "concurrent", .constants = kConcurrentRows};

}  // namespace

void AddPythonModules(Interp* interp) {
#define X2(file, module) interp->AddModule(module, kDef_##file);
#define X(module) X2(module, #module)
  TENSH_PYTHON_MODULES(X)
  TENSH_PACKAGED_MODULES(X2)
#undef X
#undef X2
  for (const ModuleDef* package :
       {&kGoogleModule, &kProtobufModule, &kInternalModule, &kConcurrentModule})
    interp->AddModule(package->name, *package);
  interp->AddModule("_thread", kThreadModule);
}

}  // namespace tensh::shell
