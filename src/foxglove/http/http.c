/* HTTP: the cockpit, the robot, its meshes, recordings and /health. */
#define _GNU_SOURCE /* strdup() */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "foxglove/http/files.h"
#include "foxglove/http/recordings.h"
#include "foxglove/http/web.h"
#include "foxglove/server_internal.h"

enum { CHUNK = 16384, STALL_S = 10, HEADERS_SIZE = 2048 };

#define POLICY                                                                \
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; " \
  "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; " \
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static const struct {
  const char *name, *value;
} headers[] = {
    {"content-security-policy:", POLICY},
    {"x-content-type-options:", "nosniff"},
    {"x-frame-options:", "DENY"},
    {"referrer-policy:", "no-referrer"},
    {"cross-origin-resource-policy:", "same-origin"},
    {"cross-origin-opener-policy:", "same-origin"},
    {"cache-control:", "no-cache"},
};

/* A response. */
typedef struct answer {
  unsigned status;
  const char *type;
  const char *etag;       /* NULL: none */
  const char *attachment; /* its name; NULL: none */
  sn__fox_page page;
} answer;

/* ---- headers of the request ---- */

/* The local address of the connection. */
static bool find_local(struct lws *wsi, sn__address *out) {
  struct sockaddr_storage storage;
  socklen_t size = sizeof storage;
  return getsockname(lws_get_socket_fd(wsi), (struct sockaddr *)&storage, &size) == 0 &&
         sn__address_of(&storage, out);
}

/* @return false: too long, or malformed */
static bool copy_header(struct lws *wsi, enum lws_token_indexes which, char *out, size_t size) {
  const int length = lws_hdr_total_length(wsi, which);
  out[0] = '\0';
  return length == 0 ||
         (length > 0 && (size_t)length < size &&
          lws_hdr_copy(wsi, out, (int)size, which) == length && strlen(out) == (size_t)length);
}

unsigned sn__fox_check_names(sn__fox_server *server, struct lws *wsi) {
  char host[300];
  char origin[300];
  sn__address local;
  const bool has_tls = sn__fox_has_tls(&server->config);
  if (!find_local(wsi, &local) || !copy_header(wsi, WSI_TOKEN_HOST, host, sizeof host) ||
      !sn__host_is_ours(host, &local, server->port, has_tls, &server->config.hosts)) {
    return 421;
  }
  if (!copy_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin) ||
      (origin[0] != '\0' &&
       !sn__origin_is_allowed(origin, host, has_tls, &server->config.origins))) {
    return HTTP_STATUS_FORBIDDEN;
  }
  return 0;
}

/* ---- the response ---- */

static void put_file(answer *a, int fd, int64_t size, const char *name) {
  if (fd >= 0) {
    a->status = HTTP_STATUS_OK;
    a->type = sn__file_type(name);
    a->page = (sn__fox_page){.fd = fd, .size = size};
  }
}

static void put_bytes(answer *a, const void *bytes, size_t size, const char *type) {
  a->status = HTTP_STATUS_OK;
  a->type = type;
  a->page = (sn__fox_page){.bytes = bytes, .fd = -1, .size = (int64_t)size};
}

static void put_reply(answer *a, sn__buffer *reply, const char *type) {
  if (reply->failed) {
    a->status = HTTP_STATUS_INTERNAL_SERVER_ERROR;
    sn__buffer_free(reply);
    return;
  }
  put_bytes(a, reply->data, reply->used, type);
  a->page.owned = (unsigned char *)reply->data;
}

static void put_health(sn__fox_server *server, answer *a) {
  sn__buffer reply = {0};
  const int64_t now_ns = sn_clock_now_ns(&server->clock);
  sn__health_update(&server->health, server->system, now_ns);
  sn__json_open(&reply, NULL, '{');
  sn__health_write(&server->health, server->system, now_ns, &reply);
  sn__json_text(&reply, "name", "sinew");
  sn__json_count(&reply, "clients", server->client_count);
  sn__json_close(&reply, '}');
  put_reply(a, &reply, "application/json");
}

static void put_recordings(sn__fox_server *server, answer *a) {
  sn__buffer reply = {0};
  sn__recordings_list(&reply, server->config.recordings);
  put_reply(a, &reply, "application/json");
}

static void put_facts(sn__fox_server *server, const char *name, answer *a) {
  sn__buffer reply = {0};
  if (sn__recordings_describe(&reply, server->config.recordings, name)) {
    put_reply(a, &reply, "application/json");
  }
}

/* A mesh, or why it is missing. */
static void put_mesh(sn__fox_server *server, const char *place, answer *a) {
  int64_t size = 0;
  const int fd = sn__shapes_open(&server->shapes, place, &size);
  char why[1024];
  if (fd >= 0) {
    put_file(a, fd, size, place);
  } else if (sn__shapes_explain(&server->shapes, place, why, sizeof why)) {
    sn__buffer reply = {0};
    sn__buffer_append(&reply, why, strlen(why));
    sn__buffer_append(&reply, "\n", 1);
    put_reply(a, &reply, "text/plain; charset=utf-8");
    a->status = a->status == HTTP_STATUS_OK ? HTTP_STATUS_NOT_FOUND : a->status;
  }
}

static const sn__web_file *find_web_file(const char *path) {
  const char *wanted = strcmp(path, "/") == 0 ? "/index.html" : path;
  for (const sn__web_file *file = sn__web_files; file->path != NULL; file++) {
    if (strcmp(file->path, wanted) == 0) {
      return file;
    }
  }
  return NULL;
}

static void answer_path(sn__fox_server *server, const char *path, answer *a) {
  static const char mesh[] = "/mesh/";
  static const char recordings[] = "/recordings/";
  static const char facts[] = "/recordings/facts/";
  int64_t size = 0;
  const sn__web_file *file = find_web_file(path);
  if (file != NULL) {
    put_bytes(a, file->bytes, (size_t)(file->end - file->bytes), sn__file_type(file->path));
    a->etag = file->etag;
  } else if (strcmp(path, "/robot.urdf") == 0 && server->shapes.urdf != NULL) {
    put_bytes(a, server->shapes.page.data, server->shapes.page.used, "application/xml");
  } else if (strncmp(path, mesh, sizeof mesh - 1) == 0) {
    put_mesh(server, path + sizeof mesh - 1, a);
  } else if (strcmp(path, recordings) == 0) {
    put_recordings(server, a);
  } else if (strncmp(path, facts, sizeof facts - 1) == 0) {
    put_facts(server, path + sizeof facts - 1, a);
  } else if (strncmp(path, recordings, sizeof recordings - 1) == 0) {
    a->attachment = path + sizeof recordings - 1;
    const int fd = sn__recordings_open(server->config.recordings, a->attachment, &size);
    put_file(a, fd, size, path);
  } else if (strcmp(path, "/health") == 0) {
    put_health(server, a);
  }
}

/* ---- sending ---- */

static void close_page(sn__fox_page *page) {
  if (page->is_open && page->fd >= 0) {
    close(page->fd);
  }
  if (page->is_open) {
    free(page->owned);
  }
  *page = (sn__fox_page){.fd = -1};
}

static bool add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                       unsigned char *end) {
  return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                     (int)strlen(value), at, end) == 0;
}

/* @return false: they do not fit */
static bool send_headers(struct lws *wsi, const answer *a) {
  unsigned char room[LWS_PRE + HEADERS_SIZE];
  unsigned char *begin = room + LWS_PRE;
  unsigned char *at = begin;
  unsigned char *end = room + sizeof room - 1;
  bool fits = lws_add_http_common_headers(wsi, a->status, a->type, (lws_filepos_t)a->page.size, &at,
                                          end) == 0;
  for (size_t i = 0; fits && i < sizeof headers / sizeof *headers; i++) {
    fits = add_header(wsi, headers[i].name, headers[i].value, &at, end);
  }
  if (fits && a->etag != NULL) {
    fits = add_header(wsi, "etag:", a->etag, &at, end);
  }
  if (fits && a->attachment != NULL && a->status == HTTP_STATUS_OK) {
    char value[300];
    snprintf(value, sizeof value, "attachment; filename=\"%s\"", a->attachment);
    fits = add_header(wsi, "content-disposition:", value, &at, end);
  }
  if (fits && a->status == HTTP_STATUS_METHOD_NOT_ALLOWED) {
    fits = add_header(wsi, "allow:", "GET, HEAD", &at, end);
  }
  return fits && lws_finalize_write_http_header(wsi, begin, &at, end) == 0;
}

static int end_transaction(struct lws *wsi) {
  return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

/* The next part. @return as a callback: -1 ends the connection */
static int send_part(struct lws *wsi, sn__fox_page *page) {
  unsigned char room[LWS_PRE + CHUNK];
  const int64_t left = page->size - page->sent;
  size_t count = left < CHUNK ? (size_t)left : CHUNK;
  if (page->bytes != NULL) {
    memcpy(room + LWS_PRE, page->bytes + page->sent, count);
  } else {
    const ssize_t got = read(page->fd, room + LWS_PRE, count);
    if (got <= 0) { /* the file has become shorter than the header says */
      return -1;
    }
    count = (size_t)got;
  }
  page->sent += (int64_t)count;
  const bool is_last = page->sent == page->size;
  if (lws_write(wsi, room + LWS_PRE, count, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) {
    return -1;
  }
  if (is_last) {
    close_page(page);
    return end_transaction(wsi);
  }
  lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, STALL_S);
  lws_callback_on_writable(wsi);
  return 0;
}

static void put_problem(answer *a) {
  static const struct {
    unsigned status;
    const char *text;
  } texts[] = {{HTTP_STATUS_FORBIDDEN, "403: this origin is not allowed\n"},
               {HTTP_STATUS_NOT_FOUND, "404: not found\n"},
               {HTTP_STATUS_METHOD_NOT_ALLOWED, "405: GET and HEAD only\n"},
               {421, "421: this server has another name; see `hosts` of the component cockpit\n"}};
  const char *text = "500: internal error\n";
  const unsigned status = a->status;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    text = texts[i].status == status ? texts[i].text : text;
  }
  put_bytes(a, text, strlen(text), "text/plain; charset=utf-8");
  a->status = status;
}

static bool has_etag(struct lws *wsi, const char *etag) {
  char given[200];
  return etag != NULL && copy_header(wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, given, sizeof given) &&
         strcmp(given, etag) == 0;
}

static int begin(sn__fox_server *server, struct lws *wsi, sn__fox_page *page, const char *path) {
  const bool is_head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
  const bool is_get = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0;
  answer a = {.status = sn__fox_check_names(server, wsi), .page = {.fd = -1}};
  if (a.status != 0) {
    sn__fox_warn(server, SN__FOX_WARN_REFUSED, "refused a request with a wrong Host or Origin");
  } else if (!is_get && !is_head) {
    a.status = HTTP_STATUS_METHOD_NOT_ALLOWED;
  } else {
    a.status = HTTP_STATUS_NOT_FOUND;
    answer_path(server, path, &a);
  }
  bool has_body = !is_head;
  if (a.status != HTTP_STATUS_OK && a.page.bytes == NULL) {
    put_problem(&a);
  } else if (has_etag(wsi, a.etag)) {
    a.status = HTTP_STATUS_NOT_MODIFIED;
    has_body = false;
  }
  *page = a.page;
  page->is_open = true;
  if (!send_headers(wsi, &a)) {
    close_page(page);
    return -1;
  }
  if (!has_body || page->size == 0) {
    close_page(page);
    return a.status == HTTP_STATUS_METHOD_NOT_ALLOWED ? -1 : end_transaction(wsi);
  }
  lws_callback_on_writable(wsi);
  return 0;
}

int sn__fox_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                 size_t size) {
  sn__fox_page *page = user;
  (void)size;
  switch (reason) {
    case LWS_CALLBACK_HTTP:
      return begin(lws_context_user(lws_get_context(wsi)), wsi, page, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
      return page->is_open ? send_part(wsi, page) : 0;
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
    case LWS_CALLBACK_CLOSED_HTTP:
      if (page != NULL) {
        close_page(page);
      }
      return 0;
    default:
      return 0;
  }
}
