#include "shell/commands/base/tensorboard.h"

#include <unistd.h>

#include <ctime>
#include <filesystem>

#include "runtime/base/wire.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/traces.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/library.h"
#include "shell/session/graphs.h"
#include "shell/tensorflow/graph/exchange/records.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kMostTrace = 32 << 20;  // bytes of JSON that become the page Profile

Value Ask(const char* function, std::initializer_list<Value> args) {
  return Call(FromLibrary("tensorboard", Intern(function)), args);
}

// Returns the report of the step to save, and its run.
Value ReportToSave(Shell& shell, ExplainedRun* run) {
  *run = shell.runs().last();
  if (run->report.empty())
    throw RuntimeError("the last run has no plan in this process that could be saved")
        .Hint("explain analyze X, then trace save FOLDER/");
  const Value report = tf::ValueOf(Json::Parse(run->report));
  if (run->report.find("\"steps\":") != std::string::npos) return report;
  const ExplainedRun& traced = shell.runs().last_traced();
  if (tsh_trace_is_on() == 0 && !traced.report.empty() && tsh_trace_steps() < 2) {
    *run = traced;
    return tf::ValueOf(Json::Parse(run->report));
  }
  // A step that ran while tracing was on has no report of its own, but its times were added up.
  return Ask("with_mean_times",
             {report, tf::ValueOf(Json::Parse(TakeText(tsh_trace_profile_json()))["rows"]),
              Value::Int(static_cast<int64_t>(run->graph))});
}

// Appends a record to an event file: its length, its bytes, and a checksum of each.
void AppendRecord(const std::string& record, std::string* file) {
  std::string length;
  AppendFixed64(length, record.size());
  *file += length;
  AppendFixed32(*file, MaskedCrc32c(length));
  *file += record;
  AppendFixed32(*file, MaskedCrc32c(record));
}

std::string GraphOf(const ExplainedRun& run) {
  for (const GraphHandle& graph : LiveGraphs())
    if (graph.id() == run.graph) return graph.Export();
  return "";
}

void MakeFolder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw MakeError(kOSError, "cannot create " + Visible(folder) + ": " + error.message());
}

}  // namespace

bool NamesFolder(const std::string& path) {
  std::error_code error;
  return path.ends_with('/') || std::filesystem::is_directory(path, error);
}

void SaveForTensorBoard(CommandCall& call, std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  CheckPath(folder);
  ExplainedRun run;
  const Value report = ReportToSave(call.shell(), &run);
  std::string events;
  for (const Value& event :
       ToVector(Ask("events", {report, MakeBytes(GraphOf(run)), MakeStr(run.request)})))
    AppendRecord(As<BytesObject>(event)->data, &events);
  char host[256] = "localhost", day[32];
  ::gethostname(host, sizeof host - 1);
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::strftime(day, sizeof day, "%Y_%m_%d_%H_%M_%S", &local);
  const std::string profile = folder + "/plugins/profile/" + day + "/";
  MakeFolder(profile);
  call.out().WriteFile(folder + "/events.out.tfevents." + std::to_string(now) + "." + host, events);
  const std::string trace = TakeText(tsh_trace_json());
  if (trace.size() < kMostTrace)
    call.out().WriteFile(
        profile + host + ".xplane.pb",
        As<BytesObject>(Ask("timelines", {tf::ValueOf(Json::Parse(trace)), MakeStr(host)}))->data);
  else
    call.out().Note(" The timelines are too long for the page Profile; record fewer steps");
  call.out().Note(" Open it: tensorboard --logdir " + Visible(folder));
}

}  // namespace tensh::shell
