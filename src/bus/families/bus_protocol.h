/** @file
 *  Packets of servos on a serial bus: one description of what is asked and of what comes back, and
 *  a table of functions for each family's bytes. Pure: no port, no clock, no memory.
 *
 *  Families: Dynamixel Protocol 2.0, Feetech STS (little-endian) and SCS (big-endian), HerkuleX
 *  DRS-0101 and DRS-0201. Values within the data stay bytes here; servo_family.h knows registers.
 */
#ifndef SN_BUS_FAMILIES_BUS_PROTOCOL_H
#define SN_BUS_FAMILIES_BUS_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"

SN_BEGIN_DECLS

#define SN_BUS_PACKET_MAX 512 /**< bytes of any packet that is built or accepted */
#define SN_BUS_ITEMS_MAX 64   /**< servos that one request can name */
#define SN_BUS_BROADCAST 0xFE /**< the id that every servo listens to */

/** An address of HerkuleX's permanent registers (EEP): this plus the register. Below are the
 *  volatile ones (RAM). */
#define SN_BUS_EEP 0x100

typedef enum sn_bus_kind {
  SN_BUS_PING,
  SN_BUS_READ,
  SN_BUS_WRITE,
  SN_BUS_SYNC_READ,      /**< the same registers of several servos, one request */
  SN_BUS_FAST_SYNC_READ, /**< likewise, and one packet for all answers */
  SN_BUS_SYNC_WRITE,     /**< likewise; nobody answers */
  SN_BUS_BULK_READ,      /**< registers of their own for each servo */
  SN_BUS_BULK_WRITE,
  SN_BUS_JOG, /**< HerkuleX: goals for several servos, 3 bytes each: position, low byte first, and
                   the flags of the manual's SET byte */
  SN_BUS_REBOOT
} sn_bus_kind;

/** `ping`, `sync read`, …; static. RT: yes. */
const char *sn__bus_kind_text(sn_bus_kind kind) SN_RT;

/** One servo of a request. */
typedef struct sn_bus_item {
  uint8_t id;
  uint16_t address; /**< of the first register; ping, jog and reboot: not read */
  uint16_t size;    /**< bytes; of a jog 3 */
} sn_bus_item;

/** What is asked. Ping, read, write and reboot name one servo; a sync request has the same address
 *  and size in each item. */
typedef struct sn_bus_request {
  sn_bus_kind kind;
  size_t count; /**< items, 1 .. SN_BUS_ITEMS_MAX */
  const sn_bus_item *items;
  const uint8_t *data; /**< what is written: the items' bytes one after another */
  uint8_t play_time;   /**< of a jog, in the servo's ticks of 11.2 ms */
} sn_bus_request;

/** What a servo complains about, the same bits for each family. */
enum {
  SN_SERVO_FAULT_VOLTAGE = 1,
  SN_SERVO_FAULT_TEMPERATURE = 2,
  SN_SERVO_FAULT_OVERLOAD = 4,
  SN_SERVO_FAULT_POSITION = 8,    /**< sensor, or position out of the servo's own limits */
  SN_SERVO_FAULT_ELECTRICAL = 16, /**< driver stage or current */
  SN_SERVO_FAULT_MEMORY = 32,     /**< permanent registers damaged */
  SN_SERVO_FAULT_REFUSED = 64,    /**< it did not do what the packet said */
  SN_SERVO_FAULT_ALERT = 128      /**< Dynamixel: read the hardware error register for the reason */
};

/** `overload`, … of one bit above; static. RT: yes. */
SN_API const char *sn__servo_fault_text(unsigned fault) SN_RT;

/** What a servo answered. */
typedef struct sn_bus_status {
  uint8_t id;
  uint8_t command;     /**< HerkuleX: what is answered; others 0 */
  uint8_t error;       /**< as on the wire */
  unsigned faults;     /**< SN_SERVO_FAULT_… */
  uint16_t address;    /**< HerkuleX: of the registers read; others 0 */
  const uint8_t *data; /**< within the bytes parsed */
  size_t size;
} sn_bus_status;

typedef enum sn_bus_parse {
  SN_BUS_MORE,    /**< may become a packet: more bytes are needed */
  SN_BUS_PACKET,  /**< a status packet with the right checksum */
  SN_BUS_GARBAGE, /**< no packet begins in the first bytes: drop them */
  SN_BUS_CHECKSUM /**< looks like a packet, its checksum is wrong: drop its first byte, a true
                       packet may begin within it */
} sn_bus_parse;

/** One family's bytes; constant data. */
typedef struct sn_bus_protocol {
  const char *name;
  uint8_t id_max;
  size_t packet_max;  /**< bytes that a servo takes at once */
  bool acks_writes;   /**< a write to one servo is answered (as delivered by the maker) */
  bool has_weak_sum;  /**< eight bits or fewer: two damaged bytes may pass */
  unsigned kinds;     /**< which requests there are: 1 << sn_bus_kind */
  size_t status_size; /**< bytes of an answer without data */
  size_t read_extra;  /**< bytes of the answer to a read beside its data and status_size */
  size_t parts_head;  /**< of the answer to a fast sync read: bytes before the first part */
  size_t part_size;   /**< bytes of a part beside its data */
  size_t ping_size;   /**< data bytes of the answer to a ping */
  /** @return bytes written; 0: there is no such request or it does not fit. */
  size_t (*build)(const sn_bus_request *request, uint8_t *out, size_t size) SN_RT;
  /** Look at the first of @p count bytes. @p bytes may be changed where it is a packet.
   *  @param size_max  a longer packet is none that was asked for
   *  @param used      how many bytes are done with; 0 if more are needed */
  sn_bus_parse (*parse)(uint8_t *bytes, size_t count, size_t size_max, size_t *used,
                        sn_bus_status *status) SN_RT;
  /** Look at part @p index of the one packet that answers a fast sync read, from its first byte on;
   *  the parts before it were right. NULL: there is no such request.
   *  @return SN_BUS_GARBAGE: no such packet begins here; SN_BUS_CHECKSUM: this part, and so all
   *          behind it, cannot be read */
  sn_bus_parse (*parse_part)(const sn_bus_request *request, size_t index, const uint8_t *bytes,
                             size_t count, sn_bus_status *status) SN_RT;
  /** The answer byte of HerkuleX to this kind; others 0. */
  uint8_t (*command_of)(const sn_bus_request *request) SN_RT;
} sn_bus_protocol;

extern const sn_bus_protocol sn_bus_dynamixel; /**< Protocol 2.0 */
extern const sn_bus_protocol sn_bus_feetech;   /**< STS, SMS and SCS */
extern const sn_bus_protocol sn_bus_herkulex;  /**< DRS-0101, DRS-0201 */

/** Is it a request at all: a known kind, ids of servos, sizes that fit?
 *  RT: yes.  Threads: any. */
bool sn__bus_request_is_valid(const sn_bus_protocol *protocol, const sn_bus_request *request) SN_RT;

/** How many servos answer. RT: yes. */
size_t sn__bus_reply_count(const sn_bus_protocol *protocol, const sn_bus_request *request) SN_RT;

/** Bytes of the answer of item @p index, without stuffing. RT: yes. */
size_t sn__bus_reply_size(const sn_bus_protocol *protocol, const sn_bus_request *request,
                          size_t index) SN_RT;

/** Is this what item @p index must answer: the id, the size, the registers?
 *  An answer that says "refused" carries no data and counts too. RT: yes. */
bool sn__bus_status_answers(const sn_bus_protocol *protocol, const sn_bus_request *request,
                            size_t index, const sn_bus_status *status) SN_RT;

SN_END_DECLS

#endif
