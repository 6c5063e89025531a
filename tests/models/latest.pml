/* The latest message of src/rt/ports/latest.h: one writer, two readers that share four slots.
   No slot is written while it is read, nothing older arrives after something newer, a slot is free
   for every message, and a reader that comes after the last message gets it.
   BROKEN=1: a reader looks which slot is the latest and counts itself in two steps.
   BROKEN=2: the writer does not learn how often the former message was taken.
   BROKEN=3: there is one slot more than readers. */
#ifndef BROKEN
#define BROKEN 0
#endif
#define MESSAGES 3
#define READERS 2
#if BROKEN == 3
#define SLOTS 3
#else
#define SLOTS 4
#endif

typedef slot { byte first, last, taken, returned } /* a message is written and read in two steps */

slot slots[SLOTS];
byte latest = 0;       /* the upper half of the word */
byte count = READERS;  /* the lower half: each reader has taken the first slot */
bool has_ended = false;

proctype writer() {
  byte message = 1, back, old, old_count;
  do
  :: message > MESSAGES -> break
  :: else ->
     back = 0;
     do
     :: back == SLOTS -> break
     :: back < SLOTS && back != latest && slots[back].taken == slots[back].returned -> break
     :: else -> back++
     od;
     assert(back < SLOTS);
     slots[back].first = message;
     slots[back].last = message;
     d_step { slots[back].taken = 0; slots[back].returned = 0 }
     atomic { old = latest; old_count = count; latest = back; count = 0 }
#if BROKEN != 2
     slots[old].taken = old_count;
#endif
     message++
  od;
  has_ended = true
}

inline take_and_read() {
  if
  :: latest == held
  :: else ->
     slots[held].returned++;
#if BROKEN == 1
     held = latest;
     count++;
#else
     atomic { held = latest; count++ }
#endif
     got = slots[held].first;
     assert(got > seen);
     seen = got;
     assert(slots[held].last == got)
  fi
}

proctype reader() {
  byte held = 0, got, seen = 0;
  bool was_ended;
  do
  :: was_ended = has_ended;
     take_and_read();
     if
     :: was_ended -> break
     :: else
     fi
  od;
  assert(seen == MESSAGES)
}

init { atomic { run writer(); run reader(); run reader() } }
