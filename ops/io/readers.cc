// Readers: read records one by one from files whose names come from a queue.
#include <cstdio>

#include "ops/data_flow/before_v2.h"
#include "ops/data_flow/queue.h"
#include "ops/formats/inflate.h"
#include "ops/op_file.h"
#include "runtime/base/wire.h"
#include "runtime/core/files/files.h"

namespace tensh::ops {
namespace {

constexpr uint64_t kMaxRecord = uint64_t{1} << 31;

// A reader of a session. Subclasses implement Next, which returns the records of the open file.
// Thread-safe.
class Reader : public Resource {
 public:
  explicit Reader(Packing packing = Packing::kNone) : packing_(packing) {}
  // Appends between 1 and n records, all from the same file. A file without records is skipped.
  Status Read(KernelCtx& c, Queue& queue, int64_t n, std::vector<std::string>* keys,
              std::vector<std::string>* values) {
    std::lock_guard lock(mu_);
    while (static_cast<int64_t>(keys->size()) < n) {
      if (file_name_.empty()) TENSH_RETURN_IF_ERROR(Open(c, queue));
      std::string key, value;
      bool found = false;
      TENSH_RETURN_IF_ERROR(Next(&key, &value, &found));
      if (found) {
        ++produced_;
        keys->push_back(std::move(key));
        values->push_back(std::move(value));
        continue;
      }
      Close();
      ++completed_;
      if (!keys->empty()) break;
    }
    return {};
  }
  void Reset() {
    std::lock_guard lock(mu_);
    Close();
    produced_ = completed_ = 0;
    last_.clear();
  }
  // Returns TensorFlow's ReaderBaseState: work_started, work_finished, num_records_produced and
  // current_work. Only readers that are never in the middle of a file support this.
  virtual bool can_serialize() const { return false; }
  std::string Serialize() {
    std::lock_guard lock(mu_);
    const int64_t works = completed_ + (file_name_.empty() ? 0 : 1);
    WireWriter state;
    state.Int(1, works);
    state.Int(2, works);
    state.Int(3, produced_);
    if (!last_.empty()) state.AlwaysBytes(4, last_);
    return state.Take();
  }
  Status Restore(const std::string& text) {
    WireReader in(text);
    int64_t numbers[4] = {};
    std::string last;
    while (in.Next()) {
      if (in.field() >= 1 && in.field() <= 3) numbers[in.field()] = in.integer();
      if (in.field() == 4) last = in.text();
    }
    if (!in.ok() || numbers[2] < 0 || numbers[3] < 0 || numbers[1] != numbers[2])
      return InvalidArgument("Could not parse state for a reader: ", text.size(), " bytes");
    std::lock_guard lock(mu_);
    Close();
    completed_ = numbers[2];
    produced_ = numbers[3];
    last_ = std::move(last);
    return {};
  }
  int64_t produced() {
    std::lock_guard lock(mu_);
    return produced_;
  }
  int64_t completed() {
    std::lock_guard lock(mu_);
    return completed_ + (!file_name_.empty() && given_all() ? 1 : 0);
  }

 protected:
  virtual Status Begin() { return {}; }  // called after a file was opened
  virtual Status Next(std::string* key, std::string* value, bool* found) = 0;
  virtual bool reads_files() const { return true; }
  virtual bool given_all() const { return false; }  // true if the file has no more records
  bool Take(void* to, size_t n) { return std::fread(to, 1, n, file_.get()) == n; }

  std::string file_name_;
  std::string unpacked_;  // the contents of a compressed file, which file_ reads
  FilePtr file_;

 private:
  Status Open(KernelCtx& c, Queue& queue) {
    std::vector<QueueRow> rows;
    TENSH_RETURN_IF_ERROR(queue.Dequeue(c, 1, false, &rows));
    if (rows[0].size() != 1 || rows[0][0].dtype() != DType::kString ||
        rows[0][0].num_elements() != 1)
      return InvalidArgument("a reader's queue must hold single strings");
    const std::string name = *rows[0][0].data<std::string>();
    if (name.empty()) return NotFound("; No such file or directory");
    if (reads_files()) {
      TENSH_ASSIGN(file_, packing_ == Packing::kNone ? OpenFile(name, "rb") : Unpack(c, name));
    }
    file_name_ = last_ = name;
    Status status = Begin();
    if (!status.ok()) Close();
    return status;
  }
  // Decompresses a file, of which the whole is kept in memory while it is read.
  Result<FilePtr> Unpack(KernelCtx& c, const std::string& name) {
    TENSH_ASSIGN(const std::string packed, ReadWholeFile(name));
    unpacked_.clear();
    TENSH_RETURN_IF_ERROR(Inflate(c, packing_, packed, &unpacked_));
    FilePtr file(fmemopen(unpacked_.data(), unpacked_.size(), "rb"));
    if (!file) return ResourceExhausted("out of memory for the contents of ", name);
    return file;
  }
  void Close() {
    file_.reset();
    unpacked_ = {};
    file_name_.clear();
  }

  const Packing packing_;
  std::mutex mu_;
  int64_t produced_ = 0, completed_ = 0;
  std::string last_;  // the last item that was taken from the queue
};

class TextLineReader : public Reader {
 public:
  explicit TextLineReader(int64_t skip) : skip_(skip) {}

 protected:
  Status Begin() override {
    line_ = 0;
    std::string unused;
    for (int64_t i = 0; i < skip_ && Line(&unused); ++i) {
    }
    return {};
  }
  Status Next(std::string* key, std::string* value, bool* found) override {
    *found = Line(value);
    if (*found) *key = StrCat(file_name_, ":", line_);
    return {};
  }

 private:
  bool Line(std::string* text) {
    text->clear();
    int byte;
    bool any = false;
    while ((byte = std::getc(file_.get())) != EOF && byte != '\n') {
      any = true;
      if (byte != '\r') *text += static_cast<char>(byte);
    }
    if (byte == EOF && !any) return false;
    ++line_;
    return true;
  }
  const int64_t skip_;
  int64_t line_ = 0;
};

class WholeFileReader : public Reader {
 public:
  bool can_serialize() const override { return true; }

 protected:
  Status Begin() override {
    done_ = false;
    return {};
  }
  Status Next(std::string* key, std::string* value, bool* found) override {
    *found = !done_;
    if (done_) return {};
    done_ = true;
    *key = file_name_;
    value->clear();
    char buffer[1 << 16];
    while (size_t n = std::fread(buffer, 1, sizeof buffer, file_.get())) value->append(buffer, n);
    return {};
  }

 protected:
  bool given_all() const override { return done_; }
  bool done_ = false;
};

class IdentityReader : public WholeFileReader {
 protected:
  bool reads_files() const override { return false; }
  Status Next(std::string* key, std::string* value, bool* found) override {
    *found = !std::exchange(done_, true);
    *key = *value = file_name_;
    return {};
  }
};

class TfRecordReader : public Reader {
 public:
  using Reader::Reader;

 protected:
  Status Begin() override {
    offset_ = 0;
    return {};
  }
  Status Next(std::string* key, std::string* value, bool* found) override {
    char head[12], tail[4];
    const size_t n = std::fread(head, 1, sizeof head, file_.get());
    *found = n != 0;
    if (n == 0) return {};
    const auto damaged = [&] {
      return DataLoss("corrupted record at ", offset_, " in ", file_name_);
    };
    if (n != sizeof head || MaskedCrc32c({head, 8}) != LoadFixed32(head + 8)) return damaged();
    const uint64_t length = LoadFixed64(head);
    if (length > kMaxRecord) return damaged();
    value->resize(length);
    if (!Take(value->data(), length) || !Take(tail, 4) || MaskedCrc32c(*value) != LoadFixed32(tail))
      return DataLoss("truncated record at ", offset_, " in ", file_name_);
    *key = StrCat(file_name_, ":", offset_);
    offset_ += static_cast<int64_t>(length) + 16;
    return {};
  }

 private:
  int64_t offset_ = 0;
};

class FixedLengthReader : public Reader {
 public:
  FixedLengthReader(int64_t header, int64_t record, int64_t footer, int64_t hop, Packing packing)
      : Reader(packing),
        header_(header),
        record_(record),
        footer_(footer),
        hop_(hop ? hop : record) {}

 protected:
  Status Begin() override {
    std::fseek(file_.get(), 0, SEEK_END);
    const int64_t size = std::ftell(file_.get());
    // A file that is shorter than its header is not counted as a work unit.
    if (size < header_) return OutOfRange("reached end of file");
    end_ = size - footer_;
    at_ = header_;
    number_ = 0;
    return {};
  }
  Status Next(std::string* key, std::string* value, bool* found) override {
    *found = at_ <= end_ && end_ - at_ >= record_;
    if (!*found) return {};
    value->resize(static_cast<size_t>(record_));
    std::fseek(file_.get(), static_cast<long>(at_), SEEK_SET);
    if (!Take(value->data(), value->size())) return DataLoss("cannot read ", file_name_);
    *key = StrCat(file_name_, ":", number_++);
    at_ += hop_;
    return {};
  }

 private:
  const int64_t header_, record_, footer_, hop_;
  int64_t end_ = 0, at_ = 0, number_ = 0;
};

struct ReaderState : KernelState {
  Tensor handle;
};

template <class Make>
Result<std::unique_ptr<KernelState>> MakeState(PrepareCtx& c, Make make) {
  const std::string& shared = c.attrs().String("shared_name");
  const std::string name = shared.empty() ? std::string(c.node_name()) : shared;
  auto reader = c.resources().FindOrMake<Reader>(name, make);
  if (!reader) return InvalidArgument("the resource '", name, "' is not a reader");
  auto state = std::make_unique<ReaderState>();
  state->handle = Tensor::Scalar(ResourceHandle{std::move(reader), name});
  return std::unique_ptr<KernelState>(std::move(state));
}

Result<std::unique_ptr<KernelState>> PrepareText(PrepareCtx& c) {
  const int64_t skip = c.attrs().Int("skip_header_lines");
  if (skip < 0) return InvalidArgument("skip_header_lines must be >= 0 not ", skip);
  return MakeState(c, [&] { return std::make_shared<TextLineReader>(skip); });
}
Result<std::unique_ptr<KernelState>> PrepareWhole(PrepareCtx& c) {
  return MakeState(c, [] { return std::make_shared<WholeFileReader>(); });
}
Result<std::unique_ptr<KernelState>> PrepareIdentity(PrepareCtx& c) {
  return MakeState(c, [] { return std::make_shared<IdentityReader>(); });
}
Result<std::unique_ptr<KernelState>> PrepareRecords(PrepareCtx& c) {
  // As in TensorFlow, an unknown kind means no compression.
  const auto packing = PackingNamed(c.attrs().String("compression_type"));
  const Packing known = packing.ok() ? *packing : Packing::kNone;
  return MakeState(c, [&] { return std::make_shared<TfRecordReader>(known); });
}
Result<std::unique_ptr<KernelState>> PrepareFixed(PrepareCtx& c) {
  const int64_t header = c.attrs().Int("header_bytes"), record = c.attrs().Int("record_bytes");
  const int64_t footer = c.attrs().Int("footer_bytes"), hop = c.attrs().Int("hop_bytes");
  if (record <= 0) return InvalidArgument("record_bytes must be > 0 not ", record);
  if (header < 0 || footer < 0 || hop < 0)
    return InvalidArgument("header_bytes, footer_bytes and hop_bytes must be >= 0");
  if (record > static_cast<int64_t>(kMaxRecord))
    return InvalidArgument("record_bytes must be at most 2^31, not ", record);
  const AttrValue* encoding = c.attrs().Find("encoding");  // absent in the first version
  TENSH_ASSIGN(const Packing packing,
               PackingNamed(encoding ? *encoding->Find<std::string>() : std::string()));
  return MakeState(
      c, [&] { return std::make_shared<FixedLengthReader>(header, record, footer, hop, packing); });
}

Status Handle(KernelCtx& c) {
  c.SetOutput(0, c.state<ReaderState>().handle);
  return {};
}

Result<Reader*> ReaderAt(KernelCtx& c) {
  Reader* reader = nullptr;
  if (c.in(0).num_elements() == 1)
    reader = dynamic_cast<Reader*>(c.in(0).data<ResourceHandle>()->resource.get());
  if (reader) return reader;
  return InvalidArgument("Trying to access a resource that is not a reader");
}

Status ReadOne(KernelCtx& c) {
  TENSH_ASSIGN(Reader* const reader, ReaderAt(c));
  TENSH_ASSIGN(Queue* const queue, QueueAt(c, 1));
  std::vector<std::string> key, value;
  TENSH_RETURN_IF_ERROR(reader->Read(c, *queue, 1, &key, &value));
  TENSH_OUTPUT(keys, c.Output(0, Shape()));
  TENSH_OUTPUT(values, c.Output(1, Shape()));
  *keys->data<std::string>() = std::move(key[0]);
  *values->data<std::string>() = std::move(value[0]);
  return {};
}

Status ReadUpTo(KernelCtx& c) {
  TENSH_ASSIGN(Reader* const reader, ReaderAt(c));
  TENSH_ASSIGN(Queue* const queue, QueueAt(c, 1));
  const int64_t n = c.in(2).num_elements() == 1 ? *c.in(2).data<int64_t>() : -1;
  if (n < 0) return InvalidArgument("num_records must not be negative, got ", n);
  std::vector<std::string> keys, values;
  TENSH_RETURN_IF_ERROR(reader->Read(c, *queue, n, &keys, &values));
  c.SetOutput(0, Tensor::Vector(std::span<const std::string>(keys)));
  c.SetOutput(1, Tensor::Vector(std::span<const std::string>(values)));
  return {};
}

template <int64_t (Reader::*kGet)()>
Status Count(KernelCtx& c) {
  TENSH_ASSIGN(Reader* const reader, ReaderAt(c));
  c.SetOutput(0, Tensor::Scalar((reader->*kGet)()));
  return {};
}

Status Reset(KernelCtx& c) {
  TENSH_ASSIGN(Reader* const reader, ReaderAt(c));
  reader->Reset();
  return {};
}

Status NotSerialized() {
  return Unimplemented("this reader does not support saving or restoring its state");
}

Status SerializeReader(KernelCtx& c) {
  TENSH_ASSIGN(Reader* const reader, ReaderAt(c));
  if (!reader->can_serialize()) return NotSerialized();
  c.SetOutput(0, Tensor::Scalar(reader->Serialize()));
  return {};
}

Status RestoreReader(KernelCtx& c) {
  TENSH_ASSIGN(Reader* const reader, ReaderAt(c));
  if (!reader->can_serialize()) return NotSerialized();
  return reader->Restore(*c.in(1).data<std::string>());
}

Status TwoScalars(ShapeCtx& c) {
  c.Set(0, Shape());
  c.Set(1, Shape());
  return {};
}

Status TwoVectors(ShapeCtx& c) {
  c.Set(0, Shape::UnknownOfRank(1));
  c.Set(1, Shape::UnknownOfRank(1));
  return {};
}

struct Row {
  const char *name, *attrs, *doc;
  PrepareFn prepare;
};

constexpr char kEncoding[] = ", encoding: string = ''";
constexpr Row kRows[] = {
    {"TextLineReaderV2",
     "skip_header_lines: int = 0, container: string = '', shared_name: string = ''",
     "Reads files line by line. skip_header_lines: the number of lines to skip at the start of "
     "each file.",
     PrepareText},
    {"WholeFileReaderV2", "container: string = '', shared_name: string = ''",
     "Reads each file as one record.", PrepareWhole},
    {"IdentityReaderV2", "container: string = '', shared_name: string = ''",
     "Returns the items of the queue themselves.", PrepareIdentity},
    {"TFRecordReaderV2",
     "container: string = '', shared_name: string = '', compression_type: string = ''",
     "Reads the records of TFRecord files. compression_type: 'ZLIB', 'GZIP', or '' if they are not "
     "compressed.",
     PrepareRecords},
    {"FixedLengthRecordReaderV2",
     "header_bytes: int = 0, record_bytes: int, footer_bytes: int = 0, hop_bytes: int = 0, "
     "container: string = '', shared_name: string = ''",
     "Reads records of record_bytes each. header_bytes at the start and footer_bytes at the end of "
     "a file are skipped. hop_bytes: the distance between the starts of two records; 0 means "
     "record_bytes.",
     PrepareFixed},
};

// Registers an op and its older form without V2, whose example is `old`.
void Add(OpRegistry& r, const OpSpec& now, KernelFn fn, Example old) {
  r.Op(now).CpuAny(fn);
  r.Op(BeforeV2(now, old)).CpuAny(fn);
}

// The example of an op without V2 on a new reader. `rest` follows the handle.
Example OldExample(const char* name, const char* rest, const char* result) {
  return {StrCat("tf.raw_ops.", name, "(reader_handle=tf.raw_ops.IdentityReader()", rest, ")"),
          result};
}

// The example of an op without V2 that reads from a queue with two file names.
Example OldReadExample(const char* name, const char* rest, const char* result) {
  return {StrCat("[tf.raw_ops.QueueEnqueueMany(handle=(q := tf.raw_ops.FIFOQueue(component_types="
                 "[tf.string])), components=[['a', 'b']]), tf.raw_ops.",
                 name, "(reader_handle=tf.raw_ops.IdentityReader(), queue_handle=q", rest, ")[1]]"),
          StrCat("[None, ", result, "]")};
}

}  // namespace

TENSH_OPS(io_readers) {
  for (const Row& row : kRows) {
    const char* arguments = row.prepare == PrepareFixed ? "(record_bytes=4)" : "()";
    OpSpec now = {.name = row.name,
                  .outputs = "reader_handle: resource",
                  .attrs = StrCat(row.attrs, row.prepare == PrepareFixed ? kEncoding : ""),
                  .doc = StrCat(row.doc,
                                " reader_handle refers to it. Nodes with the same shared_name in "
                                "the same container refer to the same reader."),
                  .shape = ScalarOutput,
                  .no_gradient = true,
                  .stateful = true,
                  .examples = {{StrCat("tf.raw_ops.ReaderNumRecordsProducedV2(reader_handle=tf."
                                       "raw_ops.",
                                       row.name, arguments, ")"),
                                "0"}}};
    const std::string old(row.name, std::string_view(row.name).size() - 2);
    OpSpec before =
        BeforeV2(now, {StrCat("tf.raw_ops.ReaderNumRecordsProduced(reader_handle=tf.raw_ops.", old,
                              arguments, ")"),
                       "0"});
    before.attrs = row.attrs;
    if (row.prepare == PrepareFixed) now.doc += " encoding: 'ZLIB', 'GZIP' or ''.";
    r.Op(std::move(now)).CpuAny(Handle, row.prepare);
    r.Op(std::move(before)).CpuAny(Handle, row.prepare);
  }
  Add(r,
      {.name = "ReaderReadV2",
       .inputs = "reader_handle: resource, queue_handle: resource",
       .outputs = "key: string, value: string",
       .doc = "Reads the next record of the reader of reader_handle. value is its bytes; key is "
              "its location. Files come from the queue of queue_handle.",
       .shape = TwoScalars,
       .no_gradient = true,
       .stateful = true,
       .waits_for = WaitsFor::kElements,
       .examples = {{"[(q := tf.FIFOQueue(3, tf.string)).enqueue('a'), "
                     "tf.IdentityReader().read(q).value]",
                     "[None, b'a']"}}},
      ReadOne, OldReadExample("ReaderRead", "", "b'a'"));
  Add(r,
      {.name = "ReaderReadUpToV2",
       .inputs = "reader_handle: resource, queue_handle: resource, num_records: int64",
       .outputs = "keys: string, values: string",
       .doc = "Reads the next num_records records, or fewer at the end of a file, of the "
              "reader of reader_handle, like ReaderReadV2. keys and values are vectors. Files come "
              "from the "
              "queue of queue_handle.",
       .shape = TwoVectors,
       .no_gradient = true,
       .stateful = true,
       .waits_for = WaitsFor::kElements,
       .examples = {{"[(q := tf.FIFOQueue(3, tf.string)).enqueue_many([['a', 'b']]), "
                     "tf.IdentityReader().read_up_to(q, 2).values]",
                     "[None, array([b'a'], dtype=object)]"}}},
      ReadUpTo, OldReadExample("ReaderReadUpTo", ", num_records=2", "array([b'a'], dtype=object)"));
  Add(r,
      {.name = "ReaderNumRecordsProducedV2",
       .inputs = "reader_handle: resource",
       .outputs = "records_produced: int64",
       .doc = "The number of records that the reader of reader_handle has returned: "
              "records_produced is a scalar.",
       .shape = ScalarOutput,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.IdentityReader().num_records_produced()", "0"}}},
      Count<&Reader::produced>, OldExample("ReaderNumRecordsProduced", "", "0"));
  Add(r,
      {.name = "ReaderNumWorkUnitsCompletedV2",
       .inputs = "reader_handle: resource",
       .outputs = "units_completed: int64",
       .doc = "The number of files that the reader of reader_handle has finished: units_completed "
              "is a scalar.",
       .shape = ScalarOutput,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.IdentityReader().num_work_units_completed()", "0"}}},
      Count<&Reader::completed>, OldExample("ReaderNumWorkUnitsCompleted", "", "0"));
  Add(r,
      {.name = "ReaderResetV2",
       .inputs = "reader_handle: resource",
       .doc = "Resets the reader of reader_handle to its initial state.",
       .shape = NoOutputs,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.IdentityReader().reset()", ""}}},
      Reset, OldExample("ReaderReset", "", ""));
  Add(r,
      {.name = "ReaderSerializeStateV2",
       .inputs = "reader_handle: resource",
       .outputs = "state: string",
       .doc = "The position of the reader of reader_handle, as a message: state is a scalar. Not "
              "all readers support this.",
       .shape = ScalarOutput,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.raw_ops.ReaderSerializeStateV2(reader_handle=tf.raw_ops."
                     "IdentityReaderV2())",
                     "b''"}}},
      SerializeReader, OldExample("ReaderSerializeState", "", "b''"));
  Add(r,
      {.name = "ReaderRestoreStateV2",
       .inputs = "reader_handle: resource, state: string",
       .doc = "Moves the reader of reader_handle to the position in state.",
       .contract = "state: scalar",
       .shape = NoOutputs,
       .no_gradient = true,
       .stateful = true,
       .examples = {{"tf.raw_ops.ReaderRestoreStateV2(reader_handle=tf.raw_ops."
                     "IdentityReaderV2(), state='')",
                     ""}}},
      RestoreReader, OldExample("ReaderRestoreState", ", state=''", ""));
}

}  // namespace tensh::ops
