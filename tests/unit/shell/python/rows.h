#pragma once
// Tests of the language as rows {program, result}. The expected texts are CPython's: the output of
// the program, followed by the repr of its last expression or by "Class: message".
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell {

struct Row {
  const char* program;
  const char* want;
};

// Runs a program in the given interpreter, whose globals are cleared first.
inline std::string ResultOf(Interp& interp, std::string program) {
  std::string out;
  interp.ClearGlobals();
  interp.set_stdout([&out](std::string_view text) { out += text; });
  try {
    const Value last = interp.Exec(std::move(program), "test", ExecMode::kFile);
    interp.Flush();
    if (!last.is_null() && !(last.is_none() && !out.empty())) out += Repr(last);
  } catch (const PyError& e) {
    interp.Flush();
    out += e.ClassName() + ": " + e.Message();
  }
  interp.set_stdout({});
  return out;
}

// Runs all rows in one interpreter.
inline void CheckRows(std::initializer_list<Row> rows) {
  Interp interp;
  for (const Row& row : rows) EXPECT_EQ(ResultOf(interp, row.program), row.want) << row.program;
}

}  // namespace tensh::shell
