/** @file
 *  Internal: things that were taken out of use while a cycle may still look at them. They are freed
 *  when every activity has been seen outside of a cycle since. */
#ifndef SN_RT_RECLAIM_H
#define SN_RT_RECLAIM_H

/** First member of what can be retired. */
typedef struct sn__retired {
  struct sn__retired *next;
  void (*dispose)(struct sn__retired *what);
} sn__retired;

#endif
