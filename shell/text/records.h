// The records of a file to which records are only appended. Each has its length and a checksum.
//
//   HEAD LENGTH CHECKSUM\n
//   PAYLOAD\n
//
// A reader stops at the first record that is incomplete or damaged. The file of a writer that was
// killed therefore reads as a prefix of the records that were written.
//
// Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace tensh::shell {

struct Record {
  std::string_view head, payload;  // views of the text that was read
};

// `head` is one line whose words identify the kind of the record; `payload` may contain any bytes.
std::string PackRecord(std::string_view head, std::string_view payload);
// Removes the first record from `text` and stores it. Returns false and changes nothing if the
// record is incomplete or damaged.
bool TakeRecord(std::string_view* text, Record* record);

}  // namespace tensh::shell
