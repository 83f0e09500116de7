// Parts of matrices of floats, their products and products of reflections, which the decompositions of
// float_blocks.h and float_spectrum.h consist of. The products compute with the tiles of convolutions (tiles.h).
#pragma once

#include <cstdint>
#include <vector>

namespace tensh::ops::blocked {

inline constexpr int64_t kSmall = 16;  // rows or columns of a part that is not divided

// A part of a matrix whose rows are `step` elements apart.
struct Part {
  float* data;
  int64_t rows, columns, step;

  float* Row(int64_t i) const { return data + i * step; }
  Part At(int64_t row, int64_t column, int64_t n_rows, int64_t n_columns) const {
    // A matrix without elements may have no address.
    return {data == nullptr ? nullptr : data + row * step + column, n_rows, n_columns, step};
  }
  Part Below(int64_t row) const { return At(row, 0, rows - row, columns); }
};

// A matrix of zeros that owns its elements.
struct Owned {
  Owned(int64_t rows, int64_t columns)
      : elements(static_cast<size_t>(rows * columns)),
        part{elements.data(), rows, columns, columns} {}
  std::vector<float> elements;
  Part part;
};

void Transpose(const Part& from, const Part& to);
// c -= a * b
void SubtractProduct(const Part& c, const Part& a, const Part& b);

// The product of at most kSmall reflections I - scales[p] * v * v^T: I - v * t * v^T, where t is upper triangular.
// Column p of the panel has the elements of v below row p, where v is 1.
class Reflections {
 public:
  Reflections(const Part& panel, const float* scales);
  // Multiplies `to` by the product from the left, or by its transpose.
  void Apply(const Part& to, bool transposed) const;

 private:
  // t[0..j, j] = -scale * t[0..j, 0..j] * (v^T * v)[0..j, j], and t[j, j] = scale.
  void AddColumn(int64_t j, float scale);

  int64_t count_;
  Owned v_, turned_, t_;
};

}  // namespace tensh::ops::blocked
