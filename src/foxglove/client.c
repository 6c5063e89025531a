/* One WebSocket client. Its memory is bounded: one message that is being received, and a queue of
   answers; messages of streams are not queued. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foxglove/server_internal.h"

enum {
  WRITES_AT_ONCE = 64, /* messages per callback, so that all clients get their turn */
  STALL_MS = 10000,    /* without reading: then it is dropped */
  TIME_MS = 100,
  STOP_ONLY_MS = 10000, /* then a stop-only client is dropped */
  IN_KEPT = 65536       /* bytes of the receive buffer that stay allocated */
};

/* ---- sending ---- */

void sn__fox_client_wake(sn__fox_client *client) {
  if (client->asked_ns == 0 && !client->is_over) {
    client->asked_ns = sn_clock_now_ns(&client->server->clock);
    lws_callback_on_writable(client->wsi);
  }
}

void sn__fox_client_drop(sn__fox_client *client) {
  if (!client->is_over) {
    client->is_over = true;
    lws_set_timeout(client->wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
  }
}

void sn__fox_client_send(sn__fox_client *client, bool is_binary, const void *head, size_t head_size,
                         const void *bytes, size_t size) {
  if (client->is_over) {
    return;
  }
  sn__fox_out *out =
      client->out_size > SN__FOX_OUT_MAX ? NULL : malloc(sizeof *out + LWS_PRE + head_size + size);
  if (out == NULL) {
    sn__fox_warn(client->server, SN__FOX_WARN_DROPPED, "dropped a client that does not read");
    sn__fox_client_drop(client);
    return;
  }
  *out = (sn__fox_out){.size = head_size + size, .is_binary = is_binary};
  if (head_size > 0) {
    memcpy(out->bytes + LWS_PRE, head, head_size);
  }
  if (size > 0) {
    memcpy(out->bytes + LWS_PRE + head_size, bytes, size);
  }
  if (client->out_last == NULL) {
    client->out_first = out;
  } else {
    client->out_last->next = out;
  }
  client->out_last = out;
  client->out_size += out->size;
  sn__fox_client_wake(client);
}

void sn__fox_client_send_reply(sn__fox_client *client, const sn__buffer *reply) {
  if (!reply->failed) {
    sn__fox_client_send(client, false, NULL, 0, reply->data, reply->used);
  }
}

static void send_status(sn__fox_client *client, const char *message) {
  sn__buffer reply = {0};
  sn__json_open(&reply, NULL, '{');
  sn__json_text(&reply, "op", "status");
  sn__json_int(&reply, "level", 2);
  sn__json_text(&reply, "message", message);
  sn__json_close(&reply, '}');
  sn__fox_client_send_reply(client, &reply);
  sn__buffer_free(&reply);
}

/* At most 20 a second on average, 20 at once. */
void sn__fox_client_warn(void *context, const char *message) {
  enum { BURST = 20 };
  sn__fox_client *client = context;
  const int64_t now_ns = sn_clock_now_ns(&client->server->clock);
  const int64_t earliest_ns = now_ns - BURST * 50 * SN__FOX_MS;
  if (client->warn_ns < earliest_ns) {
    client->warn_ns = earliest_ns;
  }
  if (client->warn_ns <= now_ns) {
    client->warn_ns += 50 * SN__FOX_MS;
    send_status(client, message);
  }
}

static void send_out(sn__fox_client *client, bool *is_ok) {
  sn__fox_out *out = client->out_first;
  *is_ok = lws_write(client->wsi, out->bytes + LWS_PRE, out->size,
                     out->is_binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT) >= 0;
  client->out_first = out->next;
  client->out_last = out->next == NULL ? NULL : client->out_last;
  client->out_size -= out->size;
  free(out);
}

/* Send the next stream with a new message, after the one that was served last.
   @return false: there is none */
static bool send_stream(sn__fox_client *client, bool *is_ok) {
  for (size_t i = 0; i < client->subscription_count; i++) {
    client->turn = (client->turn + 1) % client->subscription_count;
    size_t size = 0;
    unsigned char *message =
        sn__fox_stream_next(client->server, &client->subscriptions[client->turn], &size);
    if (message != NULL) {
      *is_ok = lws_write(client->wsi, message, size, LWS_WRITE_BINARY) >= 0;
      client->server->counts.events++;
      return true;
    }
  }
  return false;
}

bool sn__fox_client_write(sn__fox_client *client) {
  bool is_ok = true;
  bool has_more = true;
  client->asked_ns = 0;
  for (int i = 0; i < WRITES_AT_ONCE && has_more && is_ok; i++) {
    if (lws_send_pipe_choked(client->wsi)) {
      break;
    }
    if (client->out_first != NULL) {
      send_out(client, &is_ok);
    } else {
      has_more = send_stream(client, &is_ok);
    }
  }
  if (is_ok && has_more) {
    sn__fox_client_wake(client);
  }
  return is_ok && !client->is_over && !(client->is_leaving && client->out_first == NULL);
}

static void send_time(sn__fox_client *client, int64_t now_ns) {
  if (now_ns >= client->time_ns && client->out_size == 0) {
    unsigned char message[SN__FOX_TIME_SIZE] = {SN__FOX_TIME};
    sn__fox_put_u64(message + 1, (uint64_t)sn__fox_time_ns(client->server));
    client->time_ns = now_ns + TIME_MS * SN__FOX_MS;
    sn__fox_client_send(client, true, message, sizeof message, NULL, 0);
  }
}

void sn__fox_client_tick(sn__fox_client *client, int64_t now_ns) {
  if (client->is_stop_only && now_ns - client->opened_ns > STOP_ONLY_MS * SN__FOX_MS) {
    sn__fox_client_drop(client);
    return;
  }
  if (client->asked_ns != 0) {
    if (now_ns - client->asked_ns > STALL_MS * SN__FOX_MS && !client->is_over) {
      sn__fox_warn(client->server, SN__FOX_WARN_DROPPED, "dropped a client that does not read");
      sn__fox_client_drop(client);
    }
    return;
  }
  send_time(client, now_ns);
  sn__fox_client_playback_tick(client);
  for (size_t i = 0; i < client->subscription_count && client->asked_ns == 0; i++) {
    if (sn__fox_stream_is_new(client->server, &client->subscriptions[i])) {
      sn__fox_client_wake(client);
    }
  }
}

/* ---- receiving ---- */

static const sn__fox_handler handler = {
    .subscribe = sn__fox_client_subscribe,
    .unsubscribe = sn__fox_client_unsubscribe,
    .advertise = sn__fox_client_advertise,
    .unadvertise = sn__fox_client_unadvertise,
    .publish = sn__fox_client_publish,
    .control = sn__fox_client_control,
    .get = sn__fox_client_get,
    .set = sn__fox_client_set,
    .watch = sn__fox_client_watch,
    .call = sn__fox_client_call,
    .fetch = sn__fox_client_fetch,
    .warn = sn__fox_client_warn,
};

static const sn__fox_handler stop_only_handler = {
    .call = sn__fox_client_call,
    .warn = sn__fox_client_warn,
    .refusal = SN__FOX_STOP_ONLY_TEXT,
};

bool sn__fox_client_receive(sn__fox_client *client, const void *bytes, size_t size) {
  struct lws *wsi = client->wsi;
  const size_t remaining = lws_remaining_packet_payload(wsi);
  if (size > SN__FOX_MESSAGE_MAX || remaining > SN__FOX_MESSAGE_MAX ||
      client->in.used + size + remaining > SN__FOX_MESSAGE_MAX) {
    unsigned char reason[] = "too long";
    lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, reason, sizeof reason - 1);
    return false;
  }
  if (lws_is_first_fragment(wsi)) {
    sn__buffer_clear(&client->in);
  }
  sn__buffer_append(&client->in, bytes, size);
  if (client->in.failed) {
    return false;
  }
  if (lws_is_final_fragment(wsi) && remaining == 0) {
    client->heard_ns = sn_clock_now_ns(&client->server->clock);
    sn__fox_receive(client->is_stop_only ? &stop_only_handler : &handler, client,
                    lws_frame_is_binary(wsi) != 0, client->in.data, client->in.used);
    sn__buffer_shrink(&client->in, IN_KEPT);
  }
  return !client->is_over;
}

/* ---- open and close ---- */

static void send_info(sn__fox_client *client) {
  const sn__fox_server *server = client->server;
  const sn__playback *playback = server->config.playback;
  sn__buffer reply = {0};
  sn__json_open(&reply, NULL, '{');
  sn__json_text(&reply, "op", "serverInfo");
  sn__json_text(&reply, "name", "sinew");
  static const char *const capabilities[] = {"clientPublish", "parameters", "parametersSubscribe",
                                             "services",      "time",       "assets"};
  sn__json_open(&reply, "capabilities", '[');
  for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
    sn__json_text(&reply, NULL, capabilities[i]);
  }
  if (playback != NULL) {
    sn__json_text(&reply, NULL, "playbackControl");
  }
  sn__json_close(&reply, ']');
  sn__json_open(&reply, "supportedEncodings", '[');
  sn__json_text(&reply, NULL, "json");
  sn__json_text(&reply, NULL, "cdr");
  sn__json_close(&reply, ']');
  sn__json_open(&reply, "metadata", '{');
  sn__json_text(&reply, "version", SINEW_VERSION);
  sn__json_text(&reply, "component", server->config.component->name);
  sn__json_text(&reply, "may_change", client->may_change ? "true" : "false");
  sn__json_text(&reply, "token", client->may_change ? "not needed" : "needed");
  if (client->is_stop_only) {
    sn__json_text(&reply, "stop_only", "true");
  }
  if (playback != NULL) {
    sn__json_text(&reply, "recording", playback->name);
  }
  sn__json_close(&reply, '}');
  if (playback != NULL) {
    sn__fox_put_playback_range(&reply, playback);
  }
  sn__json_text(&reply, "sessionId", server->session);
  sn__json_close(&reply, '}');
  sn__fox_client_send_reply(client, &reply);
  sn__buffer_free(&reply);
}

sn__fox_client *sn__fox_client_open(sn__fox_server *server, struct lws *wsi,
                                    sn__fox_connection *connection) {
  sn__fox_client *client = calloc(1, sizeof *client);
  unsigned char *watched = calloc(server->catalog.parameter_count, 1);
  if (connection == NULL || client == NULL || watched == NULL) {
    free(client);
    free(watched);
    return NULL;
  }
  const int64_t now_ns = sn_clock_now_ns(&server->clock);
  *client = (sn__fox_client){.next = server->clients,
                             .in.max = SN__FOX_MESSAGE_MAX,
                             .server = server,
                             .wsi = wsi,
                             .number = ++server->client_number,
                             .party = connection->party,
                             .may_change = connection->may_change,
                             .is_stop_only = connection->admission == SN__FOX_STOP_ONLY,
                             .opened_ns = now_ns,
                             .heard_ns = now_ns,
                             .watched = watched};
  connection->is_client = true;
  server->clients = client;
  server->client_count++;
  server->counts.clients++;
  send_info(client);
  sn__fox_client_send_reply(client, &server->catalog.advertise);
  sn__fox_client_send_reply(client, &server->catalog.advertise_services);
  return client;
}

void sn__fox_client_close(sn__fox_client *client) {
  sn__fox_server *server = client->server;
  client->is_over = true;
  sn__fox_client **link = &server->clients;
  while (*link != client) {
    link = &(*link)->next;
  }
  *link = client->next;
  server->client_count--;
  server->counts.clients--;
  sn__fox_client_unsubscribe_all(client);
  sn__fox_client_unadvertise_all(client);
  for (size_t i = 0; i < server->catalog.parameter_count; i++) {
    server->watchers[i] -= client->watched[i];
  }
  sn__fox_tasks_cancel(client);
  while (client->out_first != NULL) {
    sn__fox_out *out = client->out_first;
    client->out_first = out->next;
    free(out);
  }
  free(client->subscriptions);
  free(client->watched);
  sn__buffer_free(&client->in);
  free(client);
}
