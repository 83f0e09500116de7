#include "shell/commands/lessons/lesson.h"

#include <algorithm>
#include <iterator>

#include "runtime/base/text.h"
#include "shell/commands/base/words.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr int kMostTasks = 8;

constexpr std::string_view kKeywords[] = {"servers", "task", "ask",   "check",
                                          "else",    "hint", "varies"};

// Returns the keyword of a line such as "task: …", or "". A word in prose may be followed by a colon
// as well, so only words that are similar to a keyword are reported as mistakes.
std::string_view WordBeforeColon(std::string_view line) {
  const size_t end = line.find(':');
  if (end == line.npos || end == 0 || end > 10) return "";
  const std::string_view word = line.substr(0, end);
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; }) ? word
                                                                                            : "";
}

// True if the words differ in one letter or in the order of two.
bool Similar(std::string_view a, std::string_view b) {
  if (a == b || a.size() + 1 < b.size() || b.size() + 1 < a.size()) return false;
  size_t front = 0, back = 0;
  while (front < a.size() && front < b.size() && a[front] == b[front]) ++front;
  while (back < a.size() - front && back < b.size() - front &&
         a[a.size() - 1 - back] == b[b.size() - 1 - back])
    ++back;
  const size_t left = std::max(a.size(), b.size()) - front - back;
  const bool swapped =
      left == 2 && a.size() == b.size() && a[front] == b[front + 1] && a[front + 1] == b[front];
  return left <= 1 || swapped;
}

class Parser {
 public:
  explicit Parser(std::vector<std::string>* problems) : problems_(problems) {}

  Lesson Parse(std::string_view text) {
    lesson_.source = text;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      ReadLine(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (lesson_.title.empty()) Problem(1, "the first line must be the title");
    if (lesson_.steps.empty()) Problem(line_, "there is no step; a step begins with a line == 1");
    FinishStep();
    const auto trim = [](std::string* piece) { *piece = std::string(Trim(*piece)); };
    trim(&lesson_.introduction);
    for (LessonStep& step : lesson_.steps) trim(&step.prose), trim(&step.task);
    return std::move(lesson_);
  }

 private:
  void Problem(int line, const std::string& what) {
    problems_->push_back(std::to_string(line) + ": " + what);
  }

  // Checks the step that ends here.
  void FinishStep() {
    if (lesson_.steps.empty()) return;
    const LessonStep& step = lesson_.steps.back();
    const auto lacks = [&](bool missing, const char* what) {
      if (missing) Problem(step.line, std::string("this step has no ") + what);
    };
    lacks(step.task.empty(), "task: or ask:");
    lacks(step.checks.empty(), "check:");
    lacks(step.solution.empty(), step.asks ? "solution: >>> learn answer …" : "solution: >>> …");
  }

  std::vector<std::string>& Statements() {
    return lesson_.steps.empty() ? lesson_.given : lesson_.steps.back().solution;
  }

  void ReadLine(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.starts_with('#')) return;
    if (line.starts_with("== ") || line == "==") return BeginStep();
    if (line.starts_with(">>> ")) {
      open_ = nullptr;
      return Statements().emplace_back(line.substr(4)), void();
    }
    if (line == "..." || line.starts_with("... "))
      return Continue(line.substr(std::min<size_t>(line.size(), 4)));
    const std::string_view word = WordBeforeColon(line);
    if (std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords))
      return Keyword(word, Trim(line.substr(word.size() + 1)));
    for (const std::string_view keyword : kKeywords)
      if (!word.empty() && Similar(word, keyword))
        Problem(line_, "unknown keyword " + std::string(word) + ":; did you mean " +
                           std::string(keyword) + ":?");
    Prose(line);
  }

  void BeginStep() {
    FinishStep();
    lesson_.steps.emplace_back();
    lesson_.steps.back().line = line_;
    open_ = &lesson_.steps.back().prose;
  }

  void Continue(std::string_view line) {
    if (Statements().empty() || open_ != nullptr)
      return Problem(line_, "a line that begins with ... must follow one that begins with >>>");
    Statements().back() += "\n" + std::string(line);
  }

  // A line without a keyword continues the text before it.
  void Prose(std::string_view line) {
    if (lesson_.title.empty()) {
      lesson_.title = Trim(line);
      open_ = &lesson_.introduction;
    } else if (open_ == nullptr) {
      if (!Trim(line).empty()) Problem(line_, "this text must come before the solution");
    } else {
      if (!open_->empty()) *open_ += open_is_code_ ? " " : "\n";
      *open_ += open_is_code_ ? Trim(line) : line;
    }
  }

  void Open(std::string* text, std::string_view first, bool code = false) {
    *text = first;
    open_ = text;
    open_is_code_ = code;
  }

  void Keyword(std::string_view word, std::string_view rest) {
    if (word == "servers") return Servers(rest);
    if (lesson_.steps.empty())
      return Problem(line_, std::string(word) + ": must be in a step, after a line == 1");
    LessonStep& step = lesson_.steps.back();
    if (word == "varies") {
      step.varies = true;
    } else if (word == "task" || word == "ask") {
      if (!step.task.empty()) Problem(line_, "this step has a second task: or ask:");
      step.asks = word == "ask";
      Open(&step.task, rest);
    } else if (word == "check") {
      Open(&step.checks.emplace_back().expression, rest, true);
    } else if (word == "hint") {
      Open(&step.hints.emplace_back(), rest);
    } else if (step.checks.empty() || !step.checks.back().otherwise.empty()) {
      Problem(line_, "else: must follow a check:");
    } else {
      Open(&step.checks.back().otherwise, rest);
    }
  }

  void Servers(std::string_view rest) {
    if (!lesson_.steps.empty()) return Problem(line_, "servers: must come before the first step");
    int sum = 0;
    while (!rest.empty()) {
      const std::string_view job = FirstWord(rest);
      rest = Trim(rest.substr(job.size()));
      const size_t equals = job.find('=');
      const std::string_view count = job.substr(std::min(equals, job.size() - 1) + 1);
      if (equals == job.npos || !IsName(job.substr(0, equals)) || count.size() != 1 ||
          count[0] < '1' || count[0] > '9')
        return Problem(line_,
                       "servers: expects jobs and their numbers of tasks, as in ps=1 worker=2");
      sum += count[0] - '0';
      lesson_.servers.emplace_back(job.substr(0, equals), count[0] - '0');
    }
    if (sum == 0 || sum > kMostTasks)
      Problem(line_, "servers: expects 1 to " + std::to_string(kMostTasks) + " tasks");
  }

  std::vector<std::string>* problems_;
  Lesson lesson_;
  int line_ = 0;
  std::string* open_ = nullptr;  // the text that a line without a keyword continues
  bool open_is_code_ = false;
};

}  // namespace

Lesson ParseLesson(std::string_view text, std::vector<std::string>* problems) {
  return Parser(problems).Parse(text);
}

std::string FillFields(std::string text,
                       const std::vector<std::pair<std::string, std::string>>& fields) {
  for (const auto& [name, value] : fields) {
    const std::string field = "{" + name + "}";
    for (size_t at = 0; (at = text.find(field, at)) != text.npos; at += value.size())
      text.replace(at, field.size(), value);
  }
  return text;
}

std::string InWords(const std::string& part) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"_request", "the last run"},
      {"_runs", "the nodes that ran"},
      {"_pruned", "the pruned nodes"},
      {"_fed", "the fed nodes"},
      {"_waits", "the tensors that were waited for"},
      {"_loops", "the loops that ran"},
      {"_bytes", "the bytes that were sent"},
      {"_transfers", "the number of Send/Recv pairs"},
      {"_partitions", "the number of partitions"},
      {"_ran", "a run with explain analyze"},
      {"_devices", "the devices of the nodes"},
      {"_error", "the last error"},
      {"_typed", "the lines that you typed"},
      {"_verbs", "the commands that you used"},
      {"_servers", "the servers that run"},
      {"answer", "your answer"},
  };
  std::string out;
  for (size_t at = 0; at < part.size();) {
    size_t end = at;
    while (end < part.size() && IsName(std::string_view(part).substr(at, end + 1 - at))) ++end;
    if (end == at) {
      out += part[at++];
      continue;
    }
    const std::string_view name = std::string_view(part).substr(at, end - at);
    const auto* known = std::find_if(std::begin(kWords), std::end(kWords),
                                     [&](const auto& each) { return each.first == name; });
    const bool attribute = at > 0 && part[at - 1] == '.';
    out += known != std::end(kWords) && !attribute ? known->second : name;
    at = end;
  }
  if (out == "_") return "the last result";
  return out;
}

}  // namespace tensh::shell
