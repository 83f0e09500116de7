#pragma once
// CRC-32C, the checksum of checkpoints and records. Uses the CPU's instruction for it if there is
// one, on three ranges of the data at a time, because the instruction has a latency of three cycles.
// Thread-safe.
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tensh {

// Continues the checksum `crc` of the data before `data`.
uint32_t Crc32c(std::string_view data, uint32_t crc = 0);
// Does the same without the instruction.
uint32_t Crc32cByTables(std::string_view data, uint32_t crc = 0);
// Returns the checksum of two adjacent ranges, given the checksum of each. Allows threads to compute
// the checksums of parts of one range.
uint32_t JoinCrc32c(uint32_t first, uint32_t second, size_t second_size);

// Stored checksums are masked (rotated with an offset), because the CRC of data that contain CRCs is
// weak.
inline uint32_t MaskCrc(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }
inline uint32_t MaskedCrc32c(std::string_view data) { return MaskCrc(Crc32c(data)); }

}  // namespace tensh
