#define _POSIX_C_SOURCE 200809L /* MSG_NOSIGNAL */

#include "live/control_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "common/print.h"
#include "live/control_print.h"
#include "sinew/clock.h"
#include "sinew/status.h"

#define TIMEOUT_S 5.0
#define LINE_MAX_SIZE ((size_t)4 << 20) /* longer than any line of a server */

const command_option control_option_table[] = {
    {"--json", NULL, OPTION_FLAG, offsetof(control_options, json), .help = "Print JSON"},
    {"--name", "NAME", OPTION_TEXT, offsetof(control_options, name),
     .help = "Name of the system, as given to 'sinew run'", .word = WORD_SYSTEM},
    {"--socket", "PATH", OPTION_TEXT, offsetof(control_options, socket),
     .help = "Path of its control socket", .word = WORD_FILE},
    {"--timeout", "S", OPTION_NUMBER, offsetof(control_options, timeout_s),
     .help = "How long to wait for an answer", .min = 1e-3, .max = 3600.0},
    {0}};

static int fault(const control_client *client, const char *what, const char *reason) {
  fprintf(stderr, "sinew %s: %s: %s%s%s\n", client->options->command, client->path, what,
          *reason == '\0' ? "" : ": ", reason);
  return EXIT_FAULT;
}

int control_client_open(control_client *client, const control_options *options) {
  *client = (control_client){.options = options, .fd = -1};
  sn_error err = {SN_OK, ""};
  if (control_path(options->socket, options->name, client->path, &err) != SN_OK) {
    fprintf(stderr, "sinew %s: %s\n", options->command, err.message);
    return EXIT_USAGE;
  }
  const sn_status status = control_path_connect(client->path, &client->fd, &err);
  if (status == SN_EINVAL) {
    fprintf(stderr, "sinew %s: %s\n", options->command, err.message);
    return EXIT_FAULT;
  }
  if (status != SN_OK) {
    fprintf(stderr,
            "sinew %s: no system answers at %s\n"
            "      = hint: start one with 'sinew run FILE', or choose one with --name or "
            "--socket\n",
            options->command, err.message);
    client->fd = -1;
    return EXIT_FAULT;
  }
  return EXIT_GOOD;
}

void control_client_close(control_client *client) {
  if (client->fd >= 0) {
    close(client->fd);
  }
  free(client->in);
  client->in = NULL;
  client->fd = -1;
}

/* Wait for the socket until a point in time; negative: without end. @return 1, 0 on timeout, or -1
 * with errno */
static int wait_until(const control_client *client, short events, int64_t until_ns) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  for (;;) {
    const int64_t left_ms = (until_ns - sn_clock_now_ns(&clock)) / 1000000 + 1;
    const int wait_ms = until_ns < 0      ? -1
                        : left_ms < 0     ? 0
                        : left_ms > 60000 ? 60000
                                          : (int)left_ms;
    struct pollfd one = {client->fd, events, 0};
    const int count = poll(&one, 1, wait_ms);
    if (count != 0 || (until_ns >= 0 && left_ms <= 60000)) {
      return count;
    }
  }
}

static int64_t moment(double timeout_s) {
  sn_clock clock;
  sn_clock_init_monotonic(&clock);
  return timeout_s < 0.0 ? -1 : sn_clock_now_ns(&clock) + (int64_t)(1e9 * timeout_s);
}

static double time_limit_s(const control_client *client) {
  const control_options *o = client->options;
  const double usual_s = o->default_timeout_s > 0.0 ? o->default_timeout_s : TIMEOUT_S;
  return o->timeout_s > 0.0 ? o->timeout_s + 2.0 : usual_s;
}

static int send_all(control_client *client, const char *text, size_t length) {
  const int64_t until_ns = moment(time_limit_s(client));
  for (size_t sent = 0; sent < length;) {
    const ssize_t count = send(client->fd, text + sent, length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += (size_t)count;
    } else if (errno == EAGAIN) {
      if (wait_until(client, POLLOUT, until_ns) == 0) {
        return fault(client, "the system does not accept requests", "");
      }
    } else if (errno == EPIPE) {
      break; /* an answer may still be there to read */
    } else if (errno != EINTR) {
      return fault(client, "cannot be written to", strerror(errno));
    }
  }
  return EXIT_GOOD;
}

int control_client_send(control_client *client, json_t *request) {
  const int id = ++client->next_id;
  char *text = NULL;
  if (request != NULL && json_object_set_new(request, "id", json_integer(id)) == 0) {
    text = json_dumps(request, JSON_COMPACT | JSON_REAL_PRECISION(17));
  }
  json_decref(request);
  if (text == NULL) {
    fprintf(stderr, "sinew %s: the request cannot be encoded as JSON\n", client->options->command);
    return -1;
  }
  const size_t length = strlen(text);
  text[length] = '\n'; /* replaces the NUL */
  const int code = send_all(client, text, length + 1);
  free(text);
  return code == EXIT_GOOD ? id : -1;
}

/* Drop the last line and find the next one in the buffer. */
static bool next_line(control_client *client) {
  if (client->line != NULL) {
    const size_t length = client->line_length + 1;
    client->in_used -= length;
    memmove(client->in, client->in + length, client->in_used);
    client->line = NULL;
  }
  char *end = client->in_used == 0 ? NULL : memchr(client->in, '\n', client->in_used);
  if (end == NULL) {
    return false;
  }
  *end = '\0';
  client->line = client->in;
  client->line_length = (size_t)(end - client->in);
  return true;
}

static int receive_more(control_client *client) {
  if (client->in_used == client->in_size) {
    const size_t wanted = client->in_size == 0 ? 4096 : client->in_size + 1;
    char *in =
        wanted > LINE_MAX_SIZE ? NULL : sn__list_grow(client->in, &client->in_size, wanted, 1);
    if (in == NULL) {
      return fault(client, "the answer is too long", "");
    }
    client->in = in;
  }
  const ssize_t count = recv(client->fd, client->in + client->in_used,
                             client->in_size - client->in_used, MSG_DONTWAIT);
  if (count == 0) {
    return fault(client, "the system has closed the connection", "");
  }
  if (count < 0 && errno != EAGAIN && errno != EINTR) {
    return fault(client, "cannot be read", strerror(errno));
  }
  client->in_used += count < 0 ? 0 : (size_t)count;
  return EXIT_GOOD;
}

int control_client_receive(control_client *client, double timeout_s, json_t **out) {
  const int64_t until_ns = moment(timeout_s);
  *out = NULL;
  while (!next_line(client)) {
    const int ready = wait_until(client, POLLIN, until_ns);
    if (ready == 0 || (ready < 0 && errno == EINTR)) {
      return EXIT_GOOD;
    }
    if (ready < 0) {
      return fault(client, "cannot be read", strerror(errno));
    }
    const int code = receive_more(client);
    if (code != EXIT_GOOD) {
      return code;
    }
  }
  json_error_t problem;
  *out = json_loadb(client->line, client->line_length, 0, &problem);
  return json_is_object(*out) ? EXIT_GOOD
                              : fault(client, "the answer is not a JSON object", problem.text);
}

/* Print why the system refused a request. */
static int print_refusal(const control_client *client, const json_t *answer) {
  const char *status = json_string_value(json_object_get(answer, "status"));
  const char *error = json_string_value(json_object_get(answer, "error"));
  char clean[512];
  text_clean(error == NULL ? "refused without a reason" : error, clean, sizeof clean);
  fprintf(stderr, "sinew %s: %s\n", client->options->command, clean);
  if (client->options->json) {
    puts(client->line);
  }
  return status != NULL && strcmp(status, "SN_ETIMEDOUT") == 0 ? EXIT_FAULT : EXIT_NO;
}

int control_client_ask(control_client *client, json_t *request, json_t **result) {
  const int id = control_client_send(client, request);
  if (id < 0) {
    return EXIT_FAULT;
  }
  const int64_t until_ns = moment(time_limit_s(client));
  for (;;) {
    json_t *answer = NULL;
    const double left_s = 1e-9 * (double)(until_ns - moment(0.0));
    const int code = control_client_receive(client, left_s > 0.0 ? left_s : 0.0, &answer);
    if (code != EXIT_GOOD) {
      json_decref(answer);
      return code;
    }
    if (answer == NULL) {
      return fault(client, "no answer in time", "");
    }
    const json_t *answer_id = json_object_get(answer, "id");
    const json_t *ok = json_object_get(answer, "ok");
    const bool is_ours = json_is_null(answer_id) || json_integer_value(answer_id) == id;
    if (!is_ours || ok == NULL) { /* an event of a stream */
      json_decref(answer);
      continue;
    }
    *result = json_incref(json_object_get(answer, "result"));
    const int verdict = json_is_true(ok) ? EXIT_GOOD : print_refusal(client, answer);
    json_decref(answer);
    return verdict;
  }
}

void control_client_print_result(const control_client *client, const json_t *result) {
  char prefix[64];
  const size_t length = (size_t)snprintf(prefix, sizeof prefix,
                                         "{\"id\":%d,\"ok\":true,\"result\":", client->next_id);
  if (client->line_length > length && memcmp(client->line, prefix, length) == 0) {
    printf("%.*s\n", (int)(client->line_length - length - 1), client->line + length);
  } else { /* another server may order members differently */
    control_print_value(stdout, result);
    putchar('\n');
  }
}

int control_ask_once(const control_options *options, json_t *request, json_t **result) {
  control_client client;
  int code = control_client_open(&client, options);
  if (code != EXIT_GOOD) {
    json_decref(request);
    control_client_close(&client);
    return code;
  }
  *result = NULL;
  code = control_client_ask(&client, request, result);
  if (code == EXIT_GOOD && options->json) {
    control_client_print_result(&client, *result);
    json_decref(*result);
    *result = NULL;
  } else if (code != EXIT_GOOD) {
    json_decref(*result);
    *result = NULL;
  }
  control_client_close(&client);
  return code;
}
