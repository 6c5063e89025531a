/* The data flow as a whole: required inputs without a writer, and cycles. */
#include <string.h>

#include "base/sink.h"
#include "deploy/deployment.h"

/* Services run in the thread of their component. */
static const sn__task *task_of(const sn__part *part) {
  return part->host == NULL ? part->task : part->host->task;
}

/* Does the writer have to be stepped before the reader? The same rule as in src/rt/order.c. */
static bool orders(const sn__link *link) {
  return link->writer != NULL && link->writer != link->reader &&
         task_of(link->writer) == task_of(link->reader) && !link->connection.delayed &&
         (link->input->flags & SN_PORT_FEEDBACK) == 0;
}

enum { WALK_NEW, WALK_OPEN, WALK_DONE };

typedef struct step {
  unsigned char state;
  size_t next;        /* next link */
  const sn__link *by; /* the link that led here */
} step;

typedef struct walk {
  sn__reading *reading;
  const sn_deployment *deployment;
  step *steps; /* of each part */
} walk;

static size_t index_of(const walk *w, const sn__part *part) {
  return (size_t)(part - w->deployment->parts);
}

/* The link closes a cycle: report the path from its reader to its writer, which led here. */
static void report_loop(const walk *w, const sn__link *closing) {
  const sn__link *way[8];
  size_t count = 0;
  for (const sn__part *at = closing->writer; at != closing->reader;) {
    const sn__link *by = w->steps[index_of(w, at)].by;
    if (count < sizeof way / sizeof *way) {
      way[count] = by;
    }
    count++;
    at = by->writer;
  }
  char ring[200];
  sn__sink sink = {.out = ring, .size = sizeof ring};
  sn__sink_text(&sink, closing->reader->name);
  if (count > sizeof way / sizeof *way) {
    sn__sink_text(&sink, " -> ...");
    count = sizeof way / sizeof *way;
  }
  for (size_t i = count; i-- > 0;) {
    sn__sink_text(&sink, " -> ");
    sn__sink_text(&sink, way[i]->reader->name);
  }
  sn__sink_end(&sink);
  sn__report_error(w->reading, closing->place, "mark one of its connections as delayed: true",
                   "a loop in the data flow: %s -> %s", ring, closing->reader->name);
}

/* Depth-first search from one part, without recursion; each link is visited once. */
static void walk_from(const walk *w, const sn__part *start) {
  w->steps[index_of(w, start)].state = WALK_OPEN;
  for (const sn__part *at = start; at != NULL;) {
    step *here = &w->steps[index_of(w, at)];
    if (here->next == w->deployment->link_count) {
      here->state = WALK_DONE;
      at = here->by == NULL ? NULL : here->by->writer;
      continue;
    }
    const sn__link *link = &w->deployment->links[here->next++];
    if (link->writer != at || !orders(link)) {
      continue;
    }
    step *there = &w->steps[index_of(w, link->reader)];
    if (there->state == WALK_OPEN) {
      report_loop(w, link);
    } else if (there->state == WALK_NEW) {
      *there = (step){.state = WALK_OPEN, .by = link};
      at = link->reader;
    }
  }
}

static bool has_writer(const sn_deployment *deployment, const sn__part *part, const sn_port *port) {
  for (size_t i = 0; i < deployment->link_count; i++) {
    if (deployment->links[i].reader == part && deployment->links[i].input == port) {
      return true;
    }
  }
  return false;
}

static void check_required(sn__reading *reading, const sn__part *part) {
  for (const sn_port *p = part->type->ports; p != NULL && p->name != NULL; p++) {
    if ((p->flags & SN_PORT_REQUIRED) != 0 && !has_writer(reading->deployment, part, p)) {
      sn__report_error(reading, part->place, NULL, "'%s.%s' has no writer but requires one",
                       part->name, p->name);
    }
  }
}

void sn__check_flow(sn__reading *reading) {
  const sn_deployment *deployment = reading->deployment;
  const walk w = {.reading = reading,
                  .deployment = deployment,
                  .steps = SN_NEW(reading->scratch, step, deployment->part_count)};
  if (w.steps == NULL) {
    sn__reading_out_of_memory(reading);
    return;
  }
  for (size_t i = 0; i < deployment->part_count; i++) {
    if (deployment->parts[i].type != NULL) {
      check_required(reading, &deployment->parts[i]);
    }
    if (w.steps[i].state == WALK_NEW) {
      walk_from(&w, &deployment->parts[i]);
    }
  }
}
