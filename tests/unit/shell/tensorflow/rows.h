#pragma once
// Runs rows of Python: a script, an expression, and the text that print shows of it. The rows of a
// test share an interpreter, in which `tf` and `np` are defined, and each begins with an empty graph.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shell/numpy/module.h"
#include "shell/python/values/error.h"
#include "shell/python/vm/interp.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell::test {

struct PrintRow {
  std::string script;      // may be empty
  std::string expression;  // printed
  std::string want;        // without the newline; or the class and message of an error
};

class Rows {
 public:
  Rows() {
    interp_.AddModule("numpy", NumpyCatalogue().root());
    interp_.AddModule("_lapack", np::kLapackModule);
    interp_.AddBuiltinModule("np", "numpy");
    tf::AddTensorFlow(interp_);
    interp_.set_stdout([this](std::string_view text) { out_ += text; });
    interp_.set_stderr([](std::string_view) {});
  }
  std::string Play(const PrintRow& row) {
    out_.clear();
    try {
      interp_.Exec("tf.reset_default_graph()\n" + row.script + "\nprint(" + row.expression + ")\n",
                   "row.py", ExecMode::kFile);
      interp_.Flush();
    } catch (const PyError& error) {
      interp_.Flush();
      out_ += error.ClassName() + ": " + error.Message() + "\n";
    }
    if (!out_.empty() && out_.back() == '\n') out_.pop_back();
    return out_;
  }
  void Check(const std::vector<PrintRow>& rows) {
    for (const PrintRow& row : rows)
      EXPECT_EQ(Play(row), row.want) << row.script << "\n" << row.expression;
  }

 private:
  Interp interp_;
  std::string out_;
};

}  // namespace tensh::shell::test
