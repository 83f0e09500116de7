#pragma once
// Checkpoints in TensorFlow's V2 format: PREFIX.index, a sorted table from tensor names to offsets,
// and PREFIX.data-00000-of-00001, which holds the bytes. Use a writer or reader from one thread
// only.
#include <map>
#include <string>
#include <vector>

#include "ops/formats/slice_key.h"
#include "runtime/core/files/files.h"
#include "runtime/core/tensor.h"

namespace tensh::ops {

struct BundleEntry {
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t shard = 0, offset = 0, size = 0;
  uint32_t crc = 0;  // masked CRC-32C of the bytes
  // If not empty, the tensor is stored in these slices, which are entries under their own keys.
  std::vector<SliceParts> slices = {};
  std::string Encode() const;
  static Result<BundleEntry> Decode(std::string_view text);
};

std::string BundleIndexPath(const std::string& prefix);
std::string BundleDataPath(const std::string& prefix, int64_t shard, int64_t shards);

class BundleWriter {
 public:
  explicit BundleWriter(std::string prefix) : prefix_(std::move(prefix)) {}
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;
  Status Add(const std::string& name, const Tensor& tensor);
  // Adds one slice of a tensor with the shape `whole`.
  Status AddSlice(const std::string& name, const Shape& whole, const SliceParts& slice,
                  const Tensor& tensor);
  // Writes the index and renames the files into place. Without this call, nothing is left on disk.
  Status Finish();

 private:
  Status Write(std::string_view bytes);
  Status Open();
  Status AddEntry(const std::string& key, const Tensor& tensor);

  const std::string prefix_;
  std::string temporary_;
  FilePtr data_;
  int64_t written_ = 0;
  std::map<std::string, BundleEntry> entries_;
};

struct Bundle {
  int64_t shards = 1;
  // The entries by name. The key of a slice begins with a zero.
  std::map<std::string, BundleEntry> entries;
};
// Returns NotFound if the checkpoint does not exist, and DataLoss if it is damaged.
Result<Bundle> ReadBundle(const std::string& prefix);
Status WriteBundleIndex(const std::string& prefix, const Bundle& bundle);
// Reads a tensor, and assembles it if it is stored in slices.
Result<Tensor> ReadBundleTensor(const std::string& prefix, const Bundle& bundle,
                                const std::string& name, const BundleEntry& entry);

}  // namespace tensh::ops
