#include "shell/numpy/npy.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/base/utf8.h"
#include "shell/numpy/types.h"
#include "shell/python/values/error.h"
#include "shell/text/deflate.h"

namespace tensh::shell::np {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

PyError Broken(const std::string& what) {
  return ValueError("tensh cannot read this as an .npy or .npz file: " + what);
}

void Append(std::string* out, uint64_t v, size_t width) {
  for (size_t i = 0; i < width; ++i) *out += static_cast<char>(v >> (8 * i));
}

// Returns the text after 'key': in the dict of the header.
std::string_view Field(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == header.npos) throw Broken("its header has no " + std::string(key));
  const size_t colon = header.find(':', at);
  if (colon == header.npos) throw Broken("its header is damaged");
  std::string_view rest = header.substr(colon + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

Extents ParseShape(std::string_view text) {
  const size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == text.npos) throw Broken("its shape is damaged");
  Extents dims;
  int64_t number = -1;
  for (char c : text.substr(1, end)) {
    if (c >= '0' && c <= '9') {
      number = (number < 0 ? 0 : number) * 10 + (c - '0');
      if (number > (int64_t{1} << 50)) throw Broken("its shape is too large");
    } else if (number >= 0 && (c == ',' || c == ')')) {
      dims.push_back(number);
      number = -1;
    }
  }
  return dims;
}

// Returns the code point that stands for a number in a file.
uint32_t CodePoint(uint64_t c) {
  return c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0xfffd : static_cast<uint32_t>(c);
}

std::vector<uint32_t> CodePointsOf(std::string_view text) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < text.size();) out.push_back(DecodeUtf8(text, &i));
  return out;
}

// Decodes an array of fixed-width text, which is padded with zeros.
Array DecodeText(std::string_view data, Dims dims, bool unicode, size_t width) {
  const size_t unit = unicode ? 4 : 1;
  const Array a = Empty(unicode ? kDTypeUnicode : kDTypeBytes, dims);
  if (static_cast<uint64_t>(a.size()) * width * unit > data.size())
    throw Broken("it ends too early");
  for (int64_t i = 0; i < a.size(); ++i) {
    const size_t at = static_cast<size_t>(i) * width * unit;
    std::string text;
    if (unicode) {
      for (size_t k = 0; k < width; ++k) {
        const uint64_t c = ByteSource(data.substr(at + 4 * k, 4)).Little(0, 4);
        if (c == 0) break;
        AppendUtf8(CodePoint(c), &text);
      }
    } else {
      text = std::string(data.substr(at, width));
      text.resize(text.find_last_not_of('\0') + 1);
    }
    a.SetString(i, text);
  }
  return a;
}

std::string EncodeText(const Array& a, size_t* width) {
  const bool unicode = a.dtype == kDTypeUnicode;
  std::vector<std::vector<uint32_t>> rows;
  *width = 1;
  ForEachOffset(a, [&](int64_t at) {
    const std::string_view text = a.string_at(at);
    rows.push_back(unicode
                       ? CodePointsOf(text)
                       : std::vector<uint32_t>(
                             reinterpret_cast<const unsigned char*>(text.data()),
                             reinterpret_cast<const unsigned char*>(text.data()) + text.size()));
    *width = std::max(*width, rows.back().size());
  });
  std::string data;
  for (std::vector<uint32_t>& row : rows) {
    row.resize(*width);
    for (uint32_t c : row) Append(&data, c, unicode ? 4 : 1);
  }
  return data;
}

}  // namespace

std::string EncodeNpy(const Array& given) {
  Array a = given;
  if (a.dtype == TSH_STRING) a.dtype = kDTypeBytes;
  if (a.dtype == kDTypeObject) throw ValueError("arrays of objects cannot be saved");
  std::string data, descr = GetType(a.dtype).code;
  // NumPy has no such type. With the package ml_dtypes it writes the two bytes, and reads them so.
  if (a.dtype == TSH_BFLOAT16) descr = "<V2";
  if (HasBytes(a.dtype)) {
    const Array dense = Contiguous(a);
    if (dense.size())
      data.assign(dense.data(), static_cast<size_t>(dense.size() * ItemSize(a.dtype)));
  } else {
    size_t width = 1;
    data = EncodeText(a, &width);
    descr += std::to_string(width);
  }
  std::string shape = "(";
  for (int64_t d : a.dims()) shape += std::to_string(d) + ", ";
  if (a.rank > 1) shape.resize(shape.size() - 2);
  if (a.rank == 1) shape.resize(shape.size() - 1);
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "), }";
  // The data start at a multiple of 64 bytes.
  const size_t before = kMagic.size() + 4;
  while ((before + header.size() + 1) % 64) header += ' ';
  header += '\n';
  std::string out(kMagic);
  out += std::string("\x01\x00", 2);
  Append(&out, header.size(), 2);
  return out + header + data;
}

void ByteSource::Read(uint64_t at, uint64_t n, void* to) const {
  if (at > size_ || n > size_ - at) throw Broken("it ends too early");
  if (!file_) {
    if (n) std::memcpy(to, text_.data() + at, n);
    return;
  }
  for (uint64_t done = 0; done < n;) {
    const ssize_t got = ::pread(fileno(file_), static_cast<char*>(to) + done, n - done,
                                static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Broken(got < 0 ? std::strerror(errno) : "it became shorter");
    done += static_cast<uint64_t>(got);
  }
}

std::string ByteSource::Bytes(uint64_t at, uint64_t n) const {
  if (at > size_ || n > size_ - at) throw Broken("it ends too early");
  std::string bytes(n, '\0');
  Read(at, n, bytes.data());
  return bytes;
}

uint64_t ByteSource::Little(uint64_t at, size_t width) const {
  unsigned char bytes[8] = {};
  Read(at, width, bytes);
  uint64_t v = 0;
  for (size_t i = 0; i < width; ++i) v |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  return v;
}

namespace {

// The header of an .npy file, and the range of its elements.
struct Npy {
  int dtype = 0;     // 0 for text
  char text = 0;     // 'U' or 'S' for text
  size_t width = 0;  // of text
  Extents dims;      // as stored
  bool columns = false;
  uint64_t data = 0, bytes = 0;
};

Npy ReadHeader(const ByteSource& source, uint64_t begin, uint64_t end) {
  if (end - begin < 10 || source.Bytes(begin, kMagic.size()) != kMagic)
    throw Broken("it has the wrong signature");
  const size_t width = source.Little(begin + 6, 1) >= 2 ? 4 : 2;
  const uint64_t length = source.Little(begin + 8, width), start = begin + 8 + width;
  if (start > end || length > end - start) throw Broken("it ends too early");
  if (length > (1u << 24)) throw Broken("its header is too large");
  const std::string text = source.Bytes(start, length);
  const std::string_view header = text;
  Npy npy;
  npy.data = start + length;
  std::string_view descr = Field(header, "descr");
  const size_t quote = descr.size() > 1 ? descr.find('\'', 1) : descr.npos;
  if (descr.empty() || descr[0] != '\'' || quote == descr.npos)
    throw Broken("its elements are records");
  descr = descr.substr(1, quote - 1);
  npy.columns = Field(header, "fortran_order").substr(0, 4) == "True";
  npy.dims = ParseShape(Field(header, "shape"));
  if (npy.columns) std::reverse(npy.dims.begin(), npy.dims.end());
  if (descr.size() > 2 && (descr[1] == 'U' || descr[1] == 'S')) {
    npy.text = descr[1];
    npy.width = static_cast<size_t>(std::atoll(std::string(descr.substr(2)).c_str()));
    if (npy.width > (1u << 24)) throw Broken("its text is too wide");
    npy.bytes = end - npy.data;
    return npy;
  }
  if (descr.size() > 1 && descr[1] == 'O')
    throw ValueError(
        "Object arrays cannot be loaded: their elements are pickles of Python, which may run any "
        "code "
        "when they are read. Load the file in Python if you trust it, and write arrays of numbers: "
        "np.savez('arrays.npz', a=...)");
  npy.dtype = descr[0] == '>' ? 0 : TypeByName(descr);
  if (!npy.dtype || !HasBytes(npy.dtype)) throw Broken("elements of type " + std::string(descr));
  if (npy.dims.size() > kMaxRank)
    throw Broken("it has " + std::to_string(npy.dims.size()) +
                 " dimensions; an array has at most " + std::to_string(kMaxRank));
  const int64_t size = Product(npy.dims) * ItemSize(npy.dtype);
  if (size < 0 || static_cast<uint64_t>(size) > end - npy.data) throw Broken("it ends too early");
  npy.bytes = static_cast<uint64_t>(size);
  return npy;
}

Array ReadElements(const ByteSource& source, const Npy& npy) {
  Array a;
  if (npy.text) {
    a = DecodeText(source.Bytes(npy.data, npy.bytes), npy.dims, npy.text == 'U', npy.width);
  } else {
    a = Empty(npy.dtype, npy.dims);
    if (npy.bytes) source.Read(npy.data, npy.bytes, a.WritableData());
  }
  return npy.columns ? Transposed(a) : a;
}

}  // namespace

Array ReadNpy(const ByteSource& source, uint64_t begin, uint64_t end) {
  return ReadElements(source, ReadHeader(source, begin, end));
}

Array DecodeNpy(std::string_view bytes) { return ReadNpy(ByteSource(bytes), 0, bytes.size()); }

namespace {

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr uint64_t kMostInflated = 1 << 30;  // bytes of all compressed members of an archive

std::string Unpacked(std::string_view packed, uint64_t size) {
  // Deflate compresses by at most a factor of 1032.
  if (size / 1040 > packed.size() + 1) throw Broken("a member claims to be too large");
  Inflated got = Inflate(packed, -MAX_WBITS, size, [] {});
  if (got.code != Z_STREAM_END || got.data.size() != size) throw Broken("a member is damaged");
  return std::move(got.data);
}

std::string Packed(std::string_view data) {
  std::string packed;
  if (!Deflate(data, Z_DEFAULT_COMPRESSION, -MAX_WBITS, &packed))
    throw RuntimeError("zlib could not compress");
  return packed;
}

uint32_t Crc(std::string_view data, uint32_t crc = 0) {
  return static_cast<uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

// A size of 0xffffffff means that the zip64 extra field has the value, in this order.
void Zip64(const ByteSource& extra, uint64_t* size, uint64_t* packed, uint64_t* offset) {
  for (size_t at = 0; at + 4 <= extra.size();) {
    const uint64_t id = extra.Little(at, 2), length = extra.Little(at + 2, 2);
    if (id == 1) {
      size_t field = at + 4;
      for (uint64_t* v : {size, packed, offset}) {
        if (*v != 0xffffffffu) continue;
        *v = extra.Little(field, 8);
        field += 8;
      }
    }
    at += 4 + length;
  }
}

}  // namespace

// Reads the central directory at the end of the file. Every size is checked against the bytes that
// are present before it is used.
std::vector<ZipMember> ReadZipDirectory(const ByteSource& source) {
  const uint64_t window = std::min<uint64_t>(source.size(), 66000);
  const std::string tail = source.Bytes(source.size() - window, window);
  const size_t found = tail.rfind("PK\x05\x06");
  if (found == tail.npos) throw Broken("its directory is missing");
  const uint64_t end = source.size() - window + found;
  const uint64_t count = source.Little(end + 10, 2), first = source.Little(end + 16, 4);
  if (first > end) throw Broken("its directory is damaged");
  const std::string text = source.Bytes(first, end - first);
  const ByteSource directory{std::string_view(text)};
  uint64_t at = 0;
  std::vector<ZipMember> members;
  uint64_t inflated = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const auto field = [&](uint64_t offset, size_t width) {
      return directory.Little(at + offset, width);
    };
    if (field(0, 4) != kCentral) throw Broken("its directory is damaged");
    const uint64_t method = field(10, 2), name = field(28, 2), extra = field(30, 2);
    ZipMember member{.name = directory.Bytes(at + 46, name),
                     .deflated = method == 8,
                     .crc = static_cast<uint32_t>(field(16, 4)),
                     .begin = field(42, 4),
                     .packed = field(20, 4),
                     .size = field(24, 4)};
    const std::string more = directory.Bytes(at + 46 + name, extra);
    Zip64(ByteSource(std::string_view(more)), &member.size, &member.packed, &member.begin);
    if (source.Little(member.begin, 4) != kLocal) throw Broken("a member is missing");
    member.begin += 30 + source.Little(member.begin + 26, 2) + source.Little(member.begin + 28, 2);
    if (member.begin > source.size() || member.packed > source.size() - member.begin)
      throw Broken("it ends too early");
    if (method != 0 && method != 8) throw Broken("a member is packed in an unknown way");
    if (member.deflated &&
        (member.size > kMostInflated || (inflated += member.size) > kMostInflated))
      throw Broken("its compressed arrays would become larger than 1 GiB")
          .Hint("write large arrays without compression: np.savez");
    if (method == 0) member.size = member.packed;
    at += 46 + name + extra + field(32, 2);
    members.push_back(std::move(member));
  }
  return members;
}

namespace {

std::string ReadMember(const ByteSource& source, const ZipMember& member) {
  std::string bytes = source.Bytes(member.begin, member.packed);
  if (member.deflated) bytes = Unpacked(bytes, member.size);
  if (Crc(bytes) != member.crc) throw Broken("a member is damaged");
  return bytes;
}

}  // namespace

Members DecodeZip(std::string_view bytes) {
  const ByteSource source(bytes);
  Members members;
  for (const ZipMember& member : ReadZipDirectory(source))
    members.emplace_back(member.name, ReadMember(source, member));
  return members;
}

Array ReadZipArray(const ByteSource& source, const ZipMember& member) {
  if (member.deflated) return DecodeNpy(ReadMember(source, member));
  const uint64_t end = member.begin + member.size;
  const Npy npy = ReadHeader(source, member.begin, end);
  if (npy.text) return DecodeNpy(ReadMember(source, member));
  const Array a = ReadElements(source, npy);
  const uint64_t after = npy.data + npy.bytes;
  uint32_t crc = Crc(source.Bytes(member.begin, npy.data - member.begin));
  if (npy.bytes) crc = Crc({a.data(), npy.bytes}, crc);
  if (Crc(source.Bytes(after, end - after), crc) != member.crc) throw Broken("a member is damaged");
  return a;
}

bool ReadZipShape(const ByteSource& source, const ZipMember& member, int* dtype, Extents* dims) {
  if (member.deflated) return false;
  Npy npy = ReadHeader(source, member.begin, member.begin + member.size);
  if (npy.columns) std::reverse(npy.dims.begin(), npy.dims.end());
  *dtype = npy.text == 'U' ? kDTypeUnicode : npy.text ? kDTypeBytes : npy.dtype;
  *dims = std::move(npy.dims);
  return true;
}

std::string EncodeZip(const Members& members, bool compress) {
  std::string out, directory;
  for (const auto& [name, data] : members) {
    if (data.size() >= 0xffffffffu || out.size() >= 0xffffffffu)
      throw ValueError("an .npz file of 4 GiB or more cannot be written; use np.save");
    const std::string packed = compress ? Packed(data) : data;
    std::string common;
    Append(&common, 20, 2);                // Version needed.
    Append(&common, 0, 2);                 // Flags.
    Append(&common, compress ? 8 : 0, 2);  // Method.
    Append(&common, 0x00210000, 4);        // 1980-01-01, as numpy writes.
    Append(&common, Crc(data), 4);
    Append(&common, packed.size(), 4);
    Append(&common, data.size(), 4);
    Append(&common, name.size(), 2);
    Append(&common, 0, 2);  // Extra.
    Append(&directory, kCentral, 4);
    Append(&directory, 20, 2);
    directory += common;
    Append(&directory, 0, 2);  // Comment.
    Append(&directory, 0, 2);  // Disk.
    Append(&directory, 0, 6);  // Attributes.
    Append(&directory, out.size(), 4);
    directory += name;
    Append(&out, kLocal, 4);
    out += common + name + packed;
  }
  const size_t start = out.size();
  out += directory;
  Append(&out, kEnd, 4);
  Append(&out, 0, 4);
  Append(&out, members.size(), 2);
  Append(&out, members.size(), 2);
  Append(&out, directory.size(), 4);
  Append(&out, start, 4);
  Append(&out, 0, 2);
  return out;
}

}  // namespace tensh::shell::np
