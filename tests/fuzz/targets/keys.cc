// Feeds the input to the line editor as the bytes of a terminal. The first byte chooses the mode and the size of the window.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "shell/edit/cell_editor.h"
#include "shell/edit/code_tokens.h"
#include "shell/edit/screen.h"

namespace tensh::shell {
namespace {

Completion Complete(std::string_view before) {
  Completion found;
  const size_t space = before.find_last_of(" .(");
  found.from = space == std::string_view::npos ? 0 : space + 1;
  for (const char* name : {"explain", "exit", "placeholder", "place", "\xC3\xA9t\xC3\xA9"})
    if (std::string_view(name).starts_with(before.substr(found.from)))
      found.candidates.emplace_back(name);
  found.describe = [](const std::string& name) { return "about " + name; };
  return found;
}

CellState StateOf(std::string_view text) {
  const CodePlace place = PlaceAtEnd(text);
  return place.open.empty() && !place.triple ? CellState::kComplete : CellState::kIncomplete;
}

void Play(uint8_t mode, std::string_view bytes) {
  const bool vi = (mode & 1) != 0;
  const ScreenSize sizes[] = {{80, 24}, {1, 1}, {20, 3}, {7, 200}};
  const ScreenSize size = sizes[(mode >> 1) & 3];
  const size_t piece = (mode & 8) != 0 ? 1 : 1 + (mode >> 4);
  CellEditor editor("", {.complete = Complete, .state = StateOf, .highlight = {}});
  KeyDecoder decoder;
  editor.Start(vi);
  decoder.set_vi(vi);
  Screen shown;
  const Prompts prompts{"[1]> ", "...> "};
  const auto handle = [&](const KeyPress& press) {
    const CellEditor::Outcome outcome = editor.Handle(press);
    const EditorView view = editor.View(size.columns, size.rows, true);
    if (view.cursor > view.text.size()) std::abort();
    Screen now = LayOut(view, prompts, size);
    Render(shown, now, {});
    shown = std::move(now);
    if (outcome == CellEditor::Outcome::kEditing) return;
    RenderFinal(shown, view, prompts, size.columns, {});
    if (outcome == CellEditor::Outcome::kRun) editor.Finish();
    editor.Start(vi);
    shown = {};
  };
  for (size_t at = 0; at < bytes.size(); at += piece) {
    decoder.Feed(bytes.substr(at, piece));
    while (const auto press = decoder.Next(false)) handle(*press);
  }
  while (const auto press = decoder.Next(true)) handle(*press);
}

}  // namespace
}  // namespace tensh::shell

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  tensh::shell::Play(data[0], bytes.substr(1));
  return 0;
}
