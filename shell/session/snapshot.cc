#include "shell/session/snapshot.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "shell/client/client.h"
#include "shell/python/values/error.h"
#include "shell/session/runs.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/text/json.h"
#include "shell/text/records.h"
#include "shell/text/user_files.h"

namespace tensh::shell {
namespace {

constexpr size_t kLargestFile = size_t{1} << 30;
constexpr int kRest = 20;  // the pause after a save, as a multiple of the time that the save took
constexpr auto kLongestRest = std::chrono::seconds(10);  // also if the machine is busy

struct NamedSession {
  std::string key;
  Ref<tf::SessionObject> session;
};

// Returns the open sessions of this process whose steps run in this process.
std::vector<NamedSession> OpenSessions(Interp& interp) {
  std::vector<NamedSession> found;
  const auto add = [&](std::string key, tf::SessionObject* session) {
    if (session == nullptr || session->closed() || !session->target.empty()) return;
    for (const NamedSession& each : found)
      if (each.session.get() == session) return;
    found.push_back({std::move(key), Ref<tf::SessionObject>(session)});
  };
  int number = 0;
  for (const auto& session : tf::State().shell_sessions)
    add("shell " + std::to_string(number++), session.get());
  for (const std::string& name : interp.GlobalNames())
    if (name != "_" && name != "Out")
      add("name " + name, As<tf::SessionObject>(interp.GetGlobal(name)));
  return found;
}

struct Accessor {
  tsh_output value{TSH_NO_NODE, 0};     // an output that reads the variable, to fetch
  tsh_node assign = TSH_NO_NODE;        // an Assign of the variable, to run
  tsh_output assigned{TSH_NO_NODE, 0};  // the input of that Assign, to feed
};

// Finds for each variable of the graph a node that reads it and one that sets it.
std::map<std::string, Accessor> Accessors(const GraphHandle& graph) {
  std::map<std::string, Accessor> found;
  const auto of = [&](tsh_node node) -> Accessor& {
    return found[graph.NodeName(graph.Input(node, 0).node)];
  };
  for (size_t n = 0; n < graph.size(); ++n) {
    const auto node = static_cast<tsh_node>(n);
    const std::string_view op = graph.NodeOp(node);
    if (op == "VariableV2" || op == "Variable") {
      found[graph.NodeName(node)].value = {node, 0};
    } else if (op == "ReadVariableOp") {
      Accessor& variable = of(node);
      if (variable.value.node == TSH_NO_NODE) variable.value = {node, 0};
    } else if (op == "Assign" || op == "AssignVariableOp") {
      Accessor& variable = of(node);
      if (variable.assign != TSH_NO_NODE) continue;
      variable.assign = node;
      variable.assigned = graph.Input(node, 1);
    }
  }
  return found;
}

// The initialized variables of a session, and their size.
struct Initialized {
  std::vector<std::string> names;
  int64_t bytes = 0;
};

Initialized InitializedOf(tsh_session* session) {
  Initialized found;
  const Json known = Json::Parse(TakeText(tsh_session_variables_json(session)));
  for (const Json& variable : known.items()) {
    if (!variable["initialized"].as_bool()) continue;
    found.names.push_back(variable["name"].as_string());
    found.bytes += variable["bytes"].as_int();
  }
  return found;
}

// Returns the message of a tensor, or "" if its type has none.
std::string Encode(const TensorHandle& tensor) {
  size_t head = 0, content = 0;
  char* text = tsh_tensor_encode(tensor.get(), &head, &content, Status());
  if (text == nullptr) return "";
  std::string message(text, head);
  tsh_free(text);
  return message.append(static_cast<const char*>(tensor.raw()), content);
}

// Appends the records of the variables of one session.
void Pack(const NamedSession& of, const Initialized& variables, std::string* text) {
  const GraphHandle graph = GraphHandle::Share(tsh_session_graph(of.session->handle().get()));
  const std::map<std::string, Accessor> accessors = Accessors(graph);
  std::vector<std::string> names;
  std::vector<tsh_output> fetches;
  for (const std::string& name : variables.names) {
    const auto at = accessors.find(name);
    if (at == accessors.end() || at->second.value.node == TSH_NO_NODE) continue;
    names.push_back(name);
    fetches.push_back(at->second.value);
  }
  if (fetches.empty()) return;
  tsh_run run{};
  run.fetches = fetches.data();
  run.n_fetches = fetches.size();
  const std::vector<TensorHandle> values = of.session->handle().Run(run);
  *text += PackRecord("session", of.key);
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string message = Encode(values[i]);
    if (!message.empty()) *text += PackRecord("variable " + names[i], message);
  }
}

// Sets one variable. Returns false if it does not exist or does not accept the value.
bool Restore(const tf::SessionObject& session, const std::map<std::string, Accessor>& accessors,
             const std::string& name, const TensorHandle& value) {
  const auto at = accessors.find(name);
  if (at == accessors.end() || at->second.assign == TSH_NO_NODE) return false;
  tsh_tensor* raw = value.get();
  tsh_run run{};
  run.feeds = &at->second.assigned;
  run.values = &raw;
  run.n_feeds = 1;
  run.targets = &at->second.assign;
  run.n_targets = 1;
  try {
    session.handle().Run(run);
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) throw;
    return false;
  }
  return true;
}

}  // namespace

void Autosave::Skip() { saved_run_ = Runs::number(); }

void Autosave::Save(Interp& interp, const std::string& file, int cell, When when) {
  if (file.empty() || Runs::number() == saved_run_) return;
  const Clock::time_point began = Clock::now();
  const bool wanted = when == When::kAtTheEnd || (when == When::kAfter && halfway_);
  if (!wanted && began < next_) return;
  try {
    const SideRuns aside;
    std::vector<std::pair<NamedSession, Initialized>> sessions;
    int64_t bytes = 0;
    for (NamedSession& session : OpenSessions(interp)) {
      Initialized variables = InitializedOf(session.session->handle().get());
      bytes += variables.bytes;
      if (!variables.names.empty()) sessions.emplace_back(std::move(session), std::move(variables));
    }
    too_large_ = bytes > kMostBytes;
    if (!too_large_ && !sessions.empty()) {
      std::string text = PackRecord("snapshot 1 " + std::to_string(cell), "");
      for (const auto& [session, variables] : sessions) Pack(session, variables, &text);
      ReplaceFile(file, text + PackRecord("end", ""));
    }
    saved_run_ = Runs::number();
    halfway_ = when == When::kDuring;
  } catch (const PyError& error) {
    // The old values stay in the file. The Ctrl-C interrupts the next statement.
    if (error.Is(kKeyboardInterrupt)) interp.Interrupt();
  }
  const Clock::time_point ended = Clock::now();
  next_ = ended + std::min<Clock::duration>(kRest * (ended - began), kLongestRest);
}

int SnapshotCell(const std::string& file) {
  std::string text;
  if (ReadFile(file, kLargestFile, &text) != 0) return 0;
  std::string_view rest = text;
  int cell = 0;
  bool whole = false;
  for (Record record; TakeRecord(&rest, &record);) {
    if (record.head.starts_with("snapshot 1 ")) cell = std::atoi(record.head.data() + 11);
    whole = record.head == "end";
  }
  return whole ? cell : 0;
}

SnapshotCount RestoreSnapshot(Interp& interp, const std::string& file) {
  SnapshotCount count;
  std::string text;
  if (ReadFile(file, kLargestFile, &text) != 0) return count;
  const SideRuns aside;
  const std::vector<NamedSession> sessions = OpenSessions(interp);
  const tf::SessionObject* session = nullptr;
  std::map<std::string, Accessor> accessors;
  std::string_view rest = text;
  for (Record record; TakeRecord(&rest, &record);) {
    if (record.head == "session") {
      const auto at = std::find_if(sessions.begin(), sessions.end(), [&](const NamedSession& each) {
        return each.key == record.payload;
      });
      session = at == sessions.end() ? nullptr : at->session.get();
      accessors.clear();
      if (session != nullptr)
        accessors = Accessors(GraphHandle::Share(tsh_session_graph(session->handle().get())));
    } else if (record.head.starts_with("variable ")) {
      const std::string name(record.head.substr(9));
      const TensorHandle value = TensorHandle::Adopt(
          tsh_tensor_decode(record.payload.data(), record.payload.size(), Status()));
      const bool good =
          session != nullptr && value.get() != nullptr && Restore(*session, accessors, name, value);
      if (good) {
        ++count.variables;
        count.bytes += static_cast<int64_t>(record.payload.size());
      } else {
        count.wants.push_back(name);
      }
    }
  }
  return count;
}

}  // namespace tensh::shell
