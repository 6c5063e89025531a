/* The bounded queue of src/rt/ports/queue.c: one writer, one reader, both may take the oldest out.
   Messages arrive in order, each once; none changes while it is read; a slot to fill is always
   free; without DROP_OLDEST nothing that was taken is lost, with it the writer knows how many were.
   check: -DDROP_OLDEST=1
   check: -DDROP_OLDEST=0
   check: -DDROP_OLDEST=1 -DLENGTH=1
   check: -DDROP_OLDEST=0 -DLENGTH=1
   BROKEN=1: the writer drops the oldest by a store instead of a compare-exchange.
   BROKEN=2: one slot less. */
#ifndef BROKEN
#define BROKEN 0
#endif
#ifndef LENGTH
#define LENGTH 2
#endif
#ifndef DROP_OLDEST
#define DROP_OLDEST 1
#endif
#define MESSAGES 6
#if BROKEN == 2
#define SLOTS (LENGTH + 2)
#else
#define SLOTS (LENGTH + 3)
#endif
#define PLACES 8

byte head, tail, returned_head; /* shared */
byte waiting[PLACES], returned[PLACES];
byte slots[SLOTS]; /* the message in each */

byte back = 0, tail_seen, returned_tail, idle[SLOTS], idle_count; /* the writer's */
byte front = SLOTS - 1;                                           /* the reader's */

byte sent, dropped, received;
bool has_ended = false;

inline take_oldest(slot, was_taken) {
  seen = tail;
  do
  :: seen == head -> was_taken = false; break
  :: else ->
     slot = waiting[seen % PLACES];
#if BROKEN == 1
     tail = seen + 1; was_taken = true; break
#else
     atomic {
       if
       :: tail == seen -> tail = seen + 1; was_taken = true; break
       :: else -> seen = tail
       fi
     }
#endif
  od
}

inline take_free() {
  limit = returned_head;
  i = 0;
  do
  :: i == 2 || returned_tail == limit -> break
  :: else -> d_step {
       idle[idle_count] = returned[returned_tail % PLACES];
       idle_count++;
       returned_tail++;
       i++
     }
  od;
  assert(idle_count > 0);
  d_step { idle_count--; next = idle[idle_count] }
}

proctype writer() {
  byte message = 1, next, seen, limit, i;
  bool is_full, has_dropped;
  do
  :: message > MESSAGES -> break
  :: else ->
     slots[back] = message;
     if
     :: head - tail_seen >= LENGTH -> tail_seen = tail
     :: else
     fi;
     is_full = (head - tail_seen == LENGTH);
     if
     :: is_full && !DROP_OLDEST /* refused: the message was not sent */
     :: else ->
        has_dropped = false;
        if
        :: is_full -> take_oldest(next, has_dropped)
        :: else
        fi;
        if
        :: has_dropped -> dropped++
        :: else -> take_free()
        fi;
        waiting[head % PLACES] = back;
        head++;
        back = next;
        sent++
     fi;
     message++
  od;
  has_ended = true
}

proctype reader() {
  byte slot, seen, got, latest = 0;
  bool was_taken, was_ended;
  do
  :: was_ended = has_ended;
     take_oldest(slot, was_taken);
     if
     :: was_taken ->
        returned[returned_head % PLACES] = front;
        returned_head++;
        front = slot;
        got = slots[front];
        assert(got > latest);
        latest = got;
        assert(slots[front] == got);
        received++
     :: else ->
        if
        :: was_ended -> break
        :: else
        fi
     fi
  od;
  assert(received + dropped == sent);
  assert(DROP_OLDEST || dropped == 0)
}

init {
  d_step {
    byte slot = SLOTS - 2;
    do
    :: slot == 0 -> break
    :: else -> idle[idle_count] = slot; idle_count++; slot--
    od
  }
  atomic { run writer(); run reader() }
}
