#!/bin/sh
# ccache.sh CCACHE FOLDER COMPILER ARGS…: compiles through ccache. Checkouts of the same commit, each in its FOLDER,
# share their object files. A precompiled header contains its source files including comments, so ccache compares these
# files (depend mode) instead of the preprocessed text, which has no comments.
ccache=$1
export CCACHE_BASEDIR="$2" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
shift 2
before=
for argument; do
  case $before$argument in -o*.gch | -o*.pch) rm -f "$argument"; export CCACHE_DEPEND=1 ;; esac
  before=$argument
done
exec "$ccache" "$@"
