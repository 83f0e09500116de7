#pragma once
// Summary messages, which event files hold: of a histogram, and of one value under a tag.
#include <string>
#include <vector>

#include "runtime/core/status.h"

namespace tensh::ops {

class SummaryHistogram {
 public:
  SummaryHistogram();
  // InvalidArgument for what is not finite.
  Status AddFinite(double v, const std::string& tag);
  std::string Encode() const;  // a HistogramProto

 private:
  void Add(double v);

  std::vector<double> buckets_;
  double min_, max_, num_ = 0, sum_ = 0, squares_ = 0;
};

// A Summary with one value: its tag, and a message as the given field of it.
std::string SummaryWith(const std::string& tag, int field, const std::string& message);

}  // namespace tensh::ops
