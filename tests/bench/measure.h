#pragma once

// Timing for the benchmark programs of both sides (tensh_bench.cc, tf_bench.cc), so that they
// measure in the same way. A program takes the names of cases as arguments and prints one line of
// JSON for each. Single-threaded.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace tensh::bench {

inline double Now() {
  using std::chrono::duration;
  return duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double ResidentBytes() {
  long pages = 0, resident = 0;
  if (FILE* f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(f);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// The median is robust against other load on a shared machine; the minimum is the speed without
// such load.
struct Timing {
  double min = 0, median = 0;
};

inline Timing Summarize(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds.front(), seconds[seconds.size() / 2]};
}

// Returns the seconds of one call of `step`. Calls are timed in batches, so that the cost of the
// clock does not matter.
template <class Step>
Timing Measure(int batches, int batch, Step step) {
  for (int i = 0; i < batch; ++i) step();
  std::vector<double> seconds(static_cast<size_t>(batches));
  for (double& s : seconds) {
    const double start = Now();
    for (int i = 0; i < batch; ++i) step();
    s = (Now() - start) / batch;
  }
  return Summarize(std::move(seconds));
}

inline void Print(const std::string& name, const Timing& t, double scale) {
  std::printf("{\"case\":\"%s\",\"min\":%.6g,\"median\":%.6g}\n", name.c_str(), t.min * scale,
              t.median * scale);
  std::fflush(stdout);
}

inline void Fail(const char* what, const char* message) {
  std::fprintf(stderr, "bench: %s: %s\n", what, message);
  std::exit(1);
}

}  // namespace tensh::bench
