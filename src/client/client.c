#include "sinew/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"

#if SINEW_JSON
#include <jansson.h>

#include "client/client_socket.h"
#include "msg/wire/msg_json_internal.h"

#define TIMEOUT_S 2.0
#define TIMEOUT_MAX_S 3600.0
#define REQUEST_MAX ((size_t)64 << 20)

struct sn_client {
  sn__client_socket socket;
  double timeout_s;
  int64_t id; /* of the last request */
};

sn_status sn_client_open(const sn_client_config *config, sn_client **out, sn_error *err) {
  const sn_client_config none = {0};
  config = config == NULL ? &none : config;
  const double timeout_s = config->timeout_s == 0.0 ? TIMEOUT_S : config->timeout_s;
  if (!(timeout_s > 0.0 && timeout_s <= TIMEOUT_MAX_S)) {
    return sn__fail(err, SN_EINVAL, "a timeout of %g s, expected more than 0 and at most %g s",
                    timeout_s, TIMEOUT_MAX_S);
  }
  sn_client *client = calloc(1, sizeof *client);
  if (client == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for a client");
  }
  client->timeout_s = timeout_s;
  const sn_status status = sn__client_connect(config, &client->socket, err);
  if (status != SN_OK) {
    free(client);
    return status;
  }
  *out = client;
  return SN_OK;
}

void sn_client_close(sn_client *client) {
  if (client != NULL) {
    sn__client_disconnect(&client->socket);
    free(client);
  }
}

/* ---- requests ---- */

static void write_request(sn_client *client, const char *operation, const sn_msg_type *type,
                          const void *request, sn__buffer *line) {
  sn__json_open(line, NULL, '{');
  sn__json_int(line, "id", ++client->id);
  sn__json_text(line, "verb", "call");
  sn__json_text(line, "name", operation);
  sn__json_real(line, "timeout", client->timeout_s > 60.0 ? 60.0 : client->timeout_s);
  if (type != NULL) {
    sn__msg_append_json(line, "arguments", type, request);
  }
  sn__json_close(line, '}');
  sn__buffer_append(line, "\n", 1);
}

/* ---- answers ---- */

static sn_status status_of(const char *name) {
  static const struct {
    const char *name;
    sn_status status;
  } all[] = {
#define ENTRY(name, value, text) {#name, name},
      SN_STATUS_LIST(ENTRY)
#undef ENTRY
  };
  for (size_t i = 0; name != NULL && i < sizeof all / sizeof *all; i++) {
    if (strcmp(all[i].name, name) == 0 && all[i].status != SN_OK) {
      return all[i].status;
    }
  }
  return SN_EIO; /* a status that this library does not know */
}

static sn_status read_outcome(const json_t *answer, const sn_msg_type *type, void *response,
                              sn_error *err) {
  if (!json_is_true(json_object_get(answer, "ok"))) {
    const char *reason = json_string_value(json_object_get(answer, "error"));
    const sn_status status = status_of(json_string_value(json_object_get(answer, "status")));
    const bool has_reason = reason != NULL && reason[0] != '\0';
    return sn__fail(err, status, "%s", has_reason ? reason : sn_status_text(status));
  }
  json_t *result = json_object_get(answer, "result");
  if (type == NULL || result == NULL) {
    return type == NULL ? SN_OK : sn__fail(err, SN_EIO, "the answer has no result");
  }
  return sn__msg_from_json_tree(type, result, response, err);
}

sn_status sn__client_read_answer(const char *line, size_t size, int64_t id, const sn_msg_type *type,
                                 void *response, bool *is_answer, sn_error *err) {
  *is_answer = false;
  json_t *answer = json_loadb(line, size, 0, NULL);
  if (answer == NULL) {
    return sn__fail(err, SN_EIO, "the answer is not JSON");
  }
  const json_t *answer_id = json_object_get(answer, "id");
  *is_answer = json_object_get(answer, "ok") != NULL &&
               (json_is_null(answer_id) || json_integer_value(answer_id) == id);
  const sn_status status = *is_answer ? read_outcome(answer, type, response, err) : SN_OK;
  json_decref(answer);
  return status;
}

sn_status sn_client_call(sn_client *client, const char *operation, const sn_msg_type *request_type,
                         const void *request, const sn_msg_type *response_type, void *response,
                         sn_error *err) {
  sn__buffer text = {.max = REQUEST_MAX};
  write_request(client, operation, request_type, request, &text);
  /* The system times out first and answers, so the connection stays usable. */
  const int64_t deadline_ns = sn__client_deadline_ns(client->timeout_s + 1.0);
  sn_status status = text.failed
                         ? sn__fail(err, SN_ENOMEM, "no memory for the request")
                         : sn__client_send(&client->socket, text.data, text.used, deadline_ns, err);
  sn__buffer_free(&text);
  for (bool is_answer = false; status == SN_OK && !is_answer;) {
    const char *line = NULL;
    size_t size = 0;
    status = sn__client_receive(&client->socket, deadline_ns, &line, &size, err);
    if (status == SN_OK) {
      status =
          sn__client_read_answer(line, size, client->id, response_type, response, &is_answer, err);
      if (status != SN_OK && !is_answer) {
        sn__client_disconnect(&client->socket); /* not a control socket */
      }
    }
  }
  return status;
}

#else

sn_status sn_client_open(const sn_client_config *config, sn_client **out, sn_error *err) {
  (void)config, (void)out;
  return sn__fail(err, SN_EUNSUPPORTED, "this build has no JSON, which the control socket needs");
}

void sn_client_close(sn_client *client) {
  (void)client;
}

sn_status sn_client_call(sn_client *client, const char *operation, const sn_msg_type *request_type,
                         const void *request, const sn_msg_type *response_type, void *response,
                         sn_error *err) {
  (void)client, (void)operation, (void)request_type, (void)request, (void)response_type;
  (void)response;
  return sn__fail(err, SN_EUNSUPPORTED, "this build has no JSON, which the control socket needs");
}
#endif
