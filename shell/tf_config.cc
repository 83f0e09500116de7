#include "shell/tf_config.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdlib>

#include "shell/text/json.h"

namespace tensh::shell {
namespace {

bool IsObject(const Json& value) { return value.kind() == Json::Kind::kObject; }

// Returns the index of a task, which some schedulers write as a string, or -1.
int IndexOf(const Json& value) {
  if (value.is_null()) return 0;
  if (value.kind() == Json::Kind::kInt && value.as_int() <= INT_MAX)
    return static_cast<int>(value.as_int());
  const std::string& text = value.as_string();
  int index = -1;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), index);
  return failure == std::errc() && end == text.data() + text.size() ? index : -1;
}

bool AreAddresses(const Json& tasks) {
  return (tasks.is_array() || IsObject(tasks)) &&
         std::all_of(tasks.items().begin(), tasks.items().end(),
                     [](const Json& address) { return address.is_string(); });
}

bool HasTask(const Json& tasks, int index) {
  if (tasks.is_array()) return static_cast<size_t>(index) < tasks.size();
  return tasks[std::to_string(index)].is_string();
}

}  // namespace

bool ParseTfConfig(std::string_view text, TfConfig* config, std::string* error) {
  const auto fail = [&](std::string what) {
    *error = std::move(what);
    return false;
  };
  if (text.empty()) return true;
  const Json json = Json::Parse(text);
  if (!IsObject(json)) return fail("it is not a JSON object");
  const Json &cluster = json["cluster"], &task = json["task"];
  if (cluster.is_null()) return true;
  if (!IsObject(cluster) ||
      !std::all_of(cluster.items().begin(), cluster.items().end(), AreAddresses))
    return fail("'cluster' is not an object of lists of addresses");
  if (cluster.size() == 0) return true;
  if (!IsObject(task)) return fail("it has a cluster, but no 'task'");
  if (!task["type"].is_string()) return fail("'task' has no 'type'");
  config->job = task["type"].as_string();
  config->task = IndexOf(task["index"]);
  if (config->task < 0) return fail("the 'index' of its task is not a number");
  if (!HasTask(cluster[config->job], config->task))
    return fail("its cluster has no task " + config->job + ":" + std::to_string(config->task));
  config->cluster = cluster.Dump();
  return true;
}

std::string_view TfConfigOfEnvironment() {
  const char* const text = std::getenv("TF_CONFIG");
  return text ? text : "";
}

}  // namespace tensh::shell
