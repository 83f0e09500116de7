#pragma once
// String hashes whose values TensorFlow's ops expose, so they must never change. Published
// algorithms: FarmHash's Fingerprint64 and SipHash.
#include <cstdint>
#include <string_view>

namespace tensh::ops {

uint64_t FarmFingerprint64(std::string_view s);                        // FarmHash
uint64_t SipHash24(uint64_t key0, uint64_t key1, std::string_view s);  // SipHash-2-4
uint64_t MurmurHash64(std::string_view s, uint64_t seed);              // MurmurHash64A

}  // namespace tensh::ops
