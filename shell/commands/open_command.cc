// The verbs `open` and `about`: open a model or another file by its content, and say what it is.

#include <algorithm>

#include "shell/commands/base/command.h"
#include "shell/commands/base/progress.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/files.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/python/vm/missing_file.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

// The parts of `FILE [as NAME] [tags TAG …]`.
struct OpenText {
  std::string_view file, name;
  Value tags = Value::None();
};

OpenText ParseOpen(std::string_view text) {
  OpenText parts;
  if (const size_t tags = text.rfind(" tags "); tags != text.npos) {
    std::vector<Value> words;
    std::string_view rest = Trim(text.substr(tags + 6));
    if (const size_t as = rest.find(" as "); as != rest.npos) {
      parts.name = Trim(rest.substr(as + 4));
      rest = Trim(rest.substr(0, as));
    }
    for (; !rest.empty(); rest = Trim(rest.substr(FirstWord(rest).size()))) {
      std::string_view tag = FirstWord(rest);
      if (tag.ends_with(',')) tag.remove_suffix(1);
      if (!tag.empty()) words.push_back(MakeStr(tag));
    }
    parts.tags = MakeList(std::move(words));
    text = text.substr(0, tags);
  }
  if (const size_t as = text.rfind(" as "); as != text.npos && IsName(Trim(text.substr(as + 4)))) {
    parts.name = Trim(text.substr(as + 4));
    text = text.substr(0, as);
  }
  parts.file = text;
  return parts;
}

// Returns a name for the value that no other value of the program has.
std::string FreeName(Interp& interp, const Value& value) {
  const std::string wanted = Str(FindAttr(value, Intern("_name")));
  std::string name = wanted;
  for (int i = 2; !interp.GetGlobal(name).is_null(); ++i) name = wanted + std::to_string(i);
  return name;
}

Value FromReport(std::string_view function, std::initializer_list<Value> args) {
  return Call(FromLibrary("report", Intern(function)), args);
}

void PrintAbout(CommandCall& call, const Value& value) {
  if (call.json()) return call.out().PrintLine(Str(FromReport("as_json", {value})));
  const Value width = Value::Int(static_cast<int64_t>(call.out().width()));
  // The names in a file may contain control characters.
  call.out().Print(VisibleLines(Str(FromReport("text", {value, width}))));
}

Value OpenPath(CommandCall& call, const OpenText& given, const std::string& file) {
  try {
    return Call(FromLibrary("opening", Intern("open_path")),
                {MakeStr(file), MakeStr(given.name), call.shell().sessions().Current(), given.tags,
                 Value::Bool(call.Has("--trainable"))});
  } catch (PyError& error) {
    if (error.Is(kFileNotFoundError)) error.Hint(HintForMissingFile(file));
    throw;
  }
}

void RunOpen(CommandCall& call) {
  Shell& shell = call.shell();
  const OpenText given = ParseOpen(call.text());
  const std::string file = FileName(call, given.file);
  if (!given.name.empty() && !IsName(given.name)) call.Misused("needs a name after `as`");
  Value value;
  {
    const BytesProgress progress(shell, "opening " + Visible(file), BytesProgress::Counts::kRead,
                                 SizeOnDisk(file));
    value = OpenPath(call, given, file);
  }
  const std::string name =
      given.name.empty() ? FreeName(shell.interp(), value) : std::string(given.name);
  Call(FromLibrary("opening", Intern("named")), {value, MakeStr(name)});
  shell.interp().SetGlobal(name, value);
  if (call.json() || shell.options().interactive) PrintAbout(call, value);
}

void RunAbout(CommandCall& call) {
  Interp& interp = call.shell().interp();
  const std::string_view text = Trim(call.text());
  const Value value =
      text.empty() ? Call(FromLibrary("opening", Intern("last")), CallArgs{}) : interp.Eval(text);
  if (value.is_none())
    throw ValueError("nothing was opened yet").Hint("open FILE, or the folder of a SavedModel");
  PrintAbout(call, value);
}

}  // namespace

void RegisterCommand_open(CommandRegistry& r) {
  r.Add({.name = "open",
         .usage = "open FILE [as NAME] [tags TAG …] [--trainable] [--json]",
         .summary = "Open a model, a checkpoint or a file of arrays, and say what it is.",
         .help = "FILE is recognized by its content: the folder of a SavedModel, a GraphDef or "
                 "meta graph (binary, text or\nJSON), ONNX, TensorFlow Lite, Keras (.keras, .h5), "
                 "a checkpoint, safetensors, HDF5, .npy, .npz, CSV, an\nimage, a WAV recording or "
                 "an event file. A graph is added to the current one; a SavedModel also "
                 "restores\nits variables. With `as NAME`, the names of its nodes begin with "
                 "NAME/, and NAME is the model:\nNAME.SIGNATURE(…) runs it, and explain, profile, "
                 "bench or step of such a call shows its step.\nNAME['TENSOR'] is a tensor, and "
                 "NAME.SIGNATURE['TENSOR'] one inside of its function. `tags` chooses\namong the "
                 "graphs of a SavedModel. With `--trainable`, the weights of a model become "
                 "variables, so that it can be\ntrained further. A script prints nothing; `about` "
                 "prints the report.",
         .examples = {},
         .complete = "file",
         .lasting = true,
         .run = RunOpen});
  r.Add({.name = "about",
         .usage = "about [NAME] [--json]",
         .summary = "Say what a model or file that was opened is.",
         .help =
             "Lists the signatures of a model, each with a line that runs it, its variables, "
             "nodes and ops, and what\nis missing here. Without NAME, describes what was opened "
             "last.",
         .examples = {},
         .complete = "expr",
         .run = RunAbout});
}

}  // namespace tensh::shell
