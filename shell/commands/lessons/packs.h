// Packs of lessons: those of tensh, which are compiled into the program, and those of files and
// folders.
//
// Threads: the interpreter's thread only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/commands/lessons/lesson.h"
#include "shell/text/packed_text.h"

namespace tensh::shell {

struct Pack {
  std::string folder;  // as the user named it; "" for tensh's own lessons
  std::vector<Lesson> lessons;
};

// A file of samples/lessons: a lesson, or the skeleton that `learn new` writes.
struct LessonText {
  std::string_view name;  // "01_graphs"
  PackedText text;
};
std::span<const LessonText> LessonTexts();  // generated
inline constexpr std::string_view kSkeleton = "skeleton";

const Pack& OwnPack();  // tensh's own lessons
// Reads a lesson, or all lessons of a folder in the order of their names. Throws FileNotFoundError,
// OSError, or a ValueError that lists the problems of the file.
Pack ReadPack(const std::string& path);
Lesson ReadLesson(const std::string& path);

// Finds a lesson by its name or by its number, which counts from 1. Returns null if none matches.
const Lesson* FindLesson(const Pack& pack, std::string_view which);

}  // namespace tensh::shell
