#include "runtime/core/device/one_time.h"

#include <utility>

namespace tensh {
namespace {

thread_local std::vector<OneTimeRecord> t_records;

}  // namespace

OneTimeWork::OneTimeWork(const char* what)
    : what_(what), first_(t_records.size()), begin_(Clock::now()) {}

OneTimeWork::~OneTimeWork() {
  constexpr size_t kMost = 16;  // a limit, because the records of untraced runs are not taken
  if (t_records.size() >= kMost) return;
  int64_t ns = std::chrono::nanoseconds(Clock::now() - begin_).count();
  for (size_t i = first_; i < t_records.size(); ++i) ns -= t_records[i].ns;
  t_records.push_back({what_, ns});
}

std::vector<OneTimeRecord> TakeOneTimeWork() { return std::exchange(t_records, {}); }

}  // namespace tensh
