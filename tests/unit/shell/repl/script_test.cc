// Scripts: their output, the exit code of the process, and errors of statements and of syntax.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "shell/client/client.h"
#include "shell/repl.h"

namespace tensh::shell {
namespace {

struct Ran {
  int code = 0;
  std::string out, errors;
};

Ran Play(const std::string& text, ShellOptions options = {}, const std::string& file = "<stdin>") {
  Ran ran;
  Interp interp;
  interp.set_stdout([&](std::string_view piece) { ran.out += piece; });
  interp.set_stderr([&](std::string_view piece) { ran.errors += piece; });
  Shell shell(interp, options);
  ran.code = RunScript(shell, text, file);
  return ran;
}

// The variables of the graph that the failed statement made are its only references.
TEST(Scripts, AFailedStatementMayLeaveAGraph) {
  const Ran ran = Play(
      "def f():\n"
      "  with tf.Graph().as_default():\n"
      "    w = tf.Variable(tf.zeros([3, 3]) + tf.Variable(1.))\n"
      "  w = None\n"
      "  1 / 0\n"
      "f()\n");
  EXPECT_NE(ran.errors.find("ZeroDivisionError"), std::string::npos) << ran.errors;
  EXPECT_EQ(Play("print(tf.constant(1.).graph is tf.get_default_graph())\n").out, "True\n");
}

TEST(Scripts, OutputAndExitCode) {
  const struct {
    const char* text;
    int code;
    const char *out, *error;  // a part of the error, or "" if there is none
  } rows[] = {
      {"", kExitOk, "", ""},
      {"print(1)\nprint(2)\n", kExitOk, "1\n2\n", ""},
      {"print(1)", kExitOk, "1\n", ""},
      {"\xEF\xBB\xBFprint(1)\r\nprint(2)\rprint(3)", kExitOk, "1\n2\n3\n", ""},
      {"1 + 1\n", kExitOk, "", ""},  // a script does not echo values
      {"eval 1 + 1\n", kExitOk, "2\n", ""},
      {"print(1)\n1 / 0\nprint(2)\n", kExitFailed, "1\n", "ZeroDivisionError: division by zero"},
      {"print(1)\nx = = 2\n", kExitFailed, "", "SyntaxError"},  // nothing runs
      {"nope\n", kExitFailed, "", "<stdin>:1:1: NameError: name 'nope' is not defined"},
      {"def f():\n  return nope\nf()\n", kExitFailed, "", "NameError"},
      {"import sys\nprint(1)\nsys.exit(5)\nprint(2)\n", 5, "1\n", ""},
      {"import sys\nsys.exit('why')\n", kExitFailed, "", "why"},
      {"raise SystemExit\n", kExitOk, "", ""},
      {"quit\nprint(2)\n", kExitOk, "", ""},
      {"raise KeyboardInterrupt\n", kExitInterrupted, "", ""},
      {"x = tf.constant(2.)\neval x * x\n", kExitOk, "4.0\n", ""},
  };
  for (const auto& row : rows) {
    const Ran ran = Play(row.text);
    EXPECT_EQ(ran.code, row.code) << row.text << "\n" << ran.errors;
    EXPECT_EQ(ran.out, row.out) << row.text;
    EXPECT_NE(ran.errors.find(row.error), std::string::npos) << row.text << "\n" << ran.errors;
  }
}

// Ctrl-C requests an interrupt and cancels the running steps. The user sees the interrupt, whichever
// command ran the step, and not the error of the step.
TEST(Scripts, AnInterruptDuringAStepIsAKeyboardInterrupt) {
  for (const char* command : {"eval d", "run d times 3", "profile d times 3", "explain analyze d",
                              "step d", "bench d times 3", "s = tf.Session(); s.run(d)"}) {
    std::string errors;
    Interp interp;
    interp.set_stderr([&](std::string_view piece) { errors += piece; });
    Shell shell(interp, {});
    ASSERT_EQ(RunScript(shell, "d = tf.FIFOQueue(1, tf.float32).dequeue()\n", "<stdin>"), kExitOk);
    std::atomic<bool> ended = false;
    std::thread user([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // until the step waits
      for (; !ended; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
        interp.Interrupt();
        CancelAllSessions();
      }
    });
    EXPECT_EQ(RunScript(shell, std::string(command) + "\n", "<stdin>"), kExitInterrupted)
        << command;
    ended = true;
    user.join();
    EXPECT_NE(errors.find("KeyboardInterrupt"), std::string::npos) << command << "\n" << errors;
    EXPECT_EQ(errors.find("CancelledError"), std::string::npos) << command << "\n" << errors;
    interp.ClearInterrupt();
  }
}

TEST(Scripts, KeepGoing) {
  ShellOptions options;
  options.keep_going = true;
  const Ran ran = Play("print(1)\n1 / 0\nprint(2)\n", options);
  EXPECT_EQ(ran.code, kExitFailed);
  EXPECT_EQ(ran.out, "1\n2\n");
  const Ran broken = Play("print(1)\nx = = 2\nprint(3)\n", options);
  EXPECT_EQ(broken.code, kExitFailed);
  EXPECT_EQ(broken.out, "1\n3\n") << "a syntax error fails one cell";
  EXPECT_EQ(Play("print(1)\n", options).code, kExitOk);
  const Ran first = Play(
      "tf.nn.relu(tf.constant([1.]), bogus=3)\n"
      "print(len(tf.get_default_graph().as_graph_def().node))\n",
      options);
  EXPECT_EQ(first.out, "0\n") << "the graph that a failed statement makes stays empty";
}

TEST(Scripts, KnowTheirFile) {
  EXPECT_EQ(Play("print(__file__, __name__)\n", {}, "dir/train.py").out, "dir/train.py __main__\n");
  EXPECT_EQ(Play("print('__file__' in globals())\n").out, "False\n");
  EXPECT_NE(Play("1 / 0\n", {}, "dir/train.py").errors.find("dir/train.py:1"), std::string::npos);
}

TEST(Scripts, WaitForTheirThreads) {
  std::string out;
  Interp interp;
  interp.set_stdout([&](std::string_view piece) { out += piece; });
  Shell shell(interp, {});
  EXPECT_EQ(RunScript(shell,
                      "import threading\n"
                      "threading.Thread(target=lambda: print('in a thread')).start()\n",
                      "<stdin>"),
            kExitOk);
  EXPECT_TRUE(EndThreads(shell));
  EXPECT_EQ(out, "in a thread\n");
}

}  // namespace
}  // namespace tensh::shell
