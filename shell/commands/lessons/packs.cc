#include "shell/commands/lessons/packs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "shell/python/values/error.h"
#include "shell/python/vm/file.h"
#include "shell/text/layout.h"
#include "shell/text/user_files.h"

namespace tensh::shell {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestLesson = size_t{1} << 20;
constexpr size_t kMostLessons = 500;

// "graphs" for "01_graphs": the number only orders the files.
std::string NameOf(const std::string& stem) {
  const size_t begin = stem.find_first_not_of("0123456789");
  return begin == stem.npos || stem[begin] != '_' ? stem : stem.substr(begin + 1);
}

}  // namespace

const Pack& OwnPack() {
  static const Pack pack = [] {
    Pack ours;
    std::vector<std::string> problems;
    for (const LessonText& file : LessonTexts()) {
      if (file.name == kSkeleton) continue;
      Lesson& lesson = ours.lessons.emplace_back(ParseLesson(file.text.str(), &problems));
      lesson.name = lesson.key = NameOf(std::string(file.name));
      lesson.ours = true;
    }
    return ours;
  }();
  return pack;
}

Lesson ReadLesson(const std::string& path) {
  CheckPathToRead(path);
  std::string text;
  if (const int error = ReadFile(path, kLargestLesson, &text))
    throw MakeError(error == ENOENT ? kFileNotFoundError : kOSError,
                    "cannot read the lesson " + Visible(path) + ": " + std::strerror(error))
        .Type("learn new NAME");
  std::vector<std::string> problems;
  // Control characters could change what the terminal shows.
  Lesson lesson = ParseLesson(VisibleLines(text), &problems);
  if (!problems.empty()) {
    std::string all = "the lesson " + Visible(path) + " has mistakes";
    for (const std::string& problem : problems) all += "\n  " + Visible(path) + ":" + problem;
    throw ValueError(all).Hint("docs/lessons/format.md describes the format");
  }
  std::error_code error;
  lesson.key = Visible(fs::weakly_canonical(path, error).string());
  lesson.name = NameOf(fs::path(path).stem().string());
  return lesson;
}

Pack ReadPack(const std::string& path) {
  CheckPathToRead(path);
  std::error_code error;
  Pack pack;
  pack.folder = path;
  if (!fs::is_directory(path, error)) {
    pack.lessons.push_back(ReadLesson(path));
    return pack;
  }
  std::vector<std::string> files;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".lesson") files.push_back(at->path().string());
  if (error)
    throw MakeError(kOSError, "cannot read the folder " + Visible(path) + ": " + error.message());
  if (files.empty() || files.size() > kMostLessons)
    throw ValueError("the folder " + Visible(path) + " contains " +
                     Digits(static_cast<int64_t>(files.size())) +
                     " files *.lesson; a course has 1 to " + std::to_string(kMostLessons))
        .Type("learn new NAME");
  // "10_b" follows "9_a".
  const auto number = [](const std::string& file) {
    return std::strtol(fs::path(file).filename().c_str(), nullptr, 10);
  };
  std::sort(files.begin(), files.end(), [&](const std::string& a, const std::string& b) {
    return std::pair(number(a), a) < std::pair(number(b), b);
  });
  for (const std::string& file : files) pack.lessons.push_back(ReadLesson(file));
  return pack;
}

const Lesson* FindLesson(const Pack& pack, std::string_view which) {
  size_t number = 0;
  for (const Lesson& lesson : pack.lessons)
    if (which == lesson.name || which == std::to_string(++number)) return &lesson;
  return nullptr;
}

}  // namespace tensh::shell
