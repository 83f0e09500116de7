#pragma once
// Summary messages for event files: histograms, and single values with a tag.
#include <string>
#include <vector>

#include "runtime/core/status.h"

namespace tensh::ops {

class SummaryHistogram {
 public:
  SummaryHistogram();
  // Returns InvalidArgument if the value is not finite.
  Status AddFinite(double v, const std::string& tag);
  std::string Encode() const;  // returns a HistogramProto

 private:
  void Add(double v);

  std::vector<double> buckets_;
  double min_, max_, num_ = 0, sum_ = 0, squares_ = 0;
};

// Returns a Summary with one value, which has the tag and, in the given field, the message.
std::string SummaryWith(const std::string& tag, int field, const std::string& message);

}  // namespace tensh::ops
