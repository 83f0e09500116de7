#pragma once

// Helpers for tests of the record: the list of recorded ops, and the collection of differences.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/oracle/case.h"
#include "tests/oracle/compare.h"

namespace tensh::oracle {

// Collects the differences of an op, except for those listed in differences.txt. The message shows
// the first few and the number of the others.
class Report {
 public:
  explicit Report(std::string op) : op_(std::move(op)) {}
  void Add(const Json& row, const std::string& what);
  std::string text() const;

 private:
  std::string op_;
  size_t count_ = 0;
  std::string text_;
};

// Returns the ops of ops.txt that have a file in this folder of the record, or all ops for "".
std::vector<std::string> Ops(const std::string& folder);

// Returns a description of the differences, or "". `want` contains texts of tensors, or null for
// none.
std::string CompareAll(const std::vector<TensorPtr>& got, const Json& want, const Json& row,
                       const Tolerance& tolerance);

// As on TensorFlow's GPUs, an index out of range or a divisor 0 is not an error on ours
// (docs/gpu.md). `error` is {"error": …, "message": …}.
bool IsNoErrorOnAGpu(const Json& error);

inline std::string NameOf(const testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace tensh::oracle
