#include "msg/msg_checker.h"

#include "msg/finite.h"
#include "msg/walk.h"

/* A run of adjacent doubles, in the struct or in a sequence. */
typedef struct run {
  size_t offset;  /* in the struct */
  size_t doubles; /* number; in a sequence, of each element */
} run;

struct sn_msg_checker {
  const sn_msg_type *type;
  bool is_plain; /* the runs cover all numbers */
  size_t single_count, seq_count;
  run *singles;
  run *seqs;
};

/* Number of doubles of a struct; 0 if it has other members. */
static size_t doubles_of(const sn_msg_type *type) {
  size_t count = 0;
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    const size_t each = field->kind == SN_MSG_FLOAT64  ? 1
                        : field->kind == SN_MSG_NESTED ? doubles_of(field->nested)
                                                       : 0;
    if (each == 0 || field->flags != 0 || field->shape == SN_MSG_SEQUENCE) {
      return 0;
    }
    count += each * sn__field_count(field);
  }
  return count * sizeof(double) == type->size ? count : 0;
}

static void add(run *list, size_t *count, run r) {
  if (list != NULL) {
    list[*count] = r;
  }
  *count += 1;
}

/* Counts runs; stores them if the arrays exist. */
static void collect(sn_msg_checker *c, const sn_msg_type *type, size_t base) {
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    const bool is_nested = field->kind == SN_MSG_NESTED;
    const size_t doubles = field->kind == SN_MSG_FLOAT64 ? 1
                           : is_nested                   ? doubles_of(field->nested)
                                                         : 0;
    const run r = {base + field->offset, doubles * sn__field_count(field)};
    if (!sn__field_is_stored(field)) {
      continue;
    }
    if (doubles > 0 && field->flags == 0) {
      if (field->shape == SN_MSG_SEQUENCE) {
        add(c->seqs, &c->seq_count, (run){r.offset, doubles});
      } else {
        add(c->singles, &c->single_count, r);
      }
    } else if (is_nested && field->shape == SN_MSG_SINGLE) {
      collect(c, field->nested, r.offset);
    } else if (is_nested || field->kind == SN_MSG_FLOAT32 || field->kind == SN_MSG_FLOAT64) {
      c->is_plain = false; /* rare: checked by the walk over the table */
    }
  }
}

const sn_msg_checker *sn__msg_checker_create(sn_arena *arena, const sn_msg_type *type) {
  sn_msg_checker counted = {0};
  collect(&counted, type, 0);
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_msg_checker *c = SN_NEW(arena, sn_msg_checker, 1);
  run *singles = SN_NEW(arena, run, counted.single_count);
  run *seqs = SN_NEW(arena, run, counted.seq_count);
  if (c == NULL || singles == NULL || seqs == NULL) {
    sn_arena_restore(arena, mark); /* all or nothing */
    return NULL;
  }
  *c = (sn_msg_checker){.type = type, .is_plain = true, .singles = singles, .seqs = seqs};
  collect(c, type, 0);
  return c;
}

bool sn__msg_checker_is_finite(const sn_msg_checker *checker, const void *msg) {
  if (!checker->is_plain) {
    return sn_msg_is_finite(checker->type, msg);
  }
  const char *bytes = msg;
  bool good = true;
  for (size_t i = 0; i < checker->single_count; i++) {
    good &= sn__are_finite(bytes + checker->singles[i].offset, checker->singles[i].doubles);
  }
  for (size_t i = 0; i < checker->seq_count; i++) {
    const sn__seq seq = sn__seq_load(bytes + checker->seqs[i].offset);
    good &= sn__are_finite(seq.data, seq.count * checker->seqs[i].doubles);
  }
  return good;
}
