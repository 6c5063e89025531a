/** @file
 *  What the tests of mcap share. */
#ifndef SN_MCAP_RIG_H
#define SN_MCAP_RIG_H

#include "mcap_bytes.h"
#include "sinew/msg_types.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

extern sn_arena mcap_rig_arena;
extern mcap_bytes mcap_rig_file;
extern sn_error mcap_rig_err;

int mcap_rig_set_up(void **state);

int mcap_rig_tear_down(void **state);

sn_mcap_writer *mcap_rig_create_writer(sn_mcap_writer_config config);

size_t mcap_rig_add_channel(sn_mcap_writer *writer, const char *topic, const sn_msg_type *type);

sn_mcap_reader *mcap_rig_create_reader(const sn_mcap_reader_config *config);

void mcap_rig_read_next(sn_mcap_reader *reader, sn_mcap_message *message);

void mcap_rig_expect_end(sn_mcap_reader *reader);

/** A message with this number in it. */
sn_timer_event mcap_rig_tick(uint64_t cycle);

/** Messages of two channels in turn, one a millisecond. */
void mcap_rig_write_ticks(sn_mcap_writer *writer, size_t from, size_t to);

sn_mcap_writer *mcap_rig_write_two_topics(size_t count, sn_mcap_writer_config config);

#endif
