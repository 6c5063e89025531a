/* Jobs of src/rt/components/jobs.c: callers queue jobs, the owner runs them, a caller may give up at
   any moment. A job runs at most once for each time that it is queued; a caller that was told that
   its job is done finds the outcome; no job stays out of the pool for ever, and none is lost in the
   list: the owner always gets to it after the wake-up.
   BROKEN=1: the owner is woken before the job is linked.
   BROKEN=2: the owner does not check whether the caller has given up when it is done. */
#ifndef BROKEN
#define BROKEN 0
#endif
#define CALLERS 2
#define ROUNDS 2
#define STUB CALLERS /* jobs are numbered 0 to CALLERS - 1 */
#define NONE 255

mtype = { Free, Claimed, Queued, Running, Done, Abandoned }

mtype state[CALLERS];
byte next[CALLERS + 1] = NONE;
byte newest = STUB;
byte oldest = STUB; /* the owner's */
byte runs[CALLERS]; /* since the job was queued: its outcome */
bool is_awake = false;
byte left = CALLERS;

inline link_newest(job) {
  next[job] = NONE;
  atomic { before = newest; newest = job }
  next[before] = job
}

/* One caller for each job: a job in use is waited for instead of taking another. */
proctype caller(byte me) {
  byte before, round = 0;
  do
  :: round == ROUNDS -> break
  :: else ->
     atomic { state[me] == Free -> state[me] = Claimed }
     runs[me] = 0;
     state[me] = Queued;
#if BROKEN == 1
     is_awake = true;
     link_newest(me);
#else
     link_newest(me);
     is_awake = true;
#endif
     if
     :: atomic { state[me] == Done -> assert(runs[me] == 1) } state[me] = Free
     :: atomic { state[me] == Queued -> state[me] = Abandoned }  /* the time is over */
     :: atomic { state[me] == Running -> state[me] = Abandoned }
     fi;
     round++
  od;
  left--
}

inline pop() {
  taken = NONE;
  first = oldest;
  after = next[first];
  if
  :: first == STUB && after != NONE -> oldest = after; first = after; after = next[first]
  :: else
  fi;
  if
  :: first == STUB -> skip /* none */
  :: first != STUB && after != NONE -> oldest = after; taken = first
  :: else -> /* the last one: append the stub, so that it can be removed */
     if
     :: newest != first -> skip /* not linked yet */
     :: else ->
        link_newest(STUB);
        after = next[first];
        if
        :: after == NONE -> skip
        :: else -> oldest = after; taken = first
        fi
     fi
  fi
}

proctype owner() {
  byte first, after, before, taken;
  bool is_done;
end:
  do
  :: atomic { is_awake -> is_awake = false }
     do
     :: pop();
        if
        :: taken == NONE -> break
        :: else ->
           is_done = false;
           if
           :: atomic { state[taken] == Queued -> state[taken] = Running }
              runs[taken]++;
              assert(runs[taken] == 1);
#if BROKEN == 2
              state[taken] = Done; is_done = true
#else
              atomic {
                if
                :: state[taken] == Running -> state[taken] = Done; is_done = true
                :: else
                fi
              }
#endif
           :: atomic { else -> assert(state[taken] == Abandoned) }
           fi;
           if
           :: is_done
           :: else -> state[taken] = Free
           fi
        fi
     od
  od
}

/* Nothing can happen any more. */
proctype judge() {
  timeout -> assert(left == 0 && state[0] == Free && state[1] == Free)
}

init {
  atomic {
    state[0] = Free; state[1] = Free;
    run owner(); run caller(0); run caller(1); run judge()
  }
}
