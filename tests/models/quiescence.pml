/* Reclaiming of src/rt/reclaim.c: what was removed from the lists is freed only when no cycle can
   still use it. A cycle makes its number odd, reads the list, uses the object, makes it even.
   BROKEN=1: the manager looks at the cycle before it removes the object.
   BROKEN=2: the cycle reads the list before it makes its number odd. */
#ifndef BROKEN
#define BROKEN 0
#endif
#define CYCLES 3
#define OBJECTS 4

byte cycle = 0;
byte listed = 0; /* the object in the list; the next one replaces it */
bool is_freed[OBJECTS];

proctype activity() {
  byte used, count = 0;
  do
  :: count == CYCLES -> break
  :: else ->
#if BROKEN == 2
     used = listed;
     cycle++;
#else
     cycle++;
     used = listed;
#endif
     assert(!is_freed[used]); /* twice: for as long as it is used */
     assert(!is_freed[used]);
     cycle++;
     count++
  od
}

proctype manager() {
  byte seen, old;
  do
  :: listed == OBJECTS - 1 -> break
  :: else ->
     old = listed;
#if BROKEN == 1
     seen = cycle;
     listed = old + 1;
#else
     listed = old + 1;
     seen = cycle;
#endif
     if
     :: seen % 2 == 0
     :: else -> cycle != seen /* waits */
     fi;
     is_freed[old] = true
  od
}

init { atomic { run activity(); run manager() } }
