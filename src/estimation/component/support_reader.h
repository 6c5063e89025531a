/** @file
 *  Internal: contacts of feet from a SupportState: measured by sensors, or commanded. */
#ifndef SN_ESTIMATION_COMPONENT_SUPPORT_READER_H
#define SN_ESTIMATION_COMPONENT_SUPPORT_READER_H

#include "estimation/limb_feet.h"
#include "msg/name_map.h"

/** Read the array; the rest is private. */
typedef struct sn__support_reader {
  sn__name_map names;
  bool has_message;
  bool *touches; /**< [foot_count] */
} sn__support_reader;

/** @return false: no memory.  RT: no. */
bool sn__support_reader_init(sn__support_reader *reader, sn_arena *arena,
                             const sn__limb_feet *feet);

/** Take a message. More than 0.5 counts as contact; a chain that it does not name has none.
 *  @param sets_contacts  the feet get the contacts that it names
 *  @param unknown        out: it names an unknown chain or contact
 *  @return the verdict; a bad message is ignored.  RT: yes. */
sn__read_verdict sn__support_reader_take(sn__support_reader *reader, const sn_support_state *msg,
                                         sn__limb_feet *feet, bool sets_contacts,
                                         bool *unknown) SN_RT;

#endif
