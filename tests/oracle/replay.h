#pragma once

// What the tests of the record share: which ops have one, how differences are collected and told.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/oracle/case.h"
#include "tests/oracle/compare.h"

namespace tensh::oracle {

// Collects an op's differences but those of differences.txt; the message shows the first few and
// counts the rest.
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

// The ops of ops.txt that have a file in this folder of the record; all of them for "".
std::vector<std::string> Ops(const std::string& folder);

// What differs, or "". want: texts of tensors, null where there is none.
std::string CompareAll(const std::vector<TensorPtr>& got, const Json& want, const Json& row,
                       const Tolerance& tolerance);

// As on TensorFlow's GPUs an index out of range is no error on ours (docs/gpu.md), nor is a divisor
// 0. error: {"error": …, "message": …}.
bool IsNoErrorOnAGpu(const Json& error);

inline std::string NameOf(const testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace tensh::oracle
