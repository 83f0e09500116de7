#include "ops/formats/summary_message.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "runtime/base/wire.h"

namespace tensh::ops {
namespace {

// The bucket limits of TensorFlow's histograms: ±1e-12 · 1.1^k, 0 and DBL_MAX.
const std::vector<double>& Limits() {
  static const std::vector<double> limits = [] {
    std::vector<double> positive;
    for (double v = 1e-12; v < 1e20; v *= 1.1) positive.push_back(v);
    positive.push_back(DBL_MAX);
    std::vector<double> all;
    for (size_t i = positive.size(); i-- > 0;) all.push_back(-positive[i]);
    all.push_back(0);
    all.insert(all.end(), positive.begin(), positive.end());
    return all;
  }();
  return limits;
}

}  // namespace

SummaryHistogram::SummaryHistogram() : buckets_(Limits().size()), min_(DBL_MAX), max_(-DBL_MAX) {}

void SummaryHistogram::Add(double v) {
  const auto& limits = Limits();
  const size_t at =
      static_cast<size_t>(std::upper_bound(limits.begin(), limits.end(), v) - limits.begin());
  ++buckets_[std::min(at, buckets_.size() - 1)];
  min_ = std::min(min_, v);
  max_ = std::max(max_, v);
  num_ += 1;
  sum_ += v;
  squares_ += v * v;
}

Status SummaryHistogram::AddFinite(double v, const std::string& tag) {
  if (std::isnan(v)) return InvalidArgument("Nan in summary histogram for: ", tag);
  if (std::isinf(v)) return InvalidArgument("Infinity in summary histogram for: ", tag);
  Add(v);
  return {};
}

std::string SummaryHistogram::Encode() const {
  std::string limits, counts;
  auto add = [](std::string& to, double v) {
    uint64_t bits;
    std::memcpy(&bits, &v, sizeof bits);
    AppendFixed64(to, bits);
  };
  for (size_t i = 0; i < buckets_.size();) {
    double end = Limits()[i], count = buckets_[i++];
    // Merges a run of empty buckets into one.
    while (count <= 0 && i < buckets_.size() && buckets_[i] <= 0) end = Limits()[i++];
    add(limits, end);
    add(counts, count);
  }
  WireWriter out;
  const double numbers[] = {min_, max_, num_, sum_, squares_};
  for (int i = 0; i < 5; ++i)
    if (numbers[i] != 0 || std::signbit(numbers[i])) out.AlwaysDouble(i + 1, numbers[i]);
  out.Bytes(6, limits);
  out.Bytes(7, counts);
  return out.Take();
}

std::string SummaryWith(const std::string& tag, int field, const std::string& message) {
  WireWriter value, out;
  value.Bytes(1, tag);
  value.AlwaysBytes(field, message);
  out.AlwaysBytes(1, value.text());
  return out.Take();
}

}  // namespace tensh::ops
