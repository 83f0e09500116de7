// The verb `verify`: evaluates tensors in two places and compares them node by node.

#include <algorithm>
#include <array>
#include <filesystem>

#include "shell/commands/base/command.h"
#include "shell/commands/base/run_request.h"
#include "shell/commands/base/settings.h"
#include "shell/commands/base/shell.h"
#include "shell/commands/base/words.h"
#include "shell/commands/tables/files.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/python/vm/missing_file.h"
#include "shell/session/sessions.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kWords[] = {"feed", "on", "without", "at", "with", "against", "within"};

bool IsClauseWord(std::string_view word) {
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

// Splits the text at the clause words outside of brackets and quotes. Unlike SplitClauses, it takes
// texts that are not Python, such as /device:GPU:0 and grpc://host:2222.
std::vector<Clause> ClausesOf(std::string_view text) {
  std::vector<Clause> clauses{{"", ""}};
  size_t begin = 0, depth = 0;
  char quote = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ' ';
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (depth > 0 && (c == ')' || c == ']' || c == '}')) --depth;
    const bool starts = at < text.size() && depth == 0 && (at == 0 || text[at - 1] == ' ');
    const std::string_view word = starts ? FirstWord(text.substr(at)) : "";
    if (at < text.size() && !IsClauseWord(word)) continue;
    clauses.back().text = Trim(text.substr(begin, at - begin));
    if (at < text.size()) clauses.push_back({word, ""});
    begin = at + word.size();
  }
  return clauses;
}

// Splits the first file name from the text. A name in quotes may contain spaces.
std::string_view FirstName(std::string_view text) {
  if (text.empty() || (text[0] != '"' && text[0] != '\'')) return FirstWord(text);
  const size_t end = text.find(text[0], 1);
  return end == text.npos ? text : text.substr(0, end + 1);
}

std::string_view Unquoted(std::string_view text) {
  const bool quoted = text.size() > 1 && text[0] == text.back() && FirstName(text) == text &&
                      (text[0] == '"' || text[0] == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

bool IsFile(std::string_view text) {
  std::error_code error;
  return !text.empty() && std::filesystem::exists(std::string(text), error);
}

// The parts of a call: the tensors with their feeds, and the options for the library.
struct VerifyText {
  std::string joined;  // the text of the request, if its feeds were typed apart from the tensors
  RunRequest request;
  Value options = MakeDict();

  void Set(std::string_view key, const Value& value) { SetItem(options, MakeStr(key), value); }
};

// Takes the tensors, or the two files, from the text before the clauses.
void ParseTarget(CommandCall& call, std::string_view target, VerifyText* parts) {
  const std::string_view whole = Unquoted(target), typed = FirstName(target);
  const std::string_view rest = Trim(target.substr(typed.size()));
  const std::string_view first = Unquoted(typed), second = Unquoted(rest);
  const Value against = MakeStr("against");
  if (IsFile(whole) && Contains(parts->options, against)) {
    parts->Set("files", MakeTuple({MakeStr(whole), GetItem(parts->options, against)}));
  } else if (IsFile(first) && !second.empty() && rest.find(',') == rest.npos) {
    if (!IsFile(second))
      throw MakeError(kFileNotFoundError, "there is no " + std::string(second))
          .Hint(HintForMissingFile(std::string(second)));
    parts->Set("files", MakeTuple({MakeStr(first), MakeStr(second)}));
  } else if (Len(parts->options) == 0) {
    const ErrorHint meant = DidYouMean(
        FirstWord(second), std::vector<std::string>(std::begin(kWords), std::end(kWords)));
    if (!second.empty() && !meant.empty())
      throw MakeError(kSyntaxError,
                      "verify: no clause begins with '" + std::string(FirstWord(second)) + "'")
          .Hint(meant);
    call.Misused("needs a second place, such as `on /cpu:0` or `against FILE`");
  } else if (!target.empty()) {
    parts->request = ParseRun(call, target);
  }
}

void ParseVerify(CommandCall& call, VerifyText* parts) {
  const std::vector<Clause> clauses = ClausesOf(Trim(call.text()));
  std::string_view target = clauses[0].text;
  for (size_t i = 1; i < clauses.size(); ++i) {
    const auto& [word, text] = clauses[i];
    if (text.empty()) call.Misused("nothing follows '" + std::string(word) + "'");
    if (word == "without" && text != "optimizer" && text != "optimiser")
      call.Misused("only the optimizer can be left out: without optimizer");
    const bool file = word == "with" || word == "against";
    if (word == "feed" && i == 1) {
      target = {target.data(), static_cast<size_t>(text.data() + text.size() - target.data())};
    } else if (word == "feed") {
      parts->joined = std::string(target) + " feed " + std::string(text);
      target = parts->joined;
    } else {
      parts->Set(word, MakeStr(file ? FileName(call, text) : std::string(text)));
    }
  }
  ParseTarget(call, target, parts);
}

// Runs the other place with the setting `optimize` off.
void RunUnoptimized(Shell& shell, const Value& comparison) {
  const Setting* setting = FindSetting("optimize");
  if (setting == nullptr)
    throw NotImplementedError("this build of tensh has no optimizer that can be switched off");
  const std::string before = setting->get(shell.options());
  setting->set(shell.options(), "off");
  try {
    CallMethod(comparison, "run_there", {});
  } catch (...) {
    setting->set(shell.options(), before);
    throw;
  }
  setting->set(shell.options(), before);
}

void RunVerify(CommandCall& call) {
  Shell& shell = call.shell();
  VerifyText parts;
  ParseVerify(call, &parts);
  const RunRequest& request = parts.request;
  std::vector<Value> names;
  for (const std::string_view piece : request.pieces) names.push_back(MakeStr(piece));
  const Value session =
      request.fetches.empty() ? shell.sessions().Current() : SessionFor(shell, request);
  const Value comparison =
      Call(FromLibrary("verify", Intern("Comparison")),
           {session, MakeList(names), MakeList(request.fetches),
            request.feeds.is_null() ? MakeDict() : request.feeds, parts.options});
  if (Contains(parts.options, MakeStr("without")))
    RunUnoptimized(shell, comparison);
  else
    CallMethod(comparison, "run_there", {});
  const Value width = Value::Int(static_cast<int64_t>(call.out().width()));
  const Value result = CallMethod(comparison, "result", {width});
  const auto text = [&](std::string_view name) { return Str(GetAttr(result, Intern(name))); };
  call.out().PrintLine(text(call.json() ? "json" : "text"));
  if (const std::string message = text("message"); !message.empty())
    throw MakeError(kAssertionError, message);
}

constexpr CommandExample kExamples[] = {
    {"x = tf.placeholder(tf.float32, [3], name='x')\nverify tf.sqrt(x * x) feed x=[1., 2., 3.] "
     "on "
     "/cpu:0",
     " 2 tensors here, and on /cpu:0 · fed x f32[3]\n all agree exactly\n"},
    {"a = tf.constant([1., 2.], name='a')\nverify a * 2 without optimizer", nullptr},
};

}  // namespace

void RegisterCommand_verify(CommandRegistry& r) {
  r.Add({.name = "verify",
         .usage = "verify EXPR[, …] [feed X=…, …] [on DEVICE] [without optimizer] [at grpc://H:P] "
                  "[with FILE] [against FILE] [within TOL] [--json]",
         .summary = "Compute tensors in two places with the same feeds, and compare all nodes.",
         .help =
             "All tensors that EXPR needs are computed here, and again on a device, without the "
             "optimizer, at a server\nof TensorFlow, or in a file: `against` a model, `with` "
             "recorded values, which `save FILE.npz EXPR feed …`\nwrites. `verify FILE FILE` "
             "compares two models. The table shows the largest errors, absolute, relative to the\n"
             "largest element, and in units in the last place; below it is the first node that "
             "differs. Floats may differ\nby 1e-5 relative, or by TOL; other types must be the "
             "same. An input without a feed gets random numbers,\nthe same in every run. If a "
             "tensor differs, the exit status of a script is 1.",
         .examples = kExamples,
         .complete = "expr",
         .run = RunVerify});
}

}  // namespace tensh::shell
