// StringToHashBucket in its variants, which map strings to bucket numbers by a hash, and Fingerprint.
#include "ops/op_file.h"
#include "ops/strings/fingerprint.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

struct BucketState : KernelState {
  uint64_t buckets = 1, key0 = 0, key1 = 0;
  Status Read(PrepareCtx& c) {
    buckets = static_cast<uint64_t>(c.attrs().Int("num_buckets"));
    if (const AttrValue* key = c.attrs().Find("key")) {
      const auto& words = *key->Find<AttrValue::Ints>();
      if (words.size() != 2) return InvalidArgument("Key must have 2 elements");
      key0 = static_cast<uint64_t>(words[0]);
      key1 = static_cast<uint64_t>(words[1]);
    }
    return {};
  }
};

template <class Hash>
Status ToBuckets(KernelCtx& c, Hash hash) {
  const Tensor& in = c.in(0);
  TENSH_OUTPUT(out, c.Output(0, in.shape()));
  const uint64_t buckets = c.state<BucketState>().buckets;
  for (int64_t i = 0; i < in.num_elements(); ++i)
    out->data<int64_t>()[i] = static_cast<int64_t>(hash(in.data<std::string>()[i]) % buckets);
  return {};
}

Status Fast(KernelCtx& c) { return ToBuckets(c, FarmFingerprint64); }

Status Strong(KernelCtx& c) {
  const auto& state = c.state<BucketState>();
  return ToBuckets(c, [&](const std::string& s) { return SipHash24(state.key0, state.key1, s); });
}

Status Old(KernelCtx& c) {
  return ToBuckets(c, [](const std::string& s) { return MurmurHash64(s, 0xDECAFCAFFEu); });
}

OpSpec Spec(const char* name, const char* input, const char* attrs, const char* doc, Example e) {
  return {.name = name,
          .inputs = StrCat(input, ": string"),
          .outputs = "output: int64",
          .attrs = attrs,
          .doc = StrCat("Maps strings to buckets by a hash: ", input,
                        " are strings, output are numbers from 0 to num_buckets - 1, by ", doc),
          .shape = SameAsInput<0>,
          .no_gradient = true,
          .examples = {e}};
}

// ---- Fingerprint ----

constexpr size_t kFingerprintBytes = 8;

void PutFingerprint(uint8_t* to, std::string_view data) {
  uint64_t hash = FarmFingerprint64(data);
  for (size_t i = 0; i < kFingerprintBytes; ++i, hash >>= 8) to[i] = static_cast<uint8_t>(hash);
}

// The bytes of n rows of texts. Of a row with several texts, these are their fingerprints.
std::string BytesOfTexts(const std::string* texts, int64_t n) {
  if (n == 1) return texts[0];
  std::string bytes(static_cast<size_t>(n) * kFingerprintBytes, '\0');
  for (int64_t i = 0; i < n; ++i)
    PutFingerprint(
        reinterpret_cast<uint8_t*>(bytes.data()) + static_cast<size_t>(i) * kFingerprintBytes,
        texts[i]);
  return bytes;
}

Status Fingerprint(KernelCtx& c) {
  const Tensor &data = c.in(0), &method = c.in(1);
  if (data.dtype() != DType::kString && !IsPod(data.dtype()))
    return InvalidArgument("elements of type ", SignatureName(data.dtype()),
                           " have no fingerprint");
  const std::string& name = method.data<std::string>()[0];
  if (name != "farmhash64")
    return InvalidArgument("Unsupported method: ", name, "; the only one is farmhash64");
  const int64_t rows = data.dim(0), each = rows ? data.num_elements() / rows : 0;
  TENSH_OUTPUT(out, c.Output(0, Shape({rows, static_cast<int64_t>(kFingerprintBytes)})));
  const int64_t bytes = each * static_cast<int64_t>(SizeOf(data.dtype()));
  for (int64_t i = 0; i < rows; ++i) {
    uint8_t* to = out->data<uint8_t>() + static_cast<size_t>(i) * kFingerprintBytes;
    if (data.dtype() == DType::kString)
      PutFingerprint(to, BytesOfTexts(data.data<std::string>() + i * each, each));
    else
      PutFingerprint(
          to, {static_cast<const char*>(data.raw()) + i * bytes, static_cast<size_t>(bytes)});
  }
  return {};
}

Status FingerprintShape(ShapeCtx& c) {
  const Shape& data = c.in(0);
  const int64_t bytes =
      c.constant(1) ? static_cast<int64_t>(kFingerprintBytes) : -1;  // the method is known
  c.Set(0, Shape({data.has_rank() ? data[0] : -1, bytes}));
  return {};
}

}  // namespace

TENSH_OPS(strings_hash) {
  r.Op(Spec("StringToHashBucketFast", "input", "num_buckets: int >= 1",
            "a fast hash, FarmHash's fingerprint.",
            {"tf.string_to_hash_bucket_fast(['Hello', 'TensorFlow', '2.x'], 3)", "[0 2 2]"}))
      .CpuAny(Fast, PrepareFrom<BucketState>);
  r.Op(Spec("StringToHashBucketStrong", "input", "num_buckets: int >= 1, key: list(int)",
            "a hash that is unpredictable without key, SipHash.",
            {"tf.string_to_hash_bucket_strong(['Hello', 'TF'], 3, [1, 2])", "[2 0]"}))
      .CpuAny(Strong, PrepareFrom<BucketState>);
  r.Op(Spec("StringToHashBucket", "string_tensor", "num_buckets: int >= 1",
            "an old hash; StringToHashBucketFast is better.",
            {"tf.string_to_hash_bucket(['Hello'], 10)", "[1]"}))
      .CpuAny(Old, PrepareFrom<BucketState>);
  r.Op({.name = "Fingerprint",
        .inputs = "data: T, method: string",
        .outputs = "fingerprint: uint8",
        .attrs = "T: type",
        .doc = "A hash of 8 bytes for each row. data: rows of elements; a row of several texts is "
               "hashed by the hashes of its texts. method: 'farmhash64'. T: the element type.",
        .contract = "data: rank 1+, method: scalar",
        .shape = FingerprintShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.Fingerprint(data=['a'], method='farmhash64')",
                      "[[227 117 223 182 101  66  69 179]]"}}})
      .CpuAny(Fingerprint);
}

}  // namespace tensh::ops
