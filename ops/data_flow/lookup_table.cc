#include "ops/data_flow/lookup_table.h"

#include <cstring>

#include "ops/support/array_copy.h"

namespace tensh::ops {
namespace {

// Marks of buckets without a row.
constexpr int32_t kEmpty = -1, kDeleted = -2;
// Limits the memory of a dense table without rows.
constexpr int64_t kMostEmptyBuckets = int64_t{1} << 24;

}  // namespace

Result<LookupTable*> TableAt(KernelCtx& c, int i) {
  LookupTable* table = nullptr;
  if (c.in(i).dtype() == DType::kResource && c.in(i).num_elements() == 1)
    table = dynamic_cast<LookupTable*>(c.in(i).data<ResourceHandle>()->resource.get());
  if (table) return table;
  return InvalidArgument("Trying to access a resource that is not a table");
}

// Returns the shape of `keys` without the dimensions of a single key; it has one entry per table
// row.
Shape LookupTable::RowsShape(const Tensor& keys) const {
  Shape rows;
  for (int d = 0; d < keys.rank() - spec_.key_shape.rank(); ++d) rows.Append(keys.dim(d));
  return rows;
}

Status LookupTable::CheckKeys(const Tensor& keys) const {
  if (keys.dtype() != spec_.key)
    return InvalidArgument("Key must be type ", SignatureName(spec_.key), " but got ",
                           SignatureName(keys.dtype()));
  bool fits = keys.rank() >= spec_.key_shape.rank();
  for (int d = 0; fits && d < spec_.key_shape.rank(); ++d)
    fits = keys.dim(keys.rank() - spec_.key_shape.rank() + d) == spec_.key_shape[d];
  if (fits) return {};
  return InvalidArgument("Input key shape ", keys.shape(), " must end with the table's key shape ",
                         spec_.key_shape);
}

Status LookupTable::CheckValues(const Tensor& keys, const Tensor& values) const {
  TENSH_RETURN_IF_ERROR(CheckKeys(keys));
  if (values.dtype() != spec_.value)
    return InvalidArgument("Value must be type ", SignatureName(spec_.value), " but got ",
                           SignatureName(values.dtype()));
  const Shape rows = RowsShape(keys);
  bool fits = values.rank() == rows.rank() + spec_.value_shape.rank();
  for (int d = 0; fits && d < values.rank(); ++d)
    fits = values.dim(d) == (d < rows.rank() ? rows[d] : spec_.value_shape[d - rows.rank()]);
  if (fits) return {};
  return InvalidArgument("Expected a value of shape ", spec_.value_shape,
                         " for each key, got keys of shape ", keys.shape(), " and values of shape ",
                         values.shape());
}

std::string LookupTable::KeyAt(const Tensor& keys, int64_t i) const {
  const int64_t width = key_width();
  if (spec_.key != DType::kString) {
    const size_t bytes = static_cast<size_t>(width * SizeOf(spec_.key));
    return std::string(static_cast<const char*>(At(keys, i * width)), bytes);
  }
  if (width == 1) return keys.data<std::string>()[i];
  std::string key;
  for (int64_t k = 0; k < width; ++k) {
    const std::string& part = keys.data<std::string>()[i * width + k];
    key += StrCat(part.size(), ":", part);
  }
  return key;
}

Status LookupTable::Reserve(const Tensor& empty_key, const Tensor& deleted_key, int64_t buckets,
                            float max_load) {
  std::lock_guard lock(mu_);
  std::vector<std::string> reserved = {KeyAt(empty_key, 0), KeyAt(deleted_key, 0)};
  if (reserved[0] == reserved[1]) return InvalidArgument("Empty and deleted keys cannot be equal");
  if (dense()) return {};
  reserved_ = std::move(reserved);
  reserved_keys_[0] = empty_key;
  reserved_keys_[1] = deleted_key;
  bucket_count_ = static_cast<size_t>(std::min(buckets, kMostEmptyBuckets));
  max_load_ = max_load;
  return {};
}

Status LookupTable::CheckReserved(const std::string& key) const {
  for (size_t i = 0; i < reserved_.size(); ++i)
    if (key == reserved_[i])
      return InvalidArgument("Using the ", i == 0 ? "empty_key" : "deleted_key",
                             " as a table key is not allowed");
  return {};
}

size_t LookupTable::BucketOf(int64_t row) const {
  const std::string& key = keys_[static_cast<size_t>(row)];
  uint64_t hash = 0;
  if (spec_.key == DType::kString || key_width() != 1)
    hash = std::hash<std::string>()(key);
  else
    std::memcpy(&hash, key.data(), key.size());  // of a negative key, the low bits suffice
  const size_t mask = buckets_.size() - 1;
  size_t at = hash & mask, unused = buckets_.size();
  // The distance grows by one, which visits every bucket if their number is a power of two.
  for (size_t distance = 1; distance <= buckets_.size(); ++distance) {
    if (buckets_[at] == row) return at;
    if (buckets_[at] < 0 && unused == buckets_.size()) unused = at;
    if (buckets_[at] == kEmpty) break;
    at = (at + distance) & mask;
  }
  return unused;
}

void LookupTable::GrowBuckets(int64_t more_rows) {
  const size_t rows = keys_.size() + static_cast<size_t>(more_rows);
  const size_t before = buckets_.size();
  while (static_cast<double>(rows) > static_cast<double>(bucket_count_) * max_load_)
    bucket_count_ *= 2;
  if (before == bucket_count_ && used_buckets_ - keys_.size() <= before / 4) return;
  const auto old = std::exchange(buckets_, std::vector<int32_t>(bucket_count_, kEmpty));
  used_buckets_ = keys_.size();
  for (int32_t row : old)
    if (row >= 0) buckets_[BucketOf(row)] = row;
}

void LookupTable::PutRow(Rows& rows, DType type, int64_t width, int64_t row, const Tensor& from,
                         int64_t i) {
  if (type == DType::kString) {
    rows.strings.resize(std::max(rows.strings.size(), static_cast<size_t>((row + 1) * width)));
    CopyElements(type, rows.strings.data() + row * width, At(from, i * width), width);
    return;
  }
  const size_t size = static_cast<size_t>(width * SizeOf(type));
  rows.bytes.resize(std::max(rows.bytes.size(), static_cast<size_t>(row + 1) * size));
  if (size)
    std::memcpy(rows.bytes.data() + static_cast<size_t>(row) * size, At(from, i * width), size);
}

void LookupTable::TakeRow(const Rows& rows, DType type, int64_t width, int64_t row,
                          const Tensor& to, int64_t i) const {
  if (type == DType::kString) {
    CopyElements(type, At(to, i * width), rows.strings.data() + row * width, width);
    return;
  }
  const size_t size = static_cast<size_t>(width * SizeOf(type));
  if (size)
    std::memcpy(At(to, i * width), rows.bytes.data() + static_cast<size_t>(row) * size, size);
}

void LookupTable::MoveRow(Rows& rows, DType type, int64_t width, int64_t from, int64_t to) {
  if (type == DType::kString) {
    for (int64_t k = 0; k < width && from != to; ++k)
      rows.strings[static_cast<size_t>(to * width + k)] =
          std::move(rows.strings[static_cast<size_t>(from * width + k)]);
    rows.strings.resize(static_cast<size_t>(from * width));
    return;
  }
  const size_t size = static_cast<size_t>(width * SizeOf(type));
  char* data = rows.bytes.data();
  if (from != to && size)
    std::memcpy(data + static_cast<size_t>(to) * size, data + static_cast<size_t>(from) * size,
                size);
  rows.bytes.resize(static_cast<size_t>(from) * size);
}

void LookupTable::Put(const Tensor& keys, const Tensor& values, int64_t i) {
  const auto [at, made] = index_.try_emplace(KeyAt(keys, i), static_cast<int64_t>(keys_.size()));
  if (made) {
    keys_.push_back(at->first);
    PutRow(key_rows_, spec_.key, key_width(), at->second, keys, i);
    if (dense()) {
      int32_t& bucket = buckets_[BucketOf(at->second)];
      used_buckets_ += bucket == kEmpty ? 1 : 0;
      bucket = static_cast<int32_t>(at->second);
    }
  }
  PutRow(value_rows_, spec_.value, value_width(), at->second, values, i);
}

Status LookupTable::Insert(const Tensor& keys, const Tensor& values) {
  if (spec_.fixed)
    return Unimplemented("Insert not supported by InitializableLookupTable implementations");
  TENSH_RETURN_IF_ERROR(CheckValues(keys, values));
  std::lock_guard lock(mu_);
  const int64_t n = RowsShape(keys).num_elements();
  for (int64_t i = 0; dense() && i < n; ++i) TENSH_RETURN_IF_ERROR(CheckReserved(KeyAt(keys, i)));
  if (dense()) GrowBuckets(n);
  for (int64_t i = 0; i < n; ++i) Put(keys, values, i);
  return {};
}

Status LookupTable::Remove(const Tensor& keys) {
  if (spec_.fixed)
    return Unimplemented("Remove not supported by InitializableLookupTable implementations");
  TENSH_RETURN_IF_ERROR(CheckKeys(keys));
  std::lock_guard lock(mu_);
  const int64_t n = RowsShape(keys).num_elements();
  for (int64_t i = 0; dense() && i < n; ++i) TENSH_RETURN_IF_ERROR(CheckReserved(KeyAt(keys, i)));
  for (int64_t i = 0; i < n; ++i) {
    const auto at = index_.find(KeyAt(keys, i));
    if (at == index_.end()) continue;
    // The last row moves to the removed row's index.
    const int64_t row = at->second, last = static_cast<int64_t>(keys_.size()) - 1;
    index_.erase(at);
    if (dense()) {
      const size_t bucket = BucketOf(row);
      if (row != last) buckets_[BucketOf(last)] = static_cast<int32_t>(row);
      buckets_[bucket] = kDeleted;
    }
    if (row != last) {
      keys_[static_cast<size_t>(row)] = std::move(keys_.back());
      index_[keys_[static_cast<size_t>(row)]] = row;
    }
    keys_.pop_back();
    MoveRow(key_rows_, spec_.key, key_width(), last, row);
    MoveRow(value_rows_, spec_.value, value_width(), last, row);
  }
  return {};
}

Status LookupTable::FillDense(const Tensor& keys, const Tensor& values) {
  // The export of a dense table has one row for each bucket, also if a key is a scalar.
  const int64_t n = keys.rank() > 0 ? keys.dim(0) : -1;
  if (keys.dtype() != spec_.key || values.dtype() != spec_.value || n < 0 ||
      keys.num_elements() != n * key_width() || values.rank() < 1 || values.dim(0) != n ||
      values.num_elements() != n * value_width())
    return InvalidArgument("Expected one key of shape ", spec_.key_shape,
                           " and one value of shape ", spec_.value_shape,
                           " in each row, got keys of shape ", keys.shape(),
                           " and values of shape ", values.shape());
  std::lock_guard lock(mu_);
  index_.clear(), keys_.clear(), buckets_.clear();
  key_rows_ = {}, value_rows_ = {};
  bucket_count_ = 1;
  while (static_cast<int64_t>(bucket_count_) < std::min(n, kMostEmptyBuckets)) bucket_count_ *= 2;
  for (int64_t i = 0; i < n; ++i) {
    const std::string key = KeyAt(keys, i);
    if (!CheckReserved(key).ok()) continue;
    GrowBuckets(1);
    Put(keys, values, i);
  }
  return {};
}

Status LookupTable::Fill(const Tensor& keys, const Tensor& values) {
  if (dense()) return FillDense(keys, values);
  TENSH_RETURN_IF_ERROR(CheckValues(keys, values));
  const int64_t n = RowsShape(keys).num_elements();
  std::lock_guard lock(mu_);
  if (spec_.fixed && initialized_) {
    // Like TensorFlow, compares only the number of rows.
    if (n == static_cast<int64_t>(index_.size())) return {};
    return FailedPrecondition("Table was already initialized with different data.");
  }
  index_.clear(), keys_.clear();
  key_rows_ = {}, value_rows_ = {};
  for (int64_t i = 0; i < n; ++i) Put(keys, values, i);
  // A key that occurs twice with different values is an error, because the result would depend on
  // the order of the rows.
  if (spec_.fixed && static_cast<int64_t>(keys_.size()) != n) {
    for (int64_t i = 0; i < n; ++i) {
      TENSH_ASSIGN(Tensor now, Tensor::Make(spec_.value, spec_.value_shape));
      TakeRow(value_rows_, spec_.value, value_width(), index_[KeyAt(keys, i)], now, 0);
      const bool same =
          spec_.value == DType::kString
              ? *now.data<std::string>() == values.data<std::string>()[i]
              : std::memcmp(now.raw(), At(values, i), static_cast<size_t>(now.bytes())) == 0;
      if (same) continue;
      index_.clear(), keys_.clear();
      key_rows_ = {}, value_rows_ = {};
      return FailedPrecondition("HashTable has different value for same key: entry ", i,
                                " repeats a key with another value");
    }
  }
  initialized_ = true;
  return {};
}

Result<Tensor> LookupTable::Find(const Tensor& keys, const Tensor& default_value) {
  TENSH_RETURN_IF_ERROR(CheckKeys(keys));
  if (default_value.dtype() != spec_.value)
    return InvalidArgument("Default value must be type ", SignatureName(spec_.value), " but got ",
                           SignatureName(default_value.dtype()));
  const Shape rows = RowsShape(keys);
  if (rows.rank() + spec_.value_shape.rank() > Shape::kMaxRank)
    return InvalidArgument("the rank of the values is too high");
  Shape shape = rows;
  for (int64_t d : spec_.value_shape.dims()) shape.Append(d);
  const bool each = default_value.shape() == shape && !(shape == spec_.value_shape);
  if (!each && !(default_value.shape() == spec_.value_shape))
    return InvalidArgument("Expected shape ", spec_.value_shape, " or ", shape,
                           " for default value, got ", default_value.shape());
  TENSH_RETURN_IF_ERROR(Shape::Make(shape.dims(), true).status());
  TENSH_ASSIGN(Tensor out, Tensor::Make(spec_.value, shape));
  std::lock_guard lock(mu_);
  if (spec_.fixed && !initialized_) return FailedPrecondition("Table not initialized.");
  const int64_t width = value_width();
  for (int64_t i = 0; i < rows.num_elements(); ++i) {
    std::string key = KeyAt(keys, i);
    TENSH_RETURN_IF_ERROR(CheckReserved(key));
    const auto at = index_.find(key);
    if (at != index_.end())
      TakeRow(value_rows_, spec_.value, width, at->second, out, i);
    else
      CopyElements(spec_.value, At(out, i * width), At(default_value, each ? i * width : 0), width);
  }
  return out;
}

Status LookupTable::ExportBuckets(Tensor* keys, Tensor* values) {
  GrowBuckets(0);
  const int64_t n = static_cast<int64_t>(buckets_.size());
  TENSH_ASSIGN(const Shape key_shape, Shape::Make({{n, key_width()}}, true));
  TENSH_ASSIGN(const Shape value_shape, Shape::Make({{n, value_width()}}, true));
  TENSH_ASSIGN(*keys, Tensor::Make(spec_.key, key_shape));
  TENSH_ASSIGN(*values, Tensor::Make(spec_.value, value_shape));
  ZeroElements(spec_.value, values->raw(), values->num_elements());
  for (int64_t i = 0; i < n; ++i) {
    const int32_t row = buckets_[static_cast<size_t>(i)];
    if (row < 0) {
      const Tensor& mark = reserved_keys_[row == kEmpty ? 0 : 1];
      CopyElements(spec_.key, At(*keys, i * key_width()), mark.raw(), key_width());
      continue;
    }
    TakeRow(key_rows_, spec_.key, key_width(), row, *keys, i);
    TakeRow(value_rows_, spec_.value, value_width(), row, *values, i);
  }
  return {};
}

Status LookupTable::Export(Tensor* keys, Tensor* values) {
  std::lock_guard lock(mu_);
  if (dense()) return ExportBuckets(keys, values);
  if (spec_.fixed && !initialized_) return FailedPrecondition("Table is not initialized.");
  const int64_t n = static_cast<int64_t>(keys_.size());
  const auto of_rows = [n](const Shape& one) {
    std::vector<int64_t> dims(one.dims().begin(), one.dims().end());
    dims.insert(dims.begin(), n);
    return dims;
  };
  if (std::max(spec_.key_shape.rank(), spec_.value_shape.rank()) >= Shape::kMaxRank)
    return InvalidArgument("the rank of the table is too high");
  TENSH_ASSIGN(const Shape key_shape, Shape::Make(of_rows(spec_.key_shape), true));
  TENSH_ASSIGN(const Shape value_shape, Shape::Make(of_rows(spec_.value_shape), true));
  TENSH_ASSIGN(*keys, Tensor::Make(spec_.key, key_shape));
  TENSH_ASSIGN(*values, Tensor::Make(spec_.value, value_shape));
  for (int64_t i = 0; i < n; ++i) {
    TakeRow(key_rows_, spec_.key, key_width(), i, *keys, i);
    TakeRow(value_rows_, spec_.value, value_width(), i, *values, i);
  }
  return {};
}

int64_t LookupTable::size() {
  std::lock_guard lock(mu_);
  return static_cast<int64_t>(keys_.size());
}

bool LookupTable::initialized() {
  std::lock_guard lock(mu_);
  return initialized_;
}

}  // namespace tensh::ops
