// Runs the examples of every verb in a new shell, so that `help` and docs/commands.md are correct.
#include <gtest/gtest.h>

#include <string>

#include "shell/commands/base/shell.h"
#include "shell/print/error_printer.h"

namespace tensh::shell {
namespace {

struct Ran {
  std::string out, errors;
};

Ran Type(const std::string& text, ShellOptions options = {}) {
  Ran ran;
  Interp interp;
  interp.set_stdout([&](std::string_view piece) { ran.out += piece; });
  interp.set_stderr([&](std::string_view piece) { ran.errors += piece; });
  Shell shell(interp, options);
  try {
    interp.Exec(text, "<test>", ExecMode::kFile);
  } catch (const PyError& error) {
    ran.errors += FormatError(error, {});
  }
  interp.Flush();
  return ran;
}

CommandRegistry All() {
  CommandRegistry registry;
  RegisterCommand_all(registry);
  return registry;
}

TEST(Examples, OfEachVerb) {
  const CommandRegistry registry = All();
  for (const Command& command : registry.commands()) {
    for (const CommandExample& example : command.examples) {
      const Ran ran = Type(std::string(example.input) + "\n");
      EXPECT_EQ(ran.errors.find("Error"), std::string::npos) << example.input << "\n" << ran.errors;
      if (example.output == nullptr) continue;
      EXPECT_EQ(ran.out, example.output) << example.input;
    }
  }
}

// A command that fails reports one error and leaves nothing in the graph.
TEST(Commands, MisuseIsAnError) {
  const char* rows[] = {"eval 1 feed x",
                        "eval 1 times 2",
                        "run 1",
                        "run v times -1",
                        "explain v --stage 9",
                        "explain 3",
                        "why 3",
                        "place v",
                        "session",
                        "session dance",
                        "session close v",
                        "set nothing on",
                        "set ascii maybe",
                        "read /no/such/file",
                        "help nothing_there",
                        "ops no_such_op_at_all",
                        "graph 3",
                        "devices 1 2",
                        "time"};
  for (const char* row : rows) {
    const Ran ran = Type("v = tf.constant(1., name=\"v\")\n" + std::string(row) + "\n");
    EXPECT_NE(ran.errors, "") << row;
    EXPECT_EQ(ran.out, "") << row;
  }
}

TEST(Commands, AFailedStatementLeavesNothing) {
  const Ran ran = Type(
      "a = tf.constant(1.)\n"
      "b = tf.constant(2.) + tf.constant([1., 2.]) + tf.constant([1., 2., 3.])\n"
      "graph --all\n",
      {.keep_going = true});
  EXPECT_EQ(ran.out, "Const = Const() f32[]\n");
  EXPECT_NE(ran.errors, "");
}

TEST(Commands, AVariableOfAVerbsNameWins) {
  EXPECT_EQ(Type("graph = 7\nprint(graph)\n").out, "7\n");
}

}  // namespace
}  // namespace tensh::shell
