#!/usr/bin/env bash
# Breaks the library on purpose, one line at a time, in a copy below build/, and shows that a storm sees each break.
# usage: storm_breaks.sh [ROBOT]     prints the break, the seconds of the storm, and what it saw; fails if it saw nothing
set -u -o pipefail
set -m # each storm gets a process group: its children end with it
cd "$(dirname "$0")/.." || exit 1
robot=${1:-robots/arm6.yaml}
copy=build/breaks/copy
rm -rf build/breaks && mkdir -p $copy
git ls-files -z | xargs -0 cp --parents -t $copy
cd $copy || exit 1
cmake --preset release >/dev/null || exit 1
missed=0

# NAME FILE FROM TO: the line must be there
try() {
  local before seen storm start=$SECONDS
  before=$(mktemp)
  cp "$2" "$before"
  awk -v from="$3" -v to="$4" '{ at = index($0, from) }
    at && !done { $0 = substr($0, 1, at - 1) to substr($0, at + length(from)); done = 1 } { print }' "$before" >"$2"
  if cmp -s "$2" "$before"; then
    echo "$1: the line is not in $2 any more"
    missed=1
  else
    cmake --build --preset release --target sinew >build.log 2>&1 || { cat build.log; exit 1; }
    start=$SECONDS
    build/release/sinew storm "$robot" --hours 0.3 --seed 1 >storm.log 2>&1 &
    storm=$!
    while [ $((SECONDS - start)) -lt 60 ] && kill -0 $storm 2>/dev/null && ! grep -q '^seed ' storm.log; do
      sleep 0.2
    done
    seen=$(grep -m1 '^seed ' storm.log)
    echo "$1: $((SECONDS - start)) s: ${seen:-not seen}"
    if [ -z "$seen" ]; then
      missed=1
      cat storm.log
    fi
    kill -- -$storm 2>/dev/null
    wait $storm 2>/dev/null
  fi
  cp "$before" "$2"
  rm -f "$before"
}

try "speed limit 1 % too high" src/gate/limiter.c 'fmin(limits->speed, reachable' 'fmin(1.01 * limits->speed, reachable'
try "acceleration limit 1 % too high" src/gate/limiter.c 'return qd + accel * dt_s' 'return qd + 1.01 * accel * dt_s'
try "joint 0 obeys references in a stop" src/gate/gate_input.c 'if (gate->stop.is_stopped) {' 'if (gate->stop.is_stopped && index != 0) {'
try "hand-over jumps by 0.05 rad" src/arbiter/controller.c 'c->q[j] = c->pose[j];' 'c->q[j] = c->pose[j] + 0.05;'
try "the guard admits everything" src/gate/gate_guard.c 'if (sn__guard_admits(g->guard, &from, &wanted, dt_s)) {' 'if (true) {'
try "the gate obeys everyone" src/gate/gate_input.c 'joint->owner != from->source) {' 'joint->owner != from->source && joint->owner < -1) {'
try "warnings are not limited" src/base/log.c 'age_ns < LIMIT_NS' 'age_ns < 0'
exit $missed
