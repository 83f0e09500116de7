#include "shell/commands/shell.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shell/commands/bridge.h"
#include "shell/commands/live.h"
#include "shell/commands/pyplot.h"
#include "shell/commands/words.h"
#include "shell/explain/report.h"
#include "shell/print/error_printer.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/text/layout.h"

namespace tensh::shell {
namespace {

constexpr size_t kPromptWidth = 4;  // width of ">>> "
constexpr size_t kMaxOut = 256;     // maximum entries of Out
constexpr size_t kEchoedNodes = 6;
constexpr size_t kPrunedListed = 1000;
constexpr size_t kMaxRuns = 32;               // explained runs kept for `explain diff`
constexpr size_t kMaxKeptReport = 256 << 10;  // bytes; larger reports are not kept

std::string NodeType(const GraphHandle& graph, tsh_node node) {
  if (tsh_node_num_outputs(graph.get(), node) == 0) return "";
  const tsh_output output{node, 0};
  const ShapeInfo shape = graph.Shape(output);
  const int dtype = graph.DType(output);
  std::string text = std::string(tsh_dtype_short_name(dtype)) + (shape.rank < 0 ? "[…]" : "[");
  for (int i = 0; i < shape.rank; ++i) {
    text += i > 0 ? "," : "";
    text += shape.extents[static_cast<size_t>(i)] < 0
                ? "?"
                : std::to_string(shape.extents[static_cast<size_t>(i)]);
  }
  return shape.rank < 0 ? text : text + "]";
}

}  // namespace

Shell::Shell(Interp& interp, ShellOptions options) : interp_(interp), options_(options) {
  RegisterCommand_all(commands_);
  interp_.AddVerbs(commands_.Names());
  interp_.set_hooks(this);
}

Shell::~Shell() {
  interp_.set_hooks(nullptr);
  bridge::UseSession(Value());
}

size_t Shell::width() const {
  if (const char* columns = std::getenv("COLUMNS")) {
    const int n = std::atoi(columns);
    if (n >= 20 && n < 10000) return static_cast<size_t>(n);
  }
  winsize size{};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20)
    return 0;
  return size.ws_col;
}

void Shell::Print(std::string_view text) {
  if (redirect_ != nullptr) {
    redirect_->append(text);
    return;
  }
  if (options_.ascii) {
    interp_.Write(ToAscii(text));
  } else {
    interp_.Write(text);
  }
}

size_t Shell::VisibleNodes(const GraphHandle& graph) const {
  return std::min(view_nodes_, graph.size());
}

void Shell::CheckInView(const GraphHandle& graph, uint32_t node) const {
  if (node < view_nodes_ || node >= nodes_before_ || tsh_graph_id(graph.get()) != graph_before_)
    return;
  std::string came;
  for (const HistoryEntry& entry : history_) {
    if (entry.graph == graph_before_ && node >= entry.first_node &&
        node < entry.first_node + entry.nodes)
      came = ": it came with @" + std::to_string(entry.version);
  }
  throw ValueError(std::string(graph.NodeName(node)) + " is not in this view of the graph" + came)
      .Hint("`nodes` lists the visible nodes; `redo` moves forward");
}

void Shell::Note(const std::string& text) {
  if (options_.interactive && redirect_ == nullptr) Print(text + "\n");
}

// Returns the verb that a statement such as "explian mul", which is not valid Python, may have
// meant.
std::string Shell::MeantVerb(const PyError& error) const {
  const auto& exception = error.exception();
  if (!exception.hint.empty() || exception.trace.empty()) return "";
  const std::string_view line = Trim(exception.trace.front().where.text);
  const std::string_view word = FirstWord(line);
  const std::string_view rest = Trim(line.substr(word.size()));
  if (error.Is(kNameError) && rest.empty() && IsName(word))
    return DidYouMean(word, commands_.Names());
  if (!error.Is(kSyntaxError)) return "";
  if (!IsName(word) || rest.empty() || !IsName(rest.substr(0, 1)) || interp_.IsVerb(word))
    return "";
  return DidYouMean(word, commands_.Names());
}

void Shell::PrintError(const PyError& error) {
  interp_.Flush();
  const std::string meant = MeantVerb(error);
  if (!meant.empty()) error.exception().hint = meant;
  if (options_.interactive && error.Is(kKeyboardInterrupt))
    return interp_.WriteError("\nKeyboardInterrupt\n");
  ErrorStyle style{
      .color = options_.color, .width = width(), .cell = cell_text_, .json = options_.json};
  if (options_.interactive) style.prompt = kPromptWidth;
  const std::string text = FormatError(error, style);
  last_error_ = text;
  last_error_hint_ = error.exception().hint;
  interp_.WriteError(options_.ascii ? ToAscii(text) : text);
}

void Shell::ThreadFailed(const PyError& error, std::string_view thread) {
  if (!thread.empty()) interp_.WriteError("Exception in thread " + std::string(thread) + ":\n");
  PrintError(error);
}

void Shell::Remember(const Value& value) {
  if (value.is_null() || value.is_none()) return;
  interp_.SetGlobal("_", value);
  if (!options_.interactive) return;
  if (results_.size() >= kMaxOut) results_.erase(results_.begin());
  const bool graph = bridge::HasGraph();
  results_.push_back(
      {cell_, graph ? static_cast<int64_t>(tsh_graph_version(bridge::CurrentGraph().get())) : 0,
       cell_text_, graph ? bridge::GraphSeed() : ""});
  Value out = interp_.GetGlobal("Out");
  auto* dict = As<DictObject>(out);
  if (dict == nullptr) {
    out = MakeDict();
    interp_.SetGlobal("Out", out);
    dict = As<DictObject>(out);
  }
  dict->dict.Set(Value::Int(cell_), value);
  size_t first = 0;
  if (dict->dict.size() <= kMaxOut) return;
  if (const Dict::Entry* oldest = dict->dict.At(&first)) dict->dict.Erase(Value(oldest->key));
}

void Shell::set_cell(int number, std::string text) {
  cell_ = number;
  cell_text_ = std::move(text);
}

void Shell::SkipRuns() { runs_seen_ = bridge::RunNumber(); }

void Shell::CatchUp() {
  if (bridge::RunNumber() == runs_seen_) return;
  SkipRuns();
  std::string request;
  const std::string plan = bridge::ExplainLastRun(kPrunedListed, &request);
  if (plan.empty()) return;
  const std::string recorded = bridge::RecordedReport();
  RememberRun(std::move(request), recorded.empty() ? plan : recorded, !recorded.empty());
}

void Shell::RememberRun(std::string request, std::string report, bool ran) {
  SkipRuns();
  if (ran) last_trace_ = report, last_traced_request_ = request;
  if (report.size() <= kMaxKeptReport) {
    if (runs_.size() >= kMaxRuns) runs_.erase(runs_.begin());
    runs_.push_back({request, report});
  }
  last_request_ = std::move(request);
  last_report_ = std::move(report);
}

void Shell::RunNested(std::string text, const std::string& file) {
  ++nested_;
  try {
    interp_.Exec(std::move(text), file, ExecMode::kFile);
  } catch (...) {
    --nested_;
    throw;
  }
  --nested_;
}

void Shell::Begin(const Location& where) {
  if (nested_ > 0) return;
  const bool cell = options_.interactive;
  DrawPyplotInAscii(options_.ascii);
  bridge::BeginAll(static_cast<uint32_t>(cell ? cell_ : where.line), cell);
  began_ = std::chrono::steady_clock::now();
  graph_before_ = nodes_before_ = 0;
  if (!cell && !bridge::HasGraph()) return;
  extend_clock = {.on = options_.interactive};
  const GraphHandle graph = bridge::CurrentGraph();
  graph_before_ = tsh_graph_id(graph.get());
  nodes_before_ = graph.size();
}

void Shell::Committed(const Value& result, const Location& where, std::string_view statement) {
  if (nested_ > 0) return;
  journal_.emplace_back(statement);
  bridge::CommitAll();
  RecordExtend(where);
  PublishLive(*this, where.text);
  if (options_.interactive) EchoExtend();
  if (options_.timing) {
    const std::chrono::duration<double, std::nano> spent =
        std::chrono::steady_clock::now() - began_;
    interp_.Flush();
    interp_.WriteError(" " + Duration(spent.count()) + "\n");
  }
  if (!options_.interactive || result.is_null() || result.is_none()) return;
  PrintLine(Repr(result));
  Remember(result);
}

bool Shell::Failed(const PyError& error, const Location& where) {
  if (nested_ > 0) return false;
  bridge::RollbackAll();
  PublishLive(*this, where.text, error.ClassName() + ": " + error.Message());
  if (error.Is(kSystemExit) || error.Is(kKeyboardInterrupt)) return false;
  ++failures_;
  if (!options_.keep_going) return false;
  PrintError(error);
  return true;
}

void Shell::RunVerb(const VerbCall& verb) {
  const bool question = verb.verb == "?" || verb.verb == "??";  // X? and X??
  const Command* command = commands_.Find(question ? "help" : verb.verb);
  if (command == nullptr)
    throw NameError("no verb '" + std::string(verb.verb) + "'").Hint("Type: help");
  CommandCall call(*this, *command, verb.rest);
  if (call.file().empty() || redirect_ != nullptr) return command->run(call);
  std::string written;
  redirect_ = &written;
  try {
    command->run(call);
  } catch (...) {
    redirect_ = nullptr;
    throw;
  }
  redirect_ = nullptr;
  WriteFile(std::string(call.file()), written);
}

// Writes the whole text or throws. At the prompt, a note says what was written.
void Shell::WriteFile(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  bool ok = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr) ok = std::fclose(file) == 0 && ok;
  if (!ok) throw MakeError(kOSError, "cannot write " + path + ": " + std::strerror(errno));
  Note(" wrote " + path + ", " + Bytes(static_cast<int64_t>(text.size())));
}

Value Shell::NameInVerb(std::string_view name) { return bridge::FindTfName(name); }

// A verb without its required argument is still a command, so that the error names the argument
// instead of being a NameError.
bool Shell::VerbAlone(std::string_view verb) { return commands_.Find(verb) != nullptr; }

void Shell::RecordExtend(const Location& where) {
  if (!bridge::HasGraph()) return;
  const GraphHandle graph = bridge::CurrentGraph();
  const size_t now = graph.size();
  const uint64_t id = tsh_graph_id(graph.get());
  const size_t before = id == graph_before_ ? nodes_before_ : 0;
  if (now <= before) return;
  if (view_nodes_ != SIZE_MAX)
    Note(" the graph was extended, so the view of the earlier version has ended");
  view_nodes_ = SIZE_MAX;
  const std::string_view line = Trim(where.text);
  history_.push_back({id, static_cast<int64_t>(tsh_graph_version(graph.get())), before,
                      now - before, options_.interactive ? cell_ : static_cast<int>(where.line),
                      std::string(line.substr(0, line.find('\n')))});
}

// Prints a line for each node that a command added: " + a    Const   f32[2]   cpu:0 asked    @1 · 1
// node · extend 2 µs".
void Shell::EchoExtend() {
  const GraphHandle graph = bridge::CurrentGraph();
  const size_t now = graph.size();
  if (tsh_graph_id(graph.get()) != graph_before_ || now <= nodes_before_) return;
  const size_t added = now - nodes_before_;
  std::vector<GridRow> rows;
  for (size_t i = 0; i < added && i < kEchoedNodes; ++i) {
    const auto node = static_cast<tsh_node>(nodes_before_ + i);
    const std::string device = tsh_node_device(graph.get(), node);
    rows.push_back({" + ",
                    {Visible(graph.NodeName(node)), Visible(graph.NodeOp(node)),
                     NodeType(graph, node), device.empty() ? "" : ShortDevice(device) + " asked"}});
  }
  std::string text = FormatGrid({{"", 8}, {"", 6}, {"", 5}, {"", 5}}, rows, width(), false);
  std::string tail = "@" + std::to_string(tsh_graph_version(graph.get())) + " · " +
                     Count(static_cast<int64_t>(now), "node") + " · extend " +
                     Duration(static_cast<double>(extend_clock.ns));
  if (added > kEchoedNodes) {
    tail = "… and " + std::to_string(added - kEchoedNodes) + " more: nodes · " + tail;
  }
  // convert before measuring the width
  if (options_.ascii) tail = ToAscii(tail), text = ToAscii(text);
  const size_t columns = width() == 0 ? 80 : width();
  text.pop_back();
  const size_t last =
      TextWidth(text.substr(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1));
  if (last + TextWidth(tail) + 3 <= columns) {
    text += std::string(columns - last - TextWidth(tail) - 1, ' ') + tail;
  } else {
    text += "\n   " + tail;
  }
  Print(text + "\n");
}

}  // namespace tensh::shell
