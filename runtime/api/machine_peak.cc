#include "runtime/api/machine_peak.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>

#include "ops/support/tiles/tiles.h"
#include "runtime/base/cores.h"

namespace tensh::api {
namespace {

constexpr int kRounds = 5;

// Returns how often `fn` runs per second, in the fastest of some rounds of `times` calls.
template <class Fn>
double RateOf(int times, Fn fn) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < times; ++i) fn();
    const std::chrono::duration<double> took = Clock::now() - start;
    best = std::max(best, times / std::max(took.count(), 1e-9));
  }
  return best;
}

// The rate of the loop of matrix products, on operands in the L1 cache.
double FlopsOfThread() {
  const ops::TileLoops& loops = ops::BestTileLoops();
  constexpr int64_t kDepth = 96;
  const int64_t width = loops.lanes * loops.max_vectors, start = 0;
  std::vector<float> row(kDepth, 1.0f), filter(static_cast<size_t>(kDepth * width), 1.0f),
      result(static_cast<size_t>(ops::kTileRows * width));
  const float* in[ops::kTileRows];
  float* out[ops::kTileRows];
  for (int r = 0; r < ops::kTileRows; ++r) {
    in[r] = row.data();
    out[r] = result.data() + r * width;
  }
  const ops::ProductTile tile{.in = in,
                              .lengths = &kDepth,
                              .starts = &start,
                              .segments = 1,
                              .in_step = 1,
                              .filter = filter.data(),
                              .filter_row = width,
                              .ahead = filter.data(),
                              .out = out,
                              .first = 0,
                              .columns = width,
                              .add = false};
  const double rate = RateOf(500, [&] { loops.Multiply(ops::kTileRows, loops.max_vectors, tile); });
  return rate * 2 * static_cast<double>(ops::kTileRows * kDepth * width);
}

double CopyRateOfThread(size_t bytes) {
  std::vector<char> from(bytes / 2, 1), to(bytes / 2);
  const int times = static_cast<int>(std::max<size_t>(1, (size_t{1} << 20) / bytes));
  return RateOf(times, [&] { std::memcpy(to.data(), from.data(), bytes / 2); }) *
         static_cast<double>(bytes);
}

// Returns the sum of what `fn` returns in each of `n` threads, or in fewer if no more can start.
template <class Fn>
double SumOfThreads(int n, Fn fn) {
  std::vector<double> rates(static_cast<size_t>(n));
  std::vector<std::thread> threads;
  try {
    for (size_t i = 1; i < rates.size(); ++i)
      threads.emplace_back([&rates, &fn, i] { rates[i] = fn(); });
  } catch (const std::system_error&) {
    // The rates of threads that did not start stay 0.
  }
  rates[0] = fn();
  for (std::thread& thread : threads) thread.join();
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

}  // namespace

const MachinePeak& MeasuredPeak() {
  static const MachinePeak peak = [] {
    const int cores = AvailableCores();
    MachinePeak made{SumOfThreads(cores, FlopsOfThread), {}};
    for (int64_t bytes = 1 << 16; bytes <= 1 << 26; bytes *= 4) {
      const size_t part = static_cast<size_t>(bytes) / static_cast<size_t>(cores);
      made.copies.push_back(
          {bytes, SumOfThreads(cores, [part] { return CopyRateOfThread(part); })});
    }
    return made;
  }();
  return peak;
}

}  // namespace tensh::api
