#include "shell/commands/help/overview.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "shell/commands/base/shell.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

struct Task {
  const char* name;
  std::vector<std::string_view> verbs;
  const char* example;
};

// The rows of the overview. A verb that no row contains is listed under "more".
const Task kTasks[] = {
    {"build", {"undo", "redo", "at", "history", "reset"}, "a = tf.constant([1., 2.], name=\"a\")"},
    {"look",
     {"graph", "nodes", "edges", "vars", "ops", "graphs", "sql"},
     "nodes where op == MatMul"},
    {"run", {"eval", "run", "session", "sessions", "connect"}, "eval a * 2"},
    {"explain", {"explain", "why", "events", "transfers"}, "explain analyze a * 2"},
    {"place", {"place", "apply", "devices"}, "place a on /cpu:1"},
    {"debug", {"step", "back", "watch", "unwatch", "break"}, "step a * 2"},
    {"draw", {"plot", "show", "view"}, "plot np.sin(np.arange(9.))"},
    {"time", {"time", "bench", "profile", "trace"}, "bench a * 2"},
    {"files", {"open", "about", "save", "load", "read", "dump"}, "open model.pb"},
    {"shell", {"cells", "rerun", "set", "quit", "exit"}, "set theme light"},
    {"learn", {"learn", "help"}, "learn 1"},
    {"tfdbg", {"lt", "ni", "li", "lo", "pt", "ps"}, "help lt"},
};

constexpr size_t kTaskWidth = 9, kVerbsWidth = 42;

// Returns the maximum width of a line, in columns.
size_t WidthOf(Shell& shell) { return shell.out().width() == 0 ? 100 : shell.out().width(); }

std::string TaskLine(const std::string& name, const std::string& verbs, const char* example,
                     size_t width) {
  std::string line = "  " + PadTo(name, kTaskWidth) + verbs;
  const bool fits =
      TextWidth(verbs) < kVerbsWidth && 2 + kTaskWidth + kVerbsWidth + TextWidth(example) <= width;
  if (fits && *example != '\0') line = PadTo(line, 2 + kTaskWidth + kVerbsWidth) + example;
  return WrapHanging(line, width, 2 + kTaskWidth) + "\n";
}

struct KeyRow {
  const char* keys;
  const char* does;
};
constexpr KeyRow kKeys[] = {
    {"Enter",
     "run the cell, or add a line while it is incomplete; in a block, an empty line ends it"},
    {"Alt-Enter, Ctrl-O", "add a line, even if the cell is complete"},
    {"Tab, Shift-Tab",
     "complete; in the menu, the next or previous one; type to filter, Esc leaves"},
    {"Right, End; Ctrl-Right", "at the end, accept the suggestion, or one word of it"},
    {"Up, Down (Ctrl-P, Ctrl-N)", "lines of the cell, then earlier cells that begin like it"},
    {"Ctrl-Up, Ctrl-Down (Alt-P, Alt-N)", "earlier and later cells"},
    {"Ctrl-R, Ctrl-S", "search earlier cells, older and newer; Ctrl-G cancels"},
    {"Left, Right (Ctrl-B, Ctrl-F)", "move by one character"},
    {"Ctrl-Left, Ctrl-Right (Alt-B, Alt-F)", "move by one word"},
    {"Home, End (Ctrl-A, Ctrl-E)", "start and end of the line; of the cell: Alt-<, Alt->"},
    {"Ctrl-K, Ctrl-U", "cut to the end or the start of the line"},
    {"Ctrl-W; Alt-D, Alt-Backspace", "cut back to a blank; a word forward or back"},
    {"Ctrl-Y, Alt-Y", "paste the cut text; replace it with an older one"},
    {"Ctrl-_, Alt-_", "undo and redo"},
    {"Ctrl-T", "exchange two characters"},
    {"Alt-.", "insert the last argument of the previous cell"},
    {"Ctrl-X Ctrl-E", "edit the cell with $EDITOR"},
    {"Ctrl-L", "clear the screen"},
    {"Ctrl-C", "discard the cell, or stop the running command"},
    {"Ctrl-Z", "suspend the shell; fg continues"},
    {"Ctrl-D", "leave the shell, on an empty line"},
};

// Formats names and texts in two columns. Continuation lines of a text are aligned with its
// beginning.
std::string Definitions(const std::vector<std::pair<std::string, std::string>>& rows,
                        size_t width) {
  size_t column = 0;
  for (const auto& [name, text] : rows) column = std::max(column, TextWidth(name));
  const bool below = column + 4 > width / 2;  // beside the names, the texts would be too narrow
  std::string out;
  for (const auto& [name, text] : rows) {
    const std::string line = below ? "    " + text : "  " + PadTo(name, column + 2) + text;
    if (below) out += WrapHanging("  " + name, width, 4) + "\n";
    out += WrapHanging(line, width, below ? 4 : column + 4) + "\n";
  }
  return out;
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

std::string HelpOverview(Shell& shell) {
  const size_t width = WidthOf(shell);
  std::vector<std::string_view> rest;
  for (const Command& command : shell.commands().commands()) {
    const auto has = [&](const Task& task) {
      return std::find(task.verbs.begin(), task.verbs.end(), command.name) != task.verbs.end();
    };
    if (std::none_of(std::begin(kTasks), std::end(kTasks), has)) rest.emplace_back(command.name);
  }
  std::string out =
      "Python with the TensorFlow 1.x API; tf and np are imported. Verbs by task:\n\n";
  const auto add = [&](const char* name, const std::vector<std::string_view>& verbs,
                       const char* example) {
    std::string text;
    for (const std::string_view verb : verbs)
      text += shell.commands().Find(verb) == nullptr
                  ? ""
                  : (text.empty() ? "" : " ") + std::string(verb);
    out += TaskLine(name, text, example, width);
  };
  for (const Task& task : kTasks) add(task.name, task.verbs, task.example);
  if (!rest.empty()) add("more", rest, "");
  return out + "\n" +
         WrapHanging("help X · X? · X?? (anything) · ?relu (names) · help keys · help all", width,
                     0) +
         "\n" +
         WrapHanging("Try: a = tf.constant([1., 2.]); eval a + [2., 3.]; explain a * 2", width, 5) +
         "\nA leading dot, as in .nodes, always means the verb. Leave with Ctrl-D.\n";
}

std::string HelpAll(Shell& shell) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Command& command : shell.commands().commands())
    rows.emplace_back(command.name, FirstLine(command.summary));
  std::sort(rows.begin(), rows.end());
  return "Verbs:\n" + Definitions(rows, WidthOf(shell)) + "help VERB tells more.\n";
}

std::string HelpKeys(Shell& shell) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const KeyRow& row : kKeys) rows.emplace_back(row.keys, row.does);
  return "Keys:\n" + Definitions(rows, WidthOf(shell)) +
         WrapHanging(
             "Pasted text is one cell. `set editor vi` selects the keys of vi: motions, counts, "
             "text "
             "objects (ciw, di\"), . to repeat, u, / and n; v opens $EDITOR.",
             WidthOf(shell), 0) +
         "\n" +
         WrapHanging(
             "_ is the last result, In[3] the text of cell 3, Out[3] its result, and Out[3]? shows "
             "its origin.",
             WidthOf(shell), 0) +
         "\n";
}

}  // namespace tensh::shell
