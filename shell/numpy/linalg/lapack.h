// Calls of LAPACK, which numpy uses too, so that order, signs and digits of results agree with
// numpy's. The first call loads liblapack.so.3. Thread-safe.
#pragma once

#include <algorithm>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "shell/python/values/error.h"

namespace tensh::shell::np {

// Returns the address of a routine such as "dgeev_". Throws ImportError if the library is missing.
void* LapackRoutine(const std::string& name);

template <class A>
A* Address(A& value) {
  return &value;
}
template <class A>
A* Address(A*& pointer) {
  return pointer;
}

// Calls a LAPACK routine for elements of type T, double or complex<double>: "geev" means dgeev_ or
// zgeev_. Arguments are passed by address, as in Fortran. Integers are int, and matrices are stored
// by columns. Returns info.
template <class T, class... Args>
int CallLapack(const char* name, Args... args) {
  // Fortran passes the lengths of character arguments after all others. There are at most two.
  using Routine = void (*)(decltype(Address(args))..., int*, size_t, size_t);
  int info = 0;
  const std::string full = (std::is_same_v<T, double> ? "d" : "z") + std::string(name) + "_";
  reinterpret_cast<Routine>(LapackRoutine(full))(Address(args)..., &info, 1, 1);
  return info;
}

// Converts a size to Fortran's int. Throws MemoryError if it does not fit.
inline int Size(double wanted) {
  if (wanted > std::numeric_limits<int>::max())
    throw MakeError(kMemoryError, "the matrix is too large");
  return std::max(1, static_cast<int>(wanted));
}

// Runs call(work, size) for a routine that returns the work size it needs when it is called with
// -1.
template <class T, class Call>
int WithWork(Call call) {
  T wanted{};
  if (const int info = call(&wanted, -1)) return info;
  const int size = Size(std::real(wanted));
  std::vector<T> work(static_cast<size_t>(size));
  return call(work.data(), size);
}

}  // namespace tensh::shell::np
