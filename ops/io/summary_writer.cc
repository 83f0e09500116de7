// Summary writers: ops that write event files, as the summary ops of TensorFlow 2 do.
#include <unistd.h>

#include <chrono>

#include "ops/formats/summary_message.h"
#include "ops/op_file.h"
#include "ops/support/shape_util.h"
#include "ops/support/shared_name.h"
#include "ops/support/tensor_list.h"
#include "runtime/base/wire.h"
#include "runtime/core/files/files.h"
#include "runtime/core/half.h"
#include "runtime/core/tensor_message.h"

namespace tensh::ops {
namespace {

using WallClock = std::chrono::system_clock;

double Now() { return std::chrono::duration<double>(WallClock::now().time_since_epoch()).count(); }

// An event file. Records are buffered until there are enough of them, or until enough time has
// passed. Thread-safe.
class EventFile : public Resource {
 public:
  ~EventFile() override { (void)Close(); }

  // Creates the file. Has no effect if it was created before.
  Status Create(const std::string& directory, int64_t max_queue, int64_t flush_millis,
                const std::string& suffix) {
    std::lock_guard lock(mu_);
    if (file_) return {};
    TENSH_RETURN_IF_ERROR(MakeDirectories(directory));
    char host[256] = "localhost", time[32];
    ::gethostname(host, sizeof host - 1);
    std::snprintf(time, sizeof time, "%010lld", static_cast<long long>(Now()));
    TENSH_ASSIGN(file_, OpenFile(StrCat(directory, "/events.out.tfevents.", std::string(time), ".",
                                        std::string(host), suffix),
                                 "ab"));
    max_queue_ = max_queue;
    flush_after_ = std::chrono::milliseconds(flush_millis);
    last_flush_ = WallClock::now();
    WireWriter first;
    first.AlwaysDouble(1, Now());
    first.Bytes(3, "brain.Event:2");
    Append(first.text());
    return FlushLocked();
  }

  Status Write(const std::string& event) {
    std::lock_guard lock(mu_);
    if (!file_) return NotFound("the summary writer was not created, or it was closed");
    Append(event);
    ++waiting_;
    if (waiting_ > max_queue_ || WallClock::now() - last_flush_ > flush_after_)
      return FlushLocked();
    return {};
  }
  Status Flush() {
    std::lock_guard lock(mu_);
    if (!file_) return NotFound("the summary writer was not created, or it was closed");
    return FlushLocked();
  }
  Status Close() {
    std::lock_guard lock(mu_);
    if (!file_) return {};
    Status status = FlushLocked();
    file_.reset();
    return status;
  }

 private:
  void Append(const std::string& record) {
    std::string head;
    AppendFixed64(head, record.size());
    AppendFixed32(head, MaskedCrc32c(std::string_view(head).substr(0, 8)));
    queue_ += head + record;
    AppendFixed32(queue_, MaskedCrc32c(record));
  }
  Status FlushLocked() {
    const bool ok = std::fwrite(queue_.data(), 1, queue_.size(), file_.get()) == queue_.size() &&
                    std::fflush(file_.get()) == 0;
    queue_.clear();
    waiting_ = 0;
    last_flush_ = WallClock::now();
    return ok ? Status() : Internal("cannot write the event file");
  }

  std::mutex mu_;
  FilePtr file_;
  std::string queue_;
  int64_t waiting_ = 0, max_queue_ = 0;
  WallClock::duration flush_after_{};
  WallClock::time_point last_flush_;
};

struct WriterState : KernelState {
  Tensor handle;
};

Result<std::unique_ptr<KernelState>> PrepareWriter(PrepareCtx& c) {
  const std::string name = SharedName(c);
  auto file =
      c.resources().FindOrMake<EventFile>(name, [] { return std::make_shared<EventFile>(); });
  if (!file) return InvalidArgument("the resource '", name, "' is not a summary writer");
  auto state = std::make_unique<WriterState>();
  state->handle = Tensor::Scalar(ResourceHandle{std::move(file), name});
  return std::unique_ptr<KernelState>(std::move(state));
}

Status GiveWriter(KernelCtx& c) {
  c.SetOutput(0, c.state<WriterState>().handle);
  return {};
}

Result<std::string> TextAt(KernelCtx& c, int i, const char* what) {
  if (c.in(i).num_elements() != 1) return InvalidArgument(what, " must be a scalar");
  return *c.in(i).data<std::string>();
}

// The inputs are writer, logdir, max_queue, flush_millis and filename_suffix.
Status CreateFile(KernelCtx& c) {
  TENSH_ASSIGN(auto file, HeldBy<EventFile>(c, 0, "summary writer"));
  TENSH_ASSIGN(const std::string directory, TextAt(c, 1, "logdir"));
  TENSH_ASSIGN(const std::string suffix, TextAt(c, 4, "filename_suffix"));
  for (int i : {2, 3})
    if (c.in(i).num_elements() != 1)
      return InvalidArgument(i == 2 ? "max_queue" : "flush_millis", " must be a scalar");
  return file->Create(directory, c.in(2).IntScalar(), c.in(3).IntScalar(), suffix);
}

Status FlushFile(KernelCtx& c) {
  TENSH_ASSIGN(auto file, HeldBy<EventFile>(c, 0, "summary writer"));
  return file->Flush();
}

Status CloseFileOf(KernelCtx& c) {
  TENSH_ASSIGN(auto file, HeldBy<EventFile>(c, 0, "summary writer"));
  return file->Close();
}

// Writes an event for the step in input 1, with the message in the given field (5 is a summary).
Status WriteEvent(KernelCtx& c, int field, const std::string& message) {
  TENSH_ASSIGN(auto file, HeldBy<EventFile>(c, 0, "summary writer"));
  if (c.in(1).num_elements() != 1) return InvalidArgument("step must be a scalar");
  WireWriter event;
  event.AlwaysDouble(1, Now());
  event.Int(2, *c.in(1).data<int64_t>());
  event.AlwaysBytes(field, message);
  return file->Write(event.text());
}

struct WriteScalar {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const std::string tag, TextAt(c, 2, "tag"));
    if (c.in(3).num_elements() != 1) return InvalidArgument("value must be a scalar");
    WireWriter value, summary;
    value.Bytes(1, tag);
    value.AlwaysFloat(2, static_cast<float>(*c.in(3).data<T>()));
    summary.AlwaysBytes(1, value.text());
    return WriteEvent(c, 5, summary.text());
  }
};

struct WriteHistogram {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const std::string tag, TextAt(c, 2, "tag"));
    SummaryHistogram histogram;
    for (T x : c.in(3).flat<T>())
      TENSH_RETURN_IF_ERROR(histogram.AddFinite(static_cast<double>(x), tag));
    return WriteEvent(c, 5, SummaryWith(tag, 5, histogram.Encode()));
  }
};

// The inputs are writer, step, tensor, tag and summary_metadata.
Status WriteTensor(KernelCtx& c) {
  TENSH_ASSIGN(const std::string tag, TextAt(c, 3, "tag"));
  TENSH_ASSIGN(const std::string metadata, TextAt(c, 4, "summary_metadata"));
  if (!IsPod(c.in(2).dtype()) && c.in(2).dtype() != DType::kString)
    return InvalidArgument("a tensor of type ", Name(c.in(2).dtype()), " cannot be serialized");
  WireWriter value, summary;
  value.Bytes(1, tag);
  value.AlwaysBytes(8, EncodeTensor(c.in(2)).Join());
  value.Bytes(9, metadata);
  summary.AlwaysBytes(1, value.text());
  return WriteEvent(c, 5, summary.text());
}

template <int kField>
Status WriteMessage(KernelCtx& c) {
  TENSH_ASSIGN(const std::string message, TextAt(c, 2, "tensor"));
  return WriteEvent(c, kField, message);
}

Status ImportEvent(KernelCtx& c) {
  TENSH_ASSIGN(auto file, HeldBy<EventFile>(c, 0, "summary writer"));
  TENSH_ASSIGN(const std::string event, TextAt(c, 1, "event"));
  WireReader reader(event);
  while (reader.Next()) {
  }
  if (!reader.ok()) return DataLoss("Failed to parse event");
  return file->Write(event);
}

constexpr char kReals[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";

constexpr char kNewWriter[] = "tf.raw_ops.SummaryWriter()";
// A writer that has a file.
constexpr char kOpenWriter[] =
    "tf.tuple([(w := tf.raw_ops.SummaryWriter())], control_inputs=[tf.raw_ops."
    "CreateSummaryFileWriter(writer=w, logdir='logs', max_queue=10, flush_millis=1000, "
    "filename_suffix='')])[0]";

OpSpec Spec(const char* name, const char* inputs, const char* attrs, const char* doc,
            const char* arguments, const char* writer = kOpenWriter) {
  return {.name = name,
          .inputs = StrCat("writer: resource", inputs),
          .attrs = attrs,
          .doc = StrCat(doc, " writer is the result of SummaryWriter."),
          .shape = NoOutputs,
          .no_gradient = true,
          .stateful = true,
          .examples = {{StrCat("tf.raw_ops.", name, "(writer=", writer, arguments, ")"), ""}}};
}

}  // namespace

TENSH_OPS(io_summary_writer) {
  r.Op({.name = "SummaryWriter",
        .outputs = "writer: resource",
        .attrs = "shared_name: string = '', container: string = ''",
        .doc = "A writer of summaries, without a file yet. Nodes with the same shared_name in the "
               "same container refer to the same writer.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.CloseSummaryWriter(writer=tf.raw_ops.SummaryWriter())", ""}}})
      .CpuAny(GiveWriter, PrepareWriter);
  r.Op(Spec("CreateSummaryFileWriter",
            ", logdir: string, max_queue: int32, flush_millis: int32, filename_suffix: string", "",
            "Creates the event file of a writer in the directory logdir. max_queue: the maximum "
            "number of buffered events. flush_millis: the maximum time they are buffered. "
            "filename_suffix: the end of the file's name.",
            ", logdir='logs', max_queue=10, flush_millis=1000, filename_suffix=''", kNewWriter))
      .CpuAny(CreateFile);
  r.Op(Spec("FlushSummaryWriter", "", "", "Writes the buffered events to the file.", ""))
      .CpuAny(FlushFile);
  r.Op(Spec("CloseSummaryWriter", "", "", "Writes the buffered events and closes the file.", ""))
      .CpuAny(CloseFileOf);
  r.Op(Spec("WriteScalarSummary", ", step: int64, tag: string, value: T", kReals,
            "Writes a number, value, of type T, under tag, for a step.",
            ", step=1, tag='x', value=1."))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t>(
          WriteScalar{});
  r.Op(Spec("WriteHistogramSummary", ", step: int64, tag: string, values: T",
            "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
            "uint64, bool} = float",
            "Writes the distribution of values, of type T, under tag, for a step.",
            ", step=1, tag='x', values=[1.]"))
      .Cpu<float, double, int32_t, int64_t, uint8_t, int16_t, int8_t, uint16_t, uint32_t, uint64_t,
           bool>(WriteHistogram{});
  r.Op(Spec("WriteSummary", ", step: int64, tensor: T, tag: string, summary_metadata: string",
            "T: type",
            "Writes a tensor of type T under tag, for a step. summary_metadata is a message that "
            "describes how it is displayed.",
            ", step=1, tensor=[1.], tag='x', summary_metadata=''"))
      .CpuAny(WriteTensor);
  r.Op(Spec("WriteRawProtoSummary", ", step: int64, tensor: string", "",
            "Writes tensor, a Summary message, for a step.", ", step=1, tensor=''"))
      .CpuAny(WriteMessage<5>);
  r.Op(Spec("WriteGraphSummary", ", step: int64, tensor: string", "",
            "Writes tensor, a GraphDef message, for a step.", ", step=1, tensor=''"))
      .CpuAny(WriteMessage<4>);
  r.Op(Spec("ImportEvent", ", event: string", "",
            "Writes event, a serialized Event message, unchanged.", ", event=''"))
      .CpuAny(ImportEvent);
}

}  // namespace tensh::ops
