#include "ops/formats/tensor_bundle.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>

#include "ops/formats/sstable.h"
#include "ops/support/array_copy.h"
#include "runtime/base/wire.h"

namespace tensh::ops {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints hold little-endian bytes");

constexpr int64_t kVersion = 1;
constexpr int64_t kMaxShards = 100000;
constexpr size_t kPiece = 1 << 20;  // bytes that are read or written, and checked, at a time

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

// ---- writing ----

BundleWriter::~BundleWriter() {
  data_.reset();
  if (!temporary_.empty()) (void)RemoveFile(temporary_);  // It may be gone.
}

Status BundleWriter::Open() {
  if (data_) return {};
  static std::atomic<uint64_t> next{0};
  TENSH_RETURN_IF_ERROR(MakeDirectories(DirectoryOf(prefix_)));
  const std::string name =
      StrCat(BundleDataPath(prefix_, 0, 1), ".tempstate", getpid(), "_", next++);
  TENSH_ASSIGN(data_, OpenFile(name, "wb"));
  temporary_ = name;
  return {};
}

Status BundleWriter::Write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), data_.get()) != bytes.size())
    return FileError(errno, temporary_, " while writing");
  written_ += static_cast<int64_t>(bytes.size());
  return {};
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
  TENSH_RETURN_IF_ERROR(Open());
  BundleEntry entry{.dtype = tensor.dtype(), .shape = tensor.shape(), .offset = written_};
  uint32_t crc = 0;
  if (tensor.dtype() == DType::kString) {
    TENSH_RETURN_IF_ERROR(Write(EncodeStrings(tensor, &crc)));
  } else if (IsPod(tensor.dtype())) {
    const std::string_view bytes(static_cast<const char*>(tensor.raw()),
                                 static_cast<size_t>(tensor.bytes()));
    for (size_t at = 0; at < bytes.size(); at += kPiece) {
      const std::string_view piece = bytes.substr(at, kPiece);
      TENSH_RETURN_IF_ERROR(Write(piece));
      crc = Crc32c(piece, crc);
    }
  } else {
    return Unimplemented("a checkpoint cannot hold a tensor of type ", Name(tensor.dtype()));
  }
  entry.size = written_ - entry.offset;
  entry.crc = MaskCrc(crc);
  if (!entries_.emplace(key, entry).second) return InvalidArgument("Adding duplicate key: ", key);
  return {};
}

Status BundleWriter::Finish() {
  TENSH_RETURN_IF_ERROR(Open());
  if (std::fflush(data_.get()) != 0) return FileError(errno, temporary_, " while writing");
  data_.reset();
  TENSH_RETURN_IF_ERROR(RenameFile(temporary_, BundleDataPath(prefix_, 0, 1)));
  temporary_.clear();
  return WriteBundleIndex(prefix_, {.shards = 1, .entries = entries_});
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
                          const BundleEntry& entry) {
  int64_t present = 0;
  std::vector<std::pair<const BundleEntry*, std::vector<int64_t>>> parts;
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
    parts.emplace_back(&found->second, std::move(start));
  }
  if (present != entry.shape.num_elements())
    return DataLoss("the slices of ", name, " in the checkpoint have ", present,
                    " elements together, but its shape is ", entry.shape);
  TENSH_ASSIGN(Tensor whole, Tensor::Make(entry.dtype, entry.shape));
  ZeroElements(entry.dtype, whole.raw(), whole.num_elements());
  for (const auto& [part, start] : parts) {
    TENSH_ASSIGN(const Tensor read, ReadBundleTensor(prefix, bundle, name, *part));
    if (read.num_elements()) CopyIntoBox(read, start, whole);
  }
  return whole;
}

}  // namespace

Result<Tensor> ReadBundleTensor(const std::string& prefix, const Bundle& bundle,
                                const std::string& name, const BundleEntry& entry) {
  const bool strings = entry.dtype == DType::kString;
  if (!strings && !IsPod(entry.dtype))
    return Unimplemented("the checkpoint holds ", name, " of a type tensh does not know");
  if (!entry.slices.empty()) return ReadSlices(prefix, bundle, name, entry);
  const int64_t elements = entry.shape.num_elements();
  const int64_t unit = strings ? 1 : SizeOf(entry.dtype);
  if (strings ? elements > entry.size : entry.size % unit != 0 || entry.size / unit != elements)
    return DataLoss("the size of ", name, " in the checkpoint does not fit its shape ",
                    entry.shape);
  const std::string path = BundleDataPath(prefix, entry.shard, bundle.shards);
  TENSH_ASSIGN(FilePtr file, OpenFile(path, "rb"));
  if (std::fseek(file.get(), 0, SEEK_END) != 0 || std::ftell(file.get()) < entry.size ||
      std::ftell(file.get()) - entry.size < entry.offset)
    return OutOfRange("Read less bytes than requested: ", path, " is too short for ", name);
  std::fseek(file.get(), static_cast<long>(entry.offset), SEEK_SET);
  TENSH_ASSIGN(Tensor tensor, Tensor::Make(entry.dtype, entry.shape));
  std::string text;
  if (strings) text.resize(static_cast<size_t>(entry.size));
  char* to = strings ? text.data() : static_cast<char*>(tensor.raw());
  const size_t size = static_cast<size_t>(entry.size);
  uint32_t crc = 0;
  for (size_t at = 0; at < size; at += kPiece) {
    const size_t piece = std::min(kPiece, size - at);
    if (std::fread(to + at, 1, piece, file.get()) != piece)
      return FileError(errno, path, " while reading");
    if (!strings) crc = Crc32c({to + at, piece}, crc);
  }
  if (strings) TENSH_RETURN_IF_ERROR(DecodeStrings(text, tensor, &crc));
  if (MaskCrc(crc) != entry.crc)
    return DataLoss("Checksum does not match: stored ", entry.crc,
                    " vs. calculated on the restored "
                    "bytes ",
                    MaskCrc(crc));
  if (entry.dtype == DType::kBool)  // an untrusted file may hold bytes other than 0 and 1
    for (size_t i = 0; i < size; ++i) to[i] = to[i] != 0;
  return tensor;
}

}  // namespace tensh::ops
