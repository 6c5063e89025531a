/* The subscriptions of a client. */
#include <stdio.h>

#include "foxglove/server_internal.h"

static int find_subscription(const sn__fox_client *client, uint32_t id) {
  for (size_t i = 0; i < client->subscription_count; i++) {
    if (client->subscriptions[i].id == id) {
      return (int)i;
    }
  }
  return -1;
}

static bool has_room(sn__fox_client *client) {
  if (client->subscription_count == SN__FOX_SUBSCRIPTIONS_MAX) {
    return false;
  }
  sn__fox_subscription *list = sn__list_grow(client->subscriptions, &client->subscription_capacity,
                                             client->subscription_count + 1, sizeof *list);
  client->subscriptions = list == NULL ? client->subscriptions : list;
  return list != NULL;
}

void sn__fox_client_subscribe(void *context, uint32_t id, uint32_t channel) {
  sn__fox_client *client = context;
  char message[120];
  if (channel == 0 || channel > client->server->catalog.channel_count) {
    snprintf(message, sizeof message, "unknown channel %u", (unsigned)channel);
  } else if (find_subscription(client, id) >= 0) {
    snprintf(message, sizeof message, "subscription %u exists already", (unsigned)id);
  } else if (!has_room(client)) {
    snprintf(message, sizeof message, "too many subscriptions: at most %d per client",
             SN__FOX_SUBSCRIPTIONS_MAX);
  } else {
    client->subscriptions[client->subscription_count++] =
        (sn__fox_subscription){.id = id, .channel = channel - 1};
    sn__fox_stream_use(client->server, channel - 1, 1);
    return;
  }
  sn__fox_client_warn(client, message);
}

void sn__fox_client_unsubscribe(void *context, uint32_t id) {
  sn__fox_client *client = context;
  const int index = find_subscription(client, id);
  if (index < 0) {
    sn__fox_client_warn(client, "unknown subscription");
    return;
  }
  sn__fox_stream_use(client->server, client->subscriptions[index].channel, -1);
  client->subscriptions[index] = client->subscriptions[--client->subscription_count];
  client->turn = 0;
}

void sn__fox_client_unsubscribe_all(sn__fox_client *client) {
  for (size_t i = 0; i < client->subscription_count; i++) {
    sn__fox_stream_use(client->server, client->subscriptions[i].channel, -1);
  }
  client->subscription_count = 0;
}
