#include "ops/formats/example_message.h"

#include <cstring>

#include "runtime/base/wire.h"

namespace tensh::ops {
namespace {

bool ReadFloats(std::string_view list, FeatureValues* out) {
  WireReader in(list);
  while (in.Next()) {
    if (in.field() != 1) continue;
    if (!in.is_bytes()) {
      out->floats.push_back(in.as_float());
      continue;
    }
    const std::string_view packed = in.bytes();
    if (packed.size() % 4) return false;
    for (size_t at = 0; at < packed.size(); at += 4) {
      const uint32_t bits = LoadFixed32(packed.data() + at);
      float v;
      std::memcpy(&v, &bits, sizeof v);
      out->floats.push_back(v);
    }
  }
  return in.ok();
}

bool ReadInts(std::string_view list, FeatureValues* out) {
  WireReader in(list);
  while (in.Next()) {
    if (in.field() != 1) continue;
    if (!in.is_bytes()) {
      out->ints.push_back(in.integer());
      continue;
    }
    std::string_view packed = in.bytes();
    for (uint64_t v; !packed.empty();) {
      if (!TakeVarint(packed, v)) return false;
      out->ints.push_back(static_cast<int64_t>(v));
    }
  }
  return in.ok();
}

bool ReadBytes(std::string_view list, FeatureValues* out) {
  WireReader in(list);
  while (in.Next())
    if (in.field() == 1) out->bytes.push_back(in.bytes());
  return in.ok();
}

bool ReadFeature(std::string_view feature, FeatureValues* out) {
  WireReader in(feature);
  while (in.Next()) {
    *out = {};  // the last member of a oneof counts
    switch (in.field()) {
      case 1:
        out->type = DType::kString;
        if (!ReadBytes(in.bytes(), out)) return false;
        break;
      case 2:
        out->type = DType::kFloat;
        if (!ReadFloats(in.bytes(), out)) return false;
        break;
      case 3:
        out->type = DType::kInt64;
        if (!ReadInts(in.bytes(), out)) return false;
        break;
      default:
        break;
    }
  }
  return in.ok();
}

bool ReadEntry(std::string_view entry, FeatureMap* out) {
  WireReader in(entry);
  std::string_view key, feature;
  while (in.Next()) {
    if (in.field() == 1) key = in.bytes();
    if (in.field() == 2) feature = in.bytes();
  }
  FeatureValues values;
  if (!in.ok() || !ReadFeature(feature, &values)) return false;
  (*out)[key] = std::move(values);
  return true;
}

bool ReadFeatures(std::string_view message, FeatureMap* out) {
  WireReader features(message);
  while (features.Next())
    if (features.field() == 1 && !ReadEntry(features.bytes(), out)) return false;
  return features.ok();
}

bool ReadList(std::string_view list, std::vector<FeatureValues>* out) {
  WireReader in(list);
  while (in.Next())
    if (in.field() == 1 && !ReadFeature(in.bytes(), &out->emplace_back())) return false;
  return in.ok();
}

bool ReadLists(std::string_view message, FeatureLists* out) {
  WireReader lists(message);
  while (lists.Next()) {
    if (lists.field() != 1) continue;
    WireReader entry(lists.bytes());
    std::string_view key, list;
    while (entry.Next()) {
      if (entry.field() == 1) key = entry.bytes();
      if (entry.field() == 2) list = entry.bytes();
    }
    std::vector<FeatureValues> steps;
    if (!entry.ok() || !ReadList(list, &steps)) return false;
    (*out)[key] = std::move(steps);
  }
  return lists.ok();
}

}  // namespace

bool ReadExample(std::string_view message, FeatureMap* out) {
  WireReader in(message);
  while (in.Next())
    if (in.field() == 1 && !ReadFeatures(in.bytes(), out)) return false;
  return in.ok();
}

bool ReadSequence(std::string_view message, SequenceMessage* out) {
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 1 && !ReadFeatures(in.bytes(), &out->context)) return false;
    if (in.field() == 2 && !ReadLists(in.bytes(), &out->lists)) return false;
  }
  return in.ok();
}

void CopyValues(const FeatureValues& values, Tensor* out, int64_t at) {
  if (values.type == DType::kString)
    std::copy(values.bytes.begin(), values.bytes.end(), out->data<std::string>() + at);
  else if (values.type == DType::kFloat)
    std::copy(values.floats.begin(), values.floats.end(), out->data<float>() + at);
  else
    std::copy(values.ints.begin(), values.ints.end(), out->data<int64_t>() + at);
}

}  // namespace tensh::ops
