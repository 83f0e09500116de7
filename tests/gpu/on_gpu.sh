#!/bin/sh
# on_gpu.sh COMMAND…: runs a test on the GPUs of this machine (TENSH_MODE=gpu), where it fails if there is none. Skipped unless
# TENSH_TEST_GPU is set, as `./dev test --gpu` does.
[ "$TENSH_TEST_GPU" ] || exit 77
TENSH_MODE=gpu exec "$@"
