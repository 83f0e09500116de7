#pragma once

// Timing shared by the benchmark programs of both sides (tensh_bench.cc, tf_bench.cc), so that they
// measure alike. A program is called with the names of cases and prints one JSON line each.
// Single-threaded.

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

// Medians resist the neighbours on a shared machine; the minimum says what the code can do.
struct Timing {
  double min = 0, median = 0;
};

inline Timing Summarize(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {seconds.front(), seconds[seconds.size() / 2]};
}

// Seconds of one call of `step`, timed in batches so that the clock's own cost does not show.
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
