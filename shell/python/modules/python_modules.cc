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
  X(abc) X(argparse) X(base64) X(binascii) X(bisect) X(codecs) X(configparser) X(contextlib)       \
  X(copy) X(csv) X(datetime) X(decimal) X(enum) X(fnmatch) X(fractions) X(gc) X(getpass) X(glob)   \
  X(gzip) X(hashlib) X(heapq) X(importlib) X(inspect) X(io) X(json) X(keyword) X(logging)          \
  X(multiprocessing) X(numbers) X(operator) X(pathlib) X(pickle) X(platform) X(pprint) X(queue) X(re)         \
  X(shutil) X(six) X(statistics) X(struct) X(tarfile) X(tempfile) X(textwrap)            \
  X(threading) X(timeit) X(tqdm) X(traceback) X(types) X(typing) X(unittest) X(urllib) X(uuid)     \
  X(warnings) X(zipfile) X(zlib)
// clang-format on

// Files whose module is part of a package: the file and the module's full name.
#define TENSH_PACKAGED_MODULES(X)                \
  X(collections_abc, "collections.abc")          \
  X(concurrent_futures, "concurrent.futures")    \
  X(decimal_context, "_decimal_context")         \
  X(errno_codes, "errno")                        \
  X(numpy_rows, "_numpy_rows")                   \
  X(pickle_program, "_pickle_program")           \
  X(pil_image, "PIL.Image")                      \
  X(urllib_error, "urllib.error")                \
  X(urllib_parse, "urllib.parse")                \
  X(urllib_request, "urllib.request")            \
  X(signal_handlers, "signal")                   \
  X(six_moves, "six.moves")                      \
  X(protobuf_message, "google.protobuf.message") \
  X(json_format, "google.protobuf.json_format")  \
  X(text_format, "google.protobuf.text_format")  \
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

const ConstantRow kUrllibRows[] = {{"error", [] { return ModuleValue(kDef_urllib_error); }},
                                   {"parse", [] { return ModuleValue(kDef_urllib_parse); }},
                                   {"request", [] { return ModuleValue(kDef_urllib_request); }}};
const ModuleDef kUrllibModule = {
    .name = "urllib", .constants = kUrllibRows, .missing = Missing_urllib};

const ConstantRow kInternalRows[] = {{"wire_format", [] { return ModuleValue(kDef_wire_format); }}};
const ModuleDef kInternalModule = {.name = "google.protobuf.internal", .constants = kInternalRows};
const ConstantRow kProtobufRows[] = {{"internal", [] { return ModuleValue(kInternalModule); }},
                                     {"json_format", [] { return ModuleValue(kDef_json_format); }},
                                     {"message", [] { return ModuleValue(kDef_protobuf_message); }},
                                     {"text_format", [] { return ModuleValue(kDef_text_format); }}};
const ModuleDef kProtobufModule = {.name = "google.protobuf", .constants = kProtobufRows};
const ConstantRow kGoogleRows[] = {{"protobuf", [] { return ModuleValue(kProtobufModule); }}};
const ModuleDef kGoogleModule = {.name = "google", .constants = kGoogleRows};

const ConstantRow kConcurrentRows[] = {
    {"futures", [] { return ModuleValue(kDef_concurrent_futures); }}};
const ModuleDef kConcurrentModule = {.name = "concurrent", .constants = kConcurrentRows};

const ModuleDef kPilModule = {.name = "PIL"};

// Second names of the modules above: of Python 2, six and the standard library.
constexpr struct {
  const char* name;
  const ModuleDef* def;
} kSecondNames[] = {
    {"_pickle", &kDef_pickle},
    {"cPickle", &kDef_pickle},
    {"multiprocessing.dummy", &kDef_multiprocessing},
    {"multiprocessing.pool", &kDef_multiprocessing},
    {"six.moves.cPickle", &kDef_pickle},
    {"six.moves.queue", &kDef_queue},
    {"six.moves.urllib", &kUrllibModule},
    {"six.moves.urllib.error", &kDef_urllib_error},
    {"six.moves.urllib.parse", &kDef_urllib_parse},
    {"six.moves.urllib.request", &kDef_urllib_request},
    {"tqdm.auto", &kDef_tqdm},
};

Value FromBuiltins(StrObject* name) {
  if (name->view() != kDirName) return StandardBuiltin(name->view());
  std::vector<Value> names;
  for (std::string& known : StandardBuiltinNames()) names.push_back(MakeStr(std::move(known)));
  return MakeList(std::move(names));
}
const ModuleDef kBuiltinsModule = {.name = "builtins", .missing = FromBuiltins};

// Modules that Python 2 has under other names. They exist under the option --python2.
constexpr struct {
  const char* name;
  const ModuleDef* def;
} kNamesOfPython2[] = {
    {"ConfigParser", &kDef_configparser},
    {"Queue", &kDef_queue},
    {"StringIO", &kDef_io},
    {"cStringIO", &kDef_io},
    {"exceptions", &kBuiltinsModule},
    {"__builtin__", &kBuiltinsModule},
    {"md5", &kDef_hashlib},
    {"thread", &kThreadModule},
    {"urllib2", &kDef_urllib_request},
    {"urlparse", &kDef_urllib_parse},
};

// Packages that tensh does not have. An import succeeds if nothing else provides the package and no
// `try` waits for its failure, because many scripts import more than they use. The first use of a
// name fails with this reason (shell/python/library/absent.py).
constexpr char kElsewhere[] =
    "tensh has no such package; remove the use, or run the script with Python";
constexpr char kImages[] =
    "tensh has no such package; PIL.Image and tf.image read, resize and write PNG and JPEG";
constexpr char kNetwork[] = "tensh does not read from the network; put the file next to the script";
constexpr char kMeasures[] =
    "tensh has no such package; generate data with np.random, evaluate with tf.metrics";
constexpr char kGames[] = "tensh has no such package; write the environment as a class";
constexpr struct {
  const char* name;
  const char* why;
} kAbsent[] = {
    {"IPython", kElsewhere},
    {"ConfigParser", "in Python 3: import configparser. Option --python2 runs Python 2"},
    {"PIL.ImageDraw", kImages},
    {"PIL.ImageEnhance", kImages},
    {"PIL.ImageFile", kImages},
    {"PIL.ImageFilter", kImages},
    {"PIL.ImageFont", kImages},
    {"PIL.ImageOps", kImages},
    {"Queue", "in Python 3: import queue. Option --python2 runs Python 2"},
    {"StringIO", "in Python 3: import io. Option --python2 runs Python 2"},
    {"bs4", kElsewhere},
    {"cStringIO", "in Python 3: import io. Option --python2 runs Python 2"},
    {"cv2", kImages},
    {"edward", kElsewhere},
    {"gensim", kElsewhere},
    {"gym", kGames},
    {"imageio", kImages},
    {"jieba", kElsewhere},
    {"joblib", kElsewhere},
    {"librosa", "tensh has no such package; see tf.audio and tf.signal"},
    {"nltk", kElsewhere},
    {"distutils", kElsewhere},
    {"pandas", "pandas is not part of tensh; read tables with np.genfromtxt, np.loadtxt or csv"},
    {"prettytensor", kElsewhere},
    {"pdb", "the verb step goes through a run: tensh -i SCRIPT, then: step FETCH"},
    {"psutil", kElsewhere},
    {"pygame", kGames},
    {"requests", kNetwork},
    {"scipy", "scipy is not part of tensh; see np.linalg, np.fft, PIL.Image and tf.linalg"},
    {"seaborn", "tensh has no such package; see matplotlib.pyplot"},
    {"skimage", kImages},
    {"sklearn", kMeasures},
    {"skvideo", kImages},
    {"socket", "a script cannot open connections; use tf.train.Server or the verb connect"},
    {"sonnet", kElsewhere},
    {"subprocess", "tensh cannot start other programs; run them from your system's shell"},
    {"tensorflow_datasets", kElsewhere},
    {"tensorflow_hub", kElsewhere},
    {"tensorflow_probability", kElsewhere},
    {"tensorlayer", kElsewhere},
    {"tflearn", kElsewhere},
    {"torch", kElsewhere},
    {"torchvision", kElsewhere},
    {"urllib2", "in Python 3: import urllib.request. Option --python2 runs Python 2"},
    {"urlparse", "in Python 3: import urllib.parse. Option --python2 runs Python 2"},
    {"wget", kNetwork},
    {"yaml", kElsewhere},
};

}  // namespace

void AddPythonModules(Interp* interp) {
#define X2(file, module) interp->AddModule(module, kDef_##file);
#define X(module) X2(module, #module)
  TENSH_PYTHON_MODULES(X)
  TENSH_PACKAGED_MODULES(X2)
#undef X
#undef X2
  for (const ModuleDef* package :
       {&kGoogleModule, &kProtobufModule, &kInternalModule, &kConcurrentModule, &kUrllibModule})
    interp->AddModule(package->name, *package);
  interp->AddModule("_library", LibraryModule());
  interp->AddModule("_thread", kThreadModule);
  interp->AddModule("builtins", kBuiltinsModule);
  interp->AddModule("PIL", kPilModule);
  for (const auto& [name, def] : kSecondNames) interp->AddModule(name, *def);
  for (const auto& [name, why] : kAbsent) interp->RefuseModule(name, why);
  for (const auto& [name, def] : kNamesOfPython2) {
    if (!interp->options().python2) break;
    interp->RefuseModule(name, "");
    interp->AddModule(name, *def);
  }
}

}  // namespace tensh::shell
