// EncodeBase64 and DecodeBase64, with the URL-safe alphabet.
#include <array>

#include "ops/op_file.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

struct PadState : KernelState {
  bool pad;
  void Read(PrepareCtx& c) { pad = c.attrs().Bool("pad"); }
};

std::string EncodeText(const std::string& bytes, bool pad) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = std::min<size_t>(3, bytes.size() - i);
    uint32_t word = 0;
    for (size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k <= n; ++k) out += kAlphabet[word >> (18 - 6 * k) & 63u];
    if (pad) out.append(3 - n, '=');
  }
  return out;
}

bool DecodeText(std::string_view text, std::string* out) {
  static const std::array<int8_t, 256> values = [] {
    std::array<int8_t, 256> table;
    table.fill(-1);
    for (int i = 0; i < 64; ++i)
      table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
    return table;
  }();
  if (text.size() % 4 == 0)
    for (int k = 0; k < 2 && !text.empty() && text.back() == '='; ++k) text.remove_suffix(1);
  if (text.size() % 4 == 1) return false;
  uint32_t word = 0;
  int bits = 0;
  for (char ch : text) {
    const int8_t value = values[static_cast<unsigned char>(ch)];
    if (value < 0) return false;
    word = (word << 6 | static_cast<uint32_t>(value)) & 0xffffffu;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    *out += static_cast<char>(word >> bits & 0xffu);
  }
  return true;  // remaining bits do not form a byte
}

Status Encode(KernelCtx& c) {
  const Tensor& in = c.in(0);
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  for (int64_t i = 0; i < in.num_elements(); ++i)
    out->data<std::string>()[i] = EncodeText(in.data<std::string>()[i], c.state<PadState>().pad);
  return {};
}

Status Decode(KernelCtx& c) {
  const Tensor& in = c.in(0);
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  for (int64_t i = 0; i < in.num_elements(); ++i) {
    std::string bytes;
    if (!DecodeText(in.data<std::string>()[i], &bytes))
      return InvalidArgument("Invalid character found in base64.");
    out->data<std::string>()[i] = std::move(bytes);
  }
  return {};
}

}  // namespace

TENSH_OPS(strings_base64) {
  r.Op({.name = "EncodeBase64",
        .inputs = "input: string",
        .outputs = "output: string",
        .attrs = "pad: bool = false",
        .doc = "Encodes bytes as URL-safe base64 text. input are strings of any bytes, output "
               "their text. pad: pad with = to a multiple of four characters.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.encode_base64('hello')", "b'aGVsbG8'"}}})
      .CpuAny(Encode, PrepareFrom<PadState>);
  r.Op({.name = "DecodeBase64",
        .inputs = "input: string",
        .outputs = "output: string",
        .doc = "Decodes the text that EncodeBase64 returns: input is the text, output the bytes.",
        .shape = SameAsInput<0>,
        .no_gradient = true,
        .examples = {{"tf.decode_base64('aGVsbG8')", "b'hello'"}}})
      .CpuAny(Decode);
}

}  // namespace tensh::ops
