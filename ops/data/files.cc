// Datasets of what files hold: lines, records, and records of one length.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/dataset.h"
#include "ops/support/inflate.h"
#include "runtime/core/files.h"
#include "runtime/core/wire.h"

namespace tensh::ops {
namespace {

using Element = std::vector<Tensor>;
using Paths = std::shared_ptr<const std::vector<std::string>>;

// How the elements of one file are found. One file at a time is in memory.
class Splitter {
 public:
  virtual ~Splitter() = default;
  // What to do with a file that was just read, number `file` of them: where its elements begin.
  virtual Status Begin(const std::string&, size_t, size_t* at) const {
    *at = 0;
    return {};
  }
  // The element at *at, which moves on; *found is false at the end.
  virtual Status Next(const std::string& path, const std::string& text, size_t* at,
                      std::string* element, bool* found) const = 0;
};
using SplitterPtr = std::shared_ptr<const Splitter>;

class LineSplitter : public Splitter {
 public:
  Status Next(const std::string&, const std::string& text, size_t* at, std::string* element,
              bool* found) const override {
    *found = *at < text.size();
    if (!*found) return {};
    const size_t end = std::min(text.find('\n', *at), text.size());
    *element = text.substr(*at, end - *at);
    std::erase(*element, '\r');  // wherever they are, as in TensorFlow
    *at = end + 1;
    return {};
  }
};

class RecordSplitter : public Splitter {
 public:
  explicit RecordSplitter(std::vector<int64_t> offsets) : offsets_(std::move(offsets)) {}
  Status Begin(const std::string&, size_t file, size_t* at) const override {
    *at = file < offsets_.size() ? static_cast<size_t>(std::max<int64_t>(offsets_[file], 0)) : 0;
    return {};
  }
  Status Next(const std::string& path, const std::string& text, size_t* at, std::string* element,
              bool* found) const override {
    constexpr size_t kHead = 12, kTail = 4;
    // As in TensorFlow less than a head is the end.
    *found = *at < text.size() && text.size() - *at >= kHead;
    if (!*found) return {};
    const std::string_view rest = std::string_view(text).substr(*at);
    if (MaskedCrc32c(rest.substr(0, 8)) != LoadFixed32(rest.data() + 8))
      return DataLoss("corrupted record at ", *at, " in ", path);
    const uint64_t length = LoadFixed64(rest.data());
    if (rest.size() - kHead < kTail || length > rest.size() - kHead - kTail)
      return DataLoss("truncated record at ", *at, " in ", path);
    *element = std::string(rest.substr(kHead, length));
    if (MaskedCrc32c(*element) != LoadFixed32(rest.data() + kHead + length))
      return DataLoss("corrupted record at ", *at, " in ", path);
    *at += kHead + length + kTail;
    return {};
  }

 private:
  const std::vector<int64_t> offsets_;  // where to begin, in each file
};

class FixedSplitter : public Splitter {
 public:
  FixedSplitter(int64_t header, int64_t record, int64_t footer)
      : header_(static_cast<size_t>(header)),
        record_(static_cast<size_t>(record)),
        footer_(static_cast<size_t>(footer)) {}
  Status Begin(const std::string& text, size_t, size_t* at) const override {
    const size_t around = header_ + footer_;
    const size_t body = text.size() < around ? 0 : text.size() - around;
    if (text.size() < around || body % record_)
      return InvalidArgument("Excess bytes: a file of ", text.size(), " bytes with a header of ",
                             header_, " and a footer of ", footer_, " is not made of records of ",
                             record_);
    *at = header_;
    return {};
  }
  Status Next(const std::string&, const std::string& text, size_t* at, std::string* element,
              bool* found) const override {
    *found = *at + record_ + footer_ <= text.size();
    if (!*found) return {};
    *element = text.substr(*at, record_);
    *at += record_;
    return {};
  }

 private:
  const size_t header_, record_, footer_;
};

class FilesIterator : public DatasetIterator {
 public:
  FilesIterator(const Dataset::Inputs&, Paths paths, Packing packing, SplitterPtr splitter)
      : paths_(std::move(paths)), packing_(packing), splitter_(std::move(splitter)) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    for (*end = false;;) {
      if (c.cancelled()) return c.cancel()->Why();
      if (!open_) {
        *end = next_ == paths_->size();
        if (*end) return {};
        TENSH_RETURN_IF_ERROR(Open(c));
      }
      std::string found;
      Status status = splitter_->Next((*paths_)[next_ - 1], text_, &at_, &found, &open_);
      if (!status.ok()) open_ = false;  // what is left of a damaged file is passed over
      if (status.ok() && !open_) continue;
      *element = {Tensor::Scalar(std::move(found))};
      return status;
    }
  }

 private:
  Status Open(KernelCtx& c) {
    TENSH_ASSIGN(text_, ReadWholeFile((*paths_)[next_]));
    if (packing_ != Packing::kNone) {
      std::string plain;
      TENSH_RETURN_IF_ERROR(Inflate(c, packing_, text_, &plain));
      text_ = std::move(plain);
    }
    TENSH_RETURN_IF_ERROR(splitter_->Begin(text_, next_, &at_));
    ++next_;
    open_ = true;
    return {};
  }

  const Paths paths_;
  const Packing packing_;
  const SplitterPtr splitter_;
  std::string text_;
  size_t next_ = 0, at_ = 0;
  bool open_ = false;
};

// Inputs: the files' names, and at `packing` how they are compressed: for records what TensorFlow
// does not know is not.
Status GiveFiles(KernelCtx& c, int packing, SplitterPtr splitter, bool any_packing = false) {
  const Tensor& names = c.in(0);
  const auto all = names.flat<std::string>();
  auto paths = std::make_shared<const std::vector<std::string>>(all.begin(), all.end());
  Packing kind = Packing::kNone;
  if (packing) {
    auto named = PackingNamed(*c.in(packing).data<std::string>());
    if (named.ok())
      kind = *named;
    else if (!any_packing)
      return named.status();
  }
  return GiveDataset(c, std::make_shared<Made<FilesIterator, Paths, Packing, SplitterPtr>>(
                            Dataset::Inputs{}, std::move(paths), kind, std::move(splitter)));
}

Status CheckBuffer(KernelCtx& c, int i) {
  TENSH_ASSIGN(const int64_t size, CountIn(c, i, "buffer_size"));
  if (size < 0) return InvalidArgument("`buffer_size` must be >= 0, got ", size);
  return {};
}

Status MakeLines(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(CheckBuffer(c, 2));
  return GiveFiles(c, 1, std::make_shared<LineSplitter>());
}

Status MakeRecords(KernelCtx& c) {
  TENSH_RETURN_IF_ERROR(CountIn(c, 2, "buffer_size").status());
  std::vector<int64_t> offsets;
  if (c.num_inputs() > 3) {
    const auto given = c.in(3).flat<int64_t>();
    offsets.assign(given.begin(), given.end());
    if (static_cast<int64_t>(offsets.size()) != c.in(0).num_elements())
      return InvalidArgument("`byte_offsets` must be of same size as `filenames`, got ",
                             offsets.size());
  }
  return GiveFiles(c, 1, std::make_shared<RecordSplitter>(std::move(offsets)), true);
}

Status MakeFixed(KernelCtx& c) {
  TENSH_ASSIGN(const int64_t header, CountIn(c, 1, "header_bytes"));
  TENSH_ASSIGN(const int64_t record, CountIn(c, 2, "record_bytes"));
  TENSH_ASSIGN(const int64_t footer, CountIn(c, 3, "footer_bytes"));
  constexpr int64_t kMost = int64_t{1} << 40;
  if (header < 0 || header > kMost)
    return InvalidArgument("`header_bytes` must be >= 0, got ", header);
  if (record <= 0 || record > kMost)
    return InvalidArgument("`record_bytes` must be > 0, got ", record);
  if (footer < 0 || footer > kMost)
    return InvalidArgument("`footer_bytes` must be >= 0, got ", footer);
  TENSH_RETURN_IF_ERROR(CheckBuffer(c, 4));
  return GiveFiles(c, c.num_inputs() > 5 ? 5 : 0,
                   std::make_shared<FixedSplitter>(header, record, footer));
}

struct Row {
  const char *name, *inputs, *doc, *contract;
  KernelFn make;
};
constexpr char kPacked[] = ", compression_type: scalar";
constexpr Row kRows[] = {
    {"TextLineDataset", "filenames: string, compression_type: string, buffer_size: int64",
     "A dataset of the lines of files.", kPacked, MakeLines},
    {"TFRecordDataset", "filenames: string, compression_type: string, buffer_size: int64",
     "A dataset of the records of TFRecord files.", kPacked, MakeRecords},
    {"TFRecordDatasetV2",
     "filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64",
     "A dataset of the records of TFRecord files, of each from the byte on that byte_offsets has "
     "for it.",
     ", compression_type: scalar, byte_offsets: vector", MakeRecords},
    {"FixedLengthRecordDataset",
     "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
     "buffer_size: int64",
     "A dataset of records of record_bytes each, behind header_bytes and before footer_bytes of "
     "each file.",
     "", MakeFixed},
    {"FixedLengthRecordDatasetV2",
     "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
     "buffer_size: int64, compression_type: string",
     "A dataset of records of record_bytes each, behind header_bytes and before footer_bytes of "
     "each file.",
     kPacked, MakeFixed},
};

}  // namespace

TENSH_OPS(data_files) {
  for (const Row& row : kRows) {
    const bool packed = *row.contract != '\0';
    r.Op({.name = row.name,
          .inputs = row.inputs,
          .outputs = "handle: variant",
          .attrs = "metadata: string = ''",
          .doc = StrCat(row.doc, " filenames: one, or a vector of them.",
                        packed ? " compression_type: '', 'ZLIB' or 'GZIP'." : "",
                        " buffer_size says how TensorFlow reads them; metadata is for its own "
                        "reports."),
          .contract = StrCat("filenames: rank 0..1", row.contract),
          .shape = DatasetShape,
          .no_gradient = true,
          .stateful = true,
          .examples = {{StrCat("tf.raw_ops.", row.name, ".__name__"), row.name}}})
        .CpuAny(row.make);
  }
}

}  // namespace tensh::ops
