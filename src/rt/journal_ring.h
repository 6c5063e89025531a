/** @file
 *  Internal: the ring that entries of a journal lie in, each in one piece. One writer, one reader.
 */
#ifndef SN_RT_JOURNAL_RING_H
#define SN_RT_JOURNAL_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"

enum { SN__JOURNAL_RING_SIZE = 1 << 20, SN__JOURNAL_NAME_SIZE = 256 };

/** What precedes the name and the data of an entry. */
typedef struct sn__journal_head {
  uint32_t size; /**< of all of it, a multiple of 8 */
  uint8_t kind;  /**< 0: nothing, up to the end of the ring */
  bool is_exact;
  uint16_t name_size; /**< without NUL */
  uint32_t data_size;
  uint32_t activity; /**< index + 1; 0: none */
  uint64_t cycle, source;
  int64_t stamp_ns;
} sn__journal_head;

typedef struct sn__journal_ring {
  uint8_t *bytes;                 /**< SN__JOURNAL_RING_SIZE of them */
  _Atomic uint64_t written, read; /**< bytes, ever */
  _Atomic uint64_t lost;          /**< entries */
} sn__journal_ring;

/** What an entry says, before it is in a ring. */
typedef struct sn__journal_draft {
  sn__journal_head head;
  const char *name, *point; /**< `name.point` */
  const sn_msg_type *type;  /**< of the data, which is written as CDR; NULL: bytes */
  const void *data;
  size_t data_size; /**< of bytes */
} sn__journal_draft;

/** Put an entry in, or count it as lost. RT: yes, O(bytes).  Threads: the writer. */
void sn__journal_ring_put(sn__journal_ring *r, sn__journal_draft *d) SN_RT;

/** The next entry: its head, behind which are name and data; `read` goes on by its size when it was
 *  taken. @return NULL: there is none.  Threads: the reader. */
const uint8_t *sn__journal_ring_look(sn__journal_ring *r, sn__journal_head *h);

#endif
