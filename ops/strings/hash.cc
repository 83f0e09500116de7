// StringToHashBucket in its variants: maps strings to bucket numbers by a hash.
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
}

}  // namespace tensh::ops
