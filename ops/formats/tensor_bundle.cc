#include "ops/formats/tensor_bundle.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <mutex>

#include "ops/formats/sstable.h"
#include "ops/support/array_copy.h"
#include "runtime/base/wire.h"

namespace tensh::ops {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints hold little-endian bytes");

constexpr int64_t kVersion = 1;
constexpr int64_t kMaxShards = 100000;
constexpr size_t kPiece =
    1 << 18;  // bytes of a piece; they fit in the second-level cache of a core

std::string EncodeShape(const Shape& shape) {
  WireWriter out;
  for (int64_t d : shape.dims()) {
    WireWriter dim;
    dim.Int(1, d);
    out.AlwaysBytes(2, dim.text());
  }
  return out.Take();
}

Result<Shape> DecodeShape(std::string_view text) {
  std::vector<int64_t> dims;
  WireReader in(text);
  while (in.Next()) {
    if (in.field() != 2) continue;
    int64_t size = 0;
    WireReader dim(in.bytes());
    while (dim.Next())
      if (dim.field() == 1) size = dim.integer();
    dims.push_back(size);
  }
  if (!in.ok()) return DataLoss("a shape in the checkpoint cannot be read");
  return Shape::Make(dims, true);
}

std::string EncodeHeader(int64_t shards) {
  WireWriter version, out;
  version.Int(1, kVersion);
  out.Int(1, shards);
  out.Bytes(3, version.text());
  return out.Take();
}

// Returns [length of each string] [checksum of the lengths] [bytes of each string].
std::string EncodeStrings(const Tensor& t, uint32_t* crc) {
  std::string out, fixed;
  for (const std::string& s : t.flat<std::string>()) {
    AppendVarint(out, s.size());
    if (s.size() <= UINT32_MAX)
      AppendFixed32(fixed, static_cast<uint32_t>(s.size()));
    else
      AppendFixed64(fixed, s.size());
  }
  const uint32_t lengths = Crc32c(fixed);
  std::string checksum;
  AppendFixed32(checksum, MaskCrc(lengths));
  out += checksum;
  uint32_t whole = Crc32c(checksum, lengths);
  for (const std::string& s : t.flat<std::string>()) {
    out += s;
    whole = Crc32c(s, whole);
  }
  *crc = whole;
  return out;
}

Status DecodeStrings(std::string_view bytes, Tensor& t, uint32_t* crc) {
  std::string fixed;
  std::vector<uint64_t> lengths;
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    uint64_t n;
    if (!TakeVarint(bytes, n)) return DataLoss("the strings of a checkpoint cannot be read");
    if (n <= UINT32_MAX)
      AppendFixed32(fixed, static_cast<uint32_t>(n));
    else
      AppendFixed64(fixed, n);
    lengths.push_back(n);
  }
  if (bytes.size() < 4) return DataLoss("the strings of a checkpoint cannot be read");
  const uint32_t checksum = Crc32c(fixed);
  if (MaskCrc(checksum) != LoadFixed32(bytes.data()))
    return DataLoss("The length checksum does not match");
  *crc = Crc32c(bytes.substr(0, 4), checksum);
  bytes.remove_prefix(4);
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > bytes.size()) return DataLoss("the strings of a checkpoint cannot be read");
    t.data<std::string>()[i] = bytes.substr(0, lengths[i]);
    bytes.remove_prefix(lengths[i]);
    *crc = Crc32c(t.data<std::string>()[i], *crc);
  }
  return {};
}

}  // namespace

std::string BundleIndexPath(const std::string& prefix) { return prefix + ".index"; }

std::string BundleDataPath(const std::string& prefix, int64_t shard, int64_t shards) {
  char suffix[64];
  std::snprintf(suffix, sizeof suffix, ".data-%05d-of-%05d", static_cast<int>(shard),
                static_cast<int>(shards));
  return prefix + suffix;
}

std::string BundleEntry::Encode() const {
  WireWriter out;
  out.Int(1, static_cast<int64_t>(dtype));
  out.AlwaysBytes(2, EncodeShape(shape));
  out.Int(3, shard);
  out.Int(4, offset);
  out.Int(5, size);
  if (crc) out.Fixed32(6, crc);
  for (const SliceParts& slice : slices) out.AlwaysBytes(7, EncodeSlice(slice));
  return out.Take();
}

Result<BundleEntry> BundleEntry::Decode(std::string_view text) {
  BundleEntry entry;
  WireReader in(text);
  while (in.Next()) {
    if (in.field() == 1) entry.dtype = static_cast<DType>(in.varint() & 0xff);
    if (in.field() == 2) {
      TENSH_ASSIGN(entry.shape, DecodeShape(in.bytes()));
    }
    if (in.field() == 3) entry.shard = in.integer();
    if (in.field() == 4) entry.offset = in.integer();
    if (in.field() == 5) entry.size = in.integer();
    if (in.field() == 6) entry.crc = in.fixed32();
    if (in.field() == 7) entry.slices.push_back(DecodeSlice(in.bytes()));
  }
  if (!in.ok() || entry.offset < 0 || entry.size < 0 || entry.shard < 0)
    return DataLoss("an entry of the checkpoint's index cannot be read");
  return entry;
}

// ---- pieces ----

namespace {

// Calls fn(i) for each piece, in order, on all threads, until a call fails or the step is cancelled.
template <class Fn>
Status ForEachPiece(const BundleThreads& threads, size_t pieces, Fn fn) {
  constexpr double kPieceNs = 100e3;
  std::atomic<size_t> next{0};
  std::mutex mu;
  Status first;
  const auto cancelled = [&] { return threads.cancel && threads.cancel->cancelled(); };
  const auto work = [&] {
    for (size_t i; !cancelled() && (i = next++) < pieces;) {
      Status status = fn(i);
      if (status.ok()) continue;
      next = pieces;
      std::lock_guard lock(mu);
      if (first.ok()) first = std::move(status);
    }
  };
  if (threads.runner)
    threads.runner->For(
        static_cast<int64_t>(pieces), kPieceNs,
        [](void* w, int64_t, int64_t) { (*static_cast<decltype(&work)>(w))(); },
        const_cast<void*>(static_cast<const void*>(&work)));
  else
    work();
  if (cancelled()) return Cancelled("the transfer of a checkpoint was cancelled");
  return first;
}

size_t PiecesOf(size_t bytes) { return (bytes + kPiece - 1) / kPiece; }

// Joins the checksums of the pieces of a range of bytes.
uint32_t JoinPieces(std::span<const uint32_t> pieces, size_t bytes) {
  uint32_t crc = 0;
  for (size_t i = 0; i < pieces.size(); ++i)
    crc = JoinCrc32c(crc, pieces[i], std::min(kPiece, bytes - i * kPiece));
  return crc;
}

}  // namespace

// ---- writing ----

BundleWriter::~BundleWriter() {
  data_.reset();
  if (!temporary_.empty()) (void)RemoveFile(temporary_);  // It may be gone.
}

Status BundleWriter::Add(const std::string& name, const Tensor& tensor) {
  if (name.empty()) return InvalidArgument("A tensor in a checkpoint must have a name");
  return AddEntry(name, tensor);
}

Status BundleWriter::AddSlice(const std::string& name, const Shape& whole, const SliceParts& slice,
                              const Tensor& tensor) {
  if (name.empty()) return InvalidArgument("A tensor in a checkpoint must have a name");
  TENSH_RETURN_IF_ERROR(AddEntry(SliceKey(name, slice), tensor));
  BundleEntry& entry = entries_[name];
  const bool first = entry.slices.empty();
  if (first ? entry.size != 0 : entry.dtype != tensor.dtype() || !(entry.shape == whole))
    return InvalidArgument("the slices of ", name, " belong to tensors that differ");
  entry.dtype = tensor.dtype();
  entry.shape = whole;
  entry.slices.push_back(slice);
  return {};
}

Status BundleWriter::AddEntry(const std::string& key, const Tensor& tensor) {
  const auto [at, added] = entries_.try_emplace(key);
  if (!added) return InvalidArgument("Adding duplicate key: ", key);
  BundleEntry& entry = at->second;
  entry = {.dtype = tensor.dtype(), .shape = tensor.shape(), .offset = size_};
  Part& part = parts_.emplace_back(Part{&entry, {}});
  if (tensor.dtype() == DType::kString) {
    uint32_t crc = 0;
    part.text = EncodeStrings(tensor, &crc);
    part.bytes = part.text;
    part.has_crc = true;
    entry.crc = MaskCrc(crc);
  } else if (IsPod(tensor.dtype())) {
    part.tensor = tensor;
    part.bytes = {static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.bytes())};
  } else {
    return Unimplemented("a checkpoint cannot hold a tensor of type ", Name(tensor.dtype()));
  }
  entry.size = static_cast<int64_t>(part.bytes.size());
  size_ += entry.size;
  return {};
}

namespace {

Status WriteAt(std::FILE* file, const std::string& path, std::string_view bytes, int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fileno(file), bytes.data(), bytes.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return FileError(n < 0 ? errno : EIO, path, " while writing");
    bytes.remove_prefix(static_cast<size_t>(n));
    offset += n;
  }
  return {};
}

}  // namespace

Status BundleWriter::WriteData(const BundleThreads& threads) {
  struct Piece {
    const Part* part;
    size_t at;
  };
  std::vector<Piece> pieces;
  for (const Part& part : parts_)
    for (size_t at = 0; at < part.bytes.size(); at += kPiece) pieces.push_back({&part, at});
  std::vector<uint32_t> crcs(pieces.size());
  TENSH_RETURN_IF_ERROR(ForEachPiece(threads, pieces.size(), [&](size_t i) {
    const auto& [part, at] = pieces[i];
    const std::string_view bytes = part->bytes.substr(at, kPiece);
    if (!part->has_crc) crcs[i] = Crc32c(bytes);
    return WriteAt(data_.get(), temporary_, bytes, part->entry->offset + static_cast<int64_t>(at));
  }));
  std::span<const uint32_t> rest = crcs;
  for (const Part& part : parts_) {
    const size_t count = PiecesOf(part.bytes.size());
    if (!part.has_crc) part.entry->crc = MaskCrc(JoinPieces(rest.first(count), part.bytes.size()));
    rest = rest.subspan(count);
  }
  return {};
}

Status BundleWriter::Finish(const BundleThreads& threads) {
  static std::atomic<uint64_t> next{0};
  TENSH_RETURN_IF_ERROR(MakeDirectories(DirectoryOf(prefix_)));
  const std::string name =
      StrCat(BundleDataPath(prefix_, 0, 1), ".tempstate", getpid(), "_", next++);
  TENSH_ASSIGN(data_, OpenFile(name, "wb"));
  temporary_ = name;
  TENSH_RETURN_IF_ERROR(WriteData(threads));
  TENSH_RETURN_IF_ERROR(SyncFile(data_.get(), temporary_));
  data_.reset();
  const Bundle made{.shards = 1, .entries = entries_};
  const Result<Bundle> old = ReadBundle(prefix_);
  if (!old.ok()) {  // There is no checkpoint of this name, or it cannot be read anyway.
    TENSH_RETURN_IF_ERROR(Rename(BundleDataPath(prefix_, 0, 1)));
    return WriteBundleIndex(prefix_, made);
  }
  return Replace(*old, made);
}

Status BundleWriter::Rename(const std::string& to) {
  TENSH_RETURN_IF_ERROR(RenameFile(temporary_, to));
  temporary_.clear();
  return {};
}

// The index and the data cannot be replaced in one step, and an index is of no use with the data of
// another one. So the new data first have a name that the old index does not use, as the last of one
// shard more. When the new index has replaced the old one, the data also get their usual name, and
// a second index replaces the first.
Status BundleWriter::Replace(const Bundle& old, const Bundle& made) {
  const int64_t shards = old.shards + 1;
  const std::string aside = BundleDataPath(prefix_, shards - 1, shards);
  TENSH_RETURN_IF_ERROR(Rename(aside));
  Bundle moved = made;
  moved.shards = shards;
  for (auto& [name, entry] : moved.entries) entry.shard = shards - 1;
  TENSH_RETURN_IF_ERROR(WriteBundleIndex(prefix_, moved));
  for (int64_t i = 0; i < old.shards; ++i) (void)RemoveFile(BundleDataPath(prefix_, i, old.shards));
  const std::string usual = BundleDataPath(prefix_, 0, 1);
  (void)RemoveFile(usual);                      // An earlier crash may have left it.
  if (!LinkFile(aside, usual).ok()) return {};  // There are no links: the first name stays.
  TENSH_RETURN_IF_ERROR(WriteBundleIndex(prefix_, made));
  return RemoveFile(aside);
}

Status WriteBundleIndex(const std::string& prefix, const Bundle& bundle) {
  SortedTable table;
  table[""] = EncodeHeader(bundle.shards);
  for (const auto& [name, entry] : bundle.entries) table[name] = entry.Encode();
  return WriteWholeFile(BundleIndexPath(prefix), EncodeSortedTable(table));
}

// ---- reading ----

Result<Bundle> ReadBundle(const std::string& prefix) {
  Result<std::string> file = ReadWholeFile(BundleIndexPath(prefix));
  if (!file.ok() && file.status().code() == Code::kNotFound)
    return NotFound(
        "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for ",
        prefix);
  if (!file.ok()) return std::move(file).status();
  TENSH_ASSIGN(SortedTable table, DecodeSortedTable(*file));
  Bundle bundle;
  for (auto& [name, text] : table) {
    if (!name.empty()) {
      TENSH_ASSIGN(bundle.entries[name], BundleEntry::Decode(text));
      continue;
    }
    WireReader header(text);
    while (header.Next()) {
      if (header.field() == 1) bundle.shards = header.integer();
      if (header.field() == 2 && header.integer() != 0)
        return Unimplemented("the checkpoint ", prefix, " is big-endian");
    }
    if (!header.ok() || bundle.shards < 0 || bundle.shards > kMaxShards)
      return DataLoss("the header of ", prefix, ".index cannot be read");
  }
  return bundle;
}

namespace {

// Copies a dense tensor into the box of `whole` that begins at `start`, row by row.
void CopyIntoBox(const Tensor& part, const std::vector<int64_t>& start, const Tensor& whole) {
  const Shape& size = part.shape();
  const int rank = size.rank();
  const int64_t row = rank ? size[rank - 1] : 1;
  const int64_t unit = static_cast<int64_t>(part.dtype() == DType::kString ? sizeof(std::string)
                                                                           : SizeOf(part.dtype()));
  const Strides to(whole.shape());
  const auto* from = static_cast<const char*>(part.raw());
  std::vector<int64_t> at(static_cast<size_t>(rank), 0);
  for (int64_t done = 0; done < part.num_elements(); done += row) {
    int64_t offset = 0;
    for (int d = 0; d < rank; ++d)
      offset += (start[static_cast<size_t>(d)] + at[static_cast<size_t>(d)]) * to[d];
    CopyElements(part.dtype(), static_cast<char*>(whole.raw()) + offset * unit, from + done * unit,
                 row);
    for (int d = rank - 2; d >= 0 && ++at[static_cast<size_t>(d)] == size[d]; --d)
      at[static_cast<size_t>(d)] = 0;
  }
}

// Reads the slices of a tensor. Their sizes are checked before memory is allocated for the whole.
Result<Tensor> ReadSlices(const std::string& prefix, const Bundle& bundle, const std::string& name,
                          const BundleEntry& entry, const BundleThreads& threads) {
  int64_t present = 0;
  std::vector<BundleRead> parts;
  std::vector<std::vector<int64_t>> starts;
  for (const SliceParts& slice : entry.slices) {
    Shape size;
    std::vector<int64_t> start;
    const auto found = bundle.entries.find(SliceKey(name, slice));
    if (found == bundle.entries.end() || !LocateSlice(slice, entry.shape, &size, &start) ||
        !(found->second.shape == size) || found->second.dtype != entry.dtype ||
        !found->second.slices.empty())
      return DataLoss("a slice of ", name, " in the checkpoint is missing or does not fit");
    const int64_t bytes = entry.dtype == DType::kString ? 1 : SizeOf(entry.dtype);
    if (size.num_elements() > found->second.size / std::max<int64_t>(bytes, 1))
      return DataLoss("a slice of ", name, " in the checkpoint is larger than its bytes");
    present += size.num_elements();
    parts.push_back({name, &found->second});
    starts.push_back(std::move(start));
  }
  if (present != entry.shape.num_elements())
    return DataLoss("the slices of ", name, " in the checkpoint have ", present,
                    " elements together, but its shape is ", entry.shape);
  TENSH_ASSIGN(Tensor whole, Tensor::Make(entry.dtype, entry.shape));
  ZeroElements(entry.dtype, whole.raw(), whole.num_elements());
  for (size_t i = 0; i < parts.size(); ++i) {
    TENSH_RETURN_IF_ERROR(ReadBundleTensors(prefix, bundle, {&parts[i], 1}, threads));
    const Tensor read = std::move(parts[i].tensor);
    if (read.num_elements()) CopyIntoBox(read, starts[i], whole);
  }
  return whole;
}

// The data files of a checkpoint, each opened once.
class Shards {
 public:
  Shards(const std::string& prefix, const Bundle& bundle) : prefix_(prefix), bundle_(bundle) {}

  struct Shard {
    std::string path;
    FilePtr file;
    int64_t size = 0;
  };
  Result<const Shard*> Open(int64_t number) {
    Shard& shard = open_[number];
    if (shard.file) return &shard;
    shard.path = BundleDataPath(prefix_, number, bundle_.shards);
    TENSH_ASSIGN(shard.file, OpenFile(shard.path, "rb"));
    shard.size = ::lseek(fileno(shard.file.get()), 0, SEEK_END);
    return &shard;
  }

 private:
  const std::string& prefix_;
  const Bundle& bundle_;
  std::map<int64_t, Shard> open_;
};

// The bytes of one tensor, and where they go.
struct Transfer {
  BundleRead* read;
  const Shards::Shard* shard = nullptr;
  std::string text = {};  // encoded strings
  char* to = nullptr;
  size_t size = 0;
};

// Checks an entry against its file, and allocates memory for it.
Result<Transfer> Begin(BundleRead& read, Shards& shards) {
  const BundleEntry& entry = *read.entry;
  const bool strings = entry.dtype == DType::kString;
  const int64_t elements = entry.shape.num_elements();
  const int64_t unit = strings ? 1 : SizeOf(entry.dtype);
  if (strings ? elements > entry.size : entry.size % unit != 0 || entry.size / unit != elements)
    return DataLoss("the size of ", read.name, " in the checkpoint does not fit its shape ",
                    entry.shape);
  Transfer transfer{&read};
  TENSH_ASSIGN(transfer.shard, shards.Open(entry.shard));
  const int64_t size = transfer.shard->size;
  if (size < entry.size || size - entry.size < entry.offset)
    return OutOfRange("Read less bytes than requested: ", transfer.shard->path,
                      " is too short for ", read.name);
  TENSH_ASSIGN(read.tensor, Tensor::Make(entry.dtype, entry.shape));
  transfer.size = static_cast<size_t>(entry.size);
  if (strings) transfer.text.resize(transfer.size);
  if (!strings) transfer.to = static_cast<char*>(read.tensor.raw());
  return transfer;
}

Status ReadAt(const Shards::Shard& shard, const std::string& name, char* to, size_t size,
              int64_t offset) {
  while (size) {
    const ssize_t n = ::pread(fileno(shard.file.get()), to, size, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(errno, shard.path, " while reading");
    if (n == 0)
      return OutOfRange("Read less bytes than requested: ", shard.path, " became too short while ",
                        name, " was read");
    to += n;
    size -= static_cast<size_t>(n);
    offset += n;
  }
  return {};
}

// Compares the checksum, and decodes strings.
Status End(Transfer& transfer, std::span<const uint32_t> pieces) {
  uint32_t crc = 0;
  if (transfer.read->entry->dtype == DType::kString)
    TENSH_RETURN_IF_ERROR(DecodeStrings(transfer.text, transfer.read->tensor, &crc));
  else
    crc = JoinPieces(pieces, transfer.size);
  const uint32_t stored = transfer.read->entry->crc;
  if (MaskCrc(crc) == stored) return {};
  return DataLoss("Checksum does not match: stored ", stored,
                  " vs. calculated on the restored bytes ", MaskCrc(crc));
}

}  // namespace

Status ReadBundleTensors(const std::string& prefix, const Bundle& bundle,
                         std::span<BundleRead> reads, const BundleThreads& threads) {
  Shards shards(prefix, bundle);
  std::deque<Transfer> transfers;
  struct Piece {
    const Transfer* transfer;
    size_t at;
  };
  std::vector<Piece> pieces;
  for (BundleRead& read : reads) {
    if (read.entry->dtype != DType::kString &&
        (!IsPod(read.entry->dtype) || !SizeOf(read.entry->dtype)))
      return Unimplemented("the checkpoint holds ", read.name, " of a type tensh does not know");
    if (!read.entry->slices.empty()) {
      TENSH_ASSIGN(read.tensor, ReadSlices(prefix, bundle, read.name, *read.entry, threads));
      continue;
    }
    TENSH_ASSIGN(Transfer begun, Begin(read, shards));
    Transfer& transfer = transfers.emplace_back(std::move(begun));
    if (!transfer.to) transfer.to = transfer.text.data();
    for (size_t at = 0; at < transfer.size; at += kPiece) pieces.push_back({&transfer, at});
  }
  std::vector<uint32_t> crcs(pieces.size());
  TENSH_RETURN_IF_ERROR(ForEachPiece(threads, pieces.size(), [&](size_t i) -> Status {
    const auto& [transfer, at] = pieces[i];
    const BundleEntry& entry = *transfer->read->entry;
    char* const to = transfer->to + at;
    const size_t size = std::min(kPiece, transfer->size - at);
    TENSH_RETURN_IF_ERROR(ReadAt(*transfer->shard, transfer->read->name, to, size,
                                 entry.offset + static_cast<int64_t>(at)));
    crcs[i] = Crc32c({to, size});
    if (entry.dtype == DType::kBool)  // an untrusted file may hold bytes other than 0 and 1
      for (size_t k = 0; k < size; ++k) to[k] = to[k] != 0;
    return {};
  }));
  std::span<const uint32_t> rest = crcs;
  for (Transfer& transfer : transfers) {
    const size_t count = PiecesOf(transfer.size);
    TENSH_RETURN_IF_ERROR(End(transfer, rest.first(count)));
    rest = rest.subspan(count);
  }
  return {};
}

}  // namespace tensh::ops
