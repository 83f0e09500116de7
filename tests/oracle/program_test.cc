// Replays the recorded programs (README.md, programs/): ops whose inputs are variables, queues,
// tables, lists or iterators. There is one test per op, which prints all differences.

#include <unistd.h>

#include <filesystem>

#include "tests/oracle/program.h"
#include "tests/oracle/replay.h"

namespace tensh::oracle {
namespace {

// Returns the class of the program's first error during construction or at run time, or "".
std::string FirstError(const Json& row) {
  if (row.contains("error")) return row["error"];
  for (const Json& out : row["out"]) {
    if (out.is_object()) return out["error"];
  }
  return {};
}

std::string CheckStep(Program& built, const Json& row, size_t i, const Tolerance& tolerance) {
  const std::string step = row["runs"][i];
  const Json& want = row["out"][i];
  const bool waited = want.is_object() && want["error"] == "DeadlineExceededError";
  const Outcome got = built.Run(step, waited);
  const std::string where = "step " + std::to_string(i) + " (" + step + "): ";
  const std::string have = got.error.empty() ? "a value" : got.error + ": " + got.message;
  if (want.is_object()) {
    if (got.error == want["error"]) return {};
    return where + "got " + have + ", want " + want["error"].get<std::string>() + ": " +
           want["message"].get<std::string>();
  }
  if (!got.error.empty()) return where + have;
  const std::string difference = CompareAll(got.tensors, want, row, tolerance);
  return difference.empty() ? "" : where + difference;
}

// If `hide` is set, the op under test sees no constants, as in the recording. Otherwise errors may
// be found during graph construction.
std::string CheckProgram(const std::string& op, const Json& row, bool hide) {
  Program built;
  Outcome got = built.Build(op, row, hide);
  if (!got.error.empty()) {
    const std::string want = FirstError(row);
    if (got.error == want && (!hide || row.contains("error"))) return {};
    if (!hide && row.contains("shapes") && row["shapes"] == got.error) return {};
    return "building it: " + got.error + ": " + got.message +
           (want.empty() ? "" : ", want " + want);
  }
  got = built.Start();
  if (!got.error.empty()) return got.error + ": " + got.message;
  if (row.contains("error")) {
    // TensorFlow follows handles during graph construction, so the errors it finds there may be
    // found here at run time.
    for (const Json& step : row["runs"]) {
      if (built.Run(step).error == row["error"]) return {};
    }
    if (IsNoErrorOnAGpu(row)) return {};
    return "it could be built, want " + row["error"].get<std::string>() + ": " +
           row["message"].get<std::string>();
  }
  for (size_t i = 0; i < row["runs"].size(); ++i) {
    if (row["out"][i].is_object() && IsNoErrorOnAGpu(row["out"][i])) break;
    const std::string difference = CheckStep(built, row, i, ToleranceOf(op));
    if (!difference.empty()) return difference;
  }
  return {};
}

std::string CheckShapes(const std::string& op, const Json& row) {
  if (!row.contains("shapes")) return {};
  Program built;
  const Outcome got = built.Build(op, row, false);
  const Json& want = row["shapes"];
  if (want.is_string()) {
    const std::string have = got.error.empty() ? "no error" : got.error;
    return have == want ? "" : "shapes: got " + have + ", want " + want.get<std::string>();
  }
  if (!got.error.empty()) {
    // Errors that TensorFlow finds only at run time may be found during graph construction.
    return got.error == FirstError(row) ? "" : "shapes: " + got.error + ": " + got.message;
  }
  const Json have = built.Shapes();
  return have == want ? "" : "shapes: got " + have.dump() + ", want " + want.dump();
}

// files of the programs, such as /tmp/tensh_oracle_0.txt
constexpr std::string_view kFile = "tensh_oracle_";

// The prefix of their names in this process, because several processes run at the same time.
std::string OwnFile() { return std::string(kFile) + std::to_string(getpid()) + "_"; }

Json ReadPrograms(const std::string& op) {
  std::string text = ReadJson(RecordPath("programs/" + op + ".json"))["cases"].dump();
  const std::string own = OwnFile();
  for (size_t at = 0; (at = text.find(kFile, at)) != std::string::npos; at += own.size())
    text.replace(at, kFile.size(), own);
  return Json::parse(text);
}

class Programs : public testing::TestWithParam<std::string> {
 protected:
  void TearDown() override {
    const std::string own = OwnFile();
    for (const auto& file : std::filesystem::directory_iterator("/tmp"))
      if (file.path().filename().string().rfind(own, 0) == 0) std::filesystem::remove(file.path());
  }
};

TEST_P(Programs, AgreeWithTensorFlow) {
  Report report(GetParam());
  const Json cases = ReadPrograms(GetParam());
  for (const Json& row : cases) {
    std::string difference = CheckProgram(GetParam(), row, true);
    if (difference.empty()) {
      difference = CheckProgram(GetParam(), row, false);
      if (!difference.empty()) difference = "(constants) " + difference;
    }
    if (difference.empty()) difference = CheckShapes(GetParam(), row);
    if (!difference.empty()) report.Add(row, difference);
  }
  if (!report.text().empty()) ADD_FAILURE() << report.text();
}

INSTANTIATE_TEST_SUITE_P(Oracle, Programs, testing::ValuesIn(Ops("programs")), NameOf);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Programs);

}  // namespace
}  // namespace tensh::oracle
