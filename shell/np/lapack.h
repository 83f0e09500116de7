// LAPACK, by which numpy does its linear algebra too: order, signs and digits are those a script's
// author saw. liblapack.so.3 is loaded by the first call. Threads: any.
#pragma once

#include <algorithm>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "shell/values/error.h"

namespace tensh::shell::np {

// The address of a routine, as of "dgeev_". ImportError where the library is missing.
void* LapackRoutine(const std::string& name);

template <class A>
A* Address(A& value) {
  return &value;
}
template <class A>
A* Address(A*& pointer) {
  return pointer;
}

// Calls the routine for elements of T, double or complex<double>: "geev" is dgeev_ or zgeev_.
// Arguments go by address, as Fortran takes them, its integers being int; matrices are by columns.
// Answers info.
template <class T, class... Args>
int CallLapack(const char* name, Args... args) {
  // Behind the arguments stand the lengths of the characters among them, two at most.
  using Routine = void (*)(decltype(Address(args))..., int*, size_t, size_t);
  int info = 0;
  const std::string full = (std::is_same_v<T, double> ? "d" : "z") + std::string(name) + "_";
  reinterpret_cast<Routine>(LapackRoutine(full))(Address(args)..., &info, 1, 1);
  return info;
}

// A size as Fortran counts. MemoryError where it cannot.
inline int Size(double wanted) {
  if (wanted > std::numeric_limits<int>::max())
    throw MakeError(kMemoryError, "the matrix is too large");
  return std::max(1, static_cast<int>(wanted));
}

// call(work, size), for a routine that says how much room it wants when it is given -1.
template <class T, class Call>
int WithWork(Call call) {
  T wanted{};
  if (const int info = call(&wanted, -1)) return info;
  const int size = Size(std::real(wanted));
  std::vector<T> work(static_cast<size_t>(size));
  return call(work.data(), size);
}

}  // namespace tensh::shell::np
