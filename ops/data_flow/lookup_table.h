#pragma once
// Tables from keys to values, shared by the steps of a session.
//
// A table is filled once (HashTable) or is mutable (MutableHashTable and its relatives). A key is
// one integer, boolean or string, or, in dense tables, several; a value is a tensor of a fixed
// shape. Rows keep their insertion order until one is removed.
//
// The export of a dense table shows its buckets, as in TensorFlow, where the hash of an integer is
// the integer. Buckets only order the export; rows are found by a map.
//
// Thread-safe.
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/core/kernel.h"

namespace tensh::ops {

struct TableSpec {
  std::string kind;  // such as "HashTable"
  std::string name;
  DType key = DType::kInvalid, value = DType::kInvalid;
  Shape key_shape, value_shape;
  bool fixed = false;  // filled once, then immutable
};

class LookupTable : public Resource {
 public:
  explicit LookupTable(TableSpec spec) : spec_(std::move(spec)) {}
  const TableSpec& spec() const { return spec_; }
  // Makes a dense table with `buckets` buckets, a power of two. Reserves two keys, one row each, that
  // must not be inserted. Has no effect on a table that has reserved keys.
  Status Reserve(const Tensor& empty_key, const Tensor& deleted_key, int64_t buckets,
                 float max_load);

  Result<Tensor> Find(const Tensor& keys, const Tensor& default_value);
  Status Insert(const Tensor& keys, const Tensor& values);  // or replaces existing values
  Status Remove(const Tensor& keys);
  // Fills the table. A fixed table can be filled again only with the same rows. Any other table is
  // cleared first.
  Status Fill(const Tensor& keys, const Tensor& values);
  // Stores the rows, or, of a dense table, the buckets. An unused one has the empty or the deleted
  // key, and zeros or empty strings as its value.
  Status Export(Tensor* keys, Tensor* values);
  int64_t size();
  bool initialized();

 private:
  // The elements of all rows, one row after the other, as bytes or as strings.
  struct Rows {
    std::vector<char> bytes;
    std::vector<std::string> strings;
  };
  Status CheckKeys(const Tensor& keys) const;
  Status CheckValues(const Tensor& keys, const Tensor& values) const;
  Status CheckReserved(const std::string& key) const;
  // Returns the key in row i of `keys` as one string.
  std::string KeyAt(const Tensor& keys, int64_t i) const;
  void PutRow(Rows& rows, DType type, int64_t width, int64_t row, const Tensor& from, int64_t i);
  void TakeRow(const Rows& rows, DType type, int64_t width, int64_t row, const Tensor& to,
               int64_t i) const;
  void MoveRow(Rows& rows, DType type, int64_t width, int64_t from, int64_t to);
  void Put(const Tensor& keys, const Tensor& values, int64_t i);
  Status FillDense(const Tensor& keys, const Tensor& values);
  Shape RowsShape(const Tensor& keys) const;
  bool dense() const { return !reserved_.empty(); }
  // Returns the bucket of a row, or the one where a new row belongs.
  size_t BucketOf(int64_t row) const;
  // Makes space for more rows, and drops the marks of deleted rows if there are many.
  void GrowBuckets(int64_t more_rows);
  Status ExportBuckets(Tensor* keys, Tensor* values);
  int64_t key_width() const { return spec_.key_shape.num_elements(); }
  int64_t value_width() const { return spec_.value_shape.num_elements(); }

  const TableSpec spec_;
  std::mutex mu_;
  std::unordered_map<std::string, int64_t> index_;
  std::vector<std::string> keys_;  // by row, in the form of KeyAt
  Rows key_rows_, value_rows_;
  std::vector<std::string> reserved_;  // the empty and the deleted key of a dense table
  Tensor reserved_keys_[2];
  std::vector<int32_t> buckets_;  // rows, or kEmpty or kDeleted; allocated by the first use
  size_t bucket_count_ = 0, used_buckets_ = 0;
  float max_load_ = 0;
  bool initialized_ = false;
};

// Returns the table that the handle in input i refers to. Returns InvalidArgument if it refers to
// something else.
Result<LookupTable*> TableAt(KernelCtx& c, int i);

}  // namespace tensh::ops
