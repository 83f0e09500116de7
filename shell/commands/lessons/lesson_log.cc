#include "shell/commands/lessons/lesson_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <iterator>

#include "runtime/base/text.h"
#include "shell/commands/base/words.h"
#include "shell/text/user_files.h"
#include "shell/text/write_all.h"

namespace tensh::shell {
namespace {

constexpr std::string_view kEvents[] = {"begin", "wrong", "done", "skip", "hint", "restart"};
constexpr size_t kLargestRecord = size_t{1} << 26;
constexpr size_t kMostSteps = 1000;

bool ReadNumber(std::string_view* line, int64_t* number) {
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), *number);
  if (error != std::errc()) return false;
  line->remove_prefix(static_cast<size_t>(end - line->data()));
  if (line->empty() || line->front() != ' ') return false;
  line->remove_prefix(1);
  return true;
}

}  // namespace

size_t LessonRecord::behind() const {
  size_t count = 0;
  while (count < steps.size() && steps[count].state != StepRecord::State::kOpen) ++count;
  return count;
}

size_t LessonRecord::skipped() const {
  return static_cast<size_t>(std::count_if(steps.begin(), steps.end(), [](const StepRecord& step) {
    return step.state == StepRecord::State::kSkipped;
  }));
}

void LessonLog::KeepIn(const std::string& file) {
  if (!file_.empty() || file.empty()) return;
  file_ = file;
  std::string text;
  if (ReadFile(file, kLargestRecord, &text) != 0) return;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    // Lines that are not records, such as those of older versions, are ignored.
    int64_t time = 0, step = 0;
    if (!ReadNumber(&line, &time)) continue;
    const std::string_view word = FirstWord(line);
    const auto* event = std::find(std::begin(kEvents), std::end(kEvents), word);
    if (event == std::end(kEvents)) continue;
    line = Trim(line.substr(word.size()));
    if (!ReadNumber(&line, &step) || step < 0 || line.empty()) continue;
    Apply(static_cast<Event>(event - kEvents), static_cast<size_t>(step), std::string(line), time);
  }
}

void LessonLog::Note(Event event, size_t step, const std::string& lesson) {
  const int64_t now = std::time(nullptr);
  Apply(event, step, lesson, now);
  if (file_.empty()) return;
  MakeFoldersOf(file_);
  const int fd = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return;  // the lesson continues without a record
  WriteAll(fd, std::to_string(now) + " " + std::string(kEvents[static_cast<size_t>(event)]) + " " +
                   std::to_string(step) + " " + lesson + "\n");
  ::close(fd);
}

void LessonLog::Apply(Event event, size_t step, const std::string& lesson, int64_t time) {
  if (step >= kMostSteps) return;
  LessonRecord& record = lessons_[lesson];
  if (event == Event::kRestart) record = {};
  if (record.began == 0) record.began = time;
  if (event == Event::kRestart || event == Event::kBegin) return;
  if (record.steps.size() <= step) record.steps.resize(step + 1);
  StepRecord& at = record.steps[step];
  if (event == Event::kHint) {
    ++at.hints;
    return;
  }
  if (event != Event::kSkip) ++at.attempts;
  if (event == Event::kWrong || at.state == StepRecord::State::kDone) return;
  at.state = event == Event::kSkip ? StepRecord::State::kSkipped : StepRecord::State::kDone;
  at.time = time;
}

}  // namespace tensh::shell
