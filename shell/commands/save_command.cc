// The verb `save`: writes the graph, a script or a checkpoint.

#include <algorithm>
#include <filesystem>

#include "shell/commands/base/command.h"
#include "shell/commands/base/progress.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/files.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/session/graphs.h"
#include "shell/session/sessions.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

// Words that users write in front of the file name.
constexpr std::string_view kKinds[] = {"graph",      "model", "variables", "vars", "weights",
                                       "checkpoint", "ckpt",  "script",    "as",   "to"};

// Returns the bytes of all variables that have a value.
int64_t VariableBytes(tsh_session* session) {
  int64_t bytes = 0;
  const Json known = Json::Parse(TakeText(tsh_session_variables_json(session)));
  for (const Json& variable : known.items()) bytes += variable["bytes"].as_int();
  return bytes;
}

// Throws for a text with spaces that is not quoted: `save graph x.pb` would make a file or even a
// folder named "graph ".
void CheckOneName(CommandCall& call) {
  const std::string_view text = Trim(call.text());
  const size_t space = text.find_first_of(" \t");
  if (space == text.npos || text[0] == '"' || text[0] == '\'') return;
  // The ending of the file name decides what is saved, so a word in front of it is superfluous.
  const std::string_view last = text.substr(text.find_last_of(" \t") + 1);
  const std::string_view first = text.substr(0, space);
  const bool kind = std::find(std::begin(kKinds), std::end(kKinds), first) != std::end(kKinds);
  At(call.shell(), text, [&] {
    throw ValueError("a file name with spaces needs quotes")
        .Type("save " + (kind ? std::string(last) : Repr(MakeStr(text))));
  });
}

void RunSave(CommandCall& call) {
  CheckOneName(call);
  const std::string file = FileName(call, call.text());
  if (HasEnding(file, ".py") || HasEnding(file, ".tsh"))
    return call.out().WriteFile(file, DumpText(call.shell()));
  const Value session = call.shell().sessions().Current();
  if (HasEnding(file, ".pb") || HasEnding(file, ".pbtxt") || HasEnding(file, ".meta")) {
    {
      const BytesProgress progress(call.shell(), "saving " + Visible(file),
                                   BytesProgress::Counts::kWritten, 0);
      CallWorkspace("save_graph", {MakeStr(file), session});
    }
    const auto nodes = static_cast<int64_t>(CurrentGraph().size());
    return call.out().Note(" wrote " + Visible(file) + ": " + Count(nodes, "node"));
  }
  const Value saved = [&] {
    const BytesProgress progress(call.shell(), "saving " + Visible(file),
                                 BytesProgress::Counts::kWritten,
                                 VariableBytes(SessionOf(session)));
    return CallWorkspace("save_variables", {MakeStr(file), session});
  }();
  call.shell().cells().Saved(std::filesystem::absolute(file).string());
  call.out().Note(" wrote " + Visible(file) + ": " + Count(saved.as_int(), "variable"));
}

}  // namespace

void RegisterCommand_save(CommandRegistry& r) {
  r.Add({.name = "save",
         .usage = "save FILE",
         .summary = "Write the graph (.pb, .pbtxt, .meta), a script (.py, .tsh) or a checkpoint of "
                    "the variables.",
         .help = "A script recreates the session, as `dump` does. A file name without one of these "
                 "endings means a\ncheckpoint in TensorFlow's format, which its Saver restores. "
                 "Saving adds no nodes to the graph.",
         .examples = {},
         .complete = "file",
         .run = RunSave});
}

}  // namespace tensh::shell
