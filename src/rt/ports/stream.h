/** @file
 *  Internal: a ring of bytes for the messages of many outputs, in the order in which they were
 * sent. It holds what messages use, not what they have room for. Any number of writers, one reader;
 *  neither waits for the other. When it is full, new messages are refused.
 *
 *  Records follow each other, each with a header of eight bytes, which is zero until the record is
 *  complete. The reader clears what it has read, so a header is zero before it is written. When it
 *  has read everything, the ring begins again: while it keeps up, a short part is used, which stays
 *  in the caches. */
#ifndef SN_RT_PORTS_STREAM_H
#define SN_RT_PORTS_STREAM_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/reclaim.h"
#include "sinew/api.h"

/** Tags of records are below. */
#define SN__STREAM_TAGS UINT16_MAX

typedef struct sn__stream {
  sn__retired retired;
  uint8_t *bytes; /**< [size] */
  uint64_t size;  /**< a multiple of 8 */

  alignas(64) _Atomic uint64_t head; /**< bytes taken so far; of the writers */
  _Atomic uint64_t tail_seen;        /**< lower bound of the tail, as the writers know it */

  alignas(64) _Atomic uint64_t tail; /**< bytes read so far; the reader's */
} sn__stream;

/** @param size  bytes; all are written once, so that no cycle is the first to touch a page
 *  @return NULL if memory runs out */
sn__stream *sn__stream_create(size_t size);

/** Free it at once. No thread may use it any more. */
void sn__stream_destroy(sn__stream *stream);

/** The largest content of a record that always fits into an empty ring. */
size_t sn__stream_content_max(const sn__stream *stream);

/** Take room for a record; others may be written meanwhile, but are not read before this one.
 *  @param content  its bytes
 *  @return where its content belongs, aligned to 8; NULL: the ring is full
 *  RT: yes.  Threads: any. */
void *sn__stream_begin(sn__stream *stream, size_t content) SN_RT;

/** The record that begins at @p content is complete. RT: yes.  Threads: its writer.
 *  @param tag  below SN__STREAM_TAGS */
void sn__stream_end(void *content, size_t size, uint16_t tag) SN_RT;

/** The oldest record.
 *  @return its content, valid until sn__stream_drop(); NULL: there is none
 *  RT: yes.  Threads: the reader. */
const void *sn__stream_look(sn__stream *stream, uint16_t *tag) SN_RT;

/** Remove the record of the last look. RT: yes, O(its size).  Threads: the reader. */
void sn__stream_drop(sn__stream *stream) SN_RT;

/** Bytes taken so far. What was sent before is read once the tail has reached it. */
uint64_t sn__stream_head(const sn__stream *stream);
bool sn__stream_has_reached(const sn__stream *stream, uint64_t head);

#endif
