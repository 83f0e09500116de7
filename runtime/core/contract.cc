#include "runtime/core/contract.h"

#include <charconv>

#include "runtime/core/op_registry.h"
#include "runtime/core/run_kernel.h"

namespace tensh {
namespace {

// The words of one rule, read from left to right.
class RuleText {
 public:
  RuleText(std::string_view text, const OpDef& op) : rest_(text), op_(op) {}

  bool Take(std::string_view word) {
    Trim();
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  int64_t Number() {
    Trim();
    int64_t v = 0;
    auto r = std::from_chars(rest_.data(), rest_.data() + rest_.size(), v);
    TENSH_CHECK(r.ec == std::errc(), "number at '", rest_, "' in the contract of ", op_.name);
    rest_.remove_prefix(static_cast<size_t>(r.ptr - rest_.data()));
    return v;
  }
  std::string_view Name() {
    Trim();
    const size_t colon = rest_.find(':');
    TENSH_CHECK(colon != rest_.npos, "no ':' at '", rest_, "' in the contract of ", op_.name);
    const std::string_view name = rest_.substr(0, colon);
    rest_.remove_prefix(colon + 1);
    return name;
  }
  std::string_view Rest() {
    Trim();
    return rest_;
  }
  void End() {
    Trim();
    TENSH_CHECK(rest_.empty(), "'", rest_, "' in the contract of ", op_.name);
  }

 private:
  void Trim() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  std::string_view rest_;
  const OpDef& op_;
};

constexpr std::pair<std::string_view, int> kRankNames[] = {
    {"scalar", 0}, {"vector", 1}, {"matrix", 2}};

void ParseRank(RuleText& text, InputRule* rule) {
  for (auto [name, rank] : kRankNames)
    if (text.Take(name)) rule->min_rank = rule->max_rank = rank;
  if (!text.Take("rank ")) return;
  rule->min_rank = rule->max_rank = static_cast<int>(text.Number());
  if (text.Take("..")) rule->max_rank = static_cast<int>(text.Number());
  if (text.Take("+")) rule->max_rank = Shape::kMaxRank;
}

InputRule ParseRule(std::string_view clause, const OpDef& op) {
  RuleText text(clause, op);
  const std::string_view name = text.Name();
  InputRule rule;
  while (rule.argument < static_cast<int>(op.inputs.size()) &&
         op.inputs[static_cast<size_t>(rule.argument)].name != name)
    ++rule.argument;
  TENSH_CHECK(rule.argument < static_cast<int>(op.inputs.size()), "no input '", name,
              "' for the contract of ", op.name);
  rule.name = op.inputs[static_cast<size_t>(rule.argument)].name;
  rule.first = rule.argument;
  rule.text = text.Rest();
  ParseRank(text, &rule);
  if (text.Take("of ")) rule.last_dim = text.Number();
  if (text.Take(">=")) rule.min = text.Number();
  if (text.Take("in ")) {
    rule.min = text.Number();
    TENSH_CHECK(text.Take(".."), "no '..' in the contract of ", op.name);
    rule.max = text.Number();
  }
  rule.not_empty = text.Take("not empty");
  if (text.Take("at build")) rule.at_run = false;
  if (text.Take("at run")) rule.at_build = false;
  text.End();
  // the slot of a reference holds the variable, not its value
  rule.at_run &= !op.inputs[static_cast<size_t>(rule.argument)].is_ref;
  return rule;
}

bool IsList(const ArgDef& arg) { return !arg.number_attr.empty() || !arg.type_list_attr.empty(); }

// Returns the message of TensorFlow's shape functions.
Status CheckShape(const InputRule& rule, int input, const Shape& shape) {
  if (!shape.has_rank()) return {};
  const int rank = shape.rank();
  if (rank < rule.min_rank || rank > rule.max_rank) {
    const char* which = rule.min_rank == rule.max_rank ? ""
                        : rank < rule.min_rank         ? "at least "
                                                       : "at most ";
    return InvalidArgument("Shape must be ", which, "rank ",
                           rank < rule.min_rank ? rule.min_rank : rule.max_rank, " but is rank ",
                           rank, " for input ", input, ", which has shape ", shape);
  }
  if (rule.last_dim != InputRule::kAny && rank > 0 && shape[rank - 1] >= 0 &&
      shape[rank - 1] != rule.last_dim)
    return InvalidArgument("Dimension must be ", rule.last_dim, " but is ", shape[rank - 1],
                           " for input ", input, ", which has shape ", shape);
  if (rule.not_empty && shape.IsFullyKnown() && shape.num_elements() == 0)
    return InvalidArgument(rule.name, " must not be empty, got shape ", shape);
  return {};
}

template <class T>
Status CheckElements(const InputRule& rule, const Tensor& t) {
  const T* values = t.data<T>();
  for (int64_t i = 0, n = t.num_elements(); i < n; ++i) {
    const int64_t v = static_cast<int64_t>(values[i]);
    if (v >= rule.min && v <= rule.max) continue;
    const std::string at = t.shape().rank() > 0 ? StrCat("[", i, "]") : "";
    if (rule.max == std::numeric_limits<int64_t>::max())
      return InvalidArgument(rule.name, at, " must be >= ", rule.min, ", got ", v);
    return InvalidArgument(rule.name, at, " must be in ", rule.min, "..", rule.max, ", got ", v);
  }
  return {};
}

Status CheckValues(const InputRule& rule, const Tensor& t) {
  if (t.dtype() == DType::kInt32) return CheckElements<int32_t>(rule, t);
  if (t.dtype() == DType::kInt64) return CheckElements<int64_t>(rule, t);
  return {};
}

std::string Wanted(const InputRule& rule) {
  std::string rank = rule.max_rank == Shape::kMaxRank
                         ? StrCat("of rank ", rule.min_rank, " or more")
                         : StrCat("of rank ", rule.min_rank);
  if (rule.max_rank != Shape::kMaxRank && rule.max_rank != rule.min_rank)
    rank += StrCat(" to ", rule.max_rank);
  for (auto [name, n] : kRankNames)
    if (rule.min_rank == n && rule.max_rank == n) rank = StrCat("a ", name);
  return rule.last_dim == InputRule::kAny ? rank : StrCat(rank, " of ", rule.last_dim);
}

// Out of line, so that the code for valid inputs stays small.
[[gnu::noinline, gnu::cold]] Status BrokenAtRun(const InputRule& rule, int i, const Shape& shape) {
  const std::string at = rule.count > 1 ? StrCat("[", i, "]") : "";
  if (rule.not_empty && shape.num_elements() == 0)
    return InvalidArgument(rule.name, at, " must not be empty, got shape ", shape);
  return InvalidArgument(rule.name, at, " must be ", Wanted(rule), ", got shape ", shape);
}

}  // namespace

Contract ParseContract(std::string_view text, const OpDef& op) {
  Contract contract;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    contract.push_back(ParseRule(text.substr(0, comma), op));
    text = comma == text.npos ? "" : text.substr(comma + 1);
  }
  return contract;
}

bool PlaceContract(const OpDef& op, Attrs attrs, Contract* placed) {
  bool has_lists = false;
  for (const ArgDef& arg : op.inputs) has_lists |= IsList(arg);
  if (!has_lists) return false;
  *placed = op.contract;
  for (InputRule& rule : *placed) {
    rule.first = 0;
    for (int a = 0; a < rule.argument; ++a)
      rule.first += static_cast<int>(TypesOf(op.inputs[static_cast<size_t>(a)], attrs).count);
    rule.count =
        static_cast<int>(TypesOf(op.inputs[static_cast<size_t>(rule.argument)], attrs).count);
  }
  return true;
}

Status CheckAtBuild(const Contract& contract, ShapeCtx& c) {
  for (const InputRule& rule : contract) {
    if (!rule.at_build) continue;
    for (int i = rule.first; i < rule.first + rule.count && i < c.num_inputs(); ++i) {
      TENSH_RETURN_IF_ERROR(CheckShape(rule, i, c.in(i)));
      const Tensor* value = rule.LimitsValues() ? c.constant(i) : nullptr;
      if (value) TENSH_RETURN_IF_ERROR(CheckValues(rule, *value));
    }
  }
  return {};
}

Status CheckAtRun(const Contract& contract, const Tensor* slots, const uint32_t* in) {
  for (const InputRule& rule : contract) {
    if (!rule.at_run) continue;
    for (int i = 0; i < rule.count; ++i) {
      const Tensor& t = slots[in[rule.first + i]];
      if (!t) continue;
      const Shape& shape = t.shape();
      const int rank = shape.rank();
      if (rank < rule.min_rank || rank > rule.max_rank ||
          (rule.last_dim != InputRule::kAny && rank > 0 && shape[rank - 1] != rule.last_dim) ||
          (rule.not_empty && shape.num_elements() == 0))
        return BrokenAtRun(rule, i, shape);
      if (rule.LimitsValues()) TENSH_RETURN_IF_ERROR(CheckValues(rule, t));
    }
  }
  return {};
}

}  // namespace tensh
