// StringFormat, PrintV2 and Timestamp.
#include <chrono>
#include <cstdio>

#include "ops/op_file.h"
#include "ops/strings/summarize.h"
#include "ops/support/prepare.h"
#include "runtime/core/files/files.h"

namespace tensh::ops {
namespace {

// ---- StringFormat ----

// Splits the template at its placeholders.
Result<std::vector<std::string>> PartsOf(Attrs attrs, int inputs) {
  const std::string &text = attrs.String("template"), &placeholder = attrs.String("placeholder");
  if (placeholder.empty()) return InvalidArgument("placeholder must not be empty");
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    const size_t end = std::min(text.find(placeholder, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.size()) break;
    begin = end + placeholder.size();
  }
  if (static_cast<int>(parts.size()) != inputs + 1)
    return InvalidArgument("num placeholders in template and num inputs must match: ",
                           parts.size() - 1, " vs. ", inputs);
  return parts;
}

struct FormatState : KernelState {
  std::vector<std::string> parts;  // text between the placeholders of the template
  int64_t summarize;
  Status Read(PrepareCtx& c) {
    summarize = c.attrs().Int("summarize");
    TENSH_ASSIGN(parts, PartsOf(c.attrs(), c.num_inputs()));
    return {};
  }
};

// Formats a tensor as nested lists with the first and last `edges` elements of each dimension.
// Strings are quoted.
class NestedText {
 public:
  NestedText(const Tensor& t, int64_t edges) : t_(t), edges_(edges) {}
  std::string Text() {
    // TensorFlow prints nothing for an empty boolean tensor.
    if (t_.dtype() == DType::kBool && t_.num_elements() == 0) return {};
    Dimension(0, 0);
    return std::move(text_);
  }

 private:
  void Space(int d) {
    if (d == t_.rank() - 1) {
      text_ += ' ';
      return;
    }
    text_.append(static_cast<size_t>(t_.rank() - d - 1), '\n');
    text_.append(static_cast<size_t>(d) + 1, ' ');
  }
  void Element(int64_t at) {
    if (t_.dtype() == DType::kString)
      text_ += StrCat("\"", t_.data<std::string>()[at], "\"");
    else
      text_ += ElementText(t_, at);
  }
  void Dimension(int d, int64_t at) {
    if (d == t_.rank()) return Element(at);
    text_ += '[';
    int64_t run = 1;
    for (int k = d + 1; k < t_.rank(); ++k) run *= t_.dim(k);
    const int64_t n = t_.dim(d), last = std::max(edges_, n - edges_);
    for (int64_t i = 0; i < edges_ && i < n; ++i) {
      if (i > 0) Space(d);
      Dimension(d + 1, at + run * i);
    }
    if (n > edges_ && n - edges_ > edges_) {
      Space(d);
      text_ += "...";
    }
    for (int64_t i = last; i < n; ++i) {
      Space(d);
      Dimension(d + 1, at + run * i);
    }
    text_ += ']';
  }

  const Tensor& t_;
  const int64_t edges_;
  std::string text_;
};

Status FormatShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(PartsOf(c.attrs(), c.num_inputs()).status());
  c.Set(0, Shape());
  return {};
}

Status Format(KernelCtx& c) {
  const auto& state = c.state<FormatState>();
  std::string text = state.parts[0];
  for (int i = 0; i < c.num_inputs(); ++i) {
    const int64_t n = c.in(i).num_elements();
    const int64_t edges = state.summarize < 0 ? n : std::min(state.summarize, n);
    text += NestedText(c.in(i), edges).Text() + state.parts[static_cast<size_t>(i) + 1];
  }
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<std::string>() = std::move(text);
  return {};
}

// ---- PrintV2 ----

struct PrintState : KernelState {
  std::FILE* stream = nullptr;  // null: print to the file `path`
  std::string path, end;
};

Result<std::unique_ptr<KernelState>> PreparePrint(PrepareCtx& c) {
  auto state = std::make_unique<PrintState>();
  const std::string& stream = c.attrs().String("output_stream");
  state->end = c.attrs().String("end");
  constexpr std::string_view kFile = "file://";
  if (stream == "stdout") {
    state->stream = stdout;
  } else if (stream == "stderr" || stream == "log(info)" || stream == "log(warning)" ||
             stream == "log(error)") {
    state->stream = stderr;
  } else if (stream.rfind(kFile, 0) == 0) {
    state->path = stream.substr(kFile.size());
  } else {
    return InvalidArgument("Unknown output stream: ", stream,
                           ", Valid streams are: stdout, stderr, log(info), log(warning), "
                           "log(error), file://PATH");
  }
  return std::unique_ptr<KernelState>(std::move(state));
}

Status Print(KernelCtx& c) {
  const auto& state = c.state<PrintState>();
  const std::string line = *c.in(0).data<std::string>() + state.end;
  if (state.stream) {
    PrintFromGraph(line, state.stream);
    std::fflush(state.stream);
    return {};
  }
  TENSH_ASSIGN(const FilePtr file, OpenFile(state.path, "ab"));
  std::fwrite(line.data(), 1, line.size(), file.get());
  return {};
}

Status Now(KernelCtx& c) {
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  *out->data<double>() = std::chrono::duration<double>(now).count();
  return {};
}

}  // namespace

TENSH_OPS(strings_format) {
  r.Op({.name = "StringFormat",
        .inputs = "inputs: T",
        .outputs = "output: string",
        .attrs = "T: list(type) >= 0, template: string = '%s', placeholder: string = '%s', "
                 "summarize: int = 3",
        .doc = "Formats tensors into a text. inputs, of the types T, replace the occurrences of "
               "placeholder in template, as nested lists with the first and the last summarize "
               "entries of each dimension; -1 means all. output is the text.",
        .shape = FormatShape,
        .no_gradient = true,
        .examples = {{"tf.strings.format('a: {}, b: {}', (tf.constant([1, 2]), tf.constant(3.)))",
                      "b'a: [1 2], b: 3'"}}})
      .CpuAny(Format, PrepareFrom<FormatState>);
  r.Op({.name = "PrintV2",
        .inputs = "input: string",
        .attrs = "output_stream: string = 'stderr', end: string = '\n'",
        .doc =
            "Writes input, a scalar, followed by end, to output_stream: stdout, stderr, log(info), "
            "log(warning), log(error), or file:// followed by a path, to which it is appended.",
        .contract = "input: scalar",
        .shape = NoOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.print(tf.constant(1.))", ""}}})
      .CpuAny(Print, PreparePrint);
  r.Op({.name = "Timestamp",
        .outputs = "ts: double",
        .doc = "The current time in seconds since 1970: ts is a scalar.",
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.timestamp() > 0.", "True"}}})
      .CpuAny(Now);
}

}  // namespace tensh::ops
