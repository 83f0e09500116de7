#pragma once
// Parsers for tf.train.Example and tf.train.SequenceExample: maps from keys to lists of bytes,
// floats or ints. The results are views into the message. Stateless.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/tensor.h"

namespace tensh::ops {

// One feature, which has one of the three lists.
struct FeatureValues {
  DType type = DType::kInvalid;  // kInvalid: the feature has no list
  std::vector<std::string_view> bytes;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  int64_t size() const {
    return static_cast<int64_t>(std::max({bytes.size(), floats.size(), ints.size()}));
  }
};
using FeatureMap = std::map<std::string_view, FeatureValues, std::less<>>;

using FeatureLists = std::map<std::string_view, std::vector<FeatureValues>, std::less<>>;

struct SequenceMessage {
  FeatureMap context;
  FeatureLists lists;
};

// Return false if the message is malformed. If a key occurs twice, the last one counts.
bool ReadExample(std::string_view message, FeatureMap* out);
bool ReadSequence(std::string_view message, SequenceMessage* out);

// Copies the values to elements [at, …) of a tensor of their type.
void CopyValues(const FeatureValues& values, Tensor* out, int64_t at);

}  // namespace tensh::ops
