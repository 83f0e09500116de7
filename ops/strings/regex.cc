// RegexFullMatch and RegexReplace, with RE2's syntax.
#include <re2/re2.h>

#include "ops/op_file.h"

namespace tensh::ops {
namespace {

std::unique_ptr<RE2> Compile(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  return std::make_unique<RE2>(pattern, options);
}

Status BadPattern(const RE2& re) {
  return InvalidArgument("Invalid pattern: ", re.pattern(), ", error: ", re.error());
}

// The state of a regex op. Static ops compile their pattern once, with the plan.
struct RegexState : KernelState {
  std::unique_ptr<RE2> re;  // null if the pattern is an input
  std::string rewrite;
  bool global = true;
};

Result<std::unique_ptr<KernelState>> PrepareRegex(PrepareCtx& c) {
  auto state = std::make_unique<RegexState>();
  if (const AttrValue* global = c.attrs().Find("replace_global"))
    state->global = *global->Find<bool>();
  if (const AttrValue* rewrite = c.attrs().Find("rewrite"))
    state->rewrite = *rewrite->Find<std::string>();
  if (const AttrValue* pattern = c.attrs().Find("pattern")) {
    state->re = Compile(*pattern->Find<std::string>());
    if (!state->re->ok()) return BadPattern(*state->re);
  }
  return std::unique_ptr<KernelState>(std::move(state));
}

Status ReplaceAll(KernelCtx& c, const RE2& re, const std::string& rewrite) {
  const Tensor& in = c.in(0);
  // A rewrite that refers to a non-existent group leaves the string unchanged.
  std::string error;
  const bool changes = re.CheckRewriteString(rewrite, &error);
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  for (int64_t i = 0; i < in.num_elements(); ++i) {
    std::string text = in.data<std::string>()[i];
    if (changes && c.state<RegexState>().global) {
      RE2::GlobalReplace(&text, re, rewrite);
    } else if (changes) {
      RE2::Replace(&text, re, rewrite);
    }
    out->data<std::string>()[i] = std::move(text);
  }
  return {};
}

Status MatchAll(KernelCtx& c, const RE2& re) {
  const Tensor& in = c.in(0);
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  for (int64_t i = 0; i < in.num_elements(); ++i)
    out->data<bool>()[i] = RE2::FullMatch(in.data<std::string>()[i], re);
  return {};
}

Status StaticReplace(KernelCtx& c) {
  return ReplaceAll(c, *c.state<RegexState>().re, c.state<RegexState>().rewrite);
}
Status StaticMatch(KernelCtx& c) { return MatchAll(c, *c.state<RegexState>().re); }

Status Replace(KernelCtx& c) {
  const auto re = Compile(*c.in(1).data<std::string>());
  if (!re->ok()) return BadPattern(*re);
  return ReplaceAll(c, *re, *c.in(2).data<std::string>());
}

Status Match(KernelCtx& c) {
  const auto re = Compile(*c.in(1).data<std::string>());
  if (!re->ok()) return BadPattern(*re);
  return MatchAll(c, *re);
}

// All inputs after the first are scalars.
Status TextShape(ShapeCtx& c) { return SameAsInput<0>(c); }

constexpr char kReplaceDoc[] =
    "Replaces the matches of a regular expression. input are strings, pattern is in the syntax of "
    "RE2, rewrite is the replacement: \\1 to \\9 stand for the groups, \\0 for the whole match. "
    "replace_global: replace all matches, not only the first. output are the new strings.";
constexpr char kMatchDoc[] =
    "Tests whether strings match a regular expression. input are strings, pattern is in the syntax "
    "of RE2; output is true for each string that matches completely.";

}  // namespace

TENSH_OPS(strings_regex) {
  r.Op({.name = "RegexReplace",
        .inputs = "input: string, pattern: string, rewrite: string",
        .outputs = "output: string",
        .attrs = "replace_global: bool = true",
        .doc = kReplaceDoc,
        .contract = "pattern: scalar, rewrite: scalar",
        .shape = TextShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.RegexReplace(input=['a1b22', ''], pattern='[0-9]+', rewrite='_')",
                      "[b'a_b_' b'']"}}})
      .CpuAny(Replace, PrepareRegex);
  r.Op({.name = "StaticRegexReplace",
        .inputs = "input: string",
        .outputs = "output: string",
        .attrs = "pattern: string, rewrite: string, replace_global: bool = true",
        .doc = kReplaceDoc,
        .shape = TextShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.StaticRegexReplace(input=['ab'], pattern='(a)(b)', "
                      "rewrite='\\\\2\\\\1')",
                      "[b'ba']"}}})
      .CpuAny(StaticReplace, PrepareRegex);
  r.Op({.name = "RegexFullMatch",
        .inputs = "input: string, pattern: string",
        .outputs = "output: bool",
        .doc = kMatchDoc,
        .contract = "pattern: scalar",
        .shape = TextShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.RegexFullMatch(input=['abc', 'abcd'], pattern='a.c')",
                      "[ True False]"}}})
      .CpuAny(Match);
  r.Op({.name = "StaticRegexFullMatch",
        .inputs = "input: string",
        .outputs = "output: bool",
        .attrs = "pattern: string",
        .doc = kMatchDoc,
        .shape = TextShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.StaticRegexFullMatch(input=['x', ''], pattern='x?')",
                      "[ True  True]"}}})
      .CpuAny(StaticMatch, PrepareRegex);
}

}  // namespace tensh::ops
