// A scope for runs that the user did not request, such as those of watched values and conditions.
// While an object exists, runs do not become the last run and are not recorded.
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
