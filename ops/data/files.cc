// Datasets read from files: lines of text, TFRecords, and records of a fixed length.
#include <algorithm>

#include "ops/data/dataset.h"
#include "ops/formats/inflate.h"
#include "ops/op_file.h"
#include "runtime/base/wire.h"
#include "runtime/core/files/files.h"

namespace tensh::ops {
namespace {

using Element = std::vector<Tensor>;
using Paths = std::shared_ptr<const std::vector<std::string>>;

// The format of a file: splits its contents into elements. One file at a time is in memory.
class Splitter {
 public:
  virtual ~Splitter() = default;
  // Called after file number `file` was read. Sets *at to the start of the first element.
  virtual Status Begin(const std::string&, size_t, size_t* at) const {
    *at = 0;
    return {};
  }
  // Extracts the element at *at and advances *at. Sets *found to false at the end of the file.
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
    std::erase(*element, '\r');  // anywhere in the line, as in TensorFlow
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
    // As in TensorFlow, an incomplete header is treated as the end of the file.
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
  const std::vector<int64_t> offsets_;  // start offset in each file
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
      if (!status.ok()) open_ = false;  // skips the rest of a damaged file
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

// Creates the dataset from the names of the files and, in input `packing`, the kind of compression.
// If any_packing is set, an unknown kind means no compression, as in TensorFlow's TFRecordDataset.
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
  const char* example;  // its arguments, beginning with the name of a file that it writes
};
constexpr char kLines[] = "open('lines', 'w').write('hello') and 'lines', compression_type=''";
constexpr char kRecords[] =
    "((w := tf.python_io.TFRecordWriter('records')).write(b'hello'), w.close()) and 'records', "
    "compression_type=''";
constexpr char kFixed[] =
    "open('bytes', 'w').write('hello') and 'bytes', header_bytes=0, record_bytes=5, "
    "footer_bytes=0";
constexpr char kPacked[] = ", compression_type: scalar";
constexpr Row kRows[] = {
    {"TextLineDataset", "filenames: string, compression_type: string, buffer_size: int64",
     "A dataset of the lines of text files.", kPacked, MakeLines, kLines},
    {"TFRecordDataset", "filenames: string, compression_type: string, buffer_size: int64",
     "A dataset of the records of TFRecord files.", kPacked, MakeRecords, kRecords},
    {"TFRecordDatasetV2",
     "filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64",
     "A dataset of the records of TFRecord files. byte_offsets has the start offset for each file.",
     ", compression_type: scalar, byte_offsets: vector", MakeRecords,
     "((w := tf.python_io.TFRecordWriter('records')).write(b'hello'), w.close()) and 'records', "
     "compression_type='', byte_offsets=[0]"},
    {"FixedLengthRecordDataset",
     "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
     "buffer_size: int64",
     "A dataset of records of record_bytes each. header_bytes at the start and footer_bytes at the "
     "end of each file are skipped.",
     "", MakeFixed, kFixed},
    {"FixedLengthRecordDatasetV2",
     "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
     "buffer_size: int64, compression_type: string",
     "A dataset of records of record_bytes each. header_bytes at the start and footer_bytes at the "
     "end of each file are skipped.",
     kPacked, MakeFixed,
     "open('bytes', 'w').write('hello') and 'bytes', header_bytes=0, record_bytes=5, "
     "footer_bytes=0, compression_type=''"},
};

}  // namespace

TENSH_OPS(data_files) {
  for (const Row& row : kRows) {
    const bool packed = *row.contract != '\0';
    r.Op({.name = row.name,
          .inputs = row.inputs,
          .outputs = "handle: variant",
          .attrs = "metadata: string = ''",
          .doc = StrCat(
              row.doc, " filenames: one name, or a vector of names.",
              packed ? " compression_type: '', 'ZLIB' or 'GZIP'." : "",
              " buffer_size is a hint for TensorFlow's runtime; metadata is for its own reports."),
          .contract = StrCat("filenames: rank 0..1", row.contract),
          .shape = DatasetShape,
          .no_gradient = true,
          .stateful = true,
          .examples = {{StrCat(
                            "tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.", row.name,
                            "(filenames=", row.example,
                            ", buffer_size=0), output_types=[tf.string], output_shapes=[[]])[0]"),
                        "b'hello'"}}})
        .CpuAny(row.make);
  }
}

}  // namespace tensh::ops
