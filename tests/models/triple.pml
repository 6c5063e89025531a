/* The triple buffer of src/rt/ports/triple.h: one writer, one reader.
   No slot is written while it is read, nothing older arrives after something newer, and a reader
   that comes after the last message gets it.
   BROKEN=1: publishing is a load and a store instead of an exchange.
   BROKEN=2: the reader leaves no slot behind. */
#ifndef BROKEN
#define BROKEN 0
#endif
#define MESSAGES 4
#define FRESH 4
#define INDEX(value) ((value) & 3)

typedef slot { byte first, last; } /* a message is written and read in two steps */

slot slots[3];
byte middle = 1;
byte back = 2;
byte front = 0;
bool has_ended = false;

proctype writer() {
  byte message = 1, old;
  do
  :: message > MESSAGES -> break
  :: else ->
     slots[back].first = message;
     slots[back].last = message;
#if BROKEN == 1
     old = middle;
     middle = back | FRESH;
#else
     atomic { old = middle; middle = back | FRESH }
#endif
     back = INDEX(old);
     message++
  od;
  has_ended = true
}

inline take_and_read() {
  if
  :: (middle & FRESH) == 0
  :: else ->
#if BROKEN == 2
     atomic { old = middle; middle = INDEX(old) }
#else
     atomic { old = middle; middle = front }
#endif
     front = INDEX(old);
     got = slots[front].first;
     assert(got > latest);
     latest = got;
     assert(slots[front].last == got)
  fi
}

proctype reader() {
  byte old, got, latest = 0;
  bool was_ended;
  do
  :: was_ended = has_ended;
     take_and_read();
     if
     :: was_ended -> break
     :: else
     fi
  od;
  assert(latest == MESSAGES)
}

init { atomic { run writer(); run reader() } }
