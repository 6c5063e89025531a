#include "ros/ros1/http.h"

#include <string.h>
#include <strings.h>

#include "base/fail.h"

/* Size of the head with its empty line; 0: incomplete. The CR is optional. */
static size_t head_size(const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] == '\n') {
      const size_t next = i + 1;
      if (next < size && bytes[next] == '\n') {
        return next + 1;
      }
      if (next + 1 < size && bytes[next] == '\r' && bytes[next + 1] == '\n') {
        return next + 2;
      }
    }
  }
  return 0;
}

static bool starts_with(const char *line, size_t length, const char *word) {
  const size_t n = strlen(word);
  return length >= n && strncasecmp(line, word, n) == 0;
}

/* @return false if it is not a number, or too large */
static bool read_number(const char *text, size_t length, size_t *out) {
  size_t i = 0;
  while (i < length && (text[i] == ' ' || text[i] == '\t')) {
    i++;
  }
  while (length > i && (text[length - 1] == ' ' || text[length - 1] == '\t')) {
    length--;
  }
  if (i == length || length - i > 12) {
    return false;
  }
  size_t number = 0;
  for (; i < length; i++) {
    if (text[i] < '0' || text[i] > '9') {
      return false;
    }
    number = 10 * number + (size_t)(text[i] - '0');
  }
  *out = number;
  return true;
}

static bool has_word(const char *text, size_t length, const char *word) {
  const size_t n = strlen(word);
  for (size_t i = 0; i + n <= length; i++) {
    if (strncasecmp(text + i, word, n) == 0) {
      return true;
    }
  }
  return false;
}

static sn_status read_first_line(const char *line, size_t length, sn__http_message *m,
                                 sn_error *err) {
  if (starts_with(line, length, "HTTP/1.")) {
    size_t code = 0;
    if (length < 12 || !read_number(line + 8, 4, &code)) {
      return sn__fail(err, SN_ESYNTAX, "HTTP: response without a status");
    }
    m->code = (int)code;
    m->keep_alive = line[7] == '1';
    return SN_OK;
  }
  m->is_request = true;
  if (!starts_with(line, length, "POST ")) {
    return sn__fail(err, SN_EUNSUPPORTED, "HTTP: expected POST");
  }
  if (length < 14 || strncasecmp(line + length - 8, "HTTP/1.", 7) != 0) {
    return sn__fail(err, SN_ESYNTAX, "HTTP: expected HTTP/1.0 or 1.1");
  }
  m->keep_alive = line[length - 1] == '1';
  return SN_OK;
}

static sn_status read_field(const char *line, size_t length, sn__http_message *m, bool *has_length,
                            sn_error *err) {
  if (starts_with(line, length, "Content-Length:")) {
    size_t size = 0;
    if (!read_number(line + 15, length - 15, &size) || (*has_length && size != m->body_size)) {
      return sn__fail(err, SN_ESYNTAX, "HTTP: invalid Content-Length");
    }
    m->body_size = size;
    *has_length = true;
  } else if (starts_with(line, length, "Transfer-Encoding:")) {
    return sn__fail(err, SN_EUNSUPPORTED,
                    "HTTP: Transfer-Encoding is not supported, expected Content-Length");
  } else if (starts_with(line, length, "Connection:")) {
    m->keep_alive = has_word(line + 11, length - 11, "keep-alive") ||
                    (m->keep_alive && !has_word(line + 11, length - 11, "close"));
  }
  return SN_OK;
}

sn_status sn__http_parse(const char *bytes, size_t size, size_t body_max, sn__http_message *out,
                         sn_error *err) {
  const size_t head = head_size(bytes, size < SN__HTTP_HEAD_MAX ? size : SN__HTTP_HEAD_MAX);
  if (head == 0) {
    return size < SN__HTTP_HEAD_MAX
               ? SN_EBUSY
               : sn__fail(err, SN_ELIMIT, "HTTP: head of more than %zu bytes", SN__HTTP_HEAD_MAX);
  }
  sn__http_message m = {.body_start = head};
  bool has_length = false;
  bool is_first = true;
  sn_status status = SN_OK;
  for (const char *line = bytes; status == SN_OK && line < bytes + head;) {
    const char *end = memchr(line, '\n', (size_t)(bytes + head - line));
    size_t length = (size_t)(end - line);
    length -= length > 0 && line[length - 1] == '\r';
    status = is_first ? read_first_line(line, length, &m, err)
                      : read_field(line, length, &m, &has_length, err);
    is_first = false;
    line = end + 1;
  }
  if (status == SN_OK && m.body_size > body_max) {
    status = sn__fail(err, SN_ELIMIT, "HTTP: body of %zu bytes, at most %zu are allowed",
                      m.body_size, body_max);
  }
  if (status == SN_OK && !has_length) {
    if (m.is_request) {
      status = sn__fail(err, SN_ESYNTAX, "HTTP: request without Content-Length");
    }
    m.ends_by_close = true;
    m.keep_alive = false;
  }
  if (status == SN_OK) {
    *out = m;
  }
  return status;
}

void sn__http_put_request(sn__bytes *out, const char *host, int port, size_t body_size) {
  sn__bytes_text(out, "POST /RPC2 HTTP/1.1\r\nHost: ");
  sn__bytes_text(out, host);
  sn__bytes_text(out, ":");
  sn__bytes_signed(out, port);
  sn__bytes_text(out,
                 "\r\nUser-Agent: sinew\r\nContent-Type: text/xml\r\nConnection: close\r\n"
                 "Content-Length: ");
  sn__bytes_signed(out, (int64_t)body_size);
  sn__bytes_text(out, "\r\n\r\n");
}

void sn__http_put_response(sn__bytes *out, int code, bool keep_alive, size_t body_size) {
  sn__bytes_text(out, "HTTP/1.1 ");
  sn__bytes_signed(out, code);
  sn__bytes_text(out, code == 200 ? " OK" : " Refused");
  sn__bytes_text(out, "\r\nServer: sinew\r\nContent-Type: text/xml\r\nConnection: ");
  sn__bytes_text(out, keep_alive ? "keep-alive" : "close");
  sn__bytes_text(out, "\r\nContent-Length: ");
  sn__bytes_signed(out, (int64_t)body_size);
  sn__bytes_text(out, "\r\n\r\n");
}

bool sn__http_split_uri(const char *uri, const char *scheme, char *host, size_t size, int *port) {
  const size_t n = strlen(scheme);
  if (strncmp(uri, scheme, n) != 0 || strncmp(uri + n, "://", 3) != 0) {
    return false;
  }
  const char *at = uri + n + 3;
  const size_t host_size = strcspn(at, ":/");
  if (host_size == 0 || host_size >= size || at[host_size] != ':') {
    return false;
  }
  const char *digits = at + host_size + 1;
  size_t number = 0;
  if (!read_number(digits, strcspn(digits, "/"), &number) || number == 0 || number > 65535) {
    return false;
  }
  memcpy(host, at, host_size);
  host[host_size] = '\0';
  *port = (int)number;
  return true;
}
