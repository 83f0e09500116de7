// The state of the verb `learn` in one session: the pack, the current lesson, its servers, and the
// learner's own graph and names, which are set aside during a lesson.
//
// A lesson has a graph and names of its own. It therefore does not depend on anything that the
// learner or another lesson did before. The learner's own return with Leave().
//
// The shell owns it. Threads: the interpreter's thread only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/commands/base/shell.h"
#include "shell/commands/lessons/lesson.h"
#include "shell/commands/lessons/lesson_log.h"
#include "shell/commands/lessons/packs.h"
#include "shell/commands/lessons/servers.h"
#include "shell/python/values/value.h"
#include "shell/tensorflow/graph/graph.h"

namespace tensh::shell {

class Classroom {
 public:
  explicit Classroom(Shell& shell) : shell_(shell), pack_(OwnPack()) {}
  ~Classroom() { RemoveFolder(); }
  Classroom(const Classroom&) = delete;
  Classroom& operator=(const Classroom&) = delete;
  // Returns the classroom of the shell, which is made by the first call.
  static Classroom& Of(Shell& shell);

  const Pack& pack() const { return pack_; }
  void set_pack(Pack pack) { pack_ = std::move(pack); }
  LessonLog& log() { return log_; }
  LessonServers& servers() { return servers_; }
  // The texts that stand for {worker0}, {folder} and so on.
  std::vector<std::pair<std::string, std::string>> Fields() const;

  const Lesson* lesson() const { return lesson_ ? &*lesson_ : nullptr; }
  // The index of the current step. It is the number of steps if the lesson is finished.
  size_t step() const { return step_; }
  const LessonStep* current() const {
    return lesson_ && step_ < lesson_->steps.size() ? &lesson_->steps[step_] : nullptr;
  }
  size_t hints = 0;  // that were given on this step

  // Begins a lesson at a step. Repeats the solutions of the steps before it silently, so that their
  // nodes and names exist. If something throws, no lesson is begun.
  void Enter(const Lesson& lesson, size_t step);
  // Ends the lesson: stops its servers, and brings back the graph and the names from before. Returns
  // false if there was no lesson.
  bool Leave();
  void Advance();  // to the next step

  // Runs statements as if the learner had typed them, and returns what they print.
  std::string Type(const std::vector<std::string>& statements);
  // Runs the solution of the current step silently. A question has no effects to repeat.
  void Solve();

  // Sets the answer to a question. The text is a literal, or else a string.
  void SetAnswer(std::string_view text);
  // Returns "" if all checks of the current step hold; otherwise a sentence about the first one that
  // does not.
  std::string Differs();

 private:
  // Makes the folder that {folder} stands for, if the lesson uses it.
  void MakeFolder(const std::string& source);
  void RemoveFolder();
  void SetAside();
  void BringBack();
  void DropNames();
  void BeginStep();
  void SetFacts(std::vector<std::string>* names);
  std::string TypeOne(const std::string& statement);
  std::string Explain(const LessonCheck& check);

  Shell& shell_;
  Pack pack_;
  LessonLog log_;
  LessonServers servers_;
  std::string folder_;  // for files of the lesson; "" if it has none. It ends with the lesson
  std::optional<Lesson> lesson_;
  size_t step_ = 0;
  // Marks of the beginning of the step, from which the facts count.
  size_t typed_before_ = 0;
  int failures_before_ = 0;
  std::vector<std::string> typed_;  // by Type, which the journal does not contain
  std::string error_;               // the last error of Type
  // The learner's own.
  bool aside_ = false;
  std::vector<std::pair<std::string, Value>> names_;
  Ref<tf::GraphObject> graph_;
};

// While a lesson that is not tensh's own is taken, and afterwards, the session may use files of the
// working directory only, as with --sandbox.
void ConfineSession(Shell& shell, const std::string& lesson);

}  // namespace tensh::shell
