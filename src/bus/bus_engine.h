/** @file
 *  One serial bus as a state machine: it sends one request at a time, collects answers and
 *  retries what is missing. Bytes and time are arguments, so the same code runs on a real port and
 *  in a test that makes millions of exchanges a minute.
 *
 *      begin → output/wrote (until all is out) → input, step (until SN_BUS_DONE)
 *
 *  RT: yes, all functions.  Threads: one owner. */
#ifndef SN_BUS_BUS_ENGINE_H
#define SN_BUS_BUS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bus/families/bus_protocol.h"
#include "sinew/api.h"

SN_BEGIN_DECLS

/** Zero means the default. */
typedef struct sn_bus_engine_config {
  const sn_bus_protocol *protocol; /**< no default */
  int64_t baud;                    /**< bits a second; no default */
  int64_t answer_ns; /**< how long the line may be silent before an answer counts as missing: the
                          servo's own delay and the adapter's; 2 ms */
  int retries;       /**< of a failed exchange; 1 .. 10; negative: none, 0: 2 */
} sn_bus_engine_config;

/** Counters since the start. */
typedef struct sn_bus_stats {
  uint64_t exchanges;     /**< requests sent, including retries */
  uint64_t retries;       /**< further tries */
  uint64_t answers;       /**< accepted */
  uint64_t missing;       /**< still missing after all tries */
  uint64_t damaged;       /**< packets with a wrong checksum */
  uint64_t spoilt;        /**< runs of bytes outside of any packet, caused by noise */
  uint64_t garbage_bytes; /**< bytes outside of any packet */
  uint64_t strays;        /**< valid packets that were not requested: from another servo, or late */
  uint64_t sent_bytes, received_bytes;
  uint64_t echo_bytes;                    /**< sent bytes that the adapter echoed */
  int64_t busy_ns;                        /**< time that the bytes took on the wire */
  int64_t latency_sum_ns, latency_max_ns; /**< from the last byte of the request to an answer's */
} sn_bus_stats;

typedef enum sn_bus_event_kind {
  SN_BUS_ANSWER,  /**< `item` has answered: `status` */
  SN_BUS_MISSING, /**< `item` has not answered after all tries */
  SN_BUS_DONE     /**< the exchange has ended; `answered` of its items have answered */
} sn_bus_event_kind;

typedef struct sn_bus_event {
  sn_bus_event_kind kind;
  size_t item;          /**< index in the request given to begin */
  sn_bus_status status; /**< its data is valid until the next call */
  unsigned tries;       /**< requests sent to `item` */
  unsigned damaged;     /**< packets with a wrong checksum where its answer should have been */
  size_t answered;
} sn_bus_event;

/** A value; treat the fields as private. */
typedef struct sn_bus_engine {
  sn_bus_engine_config config;
  int64_t byte_ns;
  enum { SN_BUS_IDLE, SN_BUS_SENDING, SN_BUS_WAITING, SN_BUS_ENDING } state;
  uint8_t stray_id,
      stray_for; /**< the id that answered last in place of another, and that other id */
  bool listens;  /**< accepts every packet until the line is silent */
  sn_bus_request request;
  sn_bus_item items[SN_BUS_ITEMS_MAX];
  size_t item_index[SN_BUS_ITEMS_MAX]; /**< of each item left, in the caller's request */
  bool has_answered[SN_BUS_ITEMS_MAX];
  unsigned damaged_of[SN_BUS_ITEMS_MAX]; /**< by the index in the caller's request */
  size_t next_item, answered, reported;
  int tries;
  int64_t until_ns;                /**< no further try ends later */
  int64_t sent_ns;                 /**< when the last byte is on the wire */
  int64_t active_ns;               /**< time of the last activity on the line */
  uint8_t data[SN_BUS_PACKET_MAX]; /**< of the request */
  uint8_t out[SN_BUS_PACKET_MAX];
  size_t out_count, out_done;
  size_t reply_max; /**< bytes of the longest answer */
  size_t echo_left; /**< bytes of the echo not yet received */
  bool is_spoilt;   /**< the last byte belonged to no packet */
  bool is_broken;   /**< the rest of a fast sync read cannot be parsed */
  bool may_echo;    /**< every byte so far matches an echo */
  bool echoes;      /**< the adapter echoes what is sent */
  uint8_t in[2 * SN_BUS_PACKET_MAX];
  size_t in_count, in_used; /**< the last packet's bytes, dropped by the next call */
  sn_bus_stats stats;
} sn_bus_engine;

SN_API void sn__bus_engine_init(sn_bus_engine *engine, const sn_bus_engine_config *config) SN_RT;

/** Time on the wire of an exchange without errors; 0 if the request is invalid. */
int64_t sn__bus_engine_duration_ns(const sn_bus_engine *engine,
                                   const sn_bus_request *request) SN_RT;

/** Start an exchange; the request is copied.
 *  @param until_ns  deadline of the exchange; INT64_MAX: none
 *  @return false if the request is invalid or the last exchange is still running */
SN_API bool sn__bus_engine_begin(sn_bus_engine *engine, const sn_bus_request *request,
                                 int64_t now_ns, int64_t until_ns) SN_RT;

/** As begin, but without retries; accepts packets until the line is silent. Finds all servos that
 *  answer a broadcast, and two servos with one id. */
SN_API bool sn__bus_engine_listen(sn_bus_engine *engine, const sn_bus_request *request,
                                  int64_t now_ns, int64_t until_ns) SN_RT;

/** Bytes to be sent now. */
const uint8_t *sn__bus_engine_output(const sn_bus_engine *engine, size_t *count) SN_RT;
/** The port accepted @p count of them. */
void sn__bus_engine_wrote(sn_bus_engine *engine, size_t count, int64_t now_ns) SN_RT;
/** Received bytes. Bytes that do not fit are dropped (no servo sends so many), and so are bytes
 *  received before the request was sent. */
void sn__bus_engine_input(sn_bus_engine *engine, const uint8_t *bytes, size_t count,
                          int64_t now_ns) SN_RT;

/** The next event.
 *  @param now_ns  a time not later than the last read of the port: everything received until then
 *  was given to input. Otherwise a delayed caller would mistake unread bytes for silence.
 *  @return false if there is none yet */
SN_API bool sn__bus_engine_step(sn_bus_engine *engine, int64_t now_ns, sn_bus_event *event) SN_RT;

/** When step must be called even without new bytes; INT64_MAX if idle. */
int64_t sn__bus_engine_wake_ns(const sn_bus_engine *engine) SN_RT;
bool sn__bus_engine_is_idle(const sn_bus_engine *engine) SN_RT;

/** The port is gone: discard the exchange and all bytes. Keep the statistics. */
SN_API void sn__bus_engine_reset(sn_bus_engine *engine) SN_RT;

SN_END_DECLS

#endif
