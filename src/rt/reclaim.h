/** @file
 *  Internal: objects that were removed while a cycle may still access them. They are freed once
 *  every activity has been observed outside of a cycle. */
#ifndef SN_RT_RECLAIM_H
#define SN_RT_RECLAIM_H

/** First member of an object that can be retired. */
typedef struct sn__retired {
  struct sn__retired *next;
  void (*dispose)(struct sn__retired *what);
} sn__retired;

#endif
