// Prints arrays for print_diff.py. Reads cases from stdin and writes the str and repr of each to
// stdout. A case is: dtype rank dims… precision threshold edgeitems linewidth suppress sign
// floatmode, and then the bytes of the elements in hex ("-" for none). The response is two
// length-prefixed texts.
#include <cstdio>
#include <iostream>
#include <vector>

#include "shell/print/tensor_printer.h"

using namespace tensh::shell;

int main() {
  int dtype, rank;
  while (std::cin >> dtype >> rank) {
    std::vector<int64_t> dims(static_cast<size_t>(rank)), strides(static_cast<size_t>(rank));
    for (int64_t& d : dims) std::cin >> d;
    PrintOptions o;
    int itemsize, floatmode;
    std::string name, hex;
    std::cin >> o.precision >> o.threshold >> o.edgeitems >> o.linewidth >> o.suppress >> o.sign >>
        floatmode >> itemsize >> name >> hex;
    if (o.sign == '_') o.sign = ' ';
    o.floatmode = static_cast<PrintOptions::FloatMode>(floatmode);
    int64_t stride = itemsize;
    for (size_t i = dims.size(); i-- > 0;) {
      strides[i] = stride;
      stride *= dims[i];
    }
    std::string bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2)
      bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    const TensorView v{dtype, dims, strides, bytes.data(), {}, name};
    for (const std::string& text : {TensorStr(v, o), TensorRepr(v, o)})
      std::printf("%zu\n%s\n", text.size(), text.c_str());
  }
}
