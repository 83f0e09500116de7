#include "shell/python/values/collections/sort.h"

#include <algorithm>
#include <numeric>

#include "shell/python/values/containers.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

// A merge sort of indices. std::stable_sort must not be used, because a user's comparison may throw
// and need not be a consistent order.
class Sorter {
 public:
  explicit Sorter(const std::vector<Value>& keys)
      : keys_(keys), order_(keys.size()), spare_(keys.size()) {
    std::iota(order_.begin(), order_.end(), uint32_t{0});
  }
  const std::vector<uint32_t>& Run() {
    constexpr size_t kRun = 16;
    const size_t n = order_.size();
    for (size_t i = 0; i < n; i += kRun) InsertionSort(i, std::min(n, i + kRun));
    for (size_t width = kRun; width < n; width *= 2) {
      for (size_t i = 0; i < n; i += 2 * width)
        Merge(i, std::min(n, i + width), std::min(n, i + 2 * width));
      order_.swap(spare_);
    }
    return order_;
  }

 private:
  bool Less(uint32_t a, uint32_t b) const {
    const Value &x = keys_[a], &y = keys_[b];
    if (x.is_int() && y.is_int()) return x.as_int() < y.as_int();
    if (x.is_float() && y.is_float()) return x.as_float() < y.as_float();
    return CompareTruth(CompareOp::kLt, x, y);
  }
  void InsertionSort(size_t begin, size_t end) {
    for (size_t i = begin + 1; i < end; ++i) {
      uint32_t item = order_[i];
      size_t at = i;
      while (at > begin && Less(item, order_[at - 1])) {
        order_[at] = order_[at - 1];
        --at;
      }
      order_[at] = item;
    }
  }
  void Merge(size_t begin, size_t middle, size_t end) {
    size_t i = begin, j = middle;
    for (size_t out = begin; out < end; ++out) {
      if (j >= end || (i < middle && !Less(order_[j], order_[i]))) {
        spare_[out] = order_[i++];
      } else {
        spare_[out] = order_[j++];
      }
    }
  }

  const std::vector<Value>& keys_;
  std::vector<uint32_t> order_, spare_;
};

}  // namespace

void SortValues(std::vector<Value>* items, const Value& key, bool reverse) {
  std::vector<Value> keys;
  if (!key.is_none()) {
    keys.reserve(items->size());
    for (const Value& v : *items) keys.push_back(Call(key, {v}));
  }
  if (reverse) {
    std::reverse(items->begin(), items->end());
    std::reverse(keys.begin(), keys.end());
  }
  Sorter sorter(key.is_none() ? *items : keys);
  std::vector<Value> sorted;
  sorted.reserve(items->size());
  for (uint32_t i : sorter.Run()) sorted.push_back((*items)[i]);
  if (reverse) std::reverse(sorted.begin(), sorted.end());
  *items = std::move(sorted);
}

}  // namespace tensh::shell
