#pragma once
// Checkpoints in TensorFlow's V2 format: PREFIX.index, a sorted table from tensor names to offsets,
// and PREFIX.data-00000-of-00001, which holds the bytes. Use a writer or reader from one thread
// only.
//
// The bytes of all tensors are divided into pieces, which the threads of the step take in the order
// of the file. A thread computes the checksum of a piece while the piece is in its cache; the
// checksums of the pieces of a tensor are joined afterwards.
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ops/formats/slice_key.h"
#include "runtime/core/files/files.h"
#include "runtime/core/kernel.h"

namespace tensh::ops {

// The threads that move the bytes, and the flag that stops them. Both may be null.
struct BundleThreads {
  ParallelRunner* runner = nullptr;
  const CancelFlag* cancel = nullptr;
};

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

struct Bundle {
  int64_t shards = 1;
  // The entries by name. The key of a slice begins with a zero.
  std::map<std::string, BundleEntry> entries;
};

std::string BundleIndexPath(const std::string& prefix);
std::string BundleDataPath(const std::string& prefix, int64_t shard, int64_t shards);

class BundleWriter {
 public:
  explicit BundleWriter(std::string prefix) : prefix_(std::move(prefix)) {}
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;
  // Adds a tensor, whose elements must not change before Finish.
  Status Add(const std::string& name, const Tensor& tensor);
  // Adds one slice of a tensor with the shape `whole`.
  Status AddSlice(const std::string& name, const Shape& whole, const SliceParts& slice,
                  const Tensor& tensor);
  // Writes the tensors, forces them to the disk, renames the files and writes the index. If the
  // process ends in between, the old checkpoint of this name or the new one can be read. Without
  // this call, nothing is left on disk.
  Status Finish(const BundleThreads& threads);

 private:
  // The bytes of one entry.
  struct Part {
    BundleEntry* entry;
    std::string_view bytes;
    bool has_crc = false;  // the entry already has its checksum
    Tensor tensor = {};    // keeps the bytes
    std::string text = {};
  };

  Status AddEntry(const std::string& key, const Tensor& tensor);
  Status WriteData(const BundleThreads& threads);
  Status Rename(const std::string& to);
  Status Replace(const Bundle& old, const Bundle& made);

  const std::string prefix_;
  std::string temporary_;
  FilePtr data_;
  int64_t size_ = 0;
  std::map<std::string, BundleEntry> entries_;
  std::deque<Part> parts_;
};

// Returns NotFound if the checkpoint does not exist, and DataLoss if it is damaged.
Result<Bundle> ReadBundle(const std::string& prefix);
Status WriteBundleIndex(const std::string& prefix, const Bundle& bundle);
// A tensor to read: its entry, and its name for messages.
struct BundleRead {
  std::string name;
  const BundleEntry* entry;
  Tensor tensor = {};  // the result
};
// Reads tensors, and assembles those that are stored in slices. Stops at the first error.
Status ReadBundleTensors(const std::string& prefix, const Bundle& bundle,
                         std::span<BundleRead> reads, const BundleThreads& threads);

}  // namespace tensh::ops
