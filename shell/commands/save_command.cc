// The verb `save`: writes the graph, its variables, values or a script in the format that the name
// of the file states.

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
#include "shell/python/vm/library.h"
#include "shell/session/graphs.h"
#include "shell/session/sessions.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

// Words that users write in front of the file name. The ending of the name decides what is saved.
constexpr std::string_view kKinds[] = {"graph",      "model", "variables", "vars", "weights",
                                       "checkpoint", "ckpt",  "script",    "as",   "to"};

// Returns the bytes of all variables that have a value.
int64_t VariableBytes(tsh_session* session) {
  int64_t bytes = 0;
  const Json known = Json::Parse(TakeText(tsh_session_variables_json(session)));
  for (const Json& variable : known.items()) bytes += variable["bytes"].as_int();
  return bytes;
}

// Takes the file name from the front of `text`, which is a word or a string in quotes.
std::string TakeFile(CommandCall& call, std::string_view* text) {
  std::string_view file = FirstWord(*text);
  if (text->starts_with('"') || text->starts_with('\'')) {
    const size_t end = text->find((*text)[0], 1);
    file = text->substr(0, end == text->npos ? end : end + 1);
  }
  *text = Trim(text->substr(file.size()));
  const bool is_kind = std::find(std::begin(kKinds), std::end(kKinds), file) != std::end(kKinds);
  if (is_kind && !text->empty()) {
    const std::string_view last = text->substr(text->find_last_of(" \t") + 1);
    At(call.shell(), file, [&] {
      throw ValueError("the file comes first, and its name says what is saved")
          .Type("save " + std::string(last));
    });
  }
  return FileName(call, file);
}

// Removes the word `frozen` from the end of the text. Returns false if it is not there.
bool TakeFrozen(std::string_view* text) {
  const size_t blank = text->find_last_of(" \t");
  const std::string_view last = blank == text->npos ? *text : text->substr(blank + 1);
  if (last != "frozen") return false;
  *text = Trim(text->substr(0, text->size() - last.size()));
  return true;
}

void RunSave(CommandCall& call) {
  Shell& shell = call.shell();
  std::string_view text = Trim(call.text());
  const std::string file = TakeFile(call, &text);
  const bool frozen = TakeFrozen(&text);
  if (HasEnding(file, ".py") || HasEnding(file, ".tsh")) {
    if (!text.empty()) call.Misused("a script holds the whole session");
    return call.out().WriteFile(file, DumpText(shell));
  }
  std::vector<Value> names;
  RunRequest request;
  if (!text.empty()) request = ParseRun(call, text);
  for (const std::string_view piece : request.pieces) names.push_back(MakeStr(piece));
  const Value session = text.empty() ? shell.sessions().Current() : SessionFor(shell, request);
  const Value feeds = request.feeds.is_null() ? Value::None() : request.feeds;
  const Value saved = [&] {
    const BytesProgress progress(shell, "saving " + Visible(file), BytesProgress::Counts::kWritten,
                                 VariableBytes(SessionOf(session)));
    return Call(FromLibrary("saving", Intern("save_file")),
                {MakeStr(file), session, MakeList(names), MakeList(request.fetches), feeds,
                 Value::Bool(frozen)});
  }();
  if (text.empty() && std::filesystem::exists(file + ".index"))
    shell.cells().Saved(std::filesystem::absolute(file).string());
  call.out().Note(" wrote " + Visible(file) + ": " + Str(saved));
}

}  // namespace

void RegisterCommand_save(CommandRegistry& r) {
  r.Add({.name = "save",
         .usage = "save FILE [EXPR[, …]] [feed X=…, …] [on SESSION] [frozen]",
         .summary = "Write a model, the graph, its variables, values or a script; the name of the "
                    "file decides which.",
         .help = "FOLDER/ is a SavedModel, FILE.onnx an ONNX model, FILE.tflite one of TensorFlow "
                 "Lite; they contain the\n"
                 "variables. FILE.pb, .pbtxt and .meta hold the graph. FILE.safetensors, .npz and "
                 "other names, which mean a\n"
                 "checkpoint of TensorFlow, hold the variables. FILE.py and .tsh are scripts that "
                 "recreate the session, as\n"
                 "`dump` prints them. With EXPR, only these outputs and what they need are "
                 "written, or their values to .npz,\n"
                 ".npy, .safetensors or a checkpoint. `frozen` makes constants of the variables of "
                 "a .pb, .pbtxt or\n"
                 "SavedModel. What `open` has opened is written in the other format: tensh -c "
                 "'open model/' -c 'save\n"
                 "model.onnx'. The old file is replaced when the new one is complete and on the "
                 "disk. Saving adds no nodes\n"
                 "to the graph.",
         .examples = {},
         .complete = "file",
         .run = RunSave});
}

}  // namespace tensh::shell
