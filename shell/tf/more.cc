#include "shell/tf/more.h"

#include <filesystem>

#include "shell/lang/interp.h"
#include "shell/tf/graph_def.h"
#include "shell/tf/variable.h"

namespace tensh::shell::tf {
namespace {

Value Resources(Args& a) {
  ResourceByDefault() = a.row().data != nullptr;
  return Value::None();
}

const FunctionRow kSwitches[] = {
    {"enable_resource_variables", "", Resources, "tf.Variable makes resource variables from now on.",
     "on"},
    {"disable_resource_variables", "", Resources, "tf.Variable makes reference variables."},
};

using Rows = std::span<const FunctionRow>;
constexpr Rows (*kTables[])() = {GraphDefRows, FileRows, [] { return Rows(kSwitches); }};

}  // namespace

Value FindMore(std::string_view name) {
  for (Rows (*table)() : kTables) {
    for (const FunctionRow& row : table()) {
      if (name == row.name) return New<NativeFunction>(row, nullptr);
    }
  }
  return Value();
}

void AddMoreNames(std::vector<std::string>* names) {
  for (Rows (*table)() : kTables) {
    for (const FunctionRow& row : table()) names->push_back(row.name);
  }
}

void LimitFilesOfOps() {
  namespace fs = std::filesystem;
  const Interp& interp = Interp::Current();
  static bool limited = false;
  if (interp.options().allow_files || limited) return;
  limited = true;
  std::error_code error;
  tsh_files_limit(fs::current_path(error).c_str(), 1);
  const auto& argv = interp.options().argv;
  if (argv.empty() || !fs::is_regular_file(argv[0], error)) return;
  // As np.load: what lies beside the script may be read.
  tsh_files_limit(fs::canonical(argv[0], error).parent_path().c_str(), 0);
}

}  // namespace tensh::shell::tf
