#!/usr/bin/env bash
# The first hour on a GPU. This script is part of the archive that `./dev gpu-bundle` makes, and needs only a driver:
#
#   tar xf gpu-bundle.tar.xz && gpu-bundle/run.sh contact     (then: correct, speed, why, stress; or all)
#
# Each part takes less than ten minutes. Every check has a time limit, a log logs/PART.NAME.log and a line PASS, FAIL or SKIP
# with its time; the lines are also in logs/summary.txt. The exit code is the number of failures. The plug-in A is the
# one that is shipped. B does not contract a*b+c, so that a value that differs in A alone is a last digit and not a fault.
#
# --fake runs the checks on the fake GPU, to test the bundle itself, and --quick makes them short. Options follow the part.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here"
mode=gpu
quick=''
part=${1:-}
for option in "${@:2}"; do
  case $option in
    --fake) mode=fake-gpu ;;
    --quick) quick=1 ;;
    *) part='' ;;
  esac
done
if [[ $part != @(contact|correct|speed|why|stress|all) ]]; then
  echo 'usage: run.sh contact|correct|speed|why|stress|all [--fake] [--quick]' >&2
  exit 2
fi

# Plug-ins are found beside the binary, so each has its own folder.
for plugin in a b; do
  for program in tensh tensh_modes oracle_test; do
    [[ -e $plugin/$program ]] || ln "bin/$program" "$plugin/$program" 2>/dev/null || cp "bin/$program" "$plugin/$program"
  done
done
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export TENSH_MODE=$mode TENSH_PYTHON=none TENSH_ORACLE_FOLDER=$here/tests/oracle NO_COLOR=1 COLUMNS=160
[[ $mode == gpu ]] || export CUDA_VISIBLE_DEVICES=''
[[ ! $quick ]] || export TENSH_SMALL=1
tensh=a/tensh_modes  # like tensh, and TENSH_MODE=gpu fails where there is no GPU
mkdir -p logs
failures=0
say() { printf '%s\n' "$*" | tee -a logs/summary.txt; }

# check NAME SECONDS COMMAND…: runs a check of the part. Prints the end of its log if it fails.
check() {
  local name=$now.$1 limit=$2 start=$SECONDS code
  shift 2
  timeout --kill-after=10 "$limit" "$@" >"logs/$name.log" 2>&1 </dev/null
  code=$?
  if ((code == 0)); then
    say "PASS $name ($((SECONDS - start)) s)"
  elif ((code == 77)); then
    say "SKIP $name: $(tail -n 1 "logs/$name.log")"
  else
    failures=$((failures + 1))
    say "FAIL $name (exit code $code$( ((code != 124)) || echo ': time limit'), $((SECONDS - start)) s)"
    tail -n 15 "logs/$name.log" | sed 's/^/  | /'
  fi
  return $code
}
says() {  # says TEXT COMMAND…: passes if the output contains the text
  local text=$1 out
  shift
  out=$("$@" 2>&1)
  printf '%s\n' "$out"
  [[ $out == *"$text"* ]]
}
export -f says

contact() {
  check_in_shell nvidia-smi 30 'command -v nvidia-smi >/dev/null || { echo "no nvidia-smi"; exit 77; }; nvidia-smi; nvidia-smi -q'
  check_in_shell libraries 30 'ldd a/tensh; [[ ! -e a/libtensh_cuda.so ]] || ldd a/libtensh_cuda.so; ! ldd a/tensh | grep "not found"'
  check_in_shell devices 60 "says GPU:0 $tensh -c 'devices --verbose'"
  check_in_shell start 60 "time $tensh -c 'eval 1 + 1'; time $tensh -c 'eval tf.ones([2]) + 1.'"
  if [[ $mode == gpu ]]; then check hardware 120 bin/cuda_hardware_test; else check hardware 5 bash -c 'echo "not on the fake GPU"; exit 77'; fi
  check_in_shell large 180 "TENSH_GPU_REPLAY=0 says ', 0 wrong' $tensh tests/gpu/large.py" &&
    check_in_shell large-replayed 180 "says ', 0 wrong' $tensh tests/gpu/large.py" ||
    check_in_shell large-blocking 180 "CUDA_LAUNCH_BLOCKING=1 TENSH_GPU_REPLAY=0 says ', 0 wrong' $tensh tests/gpu/large.py"
}

correct() {
  local plugin tool some=''
  [[ ! $quick ]] || some='TENSH_TENTH=3'
  for plugin in b a; do
    compgen -G "$plugin/libtensh_cuda*.so" >/dev/null || continue
    check_in_shell "golden-$plugin" 150 "$some python3 tests/golden/run.py --tensh $plugin/tensh_modes --mode $mode tests/golden/tf1 samples"
    check_in_shell "oracle-$plugin" 150 "$some tests/tenth.sh $plugin/oracle_test --gtest_brief=1 \
      '--gtest_filter=*Values*:*Gradients*-*Values*/Elu:*Values*/SeluGrad:*Values*/Sigmoid:*Values*/MaxPool'"
  done
  for tool in memcheck racecheck initcheck synccheck; do
    check_in_shell "$tool" 100 "command -v compute-sanitizer >/dev/null || { echo 'no compute-sanitizer'; exit 77; }
      TENSH_LARGE_MOST=10000 compute-sanitizer --tool $tool --error-exitcode 9 a/tensh tests/gpu/large.py"
  done
}

speed() {
  local more=''
  [[ ! $quick ]] || more='--steps 3 --small'
  check_in_shell bench 420 "python3 tests/bench/gpu_bench.py --tensh a/tensh --timeout 200 --json logs/bench.json $more"
  check_in_shell bench-single 120 "TENSH_GPU_REPLAY=0 python3 tests/bench/gpu_bench.py --tensh a/tensh --timeout 60 $more"
}

why() {
  local name
  for name in chain conv mlp reduce_row reduce_column softmax transpose; do
    check_in_shell "$name" 60 "says ran $tensh tests/gpu/kernels.py $name"
    check_in_shell "$name-ncu" 90 "command -v ncu >/dev/null || { echo 'no ncu'; exit 77; }
      TENSH_GPU_REPLAY=0 ncu --set basic --launch-count 40 --csv --log-file logs/why.$name.csv a/tensh tests/gpu/kernels.py $name"
  done
}

stress() {
  check_in_shell memory 120 "says exhausted $tensh tests/gpu/stress.py memory"
  check_in_shell fraction 60 "says exhausted $tensh tests/gpu/stress.py fraction"
  check_in_shell sessions 120 "says '[True, True]' $tensh tests/gpu/stress.py sessions"
  check_in_shell steps 180 "says True $tensh tests/gpu/stress.py steps"
  check_in_shell index 60 "says '[1. 0.]' $tensh tests/gpu/stress.py index"
  check_in_shell adjoint 60 "says 'bfloat16 True' $tensh tests/gpu/stress.py adjoint"
  # Ctrl-C in a long step ends the script within ten seconds.
  check_in_shell interrupt 40 "timeout --kill-after=10 --signal=INT 8 $tensh tests/gpu/stress.py forever; [[ \$? == 124 ]]"
}

# check_in_shell NAME SECONDS TEXT
check_in_shell() { check "$1" "$2" bash -c "set -o pipefail; $3"; }

for now in $( [[ $part == all ]] && echo contact correct speed why stress || echo "$part"); do
  say "== $now ($(date -u +%H:%M:%S))"
  "$now"
done
say "$([[ $failures == 0 ]] && echo PASS || echo FAIL) $part: $failures failures"
exit "$failures"
