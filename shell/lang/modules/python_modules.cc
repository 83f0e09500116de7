// Modules of the standard library that are Python files of shell/lang/python.
#include "shell/lang/builtins.h"
#include "shell/lang/interp.h"
#include "shell/lang/library.h"
#include "shell/lang/modules/modules.h"
#include "shell/values/containers.h"

namespace tensh::shell {
namespace {

#define TENSH_PYTHON_MODULES(X)                                                                  \
  X(abc)                                                                                         \
  X(argparse)                                                                                    \
  X(base64)                                                                                      \
  X(binascii)                                                                                    \
  X(bisect) X(codecs) X(contextlib) X(copy) X(csv) X(datetime) X(decimal) X(enum) X(fnmatch)     \
      X(fractions) X(gc) X(getpass) X(glob) X(gzip) X(hashlib) X(heapq) X(importlib) X(inspect)  \
          X(io) X(json) X(keyword) X(logging) X(numbers) X(operator) X(pickle) X(platform)       \
              X(pprint) X(queue) X(re) X(shutil) X(six) X(statistics) X(struct) X(tempfile)      \
                  X(textwrap) X(threading) X(timeit) X(traceback) X(types) X(typing) X(unittest) \
                      X(warnings) X(zlib)

// File and module, where the module is in a package.
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

// What scripts import now and then and what cannot be here, with what to do instead.
constexpr struct {
  const char* name;
  const char* why;
} kRefused[] = {
    {"subprocess", "tensh starts no other programs: run them beside it"},
    {"multiprocessing", "tensh is one process: threading and concurrent.futures are here"},
    {"socket",
     "tensh opens no connections of a script's own: tf.train.Server and connect are here"},
    {"urllib", "tensh loads nothing from the network: put the file beside the script"},
    {"requests", "tensh loads nothing from the network: put the file beside the script"},
    {"scipy", "scipy is not part of tensh: np.linalg, np.fft and tf.linalg may have it"},
    {"pandas", "pandas is not part of tensh: np.genfromtxt, np.loadtxt and csv read tables"},
    {"sklearn", "sklearn is not part of tensh: np.random makes data, tf.metrics measures"},
    {"PIL", "PIL is not part of tensh: tf.image reads and writes PNG and JPEG"},
    {"cv2", "cv2 is not part of tensh: tf.image reads and writes PNG and JPEG"},
    {"keras", "keras is not part of tensh: tf.layers and tf.losses are here"},
    {"gym", "gym is not part of tensh: write the environment as a class"},
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
  interp->AddModule("_thread", kThreadModule);
  interp->AddModule("builtins", kBuiltinsModule);
  interp->AddModule("cPickle", kDef_pickle);  // its name in Python 2
  for (const auto& [name, why] : kRefused) interp->RefuseModule(name, why);
}

}  // namespace tensh::shell
