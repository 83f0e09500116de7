// The variable TF_CONFIG: what it says, and what is wrong with it.
#include "shell/tf_config.h"

#include <gtest/gtest.h>

#include <string>

namespace tensh::shell {
namespace {

std::string ErrorOf(const std::string& text) {
  TfConfig config;
  std::string error;
  EXPECT_FALSE(ParseTfConfig(text, &config, &error)) << text;
  return error;
}

TEST(TfConfig, NamesTheTask) {
  for (const char* index : {"1", "\"1\""}) {
    TfConfig config;
    std::string error;
    const std::string text = R"({"cluster": {"ps": ["a:1"], "worker": ["b:2", "c:3"]},)"
                             R"("task": {"type": "worker", "index": )" +
                             std::string(index) + R"(}, "environment": "cloud"})";
    ASSERT_TRUE(ParseTfConfig(text, &config, &error)) << error;
    EXPECT_EQ(config.job, "worker");
    EXPECT_EQ(config.task, 1);
    EXPECT_EQ(config.cluster, R"({"ps": ["a:1"], "worker": ["b:2", "c:3"]})");
  }
}

TEST(TfConfig, TasksMayHaveGaps) {
  TfConfig config;
  std::string error;
  const std::string text =
      R"({"cluster": {"worker": {"4": "a:1"}}, "task": {"type": "worker", "index": 4}})";
  ASSERT_TRUE(ParseTfConfig(text, &config, &error)) << error;
  EXPECT_EQ(config.task, 4);
}

TEST(TfConfig, WithoutAClusterThereIsOneServer) {
  for (const char* text : {"", "{}", R"({"cluster": {}})", R"({"cluster": null, "task": 3})"}) {
    TfConfig config;
    std::string error;
    EXPECT_TRUE(ParseTfConfig(text, &config, &error)) << error;
    EXPECT_EQ(config.cluster, "") << text;
  }
}

TEST(TfConfig, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf("{"), "it is not a JSON object");
  EXPECT_EQ(ErrorOf("[]"), "it is not a JSON object");
  EXPECT_EQ(ErrorOf(R"({"cluster": {"worker": "a:1"}})"),
            "'cluster' is not an object of lists of addresses");
  EXPECT_EQ(ErrorOf(R"({"cluster": {"worker": [["a:1"]]}})"),
            "'cluster' is not an object of lists of addresses");
  EXPECT_EQ(ErrorOf(R"({"cluster": {"worker": ["a:1"]}})"), "it has a cluster, but no 'task'");
  EXPECT_EQ(ErrorOf(R"({"cluster": {"worker": ["a:1"]}, "task": {"index": 0}})"),
            "'task' has no 'type'");
  EXPECT_EQ(
      ErrorOf(R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": "x"}})"),
      "the 'index' of its task is not a number");
  EXPECT_EQ(ErrorOf(R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 1}})"),
            "its cluster has no task worker:1");
  EXPECT_EQ(ErrorOf(R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "evaluator"}})"),
            "its cluster has no task evaluator:0");
}

}  // namespace
}  // namespace tensh::shell
