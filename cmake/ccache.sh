#!/bin/sh
# ccache.sh CCACHE FOLDER COMPILER ARGS…: compiles through ccache; checkouts of the same commit, each in its FOLDER,
# share what they compiled. A precompiled header holds the files that it is made of, comments and all, so ccache compares
# those (depend mode) and not what they come to without comments.
ccache=$1
export CCACHE_BASEDIR="$2" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
shift 2
before=
for argument; do
  case $before$argument in -o*.gch | -o*.pch) rm -f "$argument"; export CCACHE_DEPEND=1 ;; esac
  before=$argument
done
exec "$ccache" "$@"
