// The record of a learner's work: which steps were done or skipped, when, and with how many
// attempts.
//
// At a prompt, the record is the file ~/.local/state/tensh/lessons. Each event is appended to it as
// one line in one write, so that a killed session loses nothing and two sessions can use it at once:
//
//     TIME EVENT STEP LESSON      1795737600 done 3 graphs
//
// Threads: the interpreter's thread only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

struct StepRecord {
  enum class State : uint8_t { kOpen, kDone, kSkipped };
  State state = State::kOpen;
  int attempts = 0;  // checks and answers, right or wrong
  int hints = 0;     // that were given
  int64_t time = 0;  // when it was done or skipped, in seconds since 1970; 0 if it is open
};

struct LessonRecord {
  int64_t began = 0;              // in seconds since 1970; 0 if it was not begun
  std::vector<StepRecord> steps;  // may be shorter than the lesson

  size_t behind() const;   // the number of steps that were done or skipped, from the first one on
  size_t skipped() const;  // how many of these were skipped
};

class LessonLog {
 public:
  enum class Event : uint8_t { kBegin, kWrong, kDone, kSkip, kHint, kRestart };

  // Reads the file, and appends to it from now on. Does nothing if it was called before.
  void KeepIn(const std::string& file);
  const LessonRecord& Of(const std::string& lesson) { return lessons_[lesson]; }
  const std::map<std::string, LessonRecord>& all() const { return lessons_; }
  // Notes an event. Steps count from 0.
  void Note(Event event, size_t step, const std::string& lesson);

 private:
  void Apply(Event event, size_t step, const std::string& lesson, int64_t time);

  std::string file_;  // "" if the record is kept in memory only
  std::map<std::string, LessonRecord> lessons_;
};

}  // namespace tensh::shell
