// Replays the record of TensorFlow (README.md). For each op there are separate tests for values,
// inferred shapes, gradients and the definition. A test prints all differences of its op.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/oracle/case.h"
#include "tests/oracle/compare.h"
#include "tests/oracle/replay.h"

namespace tensh::oracle {
namespace {

// Ops for which TensorFlow infers an impossible shape too: a placeholder that is fed with another
// shape, and a negative batch_dims that is not counted from the end.
const std::set<std::string> kWrongShapes = {"PlaceholderWithDefault", "GatherV2"};

// Gradients of ops that TensorFlow computes in float are no more accurate than the ops.
Tolerance GradientToleranceOf(std::string_view op) {
  Tolerance t = kGradientTolerance;
  t.relative_double = std::max(t.relative_double, ToleranceOf(op).relative_double);
  return t;
}

std::string CheckRuns(const std::string& op, Case& built, const Json& row,
                      const Tolerance& tolerance) {
  std::vector<Json> runs = {row["out"]};
  if (row.contains("next")) runs.insert(runs.end(), row["next"].begin(), row["next"].end());
  for (size_t i = 0; i < runs.size(); ++i) {
    const Outcome got = built.RunOutputs();
    if (!got.error.empty()) return got.error + ": " + got.message;
    std::string difference = CompareAll(got.tensors, runs[i], row, tolerance);
    if (difference.empty() && !kWrongShapes.count(op))
      difference = built.ShapesAgainst(got.tensors);
    if (!difference.empty()) return (i ? "run " + std::to_string(i + 1) + ", " : "") + difference;
  }
  if (!row.contains("after")) return {};
  const Outcome after = built.RunVariables();
  if (!after.error.empty()) return "variables afterwards: " + after.error + ": " + after.message;
  const std::string difference = CompareAll(after.tensors, row["after"], row, tolerance);
  return difference.empty() ? "" : "variables afterwards: " + difference;
}

// A shape function may be stricter than its kernel, for example if PlaceholderWithDefault gets
// another shape.
bool ShapeFunctionRefuses(const Json& row) {
  if (!row.contains("shapes")) return false;
  for (const Json& variant : row["shapes"]) {
    if (variant[1].is_string()) return true;
  }
  return false;
}

// An error during graph construction counts like one at run time, because with known shapes the
// shape function finds it first.
std::string CheckValues(const std::string& op, const Json& row, Feed feed) {
  Case built;
  Outcome got = built.Build(op, row, feed);
  if (got.error.empty()) got = built.Initialize();
  if (row.contains("error")) {
    if (got.error.empty()) got = built.RunOutputs();
    const std::string want = row["error"];
    if (got.error == want || (got.error.empty() && IsNoErrorOnAGpu(row))) return {};
    return "got " + (got.error.empty() ? "a value" : got.error + ": " + got.message) + ", want " +
           want + ": " + row["message"].get<std::string>();
  }
  if (!got.error.empty() && feed != Feed::kUnknownShape && ShapeFunctionRefuses(row)) return {};
  if (!got.error.empty()) return "building it: " + got.error + ": " + got.message;
  return CheckRuns(op, built, row, ToleranceOf(op));
}

std::string CheckShape(const std::string& op, const Json& row, const Json& variant) {
  Case built;
  const Outcome got = built.Build(op, row, Feed::kKnownShape, &variant[0]);
  const std::string where = " for inputs " + variant[0].dump();
  // Errors that TensorFlow finds only at run time may be found during graph construction.
  if (!got.error.empty() && row.contains("error") && got.error == row["error"]) return {};
  if (variant[1].is_string()) {
    const std::string want = variant[1];
    return got.error == want
               ? ""
               : "got " + (got.error.empty() ? "no error" : got.error) + ", want " + want + where;
  }
  if (!got.error.empty()) return got.error + ": " + got.message + where;
  Json shapes = Json::array();
  for (size_t i = 0; i < built.n_outputs(); ++i) shapes.push_back(built.OutputShape(i));
  return shapes == variant[1] ? "" : "got " + shapes.dump() + ", want " + variant[1].dump() + where;
}

class Values : public testing::TestWithParam<std::string> {};
class Types : public testing::TestWithParam<std::string> {};
class Shapes : public testing::TestWithParam<std::string> {};
class Gradients : public testing::TestWithParam<std::string> {};
class Definitions : public testing::TestWithParam<std::string> {};

TEST_P(Values, AgreeWithTensorFlow) {
  Report report(GetParam());
  constexpr std::pair<Feed, const char*> kFeeds[] = {{Feed::kUnknownShape, ""},
                                                     {Feed::kKnownShape, "(known shapes) "},
                                                     {Feed::kConstant, "(constants) "}};
  const Json cases = ReadJson(RecordPath("values/" + GetParam() + ".json"))["cases"];
  for (const auto& [feed, note] : kFeeds) {
    for (const Json& row : cases) {
      const std::string difference = CheckValues(GetParam(), row, feed);
      if (!difference.empty()) report.Add(row, note + difference);
    }
  }
  if (!report.text().empty()) ADD_FAILURE() << report.text();
}

// The element types that values/ leaves out: 16-bit floats, complex numbers and less common
// integers.
TEST_P(Types, AgreeWithTensorFlow) {
  Report report(GetParam());
  const Json cases = ReadJson(RecordPath("types/" + GetParam() + ".json"))["cases"];
  for (const Json& row : cases) {
    std::string difference = CheckValues(GetParam(), row, Feed::kUnknownShape);
    if (difference.empty() && row.contains("w")) {
      Case built;
      Outcome got = built.Build(GetParam(), row, Feed::kUnknownShape);
      if (got.error.empty()) got = built.Initialize();
      if (got.error.empty()) got = built.RunGradients(row["w"]);
      difference = got.error.empty()
                       ? CompareAll(got.tensors, row["grad"], row, GradientToleranceOf(GetParam()))
                       : got.error + ": " + got.message;
      if (!difference.empty()) difference = "gradient: " + difference;
    }
    if (!difference.empty()) report.Add(row, difference);
  }
  if (!report.text().empty()) ADD_FAILURE() << report.text();
}

TEST_P(Shapes, AgreeWithTensorFlow) {
  Report report(GetParam());
  const Json cases = ReadJson(RecordPath("values/" + GetParam() + ".json"))["cases"];
  for (const Json& row : cases) {
    if (!row.contains("shapes")) continue;
    for (const Json& variant : row["shapes"]) {
      const std::string difference = CheckShape(GetParam(), row, variant);
      if (!difference.empty()) report.Add(row, difference);
    }
  }
  if (!report.text().empty()) ADD_FAILURE() << report.text();
}

// Here the gradient requires a constant axis and known ranks, unlike TensorFlow's.
const std::set<std::string> kNeedConstants = {"GatherV2"};

TEST_P(Gradients, AgreeWithTensorFlow) {
  Report report(GetParam());
  const Json cases = ReadJson(RecordPath("gradients/" + GetParam() + ".json"))["cases"];
  for (Feed feed : {Feed::kUnknownShape, Feed::kKnownShape, Feed::kTyped}) {
    if (feed != Feed::kTyped && kNeedConstants.count(GetParam())) continue;
    for (const Json& row : cases) {
      Case built;
      Outcome got = built.Build(GetParam(), row, feed);
      // The case was recorded with unknown shapes, so the shape function may find more errors.
      if (!got.error.empty() && feed != Feed::kUnknownShape) continue;
      if (got.error.empty()) got = built.Initialize();
      if (got.error.empty()) got = built.RunGradients(row["w"]);
      const std::string difference = got.error.empty() ? CompareAll(got.tensors, row["grad"], row,
                                                                    GradientToleranceOf(GetParam()))
                                                       : got.error + ": " + got.message;
      if (!difference.empty()) report.Add(row, difference);
    }
  }
  if (!report.text().empty()) ADD_FAILURE() << report.text();
}

const std::set<std::string> kDtypes = {"float", "double", "int32", "int64", "bool", "string"};

// Returns the parts that tensh supports. Other dtypes are removed from the lists on both sides.
Json Comparable(const Json& definition) {
  Json out;
  for (const char* key : {"inputs", "outputs", "stateful"})
    out[key] = definition.value(key, Json());
  out["attrs"] = Json::object();
  for (const Json& attr : definition["attrs"]) {
    Json& row = out["attrs"][attr["name"].get<std::string>()];
    row["type"] = attr["type"];
    for (const char* key : {"default", "minimum"}) {
      if (attr.contains(key)) row[key] = attr[key];
    }
    // An unknown shape is null here, but text in the record.
    if (attr["type"] == "shape" && row.value("default", Json()) == "<unknown>")
      row["default"] = nullptr;
    if (!attr.contains("allowed")) continue;
    std::set<std::string> allowed;
    for (const std::string one : attr["allowed"]) {
      if (attr["type"] != "type" || kDtypes.count(one)) allowed.insert(one);
    }
    row["allowed"] = allowed;
  }
  return out;
}

// Definitions that differ from TensorFlow 2.21: some follow 1.15 (integers), and one has a default
// for which the record has no text.
const std::set<std::string> kOtherDefinitions = {"Acos", "Asin", "Atan", "Tan", "ImageSummary"};

// tensh's own op definitions by name, requested once.
const std::map<std::string, Json>& OurDefinitions() {
  static const std::map<std::string, Json> ours = [] {
    char* text = tsh_ops_json("");
    const Json all = Json::parse(text);
    tsh_free(text);
    std::map<std::string, Json> by_name;
    for (const Json& row : all) by_name[row["name"].get<std::string>()] = row;
    return by_name;
  }();
  return ours;
}

TEST_P(Definitions, AgreeWithTensorFlow) {
  if (kOtherDefinitions.count(GetParam())) return;
  const auto found = OurDefinitions().find(GetParam());
  ASSERT_TRUE(found != OurDefinitions().end()) << "tensh has no op " << GetParam();
  const Json want = Comparable(Definition(GetParam()));
  const Json got = Comparable(found->second);
  EXPECT_EQ(got, want) << Json::diff(got, want).dump(1);
}

INSTANTIATE_TEST_SUITE_P(Oracle, Values, testing::ValuesIn(Ops("values")), NameOf);
INSTANTIATE_TEST_SUITE_P(Oracle, Types, testing::ValuesIn(Ops("types")), NameOf);
INSTANTIATE_TEST_SUITE_P(Oracle, Shapes, testing::ValuesIn(Ops("values")), NameOf);
INSTANTIATE_TEST_SUITE_P(Oracle, Gradients, testing::ValuesIn(Ops("gradients")), NameOf);
INSTANTIATE_TEST_SUITE_P(Oracle, Definitions, testing::ValuesIn(Ops("")), NameOf);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Gradients);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Types);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Values);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Shapes);

}  // namespace
}  // namespace tensh::oracle
