// Lines that are typed into a new shell over a small graph, and what they print.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "shell/commands/base/shell.h"
#include "shell/print/error_printer.h"
#include "shell/session/modules.h"

namespace tensh::shell {

// c = a + b; a variable v with its initializer i; a placeholder p. These are the versions @1 to @5.
inline constexpr const char* kGraph =
    "a = tf.constant([1., 2.], name='a')\n"
    "b = tf.constant([3., 4.], name='b')\n"
    "c = tf.add(a, b, name='c')\n"
    "v = tf.Variable(7., name='v')\n"
    "i = v.initializer\n"
    "p = tf.placeholder(tf.float32, [2], name='p')\n";

struct Ran {
  std::string out, error;  // The error is "Class: message. Hint".
};

// Types the lines after kGraph into a new shell with two CPUs.
inline Ran Typed(const std::string& lines) {
  Ran ran;
  Interp interp;
  interp.set_stdout([&](std::string_view piece) { ran.out += piece; });
  interp.set_stderr([](std::string_view) {});
  ShellOptions options;
  options.cpus = 2;
  Shell shell(interp, options);
  try {
    interp.Exec(kGraph, "<graph>", ExecMode::kFile);
    interp.Exec(lines + "\n", "<test>", ExecMode::kFile);
  } catch (const PyError& error) {
    ran.error = error.ClassName() + ": " + FormatError(error, {});
  }
  interp.Flush();
  return ran;
}

struct Prints {
  const char *lines, *want;
};

inline void CheckPrints(std::initializer_list<Prints> rows) {
  for (const Prints& row : rows) {
    const Ran ran = Typed(row.lines);
    EXPECT_EQ(ran.out, row.want) << row.lines;
    EXPECT_EQ(ran.error, "") << row.lines;
  }
}

struct Fails {
  const char *lines, *error, *says;
};

// Checks that each row fails with an error of this class that contains this text, and prints
// nothing.
inline void CheckFails(std::initializer_list<Fails> rows) {
  for (const Fails& row : rows) {
    const Ran ran = Typed(row.lines);
    EXPECT_EQ(ran.error.rfind(row.error + std::string(": "), 0), 0u) << row.lines << "\n"
                                                                     << ran.error;
    EXPECT_NE(ran.error.find(row.says), std::string::npos) << row.lines << "\n" << ran.error;
    EXPECT_EQ(ran.out, "") << row.lines;
  }
}

}  // namespace tensh::shell
