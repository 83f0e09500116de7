// The answers to commands of other prompts, and to words that may be a misspelled verb.
#include "shell/commands/base/habits.h"

#include <gtest/gtest.h>

#include "tests/unit/shell/commands/typed.h"

namespace tensh::shell {
namespace {

TEST(Habits, NameWhatToTypeInstead) {
  const struct {
    const char *line, *hint;
  } rows[] = {
      {"%timeit tf.exp(a)", "`bench X` repeats a step and measures it"},
      {"  %whos", "`dir()` lists the variables"},
      {"%nothing", "`help` lists the verbs"},
      {"\\d nodes", "`nodes` lists the graph, `vars` the variables"},
      {".mode csv", "`sql … --csv`, `--json` or `--md` selects the format"},
      {"select op from nodes", "sql select op from nodes"},
      {"WITH a AS (SELECT 1)\nSELECT 2", "sql WITH a AS (SELECT 1)"},
      {"with tf.nothing('a'):\n    pass", ""},
      {"with tf.device('/cpu:0') x = 1", ""},
      {"with tf.Session() as s print(1)", ""},
      {"feed x=3", "`eval X feed NAME=VALUE` runs a step with a value for a placeholder"},
      {"!ls", "The shell runs no other programs. Ctrl-Z suspends it, and fg continues"},
      {"ls -l", "in Python: import os; os.listdir()"},
      {"bench eval a", "bench a"},
      {".profile .run a times 3", ".profile a times 3"},
      {"bench eval", ""},
      {"time eval a", ""},  // time measures any verb
      {"select", ""},       // a name
      {"lst", ""},
      {"eval %d", ""},
      {"", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(HabitHint(row.line).text, row.hint) << row.line;
}

TEST(Habits, TheHintOfAQueryCanBePasted) {
  EXPECT_EQ(HabitHint("SELECT op FROM nodes").kind, ErrorHint::Kind::kType);
  EXPECT_EQ(HabitHint("%time x").kind, ErrorHint::Kind::kPhrase);
}

TEST(Habits, AnUnknownFlagOrScopeIsAnError) {
  CheckFails({
      {"explain c --foo", "SyntaxError", "explain: no flag --foo"},
      {"eval c --foo", "SyntaxError", "eval: no flag --foo"},
      {"nodes --foo", "SyntaxError", "nodes: no flag --foo"},
      {"explain c open=nope", "LookupError", "no node is in a scope nope"},
      {"explain c open=c/d --all", "LookupError", "no node is in a scope c/d"},
      {"explain c open=", "SyntaxError", "open= needs a name scope"},
      {"graph open=nope", "LookupError", "no node is in a scope nope"},
  });
}

}  // namespace
}  // namespace tensh::shell
