#include "ops/formats/sstable.h"

#include <vector>

#include "ops/formats/snappy.h"
#include "runtime/base/wire.h"

namespace tensh::ops {
namespace {

constexpr uint64_t kMagic = 0xdb4775248b80fb57ull;
constexpr size_t kBlockSize = 262144;
constexpr size_t kTrailer = 5;  // compression type, checksum
constexpr size_t kFooter = 48;  // two handles, padded, and the magic number
constexpr int kRestartInterval = 16;

struct BlockHandle {
  uint64_t offset = 0, size = 0;
};

std::string HandleText(BlockHandle h) {
  std::string out;
  AppendVarint(out, h.offset);
  AppendVarint(out, h.size);
  return out;
}

bool TakeHandle(std::string_view& in, BlockHandle& h) {
  return TakeVarint(in, h.offset) && TakeVarint(in, h.size);
}

// Builds one block of entries. Each key shares a prefix with the previous one, except that every
// `interval`-th key is stored in full.
class BlockBuilder {
 public:
  explicit BlockBuilder(int interval) : interval_(interval) {}
  void Add(std::string_view key, std::string_view value) {
    size_t shared = 0;
    if (count_ % interval_ == 0) {
      restarts_.push_back(static_cast<uint32_t>(out_.size()));
    } else {
      while (shared < key.size() && shared < last_.size() && key[shared] == last_[shared]) ++shared;
    }
    ++count_;
    AppendVarint(out_, shared);
    AppendVarint(out_, key.size() - shared);
    AppendVarint(out_, value.size());
    out_ += key.substr(shared);
    out_ += value;
    last_ = key;
  }
  std::string Take() {
    if (restarts_.empty()) restarts_.push_back(0);
    for (uint32_t r : restarts_) AppendFixed32(out_, r);
    AppendFixed32(out_, static_cast<uint32_t>(restarts_.size()));
    restarts_.clear();
    count_ = 0;
    last_.clear();
    return std::exchange(out_, {});
  }
  size_t size() const { return out_.size(); }
  bool empty() const { return count_ == 0; }

 private:
  const int interval_;
  int count_ = 0;
  std::string out_, last_;
  std::vector<uint32_t> restarts_;
};

BlockHandle AppendBlock(std::string& file, const std::string& block) {
  const BlockHandle handle{file.size(), block.size()};
  file += block;
  const std::string type(1, '\0');  // no compression
  file += type;
  AppendFixed32(file, MaskCrc(Crc32c(type, Crc32c(block))));
  return handle;
}

// Returns a short key that is >= `key`. The index uses it as the key of the last block.
std::string ShortSuccessor(const std::string& key) {
  for (size_t i = 0; i < key.size(); ++i) {
    if (static_cast<unsigned char>(key[i]) == 0xff) continue;
    std::string out = key.substr(0, i + 1);
    ++out[i];
    return out;
  }
  return key;
}

Status Damaged(const char* what) { return DataLoss("not an sstable: ", what); }

Result<std::string> ReadBlock(std::string_view file, BlockHandle h) {
  if (h.size > file.size() || h.offset > file.size() - h.size ||
      file.size() - h.size - h.offset < kTrailer)
    return Damaged("a block is outside of the file");
  const std::string_view whole = file.substr(h.offset, h.size + kTrailer);
  const std::string_view checked = whole.substr(0, h.size + 1);
  if (MaskedCrc32c(checked) != LoadFixed32(whole.data() + h.size + 1))
    return Damaged("block checksum mismatch");
  constexpr char kSnappy = 1;
  if (whole[h.size] == kSnappy) return DecodeSnappy(whole.substr(0, h.size));
  if (whole[h.size] != 0)
    return Unimplemented("a block of the table is compressed in a way that tensh cannot read (",
                         static_cast<int>(whole[h.size]), ")");
  return std::string(whole.substr(0, h.size));
}

// Calls fn(key, value) for each entry of a block.
template <class Fn>
Status ForEachEntry(std::string_view block, Fn fn) {
  if (block.size() < 4) return Damaged("a block is too short");
  const uint64_t restarts = LoadFixed32(block.data() + block.size() - 4);
  if (restarts > (block.size() - 4) / 4) return Damaged("bad restart count");
  block.remove_suffix(4 + 4 * restarts);
  std::string key;
  while (!block.empty()) {
    uint64_t shared, rest, length;
    if (!TakeVarint(block, shared) || !TakeVarint(block, rest) || !TakeVarint(block, length) ||
        shared > key.size() || rest > block.size() || length > block.size() - rest)
      return Damaged("bad entry");
    key.resize(shared);
    key += block.substr(0, rest);
    TENSH_RETURN_IF_ERROR(fn(key, block.substr(rest, length)));
    block.remove_prefix(rest + length);
  }
  return {};
}

}  // namespace

std::string EncodeSortedTable(const SortedTable& table) {
  std::string file;
  BlockBuilder data(kRestartInterval), index(1);
  for (auto it = table.begin(); it != table.end(); ++it) {
    data.Add(it->first, it->second);
    const bool last = std::next(it) == table.end();
    if (!last && data.size() < kBlockSize) continue;
    const BlockHandle handle = AppendBlock(file, data.Take());
    index.Add(last ? ShortSuccessor(it->first) : it->first, HandleText(handle));
  }
  const BlockHandle meta = AppendBlock(file, BlockBuilder(kRestartInterval).Take());
  const BlockHandle root = AppendBlock(file, index.Take());
  std::string footer = HandleText(meta) + HandleText(root);
  footer.resize(kFooter - 8);
  AppendFixed64(footer, kMagic);
  return file + footer;
}

Result<SortedTable> DecodeSortedTable(std::string_view file) {
  if (file.size() < kFooter) return Damaged("the file is too short");
  if (LoadFixed64(file.data() + file.size() - 8) != kMagic) return Damaged("bad magic number");
  std::string_view footer = file.substr(file.size() - kFooter, kFooter - 8);
  BlockHandle meta, root;
  if (!TakeHandle(footer, meta) || !TakeHandle(footer, root)) return Damaged("bad footer");
  TENSH_ASSIGN(const std::string index, ReadBlock(file, root));
  SortedTable table;
  TENSH_RETURN_IF_ERROR(ForEachEntry(index, [&](const std::string&, std::string_view value) {
    BlockHandle handle;
    if (!TakeHandle(value, handle)) return Damaged("bad index entry");
    Result<std::string> block = ReadBlock(file, handle);
    if (!block.ok()) return std::move(block).status();
    return ForEachEntry(*block, [&](const std::string& key, std::string_view entry) -> Status {
      table[key] = std::string(entry);
      return {};
    });
  }));
  return table;
}

}  // namespace tensh::ops
