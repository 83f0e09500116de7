#include "tests/oracle/replay.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tensh::oracle {
namespace {

constexpr size_t kShown = 12, kShownInputs = 300, kShownNodes = 1200;

// Returns " from x, y": element `index` of all inputs with as many elements as the output.
std::string InputsAt(const Json& row, int64_t index, int64_t elements) {
  std::string out;
  if (!row.contains("in")) return out;
  for (const Json& input : row["in"]) {
    if (index < 0 || !input.is_string() || input.get<std::string>()[0] == '~') continue;
    std::string text = input;
    if (text[0] == '&') text = text.substr(1);
    const TensorPtr tensor = ParseTensor(text);
    if (tsh_tensor_elements(tensor.get()) != elements) continue;
    out += (out.empty() ? ", from " : ", ") + FormatElement(tensor.get(), index);
  }
  return out;
}

struct Known {
  std::string op, text;
};

std::vector<Known> ReadKnown() {
  std::vector<Known> known;
  std::ifstream file(OraclePath("differences.txt"));
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find('\t'), second = line.find('\t', first + 1);
    if (line[0] != '#' && second != std::string::npos)
      known.push_back({line.substr(0, first), line.substr(first + 1, second - first - 1)});
  }
  return known;
}

bool IsKnown(const std::string& op, const std::string& difference) {
  static const std::vector<Known> all = ReadKnown();
  for (const Known& k : all) {
    const bool begins = k.op.back() == '*' && op.rfind(k.op.substr(0, k.op.size() - 1), 0) == 0;
    if ((begins || op == k.op) && difference.find(k.text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

void Report::Add(const Json& row, const std::string& what) {
  if (IsKnown(op_, what)) return;
  ++count_;
  if (count_ > kShown) return;
  std::string inputs = row.contains("in") ? row["in"].dump() : "";
  if (row.contains("nodes")) inputs = row["nodes"].dump() + " " + row["runs"].dump();
  if (row.contains("attrs")) inputs += " " + row["attrs"].dump();
  const size_t most = row.contains("nodes") ? kShownNodes : kShownInputs;
  if (inputs.size() > most) inputs = inputs.substr(0, most) + "…";
  text_ += "\n  " + what + "\n    of " + inputs;
}

std::string Report::text() const {
  if (count_ == 0) return {};
  return std::to_string(count_) + " differences from TensorFlow:" + text_ +
         (count_ > kShown ? "\n  …" : "");
}

std::vector<std::string> Ops(const std::string& folder) {
  std::vector<std::string> ops;
  std::ifstream file(OraclePath("ops.txt"));
  for (std::string op; file >> op;) {
    if (folder.empty() || std::filesystem::exists(RecordPath(folder + "/" + op + ".json"))) {
      ops.push_back(op);
    }
  }
  return ops;
}

std::string CompareAll(const std::vector<TensorPtr>& got, const Json& want, const Json& row,
                       const Tolerance& tolerance) {
  if (got.size() != want.size()) {
    return std::to_string(got.size()) + " outputs, want " + std::to_string(want.size());
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (!got[i] != want[i].is_null()) {
      return "output " + std::to_string(i) + (got[i] ? " exists" : " is missing");
    }
    if (!got[i]) continue;
    const std::string text = want[i];
    int64_t at = -1;
    const std::string difference =
        Difference(got[i].get(), ParseTensor(text).get(), tolerance, &at);
    if (difference.empty()) continue;
    return "output " + std::to_string(i) + ": " + difference +
           InputsAt(row, at, tsh_tensor_elements(got[i].get()));
  }
  return {};
}

bool IsNoErrorOnAGpu(const Json& error) {
  static const char* mode = std::getenv("TENSH_MODE");
  const bool on_gpu = mode && (std::string(mode) == "fake-gpu" || std::string(mode) == "gpu");
  if (!on_gpu || error["error"] != "InvalidArgumentError") return false;
  const std::string message = error["message"];
  for (const char* part : {"out of range", "is not in [0", "outside the valid range",
                           "] out of bounds (>=", "must not contain 0", "does not index into",
                           "arr must be non-negative"})
    if (message.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace tensh::oracle
