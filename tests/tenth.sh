#!/bin/sh
# tenth.sh PROGRAM ARGS…: runs a GoogleTest program; only a tenth of its tests if TENSH_TENTH is a digit (0 to 9).
case $TENSH_TENTH in
  [0-9]) export GTEST_TOTAL_SHARDS=10 GTEST_SHARD_INDEX="$TENSH_TENTH" ;;
esac
exec "$@"
