// The verb `view`: turns the live page on and off.

#include <charconv>

#include "shell/commands/base/command.h"
#include "shell/commands/base/live.h"
#include "shell/commands/base/shell.h"
#include "shell/live/server.h"
#include "shell/python/values/error.h"
#include "shell/session/recording.h"

namespace tensh::shell {
namespace {

void RunView(CommandCall& call) {
  Shell& shell = call.shell();
  if (call.text() == "off") {
    live::Stop();
    RecordSteps(false);
    return shell.out().Note(" the page is off");
  }
  call.WantNothing();
  int port = 0;
  const std::string_view text = call.Option("--port");
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (!text.empty() &&
      (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65535))
    call.Misused("--port must be 1 to 65535, not '" + std::string(text) + "'");
  std::string why;
  if (live::Start(static_cast<uint16_t>(port), &why) == 0)
    throw MakeError(kOSError, "cannot serve on 127.0.0.1:" + std::to_string(port) + ": " + why)
        .Hint("Another port: view --port 8123");
  RecordSteps(true);
  PublishLive(shell, "");
  shell.out().PrintLine(live::NewLink());
  shell.out().Note(
      " open it in a browser on this machine; the link works once, and `view` prints another");
  shell.interp().Flush();
}

constexpr CommandExample kExamples[] = {{"view off", ""}};

}  // namespace

void RegisterCommand_view(CommandRegistry& r) {
  r.Add({.name = "view",
         .usage = "view [--port N] | view off",
         .summary =
             "Serve a live page on 127.0.0.1 that shows the graph as it grows and the last run.",
         .help = "Prints a link that works once, for a browser on this machine. The page shows the "
                 "graph, and each run as "
                 "a film: what is pruned,\nplaced and cut, then every moment with the values on "
                 "the edges, the rendezvous "
                 "and a timeline. Arrow keys,\nPageUp and PageDown move through it, and `save` "
                 "writes it as one HTML file. "
                 "Two runs can be compared, as\n`explain diff` does. Click a node or an edge to "
                 "see its value as a number, "
                 "a heat map, an image or a\nhistogram; `pin` keeps a value in view. Click a "
                 "folded scope to open it. The page "
                 "is updated after each command,\nand during a loop. While it is on, each run "
                 "records its values, which takes some time. It loads "
                 "nothing from a network.",
         .examples = kExamples,
         .complete = "",
         .run = RunView});
}

}  // namespace tensh::shell
