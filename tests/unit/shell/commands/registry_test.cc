// Checks that the table entry of every verb is complete and well-formed.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "shell/commands/base/command.h"
#include "shell/commands/base/words.h"

namespace tensh::shell {
namespace {

CommandRegistry All() {
  CommandRegistry registry;
  RegisterCommand_all(registry);
  return registry;
}

TEST(Registry, RowsAreWhole) {
  const CommandRegistry registry = All();
  EXPECT_GE(registry.commands().size(), 17u);
  std::set<std::string> names;
  for (const Command& command : registry.commands()) {
    const std::string name = command.name;
    EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
    EXPECT_TRUE(IsName(name)) << name;
    EXPECT_EQ(FirstWord(command.usage), name) << "a usage begins with its verb";
    EXPECT_NE(command.run, nullptr) << name;
    const std::string_view summary = command.summary;
    ASSERT_FALSE(summary.empty()) << name;
    EXPECT_EQ(summary.back(), '.') << name << ": a summary is a sentence";
    EXPECT_LE(FirstWord(command.usage).size(), 12u) << name;
  }
}

TEST(Registry, VerbsOfTheProduct) {
  const CommandRegistry registry = All();
  for (const char* name :
       {"eval", "run", "explain", "why", "graph", "nodes", "devices", "sessions", "graphs",
        "session", "vars", "ops", "set", "time", "read", "help", "quit", "place"}) {
    EXPECT_NE(registry.Find(name), nullptr) << name;
  }
  EXPECT_EQ(registry.Find("no such verb"), nullptr);
}

TEST(Registry, DocsHaveEveryVerb) {
  const CommandRegistry registry = All();
  const std::string docs = CommandDocs(registry);
  for (const Command& command : registry.commands()) {
    EXPECT_NE(docs.find("\n## " + std::string(command.name) + "\n"), std::string::npos)
        << command.name;
    EXPECT_NE(docs.find(command.usage), std::string::npos) << command.name;
  }
}

TEST(Registry, Flags) {
  std::string got;
  for (const auto& [flag, value] :
       FlagsOf("explain [analyze] EXPR[, …] [--stage N] [--all] [--json]")) {
    got += std::string(flag) + (value ? "=" : "") + " ";
  }
  EXPECT_EQ(got, "--stage= --all --json ");
}

// The working directory of tests is the root of the repository.
TEST(Registry, DocsAreUpToDate) {
  std::ifstream file("docs/commands.md");
  ASSERT_TRUE(file) << "run this from the root of the repository";
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), CommandDocs(All())) << "write it anew: ./dev docs";
}

}  // namespace
}  // namespace tensh::shell
