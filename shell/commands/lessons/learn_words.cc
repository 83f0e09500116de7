#include "shell/commands/lessons/learn_words.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kWords[] = {"again", "answer", "check", "export",  "hint", "list",
                                       "new",   "page",   "quit",  "servers", "skip", "start",
                                       "stop",  "task",   "tensh", "test"};

}  // namespace

std::span<const std::string_view> LearnWords() { return kWords; }

bool IsLessonPath(std::string_view word) {
  return word.find('/') != word.npos || word == "." || word == ".." || word.ends_with(".lesson");
}

std::string AsTyped(const std::string& statement, const std::string& indentation) {
  std::string out = indentation;
  for (const char c : statement) out += c == '\n' ? "\n" + indentation : std::string(1, c);
  return out + "\n";
}

bool EndsInCode(std::string_view text) {
  const size_t line = text.rfind('\n') + 1;  // npos + 1 is 0
  return text.substr(line).starts_with("  ");
}

bool IsPunctuated(std::string_view text) {
  return text.ends_with('.') || text.ends_with('?') || text.ends_with('!') || text.ends_with("…");
}

void RecordLesson(Shell& shell, const Lesson& lesson, size_t steps, bool new_graph) {
  std::string script = new_graph ? "tf.reset_default_graph()\n" : "";
  if (lesson.servers.empty()) {
    for (const std::string& statement : lesson.given) script += statement + "\n";
    for (size_t i = 0; i < steps && i < lesson.steps.size(); ++i) {
      if (lesson.steps[i].asks) continue;
      for (const std::string& statement : lesson.steps[i].solution) script += statement + "\n";
    }
  }
  if (!script.empty()) shell.RecordAs(script);
}

}  // namespace tensh::shell
