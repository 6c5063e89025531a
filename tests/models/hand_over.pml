/* When a hand-over takes effect, src/arbiter/hand_over.c: two limbs, and controllers that are
   stepped in any order and may request limbs in the middle of a cycle, also from the hook that
   reports a loss. At the end of every cycle each limb has been commanded by the controller that the
   gate takes for its owner.
   BROKEN=1: all consequences of a request are shown at once, instead of at the end of the cycle.
   BROKEN=2: a request from the hook that reports a loss is answered at once. */
#ifndef BROKEN
#define BROKEN 0
#endif
#define LIMBS 2
#define CONTROLLERS 3
#define HOLD 0 /* the fallback: owns what nobody else does */
#define WALK 1 /* all or nothing */
#define LOOK 2 /* keeps what is left */
#define CYCLES 3
#define HAS(set, limb) (((set) >> (limb)) & 1)

byte owned[LIMBS]; /* as decided */
byte shown[LIMBS]; /* as controllers and gate know it */
bool has_commanded[CONTROLLERS * LIMBS];
byte claims[CONTROLLERS]; /* sets that wait for the end of the cycle */
bool was_stepped[CONTROLLERS];

/* The latest request wins. What the controller had and does not name falls back; with all or
   nothing a controller that loses a limb releases the other. */
inline decide(who, set) {
  d_step {
    walk_lost = false;
    limb = 0;
    do
    :: limb == LIMBS -> break
    :: else ->
       if
       :: HAS(set, limb) ->
          walk_lost = walk_lost || (owned[limb] == WALK && who != WALK);
          owned[limb] = who
       :: !HAS(set, limb) && owned[limb] == who -> owned[limb] = HOLD
       :: else
       fi;
       limb++
    od;
    limb = 0;
    do
    :: limb == LIMBS -> break
    :: else ->
       if
       :: walk_lost && owned[limb] == WALK -> owned[limb] = HOLD
       :: else
       fi;
       limb++
    od
  }
}

/* give_now(): the controller commands what it got in this very step. */
inline give(who, set) {
  d_step {
    loser = CONTROLLERS;
    limb = 0;
    do
    :: limb == LIMBS -> break
    :: else ->
       if
       :: HAS(set, limb) && owned[limb] == who && shown[limb] != who ->
          loser = shown[limb];
          shown[limb] = who
#if BROKEN == 1
       :: !(HAS(set, limb) && owned[limb] == who) -> shown[limb] = owned[limb]
#endif
       :: else
       fi;
       limb++
    od
  }
}

/* A controller that lost a limb may request others from its hook; it may have been stepped before. */
inline report_loss() {
  if
  :: loser == CONTROLLERS || loser == HOLD
  :: else ->
     if
     :: true
     :: true ->
        select(again : 1 .. 3);
#if BROKEN == 2
        who = loser; /* give() reports the next loser */
        decide(who, again);
        give(who, again)
#else
        claims[loser] = again
#endif
     fi
  fi
}

inline command(who) {
  d_step {
    limb = 0;
    do
    :: limb == LIMBS -> break
    :: else -> has_commanded[who * LIMBS + limb] = (shown[limb] == who); limb++
    od
  }
}

inline step(who) {
  was_stepped[who] = true;
  if
  :: true
  :: who != HOLD -> /* also nothing, which releases all */
     select(set : 0 .. 3);
     decide(who, set);
     give(who, set);
     report_loss()
  fi;
  command(who)
}

inline step_all() {
  do
  :: !was_stepped[HOLD] -> step(HOLD)
  :: !was_stepped[WALK] -> step(WALK)
  :: !was_stepped[LOOK] -> step(LOOK)
  :: was_stepped[HOLD] && was_stepped[WALK] && was_stepped[LOOK] -> break
  od
}

inline begin_cycle() {
  d_step {
    shown[0] = owned[0]; shown[1] = owned[1];
    was_stepped[HOLD] = false; was_stepped[WALK] = false; was_stepped[LOOK] = false;
    limb = 0;
    do
    :: limb == CONTROLLERS * LIMBS -> break
    :: else -> has_commanded[limb] = false; limb++
    od
  }
}

inline answer_claims() {
  who = WALK;
  do
  :: who == CONTROLLERS -> break
  :: else ->
     if
     :: claims[who] != 0 -> decide(who, claims[who]); claims[who] = 0
     :: else
     fi;
     who++
  od
}

active proctype cycles() {
  byte limb, set, again, loser, who, count = 0;
  bool walk_lost;
  do
  :: count == CYCLES -> break
  :: else ->
     begin_cycle();
     step_all();
     assert(has_commanded[shown[0] * LIMBS]);
     assert(has_commanded[shown[1] * LIMBS + 1]);
     answer_claims();
     count++
  od
}
