#pragma once
// Tests of np as rows {program, result}, in the form of tests/unit/shell/python/rows.h: the repr of
// the last expression, or "Class: message". The expected texts are numpy's, printed in the style of
// numpy 1.25.
#include "shell/numpy/module.h"
#include "shell/tensorflow/names/tf.h"
#include "tests/unit/shell/python/rows.h"

namespace tensh::shell {

// Runs all rows in one interpreter, in which `np` is defined. np.fft computes with tf.
inline void CheckNumpyRows(std::initializer_list<Row> rows) {
  Interp interp;
  interp.AddModule("numpy", NumpyCatalogue().root());
  interp.AddModule("_lapack", np::kLapackModule);
  interp.AddBuiltinModule("np", "numpy");
  tf::AddTensorFlow(interp);
  for (const Row& row : rows) EXPECT_EQ(ResultOf(interp, row.program), row.want) << row.program;
}

}  // namespace tensh::shell
