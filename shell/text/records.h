// Records in a file that is only appended to, each with its length and a checksum.
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
  std::string_view head, payload;  // borrow the text that was read
};

// `head` is one line, whose words tell the kind of the record; `payload` is any bytes.
std::string PackRecord(std::string_view head, std::string_view payload);
// Takes the first record off `text`. Returns false and changes nothing if it is incomplete or
// damaged.
bool TakeRecord(std::string_view* text, Record* record);

}  // namespace tensh::shell
