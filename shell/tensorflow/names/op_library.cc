// tf.load_op_library: ops with kernels of one's own, from a shared library.
#include "runtime/base/text.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/exchange/records.h"
#include "shell/tensorflow/graph/rows.h"
#include "tensh/tensh_op.h"

namespace tensh::shell::tf {
namespace {

// "SoftThreshold" is soft_threshold and "ParseURL" is parse_url, as in TensorFlow.
std::string PythonName(std::string_view op) {
  std::string name;
  for (size_t i = 0; i < op.size(); ++i) {
    const bool after_lower = i > 0 && IsAsciiLower(op[i - 1]);
    const bool before_lower = i > 0 && i + 1 < op.size() && IsAsciiLower(op[i + 1]);
    if (IsAsciiUpper(op[i]) && (after_lower || before_lower)) name += '_';
    name += AsciiLower(op[i]);
  }
  return name;
}

// library_filename
Value LoadOpLibrary(Args& a) {
  const std::string path = ToText(a[0], "library_filename");
  if (FilesConfined())
    throw MakeError(kPermissionError,
                    "a library of ops is native code, which --sandbox does not run")
        .Hint("start tensh without --sandbox to load '" + path + "'");
  Status status;
  char* names = nullptr;
  tsh_load_library(path.c_str(), &names, status);
  status.Check();
  const std::string list = TakeText(names);
  Value library = MakeRecord("op_library", {});
  Dict& fields = As<RecordObject>(library)->fields;
  for (size_t begin = 0, end; (end = list.find('\n', begin)) != list.npos; begin = end + 1) {
    const std::string op = list.substr(begin, end - begin);
    fields.Set(PythonName(op), RawOp(op));
  }
  return library;
}

const FunctionRow kRows[] = {
    {"load_op_library", "library_filename", LoadOpLibrary,
     "Loads a library of ops. The result has a function for each."},
};

}  // namespace

std::span<const FunctionRow> OpLibraryRows() { return kRows; }

}  // namespace tensh::shell::tf
