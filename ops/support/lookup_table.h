#pragma once
// Tables from keys to values, which the steps of a session share: filled once (HashTable), changed
// at will (MutableHashTable and its relatives). Keys are integers, booleans or strings, one element
// or, in dense tables, several; a value is a tensor of one shape. Rows keep the order in which they
// came, until one is removed. Thread-safe.
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/core/kernel.h"

namespace tensh::ops {

struct TableSpec {
  std::string kind;  // "HashTable"
  std::string name;
  DType key = DType::kInvalid, value = DType::kInvalid;
  Shape key_shape, value_shape;
  bool fixed = false;  // filled once
};

class LookupTable : public Resource {
 public:
  explicit LookupTable(TableSpec spec) : spec_(std::move(spec)) {}
  const TableSpec& spec() const { return spec_; }
  // Keys that may not be in a dense table: one row each.
  Status Reserve(const Tensor& empty_key, const Tensor& deleted_key);

  Result<Tensor> Find(const Tensor& keys, const Tensor& default_value);
  Status Insert(const Tensor& keys, const Tensor& values);  // or replaces
  Status Remove(const Tensor& keys);
  // Fills a fixed table; again only with the same. Another table forgets what it had.
  Status Fill(const Tensor& keys, const Tensor& values);
  Status Export(Tensor* keys, Tensor* values);
  int64_t size();
  bool initialized();

 private:
  // Elements of one row after the other, as bytes or as strings.
  struct Rows {
    std::vector<char> bytes;
    std::vector<std::string> strings;
  };
  Status CheckKeys(const Tensor& keys) const;
  Status CheckValues(const Tensor& keys, const Tensor& values) const;
  Status CheckReserved(const std::string& key) const;
  // The key of row i as one string.
  std::string KeyAt(const Tensor& keys, int64_t i) const;
  void PutRow(Rows& rows, DType type, int64_t width, int64_t row, const Tensor& from, int64_t i);
  void TakeRow(const Rows& rows, DType type, int64_t width, int64_t row, const Tensor& to,
               int64_t i) const;
  void MoveRow(Rows& rows, DType type, int64_t width, int64_t from, int64_t to);
  void Put(const Tensor& keys, const Tensor& values, int64_t i);
  Shape RowsShape(const Tensor& keys) const;
  int64_t key_width() const { return spec_.key_shape.num_elements(); }
  int64_t value_width() const { return spec_.value_shape.num_elements(); }

  const TableSpec spec_;
  std::mutex mu_;
  std::unordered_map<std::string, int64_t> index_;
  std::vector<std::string> keys_;  // by row, as KeyAt spells them
  Rows key_rows_, value_rows_;
  std::vector<std::string> reserved_;
  bool initialized_ = false;
};

// The table behind input i, or null.
LookupTable* TableAt(KernelCtx& c, int i);
Status NoTable();

}  // namespace tensh::ops
