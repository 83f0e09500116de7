// Conversion, case, length, substrings, stripping and splitting of strings.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/number_text.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct ToNumber {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor& in = c.in(0);
    TENSH_OUTPUT(out, c.Output(0, in.shape()));
    for (int64_t i = 0; i < in.num_elements(); ++i)
      if (!ParseNumber(in.data<std::string>()[i], out->data<T>() + i))
        return InvalidArgument("StringToNumberOp could not correctly convert string: ",
                               in.data<std::string>()[i]);
    return {};
  }
};

// Sets output 0 to fn(string) for each string of input 0.
template <class Fn>
Status MapStrings(KernelCtx& c, Fn fn) {
  const Tensor& in = c.in(0);
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  for (int64_t i = 0; i < in.num_elements(); ++i)
    out->data<std::string>()[i] = fn(in.data<std::string>()[i]);
  return {};
}

Status Strip(KernelCtx& c) {
  return MapStrings(c, [](const std::string& s) { return std::string(WithoutSpaces(s)); });
}

// Changes ASCII letters only. TensorFlow does the same unless an encoding is given.
template <bool kUpper>
Status ChangeCase(KernelCtx& c) {
  return MapStrings(c, [](std::string s) {
    for (char& ch : s) {
      if (kUpper && ch >= 'a' && ch <= 'z') ch = static_cast<char>(ch - 'a' + 'A');
      if (!kUpper && ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch - 'A' + 'a');
    }
    return s;
  });
}

Result<std::unique_ptr<KernelState>> PrepareCase(PrepareCtx& c) {
  const std::string& encoding = c.attrs().String("encoding");
  if (!encoding.empty() && encoding != "utf-8")
    return InvalidArgument("only utf-8 or '' (no encoding) is supported, received ", encoding);
  if (!encoding.empty()) return Unimplemented("letters beyond ASCII: use encoding=''");
  return std::make_unique<KernelState>();
}

struct UnitState : KernelState {
  bool characters;
  void Read(PrepareCtx& c) { characters = c.attrs().String("unit") == "UTF8_CHAR"; }
};

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

int64_t Characters(const std::string& s) {
  return std::count_if(s.begin(), s.end(), [](char c) { return !Continues(c); });
}

Status Length(KernelCtx& c) {
  const Tensor& in = c.in(0);
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  const bool characters = c.state<UnitState>().characters;
  for (int64_t i = 0; i < in.num_elements(); ++i) {
    const std::string& s = in.data<std::string>()[i];
    out->data<int32_t>()[i] =
        static_cast<int32_t>(characters ? Characters(s) : static_cast<int64_t>(s.size()));
  }
  return {};
}

// Returns the start of each character (or byte), followed by the length.
std::vector<size_t> Starts(const std::string& s, bool characters) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < s.size(); ++i)
    if (!characters || !Continues(s[i])) starts.push_back(i);
  starts.push_back(s.size());
  return starts;
}

Status Part(const std::string& s, int64_t pos, int64_t len, bool characters, int64_t index,
            std::string* out) {
  const std::vector<size_t> starts = Starts(s, characters);
  const int64_t n = static_cast<int64_t>(starts.size()) - 1;
  if (pos < -n || pos > n)
    return InvalidArgument("pos ", pos, " out of range for string b'", s, "' at index ", index);
  const int64_t first = pos < 0 ? pos + n : pos;
  const int64_t count = std::clamp<int64_t>(len, 0, n - first);
  const size_t begin = starts[static_cast<size_t>(first)];
  *out = s.substr(begin, starts[static_cast<size_t>(first + count)] - begin);
  return {};
}

Status Substr(KernelCtx& c) {
  const Tensor &in = c.in(0), &pos = c.in(1), &len = c.in(2);
  if (!(pos.shape() == len.shape()))
    return InvalidArgument("pos and len should have the same shape, got: ", pos.shape(), " vs. ",
                           len.shape());
  TENSH_ASSIGN(const Shape shape, BroadcastShapes(in.shape(), pos.shape()));
  TENSH_OUTPUT(out, c.Output(0, shape));
  // Returns the index in t of the element that is broadcast to element i of `shape`.
  const auto at = [&](const Tensor& t, int64_t i) {
    int64_t index = 0, step = 1;
    for (int d = 1; d <= shape.rank(); ++d) {
      const int64_t extent = shape[shape.rank() - d], k = i % extent;
      i /= extent;
      if (d > t.rank()) continue;
      const int64_t own = t.dim(t.rank() - d);
      index += (own == 1 ? 0 : k) * step;
      step *= own;
    }
    return index;
  };
  const bool characters = c.state<UnitState>().characters;
  for (int64_t i = 0; i < out->num_elements(); ++i) {
    const int64_t p = at(pos, i);
    TENSH_RETURN_IF_ERROR(Part(in.data<std::string>()[at(in, i)], IndexAt(pos, p), IndexAt(len, p),
                               characters, i, out->data<std::string>() + i));
  }
  return {};
}

Status SubstrShape(ShapeCtx& c) {
  const Shape &pos = c.in(1), &length = c.in(2);
  if (!pos.has_rank()) return {};
  // As in TensorFlow, an unknown extent does not match a known one.
  bool match = !length.has_rank() || length.rank() == pos.rank();
  for (int i = 0; match && i < pos.rank(); ++i)
    match = pos[i] == (length.has_rank() ? length[i] : Shape::kUnknownDim);
  if (!match) return InvalidArgument("pos and len shapes must match: ", pos, " vs. ", length);
  if (!c.in(0).has_rank()) return {};
  TENSH_ASSIGN(const Shape shape, BroadcastShapes(c.in(0), c.in(1)));
  c.Set(0, shape);
  return {};
}

// ---- splitting; the pieces form a sparse matrix ----

using Pieces = std::vector<std::vector<std::string>>;

Status SetPieces(KernelCtx& c, const Pieces& pieces) {
  int64_t total = 0, widest = 0;
  for (const auto& row : pieces) {
    total += static_cast<int64_t>(row.size());
    widest = std::max(widest, static_cast<int64_t>(row.size()));
  }
  TENSH_OUTPUT(indices, c.Output(0, Shape({total, 2})));
  TENSH_OUTPUT(values, c.Output(1, Shape({total})));
  TENSH_OUTPUT(shape, c.Output(2, Shape({2})));
  shape->data<int64_t>()[0] = static_cast<int64_t>(pieces.size());
  shape->data<int64_t>()[1] = widest;
  int64_t at = 0;
  for (size_t i = 0; i < pieces.size(); ++i)
    for (size_t k = 0; k < pieces[i].size(); ++k, ++at) {
      indices->data<int64_t>()[2 * at] = static_cast<int64_t>(i);
      indices->data<int64_t>()[2 * at + 1] = static_cast<int64_t>(k);
      values->data<std::string>()[at] = pieces[i][k];
    }
  return {};
}

struct SplitState : KernelState {
  bool skip_empty = false;
  int64_t maxsplit = -1;
};

Result<std::unique_ptr<KernelState>> PrepareSplit(PrepareCtx& c) {
  auto state = std::make_unique<SplitState>();
  state->skip_empty = c.attrs().Bool("skip_empty");
  return std::unique_ptr<KernelState>(std::move(state));
}
Result<std::unique_ptr<KernelState>> PrepareSplitV2(PrepareCtx& c) {
  auto state = std::make_unique<SplitState>();
  state->maxsplit = c.attrs().Int("maxsplit");
  return std::unique_ptr<KernelState>(std::move(state));
}

// Splits at any byte of the delimiter. An empty delimiter splits into single bytes.
Status Split(KernelCtx& c) {
  const std::string& delimiters = *c.in(1).data<std::string>();
  const bool skip = c.state<SplitState>().skip_empty;
  Pieces pieces;
  for (const std::string& s : c.in(0).flat<std::string>()) {
    auto& row = pieces.emplace_back();
    if (delimiters.empty()) {
      for (char ch : s) row.emplace_back(1, ch);
      continue;
    }
    size_t at = 0;
    while (!s.empty()) {
      const size_t end = std::min(s.find_first_of(delimiters, at), s.size());
      if (end > at || !skip) row.push_back(s.substr(at, end - at));
      if (end == s.size()) break;
      at = end + 1;
    }
  }
  return SetPieces(c, pieces);
}

// Splits like Python's str.split.
Status SplitV2(KernelCtx& c) {
  const std::string& sep = *c.in(1).data<std::string>();
  const int64_t most = c.state<SplitState>().maxsplit;
  Pieces pieces;
  for (const std::string& s : c.in(0).flat<std::string>()) {
    auto& row = pieces.emplace_back();
    if (most == 0) {
      row.push_back(s);
      continue;
    }
    std::string_view rest = s;
    const auto full = [&] { return most > 0 && static_cast<int64_t>(row.size()) >= most; };
    if (sep.empty()) {
      constexpr std::string_view kSpaces = " \t\n\v\f\r";
      const auto skip = [&] {
        rest.remove_prefix(std::min(rest.find_first_not_of(kSpaces), rest.size()));
      };
      for (skip(); !rest.empty();) {
        const size_t end = std::min(rest.find_first_of(kSpaces), rest.size());
        row.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end);
        skip();
        // The remainder is the last piece, even if it is empty.
        if (!full()) continue;
        row.emplace_back(rest);
        break;
      }
      continue;
    }
    for (size_t end; !full() && (end = rest.find(sep)) != rest.npos;) {
      row.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end + sep.size());
    }
    row.emplace_back(rest);
  }
  return SetPieces(c, pieces);
}

Status SplitShape(ShapeCtx& c) {
  c.Set(0, Shape({-1, 2}));
  c.Set(1, Shape({-1}));
  c.Set(2, Shape({2}));
  return {};
}

OpSpec MapSpec(const char* name, const char* doc, Example example, const char* attrs = "") {
  return {.name = name,
          .inputs = "input: string",
          .outputs = "output: string",
          .attrs = attrs,
          .doc = doc,
          .shape = SameAsInput<0>,
          .no_gradient = true,
          .examples = {example}};
}

void RegisterMaps(OpRegistry& r) {
  r.Op(MapSpec("StringStrip",
               "Removes leading and trailing spaces from each string of input: output.",
               {"tf.raw_ops.StringStrip(input=[' a ', 'b'])", "[b'a' b'b']"}))
      .CpuAny(Strip);
  r.Op(MapSpec("StringUpper",
               "Converts each string of input to upper case: output. encoding must be empty.",
               {"tf.raw_ops.StringUpper(input='Abc')", "b'ABC'"}, "encoding: string = ''"))
      .CpuAny(ChangeCase<true>, PrepareCase);
  r.Op(MapSpec("StringLower",
               "Converts each string of input to lower case: output. encoding must be empty.",
               {"tf.raw_ops.StringLower(input='Abc')", "b'abc'"}, "encoding: string = ''"))
      .CpuAny(ChangeCase<false>, PrepareCase);
  r.Op({.name = "StringLength",
        .inputs = "input: string",
        .outputs = "output: int32",
        .attrs = "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
        .doc = "The length of each string of input: output counts bytes, or characters if unit is "
               "UTF8_CHAR.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.StringLength(input=['ab', ''])", "[2 0]"}}})
      .CpuAny(Length, PrepareFrom<UnitState>);
}

}  // namespace

TENSH_OPS(strings_text) {
  RegisterMaps(r);
  r.Op({.name = "StringToNumber",
        .inputs = "string_tensor: string",
        .outputs = "output: out_type",
        .attrs = "out_type: {float, double, int32, int64, uint32, uint64} = float",
        .doc = "Parses numbers: each string of string_tensor gives a number of output, of type "
               "out_type.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.string_to_number(['1.5', '-2'])", "[ 1.5 -2. ]"}}})
      .Cpu<float, double, int32_t, int64_t, uint32_t, uint64_t>(ToNumber{},
                                                                {.type_attr = "out_type"});
  r.Op({.name = "Substr",
        .inputs = "input: string, pos: T, len: T",
        .outputs = "output: string",
        .attrs = "T: {int32, int64}, unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
        .doc = "Substrings: output has len bytes from pos on, both of type T, of each string of "
               "input; a negative pos counts from the end. unit: UTF8_CHAR counts characters.",
        .shape = SubstrShape,
        .no_gradient = true,
        .examples = {{"tf.substr('hello', 1, 3)", "b'ell'"}}})
      .CpuAny(Substr, PrepareFrom<UnitState>);
  r.Op({.name = "StringSplit",
        .inputs = "input: string, delimiter: string",
        .outputs = "indices: int64, values: string, shape: int64",
        .attrs = "skip_empty: bool = true",
        .doc = "Splits strings at any byte of delimiter. input is a vector; values are all pieces, "
               "indices the row and column of each, shape the shape of the whole. skip_empty: drop "
               "empty pieces.",
        .contract = "input: vector, delimiter: scalar",
        .shape = SplitShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.StringSplit(input=['a b', 'c'], delimiter=' ')[1]",
                      "[b'a' b'b' b'c']"}}})
      .CpuAny(Split, PrepareSplit);
  r.Op({.name = "StringSplitV2",
        .inputs = "input: string, sep: string",
        .outputs = "indices: int64, values: string, shape: int64",
        .attrs = "maxsplit: int = -1",
        .doc = "Splits strings at sep, like Python's str.split; an empty sep means spaces. input "
               "is a vector; values are all pieces, indices the row and column of each, shape the "
               "shape of the whole. maxsplit: the maximum number of splits; -1 means no limit.",
        .contract = "input: vector, sep: scalar",
        .shape = SplitShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.StringSplitV2(input=['a<>b'], sep='<>')[1]", "[b'a' b'b']"}}})
      .CpuAny(SplitV2, PrepareSplitV2);
}

}  // namespace tensh::ops
