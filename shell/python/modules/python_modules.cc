// The table of the standard library's modules that are Python files in shell/python/library.
#include "shell/python/modules/modules.h"
#include "shell/python/values/containers.h"
#include "shell/python/vm/builtins.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/library.h"

namespace tensh::shell {
namespace {

// clang-format off
#define TENSH_PYTHON_MODULES(X)                                                                    \
  X(abc) X(argparse) X(base64) X(binascii) X(bisect) X(codecs) X(contextlib) X(copy) X(csv)        \
  X(datetime) X(decimal) X(enum) X(fnmatch) X(fractions) X(gc) X(getpass) X(glob) X(gzip)          \
  X(hashlib) X(heapq) X(importlib) X(inspect) X(io) X(json) X(keyword) X(logging) X(numbers)       \
  X(operator) X(pickle) X(platform) X(pprint) X(queue) X(re) X(shutil) X(six) X(statistics)        \
  X(struct) X(tempfile) X(textwrap) X(threading) X(timeit) X(traceback) X(types) X(typing)         \
  X(unittest) X(warnings) X(zlib)
// clang-format on

// Files whose module is part of a package: the file and the module's full name.
#define TENSH_PACKAGED_MODULES(X)               \
  X(collections_abc, "collections.abc")         \
  X(concurrent_futures, "concurrent.futures")   \
  X(decimal_context, "_decimal_context")        \
  X(numpy_rows, "_numpy_rows")                  \
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

// Modules that scripts import but that tensh cannot provide, each with an alternative.
constexpr struct {
  const char* name;
  const char* why;
} kRefused[] = {
    {"subprocess", "tensh cannot start other programs; run them from your system's shell"},
    {"multiprocessing", "tensh is a single process; use threading or concurrent.futures"},
    {"socket", "a script cannot open connections; use tf.train.Server or the verb connect"},
    {"urllib", "tensh does not read from the network; put the file next to the script"},
    {"requests", "tensh does not read from the network; put the file next to the script"},
    {"scipy", "scipy is not part of tensh; see np.linalg, np.fft and tf.linalg"},
    {"pandas", "pandas is not part of tensh; read tables with np.genfromtxt, np.loadtxt or csv"},
    {"sklearn",
     "sklearn is not part of tensh; generate data with np.random, evaluate with tf.metrics"},
    {"PIL", "PIL is not part of tensh; tf.image reads and writes PNG and JPEG"},
    {"cv2", "cv2 is not part of tensh; tf.image reads and writes PNG and JPEG"},
    {"gym", "gym is not part of tensh; write the environment as a class"},
};

Value FromBuiltins(StrObject* name) {
  if (name->view() != kDirName) return StandardBuiltin(name->view());
  std::vector<Value> names;
  for (std::string& known : StandardBuiltinNames()) names.push_back(MakeStr(std::move(known)));
  return MakeList(std::move(names));
}
const ModuleDef kBuiltinsModule = {.name = "builtins", .missing = FromBuiltins};

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
  interp->AddModule("_library", LibraryModule());
  interp->AddModule("_thread", kThreadModule);
  interp->AddModule("builtins", kBuiltinsModule);
  interp->AddModule("cPickle", kDef_pickle);  // The name that Python 2 uses.
  for (const auto& [name, why] : kRefused) interp->RefuseModule(name, why);
}

}  // namespace tensh::shell
