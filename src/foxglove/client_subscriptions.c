/* What a client wants to hear and to write: its subscriptions and the channels that it advertises.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foxglove/server_internal.h"

/* ---- subscriptions ---- */

static int find_subscription(const sn__fox_client *client, uint32_t id) {
  for (size_t i = 0; i < client->subscription_count; i++) {
    if (client->subscriptions[i].id == id) {
      return (int)i;
    }
  }
  return -1;
}

static bool has_room(sn__fox_client *client) {
  if (client->subscription_count < client->subscription_capacity) {
    return true;
  }
  const size_t capacity =
      client->subscription_capacity == 0 ? 32 : 2 * client->subscription_capacity;
  sn__fox_subscription *list = capacity > SN__FOX_SUBSCRIPTIONS_MAX
                                   ? NULL
                                   : realloc(client->subscriptions, capacity * sizeof *list);
  if (list != NULL) {
    client->subscriptions = list;
    client->subscription_capacity = capacity;
  }
  return list != NULL;
}

static void subscribe(void *context, uint32_t id, uint32_t channel) {
  sn__fox_client *client = context;
  char message[120];
  if (channel == 0 || channel > client->server->catalog.channel_count) {
    snprintf(message, sizeof message, "there is no channel %u", (unsigned)channel);
  } else if (find_subscription(client, id) >= 0) {
    snprintf(message, sizeof message, "subscription %u is there already", (unsigned)id);
  } else if (!has_room(client)) {
    snprintf(message, sizeof message, "you have too many subscriptions: %d at most",
             SN__FOX_SUBSCRIPTIONS_MAX);
  } else {
    client->subscriptions[client->subscription_count++] =
        (sn__fox_subscription){.id = id, .channel = channel - 1};
    sn__fox_stream_use(client->server, channel - 1, 1);
    return;
  }
  sn__fox_client_complain(client, message);
}

static void unsubscribe(void *context, uint32_t id) {
  sn__fox_client *client = context;
  const int index = find_subscription(client, id);
  if (index < 0) {
    sn__fox_client_complain(client, "there is no such subscription");
    return;
  }
  sn__fox_stream_use(client->server, client->subscriptions[index].channel, -1);
  client->subscriptions[index] = client->subscriptions[--client->subscription_count];
  client->turn = 0;
}

/* ---- publishing ---- */

static int find_advertised(const sn__fox_client *client, uint32_t id) {
  for (size_t i = 0; i < client->advertised_count; i++) {
    if (client->advertised[i].id == id) {
      return (int)i;
    }
  }
  return -1;
}

static void advertise(void *context, uint32_t id, const char *topic, const char *encoding) {
  sn__fox_client *client = context;
  const int input = sn__fox_find_input(&client->server->catalog, topic);
  const bool is_json = strcmp(encoding, "json") == 0;
  char message[240];
  if (!client->may_change) {
    snprintf(message, sizeof message, "to publish needs the token: /sinew/authorize takes it");
  } else if (input < 0) {
    snprintf(message, sizeof message, "there is no input '%.100s': expected /component/port",
             topic);
  } else if (!is_json && strcmp(encoding, "cdr") != 0) {
    snprintf(message, sizeof message, "'%.60s' is neither json nor cdr", encoding);
  } else if (find_advertised(client, id) >= 0) {
    snprintf(message, sizeof message, "channel %u is advertised already", (unsigned)id);
  } else if (client->advertised_count == SN__FOX_ADVERTISED_MAX) {
    snprintf(message, sizeof message, "you have too many channels: %d at most",
             SN__FOX_ADVERTISED_MAX);
  } else {
    client->advertised[client->advertised_count++] =
        (sn__fox_advertised){.id = id, .input = (uint32_t)input, .is_json = is_json};
    sn__fox_inlet_use(client->server, (uint32_t)input, 1);
    return;
  }
  sn__fox_client_complain(client, message);
}

static void unadvertise(void *context, uint32_t id) {
  sn__fox_client *client = context;
  const int index = find_advertised(client, id);
  if (index < 0) {
    sn__fox_client_complain(client, "you have advertised no such channel");
    return;
  }
  sn__fox_inlet_use(client->server, client->advertised[index].input, -1);
  client->advertised[index] = client->advertised[--client->advertised_count];
}

static void publish(void *context, uint32_t id, const void *bytes, size_t size) {
  sn__fox_client *client = context;
  const int index = find_advertised(client, id);
  if (index < 0) {
    sn__fox_client_complain(client, "you have advertised no such channel");
    return;
  }
  const sn__fox_advertised *channel = &client->advertised[index];
  client->published_ns = client->heard_ns;
  sn_error err = {SN_OK, ""};
  if (!sn__fox_inlet_write(client->server, channel->input, channel->is_json, bytes, size, &err)) {
    char message[320];
    snprintf(message, sizeof message, "%s: %s",
             client->server->catalog.inputs[channel->input].topic, err.message);
    sn__fox_client_complain(client, message);
  }
}

const sn__fox_handler sn__fox_client_handler = {
    .subscribe = subscribe,
    .unsubscribe = unsubscribe,
    .advertise = advertise,
    .unadvertise = unadvertise,
    .publish = publish,
    .get = sn__fox_client_get,
    .set = sn__fox_client_set,
    .watch = sn__fox_client_watch,
    .call = sn__fox_client_call,
    .fetch = sn__fox_client_fetch,
    .complain = sn__fox_client_complain,
};

/* ---- in the reserve ---- */

static void refuse_subscribe(void *context, uint32_t id, uint32_t channel) {
  (void)id, (void)channel;
  sn__fox_client_complain(context, SN__FOX_EXTRA_TEXT);
}

static void refuse_number(void *context, uint32_t id) {
  (void)id;
  sn__fox_client_complain(context, SN__FOX_EXTRA_TEXT);
}

static void refuse_advertise(void *context, uint32_t id, const char *topic, const char *encoding) {
  (void)id, (void)topic, (void)encoding;
  sn__fox_client_complain(context, SN__FOX_EXTRA_TEXT);
}

static void refuse_publish(void *context, uint32_t id, const void *bytes, size_t size) {
  (void)id, (void)bytes, (void)size;
  sn__fox_client_complain(context, SN__FOX_EXTRA_TEXT);
}

static void refuse_values(void *context, const json_t *names, const char *id) {
  (void)names, (void)id;
  sn__fox_client_complain(context, SN__FOX_EXTRA_TEXT);
}

static void refuse_watch(void *context, const json_t *names, bool is_on) {
  (void)names, (void)is_on;
  sn__fox_client_complain(context, SN__FOX_EXTRA_TEXT);
}

static void refuse_fetch(void *context, const char *uri, uint32_t request) {
  (void)uri, (void)request;
  sn__fox_client_complain(context, SN__FOX_EXTRA_TEXT);
}

const sn__fox_handler sn__fox_extra_handler = {
    .subscribe = refuse_subscribe,
    .unsubscribe = refuse_number,
    .advertise = refuse_advertise,
    .unadvertise = refuse_number,
    .publish = refuse_publish,
    .get = refuse_values,
    .set = refuse_values,
    .watch = refuse_watch,
    .call = sn__fox_client_call,
    .fetch = refuse_fetch,
    .complain = sn__fox_client_complain,
};
