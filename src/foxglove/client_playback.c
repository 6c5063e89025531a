/* A recording that is played: clients see its state, and control it. */
#include <string.h>

#include "foxglove/server_internal.h"

int64_t sn__fox_time_ns(const sn__fox_server *server) {
  const sn__playback *playback = server->config.playback;
  uint64_t changes = 0;
  return playback == NULL ? sn_clock_now_ns(sn_system_clock(server->system))
                          : playback->get_state(playback->context, &changes).time_ns;
}

static void send_state(sn__fox_client *client, const sn__playback_state *state, bool has_sought,
                       const char *id, size_t id_size) {
  enum { HEAD = 19 };
  unsigned char head[HEAD] = {SN__FOX_PLAYBACK, (unsigned char)state->status};
  const float speed = (float)state->speed;
  uint32_t speed_bits = 0;
  memcpy(&speed_bits, &speed, sizeof speed_bits);
  sn__fox_put_u64(head + 2, (uint64_t)state->time_ns);
  sn__fox_put_u32(head + 10, speed_bits);
  head[14] = has_sought ? 1 : 0;
  sn__fox_put_u32(head + 15, (uint32_t)id_size);
  sn__fox_client_send(client, true, head, sizeof head, id, id_size);
}

void sn__fox_client_control(void *context, const sn__playback_request *request, const char *id,
                            size_t id_size) {
  sn__fox_client *client = context;
  const sn__playback *playback = client->server->config.playback;
  if (playback == NULL) {
    sn__fox_client_warn(client, "no recording is played here: this is a running robot");
    return;
  }
  if (!client->may_change) {
    sn__fox_client_warn(client, "controlling the playback needs the token");
    return;
  }
  playback->control(playback->context, request);
  uint64_t changes = 0;
  const sn__playback_state state = playback->get_state(playback->context, &changes);
  client->playback_changes = changes + 1; /* the others get it with their next tick */
  send_state(client, &state, request->has_seek, id, id_size);
}

void sn__fox_client_playback_tick(sn__fox_client *client) {
  const sn__playback *playback = client->server->config.playback;
  uint64_t changes = 0;
  if (playback == NULL) {
    return;
  }
  const sn__playback_state state = playback->get_state(playback->context, &changes);
  if (changes + 1 != client->playback_changes) {
    client->playback_changes = changes + 1;
    send_state(client, &state, false, NULL, 0);
  }
}

static void put_time(sn__buffer *reply, const char *name, int64_t time_ns) {
  const int64_t second_ns = INT64_C(1000000000);
  sn__json_open(reply, name, '{');
  sn__json_int(reply, "sec", time_ns / second_ns);
  sn__json_int(reply, "nsec", time_ns % second_ns);
  sn__json_close(reply, '}');
}

void sn__fox_put_playback_range(sn__buffer *reply, const sn__playback *playback) {
  put_time(reply, "dataStartTime", playback->start_ns);
  put_time(reply, "dataEndTime", playback->end_ns);
}
