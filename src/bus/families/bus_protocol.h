/** @file
 *  Packets of servos on a serial bus: a common description of requests and answers, and a
 *  table of functions for the encoding of each family. Pure: no port, no clock, no memory.
 *
 *  Families: Dynamixel Protocol 2.0, Feetech STS (little-endian) and SCS (big-endian), HerkuleX
 *  DRS-0101 and DRS-0201. Data stays raw bytes here; servo_family.h interprets registers.
 */
#ifndef SN_BUS_FAMILIES_BUS_PROTOCOL_H
#define SN_BUS_FAMILIES_BUS_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"

SN_BEGIN_DECLS

#define SN_BUS_PACKET_MAX 512 /**< bytes of the longest packet */
#define SN_BUS_ITEMS_MAX 64   /**< servos in one request */
#define SN_BUS_BROADCAST 0xFE /**< the id that every servo listens to */

/** An address of HerkuleX's permanent registers (EEP): this plus the register. Below are the
 *  volatile ones (RAM). */
#define SN_BUS_EEP 0x100

typedef enum sn_bus_kind {
  SN_BUS_PING,
  SN_BUS_READ,
  SN_BUS_WRITE,
  SN_BUS_SYNC_READ,      /**< the same registers of several servos, one request */
  SN_BUS_FAST_SYNC_READ, /**< likewise, with one packet for all answers */
  SN_BUS_SYNC_WRITE,     /**< likewise; without an answer */
  SN_BUS_BULK_READ,      /**< different registers of each servo */
  SN_BUS_BULK_WRITE,
  SN_BUS_JOG, /**< HerkuleX: goals for several servos, 3 bytes each: position, low byte first, and
                   the flags of the manual's SET byte */
  SN_BUS_REBOOT
} sn_bus_kind;

/** One servo of a request. */
typedef struct sn_bus_item {
  uint8_t id;
  uint16_t address; /**< of the first register; ping, jog and reboot: not read */
  uint16_t size;    /**< bytes; of a jog 3 */
} sn_bus_item;

/** A request. Ping, read, write and reboot name one servo; a sync request has the same address
 *  and size in each item. */
typedef struct sn_bus_request {
  sn_bus_kind kind;
  size_t count; /**< items, 1 .. SN_BUS_ITEMS_MAX */
  const sn_bus_item *items;
  const uint8_t *data; /**< to write: the bytes of the items in order */
  uint8_t play_time;   /**< of a jog, in the servo's ticks of 11.2 ms */
} sn_bus_request;

/** Faults reported by a servo, the same bits for each family. */
enum {
  SN_SERVO_FAULT_VOLTAGE = 1,
  SN_SERVO_FAULT_TEMPERATURE = 2,
  SN_SERVO_FAULT_OVERLOAD = 4,
  SN_SERVO_FAULT_POSITION = 8,    /**< sensor, or position out of the limits set in the servo */
  SN_SERVO_FAULT_ELECTRICAL = 16, /**< driver stage or current */
  SN_SERVO_FAULT_MEMORY = 32,     /**< permanent registers damaged */
  SN_SERVO_FAULT_REFUSED = 64,    /**< it rejected the request */
  SN_SERVO_FAULT_ALERT = 128      /**< Dynamixel: read the hardware error register for the reason */
};

/** `overload`, … of one bit above; static. RT: yes. */
SN_API const char *sn__servo_fault_text(unsigned fault) SN_RT;

/** The answer of a servo. */
typedef struct sn_bus_status {
  uint8_t id;
  uint8_t command;     /**< HerkuleX: command that is answered; others 0 */
  uint8_t error;       /**< as on the wire */
  unsigned faults;     /**< SN_SERVO_FAULT_… */
  uint16_t address;    /**< HerkuleX: of the registers read; others 0 */
  const uint8_t *data; /**< within the bytes parsed */
  size_t size;
} sn_bus_status;

typedef enum sn_bus_parse {
  SN_BUS_MORE,    /**< may become a packet: more bytes are needed */
  SN_BUS_PACKET,  /**< a status packet with the right checksum */
  SN_BUS_GARBAGE, /**< no packet starts in the first bytes: drop them */
  SN_BUS_CHECKSUM /**< a packet with a wrong checksum: drop its first byte, a valid packet may
                   *  start inside it */
} sn_bus_parse;

/** Encoding of one family; constant data. */
typedef struct sn_bus_protocol {
  const char *name;
  uint8_t id_max;
  size_t packet_max;  /**< longest packet that a servo accepts */
  bool acks_writes;   /**< a write to one servo is answered (factory setting) */
  bool has_weak_sum;  /**< eight bits or fewer: two damaged bytes may pass */
  unsigned kinds;     /**< supported requests: 1 << sn_bus_kind */
  size_t status_size; /**< bytes of an answer without data */
  size_t read_extra;  /**< additional bytes of the answer to a read */
  size_t parts_head;  /**< of the answer to a fast sync read: bytes before the first part */
  size_t part_size;   /**< bytes of a part without its data */
  size_t ping_size;   /**< data bytes of the answer to a ping */
  /** @return bytes written; 0: not supported, or it does not fit. */
  size_t (*build)(const sn_bus_request *request, uint8_t *out, size_t size) SN_RT;
  /** Parse the first of @p count bytes. The bytes of a packet may be modified.
   *  @param size_max  longer packets are rejected
   *  @param used      bytes consumed; 0 if more are needed */
  sn_bus_parse (*parse)(uint8_t *bytes, size_t count, size_t size_max, size_t *used,
                        sn_bus_status *status) SN_RT;
  /** Parse part @p index of the packet that answers a fast sync read, from its first byte; the
   *  parts before it were valid. NULL: not supported.
   *  @return SN_BUS_GARBAGE: no such packet starts here; SN_BUS_CHECKSUM: this part and all later
   *  ones are damaged */
  sn_bus_parse (*parse_part)(const sn_bus_request *request, size_t index, const uint8_t *bytes,
                             size_t count, sn_bus_status *status) SN_RT;
  /** The answer byte of HerkuleX to this kind; others 0. */
  uint8_t (*command_of)(const sn_bus_request *request) SN_RT;
} sn_bus_protocol;

extern const sn_bus_protocol sn_bus_dynamixel; /**< Protocol 2.0 */
extern const sn_bus_protocol sn_bus_feetech;   /**< STS, SMS and SCS */
extern const sn_bus_protocol sn_bus_herkulex;  /**< DRS-0101, DRS-0201 */

/** Is the request valid: a known kind, valid ids, sizes that fit?
 *  RT: yes.  Threads: any. */
bool sn__bus_request_is_valid(const sn_bus_protocol *protocol, const sn_bus_request *request) SN_RT;

/** Number of servos that answer. RT: yes. */
size_t sn__bus_reply_count(const sn_bus_protocol *protocol, const sn_bus_request *request) SN_RT;

/** Bytes of the answer of item @p index, without stuffing. RT: yes. */
size_t sn__bus_reply_size(const sn_bus_protocol *protocol, const sn_bus_request *request,
                          size_t index) SN_RT;

/** Does this answer match item @p index: id, size, registers? An answer that reports "refused" has
 *  no data and matches, too. RT: yes. */
bool sn__bus_status_answers(const sn_bus_protocol *protocol, const sn_bus_request *request,
                            size_t index, const sn_bus_status *status) SN_RT;

/** What an error byte means. @param faults  of each bit, the lowest first.  RT: yes */
static inline unsigned sn__bus_faults_of(uint8_t error, const unsigned faults[8]) {
  unsigned found = 0;
  for (size_t bit = 0; bit < 8; bit++) {
    found |= (error >> bit & 1) != 0 ? faults[bit] : 0;
  }
  return found;
}

/** No packet begins at the first byte: skip it. RT: yes */
static inline sn_bus_parse sn__bus_skip_byte(size_t *used, sn_bus_parse why) {
  *used = 1;
  return why;
}

SN_END_DECLS

#endif
