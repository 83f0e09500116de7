#pragma once
// The number of processor cores, from which pools derive their number of threads.

namespace tensh {

// Returns the number of cores on which this process may run, at least 1. TensorFlow counts in the
// same way: a process that taskset or a container restricts to some cores uses as many threads.
int AvailableCores();

}  // namespace tensh
