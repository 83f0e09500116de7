#!/bin/sh
# ccache.sh CCACHE FOLDER COMPILER ARGS…: compiles through ccache; checkouts of the same commit, each in its FOLDER,
# share what they compiled. A precompiled header that is to be made anew is removed first: ccache asks the compiler what
# the header comes to, which would answer with the one that is there.
ccache=$1
export CCACHE_BASEDIR="$2" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
shift 2
before=
for argument; do
  case $before$argument in -o*.gch | -o*.pch) rm -f "$argument" ;; esac
  before=$argument
done
exec "$ccache" "$@"
