// While one lives, what runs is not the user's own (a value that is watched, a condition): it does
// not become the last run, and is not recorded.
#pragma once

namespace tensh::shell::bridge {

class SideRuns {
 public:
  SideRuns();
  ~SideRuns();
  SideRuns(const SideRuns&) = delete;

 private:
  bool before_;
};

}  // namespace tensh::shell::bridge
